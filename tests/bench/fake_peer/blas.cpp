// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A BLAS library of a few lines, compiled once for each way to behave (TILEWISE_FAKE_PEER): a peer for the
// tests of the benchmark.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>

#define TILEWISE_EXPORT extern "C" __attribute__((visibility("default")))

#ifndef TILEWISE_FAKE_PEER
TILEWISE_EXPORT void not_a_gemm() {}  // a library without any product
#else
enum Behaviour { kRight, kWrongElement, kUnwritten, kCrashing, kHanging, kTalking, kBatching };

namespace {

constexpr Behaviour kBehaviour = TILEWISE_FAKE_PEER;

// Column-major, as the standard says; alpha = 1 and beta = 0 are what the benchmark asks for.
template <class T>
void multiply(char trans_a, char trans_b, std::int32_t m, std::int32_t n, std::int32_t k,
              const T* a, std::int32_t lda, const T* b, std::int32_t ldb, T* c, std::int32_t ldc) {
  for (std::int32_t j = 0; j < n; ++j) {
    for (std::int32_t i = 0; i < m; ++i) {
      T sum = 0;
      for (std::int32_t l = 0; l < k; ++l) {
        sum += (trans_a == 'T' ? a[l + i * lda] : a[i + l * lda]) *
               (trans_b == 'T' ? b[j + l * ldb] : b[l + j * ldb]);
      }
      const bool last = i == m - 1 && j == n - 1;
      if (kBehaviour == kUnwritten && last) continue;
      c[i + j * ldc] = kBehaviour == kWrongElement && last ? sum + T{1} : sum;
    }
  }
}

void misbehave() {
  if (kBehaviour == kCrashing) {
    std::fputs("about to fall\n", stderr);
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
  }
  if (kBehaviour == kHanging) ::sleep(3600);
  if (kBehaviour == kTalking) std::puts("libraries that print must not disturb the answers");
}

}  // namespace

// 32-bit integers, as most libraries are built.
#define TILEWISE_FAKE_GEMM(name, T)                                                             \
  TILEWISE_EXPORT void name(const char* ta, const char* tb, const std::int32_t* m,              \
                            const std::int32_t* n, const std::int32_t* k, const T*, const T* a, \
                            const std::int32_t* lda, const T* b, const std::int32_t* ldb,       \
                            const T*, T* c, const std::int32_t* ldc) {                          \
    misbehave();                                                                                \
    if (kBehaviour == kBatching) return;                                                        \
    multiply(*ta, *tb, *m, *n, *k, a, *lda, b, *ldb, c, *ldc);                                  \
  }
TILEWISE_FAKE_GEMM(sgemm_, float)
TILEWISE_FAKE_GEMM(dgemm_, double)

// Whose only right products are those of batches, in row-major order: (A·B)ᵀ = Bᵀ·Aᵀ.
#if TILEWISE_FAKE_BATCHES
TILEWISE_EXPORT void cblas_sgemm_batch_strided(int layout, int ta, int tb, std::int32_t m,
                                               std::int32_t n, std::int32_t k, float alpha,
                                               const float* a, std::int32_t lda,
                                               std::int32_t stride_a, const float* b,
                                               std::int32_t ldb, std::int32_t stride_b, float beta,
                                               float* c, std::int32_t ldc, std::int32_t stride_c,
                                               std::int32_t count) {
  if (layout != 101 || alpha != 1 || beta != 0) return;
  for (std::int32_t i = 0; i < count; ++i) {
    multiply(tb == 112 ? 'T' : 'N', ta == 112 ? 'T' : 'N', n, m, k, b + i * stride_b, ldb,
             a + i * stride_a, lda, c + i * stride_c, ldc);
  }
}
#endif
#endif
