// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/npy_header.hpp"

#include <gtest/gtest.h>

#include "expect_error.hpp"

namespace tilewise::npy {
namespace {

using Shape = std::vector<std::int64_t>;

TEST(NpyHeader, AsNumpyWritesIt) {
  const Header header =
      parse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }          \n");
  EXPECT_EQ(header.description, "<f4");
  EXPECT_FALSE(header.fortran_order);
  EXPECT_EQ(header.shape, (Shape{3, 4}));
}

TEST(NpyHeader, AnyOrderQuoteAndSpace) {
  const Header header = parse_header(
      "  {\t\"shape\" :( 3L ,\n4 , ) ,\"fortran_order\":True,\r\n u'descr' : b\"<f8\"}  ");
  EXPECT_EQ(header.description, "<f8");
  EXPECT_TRUE(header.fortran_order);
  EXPECT_EQ(header.shape, (Shape{3, 4}));
  EXPECT_EQ(parse_header("{'descr':'<f2','fortran_order':False,'shape':(5,6)}").shape,
            (Shape{5, 6}));
}

TEST(NpyHeader, OtherRanksAndStructures) {
  const auto shape = [](const std::string& text) {
    return parse_header("{'descr': '<f4', 'fortran_order': False, 'shape': " + text + "}").shape;
  };
  EXPECT_EQ(shape("()"), Shape{});
  EXPECT_EQ(shape("(7,)"), Shape{7});
  EXPECT_EQ(shape("(1, 2, 3)"), (Shape{1, 2, 3}));
  EXPECT_EQ(shape("(-1, 2)"), (Shape{-1, 2}));
  const Header fields = parse_header(
      "{'descr': [('a', '<f4'), ('b', '<i4', (2,))], 'fortran_order': False, 'shape': (1, 2)}");
  EXPECT_EQ(fields.description.front(), '[');
}

TEST(NpyHeader, SaysWhatIsWrong) {
  const auto expect = [](const std::string& text, const std::string& part) {
    test::expect_error(ErrorCode::kInvalidInput, {"header", part}, [&] { parse_header(text); });
  };
  expect("", "expected '{'");
  expect("[1, 2]", "expected '{'");
  expect("{", "quoted string");
  expect("{'descr'", "expected ':'");
  expect("{'descr: 1}", "does not end");
  expect("{'descr': '<f4', 'fortran_order': False}", "'shape' is missing");
  expect("{'descr': '<f4', 'shape': (1, 2)}", "'fortran_order' is missing");
  expect("{'fortran_order': False, 'shape': (1, 2)}", "'descr' is missing");
  expect("{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 2)}", "True nor False");
  expect("{'descr': '<f4', 'fortran_order': Falsey, 'shape': (1, 2)}", "True nor False");
  expect("{'descr': '<f4', 'fortran_order': False, 'shape': [1, 2]}", "parentheses");
  expect("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2", "expected ','");
  expect("{'descr': '<f4', 'fortran_order': False, 'shape': (1.5, 2)}", "integer");
  expect("{'descr': '<f4', 'fortran_order': False, 'shape': (1e3, 2)}", "integer");
  expect("{'descr': '<f4', 'fortran_order': False, 'shape': (x, 2)}", "integer");
  expect("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808, 2)}", "64 bits");
  expect("{'descr': '<f4', 'fortran_order': False 'shape': (1, 2)}", "expected ','");
  expect("{'descr': '<f4', 'extra': 1}", "unknown key 'extra'");
  expect("{'a\nb': 1}", "unknown key 'a?b'");
  expect("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)} x", "after the dictionary");
  expect("{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (1, 2)}", "escapes");
  expect("{'descr': [('a', '<f4')", "does not end");
  expect("{'" + std::string(5000, 'k') + "': 1}", "...");
}

TEST(NpyHeader, ShapesAsPythonWritesThem) {
  EXPECT_EQ(to_text(Shape{}), "()");
  EXPECT_EQ(to_text(Shape{3}), "(3,)");
  EXPECT_EQ(to_text(Shape{3, 4}), "(3, 4)");
  EXPECT_EQ(to_text(Shape(20, 1)), "(1, 1, 1, 1, 1, 1, 1, 1, ...)");
}

}  // namespace
}  // namespace tilewise::npy
