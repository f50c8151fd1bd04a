// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/capture.hpp"

#include <gtest/gtest.h>

#include "../core/expect_error.hpp"
#include "core/file.hpp"

namespace tilewise::bench {
namespace {

using model::GoldenAccess;
using test::expect_error;

GoldenAccess row(const std::string& access, int bytes) {
  GoldenAccess result;
  result.id = 7;
  result.access = access;
  result.bytes_per_lane = bytes;
  result.pattern = "test";
  for (std::size_t lane = 0; lane < 32; ++lane) result.offsets[lane] = lane * 32;
  return result;
}

std::vector<GoldenAccess> golden_rows() {
  std::vector<GoldenAccess> rows;
  for (const char* name : {"memory_access.csv", "async_copy.csv"}) {
    const std::string file = std::string(TILEWISE_TESTS_DIR) + "/golden/h200/" + name;
    for (GoldenAccess& row : model::parse_golden_access(read_file(file), file)) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// The probes, run on the virtual GPU, count what an H200 counted: the kernels make one access each,
// and the virtual GPU applies the access rules to the addresses that they use.
TEST(Probes, VirtualGpuCountsWhatTheHardwareCounted) {
  if (kernels::images().empty()) GTEST_SKIP() << "built without nvcc";
  const auto device = device::open(device::Choice::kVirtual, "h200");
  const std::vector<GoldenAccess> rows = golden_rows();
  ASSERT_GT(rows.size(), 1000u);
  const std::vector<model::AccessCounts> counts = count_probes(*device, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(counts[i], rows[i].expected)
        << "row " << rows[i].id << ' ' << rows[i].access << ' ' << rows[i].pattern;
  }
}

TEST(Probes, EveryPatternHasAProbe) {
  for (const GoldenAccess& pattern : model::capture_patterns(1)) {
    EXPECT_NO_THROW(probe_for(pattern)) << pattern.access << ' ' << pattern.bytes_per_lane;
  }
  for (const GoldenAccess& golden : golden_rows()) EXPECT_NO_THROW(probe_for(golden));
}

TEST(Probes, AnAccessWithoutProbeIsNamed) {
  expect_error(ErrorCode::kUnsupported, {"row 7", "ld.shared", "2 bytes"},
               [] { probe_for(row("ld.shared", 2)); });
}

TEST(Probes, StmatrixNeedsHopper) {
  const std::vector<GoldenAccess> rows{row("stmatrix.x1", 16), row("ld.shared", 4)};
  EXPECT_EQ(rows_for(rows, 8).size(), 1u);
  EXPECT_EQ(rows_for(rows, 9).size(), 2u);
}

const std::set<std::string> kAvailable{
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st",
};

TEST(Capture, AsksForWhatThereIs) {
  const std::vector<std::string> metrics = capture_metrics(kAvailable);
  EXPECT_EQ(std::set<std::string>(metrics.begin(), metrics.end()), kAvailable);
}

TEST(Capture, EachRowTakesItsOwnMetrics) {
  std::vector<GoldenAccess> rows{row("ld.shared", 8), row("st.global", 4), row("stmatrix.x2", 16)};
  std::map<std::string, double> values;
  double next = 10;
  for (const std::string& metric : kAvailable) values[metric] = next++;
  values["l1tex__t_requests_pipe_lsu_mem_global_op_st"] = 1;
  const std::vector<ProfiledLaunch> launches{
      {"probe_ld_shared_8", values}, {"probe_st_global_4", values}, {"probe_stmatrix_x2", values}};
  take_counts(rows, launches, kAvailable);
  const auto value = [&](const char* metric) { return static_cast<int>(values.at(metric)); };
  EXPECT_EQ(
      rows[0].expected,
      (model::AccessCounts{value("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld"),
                           value("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld"),
                           {},
                           {}}));
  EXPECT_EQ(rows[1].expected,
            (model::AccessCounts{
                {}, {}, 1, value("smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st")}));
  EXPECT_EQ(
      rows[2].expected,
      (model::AccessCounts{
          value("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm"), {}, {}, {}}));
}

TEST(Capture, LaunchesThatAreNotTheRowsAreRefused) {
  std::vector<GoldenAccess> rows{row("ld.shared", 8)};
  expect_error(ErrorCode::kDriver, {"0 launches of 1"}, [&] { take_counts(rows, {}, kAvailable); });
  const std::vector<ProfiledLaunch> other{{"probe_ld_shared_4", {}}};
  expect_error(ErrorCode::kDriver, {"row 7", "probe_ld_shared_4", "probe_ld_shared_8"},
               [&] { take_counts(rows, other, kAvailable); });
}

TEST(Capture, AProbeThatMadeMoreThanOneAccessIsRefused) {
  std::vector<GoldenAccess> rows{row("st.global", 4)};
  const std::vector<ProfiledLaunch> launches{
      {"probe_st_global_4", {{"l1tex__t_requests_pipe_lsu_mem_global_op_st", 2}}}};
  expect_error(ErrorCode::kDriver, {"2 requests"},
               [&] { take_counts(rows, launches, kAvailable); });
}

}  // namespace
}  // namespace tilewise::bench
