// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/own_gpu_library.hpp"

#include "bench/origin.hpp"
#include "device/cuda/handles.hpp"
#include "gemm/gpu/context.hpp"
#include "gemm/gpu/product.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

// op(X), rows×columns, where X stands transposed or not.
template <class T>
MatrixView<T> view_of(device::Address address, std::int64_t rows, std::int64_t columns,
                      bool is_transposed, std::int64_t leading) {
  T* const data = reinterpret_cast<T*>(address);
  return is_transposed ? transposed(row_major(data, columns, rows, leading))
                       : row_major(data, rows, columns, leading);
}

/// A product of elements T with a result of elements C.
template <class T, class C> class OwnProduct final : public GpuProduct {
 public:
  OwnProduct(GpuContext& context, const GpuProblem& problem)
      : context_(context), problem_(problem), plan_(planned()) {}

  std::string plan() const override { return plan_; }

  void enqueue(const GpuMatrices& matrices, device::Stream& stream) override {
    GpuGemmOptions options;
    options.mode = problem_.mode;
    if (!context_.state().device->is_virtual()) options.stream = device::cuda::handle_of(stream);
    const auto alpha = static_cast<Scalar>(problem_.scaling.alpha),
               beta = static_cast<Scalar>(problem_.scaling.beta);
    if (problem_.shape.batch == 1) {
      gemm(context_, alpha, a(matrices), b(matrices), beta, c(matrices), options);
      return;
    }
    gemm_batch(context_, problem_.shape.batch, alpha,
               strided(a(matrices), problem_.rows_of_a() * problem_.lda),
               strided(b(matrices), problem_.rows_of_b() * problem_.ldb), beta,
               strided(c(matrices), problem_.shape.m * problem_.ldc), options);
  }

 private:
  using Scalar = std::conditional_t<std::is_same_v<T, double>, double, float>;

  MatrixView<const T> a(const GpuMatrices& matrices) const {
    const GemmShape& s = problem_.shape;
    return view_of<const T>(matrices.a, s.m, s.k, s.trans_a, problem_.lda);
  }
  MatrixView<const T> b(const GpuMatrices& matrices) const {
    const GemmShape& s = problem_.shape;
    return view_of<const T>(matrices.b, s.k, s.n, s.trans_b, problem_.ldb);
  }
  MatrixView<C> c(const GpuMatrices& matrices) const {
    return view_of<C>(matrices.c, problem_.shape.m, problem_.shape.n, false, problem_.ldc);
  }

  // What the library will choose for operands that begin on 256 bytes, as ours do.
  std::string planned() const {
    const gpu::Choice choice =
        gpu::choice_for(context_.state(), planned_problem(problem_, {256, 256, 256}));
    return gpu::name_of(choice.plan) + (choice.by == gpu::ChosenBy::kTuning ? ", tuned" : "");
  }

  GpuContext& context_;
  GpuProblem problem_;
  std::string plan_;
};

class PlannedProduct final : public GpuProduct {
 public:
  PlannedProduct(const gpu::Plan& plan, GpuContext& context, const GpuProblem& problem)
      : plan_(plan), context_(context), problem_(problem) {}
  std::string plan() const override { return gpu::name_of(plan_); }
  void enqueue(const GpuMatrices& matrices, device::Stream& stream) override {
    gpu::run(context_.state(), plan_, planned_problem(problem_, matrices), stream);
  }

 private:
  gpu::Plan plan_;
  GpuContext& context_;
  GpuProblem problem_;
};

// `rows`×`columns` as stored, of which the product sees the transpose where `turned`.
api::Batch stored(device::Address address, std::int64_t rows, std::int64_t columns,
                  std::int64_t leading, bool turned, Dtype dtype) {
  const api::Matrix matrix{reinterpret_cast<const void*>(address),
                           turned ? columns : rows,
                           turned ? rows : columns,
                           leading,
                           turned ? Order::kColumnMajor : Order::kRowMajor,
                           static_cast<std::int64_t>(size_of(dtype))};
  return {matrix, rows * leading, nullptr, true};
}

class OwnLibrary final : public GpuLibrary {
 public:
  explicit OwnLibrary(GpuContext& context) : context_(context) {}
  std::string name() const override { return "tilewise"; }
  std::string version() const override { return "tilewise " + own_version(); }
  std::unique_ptr<GpuProduct> prepare(const GpuProblem& problem) override {
    const bool narrow = problem.result == problem.dtype;
    switch (problem.dtype) {
      case Dtype::kF32: return make<float, float>(problem);
      case Dtype::kF64: return make<double, double>(problem);
      case Dtype::kBF16:
        return narrow ? make<BFloat16, BFloat16>(problem) : make<BFloat16, float>(problem);
      case Dtype::kF16:
        return narrow ? make<Float16, Float16>(problem) : make<Float16, float>(problem);
      default: break;
    }
    throw Error(ErrorCode::kUnsupported, problem.name() + ": products of floats only");
  }

 private:
  template <class T, class C> std::unique_ptr<GpuProduct> make(const GpuProblem& problem) {
    return std::make_unique<OwnProduct<T, C>>(context_, problem);
  }

  GpuContext& context_;
};

}  // namespace

gpu::Problem planned_problem(const GpuProblem& problem, const GpuMatrices& matrices) {
  const GemmShape& s = problem.shape;
  const api::Batch a = stored(matrices.a, problem.rows_of_a(), s.trans_a ? s.m : s.k, problem.lda,
                              s.trans_a, problem.dtype);
  const api::Batch b = stored(matrices.b, problem.rows_of_b(), s.trans_b ? s.k : s.n, problem.ldb,
                              s.trans_b, problem.dtype);
  const api::Batch c = stored(matrices.c, s.m, s.n, problem.ldc, false, problem.result);
  return gpu::problem_of(problem.dtype, problem.result, problem.mode, problem.shape.batch,
                         gpu::Scalar(problem.scaling.alpha, nullptr, false), a, b,
                         gpu::Scalar(problem.scaling.beta, nullptr, false), c);
}

std::unique_ptr<GpuProduct> product_by(const gpu::Plan& plan, GpuContext& context,
                                       const GpuProblem& problem) {
  return std::make_unique<PlannedProduct>(plan, context, problem);
}

std::unique_ptr<GpuLibrary> open_own_gpu_library(GpuContext& context) {
  return std::make_unique<OwnLibrary>(context);
}

}  // namespace tilewise::bench
