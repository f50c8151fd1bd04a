// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A product of 64x64x64 takes 5 microseconds, about what the operating system needs to wake one
// thread. Hence threads that watch for their next product before they sleep, one cache line each to
// watch, and waking as a tree: member i wakes members 2i+1 and 2i+2, so that 63 threads are awake
// after 6 steps.
#include "cpu/workers.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <system_error>

#include "core/thread_pool.hpp"
#include "cpu/fork_lock.hpp"
#include "tilewise/error.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tilewise::cpu {
namespace {

/// Longer than the pause between two products of a loop, shorter than anybody notices.
constexpr std::chrono::microseconds kSpin{50};

/// While it lives, this thread is sent no signal, nor are threads that it starts, ever: the
/// program's handlers run on the program's threads. Except those that a thread's own instructions
/// raise, whose handlers (of crash reporters, say) would be skipped, and the profilers' one.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF})
      sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

/// How this thread rounds, what it does with subnormal numbers, and which exceptions trap. Each
/// thread has its own setting, and products must not depend on which thread computes what.
std::uint64_t float_settings() noexcept {
#if defined(__x86_64__)
  constexpr std::uint64_t kSettings = 0xffc0;  // of MXCSR; the rest says which exceptions have been
  return _mm_getcsr() & kSettings;
#elif defined(__aarch64__)
  std::uint64_t settings;
  asm volatile("mrs %0, fpcr" : "=r"(settings));
  return settings;
#else
  return 0;
#endif
}

void set_float_settings([[maybe_unused]] std::uint64_t settings) noexcept {
  if (settings == float_settings()) return;  // reading is cheap, writing drains the pipeline
#if defined(__x86_64__)
  _mm_setcsr(static_cast<unsigned>(settings));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" ::"r"(settings));
#endif
}

}  // namespace

void Team::meet() noexcept {
  if (size_ == 1) return;
  const std::uint32_t meeting = meetings_.now();
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < size_) {
    meetings_.wait_past(meeting, spin_);
    return;
  }
  arrived_.store(0, std::memory_order_relaxed);
  meetings_.advance();
}

struct Workers::State {
  /// A thread and what it watches.
  struct alignas(64) Worker {
    Epoch calls;  ///< goes up when the thread is wanted
    State* state = nullptr;
    int member = 0;
    pthread_t thread{};
  };

  explicit State(int size) : threads(size), workers(new Worker[static_cast<std::size_t>(size)]) {
    team.spin_ = available_cores() >= threads ? kSpin : std::chrono::nanoseconds{0};
  }

  int start() noexcept;
  void stop() noexcept;
  bool take() noexcept;
  void restart() noexcept;
  void work(int wanted, Body body_now, void* argument_now) noexcept;
  void call_next(int member) noexcept;
  void finish() noexcept;
  static void* live(void* worker) noexcept;

  const int threads;
  int members = 1;                    ///< threads there are, the caller's included
  std::unique_ptr<Worker[]> workers;  ///< the first one, the caller's, is not used
  std::uint32_t forks = 0;            ///< fork_count() of the process that has the threads
  ForkLock lock;                      ///< held by the caller whose product the threads work on
  bool stopping = false;

  Body body = nullptr;
  void* argument = nullptr;
  std::uint64_t caller_settings = 0;  ///< float_settings() of the caller
  Team team;
  alignas(64) std::atomic<int> left{0};  ///< members that have not returned from the body
  alignas(64) Epoch done;                ///< goes up when the last of them was not the caller
};

/// Starts the threads, as far as the system lets: returns 0 or the error number of the first
/// refusal.
int Workers::State::start() noexcept {
  forks = fork_count();
  const SignalsBlocked blocked;
  for (members = 1; members < threads; ++members) {
    Worker& worker = workers[members];
    worker.state = this;
    worker.member = members;
    worker.calls.reset();
    const int failure = pthread_create(&worker.thread, nullptr, live, &worker);
    if (failure != 0) return failure;
  }
  return 0;
}

void Workers::State::stop() noexcept {
  if (forks != fork_count()) return;  // the threads stayed with the parent
  stopping = true;
  for (int i = 1; i < members; ++i) workers[i].calls.advance();
  for (int i = 1; i < members; ++i) pthread_join(workers[i].thread, nullptr);
}

/// Whether the threads are now this caller's.
bool Workers::State::take() noexcept {
  if (lock.try_lock() == ForkLock::Outcome::kBusy) return false;
  if (forks != fork_count()) restart();
  return true;
}

/// In the child of a fork(): another thread may have been at work when it came.
void Workers::State::restart() noexcept {
  team.arrived_.store(0, std::memory_order_relaxed);
  team.meetings_.reset();
  done.reset();
  start();
}

void Workers::State::work(int wanted, Body body_now, void* argument_now) noexcept {
  body = body_now;
  argument = argument_now;
  caller_settings = float_settings();
  team.size_ = std::min(wanted, members);
  left.store(team.size_, std::memory_order_relaxed);
  const std::uint32_t before = done.now();
  call_next(0);
  body(argument, team, 0);
  if (left.fetch_sub(1, std::memory_order_acq_rel) > 1) done.wait_past(before, team.spin_);
}

void Workers::State::call_next(int member) noexcept {
  const int next = 2 * member + 1;
  for (int i = next; i < std::min(next + 2, team.size_); ++i) workers[i].calls.advance();
}

void Workers::State::finish() noexcept {
  if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) done.advance();
}

void* Workers::State::live(void* argument) noexcept {
  Worker& worker = *static_cast<Worker*>(argument);
  State& state = *worker.state;
#ifdef __linux__
  pthread_setname_np(pthread_self(), "tilewise");
#endif
  for (std::uint32_t calls = 0;;) {
    calls = worker.calls.wait_past(calls, state.team.spin_);
    if (state.stopping) return nullptr;
    state.call_next(worker.member);
    set_float_settings(state.caller_settings);
    state.body(state.argument, state.team, worker.member);
    state.finish();
  }
}

Workers::Workers(int threads) {
  const std::string text = "threads = " + std::to_string(threads);
  if (threads < 1 || threads > kMostThreads) {
    throw Error(ErrorCode::kInvalidArgument,
                text + ": expected 1 to " + std::to_string(kMostThreads));
  }
  try {
    state_ = std::make_unique<State>(threads);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kOutOfMemory, text + ": no memory for what they share");
  }
  if (const int failure = state_->start(); failure != 0) {
    const int started = state_->members;
    state_->stop();
    throw Error(ErrorCode::kOutOfMemory, text + ": the system gave " + std::to_string(started) +
                                             " (" + std::generic_category().message(failure) + ")");
  }
}

Workers::~Workers() { state_->stop(); }

void Workers::run(int wanted, Body body, void* argument) noexcept {
  wanted = std::min(wanted, state_->threads);
  if (wanted <= 1 || !state_->take()) {
    Team alone;
    body(argument, alone, 0);
    return;
  }
  state_->work(wanted, body, argument);
  state_->lock.unlock();
}

}  // namespace tilewise::cpu
