// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/cublas.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "bench/cuda_library.hpp"
#include "device/cuda/cuda_device.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

using device::Address;
using Handle = struct cublasContext*;
using StreamHandle = device::cuda::StreamHandle;
constexpr int kSuccess = 0;            // CUBLAS_STATUS_SUCCESS
constexpr int kDefaultAlgorithm = -1;  // CUBLAS_GEMM_DEFAULT

// cublasGemmEx: types of A, B and C, and how to compute, by number; alpha and beta in f32, for f64 in f64.
template <class Size>
using GemmEx = int(Handle, int op_a, int op_b, Size m, Size n, Size k, const void* alpha,
                   const void* a, int a_type, Size lda, const void* b, int b_type, Size ldb,
                   const void* beta, void* c, int c_type, Size ldc, int compute, int algorithm);

// The same for products whose matrices are at a stride.
template <class Size>
using GemmStrided = int(Handle, int op_a, int op_b, Size m, Size n, Size k, const void* alpha,
                        const void* a, int a_type, Size lda, long long stride_a, const void* b,
                        int b_type, Size ldb, long long stride_b, const void* beta, void* c,
                        int c_type, Size ldc, long long stride_c, Size count, int compute,
                        int algorithm);

// The library's functions, as cublas_v2.h of CUDA 11 to 13 declares them.
struct Functions {
  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*get_version)(Handle, int*) = nullptr;
  int (*set_stream)(Handle, StreamHandle) = nullptr;
  GemmEx<int>* gemm_ex = nullptr;
  GemmStrided<int>* gemm_strided = nullptr;
  // Since CUDA 12, for sizes beyond int; nullptr before.
  GemmEx<std::int64_t>* gemm_ex_64 = nullptr;
  GemmStrided<std::int64_t>* gemm_strided_64 = nullptr;
};

bool bind_all(void* library, Functions& functions) {
  bind(library, "cublasGemmEx_64", functions.gemm_ex_64);
  bind(library, "cublasGemmStridedBatchedEx_64", functions.gemm_strided_64);
  return bind(library, "cublasCreate_v2", functions.create) &&
         bind(library, "cublasDestroy_v2", functions.destroy) &&
         bind(library, "cublasGetVersion_v2", functions.get_version) &&
         bind(library, "cublasSetStream_v2", functions.set_stream) &&
         bind(library, "cublasGemmStridedBatchedEx", functions.gemm_strided) &&
         bind(library, "cublasGemmEx", functions.gemm_ex);
}

void check(int status, std::string_view call) {
  if (status == kSuccess) return;
  throw Error(ErrorCode::kDriver, fmt::format("{}: cuBLAS status {}", call, status));
}

class OpenedCublas final : public Cublas {
 public:
  OpenedCublas(const Functions& functions, Handle handle, device::cuda::CudaDevice& device)
      : functions_(functions), handle_(handle), device_(device) {}
  ~OpenedCublas() override { functions_.destroy(handle_); }
  OpenedCublas(const OpenedCublas&) = delete;
  OpenedCublas& operator=(const OpenedCublas&) = delete;

  std::string version() const override {
    int version = 0;
    check(functions_.get_version(handle_, &version), "cublasGetVersion_v2()");
    return fmt::format("cuBLAS {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  }

  std::string file() const override {
    return file_of(reinterpret_cast<const void*>(functions_.gemm_ex));
  }

  void gemm(kernels::Arithmetic arithmetic, Order order, std::int64_t m, std::int64_t n,
            std::int64_t k, double alpha, Address a, Address b, double beta, Address c,
            device::Stream& stream) override {
    // A column-major product is the row-major one of the transposes, in exchanged places.
    if (order == Order::kColumnMajor) {
      std::swap(m, n);
      std::swap(a, b);
    }
    const ComputeMode mode =
        arithmetic == kernels::Arithmetic::kTF32 ? ComputeMode::kTf32 : ComputeMode::kIeee;
    const GemmShape shape{"", false, false, m, n, k};
    gemm_ex(make_problem(shape, kernels::operand_dtype(arithmetic),
                         kernels::result_dtype(arithmetic), mode, 0, {alpha, beta}),
            {a, b, c}, stream);
  }

  void gemm_ex(const GpuProblem& p, const GpuMatrices& matrices, device::Stream& stream) override {
    if (p.shape.m == 0 || p.shape.n == 0) return;
    device_.make_current();
    check(functions_.set_stream(handle_, device::cuda::handle_of(stream)), "cublasSetStream_v2()");
    if (std::max({p.shape.m, p.shape.n, p.shape.k, p.lda, p.ldb, p.ldc}) <=
        std::numeric_limits<int>::max()) {
      call_with(functions_.gemm_ex, functions_.gemm_strided, p, matrices);
    } else if (functions_.gemm_ex_64 && functions_.gemm_strided_64) {
      call_with(functions_.gemm_ex_64, functions_.gemm_strided_64, p, matrices);
    } else {
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("cublasGemmEx: {}: this cuBLAS takes sizes up to {}", p.name(),
                              std::numeric_limits<int>::max()));
    }
  }

 private:
  // The library is column-major. A row-major C is the column-major transpose of C, which is B transposed
  // times A transposed: the same bytes in exchanged places.
  template <class Size>
  void call_with(GemmEx<Size>* one, GemmStrided<Size>* many, const GpuProblem& p,
                 const GpuMatrices& matrices) {
    const auto size = [](std::int64_t value) {
      return static_cast<Size>(std::max<std::int64_t>(value, 1));
    };
    const auto operation = [](bool transposed) {
      return transposed ? kTransposed : kNotTransposed;
    };
    const auto& [alpha, beta] = p.scaling;
    const auto narrow_alpha = static_cast<float>(alpha), narrow_beta = static_cast<float>(beta);
    const bool wide = p.dtype == Dtype::kF64;
    const DataType type = data_type(p.dtype);
    const int op_b = operation(p.shape.trans_b), op_a = operation(p.shape.trans_a);
    const Size n = static_cast<Size>(p.shape.n), m = static_cast<Size>(p.shape.m),
               k = static_cast<Size>(p.shape.k);
    const void* const factor = wide ? static_cast<const void*>(&alpha) : &narrow_alpha;
    const void* const scale = wide ? static_cast<const void*>(&beta) : &narrow_beta;
    const void* const a = reinterpret_cast<const void*>(matrices.a);
    const void* const b = reinterpret_cast<const void*>(matrices.b);
    void* const c = reinterpret_cast<void*>(matrices.c);
    const DataType result = data_type(p.result);
    if (p.shape.batch == 1) {
      check(one(handle_, op_b, op_a, n, m, k, factor, b, type, size(p.ldb), a, type, size(p.lda),
                scale, c, result, size(p.ldc), compute_type(p), kDefaultAlgorithm),
            fmt::format("cublasGemmEx({})", p.name()));
      return;
    }
    check(many(handle_, op_b, op_a, n, m, k, factor, b, type, size(p.ldb), p.rows_of_b() * p.ldb, a,
               type, size(p.lda), p.rows_of_a() * p.lda, scale, c, result, size(p.ldc),
               p.shape.m * p.ldc, static_cast<Size>(p.shape.batch), compute_type(p),
               kDefaultAlgorithm),
          fmt::format("cublasGemmStridedBatchedEx({})", p.name()));
  }

  Functions functions_;
  Handle handle_;
  device::cuda::CudaDevice& device_;
};

// The library's functions on `device`; nullptr and a reason where that fails (too new for the driver, say).
std::unique_ptr<Cublas> open_one(void* library, const std::string& name,
                                 device::cuda::CudaDevice& device, std::string& why_not) {
  Functions functions;
  if (!bind_all(library, functions)) {
    why_not = fmt::format("{} lacks a function of CUDA 11's cuBLAS", name);
    return nullptr;
  }
  Handle handle = nullptr;
  if (const int status = functions.create(&handle); status != kSuccess) {
    why_not = fmt::format("{}: cublasCreate_v2(): cuBLAS status {}", name, status);
    return nullptr;
  }
  return std::make_unique<OpenedCublas>(functions, handle, device);
}

class CublasProduct final : public GpuProduct {
 public:
  CublasProduct(Cublas& library, const GpuProblem& problem)
      : library_(library), problem_(problem) {}
  void enqueue(const GpuMatrices& matrices, device::Stream& stream) override {
    library_.gemm_ex(problem_, matrices, stream);
  }

 private:
  Cublas& library_;
  GpuProblem problem_;
};

class CublasPeer final : public GpuLibrary {
 public:
  explicit CublasPeer(std::unique_ptr<Cublas> library) : library_(std::move(library)) {}
  std::string name() const override { return "cublas"; }
  std::string version() const override { return library_->version(); }
  std::string file() const override { return library_->file(); }
  std::unique_ptr<GpuProduct> prepare(const GpuProblem& problem) override {
    return std::make_unique<CublasProduct>(*library_, problem);
  }

 private:
  std::unique_ptr<Cublas> library_;
};

}  // namespace

std::unique_ptr<Cublas> Cublas::open(device::Device& device, std::string& why_not) {
  auto* cuda = dynamic_cast<device::cuda::CudaDevice*>(&device);
  if (!cuda) {
    why_not = fmt::format("{} is not a CUDA device", device.description());
    return nullptr;
  }
  cuda->make_current();
  why_not = not_found("cublas");
  std::unique_ptr<Cublas> opened;
  open_cuda_library("cublas", [&](void* library, const std::string& name) {
    opened = open_one(library, name, *cuda, why_not);
    return opened != nullptr;
  });
  if (opened) why_not.clear();
  return opened;
}

std::unique_ptr<GpuLibrary> open_cublas_peer(device::Device& device, std::string& why_not) {
  std::unique_ptr<Cublas> library = Cublas::open(device, why_not);
  return library ? std::make_unique<CublasPeer>(std::move(library)) : nullptr;
}

}  // namespace tilewise::bench
