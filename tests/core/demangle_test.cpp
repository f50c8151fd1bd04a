// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/demangle.hpp"

#include <gtest/gtest.h>

namespace tilewise {
namespace {

TEST(Demangle, NamesAreAsPeopleWriteThem) {
  EXPECT_EQ(demangle("_Z4gemmILi128ELi8EEvPfi"), "void gemm<128, 8>(float*, int)");
  EXPECT_EQ(demangle("plain"), "plain");
  EXPECT_EQ(demangle("i"), "i") << "not the type int";
  EXPECT_EQ(demangle("_Znonsense("), "_Znonsense(");
  EXPECT_EQ(demangle(""), "");
}

TEST(Demangle, SignaturesCanBeLeftAway) {
  EXPECT_EQ(without_signature(demangle("_Z4gemmILi128ELi8EEvPfi")), "gemm<128, 8>");
  EXPECT_EQ(without_signature("void n::k<f(1)>(int)"), "n::k<f(1)>");
  EXPECT_EQ(without_anonymous("(anonymous namespace)::a<(anonymous namespace)::b>"), "a<b>");
}

}  // namespace
}  // namespace tilewise
