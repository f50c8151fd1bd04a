// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a few lines of PTX under the checkers, in every order of asynchronous operations, and compares
// what they find.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "run_ptx.hpp"

namespace tilewise::vgpu {

// %rd1 = the buffer, %r1 = tid.x, %rd2 = &buffer[tid.x], %r2 = tile, %r3 = &tile[tid.x], %r4 = ctaid.x.
// The first line of the body is line 11.
inline const std::string kCheckBegin =
    ".shared .align 16 .b8 tile[1024];\n"
    ".visible .entry test(.param .u64 buffer)\n{\n"
    "  .reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<8>; .reg .b16 %h<8>;\n"
    "  ld.param.u64 %rd1, [buffer]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r4, %ctaid.x;\n"
    "  mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd1, %rd2; mov.u32 %r2, "
    "tile; "
    "shl.b32 %r3, %r1, 2; add.u32 %r3, %r2, %r3;\n\n";
inline const std::string kCheckEnd = "  ret;\n}\n";

struct Shape {
  Dim3 grid = {1, 1, 1}, block = {64, 1, 1};
  bool written = true;  ///< the buffer, by the host
  Checks checks = Checks::all();
  Dim3 cluster = {0, 0, 0};
  std::size_t words = 256;  ///< of the buffer
};

inline std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) text += f.kind + ": " + f.message + "\n";
  return text;
}

inline std::vector<Finding> check_in(AsyncOrder order, const std::string& body,
                                     const Shape& shape) {
  const Module module(kPtxHead + kCheckBegin + body + kCheckEnd, "test.ptx");
  Memory memory(1 << 20);
  const std::uint64_t address = memory.allocate(shape.words * 4);
  if (shape.written) {
    std::fill_n(reinterpret_cast<std::uint32_t*>(address), shape.words, 0u);
    memory.mark_written(address, shape.words * 4);
  }
  const void* arguments[] = {&address};
  LaunchOptions options;
  options.checks = shape.checks;
  options.async_order = order;
  options.async_seed = 7;
  options.cluster = shape.cluster;
  return module
      .launch("test", model::find_gpu("h200"), memory, shape.grid, shape.block, 0, arguments,
              options)
      .findings;
}

/// What is found, which must not depend on when asynchronous operations take effect.
inline std::vector<Finding> check(const std::string& body, const Shape& shape = {}) {
  const auto early = check_in(AsyncOrder::kEarliest, body, shape);
  for (const AsyncOrder order : {AsyncOrder::kLatest, AsyncOrder::kRandom}) {
    const auto other = check_in(order, body, shape);
    EXPECT_EQ(early.size(), other.size()) << body << text_of(early) << "but\n" << text_of(other);
    for (std::size_t i = 0; i < std::min(early.size(), other.size()); ++i) {
      EXPECT_EQ(early[i].check, other[i].check);
      EXPECT_EQ(early[i].places[0].line, other[i].places[0].line);
    }
  }
  return early;
}

inline void expect_clean(const std::string& body, const Shape& shape = {}) {
  const auto findings = check(body, shape);
  EXPECT_TRUE(findings.empty()) << body << text_of(findings);
}

/// Expects one finding of this kind at these lines, counted from the body's first (0: no such side).
inline Finding expect_one(const std::string& kind, int here, int there, const std::string& body,
                          const Shape& shape = {}) {
  const auto findings = check(body, shape);
  EXPECT_EQ(findings.size(), 1u) << body << text_of(findings);
  if (findings.empty()) return {};
  const Finding& f = findings[0];
  EXPECT_EQ(f.kind, kind) << f.message;
  EXPECT_EQ(f.places.size(), there ? 2u : 1u) << f.message;
  EXPECT_EQ(f.places[0].line, 10 + here) << f.message;
  if (there && f.places.size() == 2) {
    EXPECT_EQ(f.places[1].line, 10 + there) << f.message;
  }
  return f;
}

/// Expects one race in this space between these two lines. Which of the two came first is chance.
inline Finding expect_race(const std::string& space, int one, int other, const std::string& body,
                           const Shape& shape = {}) {
  const auto findings = check(body, shape);
  EXPECT_EQ(findings.size(), 1u) << body << text_of(findings);
  if (findings.size() != 1 || findings[0].places.size() != 2) return {};
  const Finding& f = findings[0];
  EXPECT_CONTAINS(f.kind, "-after-");
  EXPECT_CONTAINS(f.kind, " in " + space + " memory");
  const int here = f.places[0].line - 10, there = f.places[1].line - 10;
  EXPECT_EQ(std::min(here, there), std::min(one, other)) << f.message;
  EXPECT_EQ(std::max(here, there), std::max(one, other)) << f.message;
  return f;
}

}  // namespace tilewise::vgpu
