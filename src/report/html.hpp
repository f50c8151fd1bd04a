// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The pieces of the HTML page, each written by one file.
#pragma once

#include <string>
#include <string_view>

#include "bench/ladder.hpp"

namespace tilewise::report {

/// Text as it may stand in HTML, inside elements and inside quoted attributes.
std::string escape_html(std::string_view text);

/// The sortable table of all rungs.
std::string html_ladder_table(const bench::LadderResult& result);

/// The section that shows how long each pipe would need; empty where nothing was counted.
std::string html_pipes(const bench::LadderResult& result);

/// One expandable element a rung: its facts, and its source with the counters beside the lines.
std::string html_rungs(const bench::LadderResult& result);

/// What a rung's element is called, for links: "rung-tile_2d".
std::string rung_anchor(const bench::RungResult& rung);

}  // namespace tilewise::report
