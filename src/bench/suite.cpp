// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/suite.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>

#include "core/file.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

using Columns = std::vector<std::string_view>;
constexpr std::int64_t kLargest = 1 << 30;  // 32-bit BLAS interfaces take no more than 2^31 - 1

/// The columns a file has: all, or not those of the transpositions, or not the last.
struct Head {
  bool has_transpositions = false, has_batch = false;

  Columns columns() const {
    Columns columns{"group"};
    if (has_transpositions) columns.insert(columns.end(), {"trans_a", "trans_b"});
    columns.insert(columns.end(), {"m", "n", "k"});
    if (has_batch) columns.emplace_back("batch");
    return columns;
  }
};

/// One line of the file, to name it in errors.
struct Line {
  const std::string& file;
  std::size_t number;

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::kInvalidInput, fmt::format("{}:{}: {}", file, number, message));
  }
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::vector<std::string_view> fields_of(const Line& line, std::string_view text,
                                        const Columns& columns) {
  std::vector<std::string_view> fields = split(text, ',');
  for (std::string_view& field : fields) field = trimmed(field);
  if (fields.size() != columns.size()) {
    line.fail(fmt::format("expected {} fields ({}), got {}", columns.size(),
                          fmt::join(columns, ","), fields.size()));
  }
  return fields;
}

std::string parse_group(const Line& line, std::string_view field) {
  for (const char c : field) {
    if (static_cast<unsigned char>(c) < ' ') line.fail("group: holds a control character");
  }
  if (field.empty() || field.size() > 40) {
    line.fail(
        fmt::format("group: expected a name of 1 to 40 characters, got '{}'", field.substr(0, 60)));
  }
  if (field == "all") line.fail("group: the name 'all' means every group");
  return std::string(field);
}

bool parse_transposition(const Line& line, std::string_view column, std::string_view field) {
  if (field != "N" && field != "T") {
    line.fail(fmt::format("{}: expected N or T, got '{}'", column, field.substr(0, 60)));
  }
  return field == "T";
}

std::int64_t parse_size(const Line& line, std::string_view column, std::string_view field) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || stop != field.data() + field.size() || value < 1 ||
      value > kLargest) {
    line.fail(fmt::format("{}: expected a whole number from 1 to {}, got '{}'", column, kLargest,
                          field.substr(0, 60)));
  }
  return value;
}

GemmShape parse_shape(const Line& line, std::string_view text, const Head& head) {
  const Columns columns = head.columns();
  const std::vector<std::string_view> fields = fields_of(line, text, columns);
  GemmShape shape;
  shape.group = parse_group(line, fields[0]);
  if (head.has_transpositions) {
    shape.trans_a = parse_transposition(line, columns[1], fields[1]);
    shape.trans_b = parse_transposition(line, columns[2], fields[2]);
  }
  std::size_t at = head.has_transpositions ? 3 : 1;
  for (std::int64_t* size : {&shape.m, &shape.n, &shape.k}) {
    *size = parse_size(line, columns[at], fields[at]);
    ++at;
  }
  if (head.has_batch) shape.batch = parse_size(line, columns[at], fields[at]);
  return shape;
}

Head parse_head(const Line& line, std::string_view text) {
  const std::vector<std::string_view> names = split(text, ',');
  const Head head{names.size() >= 6, trimmed(names.back()) == "batch"};
  const Columns columns = head.columns();
  const std::vector<std::string_view> fields = fields_of(line, text, columns);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (fields[i] != columns[i]) {
      line.fail(
          fmt::format("expected the column '{}', got '{}'", columns[i], fields[i].substr(0, 60)));
    }
  }
  return head;
}

}  // namespace

std::string scaling_name(const Scaling& scaling) {
  return fmt::format("alpha {}, beta {}", scaling.alpha, scaling.beta);
}

// GCC 12 from -O2 on makes a vector of two neighbours that go to float and back to double, and forgets to round them.
static double rounded_to_f32(double value) {
  const volatile auto rounded = static_cast<float>(value);
  return rounded;
}

Scaling rounded_to(const Scaling& scaling, Dtype operands) {
  if (operands == Dtype::kF64) return scaling;
  return {rounded_to_f32(scaling.alpha), rounded_to_f32(scaling.beta)};
}

std::string transposition_name(const GemmShape& shape) {
  return {shape.trans_a ? 'T' : 'N', shape.trans_b ? 'T' : 'N'};
}

std::string shape_name(const GemmShape& shape) {
  return fmt::format("{}x{}x{} {}{}", shape.m, shape.n, shape.k, transposition_name(shape),
                     shape.batch == 1 ? "" : fmt::format(", {} times", shape.batch));
}

std::vector<GemmShape> parse_suite(std::string_view text, const std::string& name) {
  std::vector<GemmShape> shapes;
  std::set<std::string> seen;
  std::optional<Head> head;
  std::size_t number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    const Line line{name, ++number};
    const std::string_view content = trimmed(raw);
    if (content.empty() || content.starts_with('#')) continue;
    if (!head) {
      head = parse_head(line, content);
      continue;
    }
    shapes.push_back(parse_shape(line, content, *head));
    if (!seen.insert(shape_name(shapes.back())).second) {
      line.fail(fmt::format("the product {} stands here twice", shape_name(shapes.back())));
    }
  }
  if (shapes.empty()) {
    throw Error(ErrorCode::kInvalidInput, fmt::format("{}: holds no product", name));
  }
  return shapes;
}

std::vector<GemmShape> load_suite(const std::string& name) {
  for (const EmbeddedSuite& suite : embedded_suites()) {
    if (suite.name == name) return parse_suite(suite.text, name);
  }
  return parse_suite(read_file(name), name);
}

}  // namespace tilewise::bench
