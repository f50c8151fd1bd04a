// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU side of the C++ face: C = alpha·A·B + beta·C for matrices in the memory of an NVIDIA GPU.
//
//   tilewise::GpuContext gpu;                          // the first GPU; share it freely
//   auto a = tilewise::row_major(a_on_gpu, m, k);      // views of tilewise/gemm.hpp, whose data are
//   auto b = tilewise::row_major(b_on_gpu, k, n);      // addresses of device memory
//   auto c = tilewise::row_major(c_on_gpu, m, n);
//   tilewise::gemm(gpu, 1.0f, a, transposed(b), 0.0f, c, {.stream = stream});
//
// A call returns when the work is in the stream; the matrices must live until it is done. Every function
// throws tilewise::Error, and then has put nothing into the stream and written nothing to C: arguments are
// checked first. The same call gives the same bits. Needs nothing but the standard library; the driver is
// opened at run time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tilewise/gemm.hpp"

namespace tilewise {

/// How products are computed.
enum class ComputeMode {
  kIeee,      ///< in the arithmetic of the element type
  kAccurate,  ///< f32 on tensor cores: the error is no larger than that of kIeee
  kTf32,  ///< f32 whose factors may be rounded to tf32: 11 bits of each, in f32's range; sums are f32
};

struct GpuContextOptions {
  int device = 0;  ///< number of the GPU, as the CUDA driver counts
  /// The most device memory that a product may take for itself while it runs, in bytes; a product whose
  /// best plan needs more takes another. Negative: no limit. Memory once taken is kept for the next product,
  /// until the context ends.
  std::int64_t workspace_bytes = -1;
  /// The file of plans that `tilewise tune` measured; "": none. Null: what the environment variable TILEWISE_TUNED
  /// names ("none": none), else tilewise/tuned.sqlite in the user's cache folder ($XDG_CACHE_HOME, or ~/.cache).
  /// Read once, when the context is made. A file that cannot be used is named on stderr, and ignored.
  const char* tuned_plans = nullptr;
};

/// What outlives a call: the loaded kernels, and memory that products work in. Any number of threads may
/// use one context at the same time, with the same stream or with different ones.
class TILEWISE_API GpuContext {
 public:
  /// Throws Error{kNoDevice} where there is no driver or no such GPU, Error{kUnsupported} for a GPU below
  /// compute capability 8.0 and when the library was built without GPU kernels.
  explicit GpuContext(const GpuContextOptions& options = {});
  ~GpuContext();
  GpuContext(GpuContext&&) noexcept;
  GpuContext& operator=(GpuContext&&) noexcept;

  std::string description() const;  ///< "NVIDIA H200, driver 580.159, CUDA 13.0"

  struct State;
  State& state() const;  // for the library itself

 private:
  explicit GpuContext(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// alpha or beta: a value, or where in device memory one will stand when the product runs.
template <class S> class GpuScalar {
 public:
  constexpr GpuScalar(S value) noexcept : value_(value) {}
  /// Throws nothing; a null address is refused by the product.
  static constexpr GpuScalar on_device(const S* address) noexcept {
    GpuScalar scalar{S{}};
    scalar.address_ = address;
    scalar.is_on_device_ = true;
    return scalar;
  }
  constexpr S value() const noexcept { return value_; }
  constexpr const S* address() const noexcept { return address_; }
  constexpr bool is_on_device() const noexcept { return is_on_device_; }

 private:
  S value_;
  const S* address_ = nullptr;
  bool is_on_device_ = false;
};

struct GpuGemmOptions {
  void* stream = nullptr;                 ///< a CUstream or cudaStream_t; null: the default stream
  ComputeMode mode = ComputeMode::kIeee;  ///< of f32; other types know kIeee alone
  /// Device memory to work in, aligned to 256 bytes, that no other product uses at the same time. Null:
  /// the context takes what it needs, in the order of the stream.
  void* workspace = nullptr;
  std::int64_t workspace_bytes = 0;  ///< of `workspace`: a plan that fits is chosen
};

// C = alpha·A·B + beta·C as in tilewise/gemm.hpp, in device memory: any orders, leading dimensions and
// alignment of whole elements. beta = 0 does not read C, alpha = 0 does not read A and B, also where they stand
// in device memory.
//
// May be called while the stream is being captured: then the product, and the memory it works in, become part
// of the graph. No call waits for the GPU.
//
// Throws Error{kInvalidArgument} as gemm() for host memory does, for a null address of a scalar, and for a
// workspace that is misaligned or too small for any plan; Error{kUnsupported} where this GPU has no kernel for
// the mode; Error{kOutOfMemory} when there is no memory to work in.

TILEWISE_API void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const float> a,
                       MatrixView<const float> b, GpuScalar<float> beta, MatrixView<float> c,
                       const GpuGemmOptions& options = {});
TILEWISE_API void gemm(GpuContext& context, GpuScalar<double> alpha, MatrixView<const double> a,
                       MatrixView<const double> b, GpuScalar<double> beta, MatrixView<double> c,
                       const GpuGemmOptions& options = {});
TILEWISE_API void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const BFloat16> a,
                       MatrixView<const BFloat16> b, GpuScalar<float> beta, MatrixView<float> c,
                       const GpuGemmOptions& options = {});
TILEWISE_API void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const BFloat16> a,
                       MatrixView<const BFloat16> b, GpuScalar<float> beta, MatrixView<BFloat16> c,
                       const GpuGemmOptions& options = {});
TILEWISE_API void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const Float16> a,
                       MatrixView<const Float16> b, GpuScalar<float> beta, MatrixView<float> c,
                       const GpuGemmOptions& options = {});
TILEWISE_API void gemm(GpuContext& context, GpuScalar<float> alpha, MatrixView<const Float16> a,
                       MatrixView<const Float16> b, GpuScalar<float> beta, MatrixView<Float16> c,
                       const GpuGemmOptions& options = {});

// `count` products C[i] = alpha·A[i]·B[i] + beta·C[i] of one shape. The pointers of from_pointers() stand in
// device memory, as do the matrices they lead to; strides are as in tilewise/gemm.hpp.

TILEWISE_API void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                             MatrixBatch<const float> a, MatrixBatch<const float> b,
                             GpuScalar<float> beta, MatrixBatch<float> c,
                             const GpuGemmOptions& options = {});
TILEWISE_API void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<double> alpha,
                             MatrixBatch<const double> a, MatrixBatch<const double> b,
                             GpuScalar<double> beta, MatrixBatch<double> c,
                             const GpuGemmOptions& options = {});
TILEWISE_API void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                             MatrixBatch<const BFloat16> a, MatrixBatch<const BFloat16> b,
                             GpuScalar<float> beta, MatrixBatch<float> c,
                             const GpuGemmOptions& options = {});
TILEWISE_API void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                             MatrixBatch<const BFloat16> a, MatrixBatch<const BFloat16> b,
                             GpuScalar<float> beta, MatrixBatch<BFloat16> c,
                             const GpuGemmOptions& options = {});
TILEWISE_API void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                             MatrixBatch<const Float16> a, MatrixBatch<const Float16> b,
                             GpuScalar<float> beta, MatrixBatch<float> c,
                             const GpuGemmOptions& options = {});
TILEWISE_API void gemm_batch(GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
                             MatrixBatch<const Float16> a, MatrixBatch<const Float16> b,
                             GpuScalar<float> beta, MatrixBatch<Float16> c,
                             const GpuGemmOptions& options = {});

// Bytes of device memory that the best plan of a product works in: what to give as GpuGemmOptions::workspace so
// that the product takes that plan; 0 where it needs none. The arguments are those of the product and are
// checked as there; options.workspace is not looked at further. Nothing is launched, and no matrix is read, but
// what the plan is depends on how the addresses, leading dimensions and strides are aligned.

[[nodiscard]] TILEWISE_API std::int64_t gemm_workspace(const GpuContext& context,
                                                       GpuScalar<float> alpha,
                                                       MatrixView<const float> a,
                                                       MatrixView<const float> b,
                                                       GpuScalar<float> beta, MatrixView<float> c,
                                                       const GpuGemmOptions& options = {});
[[nodiscard]] TILEWISE_API std::int64_t gemm_workspace(const GpuContext& context,
                                                       GpuScalar<double> alpha,
                                                       MatrixView<const double> a,
                                                       MatrixView<const double> b,
                                                       GpuScalar<double> beta, MatrixView<double> c,
                                                       const GpuGemmOptions& options = {});
[[nodiscard]] TILEWISE_API std::int64_t gemm_workspace(const GpuContext& context,
                                                       GpuScalar<float> alpha,
                                                       MatrixView<const BFloat16> a,
                                                       MatrixView<const BFloat16> b,
                                                       GpuScalar<float> beta, MatrixView<float> c,
                                                       const GpuGemmOptions& options = {});
[[nodiscard]] TILEWISE_API std::int64_t gemm_workspace(
    const GpuContext& context, GpuScalar<float> alpha, MatrixView<const BFloat16> a,
    MatrixView<const BFloat16> b, GpuScalar<float> beta, MatrixView<BFloat16> c,
    const GpuGemmOptions& options = {});
[[nodiscard]] TILEWISE_API std::int64_t gemm_workspace(const GpuContext& context,
                                                       GpuScalar<float> alpha,
                                                       MatrixView<const Float16> a,
                                                       MatrixView<const Float16> b,
                                                       GpuScalar<float> beta, MatrixView<float> c,
                                                       const GpuGemmOptions& options = {});
[[nodiscard]] TILEWISE_API std::int64_t gemm_workspace(const GpuContext& context,
                                                       GpuScalar<float> alpha,
                                                       MatrixView<const Float16> a,
                                                       MatrixView<const Float16> b,
                                                       GpuScalar<float> beta, MatrixView<Float16> c,
                                                       const GpuGemmOptions& options = {});

[[nodiscard]] TILEWISE_API std::int64_t gemm_batch_workspace(
    const GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
    MatrixBatch<const float> a, MatrixBatch<const float> b, GpuScalar<float> beta,
    MatrixBatch<float> c, const GpuGemmOptions& options = {});
[[nodiscard]] TILEWISE_API std::int64_t gemm_batch_workspace(
    const GpuContext& context, std::int64_t count, GpuScalar<double> alpha,
    MatrixBatch<const double> a, MatrixBatch<const double> b, GpuScalar<double> beta,
    MatrixBatch<double> c, const GpuGemmOptions& options = {});
[[nodiscard]] TILEWISE_API std::int64_t gemm_batch_workspace(
    const GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
    MatrixBatch<const BFloat16> a, MatrixBatch<const BFloat16> b, GpuScalar<float> beta,
    MatrixBatch<float> c, const GpuGemmOptions& options = {});
[[nodiscard]] TILEWISE_API std::int64_t gemm_batch_workspace(
    const GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
    MatrixBatch<const BFloat16> a, MatrixBatch<const BFloat16> b, GpuScalar<float> beta,
    MatrixBatch<BFloat16> c, const GpuGemmOptions& options = {});
[[nodiscard]] TILEWISE_API std::int64_t gemm_batch_workspace(
    const GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
    MatrixBatch<const Float16> a, MatrixBatch<const Float16> b, GpuScalar<float> beta,
    MatrixBatch<float> c, const GpuGemmOptions& options = {});
[[nodiscard]] TILEWISE_API std::int64_t gemm_batch_workspace(
    const GpuContext& context, std::int64_t count, GpuScalar<float> alpha,
    MatrixBatch<const Float16> a, MatrixBatch<const Float16> b, GpuScalar<float> beta,
    MatrixBatch<Float16> c, const GpuGemmOptions& options = {});

}  // namespace tilewise
