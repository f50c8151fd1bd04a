// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/blocked.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/divide.hpp"
#include "cpu/convert/convert.hpp"
#include "cpu/tiles.hpp"

namespace tilewise::cpu {
namespace {

// Copies `count` neighbours, widened where the types differ.
template <class T> void copy_row(const T* from, T* to, std::int64_t count) {
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
}
void copy_row(const Float16* from, float* to, std::int64_t count) { to_f32(from, to, count); }
void copy_row(const BFloat16* from, float* to, std::int64_t count) { to_f32(from, to, count); }

// Where a thread's buffer holds what. Offsets in elements of T, each on a cache line's boundary.
template <class In, class T> struct Layout {
  static constexpr bool kWidens = !std::is_same_v<In, T>;
  static constexpr std::int64_t kLine = 64 / static_cast<std::int64_t>(sizeof(T));

  std::int64_t a_panel = 0;  // from one panel of A to the next
  std::int64_t group = 0;    // rows of A that are copied at a time, in whole panels
  std::int64_t rows = 0;     // of a block of rows
  bool keeps_a = false;      // the panels of such a block are kept while all of B's columns pass by
  std::int64_t b_panels = 0, wide = 0, end = 0;

  Layout(const Product<In, T>& problem, const Plan& plan, const Part& part) {
    constexpr std::int64_t kSize = sizeof(T);
    const std::int64_t lanes = kernels<T>().lanes, best = kernels<T>().best_vectors;
    const std::int64_t panel_rows = kernels<T>().panel_rows();
    std::int64_t columns = std::min(plan.nc, part.column_end - part.column);
    if (plan.columns_outside) columns = std::min(columns, best * lanes);  // a panel at a time
    const std::int64_t b_size =
        plan.pack_b ? round_up(plan.kc * round_up(columns, lanes), kLine) : 0;
    // Behind a panel there is room for a vector: copying writes as far.
    a_panel = round_up(panel_rows * plan.kc + lanes, kLine);
    group = problem.a.column_stride == 1 ? panel_rows : kRowsOfColumns / panel_rows * panel_rows;
    if (plan.group > 0) group = plan.group;
    rows = part.row_end - part.row;
    if (plan.copy_a) {
      const std::int64_t most =
          (kMostBytes - b_size * kSize) / (a_panel * kSize) * panel_rows / kWholeRows * kWholeRows;
      // Rows are copied anew for every large block of columns: that costs no more than to fetch their panels from
      // afar.
      const bool is_worth_keeping = problem.a.column_stride != 1 || plan.small_blocks;
      keeps_a = is_worth_keeping && !plan.columns_outside &&
                part.column_end - part.column > plan.nc && most >= kLeastRowsToKeep;
      if (keeps_a) {
        rows = std::min(rows, round_up(divide_up(rows, divide_up(rows, most)), kWholeRows));
      }
      const std::int64_t groups = keeps_a || plan.columns_outside ? divide_up(rows, group) : 1;
      b_panels = a_panel * groups * (group / panel_rows);
    }
    wide =
        b_panels + b_size + round_up(best * lanes, kLine);  // one k is read behind the last panel
    end = wide;
    // Rows of B on their way into panels: one, or a panel's, when they lie along k. And A's, a panel of them.
    if (kWidens) {
      const bool along_k = problem.b.column_stride != 1;
      const std::int64_t b_rows =
          along_k ? (best + 1) * lanes * round_up(plan.kc, kLine) : round_up(columns, kLine);
      end += std::max(b_rows, panel_rows * round_up(plan.kc, kLine));
    }
  }

 private:
  static constexpr std::int64_t kWholeRows = 48;  // whole groups, whatever the height of panels is
  // Bytes for panels of A and B together, and rows from which on keeping A's is worth packing B once for each block
  // of them.
  static constexpr std::int64_t kMostBytes = 15 << 18, kLeastRowsToKeep = 384;
};

constexpr std::int64_t kCacheLine = 64;
// Tiles ask for what comes next where k is longer than it takes to ask for C (sum_up, in tile.inl).
constexpr std::int64_t kLeastDepthToAsk = 96;

// What is still to be asked for, and how many segments of it each tile asks for.
struct Ahead {
  Fetch rest;
  std::int64_t share = 1;

  // The share of the first of up to `tiles` tiles, which become those that ask for as much, each `bytes` behind the one before.
  Fetch take(std::int64_t& tiles, std::int64_t& bytes) {
    Fetch first = rest;
    first.segments = std::min(share, rest.segments);
    if (first.segments == 0) return {};
    tiles = std::min(tiles, rest.segments / first.segments);
    bytes = first.segments * rest.stride;
    rest.at += tiles * bytes;
    rest.segments -= tiles * first.segments;
    return first;
  }
};

template <class In, class T> class Multiplication {
 public:
  Multiplication(const Product<In, T>& problem, const Plan& plan, const Part& part,
                 std::byte* buffer)
      : problem_(problem),
        plan_(plan),
        part_(part),
        layout_(problem, plan, part),
        kernels_(kernels<T>()),
        lanes_(kernels_.lanes),
        a_by_rows_(problem.a.column_stride == 1),
        rows_by_panel_(a_by_rows_ && plan.pack_b && !plan.copy_a && kernels_.has_rows_by_panel()),
        packs_on_the_way_(plan.pack_b && problem.b.column_stride == 1 && !Layout<In, T>::kWidens),
        asks_for_both_(plan.small_blocks && layout_.keeps_a),
        buffer_(reinterpret_cast<T*>(buffer)) {}

  void run() {
    for (row_ = part_.row; row_ < part_.row_end; row_ = row_end_) {
      row_end_ = std::min(row_ + layout_.rows, part_.row_end);
      for (k_ = 0; k_ < problem_.k; k_ += plan_.kc) {
        depth_ = std::min(plan_.kc, problem_.k - k_);
        for (column_ = part_.column; column_ < part_.column_end; column_ += plan_.nc) {
          columns_ = std::min(plan_.nc, part_.column_end - column_);
          tile_ = Tile<T>{};
          tile_.k = depth_;
          tile_.c_step = problem_.c_stride;
          tile_.alpha = problem_.alpha;
          tile_.beta = k_ == 0 ? problem_.beta : T{1};
          tile_.c_is_near = plan_.c_is_near;
          if (plan_.columns_outside) {
            columns_outside();
          } else {
            rows_outside();
          }
        }
      }
    }
  }

 private:
  int width_at(std::int64_t j) const {
    const std::int64_t vectors = (columns_ - j + lanes_ - 1) / lanes_;
    if (plan_.pack_b || !plan_.columns_outside)
      return next_width(vectors, kernels_.best_vectors, kernels_.best_vectors);
    const std::int64_t rows = part_.row_end - part_.row;
    return next_width(vectors, kernels_.best_in_place(rows), kernels_.most_in_place(rows));
  }

  const In* a_at(std::int64_t i) const {
    return problem_.a.data + i * problem_.a.row_stride + k_ * problem_.a.column_stride;
  }
  const In* b_at(std::int64_t p, std::int64_t j) const {
    return problem_.b.data + p * problem_.b.row_stride + j * problem_.b.column_stride;
  }
  T* b_panel(std::int64_t j) const {
    return buffer_ + layout_.b_panels + (plan_.columns_outside ? 0 : j * depth_);
  }

  // Copies the block of B into panels where the kernels do not: it has to be turned, or widened. The panel of
  // the columns from j on begins at b_panel(j).
  void pack_b() {
    if (problem_.b.column_stride != 1) {
      for (std::int64_t j = 0, width = 0; j < columns_; j += width) {
        width = width_at(j) * lanes_;
        pack_turned_b(j, width, std::min(width, columns_ - j));
      }
      return;
    }
    if constexpr (Layout<In, T>::kWidens) {
      T* const wide = buffer_ + layout_.wide;
      for (std::int64_t p = 0; p < depth_; ++p) {
        copy_row(b_at(k_ + p, column_), wide, columns_);
        pack_row_of_b(wide, p);
      }
    }
  }

  void pack_row_of_b(const T* row, std::int64_t p) {
    for (std::int64_t j = 0, width = 0; j < columns_; j += width) {
      width = width_at(j) * lanes_;
      const std::int64_t count = std::min(width, columns_ - j);
      T* const to = b_panel(j) + p * width;
      std::copy(row + j, row + j + count, to);
      std::fill(to + count, to + width, T{0});
    }
  }

  void pack_turned_b(std::int64_t j, std::int64_t width, std::int64_t count) {
    const In* const from = b_at(k_, column_ + j);
    const std::int64_t step = problem_.b.column_stride;
    if constexpr (Layout<In, T>::kWidens) {
      T* const wide = buffer_ + layout_.wide;
      for (std::int64_t i = 0; i < count; ++i) copy_row(from + i * step, wide + i * depth_, depth_);
      kernels_.transpose(depth_, count, wide, depth_, b_panel(j), width);
    } else {
      kernels_.transpose(depth_, count, from, step, b_panel(j), width);
    }
  }

  // B from row k and column `column` on, one block's depth of it, to be asked for.
  Fetch part_of_b(std::int64_t k, std::int64_t column, std::int64_t columns) const {
    const std::int64_t depth = std::min(plan_.kc, problem_.k - k);
    const bool by_rows = problem_.b.column_stride == 1;
    constexpr std::int64_t kSize = sizeof(In);
    Fetch part;
    part.at = reinterpret_cast<const char*>(b_at(k, column));
    part.bytes = (by_rows ? columns : depth) * kSize;
    part.stride = (by_rows ? problem_.b.row_stride : problem_.b.column_stride) * kSize;
    part.segments = by_rows ? depth : columns;
    return part;
  }

  // The block of B that comes next: while this one is at work, it moves into the second-level cache, so
  // that packing it finds it there.
  void foresee_block() {
    next_b_ = Ahead();
    std::int64_t k = k_, column = column_ + plan_.nc;
    if (column >= part_.column_end) {
      column = part_.column;
      k += plan_.kc;
    }
    if (k >= problem_.k) {
      k = 0;
      if (row_end_ == part_.row_end) return;
    }
    next_b_.rest = part_of_b(k, column, std::min(plan_.nc, part_.column_end - column));
  }

  // The panels of B for up to `columns` columns from the j-th of this block on, or if they are none, those
  // that begin the next block of k.
  Fetch panels_from(std::int64_t j, std::int64_t columns) const {
    std::int64_t k = k_, column = column_ + j;
    if (column >= part_.column_end) {
      k += plan_.kc;
      column = part_.column;
    }
    if (k >= problem_.k) return {};
    return part_of_b(k, column, std::min(columns, part_.column_end - column));
  }

  // How much of it one tile asks for, so that it is all there in the end.
  void portion_b(std::int64_t tiles) {
    Fetch& rest = next_b_.rest;
    const std::int64_t lines_of_one = rest.bytes / kCacheLine + 1;
    next_b_.share = rest.segments / std::max<std::int64_t>(1, tiles) + 1;
    rest.lines = Fetch::lines_at_a_time(next_b_.share * lines_of_one, depth_);
  }

  // Points at A's rows from i on, where they are, or copied: then as many as `heights` say, each tile's in a panel,
  // where they may be already.
  void take_a(std::int64_t i, const Heights& heights) {
    if (plan_.copy_a) {
      if (has_a()) return;
      if (a_by_rows_) copy_rows_of_a(a_at(i), heights);
      else copy_columns_of_a(a_at(i), heights);
    } else if constexpr (!Layout<In, T>::kWidens) {
      a_ = a_at(i);
      tile_.a_step = a_by_rows_ ? problem_.a.row_stride : problem_.a.column_stride;
    }
  }

  // Of the tile-th of the tiles at hand.
  T* a_panel(std::int64_t tile) const { return buffer_ + (first_panel_ + tile) * layout_.a_panel; }

  void copy_rows_of_a(const In* from, const Heights& heights) {
    const std::int64_t step = problem_.a.row_stride;
    for (std::int64_t t = 0; t < heights.tiles; from += heights.of(t++) * step) {
      if constexpr (Layout<In, T>::kWidens) {
        T* const wide = buffer_ + layout_.wide;
        for (std::int64_t r = 0; r < heights.of(t); ++r)
          copy_row(from + r * step, wide + r * depth_, depth_);
        kernels_.copy_into_panel(depth_, heights.of(t), wide, depth_, a_panel(t));
      } else {
        kernels_.copy_into_panel(depth_, heights.of(t), from, step, a_panel(t));
      }
    }
  }

  // A column of all panels at a time: what of a cache line is not taken at once may have to be fetched again.
  void copy_columns_of_a(const In* from, const Heights& heights) {
    const bool are_equal = heights.taller == 0;
    if (are_equal && heights.height == 8) copy_equal_columns<8>(from, heights.tiles);
    else if (are_equal && heights.height == 6) copy_equal_columns<6>(from, heights.tiles);
    else copy_any_columns(from, heights);
  }

  // Panels that are as high as tiles are, which is worth a constant.
  template <std::int64_t kHeight> void copy_equal_columns(const In* from, std::int64_t panels) {
    const std::int64_t step = problem_.a.column_stride, pitch = kernels_.panel_rows();
    for (std::int64_t p = 0; p < depth_; ++p, from += step) {
      T* to = a_panel(0) + p * pitch;
      for (std::int64_t t = 0; t < panels; ++t, to += layout_.a_panel)
        copy_row(from + t * kHeight, to, kHeight);
    }
  }

  void copy_any_columns(const In* from, const Heights& heights) {
    const std::int64_t step = problem_.a.column_stride, pitch = kernels_.panel_rows();
    for (std::int64_t p = 0; p < depth_; ++p, from += step) {
      const In* rows = from;
      for (std::int64_t t = 0; t < heights.tiles; rows += heights.of(t++))
        copy_column(rows, a_panel(t) + p * pitch, heights.of(t));
    }
  }

  // Four to eight elements as twice four, which may overlap: others go through a function call.
  static void copy_column(const In* from, T* to, std::int64_t count) {
    constexpr std::int64_t kHalf = 4;
    if (Layout<In, T>::kWidens || count < kHalf || count > 2 * kHalf) {
      copy_row(from, to, count);
    } else {
      copy_row(from, to, kHalf);
      copy_row(from + count - kHalf, to + count - kHalf, kHalf);
    }
  }

  // Points the tile at the columns from j on.
  void take_columns(std::int64_t j, int width) {
    if (plan_.pack_b) {
      tile_.b = b_panel(j);
      tile_.b_step = width * lanes_;
    } else if constexpr (!Layout<In, T>::kWidens) {
      tile_.b = b_at(k_, column_ + j);
      tile_.b_step = problem_.b.row_stride;
    }
    constexpr std::int64_t kStays = 16384;  // bytes: in any first-level cache
    tile_.a_is_near = width * lanes_ < columns_ &&
                      (row_end_ - row_) * depth_ * static_cast<std::int64_t>(sizeof(T)) <= kStays;
    tile_.last_lanes = std::min<std::int64_t>(lanes_, columns_ - j - (width - 1) * lanes_);
    c_ = problem_.c + column_ + j;
    functions_ = plan_.copy_a     ? kernels_.by_panel[width]
                 : rows_by_panel_ ? kernels_.rows_by_panel[width]
                 : a_by_rows_     ? kernels_.by_rows[width]
                                  : kernels_.by_columns[width];
  }

  // The same, for the first rows that meet these columns: B is where it was, and is copied on the way.
  void take_columns_and_pack(std::int64_t j, int width) {
    take_columns(j, width);
    if constexpr (!Layout<In, T>::kWidens) {
      tile_.panel = b_panel(j);
      tile_.b = b_at(k_, column_ + j);
      tile_.b_step = problem_.b.row_stride;
      functions_ =
          rows_by_panel_ ? kernels_.packing_rows_by_panel[width] : kernels_.packing_by_panel[width];
    }
  }

  // Points at the tile of rows from i on: the t-th, `taken` rows after the first of those that take_a() pointed at.
  void point_at(std::int64_t i, std::int64_t t, std::int64_t taken) {
    tile_.a = plan_.copy_a ? a_panel(t) : a_by_rows_ ? a_ + taken * tile_.a_step : a_ + taken;
    tile_.c = c_ + i * problem_.c_stride;
  }

  // What the next tiles ask for: rows of the next panel of A, or shares of the next block of B. With few rows, B is what there
  // is to wait for. Null: nothing is left, or k is too short.
  Ahead* what_to_ask_for() {
    if (depth_ < kLeastDepthToAsk) return nullptr;
    const bool few_rows = part_.row_end - part_.row <= 64, b_is_left = next_b_.rest.segments > 0;
    if (few_rows && b_is_left) return &next_b_;
    if (next_a_.rest.segments > 0) return &next_a_;
    return b_is_left ? &next_b_ : nullptr;
  }

  // So many tiles alike, each so many elements of A, B and C behind the one before. Little is done between them, as it takes as
  // long as ten products of a tile would, and what is stored there takes places that stores of C wait in.
  void multiply_alike(std::int64_t rows, std::int64_t tiles, std::int64_t a_step,
                      std::int64_t b_step, std::int64_t c_step) {
    const auto multiply = functions_[rows];
    while (tiles > 0) {
      std::int64_t count = tiles, bytes = 0;
      Fetch share;
      if (Ahead* const ahead = what_to_ask_for()) share = ahead->take(count, bytes);
      tile_.fetch = share.at != nullptr ? &share : nullptr;
      for (tiles -= count; count > 0; --count) {
        multiply(tile_);
        tile_.a += a_step;
        tile_.b += b_step;
        tile_.c += c_step;
        share.at += bytes;
      }
    }
    tile_.fetch = nullptr;
  }

  // That tile of so many rows, times all columns.
  void multiply_row_of_tiles(std::int64_t i, std::int64_t t, std::int64_t taken, std::int64_t rows,
                             bool packs) {
    std::int64_t j = packs ? 0 : multiply_whole_columns(i, t, taken, rows);
    for (std::int64_t width = 0; j < columns_; j += width * lanes_) {
      width = width_at(j);
      if (packs) {
        multiply_packing(i, rows, j, static_cast<int>(width), next_panel(j + width * lanes_));
      } else {
        take_columns(j, static_cast<int>(width));
        point_at(i, t, taken);
        multiply_alike(rows, 1, 0, 0, 0);
      }
    }
  }

  // That tile of so many rows, times the columns that fill tiles of the best width. Returns how many these are.
  std::int64_t multiply_whole_columns(std::int64_t i, std::int64_t t, std::int64_t taken,
                                      std::int64_t rows) {
    const int best = kernels_.best_vectors;
    const std::int64_t width = best * lanes_, vectors = divide_up(columns_, lanes_);
    std::int64_t tiles = columns_ / width;
    // The last one may share with a single vector (next_width).
    if (best > 2 && vectors % best == 1) --tiles;
    if (tiles <= 0) return 0;
    take_columns(0, best);
    point_at(i, t, taken);
    multiply_alike(rows, tiles, 0, plan_.pack_b ? width * depth_ : width, width);
    return tiles * width;
  }

  // All rows of the tiles at hand, from row `first` on, times the columns of one tile from the j-th on. `packs`: the first of
  // them copies B on the way.
  void multiply_whole_rows(std::int64_t first, const Heights& heights, std::int64_t j, int width,
                           bool packs, const Fetch& fetch) {
    std::int64_t t = 0, i = 0;
    if (packs) {
      multiply_packing(first, heights.of(0), j, width, fetch);
      t = 1, i = heights.of(0);
    }
    take_columns(j, width);
    for (const std::int64_t end : {heights.taller, heights.tiles}) {
      if (t >= end) continue;
      const std::int64_t rows = heights.of(t), tiles = end - t;
      point_at(first + i, t, i);
      multiply_alike(rows, tiles,
                     plan_.copy_a ? layout_.a_panel
                     : a_by_rows_ ? rows * tile_.a_step
                                  : rows,
                     0, rows * problem_.c_stride);
      i += rows * tiles, t = end;
    }
  }

  // The first tile of rows, which copies the columns from j on.
  void multiply_packing(std::int64_t first, std::int64_t rows, std::int64_t j, int width,
                        const Fetch& fetch) {
    take_columns_and_pack(j, width);
    point_at(first, 0, 0);
    tile_.fetch = fetch.segments > 0 ? &fetch : nullptr;
    functions_[rows](tile_);
    tile_.fetch = nullptr;
  }

  // Each panel of A stays in the first-level cache while B's panels pass by; or a group of them in the second level, where
  // each panel of B stays in the first while the group passes by.
  void rows_outside() {
    if (plan_.pack_b && !packs_on_the_way_) pack_b();
    if (plan_.pack_b) foresee_block();
    const std::int64_t most = kernels_.rows_of[kernels_.best_vectors];
    const std::int64_t panel = lanes_ * kernels_.best_vectors;
    const std::int64_t all_rows = row_end_ - row_;
    const std::int64_t panels = (columns_ + panel - 1) / panel;
    portion_b((panels - (asks_for_both_ ? tiles_for_a(panels) : 0)) *
              ((all_rows + most - 1) / most));
    const Heights groups(all_rows, layout_.group);
    first_panel_ = 0;
    for (std::int64_t g = 0, first = row_, taken = 0; g < groups.tiles; ++g, first += taken) {
      taken = groups.of(g);
      const Heights heights(taken, most);
      take_a(first, heights);
      foresee_a(first + taken, taken, heights.tiles * panels);
      const bool packs = packs_on_the_way_ && g == 0;
      if (plan_.group > 0) {
        for (std::int64_t j = 0, width = 0; j < columns_; j += width * lanes_) {
          width = width_at(j);
          const Fetch next = packs ? next_panel(j + width * lanes_) : Fetch();
          multiply_whole_rows(first, heights, j, static_cast<int>(width), packs, next);
        }
      } else {
        for (std::int64_t t = 0, i = 0; t < heights.tiles; i += heights.of(t++))
          multiply_row_of_tiles(first + i, t, i, heights.of(t), packs && t == 0);
      }
      if (layout_.keeps_a) first_panel_ += heights.tiles;
    }
    first_panel_ = 0;
  }

  // A's panels are there already.
  bool has_a() const { return layout_.keeps_a && column_ > part_.column; }

  // The panel of A that comes next, and how much of it each of `tiles` tiles asks for.
  void foresee_a(std::int64_t first, std::int64_t rows, std::int64_t tiles) {
    next_a_ = Ahead();
    // The next group's rows would drive out those at work, and one another where they begin whole pages apart.
    if (first >= row_end_ || plan_.group > 0 || (!a_by_rows_ && !plan_.copy_a)) return;
    constexpr std::int64_t kSize = sizeof(In);
    Fetch& rest = next_a_.rest;
    rows = std::min(rows, row_end_ - first);
    if (has_a()) {
      const std::int64_t panels = divide_up(rows, kernels_.panel_rows());
      rest.at = reinterpret_cast<const char*>(a_panel(panels));
      rest.bytes = rest.stride = depth_ * static_cast<std::int64_t>(sizeof(T));
      rest.segments = panels * kernels_.panel_rows();
    } else {
      rest.at = reinterpret_cast<const char*>(a_at(first));
      rest.bytes = (a_by_rows_ ? depth_ : rows) * kSize;
      rest.stride = (a_by_rows_ ? problem_.a.row_stride : problem_.a.column_stride) * kSize;
      rest.segments = a_by_rows_ ? rows : depth_;
    }
    if (asks_for_both_) tiles = tiles_for_a(tiles);
    next_a_.share = rest.segments / tiles + 1;
    rest.lines = Fetch::lines_at_a_time(next_a_.share * (rest.bytes / kCacheLine + 1), depth_);
  }

  // How many of the tiles that meet a panel of A ask for the next one, where there are few: the others ask for B.
  static std::int64_t tiles_for_a(std::int64_t tiles) {
    return std::max<std::int64_t>(1, tiles / 4);
  }

  // The panel that begins at column j, all of it in the course of one tile.
  Fetch next_panel(std::int64_t j) const {
    Fetch panel = panels_from(j, kernels_.best_vectors * lanes_);
    panel.lines = Fetch::lines_at_a_time(panel.segments * (panel.bytes / kCacheLine + 1), depth_);
    return panel;
  }

  // A strip of B stays in the first-level cache while all rows of A pass by. With pack_b it is a panel, and
  // two panels at a time are asked for in advance, in longer rows, which the memory likes.
  void columns_outside() {
    const std::int64_t all = part_.row_end - part_.row;
    const std::int64_t panels = problem_.b.column_stride == 1 ? 2 : 1;
    const std::int64_t group = panels * kernels_.best_vectors * lanes_;
    take_a(part_.row, Heights(all, kernels_.rows_of[kernels_.best_vectors]));
    for (std::int64_t j = 0, width = 0, group_end = 0; j < columns_; j += width * lanes_) {
      width = width_at(j);
      const Heights heights(
          all, kernels_.rows_of[plan_.copy_a || rows_by_panel_ ? kernels_.best_vectors
                                                               : static_cast<int>(width)]);
      if (plan_.pack_b && j >= group_end) {
        group_end = j + group;
        next_b_.rest = panels_from(group_end, group);
        portion_b(panels * heights.tiles);
      }
      if (plan_.pack_b && !packs_on_the_way_) {
        pack_turned_b(j, width * lanes_, std::min(width * lanes_, columns_ - j));
      }
      std::int64_t one = 1, bytes = 0;
      const Fetch next = packs_on_the_way_ ? next_b_.take(one, bytes) : Fetch();
      multiply_whole_rows(part_.row, heights, j, static_cast<int>(width), packs_on_the_way_, next);
    }
  }

  const Product<In, T>& problem_;
  const Plan& plan_;
  const Part& part_;
  const Layout<In, T> layout_;
  const Kernels<T>& kernels_;
  const std::int64_t lanes_;
  const bool a_by_rows_;
  const bool rows_by_panel_;     // A is not copied, and there are kernels for that
  const bool packs_on_the_way_;  // B is copied by the kernels that read it first
  const bool
      asks_for_both_;  // the next panel of A and the next block of B, of which there are many
  T* const buffer_;
  std::int64_t row_ = 0, row_end_ = 0;     // the block's, of C
  std::int64_t column_ = 0, columns_ = 0;  // the same
  std::int64_t k_ = 0, depth_ = 0;         // the block's, of k
  const T* a_ = nullptr;                   // what take_a() took
  std::int64_t first_panel_ = 0;           // the same
  T* c_ = nullptr;                         // C's first row, at the columns taken
  const typename Kernels<T>::TileFunction* functions_ = nullptr;  // [rows], of the width taken
  Ahead next_a_, next_b_;
  Tile<T> tile_;  // what the block's tiles have in common
};

}  // namespace

template <class In, class T>
std::size_t blocked_buffer_bytes(const Product<In, T>& problem, const Plan& plan,
                                 const Part& part) {
  return static_cast<std::size_t>(Layout<In, T>(problem, plan, part).end) * sizeof(T);
}

template <class In, class T>
void multiply_blocked(const Product<In, T>& problem, const Plan& plan, const Part& part,
                      std::byte* buffer) {
  Multiplication<In, T>(problem, plan, part, buffer).run();
}

template std::size_t blocked_buffer_bytes(const ProblemF32&, const Plan&, const Part&);
template std::size_t blocked_buffer_bytes(const ProblemF64&, const Plan&, const Part&);
template std::size_t blocked_buffer_bytes(const ProblemF16&, const Plan&, const Part&);
template std::size_t blocked_buffer_bytes(const ProblemBF16&, const Plan&, const Part&);
template void multiply_blocked(const ProblemF32&, const Plan&, const Part&, std::byte*);
template void multiply_blocked(const ProblemF64&, const Plan&, const Part&, std::byte*);
template void multiply_blocked(const ProblemF16&, const Plan&, const Part&, std::byte*);
template void multiply_blocked(const ProblemBF16&, const Plan&, const Part&, std::byte*);

}  // namespace tilewise::cpu
