// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/handles.hpp"

#include <algorithm>

#include "core/phrase.hpp"

namespace tilewise::device::cuda {
namespace {

// Enough for ptxas to say what is wrong; it writes less.
constexpr std::size_t kJitLogBytes = 8192;

// The log's lines as part of a one-line message.
std::string one_line(std::string_view log) {
  std::string text(log.substr(0, log.find('\0')));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

PrimaryContext::PrimaryContext(const DriverApi& api, DeviceOrdinal device)
    : api_(api), device_(device) {
  check(api_, api_.primary_context_retain(&context_, device_),
        [&] { return phrase("cuDevicePrimaryCtxRetain(device {})", device_); });
}

PrimaryContext::~PrimaryContext() { api_.primary_context_release(device_); }

void PrimaryContext::make_current() const {
  check(api_, api_.context_set_current(context_), "cuCtxSetCurrent()");
}

bool PrimaryContext::try_make_current() const noexcept {
  return api_.context_set_current(context_) == Result::kSuccess;
}

void PrimaryContext::push() const {
  check(api_, api_.context_push_current(context_), "cuCtxPushCurrent_v2()");
}

void PrimaryContext::pop() const noexcept {
  ContextHandle popped = nullptr;
  api_.context_pop_current(&popped);
}

MemoryPool::MemoryPool(SharedContext context) : context_(std::move(context)) {
  const DriverApi& api = context_->api();
  if (!api.pool_create || !api.pool_destroy || !api.pool_set_attribute || !api.memory_allocate_in ||
      !api.memory_free_in) {
    throw Error(ErrorCode::kUnsupported,
                "libcuda.so.1 has no cuMemPoolCreate: the NVIDIA driver is too old");
  }
  PoolProperties properties;
  properties.location_id = context_->device();
  check(api, api.pool_create(&handle_, &properties), "cuMemPoolCreate()");
  std::uint64_t keep = ~std::uint64_t{0};
  check(api, api.pool_set_attribute(handle_, kPoolReleaseThreshold, &keep),
        "cuMemPoolSetAttribute(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)");
}

MemoryPool::~MemoryPool() {
  if (context_->try_make_current()) context_->api().pool_destroy(handle_);
}

CudaStream::CudaStream(SharedContext context) : context_(std::move(context)) {
  context_->make_current();
  check(context_->api(), context_->api().stream_create(&handle_, kStreamNonBlocking),
        "cuStreamCreate(CU_STREAM_NON_BLOCKING)");
}

CudaStream::~CudaStream() {
  if (is_own_ && context_->try_make_current()) context_->api().stream_destroy(handle_);
}

void CudaStream::synchronize() {
  context_->make_current();
  check(context_->api(), context_->api().stream_synchronize(handle_), "cuStreamSynchronize()");
}

StreamHandle handle_of(Stream& stream) {
  const auto* own = dynamic_cast<CudaStream*>(&stream);
  if (!own) throw Error(ErrorCode::kInvalidArgument, "stream: not a stream of the CUDA device");
  return own->handle();
}

CudaEvent::CudaEvent(SharedContext context) : context_(std::move(context)) {
  context_->make_current();
  check(context_->api(), context_->api().event_create(&handle_, 0), "cuEventCreate()");
}

CudaEvent::~CudaEvent() {
  if (context_->try_make_current()) context_->api().event_destroy(handle_);
}

void CudaEvent::record(Stream& stream) {
  context_->make_current();
  check(context_->api(), context_->api().event_record(handle_, handle_of(stream)),
        "cuEventRecord()");
}

void CudaEvent::synchronize() {
  context_->make_current();
  check(context_->api(), context_->api().event_synchronize(handle_), "cuEventSynchronize()");
}

double CudaEvent::milliseconds_since(const Event& start) const {
  const auto* own = dynamic_cast<const CudaEvent*>(&start);
  if (!own) throw Error(ErrorCode::kInvalidArgument, "start: not an event of the CUDA device");
  context_->make_current();
  float milliseconds = 0;
  check(context_->api(), context_->api().event_elapsed_time(&milliseconds, own->handle_, handle_),
        "cuEventElapsedTime()");
  return milliseconds;
}

CudaKernel::CudaKernel(SharedContext context, FunctionHandle handle, std::string name)
    : context_(std::move(context)), handle_(handle), name_(std::move(name)) {
  attributes_.registers = attribute(FunctionAttribute::kNumRegisters);
  attributes_.static_shared_bytes =
      static_cast<std::uint32_t>(attribute(FunctionAttribute::kSharedSizeBytes));
  attributes_.local_bytes =
      static_cast<std::uint32_t>(attribute(FunctionAttribute::kLocalSizeBytes));
}

int CudaKernel::attribute(FunctionAttribute attribute) const {
  int value = 0;
  check(context_->api(), context_->api().function_get_attribute(&value, attribute, handle_), [&] {
    return phrase("cuFuncGetAttribute(attribute {}, kernel {})", static_cast<int>(attribute),
                  name_);
  });
  return value;
}

void CudaKernel::allow_dynamic_shared(std::uint32_t bytes) {
  if (bytes <= allowed_dynamic_bytes_) return;
  const std::scoped_lock lock(allowing_);  // callers of any thread; what is allowed never shrinks
  if (bytes <= allowed_dynamic_bytes_) return;
  const FunctionAttribute most = FunctionAttribute::kMaxDynamicSharedSizeBytes;
  check(context_->api(),
        context_->api().function_set_attribute(handle_, most, static_cast<int>(bytes)), [&] {
          return phrase("cuFuncSetAttribute({} bytes of dynamic shared memory, kernel {})", bytes,
                        name_);
        });
  allowed_dynamic_bytes_ = bytes;
}

CudaModule::CudaModule(SharedContext context, const kernels::KernelImage& image,
                       const model::Gpu& gpu)
    : context_(std::move(context)), name_(phrase("{}.{}", image.unit, image.arch)) {
  if (!kernels::runs_on(image, gpu.compute_major, gpu.compute_minor)) {
    throw Error(ErrorCode::kUnsupported,
                phrase("image {}: {} (compute capability {}.{}) cannot run {} code", name_,
                       gpu.name, gpu.compute_major, gpu.compute_minor, image.arch));
  }
  context_->make_current();
  // Of a fatbin the driver takes the machine code where the GPU runs it, and else compiles the PTX. Of text it wants a
  // terminating zero.
  if (image.fatbin.empty()) load(std::string(image.text).c_str(), "PTX");
  else load(image.fatbin.data(), "kernels");
}

CudaModule::~CudaModule() {
  if (context_->try_make_current()) context_->api().module_unload(handle_);
}

void CudaModule::load(const void* code, std::string_view what) {
  std::string log(kJitLogBytes, '\0');
  JitOption options[] = {JitOption::kErrorLogBuffer, JitOption::kErrorLogBufferSizeBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(kJitLogBytes)};
  const DriverApi& api = context_->api();
  const Result result = api.module_load_data_ex(&handle_, code, 2, options, values);
  if (result == Result::kSuccess) return;
  const std::string words = one_line(log);
  throw_driver_error(api, result,
                     words.empty()
                         ? phrase("cuModuleLoadDataEx({} of {})", what, name_)
                         : phrase("cuModuleLoadDataEx({} of {}; log: {})", what, name_, words));
}

Kernel& CudaModule::kernel(std::string_view name) {
  const auto known = std::ranges::find(kernels_, name, &CudaKernel::name);
  if (known != kernels_.end()) return *known;
  context_->make_current();
  const std::string text(name);
  FunctionHandle handle = nullptr;
  const DriverApi& api = context_->api();
  const Result result = api.module_get_function(&handle, handle_, text.c_str());
  if (result == Result::kNotFound) {
    throw Error(ErrorCode::kInvalidArgument,
                phrase("kernel '{}': image {} has no kernel of that name", text, name_));
  }
  check(api, result, [&] { return phrase("cuModuleGetFunction({}, {})", name_, text); });
  return kernels_.emplace_back(context_, handle, text);
}

}  // namespace tilewise::device::cuda
