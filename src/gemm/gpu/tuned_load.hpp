// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where tuned plans come from, and what is said when they cannot be had: never an error, as a product without them
// is as right.
#pragma once

#include <functional>
#include <string>

#include "gemm/gpu/tuned.hpp"

namespace tilewise::gpu {

/// A file of tuned plans, which may not be there.
struct TunedPlace {
  std::string path;       ///< empty: none
  bool is_named = false;  ///< by the caller or TILEWISE_TUNED, so that its absence is worth a word
};

/// `asked`: what a context was told: nullptr: nothing, "": none. Then TILEWISE_TUNED, where "none" is none; then
/// $XDG_CACHE_HOME/tilewise/tuned.sqlite, where XDG_CACHE_HOME is $HOME/.cache unless it says otherwise.
TunedPlace tuned_place(const char* asked);

/// The plans in that file for this GPU and these kernels. `say` is told, in one line, why there are none where there
/// is a file, or one that was named; and of rows that were passed over.
TunedPlans load_tuned(const TunedPlace& place, const model::Gpu& gpu,
                      const std::function<void(const std::string&)>& say);

/// A line on stderr, "tilewise: " before it, unless this program has said the same already.
void say_once(const std::string& words);

}  // namespace tilewise::gpu
