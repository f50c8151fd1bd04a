// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a kernel given as PTX text on the virtual GPU, or on a real one.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/gpu.hpp"
#include "real_gpu.hpp"
#include "tilewise/error.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {

inline const std::string kPtxHead = ".version 8.5\n.target sm_90\n.address_size 64\n";

/// Launches `kernel` of `ptx` with the address of a buffer of `words` 32-bit words (its only argument),
/// and returns what is in the buffer afterwards.
struct PtxRun {
  std::vector<std::uint32_t> words;
  LaunchReport report;
};

inline PtxRun run_ptx(const std::string& ptx, std::vector<std::uint32_t> words,
                      Dim3 grid = {1, 1, 1}, Dim3 block = {32, 1, 1},
                      std::uint32_t dynamic_shared_bytes = 0, int threads = 2,
                      const std::string& kernel = "test", Where where = {}) {
  if (where.is_real) {
    const Dim3 cluster = where.cluster.count() == 0 ? Dim3{1, 1, 1} : where.cluster;
    return {run_on_real_gpu({kPtxHead + ptx, kernel, grid, block, cluster, dynamic_shared_bytes},
                            std::move(words)),
            {}};
  }
  const Module module(kPtxHead + ptx, "test.ptx");
  Memory memory(1 << 24);
  const std::uint64_t address = memory.allocate(words.size() * 4);
  std::copy(words.begin(), words.end(), reinterpret_cast<std::uint32_t*>(address));
  const void* arguments[] = {&address};
  PtxRun run;
  where.threads = threads;
  run.report = module.launch(kernel, model::find_gpu("h200"), memory, grid, block,
                             dynamic_shared_bytes, arguments, where);
  const auto* begin = reinterpret_cast<const std::uint32_t*>(address);
  run.words.assign(begin, begin + words.size());
  return run;
}

/// The message of the Error that `action` throws; fails the test when it throws none, or another code.
template <class Action> std::string message_of(ErrorCode code, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

#define EXPECT_CONTAINS(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << (text) << "\nlacks: " << (part)

}  // namespace tilewise::vgpu
