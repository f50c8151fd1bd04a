// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sizes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/memory.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

constexpr std::int64_t kLargestSize = std::numeric_limits<std::int32_t>::max();

std::string memory_text(double bytes) {
  constexpr double kMiB = 1024.0 * 1024, kGiB = 1024 * kMiB;
  return bytes >= kGiB ? fmt::format("{:.1f} GiB", bytes / kGiB)
                       : fmt::format("{:.1f} MiB", bytes / kMiB);
}

std::string shape_text(const npy::Array& array) {
  return fmt::format("{}×{}", array.rows, array.columns);
}

void adopt(std::int64_t& size, std::int64_t of_file, const char* name, const char* what) {
  if (size == 0) size = of_file;
  if (size == of_file) return;
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("{} = {}: {} is {}", name, size, what, of_file));
}

void check_size(const char* name, std::int64_t size) {
  if (size < 0) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} = {}: expected 0 or more", name, size));
  }
}

std::uint64_t matrix_bytes(const char* matrix, std::int64_t rows, std::int64_t columns,
                           std::uint64_t element_bytes) {
  std::int64_t elements = 0, bytes = 0;
  if (__builtin_mul_overflow(rows, columns, &elements) ||
      __builtin_mul_overflow(elements, static_cast<std::int64_t>(element_bytes), &bytes)) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("{} of {}×{} elements: its bytes do not fit 64 bits", matrix, rows, columns));
  }
  return static_cast<std::uint64_t>(bytes);
}

void check_kernel_limit(const char* name, std::int64_t size) {
  if (size > kLargestSize) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} = {}: the rungs take sizes up to {}", name, size, kLargestSize));
  }
}

void check_grid(const device::Device& device, const kernels::Rung& rung, const Sizes& sizes) {
  if (rung.on_cpu || sizes.m == 0 || sizes.n == 0) return;
  const Dim3 grid = kernels::grid_for(rung, sizes.m, sizes.n);
  const model::Gpu& gpu = device.gpu();
  if (grid.x <= gpu.max_grid_x && grid.y <= gpu.max_grid_y && grid.z <= gpu.max_grid_z) return;
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format("m = {}, n = {}: rung {} needs a grid of {}×{}×{} blocks; {} takes at most "
                  "{}×{}×{}",
                  sizes.m, sizes.n, rung.name, grid.x, grid.y, grid.z, gpu.name, gpu.max_grid_x,
                  gpu.max_grid_y, gpu.max_grid_z));
}

// Bytes of the largest element that `dtype_of` says of a rung's arithmetic.
std::uint64_t largest_element(const LadderRequest& request,
                              Dtype (*dtype_of)(kernels::Arithmetic)) {
  std::uint64_t bytes = 0;
  for (const kernels::Rung* rung : request.rungs) {
    bytes = std::max<std::uint64_t>(bytes, size_of(dtype_of(rung->arithmetic)));
  }
  return bytes;
}

struct Bytes {
  double a, b, c;
};

// Of the three matrices, with A and B as `operand_dtype` has them. Throws for sizes below 0 and for bytes that do not fit 64 bits.
Bytes checked_bytes(const LadderRequest& request, const Sizes& sizes,
                    Dtype (*operand_dtype)(kernels::Arithmetic)) {
  check_size("m", sizes.m);
  check_size("n", sizes.n);
  check_size("k", sizes.k);
  const std::uint64_t operand = largest_element(request, operand_dtype);
  const std::uint64_t result = largest_element(request, kernels::result_dtype);
  return {static_cast<double>(matrix_bytes("A", sizes.m, sizes.k, operand)),
          static_cast<double>(matrix_bytes("B", sizes.k, sizes.n, operand)),
          static_cast<double>(matrix_bytes("C", sizes.m, sizes.n, result))};
}

// Beyond the full check, a second set of operands holds integers (check_exact()).
double operand_sets(const Sizes& sizes) { return sizes.products() > kFullCheckProducts ? 2 : 1; }

void require_memory(double needed, double available, const Sizes& sizes, const std::string& whose) {
  if (needed <= available) return;
  throw Error(ErrorCode::kOutOfMemory,
              fmt::format("m = {}, n = {}, k = {}: needs {} of memory; {} has {}", sizes.m, sizes.n,
                          sizes.k, memory_text(needed), whose, memory_text(available)));
}

}  // namespace

Sizes resolve_sizes(const LadderRequest& request) {
  const npy::Array *a = request.a, *b = request.b;
  if (a && b && a->columns != b->rows) {
    throw Error(ErrorCode::kInvalidInput,
                fmt::format("A is {} and B is {}: A must have as many columns as B has rows",
                            shape_text(*a), shape_text(*b)));
  }
  Sizes sizes{request.m, request.n, request.k};
  if (a) adopt(sizes.m, a->rows, "m", "the number of rows of A");
  if (a) adopt(sizes.k, a->columns, "k", "the number of columns of A");
  if (b) adopt(sizes.k, b->rows, "k", "the number of rows of B");
  if (b) adopt(sizes.n, b->columns, "n", "the number of columns of B");
  return sizes;
}

void check_request(const device::Device& device, const LadderRequest& request, const Sizes& sizes) {
  const auto [a, b, c] = checked_bytes(request, sizes, kernels::operand_dtype);
  const auto [host_a, host_b, host_c] = checked_bytes(request, sizes, kernels::result_dtype);
  check_kernel_limit("m", sizes.m);
  check_kernel_limit("n", sizes.n);
  check_kernel_limit("k", sizes.k);
  for (const kernels::Rung* rung : request.rungs) check_grid(device, *rung, sizes);

  const double sets = operand_sets(sizes);
  const double on_device = sets * (a + b + c);
  require_memory(on_device, static_cast<double>(device.free_memory()), sizes, device.description());
  // A, B and C0, in the type of C; C as it comes back and once more for a column-major rung; the
  // reference.
  const double on_host =
      sets * (host_a + host_b + host_c) + 2 * host_c + (device.is_virtual() ? on_device : 0);
  require_memory(on_host, static_cast<double>(available_memory()), sizes, "this machine");
}

void check_cpu_request(const LadderRequest& request, const Sizes& sizes) {
  const auto [a, b, c] = checked_bytes(request, sizes, kernels::result_dtype);
  // A, B and C0; C as it is computed and as it was the first time; the reference, two numbers in
  // f64 for each element, or for a sample of its rows (rows_to_check()).
  const double sets = operand_sets(sizes);
  const double needed = sets * (a + b + c) + (sets > 1 ? 3 * c : 6 * c);
  require_memory(needed, static_cast<double>(available_memory()), sizes, "this machine");
}

}  // namespace tilewise::bench
