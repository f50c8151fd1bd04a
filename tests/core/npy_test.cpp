// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/npy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/file.hpp"
#include "expect_error.hpp"
#include "temporary_folder.hpp"

namespace tilewise::npy {
namespace {

using test::TemporaryFolder;
using namespace std::string_literals;

// What NumPy 2.4.6's numpy.lib.format.write_array wrote of these arrays:
// numpy.arange(6, dtype='<f4').reshape(2, 3), format 1.0
const std::string kNumpyF32 =
    "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"s +
    std::string(58, ' ') + "\n" +
    "\x00\x00\x00\x00\x00\x00\x80?\x00\x00\x00@\x00\x00@@\x00\x00\x80@\x00\x00\xa0@"s;
// numpy.asfortranarray(numpy.arange(6, dtype='<f8').reshape(2, 3) * 0.5), format 2.0
const std::string kNumpyF64Fortran =
    "\x93NUMPY\x02\x00t\x00\x00\x00{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }"s +
    std::string(57, ' ') + "\n" +
    "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf8?"
    "\x00\x00\x00\x00\x00\x00\xe0?\x00\x00\x00\x00\x00\x00\x00@"
    "\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x04@"s;
// numpy.array([[1, -2.5], [65504, 6e-8]], dtype='<f2'), format 3.0
const std::string kNumpyF16 =
    "\x93NUMPY\x03\x00t\x00\x00\x00{'descr': '<f2', 'fortran_order': False, 'shape': (2, 2), }"s +
    std::string(56, ' ') + "\n" + "\x00<\x00\xc1\xff{\x01\x00"s;
// numpy.zeros((0, 5), dtype='<f4'), format 1.0
const std::string kNumpyEmpty =
    "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (0, 5), }"s +
    std::string(58, ' ') + "\n";

// A file of format 1.0 with this dictionary and payload.
std::string file_of(const std::string& dictionary, const std::string& payload) {
  const std::string text = dictionary + "\n";
  return "\x93NUMPY\x01\x00"s + static_cast<char>(text.size() & 0xFF) +
         static_cast<char>(text.size() >> 8) + text + payload;
}

std::string file_of_shape(const std::string& shape, const std::string& payload,
                          const std::string& dtype = "'<f4'") {
  return file_of("{'descr': " + dtype + ", 'fortran_order': False, 'shape': " + shape + "}",
                 payload);
}

Array read_text(const std::string& contents) {
  const TemporaryFolder folder;
  return read(folder.with("a.npy", contents));
}

void expect_bad(const std::string& contents, const std::string& part) {
  const TemporaryFolder folder;
  const auto file = folder.with("bad.npy", contents);
  test::expect_error(ErrorCode::kInvalidInput, {file.string(), part}, [&] { read(file); });
}

TEST(NpyRead, F32InCOrder) {
  const Array array = read_text(kNumpyF32);
  EXPECT_EQ(array.dtype, Dtype::kF32);
  EXPECT_EQ(array.order, Order::kRowMajor);
  EXPECT_EQ(array.rows, 2);
  EXPECT_EQ(array.columns, 3);
  EXPECT_EQ(array.bytes.size(), 24u);
  EXPECT_EQ(array.at(0, 2), 2.0);
  EXPECT_EQ(array.at(1, 0), 3.0);
  EXPECT_EQ(array.to_f64(), (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

TEST(NpyRead, F64InFortranOrder) {
  const Array array = read_text(kNumpyF64Fortran);
  EXPECT_EQ(array.dtype, Dtype::kF64);
  EXPECT_EQ(array.order, Order::kColumnMajor);
  EXPECT_EQ(array.at(0, 2), 1.0);
  EXPECT_EQ(array.at(1, 0), 1.5);
  EXPECT_EQ(array.to_f64(), (std::vector<double>{0, 0.5, 1, 1.5, 2, 2.5}));
}

TEST(NpyRead, F16) {
  const Array array = read_text(kNumpyF16);
  EXPECT_EQ(array.dtype, Dtype::kF16);
  EXPECT_EQ(array.to_f64(), (std::vector<double>{1, -2.5, 65504, 0x1p-24}));
}

TEST(NpyRead, EmptyMatrices) {
  const Array array = read_text(kNumpyEmpty);
  EXPECT_EQ(array.rows, 0);
  EXPECT_EQ(array.columns, 5);
  EXPECT_TRUE(array.to_f64().empty());
  const Array wide =
      read_text(file_of("{'descr': '<f8', 'fortran_order': True, 'shape': "
                        "(0, 4611686018427387904)}",
                        ""));
  EXPECT_EQ(wide.columns, std::int64_t{1} << 62);
  EXPECT_TRUE(wide.to_f64().empty());
}

TEST(NpyRead, ElementsOutsideAreErrors) {
  const Array array = read_text(kNumpyF32);
  for (const auto& [row, column] : {std::pair{2, 0}, {0, 3}, {-1, 0}, {0, -1}}) {
    EXPECT_THROW(array.at(row, column), Error);
  }
}

TEST(NpyRead, MissingFilesAndFolders) {
  const TemporaryFolder folder;
  const auto missing = folder / "missing.npy";
  test::expect_error(ErrorCode::kInvalidInput, {missing.string(), "no such file"},
                     [&] { read(missing); });
  test::expect_error(ErrorCode::kInvalidInput, {folder.path().string(), "not a regular file"},
                     [&] { read(folder.path()); });
}

TEST(NpyRead, NotNumpy) {
  expect_bad("", "not a .npy file");
  expect_bad("short", "not a .npy file");
  expect_bad("PK\x03\x04 this is a .npz", "not a .npy file");
  expect_bad("1.0, 2.0, 3.0\n4.0, 5.0, 6.0\n", "not a .npy file");
}

TEST(NpyRead, Versions) {
  std::string contents = kNumpyF32;
  contents[6] = 4;
  expect_bad(contents, "format 4.0");
  contents[6] = 0;
  expect_bad(contents, "format 0.0");
  contents = kNumpyF32;
  contents[7] = 1;
  expect_bad(contents, "format 1.1");
}

// Every prefix of a good file is bad, and says so without reading past its end.
TEST(NpyRead, EveryTruncationIsAnError) {
  for (const std::string& whole : {kNumpyF32, kNumpyF64Fortran}) {
    for (std::size_t length = 0; length < whole.size(); ++length) {
      expect_bad(whole.substr(0, length), length < 8 ? "not a .npy" : "truncated");
    }
  }
}

TEST(NpyRead, TrailingBytes) {
  expect_bad(kNumpyF32 + "x", "1 bytes after the array's end");
  expect_bad(kNumpyEmpty + "12345678", "8 bytes after");
}

TEST(NpyRead, OtherDtypes) {
  for (const char* dtype : {">f4", "<i4", "|u1", "<f16", "<c8", "|O", "=f4", "float32", ""}) {
    expect_bad(file_of_shape("(1, 1)", "1234", "'"s + dtype + "'"), "dtype '"s + dtype + "'");
  }
  expect_bad(file_of_shape("(1, 1)", "1234", "[('x', '<f4')]"), "with fields");
  expect_bad(file_of_shape("(1, 1)", "1234", "'" + std::string(5000, 'f') + "'"), "dtype");
}

TEST(NpyRead, OtherRanks) {
  expect_bad(file_of_shape("()", "1234"), "shape ()");
  expect_bad(file_of_shape("(2,)", "12345678"), "shape (2,)");
  expect_bad(file_of_shape("(1, 1, 1)", "1234"), "shape (1, 1, 1)");
}

TEST(NpyRead, AbsurdShapes) {
  expect_bad(file_of_shape("(-1, 3)", ""), "negative");
  expect_bad(file_of_shape("(3, -1)", ""), "negative");
  expect_bad(file_of_shape("(-2, -3)", std::string(24, 'x')), "negative");
  expect_bad(file_of_shape("(4294967296, 4294967296)", ""), "63 bits");
  expect_bad(file_of_shape("(9223372036854775807, 1)", ""), "63 bits");  // times 4 bytes
  expect_bad(file_of_shape("(2305843009213693951, 1)", ""), "truncated");
  expect_bad(file_of_shape("(99999999999999999999, 1)", ""), "64 bits");
  expect_bad(file_of_shape("(1000000, 1000000)", "1234"), "truncated");
}

// A file with holes is as long as its header says; only memory is missing.
TEST(NpyRead, MoreThanMemoryAllows) {
  const TemporaryFolder folder;
  const std::string contents = file_of_shape("(1048576, 1048576)", "");  // 4 TiB
  const auto file = folder.with("sparse.npy", contents);
  std::error_code error;
  std::filesystem::resize_file(file, contents.size() + (std::uint64_t{1} << 42), error);
  if (error) GTEST_SKIP() << "this file system has no files of 4 TiB: " << error.message();
  test::expect_error(ErrorCode::kInvalidInput, {file.string(), "memory"}, [&] { read(file); });
}

TEST(NpyRead, MalformedHeadersNameTheFile) {
  expect_bad(file_of("{'descr': '<f4'}", ""), "'fortran_order' is missing");
  expect_bad("\x93NUMPY\x02\x00\xff\xff\xff\x7f{"s, "truncated");
}

TEST(NpyWrite, ReadsBackInEveryDtypeAndOrder) {
  const TemporaryFolder folder;
  for (const Dtype dtype : {Dtype::kF16, Dtype::kF32, Dtype::kF64}) {
    for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
      for (const auto& [rows, columns] :
           {std::pair{1, 1}, {3, 5}, {0, 4}, {4, 0}, {1, 1000}, {123456, 2}}) {
        Array array;
        array.dtype = dtype;
        array.order = order;
        array.rows = rows;
        array.columns = columns;
        array.bytes.resize(size_of(dtype) * static_cast<std::size_t>(rows * columns));
        for (std::size_t i = 0; i < array.bytes.size(); ++i)
          array.bytes[i] = std::byte(i * 37 % 100);
        const auto file = folder / "c.npy";
        write(file, array);
        const Array back = read(file);
        EXPECT_EQ(back.dtype, dtype);
        EXPECT_EQ(back.order, order);
        EXPECT_EQ(back.rows, rows);
        EXPECT_EQ(back.columns, columns);
        EXPECT_EQ(back.bytes, array.bytes);
        EXPECT_EQ((read_file(file).size() - array.bytes.size()) % 64, 0u);  // NumPy maps such files
      }
    }
  }
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(NpyWrite, WritesTheHeaderThatNumpyReads) {
  const TemporaryFolder folder;
  write(folder / "c.npy", read_text(kNumpyF32));
  const std::string contents = read_file(folder / "c.npy");
  const std::string expected = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_EQ(contents.substr(0, 8), "\x93NUMPY\x01\x00"s);
  EXPECT_EQ(contents.substr(10, expected.size()), expected);
  EXPECT_EQ(contents[contents.size() - 25], '\n');
  EXPECT_EQ(contents.substr(contents.size() - 24), kNumpyF32.substr(kNumpyF32.size() - 24));
}

TEST(NpyWrite, ChecksBeforeItWrites) {
  const TemporaryFolder folder;
  const auto file = folder / "c.npy";
  Array array = read_text(kNumpyF32);
  array.rows = 3;
  test::expect_error(ErrorCode::kInvalidInput, {file.string(), "needs 36 bytes", "holds 24"},
                     [&] { write(file, array); });
  array.rows = -2;
  test::expect_error(ErrorCode::kInvalidInput, {file.string(), "negative"},
                     [&] { write(file, array); });
  EXPECT_EQ(folder.entries(), 0u);
  array.rows = 2;
  const auto nowhere = folder / "no/folder/c.npy";
  test::expect_error(ErrorCode::kInvalidInput, {nowhere.string()}, [&] { write(nowhere, array); });
  EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace tilewise::npy
