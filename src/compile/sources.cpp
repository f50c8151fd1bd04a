// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compile/sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <system_error>

#include "compile/declarations.hpp"
#include "core/file.hpp"
#include "tilewise/error.hpp"

namespace tilewise::compile {

namespace fs = std::filesystem;

Sources::Sources(const fs::path& source, std::vector<fs::path> folders)
    : source_(fs::weakly_canonical(source)),
      folders_(std::move(folders)),
      main_(source_),
      main_text_(read_file(source)) {
  for (fs::path& folder : folders_) folder = fs::weakly_canonical(folder);
  folders_.push_back(source_.parent_path());
}

std::vector<fs::path> Sources::include_folders() const {
  std::vector<fs::path> all;
  for (const fs::path& folder : folders_) {
    if (!texts_.empty()) all.push_back(copy_of(folder));
    all.push_back(folder);
  }
  all.push_back(scratch_ / "headers");
  return all;
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

fs::path Sources::copy_of(const fs::path& file) const {
  return scratch_ / "copies" / file.relative_path();
}

std::string& Sources::text_of(const fs::path& file) {
  const auto known = texts_.find(file);
  if (known != texts_.end()) return known->second;
  return texts_.emplace(file, file == source_ ? main_text_ : read_file(file)).first->second;
}

// The user's file that `file` means by #include of this name; empty when there is none.
fs::path Sources::header_of(const fs::path& file, const std::string& name) const {
  std::vector<fs::path> places{file.parent_path()};
  places.insert(places.end(), folders_.begin(), folders_.end());
  for (const fs::path& place : places) {
    std::error_code failed;
    const fs::path header = fs::weakly_canonical(place / name, failed);
    if (!failed && fs::is_regular_file(header, failed)) {
      return is_of_the_user(header) ? header : fs::path();
    }
  }
  return {};
}

// A header beside the one that includes it is found before all others. So once one is changed, every
// header has to be a copy, or some would find the original of the changed one.
void Sources::copy_headers() {
  headers_copied_ = true;
  static const std::regex kInclude(R"((?:^|\n)[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">])");
  std::vector<fs::path> files{source_};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string text = text_of(files[i]);
    if (i > 0) write(files[i], text);
    for (std::sregex_iterator each(text.begin(), text.end(), kInclude), end; each != end; ++each) {
      const fs::path header = header_of(files[i], (*each)[1]);
      if (header.empty() || std::find(files.begin(), files.end(), header) != files.end()) continue;
      files.push_back(header);
    }
  }
}

// Copies keep their places relative to each other, so that "../common/tile.cuh" finds a copy first.
void Sources::write(const fs::path& file, const std::string& text) {
  const fs::path place = copy_of(file);
  fs::create_directories(place.parent_path());
  std::string whole = fmt::format("#line 1 \"{}\"\n{}\n", file.string(), text);
  if (file == source_) whole += appended_;
  write_file(place, whole);
  if (file != source_) return;
  main_ = place;
  main_text_ = whole;
}

bool Sources::is_of_the_user(const fs::path& file) const {
  const auto holds = [&](const fs::path& folder) {
    return folder != folder.root_path() &&
           std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first ==
               folder.end();
  };
  return file == source_ || holds(source_.parent_path().parent_path()) ||
         std::any_of(folders_.begin(), folders_.end(), holds);
}

bool Sources::leave_out(const Diagnostic& error) {
  std::error_code failed;
  const fs::path file = fs::weakly_canonical(error.file, failed);
  if (failed || !is_of_the_user(file) || !fs::is_regular_file(file, failed)) return false;
  std::string& text = text_of(file);
  for (const Declaration& d : declarations_of(text)) {
    if (error.line < d.first_line || error.line > d.last_line) continue;
    if (d.on_device) return false;
    text = blanked(text, d.begin, d.end);
    left_out_.push_back(fmt::format("{}:{}-{} ({})", file.filename().string(), d.first_line,
                                    d.last_line, error.message));
    write(file, text);
    if (file != source_ && !headers_copied_) copy_headers();
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
