// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "vgpu/golden_tma.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "core/file.hpp"
#include "tilewise/error.hpp"
#include "vgpu/exec/tensor_map.hpp"
#include "vgpu/golden_rows.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {
namespace {

namespace fs = std::filesystem;

// Columns type to fill.
TensorMapRequest request_of(const GoldenRow& row, std::size_t at) {
  TensorMapRequest r;
  r.type = row.known(at, find_tensor_type(row.text(at)));
  r.rank = static_cast<std::uint32_t>(row.number(at + 1));
  r.address = row.number(at + 2);
  row.numbers(at + 3, r.dimensions);
  row.numbers(at + 4, r.strides);
  row.numbers(at + 5, r.box);
  row.numbers(at + 6, r.element_strides);
  r.swizzle = row.known(at + 7, find_tensor_swizzle(row.text(at + 7)));
  r.fill = row.text(at + 8) == "nan" ? TensorFill::kNan : TensorFill::kZero;
  return r;
}

// Empty where the virtual GPU does what the row says.
std::string check_map(const GoldenRow& row) {
  const bool accepted = is_accepted(request_of(row, 1)), expected = row.number(10) != 0;
  if (accepted == expected) return {};
  return fmt::format("row {}: {} by the driver, {} here", row.text(0),
                     expected ? "accepted" : "refused", accepted ? "accepted" : "refused");
}

// The row's address is an offset in a buffer that begins at a multiple of 256.
class GlobalImage {
 public:
  GlobalImage() : bytes_(TensorImages::kGlobal + 256) {
    const auto at = reinterpret_cast<std::uint64_t>(bytes_.data());
    begin_ = (at + 255) / 256 * 256;
    std::memcpy(memory(), tensor_images().global.data(), TensorImages::kGlobal);
  }
  std::byte* memory() {
    return bytes_.data() + (begin_ - reinterpret_cast<std::uint64_t>(bytes_.data()));
  }
  std::uint64_t begin() const { return begin_; }
  /// A row's bytes and what pieces of 16 bytes overwrite behind it.
  std::uint64_t permit(const GoldenRow& row, std::uint64_t address, std::uint64_t bytes) const {
    const std::uint64_t end = begin_ + TensorImages::kGlobal;
    if (address < begin_ || address > end || bytes > end - address)
      row.refuse(5, "a tensor within a mebibyte");
    return std::min(bytes + 16, end - address);
  }

 private:
  std::vector<std::byte> bytes_;
  std::uint64_t begin_ = 0;
};

// The hash of what the copy of a row wrote, or nothing where it is refused.
std::optional<std::uint64_t> copy(const GoldenRow& row) {
  TensorMapRequest request = request_of(row, 2);
  const std::vector<std::int64_t> wide = row.signed_numbers(11, kTensorRanks);
  const std::vector<std::int32_t> coordinates(wide.begin(), wide.end());
  const auto shared_address = static_cast<std::uint32_t>(row.number(12));
  const TensorImages& images = tensor_images();
  GlobalImage global;
  request.address += global.begin();
  const TensorMap map = make_tensor_map(request);
  const auto contents = read_tensor_map(map.bytes.data());
  if (coordinates.size() != request.rank) row.refuse(11, "one coordinate for each dimension");
  const TensorBox box(*contents, coordinates);
  const bool is_load = row.text(1) == "load";
  using enum TensorBox::Direction;
  if (!box.refusal(shared_address, is_load ? kToShared : kToGlobal).empty()) return {};
  if (shared_address > TensorImages::kShared ||
      box.shared_bytes() > TensorImages::kShared - shared_address)
    row.refuse(12, "a box within 64 KiB of shared memory");
  const Permit permit = [&](std::uint64_t address, std::uint64_t bytes) {
    return global.permit(row, address, bytes);
  };
  if (is_load) {
    std::vector<std::byte> shared(TensorImages::kShared, std::byte{0xA5});
    load_box(box, shared.data(), shared_address, permit);
    return hash_of({shared.data(), 28 * 1024});
  }
  if (row.text(1) == "store") {
    store_box(box, images.shared.data(), shared_address, permit);
  } else {
    const BulkReduction reduction = row.known(1, find_bulk_reduction(row.text(1)));
    if (!is_reduction(reduction, request.type)) return {};
    reduce_box(box, reduction, images.shared.data(), shared_address, permit);
  }
  return hash_of({global.memory(), 64 * 1024});
}

std::string check_copy(const GoldenRow& row) {
  const std::optional<std::uint64_t> computed = copy(row);
  const bool faults = row.number(13) != 0;
  if (computed.has_value() == faults) {
    return fmt::format("row {}: {} on the GPU, {} here", row.text(0), faults ? "a fault" : "copied",
                       computed ? "copied" : "a fault");
  }
  if (faults || *computed == row.number(14, 16)) return {};
  return fmt::format("row {}: expected bytes of hash {}, computed {:x}", row.text(0), row.text(14),
                     *computed);
}

std::string check_layout(const GoldenRow& row) {
  const std::uint64_t computed = hash_of_layout(row);
  if (computed == row.number(9, 16)) return {};
  return fmt::format("row {}: expected a product of hash {}, computed {:x}", row.text(0),
                     row.text(9), computed);
}

struct Kind {
  std::string_view file;
  std::size_t columns;
  std::string (*check)(const GoldenRow&);  ///< what does not match; empty: nothing
};
constexpr Kind kKinds[] = {{"tensor_maps.csv", 11, check_map},
                           {"tensor_copies.csv", 15, check_copy},
                           {"wgmma_layouts.csv", 10, check_layout}};

const Kind* kind_of(const fs::path& file) {
  const auto* const kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                        [&](const Kind& k) { return file.filename() == k.file; });
  return kind == std::end(kKinds) ? nullptr : kind;
}

TensorImages make_images() {
  TensorImages images;
  images.global.resize(TensorImages::kGlobal);
  images.shared.resize(TensorImages::kShared);
  std::uint64_t state = 0x1234567;
  for (std::byte& b : images.global) b = static_cast<std::byte>(splitmix(state));
  for (std::byte& b : images.shared) b = static_cast<std::byte>(splitmix(state));
  return images;
}

}  // namespace

const TensorImages& tensor_images() {
  static const TensorImages images = make_images();
  return images;
}

GoldenRecords check_tma_file(const fs::path& file) {
  const Kind* const kind = kind_of(file);
  if (kind == nullptr) {
    throw Error(
        ErrorCode::kInvalidInput,
        fmt::format("'{}': expected tensor_maps.csv, tensor_copies.csv or wgmma_layouts.csv",
                    file.string()));
  }
  const std::string text = read_file(file);
  GoldenRecords result{file, 0, 0, {}};
  for (const GoldenRow& row : golden_rows(text, file.string(), kind->columns)) {
    ++result.records;
    const std::string mismatch = kind->check(row);
    if (mismatch.empty()) ++result.matches;
    else if (result.first_mismatches.size() < kMostRecordMismatches)
      result.first_mismatches.push_back(mismatch);
  }
  return result;
}

std::vector<fs::path> find_tma_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry.depth() >= 1) entry.disable_recursion_pending();
    if (kind_of(entry->path()) != nullptr) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tilewise::vgpu
