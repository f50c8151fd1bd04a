// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/npy_map.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "core/elements.hpp"
#include "core/file.hpp"
#include "expect_error.hpp"
#include "temporary_folder.hpp"

namespace tilewise::npy {
namespace {

using test::TemporaryFolder;
using namespace std::string_literals;

constexpr Accepted kAny{.integers = true, .vectors = true};

// A file of format 1.0 with these words and payload; the header is padded to `header_bytes`.
std::string file_of(const std::string& dtype, const std::string& order, const std::string& shape,
                    const std::string& payload, std::size_t header_bytes = 128) {
  std::string text =
      "{'descr': '" + dtype + "', 'fortran_order': " + order + ", 'shape': " + shape + "}";
  text.resize(header_bytes - 11, ' ');
  text += '\n';
  return "\x93NUMPY\x01\x00"s + static_cast<char>(text.size() & 0xFF) +
         static_cast<char>(text.size() >> 8) + text + payload;
}

std::vector<double> elements_of(const MappedInput& input, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  read_elements(input.layout().dtype, input.elements(), 1, count, values.data());
  return values;
}

void expect_bad(const std::string& contents, const std::string& part) {
  const TemporaryFolder folder;
  const auto file = folder.with("bad.npy", contents);
  test::expect_error(ErrorCode::kInvalidInput, {file.string(), part},
                     [&] { MappedInput(file, kAny); });
}

// Feeds `contents` into a pipe while `body` runs.
template <class Body> void with_pipe(const std::string& contents, const Body& body) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe.npy";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::signal(SIGPIPE, SIG_IGN);
  std::thread writer([&] {
    const int end = ::open(pipe.c_str(), O_WRONLY);
    for (std::size_t at = 0; at < contents.size();) {
      const ssize_t sent = ::write(end, contents.data() + at, contents.size() - at);
      if (sent <= 0) break;
      at += static_cast<std::size_t>(sent);
    }
    ::close(end);
  });
  body(pipe);
  writer.join();
}

TEST(NpyMappedInput, EveryDtype) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& dtype, const std::string& payload, Dtype type,
                          std::vector<double> values) {
    const MappedInput input(folder.with("a.npy", file_of(dtype, "False", "(1, 2)", payload)), kAny);
    EXPECT_EQ(input.layout().dtype, type);
    EXPECT_TRUE(input.is_mapped());
    EXPECT_EQ(elements_of(input, 2), values) << dtype;
  };
  expect("<f2", "\x00\x3c\x00\xc1"s, Dtype::kF16, {1, -2.5});
  expect("<f4", "\x00\x00\x80\x3f\x00\x00\x20\xc0"s, Dtype::kF32, {1, -2.5});
  expect("<f8", "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\x04\xc0"s, Dtype::kF64, {1, -2.5});
  expect("|i1", "\x7f\x80"s, Dtype::kS8, {127, -128});
  expect("|u1", "\x7f\x80"s, Dtype::kU8, {127, 128});
  expect("<i4", "\x01\x00\x00\x00\xfe\xff\xff\xff"s, Dtype::kS32, {1, -2});
}

TEST(NpyMappedInput, OrdersShapesAndNothing) {
  const TemporaryFolder folder;
  const MappedInput fortran(folder.with("f.npy", file_of("|u1", "True", "(2, 3)", "\0\1\2\3\4\5"s)),
                            kAny);
  EXPECT_EQ(fortran.layout().order, Order::kColumnMajor);
  EXPECT_EQ(fortran.layout().shape, (std::vector<std::int64_t>{2, 3}));
  const MappedInput vector(folder.with("v.npy", file_of("|u1", "False", "(3,)", "\0\1\2"s)), kAny);
  EXPECT_EQ(vector.layout().shape, std::vector<std::int64_t>{3});
  const MappedInput empty(folder.with("e.npy", file_of("<f4", "False", "(0, 7)", "")), kAny);
  EXPECT_EQ(empty.layout().shape, (std::vector<std::int64_t>{0, 7}));
}

// An element must stand at a multiple of its size: where it does not, it is copied there.
TEST(NpyMappedInput, UnalignedElementsAreCopied) {
  const TemporaryFolder folder;
  const MappedInput input(
      folder.with("a.npy", file_of("<f4", "False", "(1, 1)", "\x00\x00\x20\xc0"s, 113)), kAny);
  EXPECT_FALSE(input.is_mapped());
  EXPECT_EQ(elements_of(input, 1), std::vector<double>{-2.5});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(input.elements()) % 4, 0u);
}

TEST(NpyMappedInput, TheMapOutlivesTheName) {
  const TemporaryFolder folder;
  const auto file = folder.with("a.npy", file_of("|u1", "False", "(1, 2)", "\x05\x06"));
  MappedInput input(file, kAny);
  std::filesystem::remove(file);
  const MappedInput moved(std::move(input));
  EXPECT_EQ(elements_of(moved, 2), (std::vector<double>{5, 6}));
}

TEST(NpyMappedInput, PipesAreReadIntoMemory) {
  std::string payload(300'000, '\x07');  // more than a pipe holds at a time
  payload.back() = '\x08';
  with_pipe(file_of("|u1", "False", "(3, 100000)", payload), [](const auto& pipe) {
    const MappedInput input(pipe, kAny);
    EXPECT_FALSE(input.is_mapped());
    const std::vector<double> values = elements_of(input, 300'000);
    EXPECT_EQ(values.front(), 7);
    EXPECT_EQ(values.back(), 8);
  });
  const auto refused = [](const std::string& contents, const std::string& part) {
    with_pipe(contents, [&](const auto& pipe) {
      test::expect_error(ErrorCode::kInvalidInput, {pipe.string(), part},
                         [&] { MappedInput(pipe, kAny); });
    });
  };
  refused("", "the pipe ended after 0");
  refused("\x93NUMPY\x01\x00\x76\x00{'descr"s, "the header needs 118 bytes");
  refused(file_of("|u1", "False", "(2, 2)", "123"), "the array needs 4 bytes");
  refused(file_of("|u1", "False", "(2, 2)", "12345"), "after the array's end");
  refused("\x93NUMPY\x02\x00\xff\xff\xff\xff{"s, "at most 1048576");
  refused(file_of("<f8", "False", "(1048576, 1048576)", ""), "memory");
}

TEST(NpyMappedInput, BrokenFiles) {
  const std::string good = file_of("<f4", "False", "(1, 2)", "12345678");
  for (std::size_t length = 0; length < good.size(); ++length) {
    expect_bad(good.substr(0, length), length < 8 ? "not a .npy" : "truncated");
  }
  expect_bad(good + "9", "1 bytes after the array's end");
  expect_bad("PK\x03\x04 a .npz is not a .npy", "does not begin with");
  expect_bad(file_of(">f4", "False", "(1, 2)", "12345678"), "big-endian");
  expect_bad(file_of("|O", "False", "(1, 1)", "12345678"), "Python objects");
  for (const char* dtype : {"<i8", "<u4", "<i2", "|b1", "<c8", "|S4", "<f16", "<U1", "|V2", ""}) {
    expect_bad(file_of(dtype, "False", "(1, 1)", "1234"), "'|i1', '|u1' or '<i4'");
  }
  expect_bad(file_of("<f4", "False", "()", "1234"), "shape (): expected one dimension or two");
  expect_bad(file_of("<f4", "False", "(1, 1, 1)", "1234"), "shape (1, 1, 1)");
  expect_bad(file_of("<f4", "False", "(-1,)", ""), "negative");
  expect_bad(file_of("<f4", "False", "(4611686018427387904,)", ""), "63 bits");
  expect_bad(file_of("<f4", "False", "(4294967296, 4294967296)", ""), "63 bits");
  expect_bad(file_of("<f4", "False", "(99999999999999999999, 1)", ""), "64 bits");
  expect_bad(file_of("<f4", "Maybe", "(1, 1)", "1234"), "True nor False");
}

TEST(NpyMappedInput, IntegersAndVectorsOnlyWhereAccepted) {
  const TemporaryFolder folder;
  const auto integers = folder.with("i.npy", file_of("|i1", "False", "(1, 1)", "1"));
  const auto vector = folder.with("v.npy", file_of("<f4", "False", "(1,)", "1234"));
  test::expect_error(ErrorCode::kInvalidInput, {"dtype '|i1'"}, [&] { MappedInput(integers, {}); });
  test::expect_error(ErrorCode::kInvalidInput, {"two dimensions"},
                     [&] { MappedInput(vector, {}); });
  EXPECT_EQ(read(integers, kAny).at(0, 0), '1');
  EXPECT_EQ(read(vector, kAny).rows, 1);
}

TEST(NpyMappedInput, WhatIsNoFile) {
  const TemporaryFolder folder;
  const auto refused = [](const std::filesystem::path& path, const std::string& part) {
    test::expect_error(ErrorCode::kInvalidInput, {path.string(), part},
                       [&] { MappedInput(path, kAny); });
  };
  refused(folder / "missing.npy", "no such file");
  refused(folder.path(), "not a regular file");
  refused("/dev/null", "not a regular file");
  const auto file = folder.with("a.npy", "text");
  refused(file / "below", "Not a directory");
  if (::geteuid() != 0) {
    std::filesystem::permissions(file, std::filesystem::perms::none);
    refused(file, "Permission denied");
  }
}

// A file with holes, far larger than memory, is used as it is.
TEST(NpyMappedInput, LargerThanMemory) {
  const TemporaryFolder folder;
  const std::string header = file_of("|u1", "False", "(1048576, 1048576)", "");  // 1 TiB
  const auto file = folder.with("sparse.npy", header);
  std::error_code error;
  std::filesystem::resize_file(file, header.size() + (std::uint64_t{1} << 40), error);
  if (error) GTEST_SKIP() << "this file system has no files of 1 TiB: " << error.message();
  const MappedInput input(file, kAny);
  EXPECT_TRUE(input.is_mapped());
  EXPECT_EQ(input.elements()[(std::int64_t{1} << 40) - 1], std::byte{0});
}

TEST(NpyMappedOutput, WritesWhatReadReads) {
  const TemporaryFolder folder;
  const auto file = folder.with("c.npy", "what stood there before");
  for (const Order order : {Order::kRowMajor, Order::kColumnMajor}) {
    MappedOutput output(file, {Dtype::kS32, order, {2, 3}});
    for (int i = 0; i < 6; ++i) std::memcpy(output.elements() + 4 * i, &i, 4);
    EXPECT_EQ(output.temporary().parent_path(), folder.path());
    EXPECT_EQ(folder.entries(), 2u);
    output.commit();
    const Array back = read(file, kAny);
    EXPECT_EQ(back.dtype, Dtype::kS32);
    EXPECT_EQ(back.order, order);
    EXPECT_EQ(back.rows, 2);
    EXPECT_EQ(back.at(1, 0), order == Order::kRowMajor ? 3 : 1);
    EXPECT_EQ(folder.entries(), 1u);
  }
  MappedOutput(file, {Dtype::kF64, Order::kRowMajor, {0, 5}}).commit();
  EXPECT_EQ(read(file).columns, 5);
  MappedOutput(file, {Dtype::kF64, Order::kRowMajor, {4}}).commit();
  EXPECT_EQ(MappedInput(file, kAny).layout().shape, std::vector<std::int64_t>{4});
  MappedOutput(file, {Dtype::kF64, Order::kRowMajor, {}}).commit();  // a scalar, as NumPy has it
  EXPECT_NE(read_file(file).find("'shape': ()"), std::string::npos);
}

TEST(NpyMappedOutput, WithoutCommitNothingHasHappened) {
  const TemporaryFolder folder;
  const auto file = folder.with("c.npy", "before");
  { const MappedOutput output(file, {Dtype::kF32, Order::kRowMajor, {100, 100}}); }
  EXPECT_EQ(read_file(file), "before");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(NpyMappedOutput, ALinkKeepsPointingWhereItDoes) {
  const TemporaryFolder folder;
  const auto file = folder.with("c.npy", "before");
  std::filesystem::create_symlink(file, folder / "link.npy");
  MappedOutput(folder / "link.npy", {Dtype::kF32, Order::kRowMajor, {1, 1}}).commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.npy"));
  EXPECT_EQ(read(file).rows, 1);
}

TEST(NpyMappedOutput, WhereNothingCanBeWritten) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::filesystem::path& path, std::vector<std::int64_t> shape,
                           const std::string& part) {
    test::expect_error(ErrorCode::kInvalidInput, {path.string(), part}, [&] {
      MappedOutput(path, {Dtype::kF32, Order::kRowMajor, shape});
    });
    EXPECT_EQ(folder.entries(), 0u);
  };
  refused(folder / "no/c.npy", {1, 1}, "No such file or directory");
  refused(folder / "c.npy", {std::int64_t{1} << 40, std::int64_t{1} << 40}, "63 bits");
  refused(folder / "c.npy", {(std::int64_t{1} << 61) - 1}, "63 bits");
  refused(folder / "c.npy", {std::int64_t{1} << 58},
          "cannot take the");  // 2^60 bytes: no such disk
  test::expect_error(ErrorCode::kUnsupported, {"bf16"}, [&] {
    MappedOutput(folder / "c.npy", {Dtype::kBF16, Order::kRowMajor, {1, 1}});
  });
  EXPECT_EQ(folder.entries(), 0u);
}

// A full disk, played by a limit on the size of files.
TEST(NpyMappedOutput, NoRoomShowsBeforeTheWork) {
  const TemporaryFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1 << 20, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  const auto file = folder / "c.npy";
  test::expect_error(ErrorCode::kInvalidInput, {file.string(), "4194432 bytes", "too large"}, [&] {
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    MappedOutput(file, {Dtype::kF32, Order::kRowMajor, {1024, 1024}});
  });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(NpyMappedOutput, AFolderThatGoesAwayIsAnError) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sub");
  MappedOutput output(folder / "sub/c.npy", {Dtype::kF32, Order::kRowMajor, {1, 1}});
  std::filesystem::remove_all(folder / "sub");
  test::expect_error(ErrorCode::kInvalidInput, {"c.npy", "cannot write"}, [&] { output.commit(); });
}

}  // namespace
}  // namespace tilewise::npy
