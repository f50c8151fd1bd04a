// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/footprint.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tilewise::api {
namespace {

// Whether the `width` bytes that begin `at` bytes behind the matrix's first byte, and before its
// last, touch one of its lines.
bool touches(const Footprint& matrix, std::uint64_t at, std::int64_t width) noexcept {
  const std::int64_t line = static_cast<std::int64_t>(at / matrix.distance);
  const std::int64_t within = static_cast<std::int64_t>(at % matrix.distance);
  if (within < matrix.width) return true;
  return line + 1 < matrix.lines && width > matrix.distance - within;
}

std::string address_of(const Footprint& place) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::uintptr_t rest = place.begin; rest != 0; rest /= 16) text += kDigits[rest % 16];
  return "0x" + std::string(text.rbegin(), text.rend());
}

[[noreturn]] void refuse(const std::string& name, const Footprint& place,
                         const std::string& other) {
  throw Error(ErrorCode::kInvalidArgument, name + " = " + address_of(place) +
                                               ": expected memory that does not overlap " + other);
}

// One matrix of a batch, for a sweep through memory.
struct Tenant {
  Footprint place;
  const MatrixNames* names;
  std::int64_t index;
};

std::string name_of(const Tenant& tenant) {
  return std::string(tenant.names->matrix) + " of product " + std::to_string(tenant.index);
}

void add_tenants(std::vector<Tenant>& tenants, std::int64_t count, const Batch& batch,
                 const MatrixNames& names) {
  Footprint place = footprint_of(batch.shape);
  const bool shared = batch.pointers == nullptr && batch.stride == 0;
  for (std::int64_t i = 0; i < (shared ? 1 : count); ++i) {
    const std::int64_t offset = i * batch.stride * batch.shape.element_bytes;
    Footprint own = place;
    own.begin = batch.pointers != nullptr ? reinterpret_cast<std::uintptr_t>(batch.pointers[i])
                                          : place.begin + static_cast<std::uintptr_t>(offset);
    tenants.push_back({own, &names, i});
  }
}

}  // namespace

Footprint footprint_of(const Matrix& matrix) noexcept {
  return {reinterpret_cast<std::uintptr_t>(matrix.data), matrix.lines(),
          matrix.width() * matrix.element_bytes,
          // A single line has no next one; its leading dimension may be anything.
          (matrix.lines() > 1 ? matrix.leading_dimension : matrix.width()) * matrix.element_bytes};
}

bool overlap(const Footprint& left, const Footprint& right) noexcept {
  if (right.begin < left.begin) return overlap(right, left);
  const std::uint64_t offset = right.begin - left.begin, end = left.extent();
  std::uint64_t at = offset;
  for (std::int64_t line = 0; line < right.lines && at < end; ++line) {
    if (touches(left, at, right.width)) return true;
    at += static_cast<std::uint64_t>(right.distance);
  }
  return false;
}

std::int64_t first_overlap(const Footprint& first, std::int64_t distance,
                           std::int64_t count) noexcept {
  if (count > 1 && distance == 0) return 1;
  const std::uint64_t end = first.extent();
  std::uint64_t at = 0;
  for (std::int64_t i = 1; i < count; ++i) {
    at += static_cast<std::uint64_t>(distance);
    if (at >= end) return 0;
    // The other's lines lie `within` bytes behind lines `line`, `line` + 1, ... of the first.
    const std::int64_t line = static_cast<std::int64_t>(at / first.distance);
    const std::int64_t within = static_cast<std::int64_t>(at % first.distance);
    if (within < first.width) return i;
    if (line + 1 < first.lines && first.width > first.distance - within) return i;
  }
  return 0;
}

void check_apart(const Matrix& a, const Matrix& b, const Matrix& c, bool reads_factors,
                 const Names& names) {
  if (!reads_factors || c.empty() || a.empty() || b.empty()) return;
  const Footprint place = footprint_of(c);
  if (overlap(place, footprint_of(a))) refuse(names.c.data, place, names.a.matrix);
  if (overlap(place, footprint_of(b))) refuse(names.c.data, place, names.b.matrix);
}

// In the order of addresses, a matrix can overlap only those that begin before it ends. Interleaved
// ones are many, so that only kNeighbours of them are looked at: enough for a slip to show.
void check_apart(std::int64_t count, const Batch& a, const Batch& b, const Batch& c,
                 bool reads_factors, const Names& names) {
  constexpr std::size_t kNeighbours = 64;
  if (c.shape.empty() || count == 0) return;
  std::vector<Tenant> tenants;
  add_tenants(tenants, count, c, names.c);
  if (reads_factors && !a.shape.empty() && !b.shape.empty()) {
    add_tenants(tenants, count, a, names.a);
    add_tenants(tenants, count, b, names.b);
  }
  std::sort(tenants.begin(), tenants.end(), [](const Tenant& left, const Tenant& right) {
    return left.place.begin < right.place.begin;
  });
  for (std::size_t i = 0; i < tenants.size(); ++i) {
    const std::size_t last = std::min(tenants.size(), i + 1 + kNeighbours);
    for (std::size_t j = i + 1; j < last; ++j) {
      const Tenant &low = tenants[i], &high = tenants[j];
      if (high.place.begin - low.place.begin >= low.place.extent()) break;
      const bool low_is_result = low.names == &names.c;
      if (!low_is_result && high.names != &names.c) continue;
      if (!overlap(low.place, high.place)) continue;
      const Tenant &result = low_is_result ? low : high, &other = low_is_result ? high : low;
      refuse(name_of(result), result.place, name_of(other));
    }
  }
}

}  // namespace tilewise::api
