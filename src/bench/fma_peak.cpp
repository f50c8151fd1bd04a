// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/fma_peak.hpp"

#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tilewise::bench {
namespace {

// Two units of a latency of four cycles need eight sums under way; the rest covers five-cycle units.
constexpr int kSums = 12;
constexpr std::int64_t kRounds = 20'000;

// Keeps the compiler from computing with what it knows of the value.
template <class T> void keep(T& value) { asm volatile("" : "+x"(value)); }

// One operation: every lane of kSums registers times x plus y, `rounds` times. Returns the FLOP done.
// The sums tend to y / (1 - x), far from zero and infinity.
#define TILEWISE_PEAK_LOOP(name, target_options, vector, lanes, set1, fma)          \
  [[gnu::target(target_options), gnu::noinline]] double name(std::int64_t rounds) { \
    vector sums[kSums];                                                             \
    vector x = set1(0.5), y = set1(1.0);                                            \
    keep(x), keep(y);                                                               \
    for (vector & sum : sums) sum = y;                                              \
    for (std::int64_t i = 0; i < rounds; ++i) {                                     \
      _Pragma("GCC unroll 16") for (vector & sum : sums) sum = fma(sum, x, y);      \
    }                                                                               \
    for (vector & sum : sums) keep(sum);                                            \
    return 2.0 * (lanes)*kSums * static_cast<double>(rounds);                       \
  }

#if defined(__x86_64__)
#define TILEWISE_MUL_ADD_PS(a, b, c) _mm_add_ps(_mm_mul_ps(a, b), c)
#define TILEWISE_MUL_ADD_PD(a, b, c) _mm_add_pd(_mm_mul_pd(a, b), c)
TILEWISE_PEAK_LOOP(avx512_f32, "avx512f", __m512, 16, _mm512_set1_ps, _mm512_fmadd_ps)
TILEWISE_PEAK_LOOP(avx512_f64, "avx512f", __m512d, 8, _mm512_set1_pd, _mm512_fmadd_pd)
TILEWISE_PEAK_LOOP(avx2_f32, "avx2,fma", __m256, 8, _mm256_set1_ps, _mm256_fmadd_ps)
TILEWISE_PEAK_LOOP(avx2_f64, "avx2,fma", __m256d, 4, _mm256_set1_pd, _mm256_fmadd_pd)
TILEWISE_PEAK_LOOP(portable_f32, "sse2", __m128, 4, _mm_set1_ps, TILEWISE_MUL_ADD_PS)
TILEWISE_PEAK_LOOP(portable_f64, "sse2", __m128d, 2, _mm_set1_pd, TILEWISE_MUL_ADD_PD)
#endif

using Loop = double (*)(std::int64_t rounds);

Loop loop_of([[maybe_unused]] std::string_view set, [[maybe_unused]] bool wide) {
#if defined(__x86_64__)
  if (set == "avx512") return wide ? avx512_f64 : avx512_f32;
  if (set == "avx2") return wide ? avx2_f64 : avx2_f32;
  return wide ? portable_f64 : portable_f32;
#else
  return nullptr;
#endif
}

double rate(Loop loop, double seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  double operations = 0, passed = 0;
  do {
    operations += loop(kRounds);
    passed = std::chrono::duration<double>(Clock::now() - start).count();
  } while (passed < seconds);
  return operations / passed;
}

}  // namespace

double measure_fma_peak(std::string_view instruction_set, Dtype dtype, int threads,
                        double seconds) {
  if (dtype != Dtype::kF32 && dtype != Dtype::kF64) return 0;
  const Loop loop = loop_of(instruction_set, dtype == Dtype::kF64);
  if (!loop) return 0;
  if (threads == 1) return rate(loop, seconds);
  std::vector<double> rates(static_cast<std::size_t>(threads));
  std::vector<std::thread> team;
  for (double& each : rates)
    team.emplace_back([&each, loop, seconds] { each = rate(loop, seconds); });
  for (std::thread& thread : team) thread.join();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

}  // namespace tilewise::bench
