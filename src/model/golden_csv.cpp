// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Golden access files as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <set>

#include "model/golden_access.hpp"
#include "tilewise/error.hpp"

namespace tilewise::model {
namespace {

constexpr std::string_view kHeader =
    "id,access,bytes_per_lane,pattern,active_mask,lane_byte_offsets,shared_wavefronts,"
    "shared_bank_conflicts,global_requests,global_sectors";

enum Column {
  kId,
  kAccess,
  kBytesPerLane,
  kPattern,
  kActiveMask,
  kOffsets,
  kSharedWavefronts,
  kSharedBankConflicts,
  kGlobalRequests,
  kGlobalSectors,
  kColumns,
};

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

// Cuts the next line off `rest`.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

// Knows where it stands in the file, for messages.
class Reader {
 public:
  explicit Reader(const std::string& source_name) : source_name_(source_name) {}

  std::vector<GoldenAccess> read(std::string_view csv) {
    if (csv.starts_with("\xEF\xBB\xBF")) csv.remove_prefix(3);  // a byte order mark
    std::vector<GoldenAccess> rows;
    for (bool has_header = false; !csv.empty();) {
      const std::string_view line = trim(next_line(csv));
      ++line_;
      if (line.empty()) continue;
      if (!has_header) {
        read_header(line);
        has_header = true;
      } else {
        rows.push_back(read_row(line));
      }
    }
    if (rows.empty()) {
      throw Error(
          ErrorCode::kInvalidInput,
          fmt::format("'{}': no rows: expected a header and at least one row", source_name_));
    }
    return rows;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::kInvalidInput, fmt::format("{}:{}: {}", source_name_, line_, what));
  }

  // Columns may stand in any order, and there may be more than the format asks for.
  void read_header(std::string_view line) {
    const std::vector<std::string_view> present = split(line);
    const std::vector<std::string_view> wanted = split(kHeader);
    for (std::size_t column = 0; column < wanted.size(); ++column) {
      std::size_t at = 0;
      while (at < present.size() && present[at] != wanted[column]) ++at;
      if (at == present.size()) fail(fmt::format("the header has no column '{}'", wanted[column]));
      position_[column] = at;
    }
    fields_ = present.size();
  }

  GoldenAccess read_row(std::string_view line) {
    const std::vector<std::string_view> fields = split(line);
    if (fields.size() != fields_) {
      fail(fmt::format("{} fields, the header has {}", fields.size(), fields_));
    }
    const auto field = [&](Column column) { return fields[position_[column]]; };
    GoldenAccess row;
    row.id = number(field(kId), "id");
    if (!ids_.insert(row.id).second) fail(fmt::format("id {} stands in the file twice", row.id));
    row.access = field(kAccess);
    row.bytes_per_lane = number(field(kBytesPerLane), "bytes_per_lane");
    row.pattern = field(kPattern);
    row.active_mask = mask(field(kActiveMask));
    read_offsets(field(kOffsets), row);
    row.expected.shared_wavefronts = count(field(kSharedWavefronts), "shared_wavefronts");
    row.expected.shared_bank_conflicts =
        count(field(kSharedBankConflicts), "shared_bank_conflicts");
    row.expected.global_requests = count(field(kGlobalRequests), "global_requests");
    row.expected.global_sectors = count(field(kGlobalSectors), "global_sectors");
    check(row);
    return row;
  }

  int number(std::string_view text, std::string_view column) const {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) {
      fail(fmt::format("{} '{}': expected a whole number, 0 or more", column, text));
    }
    return value;
  }

  std::optional<int> count(std::string_view text, std::string_view column) const {
    if (text.empty()) return std::nullopt;
    return number(text, column);
  }

  std::uint32_t mask(std::string_view text) const {
    std::uint32_t value = 0;
    const std::string_view digits = text.starts_with("0x") ? text.substr(2) : std::string_view{};
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
    if (digits.empty() || error != std::errc() || stop != end) {
      fail(fmt::format("active_mask '{}': expected 32 bits in hexadecimal, such as 0x0000ffff",
                       text));
    }
    return value;
  }

  // One offset a lane; a copy of both sides has the lanes of the shared side, then those of the global.
  void read_offsets(std::string_view text, GoldenAccess& row) const {
    const std::size_t lanes = row.offsets.size();
    const std::size_t wanted = row.access.ends_with(".both") ? 2 * lanes : lanes;
    std::size_t count = 0;
    for (text = trim(text); !text.empty(); text = trim(text)) {
      std::uint64_t offset = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
      const std::size_t length = static_cast<std::size_t>(end - text.data());
      const bool ends_well = length == text.size() || text[length] == ' ' || text[length] == '\t';
      if (error != std::errc() || !ends_well) {
        fail(
            fmt::format("lane_byte_offsets: the offset of lane {} is not a number", count % lanes));
      }
      if (count == wanted) fail(fmt::format("lane_byte_offsets: more than {} offsets", wanted));
      (count < lanes ? row.offsets[count] : row.from[count - lanes]) = offset;
      ++count;
      text.remove_prefix(length);
    }
    if (count != wanted) {
      fail(fmt::format("lane_byte_offsets: {} offsets, expected {}", count, wanted));
    }
  }

  // What no GPU would execute has no cost.
  void check(const GoldenAccess& row) const {
    const int bytes = row.bytes_per_lane;
    const bool is_matrix = row.access.find("matrix") != std::string::npos;
    if (is_matrix ? bytes != 16
                  : bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16) {
      fail(fmt::format("bytes_per_lane {}: expected {}", bytes,
                       is_matrix ? "16 for a matrix access" : "1, 2, 4, 8 or 16"));
    }
    if (is_matrix && row.active_mask != 0xFFFFFFFF) {
      fail(fmt::format("active_mask 0x{:08x}: a matrix access needs all lanes", row.active_mask));
    }
    for (std::size_t lane = 0; lane < row.offsets.size(); ++lane) {
      if ((row.active_mask >> lane & 1u) == 0) continue;
      for (const std::uint64_t offset : {row.offsets[lane], row.from[lane]}) {
        if (offset % static_cast<std::uint64_t>(bytes) == 0) continue;
        fail(fmt::format("lane_byte_offsets: {} of lane {} is not a multiple of {} bytes", offset,
                         lane, bytes));
      }
    }
    try {
      evaluate(row);
    } catch (const Error& error) {
      fail(error.what());
    }
  }

  const std::string& source_name_;
  int line_ = 0;
  std::size_t fields_ = 0;
  std::array<std::size_t, kColumns> position_{};
  std::set<int> ids_;
};

std::string text_of(const std::optional<int>& count) {
  return count ? std::to_string(*count) : std::string();
}

}  // namespace

std::vector<GoldenAccess> parse_golden_access(std::string_view csv,
                                              const std::string& source_name) {
  return Reader(source_name).read(csv);
}

std::string to_csv(std::span<const GoldenAccess> rows) {
  std::string text(kHeader);
  text += '\n';
  for (const GoldenAccess& row : rows) {
    text += fmt::format("{},{},{},{},0x{:08x},", row.id, row.access, row.bytes_per_lane,
                        row.pattern, row.active_mask);
    for (std::size_t lane = 0; lane < row.offsets.size(); ++lane) {
      text += fmt::format("{}{}", lane == 0 ? "" : " ", row.offsets[lane]);
    }
    if (row.access.ends_with(".both")) text += fmt::format(" {}", fmt::join(row.from, " "));
    text +=
        fmt::format(",{},{},{},{}\n", text_of(row.expected.shared_wavefronts),
                    text_of(row.expected.shared_bank_conflicts),
                    text_of(row.expected.global_requests), text_of(row.expected.global_sectors));
  }
  return text;
}

}  // namespace tilewise::model
