// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compile/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "compile/declarations.hpp"
#include "core/file.hpp"
#include "tilewise/error.hpp"

namespace tilewise::compile {

namespace fs = std::filesystem;

Sources::Sources(const fs::path& source)
    : source_(fs::weakly_canonical(source)), main_(source_), main_text_(read_file(source)) {}

std::vector<fs::path> Sources::include_folders() const {
  return {source_.parent_path(), scratch_ / "headers"};
}

bool Sources::add_header(const std::string& header, const std::string& contents) {
  if (!added_.insert(header).second) return false;
  const fs::path relative = fs::path(header).lexically_normal();
  if (relative.is_absolute() || *relative.begin() == "..") return false;
  const fs::path place = scratch_ / "headers" / relative;
  fs::create_directories(place.parent_path());
  write_file(place, contents);
  return true;
}

// A file of the user's: the source or what lies in its folder, below it or beside it.
std::string& Sources::text_of(const fs::path& file) {
  const auto known = texts_.find(file);
  if (known != texts_.end()) return known->second;
  return texts_.emplace(file, file == source_ ? main_text_ : read_file(file)).first->second;
}

// Copies keep their places relative to each other, so that "../common/tile.cuh" finds a copy first.
void Sources::write(const fs::path& file, const std::string& text) {
  const fs::path place = scratch_ / "copies" / file.relative_path();
  fs::create_directories(place.parent_path());
  std::string whole = fmt::format("#line 1 \"{}\"\n{}\n", file.string(), text);
  if (file == source_) whole += appended_;
  write_file(place, whole);
  if (file != source_) return;
  main_ = place;
  main_text_ = whole;
}

bool Sources::leave_out(const Diagnostic& error) {
  std::error_code failed;
  const fs::path file = fs::weakly_canonical(error.file, failed);
  const fs::path home = source_.parent_path().parent_path();
  const bool beside =
      home != home.root_path() &&
      std::mismatch(home.begin(), home.end(), file.begin(), file.end()).first == home.end();
  if (failed || !(file == source_ || beside) || !fs::is_regular_file(file, failed)) return false;
  std::string& text = text_of(file);
  for (const Declaration& d : declarations_of(text)) {
    if (error.line < d.first_line || error.line > d.last_line) continue;
    if (d.on_device) return false;
    text = blanked(text, d.begin, d.end);
    left_out_.push_back(fmt::format("{}:{}-{} ({})", file.filename().string(), d.first_line,
                                    d.last_line, error.message));
    write(file, text);
    if (file != source_) write(source_, text_of(source_));
    return true;
  }
  return false;
}

void Sources::append(const std::string& code) {
  const std::string before = texts_.contains(source_) ? text_of(source_) : read_file(source_);
  appended_ = fmt::format("#line 1 \"tilewise-kernel-name\"\n{}\n", code);
  write(source_, texts_.emplace(source_, before).first->second);
}

}  // namespace tilewise::compile
