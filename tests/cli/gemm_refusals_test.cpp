// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise gemm` and what it cannot use: exit code 2, one line that names the culprit, nothing lost.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "core/file.hpp"
#include "gemm_files.hpp"

namespace tilewise::test {
namespace {

using Words = std::vector<std::string>;

class GemmRefusals : public GemmFiles {
 protected:
  void SetUp() override {
    write_small();
    folder_.with("c.npy", kBefore);
  }

  // The output file is what it was, and nothing has come to stand beside it.
  void expect_refusal(const Words& arguments, const Words& parts) {
    const std::size_t entries = folder_.entries();
    const Outcome outcome = gemm(arguments);
    std::string call = "tilewise gemm";
    for (const std::string& word : arguments) call += " " + word;
    SCOPED_TRACE(call);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with("tilewise: ")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    for (const std::string& part : parts) {
      EXPECT_TRUE(contains(outcome.err, part)) << "'" << part << "' in: " << outcome.err;
    }
    EXPECT_EQ(read_file(path("c.npy")), kBefore);
    EXPECT_EQ(folder_.entries(), entries);
  }

  // With this file as A, as B and as C0.
  void expect_bad_file(const std::string& name, const std::string& part) {
    const std::string file = path(name), c = path("c.npy");
    expect_refusal({file, path("b.npy"), "-o", c}, {file, part});
    expect_refusal({path("a.npy"), file, "-o", c}, {file, part});
    expect_refusal({path("a.npy"), path("b.npy"), "--c", file, "-o", c}, {file, part});
  }

  // A .npy file with this dictionary.
  void write_header(const std::string& name, const std::string& dictionary,
                    const std::string& payload = "") {
    const auto length = static_cast<char>(dictionary.size() + 1);
    folder_.with(name,
                 std::string("\x93NUMPY\x01\x00", 8) + length + '\0' + dictionary + "\n" + payload);
  }

  static constexpr const char* kBefore = "what stood here before";
};

TEST_F(GemmRefusals, BrokenFiles) {
  const std::string good = read_file(path("a.npy"));
  const auto refused = [&](const std::string& contents, const std::string& part) {
    folder_.with("bad.npy", contents);
    expect_bad_file("bad.npy", part);
  };
  refused("", "not a .npy file: 0 bytes");
  refused(good.substr(0, 7), "not a .npy file: 7 bytes");
  refused(good.substr(0, 60), "truncated: the header needs");
  refused(good.substr(0, good.size() - 1), "truncated: shape (20, 30) of f32 needs 2400 bytes");
  refused(good + "more", "4 bytes after the array's end");
  refused("\x89PNG\r\n\x1a\n and so on", "does not begin with \\x93NUMPY");
  std::string version = good;
  version[6] = 9;
  refused(version, ".npy format 9.0: expected 1.0, 2.0 or 3.0");
}

TEST_F(GemmRefusals, BrokenHeaders) {
  const auto refused = [&](const std::string& dictionary, const std::string& part) {
    write_header("bad.npy", dictionary);
    expect_bad_file("bad.npy", part);
  };
  const auto with_shape = [](const std::string& shape) {
    return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}";
  };
  const auto with_dtype = [](const std::string& dtype) {
    return "{'descr': " + dtype + ", 'fortran_order': False, 'shape': (1, 1)}";
  };
  refused("['<f4', False, (1, 1)]", "expected '{'");
  refused("{'descr': '<f4', 'shape': (1, 1)}", "'fortran_order' is missing");
  refused("{'descr': '<f4', 'fortran_order': False}", "'shape' is missing");
  refused("{'fortran_order': False, 'shape': (1, 1)}", "'descr' is missing");
  refused(with_shape("(-1, 4)"), "a size is negative");
  refused(with_shape("(2, 3, 4)"), "shape (2, 3, 4): expected one dimension or two");
  refused(with_shape("()"), "shape ()");
  refused(with_shape("(4611686018427387904, 4611686018427387904)"), "63 bits");
  refused(with_shape("(99999999999999999999, 1)"), "64 bits");
  refused(with_dtype("'|O'"), "Python objects");
  refused(with_dtype("'>f4'"), "big-endian");
  refused(with_dtype("'<i8'"), "dtype '<i8': expected '<f2'");
  refused(with_dtype("'<c8'"), "'|i1', '|u1' or '<i4'");
  refused(with_dtype("[('x', '<f4')]"), "dtype with fields");
}

TEST_F(GemmRefusals, WhatIsNoReadableFile) {
  expect_bad_file("missing.npy", "no such file");
  std::filesystem::create_directory(folder_ / "folder.npy");
  expect_bad_file("folder.npy", "not a regular file");
  std::filesystem::create_symlink(folder_ / "nowhere", folder_ / "dangling.npy");
  expect_bad_file("dangling.npy", "no such file");
  expect_refusal({"/dev/null", path("b.npy"), "-o", path("c.npy")},
                 {"'/dev/null'", "not a regular file and not a pipe"});
  if (::geteuid() == 0) return;  // root reads everything
  folder_.with("secret.npy", read_file(path("a.npy")));
  std::filesystem::permissions(folder_ / "secret.npy", std::filesystem::perms::none);
  expect_bad_file("secret.npy", "Permission denied");
}

TEST_F(GemmRefusals, ShapesThatDoNotFit) {
  const std::string a = path("a.npy"), b = path("b.npy"), c = path("c.npy");
  expect_refusal({a, a, "-o", c}, {a, "is 20×30", "as many columns as B has rows"});
  expect_refusal({a, b, "-o", c, "--trans-a"}, {"transposed is 30×20"});
  expect_refusal({a, b, "-o", c, "--c", a},
                 {"--c", a, "(20, 30)", "expected the product's, (20, 10)"});
}

TEST_F(GemmRefusals, TypesAndScalarsThatDoNotFit) {
  const std::string a = path("a.npy"), b = path("b.npy"), c = path("c.npy");
  const auto square = [&](const std::string& name, Dtype dtype) {
    return write(name, random_array(dtype, Order::kRowMajor, 4, 4, 1));
  };
  const std::string u8 = square("u8.npy", Dtype::kU8), s8 = square("s8.npy", Dtype::kS8);
  const std::string f32 = square("f32.npy", Dtype::kF32);
  expect_refusal({u8, u8, "-o", c}, {u8, "both hold u8", "--dtype f64"});
  expect_refusal({s8, f32, "-o", c, "--dtype", "s8"}, {"--dtype s8", f32, "holds f32"});
  expect_refusal({s8, s8, "-o", c, "--c", f32}, {"--c", f32, "expected integers"});
  expect_refusal({s8, s8, "-o", c, "--alpha", "0.5"}, {"--alpha", "whole number", "0.5"});
  expect_refusal({s8, s8, "-o", c, "--alpha", "2147483648"}, {"--alpha", "2^31 - 1"});
  expect_refusal({a, b, "-o", c, "--alpha", "1e39"}, {"--alpha", "1e+39 does not fit in f32"});
  expect_refusal({a, b, "-o", c, "--alpha", "nan"}, {"--alpha", "finite"});
  expect_refusal({a, b, "-o", c, "--out-dtype", "f16"}, {"--out-dtype f16", "multiplied as f32"});
  expect_refusal({a, b, "-o", c, "--dtype", "float"}, {"--dtype", "f32, f64, f16, bf16, s8"});
}

TEST_F(GemmRefusals, OptionsThatDoNotFit) {
  const std::string a = path("a.npy"), b = path("b.npy"), c = path("c.npy");
  expect_refusal({a, b}, {"--output"});
  expect_refusal({a, "-o", c}, {"B"});
  expect_refusal({a, b, a, "-o", c}, {"takes no argument"});
  expect_refusal({a, b, "-o", c, "--beta", "2"}, {"--beta 2", "--c is missing"});
  expect_refusal({a, b, "-o", c, "--c", c, "--beta", "0"}, {"--beta 0", "does not read"});
  expect_refusal({a, b, "-o", c, "--threads", "0"}, {"--threads", "from 1"});
  expect_refusal({a, b, "-o", c, "--threads", "100000"}, {"--threads", "at most 4096"});
  expect_refusal({a, b, "-o", c, "--device", "cuda"}, {"--device cuda", "no GPU", "--device cpu"});
  expect_refusal({a, b, "-o", c, "--device", "virtual"}, {"--device virtual", "--device cpu"});
  expect_refusal({a, b, "-o", c, "--tran-a"}, {"did you mean '--trans-a'"});
  EXPECT_EQ(gemm({a, b, "-o", path("d.npy"), "--device", "cpu", "--beta", "0"}).code, 0);
}

TEST_F(GemmRefusals, OutputsThatCannotBe) {
  const std::string a = path("a.npy"), b = path("b.npy"), c = path("c.npy");
  expect_refusal({a, b, "-o", a}, {"--output", a, "it is an input"});
  expect_refusal({a, b, "-o", path("./b.npy")}, {"--output", "it is an input"});
  expect_refusal({a, b, "-o", path("no/such/c.npy")}, {"--output", "No such file or directory"});
  expect_refusal({a, b, "-o", folder_.path().string()}, {"--output", "folder"});
  expect_refusal({a, b, "-o", "/dev/full"}, {"--output", "not a regular file"});
  expect_refusal({a, b, "-o", c, "--json", c}, {"--json", "--output too"});
  expect_refusal({a, b, "-o", c, "--json", a}, {"--json", "it is an input"});
  const std::string c0 = write("c0.npy", random_array(Dtype::kF32, Order::kRowMajor, 20, 10, 1));
  expect_refusal({a, b, "-o", c, "--c", c0, "--json", c0}, {"--json", "it is an input"});
}

// 2^60 bytes: more than any disk has; the matrices that ask for them have no elements.
TEST_F(GemmRefusals, NoRoomShowsBeforeTheWork) {
  const std::int64_t many = std::int64_t{1} << 29;
  const std::string tall = write("t.npy", make_array(Dtype::kF32, Order::kRowMajor, many, 0));
  const std::string wide = write("w.npy", make_array(Dtype::kF32, Order::kRowMajor, 0, many));
  expect_refusal({tall, wide, "-o", path("c.npy")},
                 {path("c.npy"), "cannot take the 1152921504606847104 bytes"});
  const std::int64_t more = std::int64_t{1} << 40;
  const std::string taller = write("t.npy", make_array(Dtype::kF32, Order::kRowMajor, more, 0));
  const std::string wider = write("w.npy", make_array(Dtype::kF32, Order::kRowMajor, 0, more));
  expect_refusal({taller, wider, "-o", path("c.npy")}, {path("c.npy"), "63 bits"});
}

TEST_F(GemmRefusals, MalformedEnvironment) {
  const Words words{path("a.npy"), path("b.npy"), "-o", path("c.npy")};
  const Outcome outcome = gemm(words, {{"TILEWISE_CPU", "abacus"}});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "abacus")) << outcome.err;
  EXPECT_EQ(read_file(path("c.npy")), kBefore);
}

// A is what comes out of a pipe: `tilewise gemm <(gunzip -c A.npy.gz) B.npy`.
TEST_F(GemmRefusals, APipeIsReadAndABrokenOneRefused) {
  std::signal(SIGPIPE, SIG_IGN);
  const std::string whole = read_file(path("a.npy")), pipe = path("pipe.npy");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto with_pipe = [&](const std::string& contents, const auto& body) {
    std::thread writer([&] {
      const int end = ::open(pipe.c_str(), O_WRONLY);
      EXPECT_EQ(::write(end, contents.data(), contents.size()),
                static_cast<ssize_t>(contents.size()));
      ::close(end);
    });
    body();
    writer.join();
  };
  with_pipe(whole.substr(0, whole.size() - 1), [&] {
    expect_refusal({pipe, path("b.npy"), "-o", path("c.npy")},
                   {pipe, "needs 2400 bytes, the pipe ended after 2399"});
  });
  with_pipe(whole, [&] {
    EXPECT_EQ(gemm({pipe, path("b.npy"), "-o", path("c.npy"), "--verify"}).code, 0);
  });
}

}  // namespace
}  // namespace tilewise::test
