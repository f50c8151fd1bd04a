// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise emulate` on the kernels of cli/emulate/. Expected values are worked out here, in plain loops.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "gemm_files.hpp"

namespace tilewise::test {
namespace {

using Json = nlohmann::json;
const std::string kKernels = std::string(TILEWISE_TESTS_DIR) + "/cli/emulate/";

class Emulate : public GemmFiles {
 protected:
  Outcome emulate(const std::string& source, const std::string& kernel, const std::string& grid,
                  const std::string& block, const std::vector<std::string>& arguments,
                  const std::vector<std::string>& more = {}) {
    return run_source(kKernels + source, kernel, grid, block, arguments, more);
  }
  Outcome run_source(const std::string& source, const std::string& kernel, const std::string& grid,
                     const std::string& block, const std::vector<std::string>& arguments,
                     const std::vector<std::string>& more) {
    std::vector<std::string> words{"emulate", source,    "--kernel", kernel,   "--grid",
                                   grid,      "--block", block,      "--json", path("o.json")};
    for (const std::string& each : arguments) words.insert(words.end(), {"--arg", each});
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  // How a message names that line of the file that a test cut off.
  static std::string place(std::ptrdiff_t line) { return "cut.ptx:" + std::to_string(line) + ": "; }
  Json kernel_of_json() const { return Json::parse(read_file(path("o.json"))).at("kernels").at(0); }

  npy::Array read(const std::string& name) const { return npy::read(path(name), kAnyArray); }

  // What a kernel of features.cu makes of 32 words. The file is compiled once; then its PTX runs.
  npy::Array features(const std::string& kernel, const npy::Array& x, Outcome& outcome,
                      const std::vector<std::string>& more = {}) {
    write("x.npy", x);
    if (!compiled_) {
      compiled_ = std::make_unique<TemporaryFolder>();
      EXPECT_EQ(emulate("features.cu", "picks", "1", "32", {"zeros:s32:32"},
                        {"--keep", compiled_->path().string()})
                    .code,
                0);
    }
    outcome = run_source((*compiled_ / "kernel.ptx").string(), kernel, "1", "32",
                         {"inout:" + path("x.npy")}, more);
    return read("x.npy");
  }
  static void TearDownTestSuite() { compiled_.reset(); }
  static npy::Array words(int (*value)(int)) {
    npy::Array x = make_array(Dtype::kS32, Order::kRowMajor, 1, 32);
    for (int i = 0; i < 32; ++i) set(x, 0, i, value(i));
    return x;
  }

 private:
  static inline std::unique_ptr<TemporaryFolder> compiled_;
};

// Element (i, j) of alpha·A·B + beta·C in f64; exact for these matrices.
double product(const npy::Array& a, const npy::Array& b, std::int64_t i, std::int64_t j) {
  double sum = 0;
  for (std::int64_t k = 0; k < a.columns; ++k) sum += a.at(i, k) * b.at(k, j);
  return sum;
}

#define NEEDS_NVCC()                                                     \
  if (!has_kernels())                                                    \
  GTEST_SKIP() << "this build found no nvcc, so CUDA sources cannot be " \
                  "compiled"

TEST_F(Emulate, RunsPtx) {
  write("x.npy", random_array(Dtype::kF32, Order::kRowMajor, 1, 100, 1));
  const npy::Array before = read("x.npy");
  const Outcome outcome =
      emulate("scale.ptx", "scale", "2", "64", {"inout:" + path("x.npy"), "u32:90", "f32:-2.5"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const npy::Array after = read("x.npy");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(after.at(0, i), before.at(0, i) * (i < 90 ? -2.5 : 1)) << i;
  }
  const Json kernel = kernel_of_json();
  EXPECT_EQ(kernel.at("name"), "scale");
  EXPECT_EQ(kernel.at("grid"), Json({2, 1, 1}));
  EXPECT_EQ(kernel.at("block"), Json({64, 1, 1}));
  EXPECT_EQ(kernel.at("shared_bytes"), 0);
  // 90 words of a buffer aligned to 256 bytes: three whole warps but for 6 lanes.
  EXPECT_EQ(kernel.at("counters").at("global_load_requests"), 3);
  EXPECT_EQ(kernel.at("counters").at("global_load_sectors"), 12);
  EXPECT_EQ(kernel.at("counters").at("global_store_sectors"), 12);
  EXPECT_TRUE(kernel.at("findings").empty());
  EXPECT_EQ(kernel.at("fidelity"), kernel.contains("registers") ? "exact" : "approximate");
  EXPECT_TRUE(contains(outcome.out, "global_load_sectors"));
}

TEST_F(Emulate, AnAccessOutsideIsExitCode1AndNamesTheLine) {
  const Outcome outcome = emulate("scale.ptx", "scatter", "1", "1", {"zeros:f32:16"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "scale.ptx:38")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "outside every allocation")) << outcome.err;
}

TEST_F(Emulate, WhatTheKernelDidNotWriteIsNaN) {
  const Outcome outcome = emulate("scale.ptx", "scale", "1", "32",
                                  {"out:" + path("y.npy") + ":f32:4x8", "u32:0", "f32:1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const npy::Array y = read("y.npy");
  EXPECT_EQ(y.rows, 4);
  for (int i = 0; i < 32; ++i) EXPECT_TRUE(std::isnan(y.at(i / 8, i % 8)));
}

TEST_F(Emulate, RandomArraysAreTheSameEveryTime) {
  const auto fetched = [&](const std::string& made) {
    const Outcome outcome = emulate("box.ptx", "box", "1", "32",
                                    {"tensormap:4x8:" + made, "out:" + path("c.npy") + ":f32:4x8"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return read("c.npy").to_f64();
  };
  const std::vector<double> first = fetched("random:f32:8x16:7");
  EXPECT_EQ(fetched("random:f32:8x16:7"), first);
  EXPECT_NE(fetched("random:f32:8x16:8"), first);
  EXPECT_NE(fetched("random:f32:8x16"), first);
  for (const double value : first) EXPECT_TRUE(value >= -1 && value < 1 && value != 0) << value;
}

TEST_F(Emulate, ConvertsWhatFilesHold) {
  write("x.npy", random_array(Dtype::kF64, Order::kRowMajor, 2, 8, 3));
  const npy::Array before = read("x.npy");
  ASSERT_EQ(emulate("scale.ptx", "scale", "1", "32",
                    {"inout:" + path("x.npy") + ":f32", "u32:16", "f32:2"})
                .code,
            0);
  const npy::Array after = read("x.npy");
  EXPECT_EQ(after.dtype, Dtype::kF32);
  EXPECT_EQ(after.rows, 2);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(after.at(i / 8, i % 8), 2 * before.at(i / 8, i % 8));
}

TEST_F(Emulate, MakesTensorMaps) {
  write("a.npy", random_array(Dtype::kF32, Order::kRowMajor, 5, 16, 4));
  const npy::Array a = read("a.npy");
  const std::string out = "out:" + path("c.npy") + ":f32:4x8";
  // Of an array of its own, and of another argument's; row 5 is outside, and zero.
  const Outcome outcome =
      emulate("box.ptx", "box", "1", "32", {"tensormap:4x8:in:" + path("a.npy"), out});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const npy::Array c = read("c.npy");
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 8; ++j) {
      EXPECT_EQ(c.at(i, j), i + 2 < 5 ? a.at(i + 2, j + 4) : 0) << i << ' ' << j;
    }
  }
  const Outcome filled =
      emulate("box.ptx", "box", "1", "32", {"tensormap:4x8:fill=nan:in:" + path("a.npy"), out});
  ASSERT_EQ(filled.code, 0) << filled.err;
  EXPECT_TRUE(std::isnan(read("c.npy").at(3, 0)));
  EXPECT_EQ(emulate("box.ptx", "box", "1", "32", {"tensormap:4x8:arg=2", out}).code, 0);
}

TEST_F(Emulate, HandsTensorMapsOverByAddressWhereTheKernelTakesOne) {
  const std::string map = "tensormap:4x8:random:f32:8x16:7";
  const auto fetched = [&](const std::string& kernel) {
    const Outcome outcome =
        emulate("box.ptx", kernel, "1", "32", {map, "out:" + path("c.npy") + ":f32:4x8"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return read("c.npy").to_f64();
  };
  EXPECT_EQ(fetched("box_at"), fetched("box"));
}

TEST_F(Emulate, RefusesTensorMapsThatNoDriverMakes) {
  const auto message = [&](const std::string& map) {
    const Outcome outcome = emulate("box.ptx", "box", "1", "32", {map, "zeros:f32:32x8"});
    EXPECT_EQ(outcome.code, 2) << map;
    return outcome.err;
  };
  EXPECT_TRUE(contains(message("tensormap:4x8"), "expected tensormap:BOX"));
  EXPECT_TRUE(contains(message("tensormap:4x8:arg=3"), "argument 3 is not an array"));
  EXPECT_TRUE(contains(message("tensormap:4x8:arg=1"), "argument 1 is not an array"));
  EXPECT_TRUE(contains(message("tensormap:8:arg=2"), "the box has 1 extents, the array 2"));
  EXPECT_TRUE(
      contains(message("tensormap:4x8:swizzle=12:arg=2"), "'swizzle=12' is not understood"));
  EXPECT_TRUE(contains(message("tensormap:4x8:i32:7"), "expected tensormap:BOX"));
  EXPECT_TRUE(contains(message("tensormap:300x8:arg=2"), "300"));
  EXPECT_TRUE(contains(message("tensormap:4x8:type=f64:arg=2"),
                       "type=f64 has elements of 8 bytes, the array's f32 has 4"));
  EXPECT_TRUE(contains(message("tensormap:4x6:in:" + path("none.npy")), "none.npy"));
}

// Half a file of PTX, cut in front of its kernel or inside of it: the message says where it ends.
TEST_F(Emulate, APtxFileThatIsCutOffIsNamedWithItsLine) {
  const std::string whole = read_file(kKernels + "scale.ptx");
  const auto message = [&](const std::string& text) {
    std::ofstream(path("cut.ptx"), std::ios::binary) << text;
    const Outcome outcome = run_source(path("cut.ptx"), "scale", "1", "32", {}, {});
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  };
  const std::string head = whole.substr(0, whole.find(".visible"));
  const auto lines = std::count(head.begin(), head.end(), '\n');
  EXPECT_TRUE(
      contains(message(head),
               place(lines) + "the file ends without a kernel (.entry): it may have been cut off"))
      << message(head);
  EXPECT_TRUE(contains(message(head + ".visible .en"),
                       place(lines + 1) + "the file ends without a kernel"));
  EXPECT_TRUE(contains(message(""), place(1) + "the file is empty"));
  EXPECT_TRUE(
      contains(message("once\nupon a time\n"), place(2) + "the file ends without .version"));
  const std::string half = whole.substr(0, whole.find("ret;"));
  EXPECT_TRUE(contains(message(half), "cut.ptx")) << message(half);
}

TEST_F(Emulate, RefusesWhatItCannotUse) {
  const std::string x = "zeros:f32:16";
  const auto message = [&](const std::vector<std::string>& arguments,
                           const std::string& kernel = "scale",
                           const std::vector<std::string>& more = {}) {
    const Outcome outcome = emulate("scale.ptx", kernel, "1", "32", arguments, more);
    EXPECT_EQ(outcome.code, 2) << outcome.err << outcome.out;
    EXPECT_TRUE(outcome.out.empty());
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
    return outcome.err;
  };
  EXPECT_TRUE(contains(message({x}, "scal_"), "no such kernel; it has: scale, scatter"));
  EXPECT_TRUE(contains(message({x}, "sca"), "several kernels"));
  EXPECT_TRUE(
      contains(message({x, "u32:1"}), "takes 3 arguments (of 8, 4, 4 bytes), 2 were given"));
  EXPECT_TRUE(
      contains(message({x, "u64:1", "f32:1"}), "it is 8 bytes; argument 2 of the kernel takes 4"));
  EXPECT_TRUE(contains(message({x, "u8:256", "f32:1"}), "from 0 to 255, got '256'"));
  EXPECT_TRUE(contains(message({x, "i32:one", "f32:1"}), "got 'one'"));
  EXPECT_TRUE(contains(message({x, "i32:0x-5", "f32:1"}), "got '0x-5'"));
  EXPECT_FALSE(contains(message({x, "i32", "f32:1"}), "did you mean"));
  EXPECT_TRUE(contains(message({x, "f23:1", "f32:1"}), "did you mean 'f32'"));
  EXPECT_TRUE(contains(message({"random:f32:4y4", "u32:1", "f32:1"}), "a shape such as"));
  EXPECT_TRUE(contains(message({"random:f33:4", "u32:1", "f32:1"}), "an element type"));
  EXPECT_TRUE(
      contains(message({"zeros:f32:99999999999x99999999", "u32:1", "f32:1"}), "too many elements"));
  EXPECT_TRUE(contains(message({"out:c.npy", "u32:1", "f32:1"}), "such as out:c.npy:f32:512x512"));
  EXPECT_TRUE(contains(message({"in:" + path("none.npy"), "u32:1", "f32:1"}), "none.npy"));
  EXPECT_TRUE(
      contains(message({x, "u32:1", "f32:1"}, "scale", {"--arch", "sm_999"}), "--arch sm_999"));
  EXPECT_TRUE(
      contains(message({x, "u32:1", "f32:1"}, "scale", {"--arch", "90"}), "--arch: expected"));
  EXPECT_TRUE(contains(message({x, "u32:1", "f32:1"}, "scale", {"--check", "race"}),
                       "did you mean 'races'"));
  EXPECT_TRUE(contains(message({x, "u32:1", "f32:1"}, "scale", {"--async", "someday"}), "--async"));
  EXPECT_TRUE(contains(message({x, "u32:1", "f32:1"}, "scale", {"--cluster", "1,0"}), "--cluster"));
}

// Arrays that are read, random or zeros are there before the run; those that are only written are not.
TEST_F(Emulate, ChecksKnowWhichArraysHoldSomething) {
  write("x.npy", random_array(Dtype::kF32, Order::kRowMajor, 1, 32, 1));
  const auto findings = [&](const std::string& array, const std::string& kernel = "scale") {
    const bool scales = kernel == "scale";
    const Outcome outcome =
        emulate(scales ? "scale.ptx" : "box.ptx", kernel, "1", "32",
                scales ? std::vector<std::string>{array, "u32:32", "f32:2"}
                       : std::vector<std::string>{array, "out:" + path("c.npy") + ":f32:4x8"},
                {"--check", "all"});
    EXPECT_EQ(outcome.code, scales && array.starts_with("out") ? 1 : 0) << outcome.out;
    return kernel_of_json().at("findings").size();
  };
  EXPECT_EQ(findings("in:" + path("x.npy")), 0);
  EXPECT_EQ(findings("inout:" + path("x.npy")), 0);
  EXPECT_EQ(findings("random:f32:32"), 0);
  EXPECT_EQ(findings("zeros:f32:32"), 0);
  EXPECT_EQ(findings("tensormap:4x8:random:f32:8x16:7", "box"), 0);
  EXPECT_EQ(findings("tensormap:4x8:random:f32:8x16:7", "box_at"), 0);
  EXPECT_EQ(findings("out:" + path("y.npy") + ":f32:32"), 1);
}

// What Hopper has, an A100 has not.
TEST_F(Emulate, RefusesClustersAndTensorMapsOnOlderGpus) {
  const std::vector<std::string> map{"tensormap:4x8:random:f32:8x16", "u32:1", "f32:1"};
  const Outcome mapped = emulate("scale.ptx", "scale", "1", "32", map, {"--arch", "sm_80"});
  EXPECT_EQ(mapped.code, 2);
  EXPECT_TRUE(contains(mapped.err, "has no tensor maps, they need 9.0")) << mapped.err;
  const std::vector<std::string> plain{"zeros:f32:32", "u32:1", "f32:1"};
  const Outcome outcome =
      emulate("scale.ptx", "scale", "2", "32", plain, {"--arch", "sm_80", "--cluster", "2"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "clusters are asked for, which NVIDIA A100")) << outcome.err;
  EXPECT_EQ(emulate("scale.ptx", "scale", "2", "32", plain, {"--cluster", "2"}).code, 0);
}

TEST_F(Emulate, ReadsArraysOfThreeDimensions) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4, 4), }";
  header.resize(128 - 11, ' ');
  std::string bytes = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n";
  for (int i = 0; i < 32; ++i) {
    const auto value = static_cast<float>(i);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  folder_.with("cube.npy", bytes);
  const Outcome outcome =
      emulate("scale.ptx", "scale", "1", "32", {"inout:" + path("cube.npy"), "u32:32", "f32:2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string after = read_file(path("cube.npy"));
  EXPECT_TRUE(contains(after, "(2, 4, 4)"));
  for (int i = 0; i < 32; ++i) {
    float value = 0;
    std::memcpy(&value, after.data() + after.size() - 128 + 4 * i, sizeof value);
    EXPECT_EQ(value, 2 * static_cast<float>(i));
  }
}

TEST_F(Emulate, RefusesLaunchesThatNoGpuTakes) {
  const Outcome outcome =
      emulate("scale.ptx", "scale", "1", "2048", {"zeros:f32:16", "u32:1", "f32:1"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "2048") && contains(outcome.err, "1024")) << outcome.err;
}

TEST_F(Emulate, ReadsDamagedPtxWithoutFalling) {
  const std::string ptx = read_file(kKernels + "scale.ptx");
  for (const std::size_t length : {0u, 60u, 300u, 500u, 900u}) {
    folder_.with("cut.ptx", ptx.substr(0, length));
    const Outcome outcome =
        run({"emulate", path("cut.ptx"), "--kernel", "scale", "--grid", "1", "--block", "1"});
    EXPECT_EQ(outcome.code, 2) << length << outcome.out;
    EXPECT_TRUE(contains(outcome.err, "cut.ptx")) << outcome.err;
  }
}

// The host code of products.cu needs headers and libraries that no machine has.
TEST_F(Emulate, KernelsComeOutOfProgramsThatDoNotCompileHere) {
  NEEDS_NVCC();
  write("a.npy", random_array(Dtype::kF32, Order::kRowMajor, 40, 24, 1));
  write("b.npy", random_array(Dtype::kF32, Order::kRowMajor, 24, 36, 2));
  write("c.npy", random_array(Dtype::kF32, Order::kRowMajor, 40, 36, 3));
  const npy::Array a = read("a.npy"), b = read("b.npy"), c = read("c.npy");
  const Outcome outcome = emulate("products.cu", "naive", "2,3", "32,16",
                                  {"i32:40", "i32:36", "i32:24", "f32:2", "in:" + path("a.npy"),
                                   "in:" + path("b.npy"), "f32:0.5", "inout:" + path("c.npy")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const npy::Array result = read("c.npy");
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 36; ++j) {
      ASSERT_EQ(result.at(i, j), 2 * product(a, b, i, j) + 0.5 * c.at(i, j)) << i << ' ' << j;
    }
  }
  EXPECT_TRUE(contains(outcome.out, "no_such_helper_of_anyone.h")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "host code left out")) << outcome.out;
  const Json kernel = kernel_of_json();
  EXPECT_EQ(kernel.at("fidelity"), "exact");
  EXPECT_GT(kernel.at("registers"), 0);
  EXPECT_GT(kernel.at("occupancy"), 0);
  // Lines are those of the user's file, whatever was left out above them.
  bool loads = false;
  for (const Json& line : kernel.at("lines")) {
    EXPECT_EQ(line.at("file"), kKernels + "products.cu");
    loads |= line.at("line") == 17 && line.at("counters").contains("global_load_sectors");
  }
  EXPECT_TRUE(loads) << kernel.at("lines").dump();
}

// The kernel's own headers have host code that compiles nowhere: one of a folder of headers, which a header
// beside it includes too.
TEST_F(Emulate, HostCodeOfHeadersIsLeftOutToo) {
  NEEDS_NVCC();
  const TemporaryFolder headers;
  std::filesystem::create_directories(headers.path() / "deep");
  headers.with("facts.cuh",
               "#pragma once\ninline int facts() { return no_such_function_of_anyone(); }\n"
               "__device__ inline float twice(float x) { return 2 * x; }\n");
  headers.with("deep/scale.cuh",
               "#pragma once\n#include \"../facts.cuh\"\n#include \"one.cuh\"\n"
               "__device__ inline float scale(float x) { return twice(x) + kOne; }\n");
  headers.with("deep/one.cuh", "#pragma once\n__device__ constexpr float kOne = 1;\n");
  folder_.with("own.cu",
               "#include <facts.cuh>\n#include \"deep/scale.cuh\"\n"
               "__global__ void own(float* x) { x[threadIdx.x] = scale(x[threadIdx.x]); }\n");
  write("x.npy", random_array(Dtype::kF32, Order::kRowMajor, 1, 32, 5));
  const npy::Array before = read("x.npy");
  const Outcome outcome = run_source(path("own.cu"), "own", "1", "32", {"inout:" + path("x.npy")},
                                     {"--include", headers.path().string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(read("x.npy").at(0, i), 2 * static_cast<float>(before.at(0, i)) + 1) << i;
  }
  EXPECT_TRUE(contains(outcome.out, "facts.cuh:2-2")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "not found")) << outcome.out;
}

TEST_F(Emulate, TemplatesThatNothingInstantiatesAre) {
  NEEDS_NVCC();
  write("a.npy", random_array(Dtype::kF32, Order::kRowMajor, 64, 64, 1));
  write("b.npy", random_array(Dtype::kF32, Order::kRowMajor, 64, 64, 2));
  const npy::Array a = read("a.npy"), b = read("b.npy");
  const std::vector<std::string> arguments{"in:" + path("a.npy"), "in:" + path("b.npy"),
                                           "out:" + path("c.npy") + ":f32:64x64", "i32:64"};
  const auto check = [&](const std::string& kernel, const std::string& grid,
                         const std::string& block) {
    const Outcome outcome = emulate("products.cu", kernel, grid, block, arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const npy::Array c = read("c.npy");
    for (int i = 0; i < 64; ++i) {
      for (int j = 0; j < 64; ++j) ASSERT_EQ(c.at(i, j), product(a, b, i, j)) << i << ' ' << j;
    }
    EXPECT_EQ(kernel_of_json().at("fidelity"), "exact") << kernel_of_json().dump();
  };
  check("tiled::product<float, 32>", "2,2", "32,32");
  // Each of 32 warps, 4 blocks, 2 steps: 32 loads of a row of B, and 32 words of A, the same for all
  // lanes, which ptxas loads 16 bytes at a time: two wavefronts each.
  EXPECT_EQ(kernel_of_json().at("counters").at("shared_load_conflicts"), 0);
  EXPECT_EQ(kernel_of_json().at("counters").at("shared_store_wavefronts"), 2 * 32 * 2 * 4);
  EXPECT_EQ(kernel_of_json().at("counters").at("shared_load_wavefronts"),
            32 * (32 + 2 * 32 / 4) * 2 * 4);
  // 16 warps, 8 steps: 8 loads of a row of B, and of 8 rows of A 8 words each, 16 bytes at a time.
  check("rows<8,8>", "1,1", "512");
  EXPECT_EQ(kernel_of_json().at("counters").at("shared_load_wavefronts"), 16 * 8 * (8 + 8 * 2 * 2));
  // 8 warps, 16 steps of depth 4, and an address that is the sum of one that stays and one that moves.
  check("rows<16,4>", "1,1", "256");
  EXPECT_EQ(kernel_of_json().at("counters").at("shared_load_wavefronts"), 8 * 16 * (4 + 16 * 2));
}

// NVRTC has no host compiler: it cannot read <cstdio>, and every host function is in its way.
TEST_F(Emulate, CompilesWithNvrtcToo) {
  NEEDS_NVCC();
  const Outcome outcome =
      run({"emulate", kKernels + "products.cu", "--kernel", "tiled::product<float>", "--grid",
           "1,1", "--block", "16,16", "--arg", "zeros:f32:16x16", "--arg", "zeros:f32:16x16",
           "--arg", "out:" + path("c.npy") + ":f32:16x16", "--arg", "i32:16"},
          {{"TILEWISE_COMPILER", "nvrtc"}});
  if (contains(outcome.err, "NVRTC was not found")) GTEST_SKIP() << outcome.err;
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "by NVRTC ")) << outcome.out;
  const npy::Array c = read("c.npy");
  for (int i = 0; i < 256; ++i) EXPECT_EQ(c.at(i / 16, i % 16), 0);
}

TEST_F(Emulate, KernelsThatNothingCallsRun) {
  NEEDS_NVCC();
  const Outcome outcome =
      emulate("products.cu", "unused", "1", "32", {"out:" + path("c.npy") + ":f32:32"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (int i = 0; i < 32; ++i) EXPECT_EQ(read("c.npy").at(0, i), i);
}

TEST_F(Emulate, UnknownTemplateArgumentsListWhatThereIs) {
  NEEDS_NVCC();
  const Outcome outcome = emulate("products.cu", "naive<3>", "1", "32", {"zeros:f32:32"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "it has: naive")) << outcome.err;
  EXPECT_TRUE(
      contains(outcome.err, "; templates without an instance, to be named with arguments: "))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "product, rows")) << outcome.err;
}

TEST_F(Emulate, KernelsPrint) {
  NEEDS_NVCC();
  Outcome outcome;
  features("prints", words([](int i) { return i + 1; }), outcome);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out,
                       "lane 0:  0.50 text -5000000000|8   |z %\n"
                       "lane 1:  1.00 text -5000000000|8   |z %\n"))
      << outcome.out;
}

TEST_F(Emulate, AFailedAssertionNamesItselfAndTheThread) {
  NEEDS_NVCC();
  Outcome outcome;
  features("asserts", words([](int i) { return i == 9 ? 5 : 0; }), outcome);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "x[threadIdx.x] != 5")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "thread (9, 0, 0)")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "features.cu:")) << outcome.err;
  features("asserts", words([](int) { return 0; }), outcome);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST_F(Emulate, WarpsReduceAndShuffle) {
  NEEDS_NVCC();
  Outcome outcome;
  const npy::Array x = features("sums", words([](int i) { return i + 1; }), outcome);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(x.at(0, 0), 1 + 32 * 33 / 2);
  EXPECT_EQ(x.at(0, 1), 1 + 2 + 3 + 4 + 400);  // x[2] = 3: offsets[3]
}

TEST_F(Emulate, KernelsMayCallFunctionsThatAreOnlyConstexpr) {
  NEEDS_NVCC();
  Outcome outcome;
  const npy::Array x = features("logs", words([](int i) { return 3 * i; }), outcome);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (int i = 0; i < 32; ++i) EXPECT_EQ(x.at(0, i), i == 0 ? 0 : std::ilogb(3.0 * i)) << i;
}

TEST_F(Emulate, ArraysOfAThreadAndTablesOfJumps) {
  NEEDS_NVCC();
  Outcome outcome;
  const npy::Array x = features("picks", words([](int i) { return i % 7; }), outcome);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const int expected[] = {11, 3, -3, 9 ^ 21, -16, 100, 36};
  for (int i = 0; i < 32; ++i) EXPECT_EQ(x.at(0, i), expected[i % 7]) << i;
}

TEST_F(Emulate, AsynchronousCopiesAndDynamicSharedMemory) {
  NEEDS_NVCC();
  Outcome outcome;
  for (const char* order : {"earliest", "soon", "latest", "random:3"}) {
    const npy::Array x = features("copies", words([](int i) { return i * i; }), outcome,
                                  {"--shared", "128", "--async", order});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    for (int i = 0; i < 32; ++i) EXPECT_EQ(x.at(0, i), (31 - i) * (31 - i) + 1) << i;
  }
  EXPECT_EQ(kernel_of_json().at("shared_bytes"), 256);
  features("copies", words([](int i) { return i; }), outcome);
  EXPECT_EQ(outcome.code, 1) << "without the dynamic shared memory that it uses";
}

TEST_F(Emulate, HalfPrecision) {
  NEEDS_NVCC();
  Outcome outcome;
  const npy::Array x = features("halves", words([](int i) { return i; }), outcome);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (int i = 0; i < 32; ++i) EXPECT_EQ(x.at(0, i), (i * i + 1) * 100 + 5) << i;
}

TEST_F(Emulate, OtherArchitecturesAndDefines) {
  NEEDS_NVCC();
  Outcome outcome;
  outcome = emulate("products.cu", "unused", "1", "32", {"zeros:f32:32"},
                    {"--arch", "sm_80", "--define", "UNUSED=1", "--include", kKernels});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json context = Json::parse(read_file(path("o.json"))).at("context");
  EXPECT_EQ(context.at("arch"), "sm_80");
  EXPECT_EQ(context.at("gpu"), "a100");
  EXPECT_EQ(context.at("numerics"), "sm80");
}

TEST_F(Emulate, KeepsWhatRan) {
  const Outcome outcome = emulate("scale.ptx", "scale", "1", "32",
                                  {"zeros:f32:32", "u32:32", "f32:1"}, {"--keep", path("kept")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(read_file(path("kept/kernel.ptx")), read_file(kKernels + "scale.ptx"));
}

}  // namespace
}  // namespace tilewise::test
