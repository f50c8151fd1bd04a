// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "../core/temporary_folder.hpp"
#include "core/file.hpp"
#include "program.hpp"

namespace tilewise::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Devices, ListsTheCatalogue) {
  const Outcome outcome = run({"devices"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const char* gpu : {"rtx3090: \"NVIDIA GeForce RTX 3090\"",
                          "a6000:", "a100:", "h100:", "h200:", "l40s:", "rtx4090:"}) {
    EXPECT_TRUE(contains(outcome.out, gpu)) << gpu;
  }
}

// The figures of a device query of an RTX 3090, and the peak worked out from them.
TEST(Devices, OneGpuWithItsArithmetic) {
  const std::string out = run({"devices", "--gpu", "rtx3090"}).out;
  for (const char* figure :
       {"2 × 128 × 82 × 1.695 GHz = 35.58 TFLOP/s", "936 GB/s", "8.6", "82 × 128 f32 lanes = 10496",
        "25414860800 bytes", "384 bit", "9751 MHz", "6291456 bytes", "49152 bytes", "65536",
        "1536, 1024", "(1024, 1024, 64)", "(2147483647, 65535, 65535)", "Warp size"}) {
    EXPECT_TRUE(contains(out, figure)) << figure << " in:\n" << out;
  }
  EXPECT_FALSE(contains(out, "h200:"));
}

TEST(Devices, Json) {
  const TemporaryFolder folder;
  ASSERT_EQ(run({"devices", "--json", (folder / "d.json").string()}).code, 0);
  const auto json = nlohmann::json::parse(read_file(folder / "d.json"));
  EXPECT_TRUE(json["cuda"].is_string());
  EXPECT_TRUE(json["devices"].is_array());
  EXPECT_GE(json["catalogue"].size(), 7u);
  for (const auto& gpu : json["catalogue"]) {
    EXPECT_GT(gpu["peak_f32"].get<double>(), 1e12) << gpu["key"];
    EXPECT_FALSE(gpu["sources"].empty()) << gpu["key"];
  }
}

TEST(Devices, JsonThatCannotBeWritten) {
  const Outcome outcome = run({"devices", "--json", "/nowhere/at/all/d.json"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(contains(outcome.err, "/nowhere/at/all")) << outcome.err;
}

}  // namespace
}  // namespace tilewise::test
