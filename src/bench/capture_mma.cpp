// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/capture_mma.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "bench/capture_operands.hpp"
#include "kernels/images.hpp"
#include "tilewise/error.hpp"
#include "vgpu/exec/matrix_op.hpp"
#include "vgpu/golden_mma.hpp"

namespace tilewise::bench {
namespace {

using vgpu::Fragment;
using vgpu::MatrixProduct;
using vgpu::MatrixType;

struct MmaProbe {
  std::string_view name;
  int capability;  ///< the least, as 10 · major + minor
};

constexpr auto kProbes = std::to_array<MmaProbe>({
    {"mma_m16n8k8_f32_f16", 80},
    {"mma_m16n8k16_f32_f16", 80},
    {"mma_m16n8k8_f16_f16", 80},
    {"mma_m16n8k16_f16_f16", 80},
    {"mma_m16n8k8_f32_bf16", 80},
    {"mma_m16n8k16_f32_bf16", 80},
    {"mma_m16n8k4_f32_tf32", 80},
    {"mma_m16n8k8_f32_tf32", 80},
    {"mma_m8n8k16_s32_u8", 80},
    {"mma_m16n8k16_s32_u8_s8", 80},
    {"mma_m16n8k32_s32_s8", 80},
    {"mma_m16n8k32_s32_s8_u8", 80},
    {"mma_m16n8k32_s32_s8_satfinite", 80},
    {"mma_m8n8k4_f64", 80},
    {"mma_m16n8k16_f32_e4m3", 90},
    {"mma_m16n8k32_f32_e4m3", 90},
    {"mma_m16n8k32_f32_e5m2", 90},
    {"mma_m16n8k32_f32_e4m3_e5m2", 90},
    {"mma_m16n8k32_f32_e5m2_e4m3", 90},
    {"mma_m16n8k16_f16_e5m2_e4m3", 90},
    {"mma_m16n8k32_f16_e4m3", 90},
    {"mma_m16n8k32_f16_e5m2", 90},
    {"mma_m16n8k4_f64", 90},
    {"mma_m16n8k8_f64", 90},
    {"mma_m16n8k16_f64", 90},
});

// [register][lane], as the probes want them.
std::string packed(const Fragment& f, const Cells& matrix) {
  const std::size_t bytes = f.element_bits == 64 ? 8 : 4;
  std::string registers;
  for (std::size_t at = 0; at < f.cells.size(); at += static_cast<std::size_t>(f.elements)) {
    std::uint64_t value = 0;
    for (int e = 0; e < f.elements; ++e) value |= matrix[f.cells[at + e]] << (e * f.element_bits);
    registers.append(reinterpret_cast<const char*>(&value), bytes);
  }
  return registers;
}

Cells unpacked(const Fragment& f, const std::string& registers, std::size_t cells) {
  const std::size_t bytes = f.element_bits == 64 ? 8 : 4;
  Cells matrix(cells);
  for (std::size_t at = 0; at < f.cells.size(); ++at) {
    const std::size_t part = at % static_cast<std::size_t>(f.elements);
    std::uint64_t value = 0;
    std::memcpy(&value, registers.data() + at / static_cast<std::size_t>(f.elements) * bytes,
                bytes);
    value >>= part * static_cast<std::size_t>(f.element_bits);
    if (f.element_bits < 64) value &= (std::uint64_t{1} << f.element_bits) - 1;
    matrix[f.cells[at]] = value;
  }
  return matrix;
}

/// One probe on a device, launched once a record.
class Recorder {
 public:
  Recorder(device::Device& device, std::string_view name, const MatrixProduct& product)
      : device_(device),
        p_(product),
        a_(vgpu::mma_a_fragment(product)),
        b_(vgpu::mma_b_fragment(product)),
        c_(vgpu::mma_c_fragment(product)),
        stream_(device.create_stream()),
        module_(device.load(kernels::find_image("mma_probe", device.gpu().compute_major,
                                                device.gpu().compute_minor))),
        kernel_(module_->kernel(fmt::format("probe_{}", name))) {}

  std::string record(RecordOperands& operands, Style style) {
    const Cells a = operands.matrix(p_.a, p_.m * p_.k, style);
    const Cells b = operands.matrix(p_.b, p_.n * p_.k, style);
    const Cells c = operands.matrix(p_.accumulator, p_.m * p_.n, style);
    std::string text;
    append(text, a, p_.a);
    append(text, b, p_.b);
    append(text, c, p_.accumulator);
    const std::string d = run(packed(a_, a), packed(b_, b), packed(c_, c));
    append(text, unpacked(c_, d, c.size()), p_.accumulator);
    return text;
  }

 private:
  std::string run(const std::string& a, const std::string& b, const std::string& c) {
    const device::Buffer on_a(device_, a.size()), on_b(device_, b.size()), on_c(device_, c.size()),
        on_d(device_, c.size());
    device_.copy_to_device(on_a.address(), a.data(), a.size(), *stream_);
    device_.copy_to_device(on_b.address(), b.data(), b.size(), *stream_);
    device_.copy_to_device(on_c.address(), c.data(), c.size(), *stream_);
    const device::Address at[] = {on_a.address(), on_b.address(), on_c.address(), on_d.address()};
    const std::array<const void*, 4> arguments{&at[0], &at[1], &at[2], &at[3]};
    device_.launch(kernel_, {{1, 1, 1}, {32, 1, 1}, 0, arguments}, *stream_);
    std::string d(c.size(), '\0');
    device_.copy_to_host(d.data(), on_d.address(), d.size(), *stream_);
    stream_->synchronize();
    return d;
  }

  device::Device& device_;
  MatrixProduct p_;
  Fragment a_, b_, c_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Module> module_;
  device::Kernel& kernel_;
};

}  // namespace

std::vector<std::string_view> mma_probes(int compute_major, int compute_minor) {
  std::vector<std::string_view> names;
  for (const MmaProbe& probe : kProbes) {
    if (probe.capability <= 10 * compute_major + compute_minor) names.push_back(probe.name);
  }
  return names;
}

std::string capture_mma(device::Device& device, std::string_view name, int records,
                        std::uint64_t seed) {
  const auto product = vgpu::parse_mma_name(name);
  const bool known = std::any_of(kProbes.begin(), kProbes.end(),
                                 [&](const MmaProbe& probe) { return probe.name == name; });
  if (!known || !product) {
    throw Error(ErrorCode::kUnsupported, fmt::format("no probe executes '{}'", name));
  }
  Recorder recorder(device, name, *product);
  RecordOperands operands(seed);
  std::string text;
  for (int r = 0; r < records; ++r) text += recorder.record(operands, style_of(r));
  return text;
}

}  // namespace tilewise::bench
