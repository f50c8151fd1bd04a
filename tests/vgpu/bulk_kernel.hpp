// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that copy with cp.async.bulk between a buffer and a tile of shared memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "run_ptx.hpp"

namespace tilewise::vgpu {

inline constexpr std::size_t kWords = 4096;  ///< of the buffer; the tensor is its first half

struct BulkScene {
  TensorMapRequest map;
  Dim3 grid{1, 1, 1};
  Dim3 block{32, 1, 1};
  Where where;
};

// 32 rows of 32 words; a box of 8 rows of 16 words.
inline TensorMapRequest matrix_of_words(TensorType type = TensorType::kU32) {
  TensorMapRequest r;
  r.type = type;
  r.rank = 2;
  r.dimensions = {32, 32};
  r.strides = {128};
  r.box = {16, 8};
  return r;
}

// Every kernel below: %r1 = tid.x, %rd1 = the buffer, %rd2 = the tensor map, %r2 = tile (4 KiB of shared
// memory), %r3 = an mbarrier for one arrival, %p1: thread 0.
inline std::string bulk_kernel(const std::string& body, const std::string& directives = "") {
  return R"(
.shared .align 1024 .b8 tile[4096];
.shared .align 8 .b64 bar;
.visible .entry test(.param .u64 buffer, .param .align 64 .b8 map[128]) )" +
         directives + R"({
  .reg .b32 %r<40>; .reg .b16 %h<4>; .reg .b64 %rd<20>; .reg .pred %p<8>;
  ld.param.u64 %rd1, [buffer];
  cvta.to.global.u64 %rd1, %rd1;
  mov.b64 %rd3, map;
  cvta.param.u64 %rd2, %rd3;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  mov.u32 %r3, bar;
  setp.eq.u32 %p1, %r1, 0;
  @!%p1 bra READY;
  mbarrier.init.shared::cta.b64 [%r3], 1;
READY:
  fence.proxy.async;
  bar.sync 0;
)" + body +
         "\n  ret;\n}\n";
}

// Waits for phase 0 of the mbarrier, then copies the tile's 1024 words to word 2048 of the buffer.
inline const std::string kWait = R"(
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;
  @!%p2 bra WAIT;
)";
inline const std::string kCopyOut = R"(
  mov.u32 %r10, %r1;
COPY:
  shl.b32 %r11, %r10, 2;
  add.u32 %r12, %r2, %r11;
  ld.shared.u32 %r13, [%r12];
  cvt.u64.u32 %rd10, %r11;
  add.u64 %rd11, %rd1, %rd10;
  st.global.u32 [%rd11+8192], %r13;
  add.u32 %r10, %r10, 32;
  setp.lt.u32 %p3, %r10, 1024;
  @%p3 bra COPY;
)";
// Fills the tile: word i is 1000 + i.
inline const std::string kFillTile = R"(
  mov.u32 %r10, %r1;
FILL:
  shl.b32 %r11, %r10, 2;
  add.u32 %r12, %r2, %r11;
  add.u32 %r13, %r10, 1000;
  st.shared.u32 [%r12], %r13;
  add.u32 %r10, %r10, 32;
  setp.lt.u32 %p3, %r10, 1024;
  @%p3 bra FILL;
  fence.proxy.async;
  bar.sync 0;
)";

// Word i of the buffer is i before the run.
inline PtxRun run_bulk(const std::string& ptx, const BulkScene& scene) {
  if (scene.where.is_real) {
    std::vector<std::uint32_t> words(kWords);
    std::iota(words.begin(), words.end(), 0u);
    return {
        run_on_real_gpu({kPtxHead + ptx, "test", scene.grid, scene.block, {1, 1, 1}, 0, &scene.map},
                        std::move(words)),
        {}};
  }
  const Module module(kPtxHead + ptx, "test.ptx");
  Memory memory(1 << 24);
  const std::uint64_t address = memory.allocate(kWords * 4);
  auto* words = reinterpret_cast<std::uint32_t*>(address);
  std::iota(words, words + kWords, 0u);
  TensorMapRequest request = scene.map;
  request.address += address;
  const TensorMap map = make_tensor_map(request);
  const void* arguments[] = {&address, &map};
  PtxRun run;
  LaunchOptions options = scene.where;
  options.threads = 1;
  run.report = module.launch("test", model::find_gpu("h200"), memory, scene.grid, scene.block, 0,
                             arguments, options);
  run.words.assign(words, words + kWords);
  return run;
}

// Word `i` of the tile as the kernel copied it out.
inline std::uint32_t tile_word(const PtxRun& r, std::size_t i) { return r.words[2048 + i]; }

inline std::string bulk_failure(const std::string& ptx, const BulkScene& scene) {
  return message_of(ErrorCode::kExecution, [&] { run_bulk(ptx, scene); });
}

}  // namespace tilewise::vgpu
