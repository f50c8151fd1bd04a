// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/context.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "core/thread_pool.hpp"
#include "cpu/instruction_set.hpp"

namespace tilewise {
namespace {

int threads_of(const ContextOptions& options) {
  if (options.threads < 0 || options.threads > api::kMostThreads) {
    throw Error(ErrorCode::kInvalidArgument, "threads = " + std::to_string(options.threads) +
                                                 ": expected 0 (the default) to " +
                                                 std::to_string(api::kMostThreads));
  }
  if (options.threads > 0) return options.threads;
  const int wanted = api::thread_count_in(std::getenv("TILEWISE_NUM_THREADS"));
  return wanted > 0 ? wanted : std::min(available_cores(), api::kMostThreads);
}

// Also at the first use: a static object of the program may multiply before this file's are made.
[[maybe_unused]] const Error& made_at_load = api::out_of_memory();

}  // namespace

namespace api {

int thread_count_in(const char* text) {
  if (text == nullptr || *text == '\0') return 0;
  const char* const end = text + std::strlen(text);
  int count = 0;
  const auto [stop, failure] = std::from_chars(text, end, count);
  if (failure == std::errc() && stop == end && count >= 1 && count <= kMostThreads) return count;
  constexpr std::size_t kShown = 40;
  throw Error(ErrorCode::kInvalidArgument,
              "TILEWISE_NUM_THREADS=" + std::string(text).substr(0, kShown) +
                  ": expected a whole number from 1 to " + std::to_string(kMostThreads));
}

const Error& out_of_memory() noexcept {
  // Never destroyed: other threads may multiply while the program ends.
  static const Error* const error =
      new Error(ErrorCode::kOutOfMemory,
                "out of memory: no room for what the call needs; nothing was written");
  return *error;
}

}  // namespace api

Context::Context(const ContextOptions& options) {
  api::with_errors([&] {
    try {
      state_ = std::make_unique<State>(threads_of(options));
    } catch (const std::system_error&) {  // a thread could not be started
      throw api::out_of_memory();
    }
  });
}
Context::~Context() = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;

int Context::threads() const noexcept { return state_ != nullptr ? state_->engine.threads() : 0; }

Context::State& Context::state() const {
  if (state_ == nullptr) {
    throw Error(ErrorCode::kInvalidArgument,
                "context = moved from: expected one that still has its threads");
  }
  return *state_;
}

Context& default_context() {
  static Context* const context = new Context;  // lives as long as the process
  return *context;
}

std::string cpu_instruction_set() {
  return api::with_errors([] { return std::string(cpu::name_of(cpu::instruction_set())); });
}

}  // namespace tilewise
