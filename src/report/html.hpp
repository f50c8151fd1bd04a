// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The pieces of the HTML page, each written by one file.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "bench/ladder.hpp"

namespace tilewise::report {

/// Text as it may stand in HTML, inside elements and inside quoted attributes.
std::string escape_html(std::string_view text);

using Pieces = std::map<std::string, std::string, std::less<>>;

/// The asset `page` with every {{name}} replaced: by the piece of that name, else by the asset of that name.
std::string fill_page(std::string_view page, const Pieces& pieces);

/// A name and a value in a lozenge; empty without a value.
std::string html_chip(std::string_view name, const std::string& value);

/// A figure in large type with a label below; `kind` "good", "bad" or empty.
std::string html_card(std::string_view kind, const std::string& figure, const std::string& label);

/// JSON as it may stand in a script element.
std::string script_json(const nlohmann::ordered_json& value);

/// What stands below every page: what made it, and the chart library's licence.
std::string html_footer(const std::string& made);

/// The sortable table of all rungs.
std::string html_ladder_table(const bench::LadderResult& result);

/// The section that shows how long each pipe would need; empty where nothing was counted.
std::string html_pipes(const bench::LadderResult& result);

/// One expandable element a rung: its facts, and its source with the counters beside the lines.
std::string html_rungs(const bench::LadderResult& result);

/// What a rung's element is called, for links: "rung-tile_2d".
std::string rung_anchor(const bench::RungResult& rung);

}  // namespace tilewise::report
