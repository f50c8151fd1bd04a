// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/images.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "tilewise/error.hpp"

namespace tilewise::kernels {
namespace {

// "sm_90a": code for exactly capability 9.0. "sm_80": code for 8.0 and every later 8.x, which run
// the machine code of an earlier minor version of their own major one.
struct Architecture {
  int major = 0, minor = 0;
  bool exact = false;
};

Architecture architecture_of(std::string_view name) {
  int number = 0;
  const std::string_view digits = name.substr(std::string_view("sm_").size());
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return {number / 10, number % 10, name.ends_with('a')};
}

bool has_code_for(const Architecture& built, int major, int minor) {
  if (built.major != major) return false;
  return built.exact ? built.minor == minor : built.minor <= minor;
}

// PTX of a plain architecture is compiled by the driver for any later device.
bool can_be_compiled_for(const Architecture& built, int major, int minor) {
  return !built.exact && (built.major < major || (built.major == major && built.minor <= minor));
}

}  // namespace

bool cubin_runs_on(const KernelImage& image, int compute_major, int compute_minor) {
  return has_code_for(architecture_of(image.arch), compute_major, compute_minor);
}

bool runs_on(const KernelImage& image, int compute_major, int compute_minor) {
  return cubin_runs_on(image, compute_major, compute_minor) ||
         can_be_compiled_for(architecture_of(image.arch), compute_major, compute_minor);
}

const KernelImage& find_image(std::string_view unit, int compute_major, int compute_minor,
                              std::span<const KernelImage> among) {
  const KernelImage* with_code = nullptr;
  const KernelImage* with_ptx = nullptr;
  bool unit_exists = false;
  for (const KernelImage& image : among) {
    if (image.unit != unit) continue;
    unit_exists = true;
    const Architecture built = architecture_of(image.arch);
    if (has_code_for(built, compute_major, compute_minor)) with_code = &image;
    if (can_be_compiled_for(built, compute_major, compute_minor)) with_ptx = &image;
  }
  if (with_code) return *with_code;
  if (with_ptx) return *with_ptx;

  const std::string name(unit);
  if (among.empty())
    throw Error(ErrorCode::kUnsupported,
                "kernel unit '" + name +
                    "': this build has no GPU kernels, because it was made "
                    "without nvcc; run scripts/setup.sh and build again");
  if (!unit_exists)
    throw Error(ErrorCode::kInvalidArgument, "there is no kernel unit '" + name + "'");
  const bool hopper_only = std::ranges::all_of(among, [&](const KernelImage& image) {
    return image.unit != unit || architecture_of(image.arch).exact;
  });
  throw Error(ErrorCode::kUnsupported,
              "kernel unit '" + name + "': compute capability " + std::to_string(compute_major) +
                  "." + std::to_string(compute_minor) +
                  (hopper_only ? " has no instructions for it; 9.0 is needed"
                               : " is too low; 8.0 or later is needed"));
}

}  // namespace tilewise::kernels
