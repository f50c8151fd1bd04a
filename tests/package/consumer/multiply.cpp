// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <tilewise/gemm.hpp>
#include <vector>

int main() {
  const std::vector<float> a{1, 2, 3, 4, 5, 6};     // 2×3, row after row
  const std::vector<float> b{7, 9, 11, 8, 10, 12};  // 3×2, column after column
  std::vector<float> c(4);
  try {
    tilewise::Context context;
    tilewise::gemm(context, 1.0f, tilewise::row_major(a.data(), 2, 3),
                   tilewise::column_major(b.data(), 3, 2), 0.0f,
                   tilewise::row_major(c.data(), 2, 2));
  } catch (const tilewise::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3]);
}
