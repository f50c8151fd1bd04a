// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/ladder.hpp"

#include <fmt/core.h>

#include <optional>

#include "bench/climb.hpp"
#include "bench/context.hpp"
#include "bench/cublas.hpp"
#include "bench/sizes.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

// Neighbouring rungs of one arithmetic share their operands, which are made when the first of them is
// reached and given back before others are made: memory holds one set at a time.
class Climbs {
 public:
  Climbs(device::Device& device, const LadderRequest& request, const Sizes& sizes, Cublas* peer)
      : device_(device), request_(request), sizes_(sizes), peer_(peer) {}

  RungResult run(const kernels::Rung& rung, const ImageOf& image_of, bool keep_c) {
    if (kernels::result_dtype(rung.arithmetic) == Dtype::kF64) {
      f32_.reset();
      return run(f64_, rung, image_of, keep_c);
    }
    f64_.reset();
    return run(f32_, rung, image_of, keep_c);
  }
  npy::Array kept() && { return std::move(kept_); }

 private:
  template <class T>
  RungResult run(std::optional<Climb<T>>& climb, const kernels::Rung& rung, const ImageOf& image_of,
                 bool keep_c) {
    if (climb && climb->arithmetic() != rung.arithmetic) climb.reset();
    if (!climb) climb.emplace(device_, request_, sizes_, peer_, rung.arithmetic);
    RungResult row = climb->run(rung, image_of, keep_c);
    if (keep_c) kept_ = climb->last_result();
    return row;
  }

  device::Device& device_;
  const LadderRequest& request_;
  Sizes sizes_;
  Cublas* peer_;
  std::optional<Climb<float>> f32_;  // by the type of C
  std::optional<Climb<double>> f64_;
  npy::Array kept_;
};

void check_rungs(const device::Device& device, const LadderRequest& request,
                 const ImageOf& image_of) {
  for (const kernels::Rung* rung : request.rungs) {
    if (!rung->on_cpu) image_of(*rung, device.gpu());  // throws where there is none
  }
}

}  // namespace

LadderResult climb_ladder(device::Device& device, const LadderRequest& request,
                          const LadderProgress& progress, const ImageOf& image_of) {
  const Sizes sizes = resolve_sizes(request);
  check_request(device, request, sizes);
  check_rungs(device, request, image_of);

  LadderResult result;
  result.context = describe_run(device, request);
  std::string why_no_cublas;
  const std::unique_ptr<Cublas> cublas = Cublas::open(device, why_no_cublas);
  if (cublas) result.context.cublas = cublas->version();

  Climbs climbs(device, request, sizes, cublas.get());
  const std::size_t count = request.rungs.size();
  for (std::size_t i = 0; i < count; ++i) {
    const kernels::Rung& rung = *request.rungs[i];
    if (progress) progress(i, count, &rung);
    result.rungs.push_back(climbs.run(rung, image_of, request.keep_c && i + 1 == count));
  }
  if (progress) progress(count, count, nullptr);
  result.c = std::move(climbs).kept();
  return result;
}

LadderResult run_ladder(device::Device& device, const LadderRequest& request,
                        const LadderProgress& progress) {
  return climb_ladder(
      device, request, progress,
      [](const kernels::Rung& rung, const model::Gpu& gpu) -> const kernels::KernelImage& {
        return kernels::find_image(rung.unit, gpu.compute_major, gpu.compute_minor);
      });
}

}  // namespace tilewise::bench
