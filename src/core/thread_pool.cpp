// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/thread_pool.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tilewise {

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

void parallel_for(std::uint64_t count, int threads,
                  const std::function<void(int, std::uint64_t)>& body) {
  if (threads <= 0) threads = available_cores();
  threads = static_cast<int>(std::min<std::uint64_t>(threads, count));
  std::atomic<std::uint64_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](int worker) {
    try {
      for (std::uint64_t i = next++; i < count; i = next++) body(worker, i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::jthread> others;
  for (int worker = 1; worker < threads; ++worker) others.emplace_back(work, worker);
  work(0);
  others.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tilewise
