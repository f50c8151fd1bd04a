// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <vector>

#include "launch.hpp"

namespace tilewise::bugs {
namespace {

// What stands behind "// Bug: " at the head of the file.
std::string sentence(const Case& bug) {
  std::ifstream file(source_of(bug));
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("// Bug: ")) text = line.substr(8);
    else if (!text.empty() && line.starts_with("// ")) text += line.substr(2);
    else if (!text.empty()) break;
  }
  return text;
}

// "races: read-after-write in shared memory (lines 9, 11)", for each kind of finding in any order.
std::string what_is_found(const Case& bug, const std::vector<Seen>& runs) {
  std::map<std::string, std::set<int>> lines;
  for (const Seen& seen : runs) {
    for (const vgpu::Finding& finding : seen.findings) {
      std::set<int>& known = lines[finding.check + ": " + finding.kind];
      for (const vgpu::Finding::Place& place : finding.places) known.insert(line_in(bug, place));
    }
  }
  std::string text;
  for (const auto& [kind, numbers] : lines) {
    text += (text.empty() ? "" : "; ") + kind + (numbers.size() > 1 ? " (lines" : " (line");
    for (const int number : numbers) {
      text += (number == *numbers.begin() ? " " : ", ") + std::to_string(number);
    }
    text += ")";
  }
  return text.empty() ? "nothing" : text;
}

// The orders in which the kernel leaves a wrong result or stops.
std::string where_it_is_wrong(const Case& bug, const std::vector<Seen>& runs) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].result == bug.expected()) continue;
    const std::string name = orders()[i].name.substr(0, orders()[i].name.find(':'));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.size() == 3) return "always";
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "never" : text;
}

}  // namespace

std::string source_of(const Case& bug) {
  return std::string(TILEWISE_TESTS_DIR) + "/bugs/" + bug.name + ".cu";
}

std::string table_row(const Case& bug) {
  std::vector<Seen> runs;
  for (const Order& order : orders()) runs.push_back(launch(bug, false, order));
  return std::string("| `") + bug.name + "` | " + sentence(bug) + " | " + what_is_found(bug, runs) +
         " | " + where_it_is_wrong(bug, runs) + " |";
}

}  // namespace tilewise::bugs
