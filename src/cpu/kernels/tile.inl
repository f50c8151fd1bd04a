// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile kernel, for any instruction set: included by the files that compile it for one, inside that
// set's namespace, after its vector types.
//
// Why it is fast: a tile of rows × vectors accumulators stays in registers for the whole sum. Each step
// of k loads `vectors` vectors of B and one element of each row of A (broadcast), and does
// rows·vectors fused multiply-adds with them: at 8×3, 11 loads for 24 FMAs, which the load ports keep up with,
// and 24 independent sums, which hide the FMA's latency. (FMAs that broadcast for themselves would be fewer
// instructions, but more loads, and slower: docs/lab/cpu_gemm.md.)
// Where A has been copied into a panel (panel.inl) its elements follow one another, and so do B's.
// Edges: a narrower tile is another instantiation; the columns that do not fill the last vector are
// masked, so nothing is copied and nothing beyond the matrices is touched.

// Stands where a mask does when the last vector is whole: a masked load costs an FMA's place on Intel's
// processors, and with AVX2 more.
struct AllLanes {};

template <class S>
[[gnu::always_inline]] inline typename S::Vector load_last(const typename S::Element* from,
                                                           typename S::Mask mask) {
  return S::load(from, mask);
}
template <class S>
[[gnu::always_inline]] inline typename S::Vector load_last(const typename S::Element* from,
                                                           AllLanes) {
  return S::load(from);
}
template <class S>
[[gnu::always_inline]] inline void store_last(typename S::Element* to, typename S::Vector vector,
                                              typename S::Mask mask) {
  S::store(to, vector, mask);
}
template <class S>
[[gnu::always_inline]] inline void store_last(typename S::Element* to, typename S::Vector vector,
                                              AllLanes) {
  S::store(to, vector);
}

template <class S, int kRows, int kVectors> struct TileSum {
  using T = typename S::Element;
  using V = typename S::Vector;

  V sums[kRows][kVectors];

  [[gnu::always_inline]] inline void clear() {
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; ++v) S::clear(sums[i][v]);
    }
  }

  // One step of k: `element(i)` is where row i's element of A is. With kPacks, B's row goes to `panel` too.
  template <bool kPacks, class Where, class Last>
  [[gnu::always_inline]] inline void step(Where element, const T* b, T* panel, Last last) {
    V row[kVectors];
    load_row(row, b, last);
    if (kPacks) {
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; ++v) S::store(panel + v * S::kLanes, row[v]);
    }
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const V a = S::all(*element(i));
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; ++v) S::accumulate(sums[i][v], a, row[v]);
    }
  }

  template <class Last>
  [[gnu::always_inline]] static inline void load_row(V (&row)[kVectors], const T* b, Last last) {
    TILEWISE_UNROLL
    for (int v = 0; v + 1 < kVectors; ++v) row[v] = S::load(b + v * S::kLanes);
    row[kVectors - 1] = load_last<S>(b + (kVectors - 1) * S::kLanes, last);
  }

  // What follows must not move into the loop before it.
  [[gnu::always_inline]] inline void settle() {
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i) {
      TILEWISE_UNROLL
      for (int v = 0; v < kVectors; ++v) S::settle(sums[i][v]);
    }
  }

  // C = alpha·sums + beta·C.
  template <class Last> [[gnu::always_inline]] inline void put(const Tile<T>& tile, Last last) {
    settle();
    // The usual factors cost no multiplications; they would not change a bit.
    if (tile.alpha == 1 && tile.beta == 0) {
      put_rows(
          tile, last, [](V sum, V) { return sum; }, false);
    } else if (tile.alpha == 1 && tile.beta == 1) {
      put_rows(
          tile, last, [](V sum, V c) { return S::add(sum, c); }, true);
    } else if (tile.beta == 0) {
      const V alpha = S::all(tile.alpha);
      put_rows(
          tile, last, [alpha](V sum, V) { return S::multiply(alpha, sum); }, false);
    } else {
      const V alpha = S::all(tile.alpha), beta = S::all(tile.beta);
      put_rows(
          tile, last, [=](V sum, V c) { return S::multiply_add(beta, c, S::multiply(alpha, sum)); },
          true);
    }
  }

  // The same for C's transpose: the sums of a row here are those of a column there, of which `last_lanes` and all of the
  // vectors before the last are C's.
  [[gnu::always_inline]] inline void put_turned(const Tile<T>& tile) {
    settle();
    const V alpha = S::all(tile.alpha);
    T* c = tile.c;
    TILEWISE_UNROLL
    for (int v = 0; v < kVectors; ++v, c += S::kLanes * tile.c_step) {
      V rows[S::kTurnedRows];
      TILEWISE_UNROLL
      for (int i = 0; i < S::kTurnedRows; ++i)
        rows[i] = i < kRows ? S::multiply(alpha, sums[i][v]) : S::zero();
      S::store_turned(c, tile.c_step, rows, v + 1 < kVectors ? S::kLanes : tile.last_lanes, kRows,
                      tile.beta);
    }
  }

  template <class Last, class Result>
  [[gnu::always_inline]] inline void put_rows(const Tile<T>& tile, Last last, Result result,
                                              bool reads_c) {
    T* c = tile.c;
    const std::int64_t step = tile.c_step;  // or it would be read again after each store
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i, c += step) {
      TILEWISE_UNROLL
      for (int v = 0; v + 1 < kVectors; ++v) {
        T* const to = c + v * S::kLanes;
        S::store(to, result(sums[i][v], reads_c ? S::load(to) : S::zero()));
      }
      T* const to = c + (kVectors - 1) * S::kLanes;
      const V old = reads_c ? load_last<S>(to, last) : S::zero();
      store_last<S>(to, result(sums[i][kVectors - 1], old), last);
    }
  }
};

// Elements from one cache line's first to the next one's, or a vector's, where that is longer.
template <class S>
constexpr int kLineLanes = std::max<int>(S::kLanes, 64 / sizeof(typename S::Element));

template <class S, int kVectors, class T> [[gnu::always_inline]] inline void ask_for_c(const T* c) {
  constexpr int kLanes = kVectors * S::kLanes;
  TILEWISE_UNROLL
  for (int j = 0; j < kLanes; j += kLineLanes<S>) __builtin_prefetch(c + j, 1);
  __builtin_prefetch(c + kLanes - 1, 1);
}

// The first (0) or second (1) half of that.
template <class S, int kVectors, class T>
[[gnu::always_inline]] inline void ask_for_half_of_c(const T* c, std::int64_t half) {
  constexpr std::int64_t kLines = (kVectors + 2) / 2, kLast = kVectors * S::kLanes - 1;
  TILEWISE_UNROLL
  for (std::int64_t i = 0; i < kLines; ++i)
    __builtin_prefetch(c + std::min((half * kLines + i) * S::kLanes, kLast), 1);
}

// Walks through a Fetch.
class Fetching {
 public:
  explicit Fetching(const Fetch* fetch) : fetch_(fetch) {
    if (fetch_ == nullptr) return;
    at_ = fetch_->at;
    end_ = at_ + fetch_->bytes;
  }
  bool active() const { return at_ != nullptr; }
  [[gnu::always_inline]] inline void ask() {
    if (at_ == nullptr) return;
    for (int line = 0; line < fetch_->lines; ++line) {
      __builtin_prefetch(at_, 0, 2);
      at_ += 64;
      if (at_ >= end_ && !next()) return;
    }
  }

 private:
  bool next() {
    if (++segment_ >= fetch_->segments) {
      at_ = nullptr;
      return false;
    }
    at_ = fetch_->at + segment_ * fetch_->stride;
    end_ = at_ + fetch_->bytes;
    return true;
  }
  const Fetch* const fetch_;
  const char *at_ = nullptr, *end_ = nullptr;
  std::int64_t segment_ = 0;
};

// Steps of k an iteration.
constexpr int kUnroll = 4;

// Or the compiler computes pointers from one another again, each time, with factors that take registers.
template <class T> [[gnu::always_inline]] inline void keep(const T*& pointer) {
  asm("" : "+r"(pointer));
}

// Where the elements of a column of A are when its rows are `step` apart: x86 addresses reach three rows
// from one pointer (base, base + step, base + 2·step), so a third as many pointers move along.
template <class T, int kRows> class Rows {
 public:
  Rows(const T* a, std::int64_t step) : step_(step) {
    TILEWISE_UNROLL
    for (int g = 0; g < kPointers; ++g) {
      pointers_[g] = a + 3 * g * step;
      keep(pointers_[g]);
    }
  }
  [[gnu::always_inline]] inline const T* at(int row) const {
    return pointers_[row / 3] + (row % 3) * step_;
  }
  // To a later column. At each, or at every few: distances that grow would take a register each.
  [[gnu::always_inline]] inline void advance(int count = 1) {
    TILEWISE_UNROLL
    for (int g = 0; g < kPointers; ++g) {
      pointers_[g] += count;
      keep(pointers_[g]);
    }
  }

 private:
  static constexpr int kPointers = (kRows + 2) / 3;
  const T* pointers_[kPointers];
  const std::int64_t step_;
};

// Loads of the next step do not come earlier: registers are just enough.
[[gnu::always_inline]] inline void in_order() { asm("" ::: "memory"); }

// The sum over k: `step(u)` does one product, u after where `advance(count)` has brought A and B. The last ones, fewer
// than kUnroll, are done by `single()`.
template <class S, int kRows, int kVectors, class Step, class Advance, class Single>
[[gnu::always_inline]] inline void sum_up(const Tile<typename S::Element>& tile, Step step,
                                          Advance advance, Single single) {
  Fetching fetching(tile.fetch);
  const auto one = [&](auto u, bool fetches) __attribute__((always_inline)) {
    if (fetches && u == 0) fetching.ask();
    step(u);
    in_order();
  };
  const auto several = [&](bool fetches) __attribute__((always_inline)) {
    [&]<int... kStep>(std::integer_sequence<int, kStep...>) __attribute__((always_inline)) {
      (one(std::integral_constant<int, kStep>(), fetches), ...);
    }
    (std::make_integer_sequence<int, kUnroll>());
    advance(kUnroll);
  };
  // C's tile is needed at the end of the sum. Each of its rows is asked for some steps before, one after the other: then
  // it has arrived, and A and B have not driven it out of the first-level cache again. In one loop: the end of a loop
  // within another costs more than what it asks for.
  constexpr std::int64_t kTail = 2 * kRows * kUnroll;
  constexpr std::int64_t kLead = 48;  // steps before: the last row comes from memory as well
  std::int64_t left = tile.k;
  const auto* c = tile.c;
  if (left < kTail + kUnroll) {
    if (!tile.c_is_near) {
      TILEWISE_UNROLL
      for (int i = 0; i < kRows; ++i) ask_for_c<S, kVectors>(c + i * tile.c_step);
    }
  } else {
    for (; fetching.active() && left >= kTail + kLead + kUnroll; left -= kUnroll) several(true);
    for (; left >= kTail + kLead + kUnroll; left -= kUnroll) several(false);
    for (std::int64_t i = 0; i < 2 * kRows; ++i, left -= kUnroll) {
      ask_for_half_of_c<S, kVectors>(c, i % 2);
      c += i % 2 * tile.c_step;
      several(false);
    }
  }
  for (; left >= kUnroll; left -= kUnroll) several(false);
  for (; left > 0; --left) {
    single();
    advance(1);
  }
}

// Asks for as many rows of A below a tile's, which are the next one's: line after line of all rows, so many in an
// iteration that all have been asked for at the end of k. (Rows behind A's last are no harm.)
template <class T, int kRows> class AskForRowsBelow {
 public:
  AskForRowsBelow(const T* a, std::int64_t step) : at_(a + kRows * step), step_(step) {}
  [[gnu::always_inline]] inline void operator()() {
    TILEWISE_UNROLL
    for (int i = 0; i < kLines; ++i) {
      __builtin_prefetch(at_);
      at_ += step_;
      if (++row_ < kRows) continue;
      row_ = 0;
      at_ += kLine - kRows * step_;
    }
  }

 private:
  static constexpr int kLine = 64 / sizeof(T);
  static constexpr int kLines = (kRows * kUnroll + kLine - 1) / kLine;  // of an iteration
  const T* at_;
  std::int64_t step_;
  int row_ = 0;
};

// The sum over k where A and B are read in place: there is less to begin with, which counts where k is short. Where it is
// too short for the rows of C to be asked for on the way, `ask_for_next()` once an iteration.
template <class S, int kRows, int kVectors, class Step, class Ask>
[[gnu::always_inline]] inline void sum_up_in_place(const Tile<typename S::Element>& tile, bool asks,
                                                   Step step, Ask ask_for_next) {
  const auto several = [&]() __attribute__((always_inline)) {
    TILEWISE_UNROLL
    for (int u = 0; u < kUnroll; ++u) {
      step();
      in_order();
    }
  };
  constexpr std::int64_t kTail = 2 * kRows * kUnroll;
  std::int64_t left = tile.k;
  if (asks && left < kTail + kUnroll) {
    const auto* c = tile.c;
    TILEWISE_UNROLL
    for (int i = 0; i < kRows; ++i, c += tile.c_step) ask_for_c<S, kVectors>(c);
    for (; !tile.a_is_near && left >= kUnroll; left -= kUnroll) {
      ask_for_next();
      several();
    }
  } else if (asks) {
    for (; left >= kTail + kUnroll; left -= kUnroll) several();
    const auto* c = tile.c;
    for (std::int64_t i = 0; i < 2 * kRows; ++i, left -= kUnroll) {
      ask_for_half_of_c<S, kVectors>(c, i % 2);
      c += i % 2 * tile.c_step;
      several();
    }
  }
  for (; left >= kUnroll; left -= kUnroll) several();
  for (; left > 0; --left) step();
}

template <class S, int kRows, int kVectors, class Last>
[[gnu::always_inline]] inline void sum_up_rows(const Tile<typename S::Element>& tile,
                                               TileSum<S, kRows, kVectors>& sum, bool asks,
                                               Last last) {
  using T = typename S::Element;
  const std::int64_t b_step = tile.b_step;
  Rows<T, kRows> rows(tile.a, tile.a_step);
  const T* b = tile.b;
  AskForRowsBelow<T, kRows> ask_for_rows_below(tile.a, tile.a_step);
  sum.clear();
  sum_up_in_place<S, kRows, kVectors>(
      tile, asks,
      [&]() __attribute__((always_inline)) {
        sum.template step<false>(
            [&](int i) __attribute__((always_inline)) { return rows.at(i); }, b,
            static_cast<T*>(nullptr), last);
        rows.advance();
        b += b_step;
        keep(b);
      },
      // One vector takes a load for each FMA: there is no time to ask for more.
      [&]() __attribute__((always_inline)) {
        if constexpr (kVectors > 1) ask_for_rows_below();
      });
}

template <class S, int kRows, int kVectors, class Last>
[[gnu::always_inline]] inline void multiply_by_rows(const Tile<typename S::Element>& tile,
                                                    Last last) {
  TileSum<S, kRows, kVectors> sum;
  sum_up_rows(tile, sum, !tile.c_is_near, last);
  sum.put(tile, last);
}

template <class S, int kRows, int kVectors, class Last>
[[gnu::always_inline]] inline void sum_up_columns(const Tile<typename S::Element>& tile,
                                                  TileSum<S, kRows, kVectors>& sum, bool asks,
                                                  Last last) {
  using T = typename S::Element;
  const std::int64_t a_step = tile.a_step, b_step = tile.b_step;
  const T *a = tile.a, *b = tile.b;
  sum.clear();
  sum_up_in_place<S, kRows, kVectors>(
      tile, asks,
      [&]() __attribute__((always_inline)) {
        sum.template step<false>(
            [a](int i) __attribute__((always_inline)) { return a + i; }, b,
            static_cast<T*>(nullptr), last);
        a += a_step;
        b += b_step;
        keep(a);
        keep(b);
      },
      []() __attribute__((always_inline)){});
}

template <class S, int kRows, int kVectors, class Last>
[[gnu::always_inline]] inline void multiply_by_columns(const Tile<typename S::Element>& tile,
                                                       Last last) {
  TileSum<S, kRows, kVectors> sum;
  sum_up_columns(tile, sum, !tile.c_is_near, last);
  sum.put(tile, last);
}

template <class S, int kRows, int kVectors, class Last>
[[gnu::always_inline]] inline void multiply_turned_by_rows(const Tile<typename S::Element>& tile,
                                                           Last last) {
  TileSum<S, kRows, kVectors> sum;
  sum_up_rows(tile, sum, false, last);
  sum.put_turned(tile);
}

template <class S, int kRows, int kVectors, class Last>
[[gnu::always_inline]] inline void multiply_turned_by_columns(const Tile<typename S::Element>& tile,
                                                              Last last) {
  TileSum<S, kRows, kVectors> sum;
  sum_up_columns(tile, sum, false, last);
  sum.put_turned(tile);
}

// A's distances are constants here, and B's are where it stands in a panel: of an iteration's addresses nothing is
// left but numbers in the instructions.
template <class S, int kRows, int kVectors, class Last>
[[gnu::always_inline]] inline void multiply_by_panel(const Tile<typename S::Element>& tile,
                                                     Last last) {
  using T = typename S::Element;
  constexpr int kWidth = kVectors * S::kLanes;
  TileSum<S, kRows, kVectors> sum;
  const T *a = tile.a, *b = tile.b;
  const auto step = [&](int u) __attribute__((always_inline)) {
    sum.template step<false>(
        [&](int row) __attribute__((always_inline)) { return a + u * kPanelRows + row; },
        b + u * kWidth, static_cast<T*>(nullptr), AllLanes{});
  };
  const auto advance = [&](int count) __attribute__((always_inline)) {
    a += count * kPanelRows;
    b += count * kWidth;
  };
  const auto single = [&]() __attribute__((always_inline)) { step(0); };
  sum.clear();
  sum_up<S, kRows, kVectors>(tile, step, advance, single);
  sum.put(tile, last);
}

// A in a panel; B is where it was, and is copied into one.
template <class S, int kRows, int kVectors, class Last>
[[gnu::always_inline]] inline void pack_by_panel(const Tile<typename S::Element>& tile, Last last) {
  using T = typename S::Element;
  constexpr int kWidth = kVectors * S::kLanes;
  TileSum<S, kRows, kVectors> sum;
  const std::int64_t b_step = tile.b_step;
  const T *a = tile.a, *b = tile.b;
  T* panel = tile.panel;
  sum.clear();
  const auto step = [&](int u) __attribute__((always_inline)) {
    sum.template step<true>(
        [&](int row) __attribute__((always_inline)) { return a + u * kPanelRows + row; }, b,
        panel + u * kWidth, last);
    b += b_step;
  };
  sum_up<S, kRows, kVectors>(
      tile, step,
      [&](int count) __attribute__((always_inline)) {
        a += count * kPanelRows;
        panel += count * kWidth;
      },
      [&]() __attribute__((always_inline)) { step(0); });
  sum.put(tile, last);
}

// A where it is, by rows; B in a panel or, with kPacks, where it was, and copied into one.
template <bool kPacks, class S, int kRows, int kVectors, class Last>
[[gnu::always_inline]] inline void multiply_rows_by_panel(const Tile<typename S::Element>& tile,
                                                          Last last) {
  using T = typename S::Element;
  constexpr int kWidth = kVectors * S::kLanes;
  TileSum<S, kRows, kVectors> sum;
  Rows<T, kRows> rows(tile.a, tile.a_step);
  const std::int64_t b_step = tile.b_step;
  const T* b = tile.b;
  T* panel = tile.panel;
  const auto step = [&](int u) __attribute__((always_inline)) {
    const auto element = [&](int row) __attribute__((always_inline)) { return rows.at(row) + u; };
    if constexpr (kPacks) {
      sum.template step<true>(element, b, panel + u * kWidth, last);
      b += b_step;
    } else {
      sum.template step<false>(element, b + u * kWidth, panel, AllLanes{});
    }
  };
  const auto advance = [&](int count) __attribute__((always_inline)) {
    rows.advance(count);
    if constexpr (kPacks) panel += count * kWidth;
    else b += count * kWidth;
  };
  sum.clear();
  sum_up<S, kRows, kVectors>(
      tile, step, advance, [&]() __attribute__((always_inline)) { step(0); });
  sum.put(tile, last);
}

template <class S, int kRows, int kVectors>
void tile_by_rows(const Tile<typename S::Element>& tile) {
  if (tile.last_lanes == S::kLanes) {
    multiply_by_rows<S, kRows, kVectors>(tile, AllLanes{});
  } else {
    multiply_by_rows<S, kRows, kVectors>(tile, S::first(tile.last_lanes));
  }
}

template <class S, int kRows, int kVectors>
void turned_tile_by_rows(const Tile<typename S::Element>& tile) {
  if (tile.last_lanes == S::kLanes) {
    multiply_turned_by_rows<S, kRows, kVectors>(tile, AllLanes{});
  } else {
    multiply_turned_by_rows<S, kRows, kVectors>(tile, S::first(tile.last_lanes));
  }
}

template <class S, int kRows, int kVectors>
void turned_tile_by_columns(const Tile<typename S::Element>& tile) {
  if (tile.last_lanes == S::kLanes) {
    multiply_turned_by_columns<S, kRows, kVectors>(tile, AllLanes{});
  } else {
    multiply_turned_by_columns<S, kRows, kVectors>(tile, S::first(tile.last_lanes));
  }
}

template <class S, int kRows, int kVectors>
void tile_by_columns(const Tile<typename S::Element>& tile) {
  if (tile.last_lanes == S::kLanes) {
    multiply_by_columns<S, kRows, kVectors>(tile, AllLanes{});
  } else {
    multiply_by_columns<S, kRows, kVectors>(tile, S::first(tile.last_lanes));
  }
}

// B's panels are filled up with 0, so only C's columns, and B's where it is not in a panel yet, need a mask.
template <class S, int kRows, int kVectors>
void tile_by_panel(const Tile<typename S::Element>& tile) {
  if (tile.last_lanes == S::kLanes) {
    multiply_by_panel<S, kRows, kVectors>(tile, AllLanes{});
  } else {
    multiply_by_panel<S, kRows, kVectors>(tile, S::first(tile.last_lanes));
  }
}

template <class S, int kRows, int kVectors>
void packing_tile_by_panel(const Tile<typename S::Element>& tile) {
  if (tile.last_lanes == S::kLanes) {
    pack_by_panel<S, kRows, kVectors>(tile, AllLanes{});
  } else {
    pack_by_panel<S, kRows, kVectors>(tile, S::first(tile.last_lanes));
  }
}

template <bool kPacks, class S, int kRows, int kVectors>
void tile_of_rows_by_panel(const Tile<typename S::Element>& tile) {
  if (tile.last_lanes == S::kLanes) {
    multiply_rows_by_panel<kPacks, S, kRows, kVectors>(tile, AllLanes{});
  } else {
    multiply_rows_by_panel<kPacks, S, kRows, kVectors>(tile, S::first(tile.last_lanes));
  }
}
