// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "report/html.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/assets.hpp"
#include "report/report.hpp"
#include "sample.hpp"

namespace tilewise::report {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The text between two marks, the first time they occur.
std::string between(const std::string& text, std::string_view open, std::string_view close) {
  const std::size_t begin = text.find(open);
  if (begin == std::string::npos) return {};
  const std::size_t end = text.find(close, begin + open.size());
  return text.substr(begin + open.size(), end - begin - open.size());
}

// The page without the chart library, whose text is not ours.
std::string own_text(const bench::LadderResult& result) {
  std::string page = ladder_html(result);
  const std::string_view library = find_asset("chart.js");
  const std::size_t begin = page.find(library);
  EXPECT_NE(begin, std::string::npos);
  return page.erase(begin, library.size());
}

TEST(LadderHtml, NeedsNoNetwork) {
  for (const auto& result : {test::virtual_result(), test::cuda_result(), test::cpu_result()}) {
    std::string page = own_text(result);
    // A rung of the CPU's ladder, whose source is shown, calls its function so.
    for (std::size_t at; (at = page.find("prefetch(")) != std::string::npos;) page.erase(at, 9);
    for (const char* remote : {"=\"http", "=\"//", "url(", "@import", "fetch("}) {
      EXPECT_FALSE(contains(page, remote)) << remote;
    }
    EXPECT_FALSE(contains(page, "{{"));
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  }
}

TEST(LadderHtml, ChartLibraryIsEmbeddedWithItsLicence) {
  const std::string page = ladder_html(test::virtual_result());
  EXPECT_TRUE(contains(page, "Released under the MIT License"));
  EXPECT_GT(find_asset("chart.js").size(), 100'000u);
}

TEST(LadderHtml, EveryRungHasARowAnIdeaAndASection) {
  const bench::LadderResult result = test::virtual_result();
  const std::string page = own_text(result);
  for (const bench::RungResult& rung : result.rungs) {
    EXPECT_TRUE(contains(page, "id=\"rung-" + std::string(rung.rung->name) + "\""));
    EXPECT_TRUE(contains(page, escape_html(rung.rung->idea)));
    EXPECT_TRUE(contains(page, escape_html(rung.rung->title)));
  }
  EXPECT_TRUE(contains(page, "31.0M"));
  EXPECT_TRUE(contains(page, "shared-memory wavefronts"));
}

TEST(LadderHtml, TextIsEscaped) {
  bench::LadderResult result = test::virtual_result();
  result.context.a_file = "</script><script>alert('x')</script>.npy";
  result.context.b_file = "b&\"b.npy";
  result.rungs[1].fidelity_notes = {"<img src=x onerror=alert(1)>"};
  const std::string page = own_text(result);
  EXPECT_FALSE(contains(page, "<script>alert"));
  EXPECT_FALSE(contains(page, "<img"));
  EXPECT_TRUE(contains(page, "&lt;/script&gt;&lt;script&gt;alert(&#39;x&#39;)"));
  EXPECT_TRUE(contains(page, "b&amp;&quot;b.npy"));
}

TEST(LadderHtml, FiguresAreJsonThatCannotEndTheScript) {
  bench::LadderResult result = test::virtual_result();
  result.context.a_file = "</script>";
  const std::string page = ladder_html(result);
  const std::string figures = between(page, "id=\"figures\">", "</script>");
  EXPECT_FALSE(contains(figures, "<"));
  const auto json = nlohmann::json::parse(figures);
  EXPECT_EQ(json["context"]["a"], "</script>");
  EXPECT_EQ(json["rungs"].size(), result.rungs.size());
  EXPECT_EQ(json["gpu"]["name"], "NVIDIA H200");
  // A 255×511, B 511×257, C 255×257 read and written, 4 bytes each.
  EXPECT_EQ(json["rungs"][0]["compulsory_bytes"], 4.0 * (255 * 511 + 511 * 257 + 2 * 255 * 257));
}

TEST(LadderHtml, AnUnknownGpuHasNoRoof) {
  bench::LadderResult result = test::cuda_result();
  result.context.gpu = "some other device";
  const std::string figures = between(ladder_html(result), "id=\"figures\">", "</script>");
  EXPECT_FALSE(nlohmann::json::parse(figures).contains("gpu"));
}

TEST(LadderHtml, CpuLadderShowsItsPeakAndItsSource) {
  const std::string page = own_text(test::cpu_result());
  EXPECT_TRUE(contains(page, "held against the most that its FMA units were measured to do"));
  EXPECT_TRUE(contains(page, "FMA peak, measured: 118 GFLOP/s on 1 thread, 237 on 2"));
  EXPECT_TRUE(contains(page, "189 GFLOP/s"));
  EXPECT_TRUE(contains(page, "320.0×"));  // threads against triple_loop
  EXPECT_TRUE(contains(page, ">% of FMA peak<"));
  EXPECT_TRUE(contains(page, "src/cpu/ladder/06_packing.cpp"));
  EXPECT_TRUE(contains(page, "void packing(const Product&amp; p)"));
  EXPECT_FALSE(contains(page, "timed in turns with the vendor"));
  const std::string figures =
      between(ladder_html(test::cpu_result()), "id=\"figures\">", "</script>");
  const auto json = nlohmann::json::parse(figures);
  EXPECT_EQ(json["rungs"][1]["number"], 6);
  EXPECT_FALSE(json.contains("gpu"));
}

TEST(LadderHtml, WrongResultsStandOut) {
  bench::LadderResult result = test::virtual_result();
  result.rungs[2].verified = false;
  const std::string page = own_text(result);
  EXPECT_TRUE(contains(page, "5 / 6"));
  EXPECT_TRUE(contains(page, "WRONG result"));
}

// A line whose file is among the embedded sources stands beside its text.
TEST(LadderHtml, SourceStandsBesideItsCounters) {
  const Asset* source = nullptr;
  for (const Asset& asset : assets()) {
    if (asset.name.ends_with(".cu")) source = &asset;
  }
  if (!source) GTEST_SKIP() << "no kernels in this tree";
  bench::LadderResult result = test::virtual_result();
  for (auto& line : result.rungs[0].lines) line.file = "/somewhere/" + std::string(source->name);
  result.rungs[0].lines[0].line = 1;
  const std::string page = own_text(result);
  EXPECT_TRUE(contains(page, escape_html(source->contents.substr(0, source->contents.find('\n')))));
}

// Lines of files whose text is not embedded are summed up, not listed.
TEST(LadderHtml, LinesWithoutSourceAreOneRow) {
  const std::string page = own_text(test::virtual_result());
  EXPECT_TRUE(contains(page, "nowhere.cu, 2 lines"));
  EXPECT_TRUE(contains(page, "title=\"260800\""));  // 800 + 260000 wavefronts
}

}  // namespace
}  // namespace tilewise::report
