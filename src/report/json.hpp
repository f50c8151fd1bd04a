// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The schema of results as a JSON value, for those rooms' files that add to it.
#pragma once

#include <nlohmann/json.hpp>

#include "bench/ladder.hpp"

namespace tilewise::report {

/// What ladder_json() writes; `with_lines` adds each rung's counters per source line.
nlohmann::ordered_json ladder_value(const bench::LadderResult& result, bool with_lines);

}  // namespace tilewise::report
