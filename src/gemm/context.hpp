// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What stands behind tilewise::Context, and how failures leave the library.
#pragma once

#include <new>

#include "cpu/engine.hpp"
#include "cpu/workers.hpp"
#include "tilewise/gemm.hpp"

namespace tilewise {

struct Context::State {
  explicit State(int threads) : engine(threads) {}
  cpu::Engine engine;
};

namespace api {

/// Beyond it, a number is a mistake.
inline constexpr int kMostThreads = cpu::Workers::kMostThreads;

/// The number of threads that TILEWISE_NUM_THREADS asks for; 0 when `text` is null or empty. Throws
/// Error{kInvalidArgument} unless it is a whole number from 1 to kMostThreads.
int thread_count_in(const char* text);

/// Made when the library is loaded: when memory has run out there is none for a message.
const Error& out_of_memory() noexcept;

/// call(), but what fails for want of memory throws Error{kOutOfMemory} always.
template <class Call> auto with_errors(Call&& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    throw out_of_memory();
  }
}

}  // namespace api
}  // namespace tilewise
