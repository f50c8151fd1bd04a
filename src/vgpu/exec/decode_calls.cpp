// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of functions that the driver provides: vprintf and __assertfail. Their arguments are parameters
// of the call, which lie in the caller's local memory.
#include "vgpu/exec/decode.hpp"

namespace tilewise::vgpu {

// Offset in local memory of an argument of the call, which has `bytes` bytes there.
std::uint32_t Decoder::call_argument(std::size_t index, std::uint32_t bytes) {
  bool found = false;
  const Place place = place_of(operand(index), found);
  if (!found || place.space != ptx::Space::kLocal) malformed_here("expected a .param variable");
  if (place.offset + bytes > flat_.local_bytes) malformed_here("a .param variable is too short");
  return static_cast<std::uint32_t>(place.offset);
}

// call (result), vprintf, (format, arguments): operands result, format, arguments.
void Decoder::print_call() {
  expect_operands(3, 3);
  emit("vprintf");
  for (std::size_t i = 0; i < 3; ++i)
    out_.program.ops.back().r[i] = call_argument(i, i == 0 ? 4 : 8);
}

// call __assertfail, (message, file, line, function, size of a character).
void Decoder::assert_call() {
  expect_operands(5, 5);
  emit("__assertfail");
  for (std::size_t i = 0; i < 5; ++i)
    out_.program.ops.back().r[i] = call_argument(i, i == 2 ? 4 : 8);
}

}  // namespace tilewise::vgpu
