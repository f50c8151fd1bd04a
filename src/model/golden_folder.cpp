// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the golden files of a folder.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/file.hpp"
#include "model/golden_access.hpp"
#include "tilewise/error.hpp"

namespace tilewise::model {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAccessFile = "memory_access.csv", kCopyFile = "async_copy.csv";

bool is_access_file(const fs::path& path) {
  return path.filename() == kAccessFile || path.filename() == kCopyFile;
}

// A GPU's folder may hold folders of its own (mma): so deep, and no deeper, files are looked for.
constexpr int kDeepest = 2;

struct Found {
  std::vector<fs::path> access_files, others;
};

void look_into(const fs::path& folder, int depth, Found& found) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      if (depth < kDeepest) look_into(path, depth + 1, found);
    } else if (is_access_file(path) && depth <= 1) {
      found.access_files.push_back(path);
    } else if (path.extension() != ".md") {
      found.others.push_back(path);
    }
  }
  if (error) {
    throw Error(ErrorCode::kInvalidInput,
                fmt::format("cannot read the folder '{}': {}", folder.string(), error.message()));
  }
}

}  // namespace

GoldenReport check_golden(const fs::path& folder) {
  Found found;
  look_into(folder, 0, found);
  if (found.access_files.empty()) {
    throw Error(ErrorCode::kInvalidInput,
                fmt::format("'{}' holds no golden files: expected {} in it or in a folder of it",
                            folder.string(), kAccessFile));
  }
  std::sort(found.access_files.begin(), found.access_files.end());
  std::sort(found.others.begin(), found.others.end());

  GoldenReport report;
  report.not_checked = std::move(found.others);
  for (const fs::path& file : found.access_files) {
    check_rows(parse_golden_access(read_file(file), file.string()), file, report);
  }
  return report;
}

}  // namespace tilewise::model
