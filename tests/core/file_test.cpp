// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "core/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <string>

#include "core/thread_pool.hpp"
#include "expect_error.hpp"
#include "temporary_folder.hpp"

namespace tilewise {
namespace {

using test::expect_error;
using test::TemporaryFolder;

TEST(ReadFile, ReturnsEveryByte) {
  const TemporaryFolder folder;
  std::string contents;
  for (int i = 0; i < 300000; ++i) contents += static_cast<char>(i * 7);
  EXPECT_EQ(read_file(folder.with("big", contents)), contents);
  EXPECT_EQ(read_file(folder.with("empty", "")), "");
}

TEST(ReadFile, NamesWhatItCannotRead) {
  const TemporaryFolder folder;
  const auto missing = folder / "missing.txt";
  expect_error(ErrorCode::kInvalidInput, {missing.string(), "No such file"},
               [&] { read_file(missing); });
  expect_error(ErrorCode::kInvalidInput, {folder.path().string(), "directory"},
               [&] { read_file(folder.path()); });
}

TEST(WriteFile, WritesReplacesAndLeavesNothingElse) {
  const TemporaryFolder folder;
  const auto file = folder / "report.json";
  write_file(file, "first");
  EXPECT_EQ(read_file(file), "first");
  write_file(file, std::string("sec\0ond", 7));
  EXPECT_EQ(read_file(file), std::string("sec\0ond", 7));
  write_file(file, {"one ", "", "two"});
  EXPECT_EQ(read_file(file), "one two");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(WriteFile, NamesWhatItCannotWrite) {
  const TemporaryFolder folder;
  const auto nowhere = folder / "no/such/folder.json";
  expect_error(ErrorCode::kInvalidInput, {nowhere.string(), "No such file"},
               [&] { write_file(nowhere, "x"); });
  std::filesystem::create_directory(folder / "taken");
  expect_error(ErrorCode::kInvalidInput, {(folder / "taken").string(), "directory"},
               [&] { write_file(folder / "taken", "x"); });
  EXPECT_EQ(folder.entries(), 1u);
}

// A write that fails half-way (here: past the process's file size limit) must leave the old file.
TEST(WriteFile, LeavesTheOldFileAndNoTemporaryOnFailure) {
  const TemporaryFolder folder;
  const auto file = folder.with("result.npy", "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);  // so that write() returns EFBIG
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_error(ErrorCode::kInvalidInput, {file.string(), "too large"},
               [&] { write_file(file, std::string(100000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_file(file), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(WriteFile, WritesThroughSymbolicLinks) {
  const TemporaryFolder folder;
  const auto target = folder.with("target", "old");
  std::filesystem::create_symlink(target, folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(target), "new");
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(WriteFile, DoesNotReplaceDevices) {
  write_file("/dev/null", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  expect_error(ErrorCode::kInvalidInput, {"/dev/full", "No space left"},
               [] { write_file("/dev/full", "does not fit"); });
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(WriteFile, RacingWritersLeaveOneWholeFile) {
  const TemporaryFolder folder;
  const auto file = folder / "shared";
  parallel_for(64, 4, [&](int, std::uint64_t index) {
    write_file(file, std::string(10000, static_cast<char>('a' + index % 26)));
  });
  const std::string contents = read_file(file);
  EXPECT_EQ(contents, std::string(10000, contents[0]));
  EXPECT_EQ(folder.entries(), 1u);
}

}  // namespace
}  // namespace tilewise
