// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "compile/declarations.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tilewise::compile {
namespace {

// "first-last" of each declaration, with * for those on the device.
std::string lines_of(std::string_view text) {
  std::string result;
  for (const Declaration& d : declarations_of(text)) {
    result += (result.empty() ? "" : " ") + std::to_string(d.first_line) + "-" +
              std::to_string(d.last_line) + (d.on_device ? "*" : "");
  }
  return result;
}

TEST(Declarations, FunctionsClassesAndVariablesAreTold) {
  EXPECT_EQ(lines_of("int x;\nint f() {\n  return 1;\n}\nstruct S {\n  int a;\n} s;\nint y = 3;\n"),
            "1-1 2-4 5-7 8-8");
  EXPECT_EQ(lines_of("__global__ void k(float* p)\n{\n}\nint main()\n{\n  k<<<1, 1>>>(0);\n}\n"),
            "1-3* 4-7");
  EXPECT_EQ(lines_of("template <class T>\nstruct A {\n  __device__ T f();\n};\nint z;"),
            "1-4* 5-5");
  EXPECT_EQ(lines_of("int a[] = {1, 2};\nint b{3};\nauto f = [] { return 1; };\n"), "1-1 2-2 3-3");
}

TEST(Declarations, NamespacesAndLinkageAreLookedInto) {
  EXPECT_EQ(lines_of("namespace a {\nint x;\nnamespace {\nint y;\n}\n}\nint z;"), "2-2 4-4 7-7");
  EXPECT_EQ(lines_of("extern \"C\" {\nint x;\n}\nextern \"C\" void f() {\n}\n"), "2-2 4-5");
}

TEST(Declarations, KernelTemplatesAreNamed) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(kernel_templates_of("template <int N, class T>\n__global__ void k(T* p) { g(p); }\n"
                                "__global__ void plain(float* p) {}\n"
                                "template <class T> __device__ T f(T x) { return x; }\n"),
            Names{"k"});
  EXPECT_EQ(
      kernel_templates_of("namespace n { template <int N> __global__ void __launch_bounds__(N * "
                          "2, 1)\n  /* other( */ gemm(int) {} }\n"
                          "template <int N> void __global__ gemm2(int);\n"
                          "template <int N> void __global__ gemm2(int) {}\n"
                          "template <> __global__ void gemm<3>(int) {}\n"
                          "template __global__ void gemm<4>(int);\n"),
      (Names{"gemm", "gemm2"}));
  EXPECT_EQ(kernel_templates_of(""), Names{});
  EXPECT_EQ(kernel_templates_of("template __global__"), Names{});
}

TEST(Declarations, WhatHoldsNoCodeIsSteppedOver) {
  EXPECT_EQ(lines_of("// int a; {\n/* { */ int b;\n#define X { \\\n  {\nint c;\n"), "2-2 5-5");
  EXPECT_EQ(lines_of("const char* s = \"{\\\"{\";\nchar c = '{';\nint n = 1'000;\nint m;"),
            "1-1 2-2 3-3 4-4");
  EXPECT_EQ(lines_of("auto r = R\"x({\n)\" )x\";\nint m;"), "1-2 3-3");
}

TEST(Declarations, UnfinishedTextEnds) {
  for (const char* text : {"", "{", "}", "int f( {", "/*", "\"", "R\"(", "namespace {", "#", "'"}) {
    EXPECT_LE(declarations_of(text).size(), 1u) << text;
  }
}

TEST(Declarations, BlankingKeepsLinesAndDirectives) {
  const std::string text = "int f() {\n#define N 3 \\\n  + 4\n  return N;\n}\nint x;\n";
  const std::string blank = blanked(text, 0, text.find("int x"));
  EXPECT_EQ(blank.size(), text.size());
  EXPECT_EQ(std::count(blank.begin(), blank.end(), '\n'),
            std::count(text.begin(), text.end(), '\n'));
  EXPECT_NE(blank.find("#define N 3 \\\n  + 4\n"), std::string::npos);
  EXPECT_EQ(blank.find("return"), std::string::npos);
  EXPECT_NE(blank.find("int x;"), std::string::npos);
}

}  // namespace
}  // namespace tilewise::compile
