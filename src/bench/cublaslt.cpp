// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// cublasLtMatmul as a peer. Its heuristics propose algorithms for a problem; the benchmark measures them and
// keeps the fastest. Structures and numbers are those of CUDA 11's to 13's cublasLt.h.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/cublas.hpp"
#include "bench/cuda_library.hpp"
#include "device/cuda/cuda_device.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

using Handle = struct cublasLtContext*;
using Description = struct MatmulDescription*;  // cublasLtMatmulDesc_t
using Layout = struct MatrixLayout*;            // cublasLtMatrixLayout_t
using Preference = struct MatmulPreference*;    // cublasLtMatmulPreference_t
using StreamHandle = device::cuda::StreamHandle;

constexpr int kSuccess = 0;
constexpr int kTransposeA = 3, kTransposeB = 4;  // CUBLASLT_MATMUL_DESC_TRANSA, _TRANSB
constexpr int kWorkspaceBytes = 1;               // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
constexpr int kBatchCount = 5;                   // CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT
constexpr int kBatchStride = 6;                  // CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET
constexpr std::size_t kWorkspace = std::size_t{64} << 20;
constexpr int kMostHeuristics = 8;

// cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t.
struct Algorithm {
  std::uint64_t opaque[8];
};
struct Heuristic {
  Algorithm algorithm;
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

struct Functions {
  int (*create)(Handle*) = nullptr;
  int (*destroy)(Handle) = nullptr;
  std::size_t (*get_version)() = nullptr;
  int (*description_create)(Description*, int compute, int scale_type) = nullptr;
  int (*description_destroy)(Description) = nullptr;
  int (*description_set)(Description, int attribute, const void* value, std::size_t) = nullptr;
  int (*layout_create)(Layout*, int type, std::uint64_t rows, std::uint64_t columns,
                       std::int64_t leading) = nullptr;
  int (*layout_set)(Layout, int attribute, const void* value, std::size_t) = nullptr;
  int (*layout_destroy)(Layout) = nullptr;
  int (*preference_create)(Preference*) = nullptr;
  int (*preference_destroy)(Preference) = nullptr;
  int (*preference_set)(Preference, int attribute, const void* value, std::size_t) = nullptr;
  int (*heuristics)(Handle, Description, Layout a, Layout b, Layout c, Layout d, Preference,
                    int wanted, Heuristic*, int* found) = nullptr;
  int (*matmul)(Handle, Description, const void* alpha, const void* a, Layout, const void* b,
                Layout, const void* beta, const void* c, Layout, void* d, Layout, const Algorithm*,
                void* workspace, std::size_t, StreamHandle) = nullptr;
};

bool bind_all(void* library, Functions& f) {
  return bind(library, "cublasLtCreate", f.create) && bind(library, "cublasLtDestroy", f.destroy) &&
         bind(library, "cublasLtGetVersion", f.get_version) &&
         bind(library, "cublasLtMatmulDescCreate", f.description_create) &&
         bind(library, "cublasLtMatmulDescDestroy", f.description_destroy) &&
         bind(library, "cublasLtMatmulDescSetAttribute", f.description_set) &&
         bind(library, "cublasLtMatrixLayoutCreate", f.layout_create) &&
         bind(library, "cublasLtMatrixLayoutSetAttribute", f.layout_set) &&
         bind(library, "cublasLtMatrixLayoutDestroy", f.layout_destroy) &&
         bind(library, "cublasLtMatmulPreferenceCreate", f.preference_create) &&
         bind(library, "cublasLtMatmulPreferenceDestroy", f.preference_destroy) &&
         bind(library, "cublasLtMatmulPreferenceSetAttribute", f.preference_set) &&
         bind(library, "cublasLtMatmulAlgoGetHeuristic", f.heuristics) &&
         bind(library, "cublasLtMatmul", f.matmul);
}

void check(int status, std::string_view call, const GpuProblem& problem) {
  if (status == kSuccess) return;
  throw Error(ErrorCode::kDriver,
              fmt::format("{}({}): cuBLAS status {}", call, problem.name(), status));
}

/// What cublasLtMatmul() needs to know of a problem. The library is column-major: row-major C is the
/// transpose of C, B transposed times A transposed; so B comes first.
class LtProduct final : public GpuProduct {
 public:
  LtProduct(const Functions& functions, Handle handle, device::cuda::CudaDevice& device,
            device::Address workspace, const GpuProblem& problem)
      : f_(functions), handle_(handle), device_(device), workspace_(workspace), problem_(problem) {
    try {
      describe();
      ask();
    } catch (...) {
      release();
      throw;
    }
  }
  ~LtProduct() override { release(); }
  LtProduct(const LtProduct&) = delete;
  LtProduct& operator=(const LtProduct&) = delete;

  int candidates() const override { return static_cast<int>(heuristics_.size()); }
  void select(int candidate) override { chosen_ = static_cast<std::size_t>(candidate); }
  std::string plan() const override {
    return fmt::format("heuristic {} of {}, workspace {} KiB", chosen_ + 1, heuristics_.size(),
                       heuristics_[chosen_].workspace >> 10);
  }

  void enqueue(const GpuMatrices& matrices, device::Stream& stream) override {
    const auto& [alpha, beta] = problem_.scaling;
    const auto narrow_alpha = static_cast<float>(alpha), narrow_beta = static_cast<float>(beta);
    const bool wide = problem_.dtype == Dtype::kF64;
    void* c = reinterpret_cast<void*>(matrices.c);
    device_.make_current();
    check(f_.matmul(handle_, description_, wide ? static_cast<const void*>(&alpha) : &narrow_alpha,
                    reinterpret_cast<const void*>(matrices.b), first_,
                    reinterpret_cast<const void*>(matrices.a), second_,
                    wide ? static_cast<const void*>(&beta) : &narrow_beta, c, result_, c, result_,
                    &heuristics_[chosen_].algorithm, reinterpret_cast<void*>(workspace_),
                    kWorkspace, device::cuda::handle_of(stream)),
          "cublasLtMatmul", problem_);
  }

 private:
  void describe() {
    const GemmShape& s = problem_.shape;
    const DataType type = data_type(problem_.dtype);
    const int scale_type = problem_.dtype == Dtype::kF64 ? kR64F : kR32F;
    check(f_.description_create(&description_, compute_type(problem_), scale_type),
          "cublasLtMatmulDescCreate", problem_);
    transpose(kTransposeA, s.trans_b);
    transpose(kTransposeB, s.trans_a);
    lay_out(first_, type, s.trans_b ? s.k : s.n, s.trans_b ? s.n : s.k, problem_.ldb);
    lay_out(second_, type, s.trans_a ? s.m : s.k, s.trans_a ? s.k : s.m, problem_.lda);
    lay_out(result_, data_type(problem_.result), s.n, s.m, problem_.ldc);
  }

  void transpose(int attribute, bool transposed) {
    const int operation = transposed ? kTransposed : kNotTransposed;
    check(f_.description_set(description_, attribute, &operation, sizeof operation),
          "cublasLtMatmulDescSetAttribute", problem_);
  }

  void lay_out(Layout& layout, int type, std::int64_t rows, std::int64_t columns,
               std::int64_t leading) {
    check(f_.layout_create(&layout, type, static_cast<std::uint64_t>(rows),
                           static_cast<std::uint64_t>(columns), leading),
          "cublasLtMatrixLayoutCreate", problem_);
    if (problem_.shape.batch == 1) return;
    const auto count = static_cast<std::int32_t>(problem_.shape.batch);
    const std::int64_t stride = leading * columns;
    check(f_.layout_set(layout, kBatchCount, &count, sizeof count),
          "cublasLtMatrixLayoutSetAttribute", problem_);
    check(f_.layout_set(layout, kBatchStride, &stride, sizeof stride),
          "cublasLtMatrixLayoutSetAttribute", problem_);
  }

  void ask() {
    check(f_.preference_create(&preference_), "cublasLtMatmulPreferenceCreate", problem_);
    // Without more preferences it may count on matrices that begin on 256 bytes, as ours do.
    check(f_.preference_set(preference_, kWorkspaceBytes, &kWorkspace, sizeof kWorkspace),
          "cublasLtMatmulPreferenceSetAttribute", problem_);
    std::array<Heuristic, kMostHeuristics> found{};
    int count = 0;
    const int status = f_.heuristics(handle_, description_, first_, second_, result_, result_,
                                     preference_, kMostHeuristics, found.data(), &count);
    for (int i = 0; status == kSuccess && i < count; ++i) {
      const Heuristic& each = found[static_cast<std::size_t>(i)];
      if (each.state == kSuccess) heuristics_.push_back(each);
    }
    if (heuristics_.empty()) {
      throw Error(ErrorCode::kUnsupported,
                  fmt::format("cublasLtMatmulAlgoGetHeuristic({}): no algorithm (cuBLAS status {})",
                              problem_.name(), status));
    }
  }

  void release() noexcept {
    if (preference_) f_.preference_destroy(preference_);
    for (Layout layout : {first_, second_, result_}) {
      if (layout) f_.layout_destroy(layout);
    }
    if (description_) f_.description_destroy(description_);
  }

  const Functions& f_;
  Handle handle_;
  device::cuda::CudaDevice& device_;
  device::Address workspace_;
  GpuProblem problem_;
  Description description_ = nullptr;
  Layout first_ = nullptr, second_ = nullptr, result_ = nullptr;
  Preference preference_ = nullptr;
  std::vector<Heuristic> heuristics_;
  std::size_t chosen_ = 0;
};

class LtPeer final : public GpuLibrary {
 public:
  LtPeer(const Functions& functions, Handle handle, device::cuda::CudaDevice& device)
      : f_(functions), handle_(handle), device_(device), workspace_(device, kWorkspace) {}
  ~LtPeer() override { f_.destroy(handle_); }
  LtPeer(const LtPeer&) = delete;
  LtPeer& operator=(const LtPeer&) = delete;

  std::string name() const override { return "cublaslt"; }
  std::string version() const override {
    const std::size_t version = f_.get_version();
    return fmt::format("cuBLASLt {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  }
  std::string file() const override { return file_of(reinterpret_cast<const void*>(f_.matmul)); }
  std::unique_ptr<GpuProduct> prepare(const GpuProblem& problem) override {
    device_.make_current();
    return std::make_unique<LtProduct>(f_, handle_, device_, workspace_.address(), problem);
  }

 private:
  Functions f_;
  Handle handle_;
  device::cuda::CudaDevice& device_;
  device::Buffer workspace_;
};

}  // namespace

std::unique_ptr<GpuLibrary> open_cublaslt_peer(device::Device& device, std::string& why_not) {
  auto* cuda = dynamic_cast<device::cuda::CudaDevice*>(&device);
  if (!cuda) {
    why_not = fmt::format("{} is not a CUDA device", device.description());
    return nullptr;
  }
  cuda->make_current();
  why_not = not_found("cublasLt");
  std::unique_ptr<GpuLibrary> opened;
  open_cuda_library("cublasLt", [&](void* library, const std::string& name) {
    Functions functions;
    Handle handle = nullptr;
    if (!bind_all(library, functions)) {
      why_not = fmt::format("{} lacks a function of CUDA 11's cuBLASLt", name);
    } else if (const int status = functions.create(&handle); status != kSuccess) {
      why_not = fmt::format("{}: cublasLtCreate(): cuBLAS status {}", name, status);
    } else {
      opened = std::make_unique<LtPeer>(functions, handle, *cuda);
    }
    return opened != nullptr;
  });
  if (opened) why_not.clear();
  return opened;
}

}  // namespace tilewise::bench
