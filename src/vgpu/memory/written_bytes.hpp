// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Which bytes of one allocation somebody wrote: the host by copying or filling, or a kernel. One bit a
// byte, and none at all while the answer is "every one".
#pragma once

#include <cstdint>
#include <vector>

namespace tilewise::vgpu {

class WrittenBytes {
 public:
  WrittenBytes(std::uint64_t begin, std::uint64_t bytes) : begin_(begin), bytes_(bytes) {}

  /// Both take ranges inside the allocation.
  void mark(std::uint64_t address, std::uint64_t bytes);
  bool covers(std::uint64_t address, std::uint64_t bytes) const;
  /// The first byte of a range that nobody wrote; address + bytes when there is none.
  std::uint64_t first_unwritten(std::uint64_t address, std::uint64_t bytes) const;

  void mark_all();
  bool is_all_written() const { return all_; }
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return begin_ + bytes_; }

 private:
  std::uint64_t begin_, bytes_;
  bool all_ = false;
  std::vector<std::uint64_t> bits_;  ///< empty: nothing is written, or all
};

}  // namespace tilewise::vgpu
