// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What docs/bugs.md says of each bug, as this build sees it.
#pragma once

#include <string>

#include "cases.hpp"

namespace tilewise::bugs {

/// The path of the case's .cu file.
std::string source_of(const Case& bug);

/// "| `name` | the bug in a sentence | what is found | wrong results |", without the column of
/// compute-sanitizer, which table.py adds.
std::string table_row(const Case& bug);

}  // namespace tilewise::bugs
