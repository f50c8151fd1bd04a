// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "report/assets.hpp"

namespace tilewise::report {

std::string_view find_asset(std::string_view name) {
  for (const Asset& asset : assets()) {
    if (asset.name == name) return asset.contents;
  }
  return {};
}

}  // namespace tilewise::report
