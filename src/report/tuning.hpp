// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What `tilewise tune` measured, and what its file holds, as text and JSON.
#pragma once

#include <string>

#include "bench/tuning.hpp"
#include "gemm/gpu/tuned_file.hpp"

namespace tilewise::report {

/// One product: the winner, and the plans that came near it with estimated and measured times.
std::string tuning_of(const bench::TuneResult& result, bool color);

/// The lines at the end: how many products take another plan, and what that is worth.
std::string tuning_summary(const bench::TuneReport& report);

/// One object with "context", "results" and "summary" (docs/gpu.md).
std::string tuning_json(const bench::TuneReport& report);

/// The plans of a file as a table. `here`: whose plans products of this program would take on the GPU there is.
std::string tuned_table(const gpu::TunedFile::Rows& rows, const std::vector<gpu::TunedOn>& here);
/// The same as JSON: an array.
std::string tuned_json(const gpu::TunedFile::Rows& rows, const std::vector<gpu::TunedOn>& here);

}  // namespace tilewise::report
