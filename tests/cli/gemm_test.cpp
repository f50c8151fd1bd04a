// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise gemm`: real files in, real file out.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>
#include <utility>

#include "cli/gemm_blocks.hpp"
#include "core/file.hpp"
#include "gemm_files.hpp"

namespace tilewise::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

struct Types {
  Dtype a, b, c;
};

class GemmTypes : public GemmFiles, public testing::WithParamInterface<Types> {};

INSTANTIATE_TEST_SUITE_P(Types, GemmTypes,
                         testing::Values(Types{Dtype::kF32, Dtype::kF32, Dtype::kF32},
                                         Types{Dtype::kF64, Dtype::kF64, Dtype::kF64},
                                         Types{Dtype::kF16, Dtype::kF16, Dtype::kF32},
                                         Types{Dtype::kS8, Dtype::kS8, Dtype::kS32},
                                         Types{Dtype::kU8, Dtype::kS8, Dtype::kS32},
                                         Types{Dtype::kS8, Dtype::kU8, Dtype::kS32},
                                         Types{Dtype::kF32, Dtype::kF64, Dtype::kF64},
                                         Types{Dtype::kF16, Dtype::kF32, Dtype::kF32},
                                         Types{Dtype::kS8, Dtype::kF16, Dtype::kF32},
                                         Types{Dtype::kF32, Dtype::kU8, Dtype::kF32},
                                         Types{Dtype::kS32, Dtype::kS32, Dtype::kF64},
                                         Types{Dtype::kS32, Dtype::kF32, Dtype::kF64}));

// Every order and transposition of the factors, and of C by way of C0, held against sums in f64: all of
// these numbers are exact.
TEST_P(GemmTypes, EveryOrderAndTransposition) {
  const auto& [a_type, b_type, c_type] = GetParam();
  constexpr std::int64_t m = 21, n = 34, k = 13;
  const auto order = [](int bit) { return bit != 0 ? Order::kColumnMajor : Order::kRowMajor; };
  const int step = a_type == Dtype::kF32 && b_type == Dtype::kF32 ? 1 : 5;  // 5: each bit both ways
  for (int bits = 0; bits < 32; bits += step) {
    const bool trans_a = (bits & 4) != 0, trans_b = (bits & 8) != 0;
    const npy::Array a = random_array(a_type, order(bits & 1), trans_a ? k : m, trans_a ? m : k, 1);
    const npy::Array b = random_array(b_type, order(bits & 2), trans_b ? n : k, trans_b ? k : n, 2);
    const npy::Array c0 = random_array(c_type, order(bits & 16), m, n, 3);
    Words words{write("a.npy", a),   write("b.npy", b), "-o",  path("c.npy"), "--c",
                write("c0.npy", c0), "--alpha",         "2",   "--beta",      "-3",
                "--verify",          "--blocks",        "8x16"};
    if (trans_a) words.push_back("--trans-a");
    if (trans_b) words.push_back("--trans-b");
    const Outcome outcome = gemm(words);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "verified (every element")) << outcome.out;
    const npy::Array c = npy::read(path("c.npy"), kAnyArray);
    ASSERT_EQ(c.dtype, c_type);
    ASSERT_EQ(c.order, order(bits & 16));
    ASSERT_EQ(c.rows, m);
    ASSERT_EQ(c.columns, n);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::int64_t p = 0; p < k; ++p) {
          sum += (trans_a ? a.at(p, i) : a.at(i, p)) * (trans_b ? b.at(j, p) : b.at(p, j));
        }
        ASSERT_EQ(c.at(i, j), 2 * sum - 3 * c0.at(i, j)) << i << ", " << j << ", case " << bits;
      }
    }
  }
  EXPECT_EQ(folder_.entries(), 4u);  // no temporary file stays
}

class Gemm : public GemmFiles {};

TEST_F(Gemm, OneLineOnStdoutAndNothingOnStderr) {
  write_small();
  const Outcome outcome = gemm({path("a.npy"), path("b.npy"), "-o", path("c.npy")});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
  for (const char* part :
       {"c.npy: 20×10 of depth 30", "f32", "GFLOP/s", "thread", "not verified"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << outcome.out;
  }
}

TEST_F(Gemm, JsonSaysWhatRan) {
  write_small();
  ASSERT_EQ(gemm({path("a.npy"), path("b.npy"), "-o", path("c.npy"), "--verify", "--threads", "1",
                  "--json", path("r.json")},
                 {{"TILEWISE_CPU", "portable"}})
                .code,
            0);
  const Json json = Json::parse(read_file(path("r.json")));
  EXPECT_EQ(json["a"], path("a.npy"));
  EXPECT_EQ(json["c"], path("c.npy"));
  EXPECT_EQ((std::tuple{json["m"], json["n"], json["k"]}), (std::tuple{20, 10, 30}));
  EXPECT_EQ(json["dtype_a"], "f32");
  EXPECT_EQ(json["dtype_c"], "f32");
  EXPECT_EQ(json["shape_c"], (Json{20, 10}));
  EXPECT_EQ(json["alpha"], 1.0);
  EXPECT_EQ(json["beta"], 0.0);
  EXPECT_EQ(json["instruction_set"], "portable");
  EXPECT_EQ(json["threads"], 1);
  EXPECT_GT(json["seconds"], 0.0);
  EXPECT_GT(json["gflops"], 0.0);
  EXPECT_EQ(json["verified"], true);
  EXPECT_EQ(json["verified_rows"], 20);
}

// What numpy.matmul makes of arrays of one dimension: a row before the sign, a column behind it, and a
// result without that dimension.
TEST_F(Gemm, VectorsAreRowsAndColumns) {
  const auto vector_file = [&](const std::string& name, std::int64_t count) {
    constexpr std::size_t kHeaderBytes = 128;
    std::string text =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",)}";
    text.resize(kHeaderBytes - 11, ' ');
    const npy::Array array = random_array(Dtype::kF32, Order::kRowMajor, 1, count, 9);
    const std::string bytes(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
    folder_.with(name, std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + "\n" + bytes);
    return array;
  };
  const auto shape_of_c = [&](const Words& files, const Words& more = {}) {
    Words words = files;
    words.insert(words.end(), {"-o", path("c.npy"), "--json", path("r.json"), "--verify"});
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = gemm(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(read_file(path("r.json")))["shape_c"];
  };
  write_small();
  const npy::Array row = vector_file("row.npy", 20), column = vector_file("column.npy", 30);
  EXPECT_EQ(shape_of_c({path("row.npy"), path("a.npy")}), (Json{30}));
  EXPECT_EQ(shape_of_c({path("row.npy"), path("a.npy")}, {"--trans-a"}), (Json{30}));
  EXPECT_EQ(shape_of_c({path("a.npy"), path("column.npy")}), (Json{20}));
  const npy::Array c = npy::read(path("c.npy"), kAnyArray), a = npy::read(path("a.npy"));
  double sum = 0;
  for (std::int64_t p = 0; p < 30; ++p) sum += a.at(3, p) * column.at(0, p);
  EXPECT_EQ(c.at(0, 3), sum);
  // The vector that came out goes in again as C0.
  EXPECT_EQ(shape_of_c({path("a.npy"), path("column.npy")}, {"--c", path("c.npy")}), (Json{20}));
  EXPECT_EQ(npy::read(path("c.npy"), kAnyArray).at(0, 3), 2 * sum);
  EXPECT_EQ(shape_of_c({path("row.npy"), path("row.npy")}), Json::array());
  EXPECT_TRUE(contains(read_file(path("c.npy")), "'shape': ()"));
}

TEST_F(Gemm, EmptyMatrices) {
  for (const auto& [m, n, k] : {std::tuple{0, 3, 4}, {3, 0, 4}, {3, 4, 0}, {0, 0, 0}}) {
    write("a.npy", make_array(Dtype::kF32, Order::kRowMajor, m, k));
    write("b.npy", make_array(Dtype::kF32, Order::kColumnMajor, k, n));
    const Outcome outcome = gemm({path("a.npy"), path("b.npy"), "-o", path("c.npy"), "--verify"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const npy::Array c = npy::read(path("c.npy"));
    EXPECT_EQ(c.rows, m);
    EXPECT_EQ(c.columns, n);
    EXPECT_EQ(c.to_f64(), std::vector<double>(static_cast<std::size_t>(m * n)));
  }
}

TEST_F(Gemm, DtypeConvertsAndRounds) {
  npy::Array a = make_array(Dtype::kF32, Order::kRowMajor, 1, 1);
  set(a, 0, 0, 1 + 0x1p-12);  // f32 has it, f16 and bf16 have not
  write("a.npy", a);
  npy::Array b = make_array(Dtype::kF64, Order::kRowMajor, 1, 1);
  set(b, 0, 0, 1 + 0x1p-40);
  write("b.npy", b);
  const auto product = [&](const Words& more) {
    Words words{path("a.npy"), path("b.npy"), "-o", path("c.npy"), "--verify"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = gemm(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const npy::Array c = npy::read(path("c.npy"));
    return std::pair{c.dtype, c.at(0, 0)};
  };
  EXPECT_EQ(product({}), (std::pair{Dtype::kF64, (1 + 0x1p-12) * (1 + 0x1p-40)}));
  EXPECT_EQ(product({"--dtype", "f32"}), (std::pair{Dtype::kF32, 1 + 0x1p-12}));
  EXPECT_EQ(product({"--dtype", "f16"}), (std::pair{Dtype::kF32, 1.0}));
  EXPECT_EQ(product({"--dtype", "bf16"}), (std::pair{Dtype::kF32, 1.0}));
  EXPECT_EQ(product({"--dtype", "f16", "--out-dtype", "f16"}), (std::pair{Dtype::kF16, 1.0}));
  EXPECT_EQ(product({"--dtype", "f16", "--out-dtype", "f32"}), (std::pair{Dtype::kF32, 1.0}));
  EXPECT_EQ(product({"--alpha", "0"}), (std::pair{Dtype::kF64, 0.0}));
}

TEST_F(Gemm, IntegersWrapAsInt32Does) {
  npy::Array a = make_array(Dtype::kS8, Order::kRowMajor, 1, 2);
  set(a, 0, 0, -128);
  set(a, 0, 1, 1);
  write("a.npy", a);
  npy::Array b = make_array(Dtype::kU8, Order::kRowMajor, 2, 1);
  set(b, 0, 0, 255);
  set(b, 1, 0, 3);
  write("b.npy", b);
  ASSERT_EQ(
      gemm({path("a.npy"), path("b.npy"), "-o", path("c.npy"), "--verify", "--alpha", "2147483647"})
          .code,
      0);
  const std::int64_t exact = std::int64_t{2147483647} * (-128 * 255 + 3);
  EXPECT_EQ(npy::read(path("c.npy"), kAnyArray).at(0, 0),
            static_cast<std::int32_t>(static_cast<std::uint32_t>(exact)));
}

// --c alone adds it; the output may take its place.
TEST_F(Gemm, InPlace) {
  write_small();
  write("c.npy", random_array(Dtype::kF32, Order::kColumnMajor, 20, 10, 3));
  const npy::Array before = npy::read(path("c.npy"));
  ASSERT_EQ(gemm({path("a.npy"), path("b.npy"), "-o", path("d.npy")}).code, 0);
  const npy::Array product = npy::read(path("d.npy"));
  ASSERT_EQ(gemm({path("a.npy"), path("b.npy"), "--c", path("c.npy"), "-o", path("c.npy")}).code,
            0);
  const npy::Array after = npy::read(path("c.npy"));
  EXPECT_EQ(after.order, Order::kColumnMajor);
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::int64_t j = 0; j < 10; ++j) {
      EXPECT_EQ(after.at(i, j), before.at(i, j) + product.at(i, j));
    }
  }
  EXPECT_EQ(folder_.entries(), 4u);
}

TEST_F(Gemm, OneFileTwice) {
  write("a.npy", random_array(Dtype::kF32, Order::kRowMajor, 20, 30, 1));
  const Outcome outcome =
      gemm({path("a.npy"), path("a.npy"), "--trans-b", "-o", path("c.npy"), "--verify"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(npy::read(path("c.npy")).columns, 20);
}

// Blocks change nothing but the progress line, which only a terminal gets.
TEST_F(Gemm, BlocksShowProgressOnATerminal) {
  write_small();
  const Words words{"gemm", path("a.npy"), path("b.npy"), "-o", path("c.npy"), "--blocks", "8x4"};
  ASSERT_EQ(run(words).err, "");
  const std::string cut = read_file(path("c.npy"));
  const Outcome shown = run_on_terminal(words, 120);
  EXPECT_EQ(shown.code, 0);
  EXPECT_TRUE(contains(shown.out, "[ 1/9] blocks of C")) << shown.out;
  EXPECT_TRUE(contains(shown.out, "[ 9/9]"));
  EXPECT_TRUE(contains(shown.out, "left"));
  ASSERT_EQ(gemm({path("a.npy"), path("b.npy"), "-o", path("c.npy")}).code, 0);
  EXPECT_EQ(read_file(path("c.npy")), cut);
  const Outcome whole =
      run_on_terminal({"gemm", path("a.npy"), path("b.npy"), "-o", path("c.npy")}, 120);
  EXPECT_FALSE(contains(whole.out, "blocks of C")) << "short work needs no progress";
}

TEST_F(Gemm, LargeProductsAreCheckedByAVector) {
  write("a.npy", random_array(Dtype::kF32, Order::kRowMajor, 900, 800, 1));
  write("b.npy", random_array(Dtype::kF32, Order::kColumnMajor, 800, 900, 2));
  const Outcome outcome = gemm({path("a.npy"), path("b.npy"), "-o", path("c.npy"), "--verify"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "C·t, and 64 rows in full")) << outcome.out;
}

// Cutting: everything is covered, blocks are long enough, and B's columns fit half of the memory.
TEST(GemmBlocks, CutLongProductsOnly) {
  using cli::Blocks;
  using cli::choose_blocks;
  constexpr double kMemory = 0x1p34;
  const auto is_whole = [](const Blocks& blocks, std::int64_t m, std::int64_t n) {
    return blocks.down(m) <= 1 && blocks.across(n) <= 1;
  };
  EXPECT_TRUE(is_whole(choose_blocks(0, 0, 0, 4, kMemory), 0, 0));
  EXPECT_TRUE(is_whole(choose_blocks(4096, 4096, 4096, 4, kMemory), 4096, 4096));
  EXPECT_TRUE(is_whole(choose_blocks(100'000, 100'000, 1, 4, kMemory), 100'000, 100'000));
  for (const auto& [m, n, k] : {std::tuple{16384, 16384, 16384},
                                {100'000, 100'000, 1000},
                                {1'000'000, 5000, 4000},
                                {5000, 1'000'000, 4000},
                                {16, 1'000'000, 100'000},
                                {1, 1'000'000, 1'000'000},
                                {1'000'000, 1, 1'000'000}}) {
    const Blocks blocks = choose_blocks(m, n, k, 4, kMemory);
    EXPECT_GT(blocks.down(m) * blocks.across(n), 1) << m << "×" << n << "×" << k;
    EXPECT_GE(blocks.rows, std::min<std::int64_t>(m, 1024));
    EXPECT_GE(blocks.columns, std::min<std::int64_t>(n, 1024));
    const double resident = 4.0 * static_cast<double>(k) * static_cast<double>(blocks.columns);
    EXPECT_TRUE(resident <= kMemory * 0.6 || blocks.columns <= 2048) << resident;
  }
  const Blocks scarce = choose_blocks(65536, 65536, 65536, 4, 0x1p31);
  EXPECT_GE(scarce.across(65536), 16);
  EXPECT_GE(scarce.columns, 1024);
}

}  // namespace
}  // namespace tilewise::test
