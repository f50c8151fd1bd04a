// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/listing.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <span>

#include "tilewise/error.hpp"

namespace tilewise::kernels {
namespace {

// Into a string or a vector of bytes.
template <class Bytes>
Bytes unpack(std::span<const std::byte> packed, std::string_view unit, std::string_view what) {
  Bytes bytes;
  if (packed.empty()) return bytes;
  const auto refuse = [&](std::string_view words) {
    throw Error(ErrorCode::kInternal,
                fmt::format("kernel unit '{}': cannot unpack its {} in this program: {}", unit,
                            what, words));
  };
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
    refuse("not packed by zstd");
  bytes.resize(size);
  const std::size_t result =
      ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(result)) refuse(ZSTD_getErrorName(result));
  return bytes;
}

}  // namespace

Listing listing_of(const KernelImage& image) {
  if (!image.text.empty()) return {std::string(image.text), {}};
  return {unpack<std::string>(image.packed_ptx, image.unit, "PTX"),
          unpack<std::vector<std::byte>>(image.packed_cubin, image.unit, "cubin")};
}

}  // namespace tilewise::kernels
