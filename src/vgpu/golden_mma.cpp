// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/golden_mma.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>

#include "core/file.hpp"
#include "tilewise/error.hpp"

namespace tilewise::vgpu {
namespace {

namespace fs = std::filesystem;

std::optional<MatrixType> parse_type(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(MatrixType::kF64); ++i) {
    const auto type = static_cast<MatrixType>(i);
    if (name_of(type) == name) return type;
  }
  return std::nullopt;
}

// "m16n8k16"
bool parse_shape(std::string_view text, MatrixProduct& p) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (const auto& [letter, size] : {std::pair{'m', &p.m}, {'n', &p.n}, {'k', &p.k}}) {
    if (at == end || *at != letter) return false;
    const auto [next, error] = std::from_chars(at + 1, end, *size);
    if (error != std::errc{} || *size < 1 || *size > kMostProductColumns) return false;
    at = next;
  }
  return at == end;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t bar = text.find('_');
    parts.push_back(text.substr(0, bar));
    if (bar == std::string_view::npos) return parts;
    text.remove_prefix(bar + 1);
  }
}

std::size_t row_bytes(const MatrixProduct& p) {
  return static_cast<std::size_t>(p.k * bits_of(p.a) / 8);
}
std::size_t sum_bytes(const MatrixProduct& p) {
  return static_cast<std::size_t>(p.m * p.n * bits_of(p.accumulator) / 8);
}

std::vector<std::uint32_t> cells_of(const std::byte*& from, int count, int bits) {
  std::vector<std::uint32_t> cells(static_cast<std::size_t>(count), 0);
  const auto bytes = static_cast<std::size_t>(bits / 8);
  for (std::uint32_t& cell : cells) std::memcpy(&cell, from, bytes), from += bytes;
  return cells;
}

std::vector<double> doubles_of(const std::byte*& from, int count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::memcpy(values.data(), from, values.size() * sizeof(double));
  from += values.size() * sizeof(double);
  return values;
}

template <class T>
std::string difference(int record, int n, const std::vector<T>& expected,
                       const std::vector<T>& computed) {
  const auto at =
      std::mismatch(expected.begin(), expected.end(), computed.begin(),
                    [](const T& a, const T& b) { return std::memcmp(&a, &b, sizeof(T)) == 0; })
          .first -
      expected.begin();
  if (at == static_cast<std::ptrdiff_t>(expected.size())) return {};
  std::uint64_t bits[2] = {0, 0};
  std::memcpy(&bits[0], &expected[at], sizeof(T));
  std::memcpy(&bits[1], &computed[at], sizeof(T));
  return fmt::format("record {} row {} column {}: expected {:#x}, computed {:#x}", record, at / n,
                     at % n, bits[0], bits[1]);
}

// The first difference of one record; empty: none.
std::string check_record(const MatrixProduct& p, Numerics numerics, int record,
                         const std::byte* from) {
  if (p.a == MatrixType::kF64) {
    const auto a = doubles_of(from, p.m * p.k), b = doubles_of(from, p.n * p.k),
               c = doubles_of(from, p.m * p.n), d = doubles_of(from, p.m * p.n);
    std::vector<double> computed(d.size());
    multiply_f64(p.m, p.n, p.k, a.data(), b.data(), c.data(), computed.data());
    return difference(record, p.n, d, computed);
  }
  const int sum_bits = bits_of(p.accumulator);
  const auto a = cells_of(from, p.m * p.k, bits_of(p.a)),
             b = cells_of(from, p.n * p.k, bits_of(p.b)), c = cells_of(from, p.m * p.n, sum_bits),
             d = cells_of(from, p.m * p.n, sum_bits);
  std::vector<std::uint32_t> computed(d.size());
  multiply(p, numerics, a.data(), b.data(), c.data(), computed.data());
  return difference(record, p.n, d, computed);
}

}  // namespace

std::optional<MatrixProduct> parse_mma_name(std::string_view name) {
  std::vector<std::string_view> parts = split(name);
  MatrixProduct p;
  p.saturate = parts.back() == "satfinite";
  if (p.saturate) parts.pop_back();
  if (parts.size() < 3 || parts.size() > 5) return std::nullopt;
  if (parts[0] != "mma" && parts[0] != "wgmma") return std::nullopt;
  p.is_wgmma = parts[0] == "wgmma";
  if (!parse_shape(parts[1], p)) return std::nullopt;
  const auto accumulator = parse_type(parts[2]);
  const auto a = parts.size() > 3 ? parse_type(parts[3]) : accumulator;
  const auto b = parts.size() > 4 ? parse_type(parts[4]) : a;
  if (!accumulator || !a || !b) return std::nullopt;
  p.accumulator = *accumulator, p.a = *a, p.b = *b;
  return p;
}

std::size_t mma_record_bytes(const MatrixProduct& p) {
  return static_cast<std::size_t>(p.m + p.n) * row_bytes(p) + 2 * sum_bytes(p);
}

GoldenRecords check_mma_file(const fs::path& file, Numerics numerics) {
  const auto product = parse_mma_name(file.stem().string());
  if (!product) {
    throw Error(ErrorCode::kInvalidInput,
                fmt::format("'{}': expected the name of a tensor-core instruction, such as "
                            "mma_m16n8k16_f32_bf16.bin",
                            file.string()));
  }
  const std::string text = read_file(file);
  const std::size_t bytes = mma_record_bytes(*product);
  if (text.empty() || text.size() % bytes != 0) {
    throw Error(ErrorCode::kInvalidInput,
                fmt::format("'{}': {} bytes, expected records of {} bytes each", file.string(),
                            text.size(), bytes));
  }
  GoldenRecords result{file, static_cast<int>(text.size() / bytes), 0, {}};
  const auto* const from = reinterpret_cast<const std::byte*>(text.data());
  for (int r = 0; r < result.records; ++r) {
    const std::string mismatch =
        check_record(*product, numerics, r, from + static_cast<std::size_t>(r) * bytes);
    if (mismatch.empty()) ++result.matches;
    else if (result.first_mismatches.size() < kMostRecordMismatches)
      result.first_mismatches.push_back(mismatch);
  }
  return result;
}

std::vector<fs::path> find_mma_files(const fs::path& folder) {
  std::vector<fs::path> files;
  constexpr int kDeepest = 2;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry.depth() >= kDeepest) entry.disable_recursion_pending();
    const fs::path& path = entry->path();
    if (path.extension() == ".bin" && path.parent_path().filename() == "mma") files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tilewise::vgpu
