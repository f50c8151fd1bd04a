// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/cublas.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "device/cuda/cuda_device.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

using device::Address;
using Handle = struct cublasContext*;
using StreamHandle = device::cuda::StreamHandle;
constexpr int kSuccess = 0;        // CUBLAS_STATUS_SUCCESS
constexpr int kNotTransposed = 0;  // CUBLAS_OP_N

template <class Size, class T>
using Gemm = int(Handle, int op_a, int op_b, Size m, Size n, Size k, const T* alpha, const T* a,
                 Size lda, const T* b, Size ldb, const T* beta, T* c, Size ldc);

// cublasGemmEx: types of A, B and C, and how to compute, by number; alpha and beta in f32.
template <class Size>
using GemmEx = int(Handle, int op_a, int op_b, Size m, Size n, Size k, const void* alpha,
                   const void* a, int a_type, Size lda, const void* b, int b_type, Size ldb,
                   const void* beta, void* c, int c_type, Size ldc, int compute, int algorithm);

// cudaDataType of library_types.h; cublasComputeType_t and cublasGemmAlgo_t of cublas_api.h.
enum DataType : int { kR32F = 0, kR16F = 2, kR16BF = 14 };
enum ComputeType : int { kCompute32F = 68, kCompute32FFastTf32 = 77 };
constexpr int kDefaultAlgorithm = -1;

// The library's functions, as cublas_v2.h of CUDA 11 to 13 declares them.
struct Functions {
  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*get_version)(Handle, int*) = nullptr;
  int (*set_stream)(Handle, StreamHandle) = nullptr;
  Gemm<int, float>* sgemm = nullptr;
  Gemm<int, double>* dgemm = nullptr;
  GemmEx<int>* gemm_ex = nullptr;
  // Since CUDA 12, for sizes beyond int; nullptr before.
  GemmEx<std::int64_t>* gemm_ex_64 = nullptr;
  Gemm<std::int64_t, float>* sgemm_64 = nullptr;
  Gemm<std::int64_t, double>* dgemm_64 = nullptr;
};

template <class Function> bool bind(void* library, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, symbol));
  return function != nullptr;
}

bool bind_all(void* library, Functions& functions) {
  bind(library, "cublasSgemm_v2_64", functions.sgemm_64);
  bind(library, "cublasDgemm_v2_64", functions.dgemm_64);
  bind(library, "cublasGemmEx_64", functions.gemm_ex_64);
  return bind(library, "cublasCreate_v2", functions.create) &&
         bind(library, "cublasDestroy_v2", functions.destroy) &&
         bind(library, "cublasGetVersion_v2", functions.get_version) &&
         bind(library, "cublasSetStream_v2", functions.set_stream) &&
         bind(library, "cublasSgemm_v2", functions.sgemm) &&
         bind(library, "cublasDgemm_v2", functions.dgemm) &&
         bind(library, "cublasGemmEx", functions.gemm_ex);
}

// Where the dynamic linker looks first, then where the toolkit is usually installed.
std::vector<std::string> candidates() {
  std::vector<std::string> folders{""};
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(std::string(home) + "/lib64/");
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    for (const char* suffix : {".13", ".12", ".11", ""}) {
      names.push_back(folder + "libcublas.so" + suffix);
    }
  }
  return names;
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

  void gemm(kernels::Arithmetic arithmetic, Order order, std::int64_t m, std::int64_t n,
            std::int64_t k, double alpha, Address a, Address b, double beta, Address c,
            device::Stream& stream) override {
    if (m == 0 || n == 0) return;
    // The library is column-major. A row-major C is the column-major transpose of C, which is B
    // transposed times A transposed: the same bytes in exchanged places.
    if (order == Order::kRowMajor) {
      std::swap(m, n);
      std::swap(a, b);
    }
    device_.make_current();
    check(functions_.set_stream(handle_, device::cuda::handle_of(stream)), "cublasSetStream_v2()");
    const auto narrow_alpha = static_cast<float>(alpha), narrow_beta = static_cast<float>(beta);
    switch (arithmetic) {
      case kernels::Arithmetic::kF32:
        call("cublasSgemm_v2", functions_.sgemm, functions_.sgemm_64, m, n, k, narrow_alpha, a, b,
             narrow_beta, c);
        break;
      case kernels::Arithmetic::kF64:
        call("cublasDgemm_v2", functions_.dgemm, functions_.dgemm_64, m, n, k, alpha, a, b, beta,
             c);
        break;
      case kernels::Arithmetic::kF16:
        call_ex(kR16F, kCompute32F, m, n, k, narrow_alpha, a, b, narrow_beta, c);
        break;
      case kernels::Arithmetic::kBF16:
        call_ex(kR16BF, kCompute32F, m, n, k, narrow_alpha, a, b, narrow_beta, c);
        break;
      case kernels::Arithmetic::kTF32:
        call_ex(kR32F, kCompute32FFastTf32, m, n, k, narrow_alpha, a, b, narrow_beta, c);
        break;
    }
  }

 private:
  // Calls `narrow` with sizes of type int where they fit, else `wide`, where the library has it.
  template <class Narrow, class Wide>
  static void call_for(const char* name, bool has_wide, std::int64_t m, std::int64_t n,
                       std::int64_t k, const Narrow& narrow, const Wide& wide) {
    int status = kSuccess;
    if (std::max({m, n, k}) <= std::numeric_limits<int>::max()) {
      status = narrow();
    } else if (has_wide) {
      status = wide();
    } else {
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("{}: m = {}, n = {}, k = {}: this cuBLAS takes sizes up to {}", name,
                              m, n, k, std::numeric_limits<int>::max()));
    }
    check(status, fmt::format("{}(m {}, n {}, k {})", name, m, n, k));
  }

  template <class T>
  void call(const char* name, Gemm<int, T>* narrow, Gemm<std::int64_t, T>* wide, std::int64_t m,
            std::int64_t n, std::int64_t k, T alpha, Address a, Address b, T beta, Address c) {
    const auto with = [&]<class Size>(Gemm<Size, T>* function) {
      const auto lda = static_cast<Size>(std::max<std::int64_t>(m, 1));
      const auto ldb = static_cast<Size>(std::max<std::int64_t>(k, 1));
      return function(handle_, kNotTransposed, kNotTransposed, static_cast<Size>(m),
                      static_cast<Size>(n), static_cast<Size>(k), &alpha,
                      reinterpret_cast<const T*>(a), lda, reinterpret_cast<const T*>(b), ldb, &beta,
                      reinterpret_cast<T*>(c), lda);
    };
    call_for(
        name, wide != nullptr, m, n, k, [&] { return with(narrow); }, [&] { return with(wide); });
  }

  void call_ex(DataType type, ComputeType compute, std::int64_t m, std::int64_t n, std::int64_t k,
               float alpha, Address a, Address b, float beta, Address c) {
    const auto with = [&]<class Size>(GemmEx<Size>* function) {
      const auto lda = static_cast<Size>(std::max<std::int64_t>(m, 1));
      const auto ldb = static_cast<Size>(std::max<std::int64_t>(k, 1));
      return function(handle_, kNotTransposed, kNotTransposed, static_cast<Size>(m),
                      static_cast<Size>(n), static_cast<Size>(k), &alpha,
                      reinterpret_cast<const void*>(a), type, lda, reinterpret_cast<const void*>(b),
                      type, ldb, &beta, reinterpret_cast<void*>(c), kR32F, lda, compute,
                      kDefaultAlgorithm);
    };
    call_for(
        "cublasGemmEx", functions_.gemm_ex_64 != nullptr, m, n, k,
        [&] { return with(functions_.gemm_ex); }, [&] { return with(functions_.gemm_ex_64); });
  }

  Functions functions_;
  Handle handle_;
  device::cuda::CudaDevice& device_;
};

// Opens one library; nullptr and a reason where that fails (missing, or too new for the driver). It
// stays open for the life of the process: cuBLAS does not survive being closed and opened again.
std::unique_ptr<Cublas> open_one(const std::string& name, device::cuda::CudaDevice& device,
                                 std::string& why_not) {
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return nullptr;
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

}  // namespace

std::unique_ptr<Cublas> Cublas::open(device::Device& device, std::string& why_not) {
  auto* cuda = dynamic_cast<device::cuda::CudaDevice*>(&device);
  if (!cuda) {
    why_not = fmt::format("{} is not a CUDA device", device.description());
    return nullptr;
  }
  cuda->make_current();
  why_not =
      "libcublas.so.13, .12 and .11 are neither known to the dynamic linker nor in "
      "$CUDA_HOME/lib64 or /usr/local/cuda/lib64";
  for (const std::string& name : candidates()) {
    if (auto opened = open_one(name, *cuda, why_not)) {
      why_not.clear();
      return opened;
    }
  }
  return nullptr;
}

}  // namespace tilewise::bench
