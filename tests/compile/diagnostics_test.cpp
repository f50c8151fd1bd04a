// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The messages are those of nvcc 13.0, g++ 12 and NVRTC 13.0.
#include "compile/diagnostics.hpp"

#include <gtest/gtest.h>

namespace tilewise::compile {
namespace {

TEST(Diagnostics, ErrorsOfEveryCompilerAreRead) {
  const std::vector<Diagnostic> errors = errors_in(
      "a b/k.cu(4): error: identifier \"cublasHandle_t\" is undefined\n  void f();\n       ^\n\n"
      "k.cu(7): warning #177-D: variable \"x\" was declared but never referenced\n"
      "k.cu:1:10: fatal error: helper_cuda.h: No such file or directory\r\n"
      "k.cu(3): catastrophic error: cannot open source file \"iostream\"\n1 error detected\n");
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_EQ(errors[0].file, "a b/k.cu");
  EXPECT_EQ(errors[0].line, 4);
  EXPECT_EQ(errors[0].message, "identifier \"cublasHandle_t\" is undefined");
  EXPECT_EQ(missing_header(errors[0]), "");
  EXPECT_EQ(errors[1].line, 1);
  EXPECT_EQ(missing_header(errors[1]), "helper_cuda.h");
  EXPECT_EQ(missing_header(errors[2]), "iostream");
}

TEST(Diagnostics, TheFirstErrorsStandForAll) {
  EXPECT_EQ(first_errors("k.cu(4): error: one\nk.cu(5): error: two\n"), "k.cu:4: one; k.cu:5: two");
  EXPECT_TRUE(first_errors("k(1): error: a\nk(2): error: b\nk(3): error: c\nk(4): error: d\n")
                  .ends_with("k:3: c; and 1 more"));
  EXPECT_EQ(first_errors("nvcc fatal : no host compiler\n"), "nvcc fatal : no host compiler");
  EXPECT_EQ(first_errors(""), "it says nothing");
}

TEST(Diagnostics, OddOutputIsNoError) {
  EXPECT_TRUE(errors_in("").empty());
  EXPECT_TRUE(errors_in("error\n: error: \n(): error:\nk.cu(x): error: y\n").empty());
  EXPECT_EQ(errors_in("k.cu(99999999999999999999): error: y\n").size(), 1u);
  EXPECT_TRUE(errors_in(std::string(1 << 20, 'a')).empty());
}

}  // namespace
}  // namespace tilewise::compile
