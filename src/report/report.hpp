// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns a ladder's result into what people and programs read.
#pragma once

#include <string>

#include "bench/ladder.hpp"

namespace tilewise::report {

/// The table on a terminal, at most `columns` wide; `color` allows ANSI colours.
std::string ladder_table(const bench::LadderResult& result, int columns, bool color);

/// {"context": …, "rungs": [{"name", "title", "dtype", "m", …}]}; a figure that was not measured is
/// absent.
std::string ladder_json(const bench::LadderResult& result);

/// One header line, one line a rung, every figure a column (RFC 4180).
std::string ladder_csv(const bench::LadderResult& result);

/// One self-contained page (works offline) with the table, the charts and the notes.
std::string ladder_html(const bench::LadderResult& result);

}  // namespace tilewise::report
