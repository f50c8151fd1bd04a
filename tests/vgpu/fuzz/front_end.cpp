// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the fuzzers call: whatever the bytes are, loading them as PTX ends well or in an Error that says
// where. libFuzzer brings its own main(); replay.cpp is one for compilers without it.
#include "fuzz/front_end.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tilewise/error.hpp"
#include "vgpu/vgpu.hpp"

namespace {

using tilewise::Error;
using tilewise::ErrorCode;

constexpr std::string_view kName = "fuzzed.ptx";

// "fuzzed.ptx:LINE: what"
bool says_where(std::string_view message) {
  if (!message.starts_with(kName) || message.size() < kName.size() + 4) return false;
  message.remove_prefix(kName.size());
  const std::size_t digits = message.find_first_not_of("0123456789", 1);
  return message[0] == ':' && digits > 1 && message.substr(digits).starts_with(": ");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), count);
  try {
    const tilewise::vgpu::Module module(text, std::string(kName));
  } catch (const Error& error) {
    const bool is_refusal =
        error.code() == ErrorCode::kInvalidInput || error.code() == ErrorCode::kUnsupported;
    if (is_refusal && says_where(error.what())) return 0;
    std::fprintf(stderr, "an error without its place, or of a wrong kind: %s\n", error.what());
    std::abort();
  }
  return 0;
}
