// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/product.hpp"

#include <cstdlib>

#include "core/phrase.hpp"
#include "gemm/context.hpp"
#include "gemm/footprint.hpp"
#include "gemm/gpu/plan.hpp"
#include "gemm/gpu/tell.hpp"
#include "gemm/product.hpp"
#include "gemm/verbose.hpp"

namespace tilewise::gpu {

const Names kViewNames{
    api::kViewNames,          "alpha", "beta", "options.mode", "options.workspace",
    "options.workspace_bytes"};
const Names kBatchNames{
    api::kBatchNames,         "alpha", "beta", "options.mode", "options.workspace",
    "options.workspace_bytes"};

namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

void check_scalar(const Scalar& scalar, Dtype operand, const char* name) {
  if (!scalar.is_on_device) return;
  const std::size_t bytes = operand == Dtype::kF64 ? 8 : 4;
  if (scalar.address == nullptr)
    refuse(phrase("{} = null: expected an address on the device", name));
  const auto address = reinterpret_cast<std::uintptr_t>(scalar.address);
  if (address % bytes != 0) {
    refuse(
        phrase("{} = {:#x}: expected an address that is a multiple of {}", name, address, bytes));
  }
}

// An element that is not where elements can be would end in a fault of the device.
void check_elements(const api::Batch& x, const char* name) {
  const auto address = reinterpret_cast<std::uintptr_t>(
      x.pointers != nullptr ? static_cast<const void*>(x.pointers) : x.shape.data);
  const auto bytes =
      x.pointers != nullptr ? static_cast<std::int64_t>(sizeof(void*)) : x.shape.element_bytes;
  if (address % static_cast<std::uintptr_t>(bytes) == 0) return;
  refuse(phrase("{} = {:#x}: expected an address that is a multiple of {}", name, address, bytes));
}

void check_options(const Call& call, const Names& names) {
  const GpuGemmOptions& options = call.options;
  if (options.mode < ComputeMode::kIeee || options.mode > ComputeMode::kTf32) {
    refuse(phrase("{} = {}: expected ieee (0), accurate (1) or tf32 (2)", names.mode,
                  static_cast<int>(options.mode)));
  }
  if (options.workspace_bytes < 0) {
    refuse(phrase("{} = {}: expected 0 or more", names.workspace_bytes, options.workspace_bytes));
  }
  if (options.workspace == nullptr && options.workspace_bytes > 0) {
    refuse(phrase("{} = null: expected {} bytes", names.workspace, options.workspace_bytes));
  }
  const auto address = reinterpret_cast<std::uintptr_t>(options.workspace);
  if (address % kWorkspaceAlignment != 0) {
    refuse(phrase("{} = {:#x}: expected an address that is a multiple of {}", names.workspace,
                  address, kWorkspaceAlignment));
  }
}

const char* name_of(const api::Batch& x, const api::MatrixNames& names) {
  return x.pointers != nullptr ? names.pointers : names.data;
}

void check(const Call& call, const Names& names) {
  const api::Names& words = names.matrices;
  const bool reads_factors = !call.alpha.is_value(0);
  api::check_batch(call.count, call.a, call.b, call.c, reads_factors, 0, words);
  check_scalar(call.alpha, call.operand, names.alpha);
  check_scalar(call.beta, call.operand, names.beta);
  if (reads_factors) {
    check_elements(call.a, name_of(call.a, words.a));
    check_elements(call.b, name_of(call.b, words.b));
  }
  check_elements(call.c, name_of(call.c, words.c));
  check_options(call, names);
}

// Results that share memory with what is read; batches of pointers nobody can look at from here.
void check_apart(const Call& call, const Names& names) {
  if (call.a.pointers != nullptr || call.b.pointers != nullptr || call.c.pointers != nullptr)
    return;
  const bool reads_factors = !call.alpha.is_value(0);
  if (call.count == 1) {
    api::check_apart(call.a.shape, call.b.shape, call.c.shape, reads_factors, names.matrices);
  } else {
    api::check_apart(call.count, call.a, call.b, call.c, reads_factors, names.matrices);
  }
}

Problem problem_of(const Call& call) {
  return gpu::problem_of(call.operand, call.result, call.options.mode, call.count, call.alpha,
                         call.a, call.b, call.beta, call.c);
}

// TILEWISE_PLAN may change from one call to the next: what it asks for is not kept.
Choice choice_within(const GpuContext::State& state, const Problem& problem, std::uint64_t limit) {
  const model::Gpu& gpu = state.device->gpu();
  if (const std::optional<Wish> wish = wish_in(std::getenv("TILEWISE_PLAN")))
    return decide(problem, gpu, limit, wish, state.tuned);
  const PlanCache::Key key = PlanCache::key_of(problem, limit);
  if (const std::optional<Choice> known = state.plans.find(key)) return *known;
  const Choice choice = decide(problem, gpu, limit, {}, state.tuned);
  state.plans.keep(key, choice);
  return choice;
}

Choice choice_in(const GpuContext::State& state, const Problem& problem, const Call& call,
                 const Names& names) {
  if (call.options.workspace == nullptr) return choice_for(state, problem);
  try {
    return choice_within(state, problem, static_cast<std::uint64_t>(call.options.workspace_bytes));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kOutOfMemory) throw;
    refuse(phrase("{} = {}: too small: {}", names.workspace_bytes, call.options.workspace_bytes,
                  error.what()));
  }
}

// Memory between two points of a stream.
class Workspace {
 public:
  Workspace(device::Device& device, device::Stream& stream, std::uint64_t bytes)
      : device_(device), stream_(stream) {
    if (bytes > 0) address_ = device.allocate_in(stream, bytes);
  }
  ~Workspace() {
    if (address_ != 0) device_.free_in(stream_, address_);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  device::Address address() const { return address_; }

 private:
  device::Device& device_;
  device::Stream& stream_;
  device::Address address_ = 0;
};

}  // namespace

Choice choice_for(const GpuContext::State& state, const Problem& problem) {
  return choice_within(state, problem, state.workspace_limit);
}

void run(GpuContext::State& state, const Plan& plan, const Problem& problem,
         device::Stream& stream) {
  const Workspace workspace(*state.device, stream, plan.workspace_bytes);
  launch(plan, problem, *state.device, state.kernels, stream, workspace.address());
}

void multiply(const GpuContext& context, const Call& call, const Names& names) {
  api::with_errors([&] {
    GpuContext::State& state = context.state();
    check(call, names);
    const Problem problem = problem_of(call);
    const Choice choice = choice_in(state, problem, call, names);
    if (problem.changes_nothing()) return;
    if constexpr (api::kChecksOverlap) check_apart(call, names);
    if (api::verbose()) api::say(line_of(problem, choice));

    const device::InUse in_use(*state.device);
    const std::unique_ptr<device::Stream> stream = state.device->adopt_stream(call.options.stream);
    if (call.options.workspace == nullptr) {
      run(state, choice.plan, problem, *stream);
    } else {
      launch(choice.plan, problem, *state.device, state.kernels, *stream,
             reinterpret_cast<device::Address>(call.options.workspace));
    }
  });
}

std::int64_t workspace_bytes(const GpuContext& context, const Call& call, const Names& names) {
  return api::with_errors([&] {
    const GpuContext::State& state = context.state();
    check(call, names);
    const Choice choice = choice_within(state, problem_of(call), kNoLimit);
    return static_cast<std::int64_t>(choice.plan.workspace_bytes);
  });
}

}  // namespace tilewise::gpu
