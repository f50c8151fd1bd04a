// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What `tilewise bench` measured, as text, JSON and CSV, and read again.
#pragma once

#include <string>

#include "bench/compare.hpp"
#include "bench/gemm_bench.hpp"

namespace tilewise::report {

/// The lines above the table: machine, libraries, and the head of the columns.
std::string bench_heading(const bench::GemmContext& context, bool color);

/// One line of the table.
std::string bench_row(const bench::GemmContext& context, const bench::GemmResult& result,
                      bool color);

/// The lines below the table: geometric means, the worst shape, peers that were left out.
std::string bench_summary(const bench::GemmReport& report, bool color);

/// One object with "context", "results" and "geometric_means" (bench/results/README.md).
std::string bench_json(const bench::GemmReport& report);

/// A line a result, RFC 4180.
std::string bench_csv(const bench::GemmReport& report);

/// The results in the JSON `text` of bench_json(), for comparing; `name` is what errors call it. Throws
/// Error{kInvalidInput} naming the field that is missing or of the wrong kind.
bench::ComparedFile read_bench_json(const std::string& text, const std::string& name);

/// One self-contained page (works offline) with tables and charts, from the JSON `text` of bench_json(). Throws as
/// read_bench_json() does.
std::string bench_html(const std::string& text, const std::string& name);

/// What compare() found, as a table.
std::string comparison_table(const bench::Comparison& comparison, bool color);

}  // namespace tilewise::report
