// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// One mma.sync of one warp a kernel, named after the golden file it records. Registers of A, B, C and D
// lie in memory as [register][lane]: what they hold is the host's business (src/bench/capture_mma.cpp).
namespace tilewise::probe {

template <int kCount, class T>
__device__ inline void load_registers(T (&r)[kCount], const T* from) {
  for (int i = 0; i < kCount; ++i) r[i] = from[32 * i + threadIdx.x];
}
template <int kCount, class T> __device__ inline void store_registers(T* to, const T (&r)[kCount]) {
  for (int i = 0; i < kCount; ++i) to[32 * i + threadIdx.x] = r[i];
}

// D, A, B, C by number: nvcc knows no names of operands.
#define LISTS_1_1_2 "{%0, %1}, {%2}, {%3}, {%4, %5};"
#define LISTS_2_1_2 "{%0, %1}, {%2, %3}, {%4}, {%5, %6};"
#define LISTS_2_1_4 "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
#define LISTS_4_2_2 "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
#define LISTS_4_2_4 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
#define LISTS_8_4_4                                                                              \
  "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%16, %17, %18, " \
  "%19};"
#define OPERANDS_1(x, kind) kind(x[0])
#define OPERANDS_2(x, kind) OPERANDS_1(x, kind), kind(x[1])
#define OPERANDS_4(x, kind) OPERANDS_2(x, kind), kind(x[2]), kind(x[3])
#define OPERANDS_8(x, kind) OPERANDS_4(x, kind), kind(x[4]), kind(x[5]), kind(x[6]), kind(x[7])

// spelling: from the shape on; na, nb, nc: registers of A, B, and of C and D.
#define PROBE(name, spelling, na, nb, nc, Operand, operand, Sum, sum)                            \
  extern "C" __global__ void __launch_bounds__(32)                                               \
      probe_##name(const Operand* from_a, const Operand* from_b, const Sum* from_c, Sum* to_d) { \
    Operand a[na], b[nb];                                                                        \
    Sum c[nc], d[nc];                                                                            \
    load_registers(a, from_a);                                                                   \
    load_registers(b, from_b);                                                                   \
    load_registers(c, from_c);                                                                   \
    asm volatile("mma.sync.aligned." spelling " " LISTS_##na##_##nb##_##nc                       \
                 : OPERANDS_##nc(d, "=" sum)                                                     \
                 : OPERANDS_##na(a, operand), OPERANDS_##nb(b, operand), OPERANDS_##nc(c, sum)); \
    store_registers(to_d, d);                                                                    \
  }

#define FLOATS(name, spelling, na, nb) PROBE(name, spelling, na, nb, 4, unsigned, "r", float, "f")
#define WORDS(name, spelling, na, nb, nc) \
  PROBE(name, spelling, na, nb, nc, unsigned, "r", unsigned, "r")
#define DOUBLES(name, spelling, na, nb, nc) \
  PROBE(name, spelling, na, nb, nc, double, "d", double, "d")

FLOATS(mma_m16n8k8_f32_f16, "m16n8k8.row.col.f32.f16.f16.f32", 2, 1)
FLOATS(mma_m16n8k16_f32_f16, "m16n8k16.row.col.f32.f16.f16.f32", 4, 2)
WORDS(mma_m16n8k8_f16_f16, "m16n8k8.row.col.f16.f16.f16.f16", 2, 1, 2)
WORDS(mma_m16n8k16_f16_f16, "m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2)
FLOATS(mma_m16n8k8_f32_bf16, "m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1)
FLOATS(mma_m16n8k16_f32_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2)
FLOATS(mma_m16n8k4_f32_tf32, "m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1)
FLOATS(mma_m16n8k8_f32_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2)
WORDS(mma_m8n8k16_s32_u8, "m8n8k16.row.col.s32.u8.u8.s32", 1, 1, 2)
WORDS(mma_m16n8k16_s32_u8_s8, "m16n8k16.row.col.s32.u8.s8.s32", 2, 1, 4)
WORDS(mma_m16n8k32_s32_s8, "m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4)
WORDS(mma_m16n8k32_s32_s8_u8, "m16n8k32.row.col.s32.s8.u8.s32", 4, 2, 4)
WORDS(mma_m16n8k32_s32_s8_satfinite, "m16n8k32.row.col.satfinite.s32.s8.s8.s32", 4, 2, 4)
DOUBLES(mma_m8n8k4_f64, "m8n8k4.row.col.f64.f64.f64.f64", 1, 1, 2)

// fp8 came with compute capability 8.9, the longer f64 with 9.0.
#if __CUDA_ARCH__ >= 900
FLOATS(mma_m16n8k16_f32_e4m3, "m16n8k16.row.col.f32.e4m3.e4m3.f32", 2, 1)
FLOATS(mma_m16n8k32_f32_e4m3, "m16n8k32.row.col.f32.e4m3.e4m3.f32", 4, 2)
FLOATS(mma_m16n8k32_f32_e5m2, "m16n8k32.row.col.f32.e5m2.e5m2.f32", 4, 2)
FLOATS(mma_m16n8k32_f32_e4m3_e5m2, "m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 2)
FLOATS(mma_m16n8k32_f32_e5m2_e4m3, "m16n8k32.row.col.f32.e5m2.e4m3.f32", 4, 2)
WORDS(mma_m16n8k16_f16_e5m2_e4m3, "m16n8k16.row.col.f16.e5m2.e4m3.f16", 2, 1, 2)
WORDS(mma_m16n8k32_f16_e4m3, "m16n8k32.row.col.f16.e4m3.e4m3.f16", 4, 2, 2)
WORDS(mma_m16n8k32_f16_e5m2, "m16n8k32.row.col.f16.e5m2.e5m2.f16", 4, 2, 2)
DOUBLES(mma_m16n8k4_f64, "m16n8k4.row.col.f64.f64.f64.f64", 2, 1, 4)
DOUBLES(mma_m16n8k8_f64, "m16n8k8.row.col.f64.f64.f64.f64", 4, 2, 4)
DOUBLES(mma_m16n8k16_f64, "m16n8k16.row.col.f64.f64.f64.f64", 8, 4, 4)
#endif

}  // namespace tilewise::probe
