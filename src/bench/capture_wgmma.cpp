// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/capture_wgmma.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <random>

#include "bench/capture_operands.hpp"
#include "kernels/probe/hopper_ptx.hpp"
#include "tilewise/error.hpp"
#include "vgpu/exec/wgmma.hpp"
#include "vgpu/golden_mma.hpp"
#include "vgpu/golden_rows.hpp"

namespace tilewise::bench {
namespace {

using kernels::WgmmaProbe;
using vgpu::MatrixProduct;
using vgpu::MatrixType;

constexpr int kRows = 64, kColumns = 8;  // of the products of wgmma_*.bin

constexpr auto kFiles = std::to_array<std::string_view>({
    "wgmma_m64n8k16_f32_f16",
    "wgmma_m64n8k16_f32_bf16",
    "wgmma_m64n8k8_f32_tf32",
    "wgmma_m64n8k32_f32_e4m3",
    "wgmma_m64n8k32_f32_e5m2",
    "wgmma_m64n8k32_f32_e4m3_e5m2",
    "wgmma_m64n8k32_f32_e5m2_e4m3",
    "wgmma_m64n8k16_f16_f16",
    "wgmma_m64n8k32_f16_e4m3",
    "wgmma_m64n8k32_f16_e5m2",
    "wgmma_m64n8k32_f16_e4m3_e5m2",
    "wgmma_m64n8k32_f16_e5m2_e4m3",
    "wgmma_m64n8k32_s32_s8",
    "wgmma_m64n8k32_s32_u8",
    "wgmma_m64n8k32_s32_s8_u8",
    "wgmma_m64n8k32_s32_u8_s8",
    "wgmma_m64n8k32_s32_s8_satfinite",
});

/// One wgmma probe on a device.
class WgmmaBench {
 public:
  WgmmaBench(device::Device& device, const WgmmaProbe& probe)
      : device_(device),
        text_(kernels::wgmma_probe(probe)),
        words_(kernels::kWgmmaThreads * static_cast<std::size_t>(kernels::wgmma_registers(probe))),
        stream_(device.create_stream()),
        module_(device.load(kernels::hopper_image("wgmma_probe", text_))),
        kernel_(module_->kernel("probe_wgmma")),
        image_(device, kernels::kWgmmaImageBytes),
        sums_(device, 4 * words_) {}

  std::size_t words() const { return words_; }

  /// Adds the product to `sums`, [thread][register].
  void run(const std::vector<std::byte>& image, std::uint64_t a, std::uint64_t b,
           std::vector<std::uint32_t>& sums) {
    device_.copy_to_device(image_.address(), image.data(), image.size(), *stream_);
    device_.copy_to_device(sums_.address(), sums.data(), 4 * words_, *stream_);
    const device::Address at_image = image_.address(), at_sums = sums_.address();
    const std::array<const void*, 4> arguments{&at_image, &at_sums, &a, &b};
    device_.launch(
        kernel_, {{1, 1, 1}, {kernels::kWgmmaThreads, 1, 1}, kernels::kWgmmaImageBytes, arguments},
        *stream_);
    device_.copy_to_host(sums.data(), sums_.address(), 4 * words_, *stream_);
    stream_->synchronize();
  }

 private:
  device::Device& device_;
  std::string text_;
  std::size_t words_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<device::Module> module_;
  device::Kernel& kernel_;
  device::Buffer image_, sums_;
};

// Without a swizzle and along k: pieces of 16 bytes, eight rows of them one after the other, and two of these
// side by side make 32 bytes along k.
std::size_t byte_at(std::size_t row, std::size_t depth) {
  return row / 8 * 256 + depth / 16 * 128 + row % 8 * 16 + depth % 16;
}
constexpr std::size_t kBegin = 2048;  // of B, behind A's 64 rows

std::uint64_t descriptor_of(std::size_t begin) {
  constexpr std::uint64_t kNextPiece = 128 / 16, kNextRows = 256 / 16;
  return begin / 16 | kNextPiece << 16 | kNextRows << 32;
}

// `matrix` has rows of 32 bytes.
void lay_out(const std::string& matrix, std::byte* to) {
  for (std::size_t at = 0; at < matrix.size(); ++at)
    to[byte_at(at / vgpu::kDepthBytes, at % vgpu::kDepthBytes)] =
        static_cast<std::byte>(matrix[at]);
}

/// Where one sum lies among those of all threads: PTX ISA, "Register Fragments and Shared Memory Matrix
/// Layouts" of wgmma.
struct SumPlace {
  std::size_t word = 0;
  int shift = 0;  ///< of two f16 in a word
};
SumPlace place_of(std::size_t row, std::size_t column, bool halves) {
  const std::size_t thread = row / 16 * 32 + row % 8 * 4 + column / 2;
  const std::size_t lower = row % 16 / 8;
  if (halves) return {thread * 2 + lower, static_cast<int>(column % 2) * 16};
  return {thread * 4 + lower * 2 + column % 2, 0};
}

class Recorder {
 public:
  Recorder(device::Device& device, const MatrixProduct& product)
      : p_(product),
        halves_(product.accumulator == MatrixType::kF16),
        bench_(device, probe_of(p_)) {}

  std::string record(RecordOperands& operands, Style style) {
    std::string a, b, c;
    append(a, operands.matrix(p_.a, kRows * p_.k, style), p_.a);
    append(b, operands.matrix(p_.b, kColumns * p_.k, style), p_.b);
    const Cells addend = operands.matrix(p_.accumulator, kRows * kColumns, style);
    append(c, addend, p_.accumulator);
    std::vector<std::byte> image(kernels::kWgmmaImageBytes);
    lay_out(a, image.data());
    lay_out(b, image.data() + kBegin);
    std::vector<std::uint32_t> sums = packed(addend);
    bench_.run(image, descriptor_of(0), descriptor_of(kBegin), sums);
    std::string d;
    append(d, unpacked(sums), p_.accumulator);
    return a + b + c + d;
  }

 private:
  static WgmmaProbe probe_of(const MatrixProduct& p) {
    WgmmaProbe probe;
    probe.accumulator = name_of(p.accumulator);
    probe.a = name_of(p.a);
    probe.b = name_of(p.b);
    probe.columns = p.n;
    probe.depth = p.k;
    probe.saturates = p.saturate;
    return probe;
  }

  std::vector<std::uint32_t> packed(const Cells& cells) const {
    std::vector<std::uint32_t> sums(bench_.words());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const SumPlace place = place_of(i / kColumns, i % kColumns, halves_);
      sums[place.word] |= static_cast<std::uint32_t>(cells[i]) << place.shift;
    }
    return sums;
  }

  Cells unpacked(const std::vector<std::uint32_t>& sums) const {
    Cells cells(static_cast<std::size_t>(kRows * kColumns));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const SumPlace place = place_of(i / kColumns, i % kColumns, halves_);
      cells[i] = sums[place.word] >> place.shift & (halves_ ? 0xFFFFu : ~0u);
    }
    return cells;
  }

  MatrixProduct p_;
  bool halves_;
  WgmmaBench bench_;
};

/// One spelling of wgmma in wgmma_layouts.csv.
struct Layout {
  std::string_view elements;
  bool a_transposed = false, b_transposed = false, a_in_registers = false;
};

std::vector<Layout> layouts() {
  std::vector<Layout> all;
  for (const std::string_view elements : {"f16", "f16.f16", "bf16"}) {
    for (const bool a : {false, true}) {
      for (const bool b : {false, true}) all.push_back({elements, a, b, false});
    }
    for (const bool b : {false, true}) all.push_back({elements, false, b, true});
  }
  for (const std::string_view elements : {"s8", "tf32"}) {
    for (int i = 0; i < 3; ++i) all.push_back({elements, false, false, false});
    all.push_back({elements, false, false, true});
  }
  return all;
}

WgmmaProbe probe_of(const Layout& layout, int columns) {
  WgmmaProbe probe;
  const std::string_view type = layout.elements == "f16.f16" ? "f16" : layout.elements;
  probe.accumulator = layout.elements == "f16.f16" ? "f16" : type == "s8" ? "s32" : "f32";
  probe.a = probe.b = type;
  probe.columns = columns;
  probe.depth = type == "s8" ? 32 : type == "tf32" ? 8 : 16;
  probe.a_in_registers = layout.a_in_registers;
  probe.a_transposed = layout.a_transposed;
  probe.b_transposed = layout.b_transposed;
  return probe;
}

class Layouts {
 public:
  explicit Layouts(std::uint64_t seed) : random_(seed) {}

  // Integers have no odd multiples of 8 beyond 24.
  int columns(std::string_view elements) {
    const int columns = static_cast<int>(1 + below(32)) * 8;
    return elements == "s8" && columns > 24 ? columns / 16 * 16 : columns;
  }
  std::uint64_t image_seed() { return random_(); }

  /// A descriptor of `rows` rows that stays within the image.
  std::uint64_t descriptor(bool is_transposed, std::uint32_t rows,
                           const std::vector<std::byte>& image) {
    std::vector<std::byte> found(rows * vgpu::kDepthBytes);
    const auto major = is_transposed ? vgpu::MatrixMajor::kMN : vgpu::MatrixMajor::kK;
    for (;;) {
      const std::uint64_t bits = any_descriptor();
      if (!gather(vgpu::MatrixDescriptor(bits), major, 0, rows, image, found.data())) return bits;
    }
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  // Start, the two offsets, a base offset in one of three, one of the four swizzles.
  std::uint64_t any_descriptor() {
    const std::uint64_t start = below(96), leading = below(64), stride = below(64);
    const std::uint64_t base_offset = below(3) == 0 ? below(8) : 0;
    return start | leading << 16 | stride << 32 | base_offset << 49 | below(4) << 62;
  }

  std::mt19937_64 random_;
};

}  // namespace

std::vector<std::string_view> wgmma_probes(int compute_major, int compute_minor) {
  if (!kernels::has_hopper_probes(compute_major, compute_minor)) return {};
  return {kFiles.begin(), kFiles.end()};
}

std::string capture_wgmma(device::Device& device, std::string_view name, int records,
                          std::uint64_t seed) {
  const auto product = vgpu::parse_mma_name(name);
  if (std::ranges::find(kFiles, name) == kFiles.end() || !product) {
    throw Error(ErrorCode::kUnsupported, fmt::format("no probe executes '{}'", name));
  }
  Recorder recorder(device, *product);
  RecordOperands operands(seed);
  std::string text;
  for (int r = 0; r < records; ++r) text += recorder.record(operands, style_of(r));
  return text;
}

std::string capture_layouts(device::Device& device, int rows_each, std::uint64_t seed) {
  std::string text =
      "id,elements,n,transposed_a,transposed_b,a_from,image_seed,descriptor_a,descriptor_b,hash\n";
  Layouts random(seed);
  int id = 0;
  for (const Layout& layout : layouts()) {
    const int columns = random.columns(layout.elements);
    WgmmaBench bench(device, probe_of(layout, columns));
    for (int i = 0; i < rows_each; ++i) {
      const std::uint64_t image_seed = random.image_seed();
      const std::vector<std::byte> image = *vgpu::layout_image(image_seed, layout.elements);
      const std::uint64_t a = random.descriptor(layout.a_transposed, kRows, image);
      const std::uint64_t b =
          random.descriptor(layout.b_transposed, static_cast<std::uint32_t>(columns), image);
      std::vector<std::uint32_t> sums(bench.words());
      bench.run(image, a, b, sums);
      text += fmt::format("{},{},{},{:d},{:d},{},{:016x},{:016x},{:016x},{:016x}\n", id++,
                          layout.elements, columns, layout.a_transposed, layout.b_transposed,
                          layout.a_in_registers ? "registers" : "shared", image_seed, a, b,
                          vgpu::hash_of(std::as_bytes(std::span(sums))));
    }
  }
  return text;
}

}  // namespace tilewise::bench
