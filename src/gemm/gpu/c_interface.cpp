// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU part of tilewise/tilewise.h: element types come as numbers here.
#include "gemm/c_layout.hpp"
#include "gemm/c_status.hpp"
#include "gemm/gpu/c_context.hpp"
#include "gemm/gpu/product.hpp"

namespace tilewise::gpu {
namespace {

const Names kNames{api::kCNames,
                   "alpha",
                   "beta",
                   "options->mode",
                   "options->workspace",
                   "options->workspace_bytes"};

[[noreturn]] void refuse_null(const char* name, const char* expected) {
  throw Error(ErrorCode::kInvalidArgument, std::string(name) + " = null: expected " + expected);
}

Dtype dtype_of(tw_dtype type, const char* name) {
  switch (type) {
    case TW_F16: return Dtype::kF16;
    case TW_BF16: return Dtype::kBF16;
    case TW_F32: return Dtype::kF32;
    case TW_F64: return Dtype::kF64;
    default: api::refuse_value(name, type, "TW_F16 (0), TW_BF16 (1), TW_F32 (2) or TW_F64 (3)");
  }
}

void check_types(Dtype operand, Dtype result, tw_dtype c_type) {
  const bool is_half = operand == Dtype::kF16 || operand == Dtype::kBF16;
  if (result == operand || (is_half && result == Dtype::kF32)) return;
  api::refuse_value("c_type", c_type, is_half ? "ab_type, or TW_F32 (2)" : "ab_type");
}

Scalar scalar_at(const void* scalar, Dtype operand, bool on_device, const char* name) {
  if (scalar == nullptr) refuse_null(name, "where it stands");
  if (on_device) return {0, scalar, true};
  return {operand == Dtype::kF64 ? *static_cast<const double*>(scalar)
                                 : static_cast<double>(*static_cast<const float*>(scalar)),
          nullptr, false};
}

GpuGemmOptions options_of(const tw_gpu_options& options) {
  for (const std::int64_t word : options.reserved) {
    if (word != 0) {
      throw Error(ErrorCode::kInvalidArgument,
                  "options->reserved: expected zeros, as in a tw_gpu_options that is all zero");
    }
  }
  if (options.mode < TW_IEEE || options.mode > TW_TF32) {
    api::refuse_value("options->mode", options.mode, "TW_IEEE (0), TW_ACCURATE (1) or TW_TF32 (2)");
  }
  return {options.stream, static_cast<ComputeMode>(options.mode), options.workspace,
          options.workspace_bytes};
}

/// The matrices of a call, whose elements have any type: their sizes are set here.
struct Matrices {
  api::Batch a, b, c;
};

api::Batch untyped(const MatrixView<const char>& view, Dtype dtype, std::int64_t stride,
                   const void* pointers) {
  api::Matrix shape = api::untyped(view);
  shape.element_bytes = static_cast<std::int64_t>(size_of(dtype));
  return {shape, stride, static_cast<const void* const*>(pointers), true};
}

struct Types {
  tw_dtype ab, c;
};
struct Scalars {
  const void *alpha, *beta;
};

/// What is the same in all functions. `place`: makes the matrices, given views and types; `act`: what is done with
/// the call.
template <class Place, class Act>
tw_status with_call(const tw_gpu_context* context, const api::Layout& layout, const Types& types,
                    const Scalars& scalars, std::int64_t count, const tw_gpu_options* options,
                    const Place& place, const Act& act) noexcept {
  return api::status_after([&] {
    if (context == nullptr) refuse_null("context", "one of tw_gpu_context_create()");
    static const tw_gpu_options defaults{};
    const tw_gpu_options& said = options != nullptr ? *options : defaults;
    const Dtype operand = dtype_of(types.ab, "ab_type"), result = dtype_of(types.c, "c_type");
    check_types(operand, result, types.c);
    const Matrices matrices = place(api::Views(layout), operand, result);
    const bool on_device = said.scalars_on_device != 0;
    act(context->context,
        Call{operand, result, count, scalar_at(scalars.alpha, operand, on_device, "alpha"),
             matrices.a, matrices.b, scalar_at(scalars.beta, operand, on_device, "beta"),
             matrices.c, options_of(said)});
  });
}

void multiply_in_c(const GpuContext& context, const Call& call) { multiply(context, call, kNames); }

/// Sets *bytes to the workspace of the call.
auto question(std::int64_t* bytes) {
  return [bytes](const GpuContext& context, const Call& call) {
    *bytes = workspace_bytes(context, call, kNames);
  };
}

/// TW_OK when there is a place for the answer, which is 0 until it is known.
tw_status begin_answer(std::int64_t* bytes) noexcept {
  return api::status_after([&] {
    if (bytes == nullptr) refuse_null("bytes", "where to put the answer");
    *bytes = 0;
  });
}

/// A factor or result as C gives it: where it begins, or where its pointers stand.
struct Place {
  const void* begin;
  std::int64_t leading_dimension, stride = 0;
};

auto strided_matrices(const Place& a, const Place& b, const Place& c) {
  return [=](const api::Views& views, Dtype operand, Dtype result) -> Matrices {
    const auto bytes = [](const Place& x) { return static_cast<const char*>(x.begin); };
    return {untyped(views.a(bytes(a), a.leading_dimension), operand, a.stride, nullptr),
            untyped(views.b(bytes(b), b.leading_dimension), operand, b.stride, nullptr),
            untyped(views.c(bytes(c), c.leading_dimension), result, c.stride, nullptr)};
  };
}

auto pointed_matrices(const Place& a, const Place& b, const Place& c) {
  return [=](const api::Views& views, Dtype operand, Dtype result) -> Matrices {
    const char* const none = nullptr;
    return {untyped(views.a(none, a.leading_dimension), operand, 0, a.begin),
            untyped(views.b(none, b.leading_dimension), operand, 0, b.begin),
            untyped(views.c(none, c.leading_dimension), result, 0, c.begin)};
  };
}

}  // namespace
}  // namespace tilewise::gpu

using namespace tilewise;

tw_status tw_gpu_context_create(int32_t device, int64_t workspace_bytes, tw_gpu_context** context) {
  return tw_gpu_context_create_tuned(device, workspace_bytes, nullptr, context);
}

tw_status tw_gpu_context_create_tuned(int32_t device, int64_t workspace_bytes,
                                      const char* tuned_plans, tw_gpu_context** context) {
  return api::status_after([&] {
    if (context == nullptr) gpu::refuse_null("context", "where to put the new context");
    *context = nullptr;
    if (device < 0) api::refuse_value("device", device, "0 or more");
    *context = new tw_gpu_context{GpuContext(
        {.device = device, .workspace_bytes = workspace_bytes, .tuned_plans = tuned_plans})};
  });
}

void tw_gpu_context_destroy(tw_gpu_context* context) { delete context; }

tw_status tw_gpu_gemm(tw_gpu_context* context, tw_order order, tw_transpose trans_a,
                      tw_transpose trans_b, int64_t m, int64_t n, int64_t k, const void* alpha,
                      tw_dtype ab_type, const void* a, int64_t lda, const void* b, int64_t ldb,
                      const void* beta, tw_dtype c_type, void* c, int64_t ldc,
                      const tw_gpu_options* options) {
  return tw_gpu_gemm_batch_strided(context, order, trans_a, trans_b, m, n, k, alpha, ab_type, a,
                                   lda, 0, b, ldb, 0, beta, c_type, c, ldc, 0, 1, options);
}

tw_status tw_gpu_gemm_batch_strided(tw_gpu_context* context, tw_order order, tw_transpose trans_a,
                                    tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                    const void* alpha, tw_dtype ab_type, const void* a, int64_t lda,
                                    int64_t stride_a, const void* b, int64_t ldb, int64_t stride_b,
                                    const void* beta, tw_dtype c_type, void* c, int64_t ldc,
                                    int64_t stride_c, int64_t count,
                                    const tw_gpu_options* options) {
  return gpu::with_call(
      context, {order, trans_a, trans_b, m, n, k}, {ab_type, c_type}, {alpha, beta}, count, options,
      gpu::strided_matrices({a, lda, stride_a}, {b, ldb, stride_b}, {c, ldc, stride_c}),
      gpu::multiply_in_c);
}

tw_status tw_gpu_gemm_batch(tw_gpu_context* context, tw_order order, tw_transpose trans_a,
                            tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                            const void* alpha, tw_dtype ab_type, const void* const* a, int64_t lda,
                            const void* const* b, int64_t ldb, const void* beta, tw_dtype c_type,
                            void* const* c, int64_t ldc, int64_t count,
                            const tw_gpu_options* options) {
  return gpu::with_call(context, {order, trans_a, trans_b, m, n, k}, {ab_type, c_type},
                        {alpha, beta}, count, options,
                        gpu::pointed_matrices({a, lda}, {b, ldb}, {c, ldc}), gpu::multiply_in_c);
}

tw_status tw_gpu_gemm_workspace(const tw_gpu_context* context, tw_order order, tw_transpose trans_a,
                                tw_transpose trans_b, int64_t m, int64_t n, int64_t k,
                                const void* alpha, tw_dtype ab_type, const void* a, int64_t lda,
                                const void* b, int64_t ldb, const void* beta, tw_dtype c_type,
                                void* c, int64_t ldc, const tw_gpu_options* options,
                                int64_t* bytes) {
  return tw_gpu_gemm_batch_strided_workspace(context, order, trans_a, trans_b, m, n, k, alpha,
                                             ab_type, a, lda, 0, b, ldb, 0, beta, c_type, c, ldc, 0,
                                             1, options, bytes);
}

tw_status tw_gpu_gemm_batch_strided_workspace(const tw_gpu_context* context, tw_order order,
                                              tw_transpose trans_a, tw_transpose trans_b, int64_t m,
                                              int64_t n, int64_t k, const void* alpha,
                                              tw_dtype ab_type, const void* a, int64_t lda,
                                              int64_t stride_a, const void* b, int64_t ldb,
                                              int64_t stride_b, const void* beta, tw_dtype c_type,
                                              void* c, int64_t ldc, int64_t stride_c, int64_t count,
                                              const tw_gpu_options* options, int64_t* bytes) {
  if (const tw_status status = gpu::begin_answer(bytes); status != TW_OK) return status;
  return gpu::with_call(
      context, {order, trans_a, trans_b, m, n, k}, {ab_type, c_type}, {alpha, beta}, count, options,
      gpu::strided_matrices({a, lda, stride_a}, {b, ldb, stride_b}, {c, ldc, stride_c}),
      gpu::question(bytes));
}

tw_status tw_gpu_gemm_batch_workspace(const tw_gpu_context* context, tw_order order,
                                      tw_transpose trans_a, tw_transpose trans_b, int64_t m,
                                      int64_t n, int64_t k, const void* alpha, tw_dtype ab_type,
                                      const void* const* a, int64_t lda, const void* const* b,
                                      int64_t ldb, const void* beta, tw_dtype c_type,
                                      void* const* c, int64_t ldc, int64_t count,
                                      const tw_gpu_options* options, int64_t* bytes) {
  if (const tw_status status = gpu::begin_answer(bytes); status != TW_OK) return status;
  return gpu::with_call(context, {order, trans_a, trans_b, m, n, k}, {ab_type, c_type},
                        {alpha, beta}, count, options,
                        gpu::pointed_matrices({a, lda}, {b, ldb}, {c, ldc}), gpu::question(bytes));
}
