// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "report/report.hpp"
#include "sample.hpp"

namespace tilewise::report {
namespace {

using Json = nlohmann::json;

std::set<std::string> keys_of(const Json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

TEST(LadderJson, VirtualRungHasEveryFigureThatWasTaken) {
  const Json json = Json::parse(ladder_json(test::virtual_result()));
  EXPECT_EQ(keys_of(json), (std::set<std::string>{"context", "rungs"}));
  ASSERT_EQ(json["rungs"].size(), 6u);
  const std::set<std::string> keys = keys_of(json["rungs"][2]);
  for (const char* key :
       {"name",      "title",         "dtype",     "m",     "n",        "k",        "verified",
        "error",     "largest_error", "checksum",  "entry", "fidelity", "counters", "lines",
        "registers", "shared_bytes",  "occupancy", "limit", "idea",     "source",   "tile"}) {
    EXPECT_TRUE(keys.contains(key)) << key;
  }
  for (const char* key : {"time_ms", "gflops", "percent_of_cublas", "hardware_counters"}) {
    EXPECT_FALSE(keys.contains(key)) << key;
  }
}

TEST(LadderJson, ValuesAreThoseOfTheResult) {
  const Json json = Json::parse(ladder_json(test::virtual_result()));
  const Json& rung = json["rungs"][1];
  EXPECT_EQ(rung["name"], "shared_column");
  EXPECT_EQ(rung["dtype"], "f32");
  EXPECT_EQ(rung["m"], 255);
  EXPECT_EQ(rung["n"], 257);
  EXPECT_EQ(rung["k"], 511);
  EXPECT_EQ(rung["verified"], true);
  EXPECT_EQ(rung["error"], 1.25e-7);
  EXPECT_EQ(rung["checksum"], "fedcba9876543210");
  EXPECT_EQ(rung["fidelity"], "approximate");
  EXPECT_EQ(rung["fidelity_notes"][0], "ptxas merged two loads of line 12");
  EXPECT_EQ(rung["occupancy"], 1.0);
  EXPECT_EQ(rung["counters"]["shared_load_conflicts"], 31'000'000);
  EXPECT_EQ(rung["counters"].size(), kCounterFields.size());
  EXPECT_EQ(rung["lines"][1]["line"], 44);
  EXPECT_EQ(rung["lines"][1]["counters"]["shared_load_wavefronts"], 260'000);
  EXPECT_FALSE(rung["lines"][1]["counters"].contains("barriers"));
  EXPECT_EQ(json["context"]["virtual"], true);
  EXPECT_EQ(json["context"]["alpha"], 1.5);
  EXPECT_EQ(json["context"]["seed"], 7);
  EXPECT_FALSE(json["context"].contains("a"));
}

TEST(LadderJson, RealRungHasTimesAndHardwareCounters) {
  const Json json = Json::parse(ladder_json(test::cuda_result()));
  const Json& rung = json["rungs"][3];
  EXPECT_EQ(rung["gflops"], 48'750.5);
  EXPECT_EQ(rung["samples_ms"].size(), 2u);
  EXPECT_EQ(rung["hardware_counters"]["global_load_sectors"], 42);
  EXPECT_FALSE(rung.contains("counters"));
  EXPECT_FALSE(rung.contains("fidelity"));
  EXPECT_EQ(json["context"]["hardware_metrics"]["global_load_sectors"], "metric_c.sum");
  EXPECT_EQ(json["context"]["cublas"], "cuBLAS 13.1.0");
}

TEST(LadderJson, CpuLadderSaysWhatItsRungsAreHeldAgainst) {
  const Json json = Json::parse(ladder_json(test::cpu_result()));
  const Json& context = json["context"];
  EXPECT_EQ(context["instruction_set"], "avx512");
  EXPECT_EQ(context["caches"][1], "L2 1 MiB (cores 0)");
  EXPECT_EQ(context["fma_peaks"][1]["threads"], 2);
  EXPECT_EQ(context["fma_peaks"][1]["gflops"], 236.8);
  EXPECT_FALSE(context.contains("gpu"));
  EXPECT_EQ(context["virtual"], false);
  const Json& rung = json["rungs"][2];
  EXPECT_EQ(rung["entry"], "08_threads");
  EXPECT_EQ(rung["threads"], 2);
  EXPECT_NEAR(rung["percent_of_peak"].get<double>(), 80, 1e-9);
  EXPECT_NEAR(rung["speed_up"].get<double>(), 2, 1e-9);
  EXPECT_FALSE(json["rungs"][0].contains("speed_up"));
  for (const char* key :
       {"counters", "registers", "tile", "block_threads", "source", "cublas_time_ms"}) {
    EXPECT_FALSE(rung.contains(key)) << key;
  }
  for (const auto& other : {test::virtual_result(), test::cuda_result()}) {
    const Json gpu = Json::parse(ladder_json(other));
    EXPECT_FALSE(gpu["context"].contains("fma_peaks"));
    EXPECT_FALSE(gpu["rungs"][0].contains("threads"));
  }
}

TEST(LadderJson, CpuRungHasNoKernelFigures) {
  const Json json = Json::parse(ladder_json(test::virtual_result()));
  const std::set<std::string> keys = keys_of(json["rungs"][5]);
  for (const char* key : {"counters", "entry", "registers", "occupancy", "tile", "block_threads"}) {
    EXPECT_FALSE(keys.contains(key)) << key;
  }
}

TEST(LadderJson, OddTextAndNumbersStayJson) {
  bench::LadderResult result = test::virtual_result();
  result.context.a_file = "quote\" back\\slash \xff.npy";
  result.rungs[0].error = std::numeric_limits<double>::quiet_NaN();
  result.rungs[0].verified = false;
  const Json json = Json::parse(ladder_json(result));
  EXPECT_TRUE(json["rungs"][0]["error"].is_null());
  EXPECT_TRUE(json["context"]["a"].get<std::string>().starts_with("quote\" back\\slash "));
}

}  // namespace
}  // namespace tilewise::report
