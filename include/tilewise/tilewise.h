// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The C face of the library: C = alpha·op(A)·op(B) + beta·C for matrices in memory, where op(X) is
// X or its transpose. C99, and what every language that can call C can call.
//
//   tw_status status = tw_gemm_f32(NULL, TW_ROW_MAJOR, TW_NO_TRANSPOSE, TW_TRANSPOSE, m, n, k,
//                                  1.0f, a, lda, b, ldb, 0.0f, c, ldc);
//   if (status != TW_OK) fprintf(stderr, "%s\n", tw_last_error_message());
//
// A call that returns anything but TW_OK has written nothing to C. No call prints, ends the program
// or lets a C++ exception out. All may be called from any number of threads at the same time, also
// with one context; only tw_context_destroy() wants the context to itself.
//
// Within a major version names, values and meanings stay, and programs need not be compiled again.
#ifndef TILEWISE_TILEWISE_H
#define TILEWISE_TILEWISE_H

#include <stdint.h>

#include "tilewise/export.hpp"

#define TW_VERSION_MAJOR 0
#define TW_VERSION_MINOR 1
#define TW_VERSION_PATCH 0
/// One number to compare: 0.1.0 is 100, 1.2.3 is 10203.
#define TW_VERSION_NUMBER (TW_VERSION_MAJOR * 10000 + TW_VERSION_MINOR * 100 + TW_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/// How a call ended: one of the values below.
typedef int32_t tw_status;
enum {
  TW_OK = 0,
  TW_INVALID_ARGUMENT = 1,  ///< an argument's value is outside what the call accepts
  TW_INVALID_INPUT = 2,     ///< a file or text is missing, truncated or malformed
  TW_UNSUPPORTED = 3,       ///< well-formed, but not something this build or machine can do
  TW_OUT_OF_MEMORY = 4,     ///< an allocation failed
  TW_NO_DEVICE = 5,         ///< the device asked for is not present
  TW_DRIVER = 6,            ///< a CUDA driver call failed
  TW_EXECUTION = 7,         ///< a kernel misbehaved
  TW_INTERNAL = 8           ///< a bug in Tilewise
};

/// How matrices stand in memory: row after row, or column after column. The values are CBLAS's.
typedef int32_t tw_order;
enum { TW_ROW_MAJOR = 101, TW_COLUMN_MAJOR = 102 };

/// op(X) is X, or its transpose. The values are CBLAS's.
typedef int32_t tw_transpose;
enum { TW_NO_TRANSPOSE = 111, TW_TRANSPOSE = 112 };

/// IEEE 754 binary16 and the upper half of an IEEE 754 binary32, as bits.
typedef uint16_t tw_f16;
typedef uint16_t tw_bf16;

/// What outlives a call: threads and packing buffers. Wherever one is expected, NULL means the
/// context of the whole program, made at its first use with the defaults of tw_context_create().
typedef struct tw_context tw_context;

// --- the library -----------------------------------------------------------------------------------

/// TW_VERSION_NUMBER of the library that is running, which may be newer than the header.
TILEWISE_API int32_t tw_version(void);

/// A few words for a status: "invalid argument". Never NULL; "unknown status" for other values.
TILEWISE_API const char* tw_status_string(tw_status status);

/// What the last call of this thread that failed had to say: one line that names the argument, its
/// value and what was expected; "" when none has failed. Stands until the next failure in this
/// thread. Long messages are cut.
TILEWISE_API const char* tw_last_error_message(void);

/// Sets *name to the instruction set whose kernels this program multiplies with: "avx512", "avx2"
/// or "portable". The best that the processor has, unless the environment variable TILEWISE_CPU
/// names another. TW_INVALID_ARGUMENT for a name it does not know, TW_UNSUPPORTED for one that the
/// processor cannot run; so does every product then.
TILEWISE_API tw_status tw_cpu_instruction_set(const char** name);

// --- contexts --------------------------------------------------------------------------------------

/// Sets *context to a new one with `threads` threads, the calling one included. 0: as many as the
/// environment variable TILEWISE_NUM_THREADS says, or else one for each core that this process may
/// run on. After a failure *context is NULL.
TILEWISE_API tw_status tw_context_create(int32_t threads, tw_context** context);

/// Ends a context's threads and frees its memory; NULL is nothing to do. No call may be using it.
TILEWISE_API void tw_context_destroy(tw_context* context);

/// Sets *threads to how many threads a product may use.
TILEWISE_API tw_status tw_context_threads(const tw_context* context, int32_t* threads);

// --- products --------------------------------------------------------------------------------------
//
// op(A) is m×k, op(B) k×n, C m×n; sizes may be 0. Element (i, j) of a stored matrix X is x[i·ldx +
// j] in row-major order, x[i + j·ldx] in column-major order; leading dimensions count elements and
// are at least 1 and at least the length of a row (row-major) or column (column-major) of the
// matrix as it is stored. beta = 0 does not read C (which may hold NaN), alpha = 0 does not read A
// and B; a matrix that has no elements or is not read may be NULL. C must not overlap A or B: that
// is the caller's fault, and reported by debug builds only.

TILEWISE_API tw_status tw_gemm_f32(tw_context* context, tw_order order, tw_transpose trans_a,
                                   tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                   float alpha, const float* a, int64_t lda, const float* b,
                                   int64_t ldb, float beta, float* c, int64_t ldc);
TILEWISE_API tw_status tw_gemm_f64(tw_context* context, tw_order order, tw_transpose trans_a,
                                   tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                   double alpha, const double* a, int64_t lda, const double* b,
                                   int64_t ldb, double beta, double* c, int64_t ldc);

/// Products of 16-bit floats, exact in f32 and summed in f32; a 16-bit C is rounded once, to
/// nearest even.
TILEWISE_API tw_status tw_gemm_bf16_f32(tw_context* context, tw_order order, tw_transpose trans_a,
                                        tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                        float alpha, const tw_bf16* a, int64_t lda,
                                        const tw_bf16* b, int64_t ldb, float beta, float* c,
                                        int64_t ldc);
TILEWISE_API tw_status tw_gemm_bf16(tw_context* context, tw_order order, tw_transpose trans_a,
                                    tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                    float alpha, const tw_bf16* a, int64_t lda, const tw_bf16* b,
                                    int64_t ldb, float beta, tw_bf16* c, int64_t ldc);
TILEWISE_API tw_status tw_gemm_f16_f32(tw_context* context, tw_order order, tw_transpose trans_a,
                                       tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                       float alpha, const tw_f16* a, int64_t lda, const tw_f16* b,
                                       int64_t ldb, float beta, float* c, int64_t ldc);
TILEWISE_API tw_status tw_gemm_f16(tw_context* context, tw_order order, tw_transpose trans_a,
                                   tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                   float alpha, const tw_f16* a, int64_t lda, const tw_f16* b,
                                   int64_t ldb, float beta, tw_f16* c, int64_t ldc);

/// Products of 8-bit integers, exact; sums, alpha and beta modulo 2^32, as int32_t arithmetic
/// wraps.
TILEWISE_API tw_status tw_gemm_u8s8_s32(tw_context* context, tw_order order, tw_transpose trans_a,
                                        tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                        int32_t alpha, const uint8_t* a, int64_t lda,
                                        const int8_t* b, int64_t ldb, int32_t beta, int32_t* c,
                                        int64_t ldc);
TILEWISE_API tw_status tw_gemm_s8u8_s32(tw_context* context, tw_order order, tw_transpose trans_a,
                                        tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                        int32_t alpha, const int8_t* a, int64_t lda,
                                        const uint8_t* b, int64_t ldb, int32_t beta, int32_t* c,
                                        int64_t ldc);
TILEWISE_API tw_status tw_gemm_s8s8_s32(tw_context* context, tw_order order, tw_transpose trans_a,
                                        tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                        int32_t alpha, const int8_t* a, int64_t lda,
                                        const int8_t* b, int64_t ldb, int32_t beta, int32_t* c,
                                        int64_t ldc);

// --- batches ---------------------------------------------------------------------------------------
//
// `count` products of one shape, C[i] = alpha·op(A[i])·op(B[i]) + beta·C[i], in any order, several
// at a time. No C[i] may overlap another.

/// Matrix i begins at a[i], b[i], c[i].
TILEWISE_API tw_status tw_gemm_batch_f32(tw_context* context, tw_order order, tw_transpose trans_a,
                                         tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                         float alpha, const float* const* a, int64_t lda,
                                         const float* const* b, int64_t ldb, float beta,
                                         float* const* c, int64_t ldc, int64_t count);
TILEWISE_API tw_status tw_gemm_batch_f64(tw_context* context, tw_order order, tw_transpose trans_a,
                                         tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                         double alpha, const double* const* a, int64_t lda,
                                         const double* const* b, int64_t ldb, double beta,
                                         double* const* c, int64_t ldc, int64_t count);
TILEWISE_API tw_status tw_gemm_batch_bf16_f32(tw_context* context, tw_order order,
                                              tw_transpose trans_a, tw_transpose trans_b, int64_t m,
                                              int64_t n, int64_t k, float alpha,
                                              const tw_bf16* const* a, int64_t lda,
                                              const tw_bf16* const* b, int64_t ldb, float beta,
                                              float* const* c, int64_t ldc, int64_t count);
TILEWISE_API tw_status tw_gemm_batch_f16_f32(tw_context* context, tw_order order,
                                             tw_transpose trans_a, tw_transpose trans_b, int64_t m,
                                             int64_t n, int64_t k, float alpha,
                                             const tw_f16* const* a, int64_t lda,
                                             const tw_f16* const* b, int64_t ldb, float beta,
                                             float* const* c, int64_t ldc, int64_t count);

/// Matrix i begins i·stride elements after the first. A stride may be negative; 0 means that all
/// products share a factor.
TILEWISE_API tw_status tw_gemm_batch_strided_f32(tw_context* context, tw_order order,
                                                 tw_transpose trans_a, tw_transpose trans_b,
                                                 int64_t m, int64_t n, int64_t k, float alpha,
                                                 const float* a, int64_t lda, int64_t stride_a,
                                                 const float* b, int64_t ldb, int64_t stride_b,
                                                 float beta, float* c, int64_t ldc,
                                                 int64_t stride_c, int64_t count);
TILEWISE_API tw_status tw_gemm_batch_strided_f64(tw_context* context, tw_order order,
                                                 tw_transpose trans_a, tw_transpose trans_b,
                                                 int64_t m, int64_t n, int64_t k, double alpha,
                                                 const double* a, int64_t lda, int64_t stride_a,
                                                 const double* b, int64_t ldb, int64_t stride_b,
                                                 double beta, double* c, int64_t ldc,
                                                 int64_t stride_c, int64_t count);
TILEWISE_API tw_status tw_gemm_batch_strided_bf16_f32(
    tw_context* context, tw_order order, tw_transpose trans_a, tw_transpose trans_b, int64_t m,
    int64_t n, int64_t k, float alpha, const tw_bf16* a, int64_t lda, int64_t stride_a,
    const tw_bf16* b, int64_t ldb, int64_t stride_b, float beta, float* c, int64_t ldc,
    int64_t stride_c, int64_t count);
TILEWISE_API tw_status tw_gemm_batch_strided_f16_f32(tw_context* context, tw_order order,
                                                     tw_transpose trans_a, tw_transpose trans_b,
                                                     int64_t m, int64_t n, int64_t k, float alpha,
                                                     const tw_f16* a, int64_t lda, int64_t stride_a,
                                                     const tw_f16* b, int64_t ldb, int64_t stride_b,
                                                     float beta, float* c, int64_t ldc,
                                                     int64_t stride_c, int64_t count);

// --- GPUs ------------------------------------------------------------------------------------------
//
// Products of matrices in the memory of an NVIDIA GPU; their pointers are addresses of device memory. A
// call returns when the work is in the stream, which may be one that is being captured; the matrices must
// live until it is done.

/// Element types.
typedef int32_t tw_dtype;
enum { TW_F16 = 0, TW_BF16 = 1, TW_F32 = 2, TW_F64 = 3 };

/// How products are computed: in the arithmetic of the element type; f32 on tensor cores with an error no
/// larger than that; f32 of which tensor cores read 19 bits.
typedef int32_t tw_compute_mode;
enum { TW_IEEE = 0, TW_ACCURATE = 1, TW_TF32 = 2 };

/// What outlives a call: loaded kernels, and memory that products work in. For any number of threads and
/// streams at the same time.
typedef struct tw_gpu_context tw_gpu_context;

/// Sets *context to a new one on GPU number `device`, as the CUDA driver counts. A product may take at most
/// `workspace_bytes` of device memory for itself while it runs; negative: no limit. TW_NO_DEVICE where there is
/// no driver or no such GPU, TW_UNSUPPORTED for a GPU below compute capability 8.0 and for a library built
/// without GPU kernels. After a failure *context is NULL.
TILEWISE_API tw_status tw_gpu_context_create(int32_t device, int64_t workspace_bytes,
                                             tw_gpu_context** context);

/// The same with the file of plans that `tilewise tune` measured; "": none. NULL, and tw_gpu_context_create(): what
/// the environment variable TILEWISE_TUNED names ("none": none), else tilewise/tuned.sqlite in the user's cache
/// folder ($XDG_CACHE_HOME, or ~/.cache). A file that cannot be used is named on stderr, and ignored.
TILEWISE_API tw_status tw_gpu_context_create_tuned(int32_t device, int64_t workspace_bytes,
                                                   const char* tuned_plans,
                                                   tw_gpu_context** context);

/// Frees what the context has; NULL is nothing to do. No call may be using it, and all of its work is done.
TILEWISE_API void tw_gpu_context_destroy(tw_gpu_context* context);

/// What a product is told besides matrices. All zero, and a NULL pointer to one, are the defaults.
typedef struct tw_gpu_options {
  void* stream;               ///< a CUstream or cudaStream_t; NULL: the default stream
  tw_compute_mode mode;       ///< of f32; other types know TW_IEEE alone
  int32_t scalars_on_device;  ///< not 0: alpha and beta point to device memory
  /// Device memory to work in, aligned to 256 bytes, that no other product uses at the same time; NULL: the
  /// context takes what it needs, in the order of the stream.
  void* workspace;
  int64_t workspace_bytes;
  int64_t reserved[4];  ///< 0
} tw_gpu_options;

/// One product. A and B have type `ab_type`, C `c_type`: F32 with F32, F64 with F64, F16 or BF16 with
/// themselves or with F32. alpha and beta point to one double each for F64, else to one float each.
TILEWISE_API tw_status tw_gpu_gemm(tw_gpu_context* context, tw_order order, tw_transpose trans_a,
                                   tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                   const void* alpha, tw_dtype ab_type, const void* a, int64_t lda,
                                   const void* b, int64_t ldb, const void* beta, tw_dtype c_type,
                                   void* c, int64_t ldc, const tw_gpu_options* options);

/// `count` products of one shape; matrix i begins i·stride elements after the first. A stride may be
/// negative; 0 means that all products share a factor.
TILEWISE_API tw_status tw_gpu_gemm_batch_strided(
    tw_gpu_context* context, tw_order order, tw_transpose trans_a, tw_transpose trans_b, int64_t m,
    int64_t n, int64_t k, const void* alpha, tw_dtype ab_type, const void* a, int64_t lda,
    int64_t stride_a, const void* b, int64_t ldb, int64_t stride_b, const void* beta,
    tw_dtype c_type, void* c, int64_t ldc, int64_t stride_c, int64_t count,
    const tw_gpu_options* options);

/// The same where matrix i begins at a[i], b[i], c[i]; these arrays stand in device memory, too.
TILEWISE_API tw_status tw_gpu_gemm_batch(tw_gpu_context* context, tw_order order,
                                         tw_transpose trans_a, tw_transpose trans_b, int64_t m,
                                         int64_t n, int64_t k, const void* alpha, tw_dtype ab_type,
                                         const void* const* a, int64_t lda, const void* const* b,
                                         int64_t ldb, const void* beta, tw_dtype c_type,
                                         void* const* c, int64_t ldc, int64_t count,
                                         const tw_gpu_options* options);

/// Sets *bytes to the device memory that the best plan of such a product works in: what to give as
/// options->workspace so that the product takes that plan; 0 where it needs none. The arguments are those of the
/// product and are checked as there; options->workspace is not looked at further. Nothing is launched. After a
/// failure *bytes is 0.
TILEWISE_API tw_status tw_gpu_gemm_workspace(const tw_gpu_context* context, tw_order order,
                                             tw_transpose trans_a, tw_transpose trans_b, int64_t m,
                                             int64_t n, int64_t k, const void* alpha,
                                             tw_dtype ab_type, const void* a, int64_t lda,
                                             const void* b, int64_t ldb, const void* beta,
                                             tw_dtype c_type, void* c, int64_t ldc,
                                             const tw_gpu_options* options, int64_t* bytes);
TILEWISE_API tw_status tw_gpu_gemm_batch_strided_workspace(
    const tw_gpu_context* context, tw_order order, tw_transpose trans_a, tw_transpose trans_b,
    int64_t m, int64_t n, int64_t k, const void* alpha, tw_dtype ab_type, const void* a,
    int64_t lda, int64_t stride_a, const void* b, int64_t ldb, int64_t stride_b, const void* beta,
    tw_dtype c_type, void* c, int64_t ldc, int64_t stride_c, int64_t count,
    const tw_gpu_options* options, int64_t* bytes);
TILEWISE_API tw_status tw_gpu_gemm_batch_workspace(
    const tw_gpu_context* context, tw_order order, tw_transpose trans_a, tw_transpose trans_b,
    int64_t m, int64_t n, int64_t k, const void* alpha, tw_dtype ab_type, const void* const* a,
    int64_t lda, const void* const* b, int64_t ldb, const void* beta, tw_dtype c_type,
    void* const* c, int64_t ldc, int64_t count, const tw_gpu_options* options, int64_t* bytes);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TILEWISE_TILEWISE_H
