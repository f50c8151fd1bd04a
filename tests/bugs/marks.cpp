// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "marks.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace tilewise::bugs {
namespace {

std::set<std::string> names_in(const std::string& list) {
  std::set<std::string> names;
  const std::regex name("[a-z]+");
  for (std::sregex_iterator it(list.begin(), list.end(), name), end; it != end; ++it) {
    names.insert(it->str());
  }
  return names;
}

using Place = std::array<int, 3>;  // file, line, column
struct Location {
  Place place{}, call{};
  bool is_inlined = false;
};

// Whether the line is a .loc.
bool read_location(const std::string& line, Location& location) {
  static const std::regex form(
      R"(\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)(?:.*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?.*)");
  std::smatch m;
  if (line.find(".loc") == std::string::npos || !std::regex_match(line, m, form)) return false;
  location.is_inlined = m[4].matched;
  for (std::size_t i = 0; i < 3; ++i) {
    location.place[i] = std::stoi(m[i + 1]);
    location.call[i] = location.is_inlined ? std::stoi(m[i + 4]) : 0;
  }
  return true;
}

// The index of a file among the PTX's .file lines; 0: none.
int file_index(const std::string& ptx, const std::string& file) {
  const std::regex form(R"re(\.file\s+(\d+)\s+"([^"]*)")re");
  for (std::sregex_iterator it(ptx.begin(), ptx.end(), form), end; it != end; ++it) {
    if ((*it)[2].str().ends_with(file)) return std::stoi((*it)[1]);
  }
  return 0;
}

}  // namespace

bool Marks::allows(int line, const std::string& check) const {
  const auto has = [&](const Lines& marks) {
    const auto at = marks.find(line);
    return at != marks.end() && at->second.count(check) != 0;
  };
  return has(required) || has(instead) || has(allowed);
}

bool Marks::are_met(const std::set<int>& named) const {
  const auto covers = [&](const Lines& marks) {
    return !marks.empty() && std::all_of(marks.begin(), marks.end(),
                                         [&](const auto& m) { return named.count(m.first) != 0; });
  };
  return covers(required) || covers(instead);
}

Marks read_marks(const std::string& path) {
  std::ifstream file(path);
  const std::regex mark(R"(// (BUG|or|also): ([a-z, ]+)$)");
  Marks marks;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::smatch m;
    if (!std::regex_search(line, m, mark)) continue;
    const std::set<std::string> checks = names_in(m[2]);
    if (checks.count("numerics") != 0) marks.only_numerics = true;
    else if (m[1] == "BUG") marks.required[number] = checks;
    else (m[1] == "or" ? marks.instead : marks.allowed)[number] = checks;
  }
  if (marks.required.empty() && !marks.only_numerics) {
    throw std::runtime_error(path + " has no line marked '// BUG: …'");
  }
  return marks;
}

std::vector<int> source_lines(const std::string& ptx, const std::string& file) {
  const int wanted = file_index(ptx, file);
  std::map<Place, Place> calls;  // of the place of a call: where that is inlined itself
  std::vector<int> lines{0};
  int current = 0;
  std::istringstream stream(ptx);
  for (std::string line; std::getline(stream, line);) {
    Location at;
    if (read_location(line, at)) {
      if (at.is_inlined) calls[at.place] = at.call;
      Place outer = at.place;
      for (auto call = calls.find(outer); outer[0] != wanted && call != calls.end();
           call = calls.find(outer)) {
        outer = call->second;
      }
      current = outer[0] == wanted ? outer[1] : 0;
    }
    lines.push_back(current);
  }
  return lines;
}

}  // namespace tilewise::bugs
