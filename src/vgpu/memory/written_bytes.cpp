// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/memory/written_bytes.hpp"

#include <bit>

namespace tilewise::vgpu {
namespace {

// Calls action(word, mask) for the 64-bit words that hold bits [begin, end), until it returns false.
template <class F> void for_each_word(std::uint64_t begin, std::uint64_t end, F&& action) {
  while (begin < end) {
    const std::uint64_t word = begin / 64, low = begin % 64;
    const std::uint64_t stop = end < (word + 1) * 64 ? end : (word + 1) * 64;
    const std::uint64_t count = stop - begin;
    const std::uint64_t mask = (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1)
                               << low;
    if (!action(word, mask)) return;
    begin = stop;
  }
}

}  // namespace

void WrittenBytes::mark(std::uint64_t address, std::uint64_t bytes) {
  if (all_ || bytes == 0) return;
  if (bytes == bytes_) return mark_all();
  if (bits_.empty()) bits_.assign((bytes_ + 63) / 64, 0);
  for_each_word(address - begin_, address - begin_ + bytes,
                [&](std::uint64_t word, std::uint64_t mask) {
                  bits_[word] |= mask;
                  return true;
                });
}

std::uint64_t WrittenBytes::first_unwritten(std::uint64_t address, std::uint64_t bytes) const {
  if (all_ || bytes == 0) return address + bytes;
  if (bits_.empty()) return address;
  std::uint64_t found = address + bytes;
  for_each_word(address - begin_, address - begin_ + bytes,
                [&](std::uint64_t word, std::uint64_t mask) {
                  const std::uint64_t missing = ~bits_[word] & mask;
                  if (missing == 0) return true;
                  found = begin_ + word * 64 + static_cast<unsigned>(std::countr_zero(missing));
                  return false;
                });
  return found;
}

bool WrittenBytes::covers(std::uint64_t address, std::uint64_t bytes) const {
  return all_ || first_unwritten(address, bytes) == address + bytes;
}

void WrittenBytes::mark_all() {
  all_ = true;
  bits_ = {};
}

}  // namespace tilewise::vgpu
