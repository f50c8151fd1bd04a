// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Plans by their names: what TILEWISE_PLAN takes, and what is told and stored of a plan.
#include <bit>
#include <charconv>

#include "core/phrase.hpp"
#include "core/suggest.hpp"
#include "gemm/gpu/plan.hpp"
#include "tilewise/error.hpp"

namespace tilewise::gpu {
namespace {

constexpr int kMostParts = 65535;  // in blockIdx.y

// Whether `text` as a whole is a number, which is then in `number`.
bool is_number(std::string_view text, int& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc() && stop == end;
}

// What follows `start` in `word`, if it begins so.
std::optional<std::string_view> behind(std::string_view start, std::string_view word) {
  if (!word.starts_with(start)) return {};
  return word.substr(start.size());
}

// Whether `word` is "cluster=2x1", or the like; for a kernel that takes it.
bool take_cluster(std::string_view word, Wish& wish) {
  const std::optional<std::string_view> shape = behind("cluster=", word);
  if (!shape || wish.cluster) return false;
  const std::size_t x = shape->find('x');
  int down = 0, across = 0;
  if (x == std::string_view::npos || !is_number(shape->substr(0, x), down) ||
      !is_number(shape->substr(x + 1), across))
    return false;
  const auto is_extent = [](int extent) {
    return extent >= 1 && extent <= kernels::kMostClusterTiles &&
           std::has_single_bit(static_cast<unsigned>(extent));
  };
  if (!is_extent(down) || !is_extent(across)) return false;
  wish.cluster =
      kernels::TileCluster{static_cast<unsigned short>(down), static_cast<unsigned short>(across)};
  return true;
}

// Whether it is "split=4" or "stream".
bool take_division(std::string_view word, Wish& wish) {
  if (wish.parts > 0 || wish.streams) return false;
  if (word == "stream") return wish.streams = true;
  const std::optional<std::string_view> parts = behind("split=", word);
  return parts && is_number(*parts, wish.parts) && wish.parts >= 1 && wish.parts <= kMostParts;
}

}  // namespace

std::string name_of(const Plan& plan) {
  std::string name =
      plan.cluster.blocks() == 1 ? std::string(plan.kernel->name) : name_in_cluster(plan);
  if (plan.streamed > 0) return name + ",stream";
  return plan.parts == 1 ? name : name + phrase(",split={}", plan.parts);
}

std::string name_in_cluster(const Plan& plan) {
  if (!plan.kernel->takes_clusters) return std::string(plan.kernel->name);
  return phrase("{},cluster={}x{}", plan.kernel->name, plan.cluster.down, plan.cluster.across);
}

std::optional<Wish> wish_in(const char* text) {
  if (text == nullptr || *text == '\0') return {};
  return parse_wish(text, "TILEWISE_PLAN=");
}

Wish parse_wish(std::string_view all, std::string_view said) {
  const std::size_t comma = all.find(',');
  Wish wish;
  wish.kernel = kernels::find_gemm_kernel(all.substr(0, comma));
  if (wish.kernel == nullptr) {
    std::vector<std::string_view> names;
    for (const kernels::GemmKernel& kernel : kernels::gemm_kernels()) names.push_back(kernel.name);
    throw Error(ErrorCode::kInvalidArgument,
                phrase("{}{}: there is no GPU kernel of that name{}", said, all,
                       did_you_mean(all.substr(0, comma), names)));
  }
  for (std::string_view rest = comma == std::string_view::npos ? "" : all.substr(comma);
       !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(word.size());
    if (take_cluster(word, wish) || take_division(word, wish)) continue;
    throw Error(ErrorCode::kInvalidArgument,
                phrase("{}{}: expected KERNEL and, each after a comma, cluster=DOWNxACROSS, "
                       "split=1…{} or stream",
                       said, all, kMostParts));
  }
  return wish;
}

}  // namespace tilewise::gpu
