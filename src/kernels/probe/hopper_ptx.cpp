// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions", "cp.async.bulk.tensor",
// "cp.reduce.async.bulk.tensor".
#include "kernels/probe/hopper_ptx.hpp"

#include <fmt/format.h>

namespace tilewise::kernels {
namespace {

constexpr std::string_view kHead = ".version 8.4\n.target sm_90a\n.address_size 64\n";

// "%d0, %d1, %d2"
std::string registers(std::string_view name, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}%{}{}", i > 0 ? ", " : "", name, i);
  return text;
}

// Copies `bytes` bytes in pieces of 16, all threads together, from global memory at %image to shared memory at
// %pool or back.
std::string copy_pieces(std::string_view label, std::uint32_t bytes, std::uint32_t threads,
                        bool to_shared) {
  const std::string_view load = to_shared ? "ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%from];"
                                          : "ld.shared.v4.b32 {%w0, %w1, %w2, %w3}, [%to];";
  const std::string_view store = to_shared ? "st.shared.v4.b32 [%to], {%w0, %w1, %w2, %w3};"
                                           : "st.global.v4.b32 [%from], {%w0, %w1, %w2, %w3};";
  return fmt::format(R"(  shl.b32 %at, %t, 4;
{0}:
  cvt.u64.u32 %from, %at;
  add.u64 %from, %from, %image;
  add.u32 %to, %pool, %at;
  {1}
  {2}
  add.u32 %at, %at, {3};
  setp.lt.u32 %p, %at, {4};
  @%p bra {0};
)",
                     label, load, store, threads * 16, bytes);
}

constexpr std::string_view kCommonRegisters =
    "  .reg .b32 %t, %at, %to, %pool, %w<4>;\n  .reg .b64 %image, %from;\n  .reg .pred %p;\n";
constexpr std::string_view kBegin = R"(  ld.param.u64 %image, [image];
  cvta.to.global.u64 %image, %image;
  mov.u32 %t, %tid.x;
  mov.u32 %pool, pool;
)";

bool is_integer(const WgmmaProbe& p) { return p.accumulator == "s32"; }
bool may_turn(const WgmmaProbe& p) { return p.a == "f16" || p.a == "bf16"; }

std::string wgmma_instruction(const WgmmaProbe& p) {
  std::string text = fmt::format("wgmma.mma_async.sync.aligned.m64n{}k{}{}.{}.{}.{} {{{}}}, ",
                                 p.columns, p.depth, p.saturates ? ".satfinite" : "", p.accumulator,
                                 p.a, p.b, registers("d", wgmma_registers(p)));
  text += p.a_in_registers ? "{%w0, %w1, %w2, %w3}" : "%a";
  text += ", %b, 1";  // the sums are added to
  if (is_integer(p)) return text + ";";
  text += ", 1, 1";
  if (may_turn(p) && !p.a_in_registers) text += p.a_transposed ? ", 1" : ", 0";
  if (may_turn(p)) text += p.b_transposed ? ", 1" : ", 0";
  return text + ";";
}

// The sums of a thread, one after the other.
std::string move_sums(const WgmmaProbe& p, bool in) {
  const std::string_view type = p.accumulator == "f32" ? "f32" : "b32";
  std::string text;
  for (int i = 0; i < wgmma_registers(p); ++i) {
    text += in ? fmt::format("  ld.global.{} %d{}, [%sums+{}];\n", type, i, 4 * i)
               : fmt::format("  st.global.{} [%sums+{}], %d{};\n", type, 4 * i, i);
  }
  return text;
}

std::string coordinates(std::uint32_t rank) { return registers("c", static_cast<int>(rank)); }

std::string tensor_load(std::uint32_t rank) {
  return fmt::format(R"(  shl.b32 %at, %t, 2;
FILL:
  add.u32 %to, %pool, %at;
  st.shared.b32 [%to], 0xA5A5A5A5;
  add.u32 %at, %at, {threads_words};
  setp.lt.u32 %p, %at, {bytes};
  @%p bra FILL;
  add.u32 %bar, %pool, {bytes};
  setp.ne.u32 %p, %t, 0;
  @%p bra READY;
  mbarrier.init.shared::cta.b64 [%bar], 1;
  fence.mbarrier_init.release.cluster;
READY:
  fence.proxy.async;
  bar.sync 0;
  @%p bra WAIT;
  ld.param.u32 %w0, [bytes];
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], %w0;
  cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%place], [%map, {{{coordinates}}}], [%bar];
WAIT:
  mov.u32 %at, 0;
AGAIN:
  mbarrier.try_wait.parity.shared::cta.b64 %q, [%bar], 0;
  @%q bra ARRIVED;
  add.u32 %at, %at, 1;
  setp.lt.u32 %q, %at, 100000;
  @%q bra AGAIN;
  trap;
ARRIVED:
)",
                     fmt::arg("threads_words", kTensorThreads * 4),
                     fmt::arg("bytes", kTensorImageBytes), fmt::arg("rank", rank),
                     fmt::arg("coordinates", coordinates(rank))) +
         copy_pieces("OUT", kTensorLoadBytes, kTensorThreads, false);
}

std::string tensor_store(std::string_view what, std::uint32_t rank) {
  const std::string instruction =
      what == "store"
          ? fmt::format("cp.async.bulk.tensor.{}d.global.shared::cta.tile.bulk_group", rank)
          : fmt::format("cp.reduce.async.bulk.tensor.{}d.global.shared::cta.{}.tile.bulk_group",
                        rank, what);
  return copy_pieces("IN", kTensorImageBytes, kTensorThreads, true) +
         fmt::format(R"(  fence.proxy.async;
  bar.sync 0;
  setp.ne.u32 %p, %t, 0;
  @%p bra END;
  {} [%map, {{{}}}], [%place];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
END:
)",
                     instruction, coordinates(rank));
}

std::string tensor_probe(std::string_view what, std::uint32_t rank) {
  std::string text = fmt::format(
      ".visible .entry {}(.param .u64 image, .param .align 64 .b8 map[128], .param .u32 c0, .param "
      ".u32 c1, "
      ".param .u32 c2, .param .u32 c3, .param .u32 c4, .param .u32 place, .param .u32 bytes)\n"
      ".reqntid {}, 1, 1\n{{\n",
      tensor_probe_name(what, rank), kTensorThreads);
  text += kCommonRegisters;
  text += "  .reg .b32 %c<5>, %place, %bar;\n  .reg .b64 %map;\n  .reg .pred %q;\n";
  text += kBegin;
  for (std::uint32_t i = 0; i < rank; ++i)
    text += fmt::format("  ld.param.u32 %c{0}, [c{0}];\n", i);
  text +=
      "  ld.param.u32 %place, [place];\n  add.u32 %place, %place, %pool;\n  mov.b64 %map, map;\n"
      "  cvta.param.u64 %map, %map;\n";
  text += what == "load" ? tensor_load(rank) : tensor_store(what, rank);
  return text + "  ret;\n}\n";
}

}  // namespace

bool has_hopper_probes(int compute_major, int compute_minor) {
  return compute_major == 9 && compute_minor == 0;
}

KernelImage hopper_image(std::string_view unit, const std::string& text) {
  return {.unit = unit, .arch = "sm_90a", .text = text};
}

int wgmma_registers(const WgmmaProbe& p) {
  return p.accumulator == "f16" ? p.columns / 4 : p.columns / 2;
}

std::string wgmma_probe(const WgmmaProbe& p) {
  const std::string_view type = p.accumulator == "f32" ? "f32" : "b32";
  std::string text(kHead);
  text += fmt::format(
      ".extern .shared .align 1024 .b8 pool[];\n"
      ".visible .entry probe_wgmma(.param .u64 image, .param .u64 sums, .param .u64 a, .param .u64 "
      "b)\n"
      ".reqntid {}, 1, 1\n{{\n",
      kWgmmaThreads);
  text += kCommonRegisters;
  text += fmt::format("  .reg .b64 %sums, %a, %b, %begin;\n  .reg .{} %d<{}>;\n", type,
                      wgmma_registers(p));
  text += kBegin;
  text += copy_pieces("IN", kWgmmaImageBytes, kWgmmaThreads, true);
  text += fmt::format(R"(  fence.proxy.async;
  bar.sync 0;
  ld.param.u64 %sums, [sums];
  cvta.to.global.u64 %sums, %sums;
  mul.wide.u32 %from, %t, {};
  add.u64 %sums, %sums, %from;
  shr.u32 %at, %pool, 4;
  cvt.u64.u32 %begin, %at;
  ld.param.u64 %a, [a];
  add.u64 %a, %a, %begin;
  ld.param.u64 %b, [b];
  add.u64 %b, %b, %begin;
)",
                      4 * wgmma_registers(p));
  if (p.a_in_registers) {
    text +=
        "  mul.wide.u32 %from, %t, 16;\n  add.u64 %from, %from, %image;\n"
        "  ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%from];\n";
  }
  text += move_sums(p, true);
  text += "  wgmma.fence.sync.aligned;\n  " + wgmma_instruction(p) +
          "\n  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n";
  return text + move_sums(p, false) + "  ret;\n}\n";
}

std::string tensor_probe_name(std::string_view what, std::uint32_t rank) {
  return fmt::format("probe_{}_{}d", what, rank);
}

std::string tensor_probes() {
  std::string text(kHead);
  text += ".extern .shared .align 1024 .b8 pool[];\n";
  for (const std::string_view what : kTensorProbes) {
    for (std::uint32_t rank = 1; rank <= 5; ++rank) text += tensor_probe(what, rank);
  }
  return text;
}

}  // namespace tilewise::kernels
