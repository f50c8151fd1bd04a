// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels around panels, each by itself: copying rows of A into one, and the tiles that read A from one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "cpu/kernels/kernels.hpp"
#include "guarded.hpp"

namespace tilewise::cpu {
namespace {

using test::Guarded;

template <class T> class Panel : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Panel, Scalars);

template <class T> void fill(T* elements, std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> uniform(-1, 1);
  for (std::int64_t i = 0; i < count; ++i) elements[i] = uniform(random);
}

// Nothing is read behind the rows, and less than a vector is written behind the panel.
TYPED_TEST(Panel, HoldsRowsSideBySide) {
  using T = TypeParam;
  const Kernels<T>& set = kernels<T>();
  for (const std::int64_t k : {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 100}) {
    for (std::int64_t rows = 1; rows <= set.panel_rows(); ++rows) {
      for (const std::int64_t step : {k, k + 5}) {
        const Guarded<T> from((rows - 1) * step + k);
        fill(from.first(), from.size(), 1);
        const std::int64_t size = k * set.panel_rows();
        const Guarded<T> panel(size + set.lanes - 1);
        std::fill_n(panel.first(), panel.size(), std::numeric_limits<T>::quiet_NaN());
        set.copy_into_panel(k, rows, from.first(), step, panel.first());
        for (std::int64_t p = 0; p < k; ++p) {
          for (std::int64_t i = 0; i < set.panel_rows(); ++i) {
            const T expected = i < rows ? from.first()[i * step + p] : T{0};
            ASSERT_EQ(panel.first()[p * set.panel_rows() + i], expected)
                << "k " << k << ", rows " << rows << ", element (" << i << ", " << p << ")";
          }
        }
      }
    }
  }
}

// A tile of every size, from panels and with B copied into one on the way, and what that leaves there. Depths on both
// sides of where the kernels begin to ask for C.
template <class T> void check_tile(int vectors, int rows, std::int64_t k, std::int64_t last_lanes) {
  const Kernels<T>& set = kernels<T>();
  const std::int64_t width = static_cast<std::int64_t>(vectors) * set.lanes;
  const std::int64_t columns = width - set.lanes + last_lanes, pitch = set.panel_rows();
  std::vector<T> a(static_cast<std::size_t>(pitch * (k + 2)));
  fill(a.data(), pitch * k, 2);
  const Guarded<T> b((k - 1) * (columns + 3) + columns);
  fill(b.first(), b.size(), 3);
  std::vector<T> panel(static_cast<std::size_t>(width * (k + 1)),
                       std::numeric_limits<T>::quiet_NaN());
  const Guarded<T> c((rows - 1) * (columns + 1) + columns);
  std::vector<T> before(static_cast<std::size_t>(c.size()));
  fill(before.data(), c.size(), 4);
  Tile<T> tile;
  tile.k = k;
  tile.a = a.data();
  tile.c = c.first();
  tile.c_step = columns + 1;
  tile.alpha = T(1.5);
  tile.beta = T(-0.5);
  tile.last_lanes = last_lanes;
  for (const bool packs : {true, false}) {
    std::copy(before.begin(), before.end(), c.first());
    tile.b = packs ? b.first() : panel.data();
    tile.b_step = packs ? columns + 3 : width;
    tile.panel = packs ? panel.data() : nullptr;
    (packs ? set.packing_by_panel : set.by_panel)[vectors][rows](tile);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j <= columns; ++j) {
        const std::int64_t at = i * tile.c_step + j;
        if (at >= c.size()) break;
        double expected = before[static_cast<std::size_t>(at)];
        if (j < columns) {
          double sum = 0;
          for (std::int64_t p = 0; p < k; ++p) {
            sum += static_cast<double>(a[static_cast<std::size_t>(p * pitch + i)]) *
                   static_cast<double>(b.first()[p * (columns + 3) + j]);
          }
          expected = 1.5 * sum - 0.5 * expected;
        }
        ASSERT_NEAR(c.first()[at], expected,
                    (static_cast<double>(k) + 4) * std::numeric_limits<T>::epsilon())
            << vectors << " vectors, " << rows << " rows, k " << k << ", element (" << i << ", "
            << j << "), " << (packs ? "packing" : "from panels");
      }
    }
  }
  for (std::int64_t p = 0; p < k; ++p) {
    for (std::int64_t j = 0; j < width; ++j) {
      const T expected = j < columns ? b.first()[p * (columns + 3) + j] : T{0};
      ASSERT_EQ(panel[static_cast<std::size_t>(p * width + j)], expected);
    }
  }
}

TYPED_TEST(Panel, TilesOfEverySize) {
  const Kernels<TypeParam>& set = kernels<TypeParam>();
  for (int vectors = 1; vectors <= set.best_vectors; ++vectors) {
    for (int rows = 1; rows <= set.panel_rows(); ++rows) {
      for (const std::int64_t k : {1, 2, 3, 4, 5, 9, 64, 131}) {
        for (const std::int64_t last_lanes : {1, set.lanes - 1, set.lanes}) {
          if (last_lanes > 0) check_tile<TypeParam>(vectors, rows, k, last_lanes);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilewise::cpu
