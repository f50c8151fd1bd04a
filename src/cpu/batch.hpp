// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Many products of one shape: how threads share them.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <type_traits>

#include "cpu/prepared.hpp"
#include "cpu/small.hpp"
#include "cpu/workspace.hpp"

namespace tilewise::cpu {

// Small products run side by side, one a thread, so that no thread waits for
// another; large ones one after the other, each on all threads.
template <class P> class Batch {
 public:
  Batch(Engine& engine, std::int64_t count, const P& shape,
        const std::function<void(std::int64_t, P&)>& place, int threads)
      : engine_(engine),
        count_(count),
        given_(shape),
        shape_(is_row_as_well(given_) ? exchanged(given_) : given_),
        place_(place),
        threads_(std::min(threads > 0 ? threads : engine.threads(), engine.threads())) {}

  void run() {
    if (count_ == 0 || shape_.m == 0 || shape_.n == 0) return;
    if constexpr (kKnowsSmall) {
      is_small_ = is_small(shape_) && has_products(shape_);
      if (is_small_) return share_out();
    }
    factors_ = are_far() ? Factors::kFar : Factors::kNear;
    Prepared<P> together(engine_, shape_, threads_, factors_);
    constexpr double kLarge = 1 << 27;
    const bool on_all = multiplications() >= kLarge || (count_ == 1 && together.run);
    const Prepared<P> alone(engine_, shape_, 1, factors_);
    part_bytes_ = on_all ? 0 : alone.bytes();
    const std::size_t bytes =
        on_all ? together.bytes() : part_bytes_ * static_cast<std::size_t>(threads_);
    std::optional<WorkspacePool::Lease> lease;
    if (bytes > 0) lease.emplace(engine_.workspaces(), bytes);
    buffer_ = lease ? lease->data() : nullptr;
    if (on_all) {
      for (std::int64_t i = 0; i < count_; ++i) one(i, threads_, buffer_);
    } else {
      share_out();
    }
  }

 private:
  // What gemm() computes by the shortest road, as it does.
  static constexpr bool kKnowsSmall =
      std::is_same_v<P, ProblemF32> || std::is_same_v<P, ProblemF64>;

  // Of one product.
  double multiplications() const {
    return static_cast<double>(shape_.m) * static_cast<double>(shape_.n) *
           static_cast<double>(shape_.k);
  }

  // Whether the factors of all products are together more than a core's second-level cache holds, and others each time.
  bool are_far() const {
    P first = given_, second = given_;
    place_(0, first);
    place_(std::min<std::int64_t>(1, count_ - 1), second);
    const double elements = (first.a.data != second.a.data ? static_cast<double>(given_.m) : 0) +
                            (first.b.data != second.b.data ? static_cast<double>(given_.n) : 0);
    return elements * static_cast<double>(shape_.k) * static_cast<double>(count_) *
               static_cast<double>(sizeof *first.a.data) >
           static_cast<double>(caches().l2);
  }

  // One product a thread at a time.
  void share_out() {
    // Waking a thread costs more than the smallest products do.
    constexpr double kWorthAThread = 1 << 16;
    const double worth =
        std::max(1.0, multiplications() * static_cast<double>(count_) / kWorthAThread);
    const double most =
        std::min({static_cast<double>(threads_), static_cast<double>(count_), worth});
    engine_.workers().run(static_cast<int>(most), &Batch::work, this);
  }

  static void work(void* argument, Team& team, int member) noexcept {
    Batch& batch = *static_cast<Batch*>(argument);
    const std::int64_t first = batch.count_ * member / team.size();
    const std::int64_t end = batch.count_ * (member + 1) / team.size();
    std::byte* const buffer =
        batch.buffer_ ? batch.buffer_ + static_cast<std::size_t>(member) * batch.part_bytes_
                      : nullptr;
    if constexpr (kKnowsSmall) {
      if (batch.is_small_) return batch.multiply_each(first, end);
    }
    for (std::int64_t i = first; i < end; ++i) batch.one(i, 1, buffer);
  }

  void multiply_each(std::int64_t first, std::int64_t end) const {
    P problem = given_;
    const bool is_row = is_row_as_well(given_);
    for (std::int64_t i = first; i < end; ++i) {
      place_(i, problem);
      multiply_small(is_row ? exchanged(problem) : problem);
    }
  }

  void one(std::int64_t i, int threads, std::byte* buffer) const {
    P problem = given_;
    place_(i, problem);
    if (is_row_as_well(problem)) problem = exchanged(problem);
    Prepared<P>(engine_, problem, threads, factors_).go(problem, buffer);
  }

  Engine& engine_;
  const std::int64_t count_;
  const P given_, shape_;  // as the caller places products, and as they are computed
  const std::function<void(std::int64_t, P&)>& place_;
  const int threads_;
  bool is_small_ = false;
  Factors factors_ = Factors::kNear;
  std::size_t part_bytes_ = 0;
  std::byte* buffer_ = nullptr;
};

}  // namespace tilewise::cpu
