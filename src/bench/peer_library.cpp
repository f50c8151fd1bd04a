// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A peer: one shared library, opened at run time, called through the names that its users call. The
// Fortran names compute in column-major order, so the row-major product is asked for as its transpose,
// (A·B)ᵀ = Bᵀ·Aᵀ: the same memory, the factors exchanged. oneDNN computes in row-major order, as CBLAS can.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "bench/multiplier.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

// Integers go by address. A library that expects 32 bits reads the lower half of ours, which is all
// of it for sizes below 2^31 on a little-endian machine; so both kinds of library are served.
template <class T>
using FortranGemm = void (*)(const char* trans_a, const char* trans_b, const std::int64_t* m,
                             const std::int64_t* n, const std::int64_t* k, const T* alpha,
                             const T* a, const std::int64_t* lda, const T* b,
                             const std::int64_t* ldb, const T* beta, T* c, const std::int64_t* ldc,
                             std::size_t trans_a_length, std::size_t trans_b_length);

// Whole numbers of 32 or 64 bits take the same registers and places on the stack.
template <class T>
using CblasGemmBatch = void (*)(int layout, int trans_a, int trans_b, std::int64_t m,
                                std::int64_t n, std::int64_t k, T alpha, const T* a,
                                std::int64_t lda, std::int64_t stride_a, const T* b,
                                std::int64_t ldb, std::int64_t stride_b, T beta, T* c,
                                std::int64_t ldc, std::int64_t stride_c, std::int64_t count);

using DnnlSgemm = int (*)(char trans_a, char trans_b, std::int64_t m, std::int64_t n,
                          std::int64_t k, float alpha, const float* a, std::int64_t lda,
                          const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc);

using DnnlGemmS8 = int (*)(char trans_a, char trans_b, char offset_c, std::int64_t m,
                           std::int64_t n, std::int64_t k, float alpha, const std::int8_t* a,
                           std::int64_t lda, std::int8_t a_offset, const std::int8_t* b,
                           std::int64_t ldb, std::int8_t b_offset, float beta, std::int32_t* c,
                           std::int64_t ldc, const std::int32_t* c_offset);

/// The beginning of what dnnl_version() returns.
struct DnnlVersion {
  int major, minor, patch;
};

constexpr int kCblasRowMajor = 101;
int cblas_transposition(bool transposed) { return transposed ? 112 : 111; }
char letter(bool transposed) { return transposed ? 'T' : 'N'; }

std::string one_line(std::string text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.pop_back();
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text;
}

class PeerLibrary : public Multiplier {
 public:
  PeerLibrary(void* handle, int threads) : handle_(handle) {
    dnnl_sgemm_ = symbol<DnnlSgemm>("dnnl_sgemm");
    dnnl_gemm_s8_ = symbol<DnnlGemmS8>("dnnl_gemm_s8s8s32");
    sgemm_ = symbol<FortranGemm<float>>("sgemm_");
    dgemm_ = symbol<FortranGemm<double>>("dgemm_");
    sgemm_batch_ = symbol<CblasGemmBatch<float>>("cblas_sgemm_batch_strided");
    dgemm_batch_ = symbol<CblasGemmBatch<double>>("cblas_dgemm_batch_strided");
    if (!dnnl_sgemm_ && !sgemm_ && !dgemm_) {
      throw Error(ErrorCode::kUnsupported, "has neither sgemm_, dgemm_ nor dnnl_sgemm");
    }
    set_threads(threads);
  }

  // Distributions lead through several links to the library that it is.
  std::string file() const override {
    for (const char* name : {"dnnl_sgemm", "sgemm_", "dgemm_"}) {
      Dl_info info{};
      const void* address = ::dlsym(handle_, name);
      if (!address || ::dladdr(address, &info) == 0 || !info.dli_fname) continue;
      std::error_code failed;
      const std::filesystem::path path = std::filesystem::canonical(info.dli_fname, failed);
      return failed ? info.dli_fname : path.string();
    }
    return {};
  }

  std::string version() const override {
    for (const std::string& version :
         {openblas_version(), blis_version(), mkl_version(), dnnl_version()}) {
      if (!version.empty()) return one_line(version);
    }
    return "a library that does not say its version";
  }

  Calls bind(const GemmOperands& o) override {
    const bool batch = o.shape().batch != 1;
    switch (o.dtype()) {
      case Dtype::kF32:
        if (batch && sgemm_batch_) return repeat_batch(sgemm_batch_, o);
        return dnnl_sgemm_ ? repeat_dnnl(o) : repeat_fortran(sgemm_, o);
      case Dtype::kF64:
        if (batch && dgemm_batch_) return repeat_batch(dgemm_batch_, o);
        return repeat_fortran(dgemm_, o);
      case Dtype::kS8: return dnnl_gemm_s8_ ? repeat_dnnl_s8(o) : Calls{};
      default: return {};
    }
  }

  std::string path(const GemmOperands&) override { return {}; }

 private:
  template <class Function> Function symbol(const char* name) const {
    return reinterpret_cast<Function>(::dlsym(handle_, name));
  }

  // The environment has said it already; some builds listen to the call only.
  void set_threads(int threads) const {
    if (const auto set = symbol<void (*)(int)>("openblas_set_num_threads")) set(threads);
    if (const auto set = symbol<void (*)(std::int64_t)>("bli_thread_set_num_threads")) set(threads);
  }

  std::string openblas_version() const {
    const auto config = symbol<const char* (*)()>("openblas_get_config");
    const auto core = symbol<const char* (*)()>("openblas_get_corename");
    if (!config) return {};
    return fmt::format("{}, kernels for {}", one_line(config()), core ? core() : "an unnamed core");
  }

  std::string blis_version() const {
    const auto version = symbol<const char* (*)()>("bli_info_get_version_str");
    const auto query = symbol<int (*)()>("bli_arch_query_id");
    const auto name = symbol<const char* (*)(int)>("bli_arch_string");
    if (!version) return {};
    return fmt::format("BLIS {}, kernels for {}", version(),
                       query && name ? name(query()) : "an unnamed core");
  }

  std::string mkl_version() const {
    const auto version = symbol<void (*)(char*, int)>("mkl_get_version_string");
    if (!version) return {};
    std::array<char, 256> text{};
    version(text.data(), static_cast<int>(text.size()) - 1);
    return text.data();
  }

  std::string dnnl_version() const {
    const auto version = symbol<const DnnlVersion* (*)()>("dnnl_version");
    const auto isa = symbol<int (*)()>("dnnl_get_effective_cpu_isa");
    if (!version) return {};
    const DnnlVersion& v = *version();
    std::string text = fmt::format("oneDNN {}.{}.{}", v.major, v.minor, v.patch);
    if (isa) text += fmt::format(", instruction set {:#x}", isa());
    return text;
  }

  template <class T> Calls repeat_fortran(FortranGemm<T> gemm, const GemmOperands& o) const {
    if (!gemm) return {};
    return [gemm, &o](std::int64_t calls) {
      const GemmShape& s = o.shape();
      const char trans_a = letter(s.trans_a), trans_b = letter(s.trans_b);
      const std::int64_t m = s.m, n = s.n, k = s.k, lda = o.lda(), ldb = o.ldb(), ldc = o.ldc();
      const T alpha = static_cast<T>(o.scaling().alpha), beta = static_cast<T>(o.scaling().beta);
      each_product(calls, s.batch, [&](std::int64_t product) {
        gemm(&trans_b, &trans_a, &n, &m, &k, &alpha, o.b<T>(product), &ldb, o.a<T>(product), &lda,
             &beta, o.c<T>(product), &ldc, 1, 1);
      });
    };
  }

  template <class T> Calls repeat_batch(CblasGemmBatch<T> gemm, const GemmOperands& o) const {
    return [gemm, &o](std::int64_t calls) {
      const GemmShape& s = o.shape();
      const T alpha = static_cast<T>(o.scaling().alpha), beta = static_cast<T>(o.scaling().beta);
      for (std::int64_t i = 0; i < calls; ++i) {
        gemm(kCblasRowMajor, cblas_transposition(s.trans_a), cblas_transposition(s.trans_b), s.m,
             s.n, s.k, alpha, o.a<T>(), o.lda(), o.size_a(), o.b<T>(), o.ldb(), o.size_b(), beta,
             o.c<T>(), o.ldc(), o.size_c(), s.batch);
      }
    };
  }

  // All products of a batch, `calls` times.
  template <class One>
  static void each_product(std::int64_t calls, std::int64_t batch, const One& one) {
    for (std::int64_t i = 0; i < calls; ++i) {
      for (std::int64_t product = 0; product < batch; ++product) one(product);
    }
  }

  Calls repeat_dnnl(const GemmOperands& o) const {
    return [gemm = dnnl_sgemm_, &o](std::int64_t calls) {
      const GemmShape& s = o.shape();
      const auto alpha = static_cast<float>(o.scaling().alpha),
                 beta = static_cast<float>(o.scaling().beta);
      each_product(calls, s.batch, [&](std::int64_t product) {
        const int status =
            gemm(letter(s.trans_a), letter(s.trans_b), s.m, s.n, s.k, alpha, o.a<float>(product),
                 o.lda(), o.b<float>(product), o.ldb(), beta, o.c<float>(product), o.ldc());
        expect_success("dnnl_sgemm", status);
      });
    };
  }

  Calls repeat_dnnl_s8(const GemmOperands& o) const {
    return [gemm = dnnl_gemm_s8_, &o](std::int64_t calls) {
      const GemmShape& s = o.shape();
      const std::int32_t zero = 0;
      each_product(calls, s.batch, [&](std::int64_t product) {
        const int status = gemm(letter(s.trans_a), letter(s.trans_b), 'F', s.m, s.n, s.k, 1.0f,
                                o.a<std::int8_t>(product), o.lda(), 0, o.b<std::int8_t>(product),
                                o.ldb(), 0, 0.0f, o.c<std::int32_t>(product), o.ldc(), &zero);
        expect_success("dnnl_gemm_s8s8s32", status);
      });
    };
  }

  static void expect_success(const char* name, int status) {
    if (status != 0) {
      throw Error(ErrorCode::kExecution, fmt::format("{} returned status {}", name, status));
    }
  }

  void* handle_;  // stays open: libraries with threads do not survive being closed
  DnnlSgemm dnnl_sgemm_ = nullptr;
  DnnlGemmS8 dnnl_gemm_s8_ = nullptr;
  FortranGemm<float> sgemm_ = nullptr;
  FortranGemm<double> dgemm_ = nullptr;
  CblasGemmBatch<float> sgemm_batch_ = nullptr;
  CblasGemmBatch<double> dgemm_batch_ = nullptr;
};

}  // namespace

std::unique_ptr<Multiplier> open_peer(const std::vector<std::string>& candidates, int threads) {
  std::string reason;
  for (const std::string& candidate : candidates) {
    if (void* handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return std::make_unique<PeerLibrary>(handle, threads);
    }
    const char* error = ::dlerror();
    if (reason.empty() && error) reason = one_line(error);
  }
  throw Error(ErrorCode::kInvalidInput, fmt::format("cannot be opened: {}", reason));
}

}  // namespace tilewise::bench
