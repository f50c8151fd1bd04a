// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the benchmark writes, and what it reads again.
#include "report/bench.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "../core/expect_error.hpp"
#include "report/assets.hpp"
#include "report/format.hpp"
#include "report/html.hpp"

namespace tilewise::report {
namespace {

using Json = nlohmann::ordered_json;

bench::GemmReport sample() {
  bench::GemmReport report;
  bench::GemmContext& c = report.context;
  c.version = "0.1.0", c.commit = "abc", c.date = "2026-11-21T10:00:00Z";
  c.processor = "Some Processor", c.caches = {"L1d 32 KiB (cores 0)"}, c.own = "tilewise 0.1.0";
  c.instruction_set = "avx2", c.machine_cores = 4, c.cores = {3}, c.suite = "cpu", c.seed = 5;
  c.peers = {{"openblas", "/lib/libopenblas.so.0", "OpenBLAS 0.3"}, {"onednn", "/d", "oneDNN 2"}};
  c.troubles = {{"mkl", "", "cannot be opened"}, {"onednn", "f32 8x9x10 NT", "is wrong"}};
  c.peak_before = {{Dtype::kF32, 100}}, c.peak_after = {{Dtype::kF32, 99}};
  c.environment = {{"TILEWISE_CPU", "avx2"}};
  bench::GemmResult first;
  first.shape = {"square", false, false, 64, 64, 64};
  first.ours = {{80, 81, 79}, 80, 1.25, 1e-7};
  first.peak = 100, first.path = "packed";
  first.peers = {{"openblas", {{40, 41, 39}, 40, 2.5, 2e-7}}, {"onednn", {{100}, 100, 0, 3e-7}}};
  bench::GemmResult second;
  second.shape = {"thin, long", true, false, 8, 9, 10, 3};
  second.dtype = Dtype::kF64, second.threads = 2;
  second.ours = {{5}, 5, 0, std::numeric_limits<double>::quiet_NaN()};
  second.verified = false, second.wrong = "C(0, 0) is nan, expected 1";
  second.peers = {{"openblas", {{5.5}, 5.5, 0, 0}}};
  report.results = {first, second};
  return report;
}

// A GPU's: one result of each kind there is.
bench::GemmReport gpu_sample() {
  bench::GemmReport report;
  bench::GemmContext& c = report.context;
  c.device = "cuda", c.processor = "NVIDIA H200, driver 580.159, CUDA 13.0", c.gpu = "h200";
  c.host = "Some Processor, 16 cores", c.own = "tilewise 0.1.0", c.suite = "gpu",
  c.operands = "wide";
  c.roofs = {4800e9, 62914560};
  c.peers = {{"cublas", "/lib/libcublas.so.13", "cuBLAS 13.1.0"},
             {"cublaslt", "", "cuBLASLt 13.1.0"}};
  bench::GemmResult ieee;
  ieee.shape = {"square_large", false, false, 4096, 4096, 4096};
  ieee.ours = {{51000, 52000, 50000}, 51000, 1.5, 1.2e-6, 3e-7};
  ieee.path = "simt 128x128", ieee.peak = 66908, ieee.compulsory_bytes = 3 * 4096.0 * 4096 * 4;
  ieee.peers = {{"cublas", {{50000, 50000}, 50000, 2, 1.1e-6, 4e-7}},
                {"cublaslt", {{60000}, 60000, 0, 1.15e-6, 5e-7, "heuristic 3 of 8"}}};
  bench::GemmResult accurate = ieee;
  accurate.mode = "accurate";
  accurate.ours = {{200000}, 200000, 0, 3e-7, 1e-7};
  bench::GemmResult missing;
  missing.shape = {"odd", true, false, 7, 8, 9};
  missing.dtype = missing.result_dtype = Dtype::kF16;
  missing.no_kernel = "no f16 here";
  missing.peers = {{"cublas", {{5}, 5, 0, 1e-4, 1e-4}}};
  report.results = {ieee, accurate, missing};
  return report;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(BenchJson, HasTheSchema) {
  const Json json = Json::parse(bench_json(sample()));
  EXPECT_EQ(json["context"]["peers"]["openblas"]["version"], "OpenBLAS 0.3");
  EXPECT_EQ(json["context"]["left_out"][1]["shape"], "f32 8x9x10 NT");
  EXPECT_EQ(json["context"]["environment"]["TILEWISE_CPU"], "avx2");
  EXPECT_EQ(json["context"]["peak_before"]["f32"], 100);
  const Json& r = json["results"][0];
  EXPECT_EQ(r["group"], "square");
  EXPECT_EQ(r["dtype"], "f32");
  EXPECT_EQ(r["mode"], "ieee");
  EXPECT_EQ(r["trans_a"], "N");
  EXPECT_EQ(r["m"], 64);
  EXPECT_EQ(r["gflops"], 80);
  EXPECT_EQ(r["spread"], 1.25);
  EXPECT_EQ(r["error"], 1e-7);
  EXPECT_EQ(r["peers"], Json::parse(R"({"openblas": 40.0, "onednn": 100.0})"));
  EXPECT_EQ(r["samples"].size(), 3u);
  EXPECT_EQ(r["peer_samples"]["openblas"][2], 39);
  EXPECT_EQ(r["peer_spreads"]["openblas"], 2.5);
  EXPECT_EQ(r["path"], "packed");
  EXPECT_FALSE(r.contains("wrong"));
  const Json& wrong = json["results"][1];
  EXPECT_EQ(wrong["trans_a"], "T");
  EXPECT_EQ(wrong["threads"], 2);
  EXPECT_TRUE(wrong["error"].is_null());
  EXPECT_EQ(wrong["verified"], false);
  EXPECT_EQ(wrong["wrong"], "C(0, 0) is nan, expected 1");
  EXPECT_FALSE(wrong.contains("peak"));
  const Json& best = json["geometric_means"]["f32"]["all"]["best"];
  EXPECT_DOUBLE_EQ(best["ratio"], 0.8);
  EXPECT_EQ(best["lowest_shape"], "64x64x64 NN");
  EXPECT_DOUBLE_EQ(json["geometric_means"]["f32"]["square"]["openblas"]["ratio"], 2);
}

TEST(BenchJson, OddTextStaysJson) {
  bench::GemmReport report = sample();
  report.context.suite = "quote\" \xff.csv";
  report.results[0].path = "back\\slash\n";
  EXPECT_TRUE(Json::parse(bench_json(report))["context"]["suite"].is_string());
}

TEST(BenchJson, IsReadAgain) {
  const bench::ComparedFile file = read_bench_json(bench_json(sample()), "x.json");
  EXPECT_EQ(file.machine, "Some Processor");
  ASSERT_EQ(file.results.size(), 2u);
  const bench::ComparedResult& r = file.results[0];
  EXPECT_EQ(r.key(), "f32 64x64x64 NN");
  EXPECT_EQ(r.gflops, 80);
  EXPECT_EQ(r.spread, 1.25);
  EXPECT_EQ(r.samples, 3u);
  EXPECT_EQ(r.peers.at("onednn"), 100);
  EXPECT_EQ(r.peer_spreads.at("openblas"), 2.5);
  EXPECT_EQ(file.results[1].key(), "f64 8x9x10 TN, 3 times, 2 threads");
}

// Products with beta are not held against those without.
TEST(BenchJson, SaysHowProductsAreScaled) {
  bench::GemmReport report = sample();
  report.context.scaling = {-1, 0.5};
  const std::string text = bench_json(report);
  const Json json = Json::parse(text);
  EXPECT_EQ(json["context"]["alpha"], -1);
  EXPECT_EQ(json["results"][0]["beta"], 0.5);
  const bench::ComparedFile file = read_bench_json(text, "x.json");
  EXPECT_EQ(file.results[0].key(), "f32 64x64x64 NN, alpha -1, beta 0.5");
  EXPECT_TRUE(contains(bench_heading(report.context, false), "alpha -1, beta 0.5"));
  EXPECT_TRUE(contains(bench_csv(report), ",-1,0.5,"));
  EXPECT_FALSE(contains(bench_heading(sample().context, false), "alpha"));
  EXPECT_FALSE(Json::parse(bench_json(sample()))["results"][0].contains("alpha"));
}

TEST(BenchJson, ReadsFilesWithoutOurExtraFields) {
  const std::string text = R"({"context": {}, "results": [{"group": "g", "dtype": "f32",
    "mode": "ieee", "trans_a": "N", "trans_b": "T", "m": 1, "n": 2, "k": 3, "gflops": 4.5,
    "spread": 0, "error": 1e-8, "peers": {"openblas": 3}}]})";
  const bench::ComparedFile file = read_bench_json(text, "x.json");
  ASSERT_EQ(file.results.size(), 1u);
  EXPECT_EQ(file.results[0].key(), "f32 1x2x3 NT");
  EXPECT_EQ(file.results[0].samples, 0u);
}

// The sample with one field of its first result, or of the file, replaced or (null) taken away.
std::string broken(const std::string& key, const Json& value, bool in_result = true) {
  Json json = Json::parse(bench_json(sample()));
  Json& place = in_result ? json["results"][0] : json;
  if (value.is_null()) {
    place.erase(key);
  } else {
    place[key] = value;
  }
  return json.dump();
}

TEST(BenchJson, BrokenFilesAreNamedWithTheField) {
  const auto refuse = [](const std::string& text, std::vector<std::string> parts) {
    parts.emplace_back("new.json: ");
    test::expect_error(ErrorCode::kInvalidInput, parts, [&] { read_bench_json(text, "new.json"); });
  };
  for (const char* key :
       {"group", "dtype", "mode", "trans_a", "trans_b", "m", "n", "k", "gflops", "spread"}) {
    refuse(broken(key, nullptr), {std::string("results[0].") + key, "is missing"});
    refuse(broken(key, Json::array({1})), {std::string("results[0].") + key, "expected", "[1]"});
    refuse(broken(key, -1), {std::string("results[0].") + key, "expected", "-1"});
  }
  refuse(broken("gflops", 0), {"results[0].gflops", "above 0"});
  refuse(broken("gflops", "80"), {"results[0].gflops", "\"80\""});
  refuse(broken("m", 1.5), {"results[0].m", "1.5"});
  refuse(broken("m", 0), {"results[0].m"});
  refuse(broken("m", 1e300), {"results[0].m"});
  refuse(broken("k", std::uint64_t{1} << 63), {"results[0].k"});
  refuse(broken("trans_a", "n"), {"results[0].trans_a", "\"n\""});
  refuse(broken("threads", 0), {"results[0].threads"});
  refuse(broken("beta", "1"), {"results[0].beta", "a number", "\"1\""});
  refuse(broken("peers", 3), {"results[0].peers", "an object"});
  refuse(broken("peers", {{"blis", 0}}), {"results[0].peers.blis", "above 0"});
  refuse(broken("peer_spreads", {{"blis", "x"}}), {"results[0].peer_spreads.blis"});
  refuse(broken("samples", "x"), {"results[0].samples", "an array"});
  refuse(broken("context", nullptr, false), {"context", "is missing"});
  refuse(broken("context", 1, false), {"context"});
  refuse(broken("results", nullptr, false), {"results", "is missing"});
  refuse(broken("results", Json::object(), false), {"results", "an array"});
  refuse(broken("results", Json::array({1}), false), {"results[0]", "an object"});
  refuse("[]", {"an object"});
  refuse("3", {"an object"});
  refuse("", {"not JSON"});
  refuse("{\"context\": {}, \"results\": [", {"not JSON"});
  refuse(std::string("\x00\xff\x01", 3), {"not JSON"});
  Json twice = Json::parse(bench_json(sample()));
  twice["results"].push_back(twice["results"][0]);
  refuse(twice.dump(), {"results[2]", "f32 64x64x64 NN", "twice"});
}

// No truncation of a file may pass for another file, or bring the reader down.
TEST(BenchJson, EveryTruncationIsRefused) {
  std::string text = bench_json(sample());
  text.resize(text.find_last_of('}'));
  for (std::size_t length = 0; length <= text.size(); length += 7) {
    EXPECT_THROW(read_bench_json(text.substr(0, length), "x"), Error) << length;
  }
}

TEST(BenchCsv, HasALineAResult) {
  const std::vector<std::string> lines = lines_of(bench_csv(sample()));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0],
            "group,dtype,mode,trans_a,trans_b,m,n,k,threads,gflops,spread,error,verified,peak,path,"
            "batch,alpha,beta,openblas,openblas_spread,onednn,onednn_spread,ratio_to_best\r");
  EXPECT_EQ(
      lines[1],
      "square,f32,ieee,N,N,64,64,64,1,80,1.25,1e-07,true,100,packed,1,1,0,40,2.5,100,0,0.8000\r");
  EXPECT_EQ(lines[2],
            "\"thin, long\",f64,ieee,T,N,8,9,10,2,5,0,nan,false,,,3,1,0,5.5,0,,,0.9091\r");
}

TEST(BenchTable, ShowsSpeedsRatiosAndTheWorst) {
  const bench::GemmReport report = sample();
  const std::string head = bench_heading(report.context, false);
  for (const char* part : {"Some Processor, 1 of 4 cores (core 3)", "L1d 32 KiB", "OpenBLAS 0.3",
                           "TILEWISE_CPU=avx2", "f32 100.0 GFLOP/s"}) {
    EXPECT_TRUE(contains(head, part)) << part << " in " << head;
  }
  const std::string row = bench_row(report.context, report.results[0], false);
  for (const char* part :
       {"square", "f32 64x64x64 NN", "80.0", "1.2%", "40.0", "100.0", "0.800 <<"}) {
    EXPECT_TRUE(contains(row, part)) << part << " in " << row;
  }
  const std::string wrong = bench_row(report.context, report.results[1], false);
  EXPECT_TRUE(contains(wrong, "0.909 <  WRONG: C(0, 0) is nan")) << wrong;
  EXPECT_TRUE(contains(wrong, "–")) << wrong;
  const std::string summary = bench_summary(report, false);
  for (const char* part : {"0.800 64x64x64 NN", "left out: mkl: cannot be opened",
                           "left out: onednn, f32 8x9x10 NT: is wrong",
                           "peak before: f32 100.0 GFLOP/s; after: f32 99.0 GFLOP/s"}) {
    EXPECT_TRUE(contains(summary, part)) << part << " in " << summary;
  }
}

TEST(BenchTable, ColoursOnlyWhenAskedAndNeverInsteadOfWords) {
  const bench::GemmReport report = sample();
  for (const auto& [plain, coloured] : std::vector<std::pair<std::string, std::string>>{
           {bench_heading(report.context, false), bench_heading(report.context, true)},
           {bench_row(report.context, report.results[0], false),
            bench_row(report.context, report.results[0], true)},
           {bench_summary(report, false), bench_summary(report, true)}}) {
    EXPECT_FALSE(contains(plain, "\033"));
    EXPECT_TRUE(contains(coloured, "\033[0m"));
  }
}

TEST(ComparisonTable, NamesWhatChanged) {
  bench::ComparedFile before = read_bench_json(bench_json(sample()), "old.json"), after = before;
  after.name = "new.json";
  after.results[0].gflops = 60;
  after.results[1].m = 7;
  const bench::Comparison comparison = bench::compare(before, after, 5);
  const std::string table = comparison_table(comparison, false);
  for (const char* part : {"old: old.json", "new: new.json", "SLOWER", "0.750", "new", "missing",
                           "1 slower, 0 faster, 1 new, 1 missing", "mean of new / old: 0.750"}) {
    EXPECT_TRUE(contains(table, part)) << part << " in " << table;
  }
  EXPECT_FALSE(contains(table, "machines differ"));
  after.machine = "Another";
  EXPECT_TRUE(
      contains(comparison_table(bench::compare(before, after, 5), true), "machines differ"));
}

TEST(GpuBenchJson, HasTheSchemaAndIsReadAgain) {
  const std::string text = bench_json(gpu_sample());
  const Json json = Json::parse(text);
  EXPECT_EQ(json["context"]["device"], "cuda");
  EXPECT_EQ(json["context"]["gpu"], "h200");
  EXPECT_EQ(json["context"]["memory_bandwidth"], 4800);
  EXPECT_EQ(json["context"]["operands"], "wide");
  EXPECT_FALSE(json["context"].contains("threads"));
  const Json& r = json["results"][0];
  EXPECT_EQ(r["c_dtype"], "f32");
  EXPECT_EQ(r["largest_error"], 3e-7);
  EXPECT_EQ(r["peer_largest_errors"]["cublaslt"], 5e-7);
  EXPECT_EQ(r["peer_plans"], Json::parse(R"({"cublaslt": "heuristic 3 of 8"})"));
  EXPECT_EQ(r["compulsory_bytes"], 201326592);
  EXPECT_FALSE(r.contains("threads"));
  EXPECT_FALSE(r.contains("disturbed"));
  const Json& missing = json["results"][2];
  EXPECT_EQ(missing["no_kernel"], "no f16 here");
  for (const char* key : {"gflops", "spread", "error", "verified", "largest_error"}) {
    EXPECT_FALSE(missing.contains(key)) << key;
  }
  EXPECT_EQ(missing["peers"]["cublas"], 5);
  EXPECT_DOUBLE_EQ(json["geometric_means"]["f32"]["all"]["best"]["ratio"], 51.0 / 60);
  EXPECT_DOUBLE_EQ(json["geometric_means"]["f32 accurate"]["all"]["best"]["ratio"], 200.0 / 60);
  EXPECT_FALSE(json["geometric_means"].contains("f16"));

  const bench::ComparedFile file = read_bench_json(text, "x.json");
  ASSERT_EQ(file.results.size(), 2u) << "what has no time is not compared";
  EXPECT_EQ(file.results[1].key(), "f32 4096x4096x4096 NN accurate");
  EXPECT_EQ(file.results[1].gflops, 200000);
  EXPECT_EQ(file.machine, "NVIDIA H200, driver 580.159, CUDA 13.0");
}

TEST(GpuBenchJson, AVirtualGpusFileHasNothingToCompare) {
  bench::GemmReport report = gpu_sample();
  report.context.device = "virtual";
  for (bench::GemmResult& result : report.results) {
    result.ours.samples.clear(), result.ours.gflops = 0;
    for (auto& [name, timing] : result.peers) timing.samples.clear(), timing.gflops = 0;
  }
  const std::string text = bench_json(report);
  const Json r = Json::parse(text)["results"][0];
  EXPECT_FALSE(r.contains("gflops"));
  EXPECT_EQ(r["error"], 1.2e-6);
  EXPECT_TRUE(r["peers"].empty());
  EXPECT_EQ(r["peer_errors"]["cublas"], 1.1e-6);
  EXPECT_TRUE(read_bench_json(text, "x.json").results.empty());
  EXPECT_TRUE(contains(bench_heading(report.context, false), "no times"));
  EXPECT_TRUE(contains(bench_row(report.context, report.results[0], false), "–"));
}

TEST(GpuBenchCsv, HasErrorsAndPlans) {
  const std::vector<std::string> lines = lines_of(bench_csv(gpu_sample()));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(
      lines[0],
      "group,dtype,mode,trans_a,trans_b,m,n,k,threads,gflops,spread,error,verified,peak,path,"
      "batch,alpha,beta,c_dtype,largest_error,no_kernel,cublas,cublas_spread,cublas_error,cublas_"
      "largest_error,"
      "cublas_plan,cublaslt,cublaslt_spread,cublaslt_error,cublaslt_largest_error,"
      "cublaslt_plan,ratio_to_best\r");
  EXPECT_EQ(
      lines[1],
      "square_large,f32,ieee,N,N,4096,4096,4096,,51000,1.5,1.2e-06,true,66908,simt 128x128,"
      "1,1,0,f32,3e-07,,50000,2,1.1e-06,4e-07,,60000,0,1.15e-06,5e-07,heuristic 3 of 8,0.8500\r");
  EXPECT_EQ(lines[3],
            "odd,f16,ieee,T,N,7,8,9,,,,,,,,1,1,0,f16,,no f16 here,5,0,0.0001,0.0001,,,,,,,\r");
}

TEST(GpuBenchTable, ShowsTeraflopsAndErrors) {
  const bench::GemmReport report = gpu_sample();
  const std::string head = bench_heading(report.context, false);
  for (const char* part : {"NVIDIA H200, driver 580.159", "Some Processor, 16 cores", "TFLOP/s",
                           "cuBLAS 13.1.0 (/lib/libcublas.so.13)", "operands      wide"}) {
    EXPECT_TRUE(contains(head, part)) << part << " in " << head;
  }
  const std::string row = bench_row(report.context, report.results[0], false);
  for (const char* part : {"square_large", "f32      4096x4096x4096 NN", "51.0", "1.5%", "76.2",
                           "50.0", "60.0", "0.850 <", "1.2e-06"}) {
    EXPECT_TRUE(contains(row, part)) << part << " in " << row;
  }
  EXPECT_FALSE(contains(row, "1.2e-06 >")) << "within a tenth of the peers' error";
  bench::GemmResult worse = report.results[1];
  EXPECT_TRUE(contains(bench_row(report.context, worse, false), "accurate"));
  worse.ours.error = 1.11e-6;
  EXPECT_TRUE(contains(bench_row(report.context, worse, false), "1.1e-06 > 1.1e-06"))
      << "accurate may be no worse at all";
  const std::string missing = bench_row(report.context, report.results[2], false);
  EXPECT_TRUE(contains(missing, "no kernel: no f16 here")) << missing;
  const std::string summary = bench_summary(report, false);
  EXPECT_TRUE(contains(summary, "f32 accurate: ours / peer")) << summary;
  EXPECT_TRUE(contains(summary, "3.333")) << summary;
}

// The page without the chart library, whose text is not ours.
std::string own_page(const bench::GemmReport& report) {
  std::string page = bench_html(bench_json(report), "x.json");
  const std::string_view library = find_asset("chart.js");
  const std::size_t begin = page.find(library);
  EXPECT_NE(begin, std::string::npos);
  return page.erase(begin, library.size());
}

TEST(BenchHtml, HoldsEveryFigureAndNeedsNoNetwork) {
  for (const bench::GemmReport& report : {sample(), gpu_sample()}) {
    const std::string page = own_page(report);
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
    EXPECT_FALSE(contains(page, "{{"));
    for (const char* remote : {"=\"http", "=\"//", "url(", "@import", "fetch("}) {
      EXPECT_FALSE(contains(page, remote)) << remote;
    }
    std::size_t rows = 0;
    for (std::size_t at = page.find("<tr>"); at != std::string::npos;
         at = page.find("<tr>", at + 1)) {
      ++rows;
    }
    EXPECT_GT(rows, report.results.size());
  }
  const std::string gpu = own_page(gpu_sample());
  for (const char* part : {"TFLOP/s", "4096×4096×4096 NN", ">51.0<", "f32 accurate", ">3.333<",
                           ">no kernel<", "title=\"no f16 here\"", "cublaslt's error", "3.33×"}) {
    EXPECT_TRUE(contains(gpu, escape_html(part)) || contains(gpu, part)) << part;
  }
  const std::string cpu = own_page(sample());
  for (const char* part : {"GFLOP/s", "WRONG: C(0, 0) is nan", "Left out: mkl: cannot be opened",
                           "1 / 2", ">0.800<"}) {
    EXPECT_TRUE(contains(cpu, part)) << part;
  }
}

TEST(BenchHtml, TextOfTheFileIsEscaped) {
  bench::GemmReport report = sample();
  report.context.suite = "</script><b>";
  report.results[0].shape.group = "<i>&\"";
  report.results[0].path = "<script>alert(1)</script>";
  const std::string page = own_page(report);
  EXPECT_FALSE(contains(page, "<i>&"));
  EXPECT_FALSE(contains(page, "<script>alert"));
  EXPECT_FALSE(contains(page, "</script><b>"));
}

TEST(BenchHtml, WhatIsNoBenchmarksFileIsRefused) {
  test::expect_error(ErrorCode::kInvalidInput, {"x.json", "results"},
                     [] { bench_html(R"({"context": {}})", "x.json"); });
  test::expect_error(ErrorCode::kInvalidInput, {"x.json", "not JSON"},
                     [] { bench_html("<html>", "x.json"); });
  test::expect_error(ErrorCode::kInvalidInput, {"x.json"}, [] {
    bench_html(R"({"context": {}, "results": [], "geometric_means": {"f32": 3}})", "x.json");
  });
  test::expect_error(ErrorCode::kInvalidInput, {"x.json", "not found"}, [] {
    bench_html(R"({"context": {}, "results": [{"no_kernel": "none"}]})", "x.json");
  });
  const std::string page = bench_html(R"({"context": {}, "results": []})", "x.json");
  EXPECT_TRUE(contains(page, "0 products beside nobody"));
}

}  // namespace
}  // namespace tilewise::report
