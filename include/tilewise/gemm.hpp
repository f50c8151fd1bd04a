// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The C++ face of the library: C = alpha·A·B + beta·C for matrices in memory.
//
//   tilewise::Context context;                         // owns threads and buffers; share it freely
//   auto a = tilewise::row_major(a_data, m, k);        // leading dimension k
//   auto b = tilewise::row_major(b_data, k, n, ldb);
//   auto c = tilewise::row_major(c_data, m, n);
//   tilewise::gemm(context, 1.0f, a, transposed(b), 0.0f, c);
//
// Every function throws tilewise::Error, and then has written nothing to C. Needs nothing but the
// standard library. The same calls for C and everyone else: tilewise/tilewise.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "tilewise/error.hpp"
#include "tilewise/export.hpp"

namespace tilewise {

/// Storage order of a matrix: which of its elements are neighbours in memory.
enum class Order { kRowMajor, kColumnMajor };

/// IEEE 754 binary16, as bits.
struct Float16 {
  std::uint16_t bits = 0;
};

/// The upper half of an IEEE 754 binary32, as bits.
struct BFloat16 {
  std::uint16_t bits = 0;
};

/// A matrix that stands in memory owned by the caller. Element (i, j) is
/// data[i·leading_dimension + j] in row-major order, data[i + j·leading_dimension] in column-major
/// order. T is const for matrices that are only read.
template <class T> struct MatrixView {
  T* data =
      nullptr;  ///< may be null when the matrix has no elements, or is a factor that is not read
  std::int64_t rows = 0, columns = 0;  ///< elements, at least 0
  /// Elements from one row (row-major) or column (column-major) to the next: at least
  /// max(1, columns) or max(1, rows).
  std::int64_t leading_dimension = 1;
  Order order = Order::kRowMajor;

  /// A view that can be written converts to one that cannot.
  constexpr operator MatrixView<const T>() const noexcept requires(!std::is_const_v<T>) {
    return {data, rows, columns, leading_dimension, order};
  }
};

/// The rows×columns matrix whose rows follow one another without gaps.
template <class T>
constexpr MatrixView<T> row_major(T* data, std::int64_t rows, std::int64_t columns) noexcept {
  return {data, rows, columns, columns > 1 ? columns : 1, Order::kRowMajor};
}

/// The rows×columns matrix whose rows begin every `leading_dimension` elements.
template <class T>
constexpr MatrixView<T> row_major(T* data, std::int64_t rows, std::int64_t columns,
                                  std::int64_t leading_dimension) noexcept {
  return {data, rows, columns, leading_dimension, Order::kRowMajor};
}

/// The rows×columns matrix whose columns follow one another without gaps.
template <class T>
constexpr MatrixView<T> column_major(T* data, std::int64_t rows, std::int64_t columns) noexcept {
  return {data, rows, columns, rows > 1 ? rows : 1, Order::kColumnMajor};
}

/// The rows×columns matrix whose columns begin every `leading_dimension` elements.
template <class T>
constexpr MatrixView<T> column_major(T* data, std::int64_t rows, std::int64_t columns,
                                     std::int64_t leading_dimension) noexcept {
  return {data, rows, columns, leading_dimension, Order::kColumnMajor};
}

/// The transpose, of the same memory: nothing moves.
template <class T> constexpr MatrixView<T> transposed(MatrixView<T> matrix) noexcept {
  return {matrix.data, matrix.columns, matrix.rows, matrix.leading_dimension,
          matrix.order == Order::kRowMajor ? Order::kColumnMajor : Order::kRowMajor};
}

/// Many matrices of one shape: at a constant distance, or wherever pointers say.
template <class T> struct MatrixBatch {
  MatrixView<T> shape;  ///< the first matrix; with `pointers`, its data is not used
  /// Elements from one matrix to the next; may be negative. 0 for a factor: the same for all
  /// products.
  std::int64_t stride = 0;
  T* const* pointers = nullptr;  ///< one a matrix, where there is no constant distance

  constexpr operator MatrixBatch<const T>() const noexcept requires(!std::is_const_v<T>) {
    return {shape, stride, pointers};
  }
};

/// The batch whose matrix i begins i·stride elements after `first`.
template <class T>
constexpr MatrixBatch<T> strided(MatrixView<T> first, std::int64_t stride) noexcept {
  return {first, stride, nullptr};
}

/// The batch whose matrix i begins at pointers[i]; of `shape` the data are not used.
template <class T>
constexpr MatrixBatch<T> from_pointers(MatrixView<T> shape, T* const* pointers) noexcept {
  return {shape, 0, pointers};
}

struct ContextOptions {
  /// Threads a product may use, the calling one included. 0: what the environment variable
  /// TILEWISE_NUM_THREADS says, or else the cores that this process may run on.
  int threads = 0;
};

/// What outlives a call: threads and packing buffers. Any number of threads may use one context at
/// the same time; a call that finds its threads at work for another caller computes on its own
/// thread alone, so that a program never has more busy threads than callers and context threads
/// together. After fork() a context goes on in the child, with threads of its own. One that has
/// been moved from has no threads, and products refuse it.
class TILEWISE_API Context {
 public:
  /// Throws Error{kInvalidArgument} for a number of threads below 0 or above 4096 or a malformed
  /// environment variable, Error{kOutOfMemory} when threads or memory cannot be had.
  explicit Context(const ContextOptions& options = {});
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  int threads() const noexcept;  ///< at least 1; 0 when moved from

  struct State;
  State& state() const;  // for the library itself

 private:
  std::unique_ptr<State> state_;
};

/// The context that the C interface uses when it is given none. Made at its first use, with the
/// defaults of ContextOptions; lives as long as the process.
TILEWISE_API Context& default_context();

struct GemmOptions {
  /// At most so many of the context's threads. 0: all that the problem can use.
  int threads = 0;
};

// C = alpha·A·B + beta·C, A m×k, B k×n, C m×n, each in any order. beta = 0 does not read C (which
// may hold NaN), alpha = 0 does not read A and B; sizes may be 0; NaN and infinities go where
// arithmetic takes them. The same call gives the same bits at any number of threads and callers, on
// processors with the same instruction set and caches.
//
// Throws Error{kInvalidArgument} for sizes that do not fit together, leading dimensions too small,
// null pointers to matrices that are accessed, and sizes whose bytes do not fit in 63 bits;
// Error{kOutOfMemory} when there is no room for packing buffers. C must not overlap A or B: that is
// the caller's fault, and reported (kInvalidArgument) by debug builds of the library only.

TILEWISE_API void gemm(Context& context, float alpha, const MatrixView<const float>& a,
                       const MatrixView<const float>& b, float beta, const MatrixView<float>& c,
                       const GemmOptions& options = {});
TILEWISE_API void gemm(Context& context, double alpha, const MatrixView<const double>& a,
                       const MatrixView<const double>& b, double beta, const MatrixView<double>& c,
                       const GemmOptions& options = {});

// Products of 16-bit floats, exact in f32 and summed in f32; a 16-bit C is rounded once, to nearest
// even.
TILEWISE_API void gemm(Context& context, float alpha, const MatrixView<const BFloat16>& a,
                       const MatrixView<const BFloat16>& b, float beta, const MatrixView<float>& c,
                       const GemmOptions& options = {});
TILEWISE_API void gemm(Context& context, float alpha, const MatrixView<const BFloat16>& a,
                       const MatrixView<const BFloat16>& b, float beta,
                       const MatrixView<BFloat16>& c, const GemmOptions& options = {});
TILEWISE_API void gemm(Context& context, float alpha, const MatrixView<const Float16>& a,
                       const MatrixView<const Float16>& b, float beta, const MatrixView<float>& c,
                       const GemmOptions& options = {});
TILEWISE_API void gemm(Context& context, float alpha, const MatrixView<const Float16>& a,
                       const MatrixView<const Float16>& b, float beta, const MatrixView<Float16>& c,
                       const GemmOptions& options = {});

// Products of 8-bit integers, exact; sums, alpha and beta modulo 2^32, as int32_t arithmetic wraps.
TILEWISE_API void gemm(Context& context, std::int32_t alpha,
                       const MatrixView<const std::uint8_t>& a,
                       const MatrixView<const std::int8_t>& b, std::int32_t beta,
                       const MatrixView<std::int32_t>& c, const GemmOptions& options = {});
TILEWISE_API void gemm(Context& context, std::int32_t alpha, const MatrixView<const std::int8_t>& a,
                       const MatrixView<const std::uint8_t>& b, std::int32_t beta,
                       const MatrixView<std::int32_t>& c, const GemmOptions& options = {});
TILEWISE_API void gemm(Context& context, std::int32_t alpha, const MatrixView<const std::int8_t>& a,
                       const MatrixView<const std::int8_t>& b, std::int32_t beta,
                       const MatrixView<std::int32_t>& c, const GemmOptions& options = {});

// `count` products C[i] = alpha·A[i]·B[i] + beta·C[i] of one shape, in any order, several at a
// time. The matrices C[i] must not overlap one another, but may lie between each other's rows or
// columns. Throws as gemm() does, also for count < 0, for a null pointer among the pointers, and
// for a stride at which matrices C overlap; that pointers lead to overlapping ones only debug
// builds of the library notice.

TILEWISE_API void gemm_batch(Context& context, std::int64_t count, float alpha,
                             MatrixBatch<const float> a, MatrixBatch<const float> b, float beta,
                             MatrixBatch<float> c, const GemmOptions& options = {});
TILEWISE_API void gemm_batch(Context& context, std::int64_t count, double alpha,
                             MatrixBatch<const double> a, MatrixBatch<const double> b, double beta,
                             MatrixBatch<double> c, const GemmOptions& options = {});
TILEWISE_API void gemm_batch(Context& context, std::int64_t count, float alpha,
                             MatrixBatch<const BFloat16> a, MatrixBatch<const BFloat16> b,
                             float beta, MatrixBatch<float> c, const GemmOptions& options = {});
TILEWISE_API void gemm_batch(Context& context, std::int64_t count, float alpha,
                             MatrixBatch<const Float16> a, MatrixBatch<const Float16> b, float beta,
                             MatrixBatch<float> c, const GemmOptions& options = {});

/// The instruction set whose kernels this process multiplies with: "avx512", "avx2" or "portable".
/// The best that the processor has, unless the environment variable TILEWISE_CPU names another.
/// Throws Error{kInvalidArgument} for a name it does not know, Error{kUnsupported} for one that
/// this processor cannot run; so does every product then.
TILEWISE_API std::string cpu_instruction_set();

}  // namespace tilewise
