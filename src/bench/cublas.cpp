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

// The library's functions, as cublas_v2.h of CUDA 11 to 13 declares them.
struct Functions {
  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  int (*get_version)(Handle, int*) = nullptr;
  int (*set_stream)(Handle, StreamHandle) = nullptr;
  Gemm<int, float>* sgemm = nullptr;
  Gemm<int, double>* dgemm = nullptr;
  // Since CUDA 12, for sizes beyond int; nullptr before.
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
  return bind(library, "cublasCreate_v2", functions.create) &&
         bind(library, "cublasDestroy_v2", functions.destroy) &&
         bind(library, "cublasGetVersion_v2", functions.get_version) &&
         bind(library, "cublasSetStream_v2", functions.set_stream) &&
         bind(library, "cublasSgemm_v2", functions.sgemm) &&
         bind(library, "cublasDgemm_v2", functions.dgemm);
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

  void gemm(Dtype dtype, Order order, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
            Address a, Address b, double beta, Address c, device::Stream& stream) override {
    if (m == 0 || n == 0) return;
    // The library is column-major. A row-major C is the column-major transpose of C, which is B
    // transposed times A transposed: the same bytes in exchanged places.
    if (order == Order::kRowMajor) {
      std::swap(m, n);
      std::swap(a, b);
    }
    device_.make_current();
    check(functions_.set_stream(handle_, device::cuda::handle_of(stream)), "cublasSetStream_v2()");
    if (dtype == Dtype::kF32) {
      call("cublasSgemm_v2", functions_.sgemm, functions_.sgemm_64, m, n, k,
           static_cast<float>(alpha), a, b, static_cast<float>(beta), c);
    } else if (dtype == Dtype::kF64) {
      call("cublasDgemm_v2", functions_.dgemm, functions_.dgemm_64, m, n, k, alpha, a, b, beta, c);
    } else {
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("dtype = {}: cuBLAS is called for f32 and f64", name_of(dtype)));
    }
  }

 private:
  template <class T>
  void call(const char* name, Gemm<int, T>* narrow_gemm, Gemm<std::int64_t, T>* wide_gemm,
            std::int64_t m, std::int64_t n, std::int64_t k, T alpha, Address a, Address b, T beta,
            Address c) {
    const auto* first = reinterpret_cast<const T*>(a);
    const auto* second = reinterpret_cast<const T*>(b);
    auto* result = reinterpret_cast<T*>(c);
    const std::int64_t lda = std::max<std::int64_t>(m, 1), ldb = std::max<std::int64_t>(k, 1);
    int status = kSuccess;
    if (std::max({m, n, k}) <= std::numeric_limits<int>::max()) {
      const auto narrow = [](std::int64_t size) { return static_cast<int>(size); };
      status =
          narrow_gemm(handle_, kNotTransposed, kNotTransposed, narrow(m), narrow(n), narrow(k),
                      &alpha, first, narrow(lda), second, narrow(ldb), &beta, result, narrow(lda));
    } else if (wide_gemm) {
      status = wide_gemm(handle_, kNotTransposed, kNotTransposed, m, n, k, &alpha, first, lda,
                         second, ldb, &beta, result, lda);
    } else {
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("{}: m = {}, n = {}, k = {}: this cuBLAS takes sizes up to {}", name,
                              m, n, k, std::numeric_limits<int>::max()));
    }
    check(status, fmt::format("{}(m {}, n {}, k {})", name, m, n, k));
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
