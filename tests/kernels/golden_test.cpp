// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The virtual GPU against what an H200 did: the bits of every rung's result at an odd shape, and the
// bits and the counters of every rung at 512×512×512 as Nsight Compute read them there.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/ladder.hpp"
#include "core/file.hpp"
#include "device/device.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"

namespace tilewise::kernels {
namespace {

nlohmann::json golden(const std::string& name) {
  return nlohmann::json::parse(read_file(std::string(TILEWISE_TESTS_DIR "/golden/h200/") + name));
}

// The rungs that were recorded.
bench::LadderRequest request_for(const nlohmann::json& recorded) {
  bench::LadderRequest request;
  for (const Rung& rung : ladder()) {
    if (recorded.contains(std::string(rung.name))) request.rungs.push_back(&rung);
  }
  EXPECT_EQ(request.rungs.size(), recorded.size());
  return request;
}

bool is_on_gpu(const Rung& rung) { return !rung.on_cpu; }

void expect_checksum(const bench::RungResult& row, const nlohmann::json& checksums) {
  const std::string name(row.rung->name);
  const std::string hexadecimal = checksums.at(name);
  EXPECT_EQ(row.checksum, std::stoull(hexadecimal, nullptr, 16)) << name;
}

TEST(GoldenLadder, HasEveryRung) {
  const auto rungs = static_cast<std::size_t>(std::ranges::count_if(ladder(), is_on_gpu));
  EXPECT_EQ(golden("ladder_checksums.json")["checksums"].size(), rungs);
  EXPECT_EQ(golden("ladder_counters.json")["counters"].size(), rungs);
  EXPECT_EQ(golden("ladder_counters.json")["checksums"].size(), rungs);
}

TEST(GoldenLadder, EveryRungGivesTheBitsOfAnH200) {
  if (images().empty()) GTEST_SKIP() << "built without nvcc";
  const nlohmann::json recorded = golden("ladder_checksums.json");
  bench::LadderRequest request = request_for(recorded["checksums"]);
  request.m = recorded["m"];
  request.n = recorded["n"];
  request.k = recorded["k"];
  request.alpha = recorded["alpha"];
  request.beta = recorded["beta"];
  request.seed = recorded["seed"];
  const auto device = device::open(device::Choice::kVirtual, "h200");
  const bench::LadderResult result = run_ladder(*device, request);
  ASSERT_EQ(result.rungs.size(), recorded["checksums"].size());
  for (const bench::RungResult& row : result.rungs) expect_checksum(row, recorded["checksums"]);
}

TEST(GoldenLadder, EveryRungIsExactAndCountsWhatAnH200Counted) {
  if (images().empty()) GTEST_SKIP() << "built without nvcc";
  const nlohmann::json recorded = golden("ladder_counters.json");
  bench::LadderRequest request = request_for(recorded["counters"]);
  request.m = request.n = request.k = recorded["size"];
  const auto device = device::open(device::Choice::kVirtual, "h200");
  const bench::LadderResult result = run_ladder(*device, request);
  ASSERT_EQ(result.rungs.size(), recorded["counters"].size());
  for (const bench::RungResult& row : result.rungs) {
    const std::string name(row.rung->name);
    EXPECT_EQ(row.fidelity, "exact") << name;
    expect_checksum(row, recorded["checksums"]);
    const nlohmann::json& hardware = recorded["counters"].at(name);
    ASSERT_GE(hardware.size(), 9u) << name;
    for (const CounterField& field : kCounterFields) {
      if (!hardware.contains(field.name)) continue;
      EXPECT_EQ((*row.counters).*field.member,
                hardware[std::string(field.name)].get<std::uint64_t>())
          << name << " " << field.name;
    }
  }
}

}  // namespace
}  // namespace tilewise::kernels
