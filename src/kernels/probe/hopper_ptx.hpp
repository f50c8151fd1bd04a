// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Probes of what only Hopper has, as text of PTX. One instruction has hundreds of spellings there (wgmma: types,
// columns, both majors), so the text is written when a probe is asked for; the driver compiles it, and the
// virtual GPU runs it as it is.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/images.hpp"

namespace tilewise::kernels {

/// Compute capability 9.0 alone: later GPUs have neither.
bool has_hopper_probes(int compute_major, int compute_minor);

/// `text` as an image that a device loads; it must live as long as the image.
KernelImage hopper_image(std::string_view unit, const std::string& text);

/// One wgmma.mma_async of 64 rows and 32 bytes along k, types as PTX spells them.
struct WgmmaProbe {
  std::string_view accumulator = "f32", a = "f16", b = "f16";
  int columns = 8, depth = 16;
  bool a_in_registers = false, a_transposed = false, b_transposed = false, saturates = false;
};

/// Bytes of shared memory that a wgmma probe fills, all of it dynamic.
inline constexpr std::uint32_t kWgmmaImageBytes = 48 * 1024;
inline constexpr std::uint32_t kWgmmaThreads = 128;
/// 32-bit registers of sums a thread.
int wgmma_registers(const WgmmaProbe& probe);

/// Kernel "probe_wgmma", one warpgroup: (image, sums, descriptor of A, descriptor of B). The image is copied to
/// shared memory; where A comes from registers they hold its first 2 KiB, four words a thread. The descriptors
/// count from the image's begin. The sums, [thread][register], are added to and written back.
std::string wgmma_probe(const WgmmaProbe& probe);

/// What one box copy does: "load", "store", or a reduction.
inline constexpr std::array<std::string_view, 10> kTensorProbes{
    "load", "store", "add", "min", "max", "inc", "dec", "and", "or", "xor"};
inline constexpr std::uint32_t kTensorImageBytes = 64 * 1024;  ///< of shared memory
inline constexpr std::uint32_t kTensorLoadBytes = 28 * 1024;   ///< that a load hands back
inline constexpr std::uint32_t kTensorSharedBytes = kTensorImageBytes + 16;  ///< all of it dynamic
inline constexpr std::uint32_t kTensorThreads = 128;

/// Kernels "probe_load_1d" to "probe_xor_5d": (image, map, five coordinates, shared address, bytes). Stores and
/// reductions copy the image to shared memory first. Loads fill it with 0xA5, wait for `bytes`, and write what
/// is there then over the image; a wait that does not end is a trap.
std::string tensor_probes();
/// "probe_load_3d"
std::string tensor_probe_name(std::string_view what, std::uint32_t rank);

}  // namespace tilewise::kernels
