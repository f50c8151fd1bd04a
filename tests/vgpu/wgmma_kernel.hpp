// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels of 128 threads that execute wgmma on matrices of whole numbers, and the buffers they work on.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/float16.hpp"
#include "run_ptx.hpp"

namespace tilewise::vgpu {

inline constexpr std::size_t kTileBytes = 40 * 1024;
inline constexpr std::size_t kBStart = 8 * 1024;  ///< of matrix B in the tile; A begins at 0

struct WgmmaShape {
  std::string d = "f32", a = "bf16", b = "bf16";
  int n = 64;
  bool turned_a = false, turned_b = false, a_in_registers = false;
  int swizzle = 128;  ///< bytes; 0: none
  int sign_a = 1, sign_b = 1;
  bool accumulates = true;
  Where where;

  bool is_integer() const { return d == "s32"; }
  int element_bytes() const { return a == "tf32" ? 4 : a == "f16" || a == "bf16" ? 2 : 1; }
  int depth() const { return 32 / element_bytes(); }
  int registers() const { return d == "f16" ? n / 4 : n / 2; }
};

// Whole numbers from -4 to 4 (0 to 4 for u8) as `type` holds them.
inline std::uint32_t pattern(const std::string& type, int value) {
  const auto f = static_cast<float>(value);
  if (type == "s8" || type == "u8") return static_cast<std::uint8_t>(value);
  if (type == "tf32" || type == "f32") return std::bit_cast<std::uint32_t>(f);
  if (type == "bf16") return std::bit_cast<std::uint32_t>(f) >> 16;
  if (type == "f16") return f32_to_f16(f);
  // fp8 formats are the upper bits of wider ones; these values are exact in both.
  if (type == "e5m2") return static_cast<std::uint32_t>(f32_to_f16(f)) >> 8;
  if (value == 0) return 0;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(f);
  return (bits >> 24 & 0x80) | ((bits >> 23 & 0xFF) - 127 + 7) << 3 | (bits >> 20 & 7);
}

// Where element (row, k) lies behind the descriptor that layout_descriptor() makes: core matrices of 8 rows
// of 16 bytes, or spans of the swizzle.
inline std::size_t place(const WgmmaShape& s, bool turned, std::size_t row, std::size_t k) {
  const auto size = static_cast<std::size_t>(s.element_bytes());
  const auto span = static_cast<std::size_t>(s.swizzle);
  std::size_t at = 0;
  if (!turned && span == 0) {  // 128 bytes a core matrix, the two of a row of k side by side
    at = row / 8 * 256 + k * size / 16 * 128 + row % 8 * 16 + k * size % 16;
  } else if (!turned) {
    at = row / 8 * 8 * span + row % 8 * span + k * size;
  } else if (span == 0) {
    at = row / 8 * 256 + k / 8 * 128 + k % 8 * 16 + row % 8 * 2;
  } else {  // rows side by side up to the span; k in groups of eight lines, those of one span together
    const std::size_t across = row * 2 / span, along = row * 2 % span;
    at = across * 16 * span + k / 8 * 8 * span + k % 8 * span + along;
  }
  const std::size_t pieces = span == 0 ? 1 : span / 16;
  return at ^ (at / 128 % pieces) * 16;
}

inline std::uint64_t layout_descriptor(const WgmmaShape& s, bool turned, std::size_t start) {
  const auto span = static_cast<std::uint64_t>(s.swizzle);
  std::uint64_t leading = 128, stride = 256;
  if (span != 0) leading = turned ? 16 * span : 16, stride = 8 * span;
  const std::uint64_t mode = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
  return start / 16 | leading / 16 << 16 | stride / 16 << 32 | mode << 62;
}

inline std::string list(const char* prefix, int count, int first) {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += (i > 0 ? ", " : "") + std::string(prefix) + std::to_string(first + i);
  return text + "}";
}

inline std::string instruction(const WgmmaShape& s) {
  std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(s.n) + "k" +
                     std::to_string(s.depth()) + "." + s.d + "." + s.a + "." + s.b + " " +
                     list("%d", s.registers(), 0) + ", ";
  text += s.a_in_registers ? list("%a", 4, 0) : std::string("%rd4");
  text += ", %rd5, %p1";
  if (!s.is_integer()) text += ", " + std::to_string(s.sign_a) + ", " + std::to_string(s.sign_b);
  if (s.element_bytes() == 2) {
    if (!s.a_in_registers) text += s.turned_a ? ", 1" : ", 0";
    text += s.turned_b ? ", 1" : ", 0";
  }
  return text + ";\n";
}

// The buffer: the tile's bytes, four registers of A a thread, the accumulators before and after.
inline std::string kernel(const WgmmaShape& s, const std::string& body) {
  std::string text = ".shared .align 1024 .b8 tile[" + std::to_string(kTileBytes) + "];\n" +
                     R"(.visible .entry test(.param .u64 buffer) {
  .reg .b32 %r<20>, %a<4>, %d<256>, %e<4>; .reg .b64 %rd<12>; .reg .pred %p<4>;
  ld.param.u64 %rd1, [buffer];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  mov.u32 %r3, %r1;
FILL:
  shl.b32 %r4, %r3, 2;
  cvt.u64.u32 %rd2, %r4; add.u64 %rd2, %rd2, %rd1;
  ld.global.u32 %r5, [%rd2];
  add.u32 %r6, %r2, %r4;
  st.shared.u32 [%r6], %r5;
  add.u32 %r3, %r3, 128;
  setp.lt.u32 %p2, %r3, )" +
                     std::to_string(kTileBytes / 4) + R"(;
  @%p2 bra FILL;
  fence.proxy.async;
  bar.sync 0;
  add.u64 %rd1, %rd1, )" +
                     std::to_string(kTileBytes) + ";\n  shl.b32 %r4, %r1, 4;\n" +
                     "  cvt.u64.u32 %rd2, %r4; add.u64 %rd2, %rd2, %rd1;\n" +
                     "  ld.global.v4.u32 " + list("%a", 4, 0) + ", [%rd2];\n" +
                     "  mul.lo.u32 %r4, %r1, " + std::to_string(4 * s.registers()) + ";\n" +
                     "  cvt.u64.u32 %rd2, %r4; add.u64 %rd3, %rd2, %rd1;\n";
  for (int i = 0; i < s.registers(); ++i) {
    text += "  ld.global.u32 %d" + std::to_string(i) + ", [%rd3+" + std::to_string(2048 + 4 * i) +
            "];\n";
  }
  text += "  shr.u32 %r7, %r2, 4; cvt.u64.u32 %rd6, %r7;\n";
  text += "  mov.b64 %rd4, " + std::to_string(layout_descriptor(s, s.turned_a, 0)) + ";\n";
  text += "  mov.b64 %rd5, " + std::to_string(layout_descriptor(s, s.turned_b, kBStart)) + ";\n";
  text += "  add.u64 %rd4, %rd4, %rd6; add.u64 %rd5, %rd5, %rd6;\n";
  text += std::string("  setp.") + (s.accumulates ? "ge" : "lt") + ".u32 %p1, %r1, 0;\n" + body;
  for (int i = 0; i < s.registers(); ++i) {
    text += "  st.global.u32 [%rd3+" + std::to_string(2048 + 4 * i) + "], %d" + std::to_string(i) +
            ";\n";
  }
  return text + "  ret;\n}\n";
}

// The accumulators, and A in registers, were set by ordinary instructions.
inline const std::string kFence = "  wgmma.fence.sync.aligned;\n";
inline const std::string kFinish =
    "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n";

struct Operands {
  std::vector<int> a, b, c;  ///< 64×depth, n×depth, 64×n
};

inline Operands random_operands(const WgmmaShape& s, unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&](const std::string& type) {
    return static_cast<int>(random() % (type == "u8" ? 5 : 9)) - (type == "u8" ? 0 : 4);
  };
  Operands o;
  for (int i = 0; i < 64 * s.depth(); ++i) o.a.push_back(number(s.a));
  for (int i = 0; i < s.n * s.depth(); ++i) o.b.push_back(number(s.b));
  for (int i = 0; i < 64 * s.n; ++i) o.c.push_back(number("s8"));
  return o;
}

// Thread and register of element (m, n) of the accumulators; the half of it for f16.
struct Cell {
  std::size_t word = 0, half = 0;
};
inline Cell cell(const WgmmaShape& s, int m, int n) {
  const int thread = m / 16 * 32 + m % 8 * 4 + n % 8 / 2, low = m % 16 / 8;
  if (s.d == "f16") {
    return {static_cast<std::size_t>(thread * s.registers() + n / 8 * 2 + low),
            static_cast<std::size_t>(n % 2)};
  }
  return {static_cast<std::size_t>(thread * s.registers() + n / 8 * 4 + low * 2 + n % 2), 0};
}

inline std::vector<std::uint32_t> buffer(const WgmmaShape& s, const Operands& o) {
  const std::size_t accumulators = static_cast<std::size_t>(128 * s.registers());
  std::vector<std::uint32_t> words(kTileBytes / 4 + 512 + accumulators, 0x7FFFFFFF);
  auto* bytes = reinterpret_cast<std::byte*>(words.data());
  const auto size = static_cast<std::size_t>(s.element_bytes());
  const auto put = [&](std::size_t at, std::uint32_t bits) {
    std::memcpy(bytes + at, &bits, size);
  };
  for (int k = 0; k < s.depth(); ++k) {
    for (int m = 0; m < 64; ++m) {
      const std::uint32_t bits = pattern(s.a, o.a[m * s.depth() + k]);
      const std::size_t row = static_cast<std::size_t>(m),
                        along = static_cast<std::size_t>(k) * size;
      if (!s.a_in_registers) put(place(s, s.turned_a, row, static_cast<std::size_t>(k)), bits);
      const std::size_t thread = row / 16 * 32 + row % 8 * 4 + along % 16 / 4;
      const std::size_t reg = row % 16 / 8 + along / 16 * 2;
      put(kTileBytes + (thread * 4 + reg) * 4 + along % 4, bits);
    }
    for (int n = 0; n < s.n; ++n) {
      put(kBStart + place(s, s.turned_b, static_cast<std::size_t>(n), static_cast<std::size_t>(k)),
          pattern(s.b, o.b[n * s.depth() + k]));
    }
  }
  std::uint32_t* c = words.data() + kTileBytes / 4 + 512;
  for (int m = 0; m < 64; ++m) {
    for (int n = 0; n < s.n; ++n) {
      const Cell at = cell(s, m, n);
      const int value = o.c[m * s.n + n];
      if (s.is_integer()) c[at.word] = static_cast<std::uint32_t>(value);
      else if (s.d == "f32") c[at.word] = pattern("f32", value);
      else
        reinterpret_cast<std::uint16_t*>(c + at.word)[at.half] =
            f32_to_f16(static_cast<float>(value));
    }
  }
  return words;
}

inline double result(const WgmmaShape& s, const std::vector<std::uint32_t>& words, int m, int n) {
  const Cell at = cell(s, m, n);
  const std::uint32_t word = words[kTileBytes / 4 + 512 + at.word];
  if (s.is_integer()) return static_cast<std::int32_t>(word);
  if (s.d == "f32") return static_cast<double>(std::bit_cast<float>(word));
  return static_cast<double>(f16_to_f32(static_cast<std::uint16_t>(word >> 16 * at.half)));
}

}  // namespace tilewise::vgpu
