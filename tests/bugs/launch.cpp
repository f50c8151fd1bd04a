// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "core/tensor_map.hpp"
#include "marks.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bugs {
namespace {

#ifdef TILEWISE_BUG_IMAGES
constexpr const char* kImages = TILEWISE_BUG_IMAGES;
#else
constexpr const char* kImages = nullptr;
#endif

std::string image(const Case& bug, const char* suffix) {
  std::ifstream file(std::string(kImages) + "/" + bug.name + ".sm_90a." + suffix, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const vgpu::Module& load(const Case& bug) {
  static std::map<std::string, vgpu::Module> modules;
  const auto known = modules.find(bug.name);
  if (known != modules.end()) return known->second;
  const std::string cubin = image(bug, "cubin");
  return modules
      .try_emplace(bug.name, image(bug, "ptx"), std::string(bug.name) + ".ptx",
                   std::as_bytes(std::span(cubin)))
      .first->second;
}

// The lines of the case's file, by line of the PTX.
const std::vector<int>& lines_of(const Case& bug) {
  static std::map<std::string, std::vector<int>> lines;
  std::vector<int>& entry = lines[bug.name];
  if (entry.empty()) entry = source_lines(image(bug, "ptx"), std::string("/") + bug.name + ".cu");
  return entry;
}

// The mangled name of name<false> or name<true>.
std::string kernel_name(const vgpu::Module& module, bool fixed) {
  for (const vgpu::KernelInfo& kernel : module.kernels()) {
    if (kernel.name.find(fixed ? "ILb1E" : "ILb0E") != std::string::npos) return kernel.name;
  }
  throw Error(ErrorCode::kInvalidInput, "a bug's file must instantiate its kernel twice");
}

// The arguments of a launch in the virtual GPU's memory.
class Arguments {
 public:
  Arguments(const Case& bug, vgpu::Memory& memory) {
    values_.resize(bug.arguments.size());
    for (std::size_t i = 0; i < values_.size(); ++i) set(bug.arguments[i], values_[i], memory);
    for (const Value& value : values_) pointers_.push_back(&value);
  }

  std::span<const void* const> pointers() const { return pointers_; }
  std::vector<std::uint32_t> result() const {
    std::vector<std::uint32_t> words(result_words_);
    std::memcpy(words.data(), reinterpret_cast<const void*>(result_), 4 * result_words_);
    return words;
  }

 private:
  struct alignas(64) Value {
    std::byte bytes[128];
  };

  void set(const Argument& argument, Value& value, vgpu::Memory& memory) {
    if (argument.kind == Argument::kNumber) {
      std::memcpy(value.bytes, &argument.value, sizeof argument.value);
      return;
    }
    const std::vector<std::uint32_t> words = initial_words(argument);
    const std::uint64_t address = memory.allocate(4 * words.size());
    std::memcpy(reinterpret_cast<void*>(address), words.data(), 4 * words.size());
    const bool is_result = argument.kind == Argument::kOut || argument.kind == Argument::kSum;
    if (is_result) result_ = address, result_words_ = words.size();
    if (argument.kind != Argument::kUnwritten && argument.kind != Argument::kOut) {
      memory.mark_written(address, 4 * words.size());
    }
    if (argument.kind == Argument::kTensorMap) make_map(address, words.size(), value);
    else std::memcpy(value.bytes, &address, sizeof address);
  }

  static void make_map(std::uint64_t address, std::size_t words, Value& value);

  std::vector<Value> values_;
  std::vector<const void*> pointers_;
  std::uint64_t result_ = 0;
  std::size_t result_words_ = 0;
};

void Arguments::make_map(std::uint64_t address, std::size_t words, Value& value) {
  TensorMapRequest request;
  request.type = TensorType::kS32;
  request.rank = 2;
  request.address = address;
  request.dimensions = {kTensorColumns, words / kTensorColumns};
  request.strides = {4 * kTensorColumns};
  request.box = {kTensorColumns, static_cast<std::uint32_t>(words / kTensorColumns)};
  request.swizzle = TensorSwizzle::k128B;
  const TensorMap map = vgpu::make_tensor_map(request);
  static_assert(sizeof map == sizeof value);
  std::memcpy(value.bytes, map.bytes.data(), sizeof value);
}

}  // namespace

bool images_exist() { return kImages != nullptr; }

const std::vector<Order>& orders() {
  static const std::vector<Order> all{
      {"earliest", vgpu::AsyncOrder::kEarliest, 0}, {"latest", vgpu::AsyncOrder::kLatest, 0},
      {"random:1", vgpu::AsyncOrder::kRandom, 1},   {"random:2", vgpu::AsyncOrder::kRandom, 2},
      {"random:3", vgpu::AsyncOrder::kRandom, 3},   {"random:4", vgpu::AsyncOrder::kRandom, 4}};
  return all;
}

Seen launch(const Case& bug, bool fixed, const Order& order) {
  const vgpu::Module& module = load(bug);
  vgpu::Memory memory(1 << 20);
  const Arguments arguments(bug, memory);
  vgpu::LaunchOptions options;
  options.threads = 1;
  options.checks = vgpu::Checks::all();
  options.async_order = order.order;
  options.async_seed = order.seed;
  Seen seen;
  try {
    const vgpu::LaunchReport report =
        module.launch(kernel_name(module, fixed), model::find_gpu("h200"), memory, {bug.grid, 1, 1},
                      {bug.block, 1, 1}, 0, arguments.pointers(), options);
    seen.findings = report.findings;
  } catch (const vgpu::KernelError& error) {
    seen.findings = error.findings();
    if (seen.findings.empty()) seen.error = error.what();
  } catch (const Error& error) {
    seen.error = error.what();
  }
  seen.result = arguments.result();
  return seen;
}

int line_in(const Case& bug, const vgpu::Finding::Place& place) {
  const std::vector<int>& lines = lines_of(bug);
  const auto at = static_cast<std::size_t>(place.ptx_line);
  return at < lines.size() ? lines[at] : 0;
}

std::set<int> lines_with_code(const Case& bug) {
  const std::vector<int>& lines = lines_of(bug);
  return {lines.begin(), lines.end()};
}

}  // namespace tilewise::bugs
