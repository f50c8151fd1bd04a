// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/launch.hpp"

#include <algorithm>
#include <array>

#include "core/phrase.hpp"
#include "gemm/gpu/estimate.hpp"
#include "kernels/images.hpp"
#include "tilewise/error.hpp"

namespace tilewise::gpu {
namespace {

using kernels::FactorBox;
using kernels::GemmArguments;
using kernels::GemmFactor;
using kernels::GemmKernel;

// The part of a batch from matrix `first` on.
GemmArguments from_matrix(GemmArguments arguments, std::int64_t first, std::size_t operand,
                          std::size_t result) {
  const auto shift = [&](auto& x, std::size_t element) {
    using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(x.address)>>,
                                    const std::byte, std::byte>;
    if (x.pointers != nullptr) x.pointers += first;
    else if (x.address != nullptr)
      x.address =
          static_cast<Byte*>(x.address) + first * x.stride * static_cast<std::int64_t>(element);
  };
  shift(arguments.a, operand);
  shift(arguments.b, operand);
  shift(arguments.c, result);
  return arguments;
}

TensorType tensor_type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF16: return TensorType::kF16;
    case Dtype::kBF16: return TensorType::kBf16;
    case Dtype::kF32: return TensorType::kF32;
    case Dtype::kF64: return TensorType::kF64;
    default: throw Error(ErrorCode::kInternal, "no tensor maps of integers");
  }
}

// The tensor map of a factor: dimension 0 is whichever is contiguous, dimension 2 the batch.
TensorMap map_of(device::Device& device, const GemmFactor& factor, const FactorBox& box,
                 bool along_k, std::int64_t lines, std::int64_t k, std::int64_t count,
                 Dtype operand) {
  const auto unsign = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  const std::uint64_t element = size_of(operand);
  const auto box_lines = static_cast<std::uint32_t>(box.lines),
             box_k = static_cast<std::uint32_t>(box.k);
  TensorMapRequest request;
  request.type = tensor_type_of(operand);
  request.rank = 3;
  request.address = reinterpret_cast<std::uintptr_t>(factor.address);
  request.dimensions = {unsign(along_k ? k : lines), unsign(along_k ? lines : k),
                        factor.stride == 0 ? 1 : unsign(count)};
  const std::uint64_t line_bytes = unsign(factor.leading_dimension) * element;
  request.strides = {
      line_bytes, count > 1 && factor.stride != 0 ? unsign(factor.stride) * element : line_bytes};
  const auto inner = static_cast<std::uint32_t>(128 / element);
  request.box = {std::min(along_k ? box_k : box_lines, inner), along_k ? box_lines : box_k, 1};
  request.swizzle = TensorSwizzle::k128B;
  request.l2_promotion = 128;
  return device.make_tensor_map(request);
}

Dim3 grid_of(const Plan& plan, const Problem& oriented, std::int64_t matrices, int sm_count) {
  const GemmKernel& kernel = *plan.kernel;
  const std::int64_t tiles = tiles_of(kernel, oriented);
  if (!kernel.persistent) {
    return {static_cast<std::uint32_t>(tiles), static_cast<std::uint32_t>(plan.parts),
            static_cast<std::uint32_t>(matrices)};
  }
  const std::int64_t places = std::int64_t{sm_count} * kernel.blocks_per_sm;
  const std::int64_t blocks = std::min(tiles * plan.parts * matrices, places);
  return {static_cast<std::uint32_t>(
              std::max<std::int64_t>(blocks / kernel.cluster * kernel.cluster, kernel.cluster)),
          1, 1};
}

void launch_kernel(const Plan& plan, const Problem& oriented, const GemmArguments& arguments,
                   std::int64_t matrices, device::Device& device, device::Kernel& entry,
                   device::Stream& stream) {
  const GemmKernel& kernel = *plan.kernel;
  TensorMap map_a, map_b;
  std::array<const void*, 3> values{&arguments, &map_a, &map_b};
  const bool takes_maps = kernel.box_a.lines > 0;
  if (takes_maps && arguments.k > 0) {
    map_a = map_of(device, arguments.a, kernel.box_a, oriented.a_along_k, arguments.m, arguments.k,
                   matrices, oriented.operand);
    map_b = map_of(device, arguments.b, kernel.box_b, oriented.b_along_k, arguments.n, arguments.k,
                   matrices, oriented.operand);
  }
  device::Launch launch;
  launch.grid = grid_of(plan, oriented, matrices, device.gpu().sm_count);
  launch.block = {static_cast<std::uint32_t>(kernel.threads), 1, 1};
  launch.dynamic_shared_bytes = static_cast<std::uint32_t>(kernel.dynamic_shared_bytes);
  launch.arguments = {values.data(), takes_maps ? 3u : 1u};
  // The work before may be the caller's, which does not know that somebody follows early: safe, as the kernel waits
  // for its end before it reads or writes anything.
  launch.overlaps_previous = kernel.overlaps_previous;
  device.launch(entry, launch, stream);
}

}  // namespace

device::Kernel& Kernels::find(std::string_view unit, std::string_view entry) {
  const std::scoped_lock lock(loading_);
  const auto known = kernels_.find(entry);
  if (known != kernels_.end()) return *known->second;
  std::unique_ptr<device::Module>& module = modules_[unit];
  if (!module) {
    const model::Gpu& gpu = device_.gpu();
    module = device_.load(
        kernels::find_image(unit, gpu.compute_major, gpu.compute_minor, kernels::gemm_images()));
  }
  device::Kernel& kernel = module->kernel(entry);
  kernels_.emplace(entry, &kernel);
  return kernel;
}

void launch(const Plan& plan, const Problem& problem, device::Device& device, Kernels& kernels,
            device::Stream& stream, device::Address workspace) {
  const Problem oriented = oriented_for(*plan.kernel, problem);
  device::Kernel& entry = kernels.find(plan.kernel->unit, plan.entry);
  const auto at = [&](const Piece& piece) {
    return reinterpret_cast<void*>(workspace + piece.offset);
  };
  GemmArguments arguments = oriented.arguments;
  arguments.split.parts = plan.parts;
  arguments.split.k_each = plan.k_each;
  if (plan.parts > 1) {
    arguments.split.partials = at(plan.partials);
    arguments.split.arrivals = static_cast<unsigned*>(at(plan.arrivals));
    device.fill(workspace + plan.arrivals.offset, 0, plan.arrivals.bytes, stream);
  }
  for (std::int64_t first = 0; first < problem.count; first += kMostMatrices) {
    launch_kernel(plan, oriented,
                  from_matrix(arguments, first, size_of(problem.operand), size_of(problem.result)),
                  std::min(kMostMatrices, problem.count - first), device, entry, stream);
  }
}

}  // namespace tilewise::gpu
