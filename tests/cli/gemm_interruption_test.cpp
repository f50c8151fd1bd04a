// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise gemm` ended half-way: by a signal, or by an input that is cut short while it is mapped.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>
#include <utility>

#include "core/file.hpp"
#include "gemm_files.hpp"

namespace tilewise::test {
namespace {

class GemmInterruption : public GemmFiles {
 protected:
  // A long product with a small result: two factors of 2 GiB that are all hole.
  void SetUp() override {
    folder_.with("c.npy", "what stood here before");
    for (const auto& [name, shape] :
         {std::pair{"a.npy", "(64, 8388608)"}, {"b.npy", "(8388608, 64)"}}) {
      std::string text =
          std::string("{'descr': '<f4', 'fortran_order': False, 'shape': ") + shape + "}";
      text.resize(117, ' ');
      folder_.with(name, std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + "\n");
      std::error_code error;
      std::filesystem::resize_file(folder_ / name, 128 + (std::uint64_t{1} << 31), error);
      if (error) GTEST_SKIP() << "this file system has no files of 2 GiB: " << error.message();
    }
  }

  // Starts the product; stderr goes to err.txt, outside of the folder that is looked at.
  pid_t start() {
    const std::string a = path("a.npy"), b = path("b.npy"), c = path("c.npy");
    const std::string err = elsewhere_ / "err.txt";
    const pid_t child = ::fork();
    if (child != 0) return child;
    const int file = ::open(err.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(file, STDERR_FILENO);
    ::dup2(file, STDOUT_FILENO);
    ::execl(TILEWISE_BINARY, "tilewise", "gemm", a.c_str(), b.c_str(), "-o", c.c_str(), nullptr);
    ::_exit(127);
  }

  // Whether the output's temporary file is there. (Another file may be, for a moment and before: the one
  // that tries whether the folder can be written to.)
  bool has_part() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "")) {
      if (entry.path().extension() == ".part") return true;
    }
    return false;
  }

  // Waits until the product has begun, or is about to.
  bool has_begun(pid_t child) const {
    while (!has_part()) {
      int status = 0;
      if (::waitpid(child, &status, WNOHANG) == child) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  static int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  void expect_nothing_lost() {
    EXPECT_EQ(folder_.entries(), 3u) << "a temporary file stayed";
    EXPECT_EQ(read_file(path("c.npy")), "what stood here before");
  }

  TemporaryFolder elsewhere_;
};

TEST_F(GemmInterruption, SignalsTakeTheHalfFileAway) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = start();
    ASSERT_TRUE(has_begun(child)) << read_file(elsewhere_ / "err.txt");
    ::kill(child, signal);
    const int status = wait_for(child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    expect_nothing_lost();
  }
}

TEST_F(GemmInterruption, AnInputThatIsCutShortIsNamed) {
  const pid_t child = start();
  ASSERT_TRUE(has_begun(child)) << read_file(elsewhere_ / "err.txt");
  std::filesystem::resize_file(folder_ / "b.npy", 128);
  const int status = wait_for(child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 2);
  const std::string err = read_file(elsewhere_ / "err.txt");
  EXPECT_TRUE(err.starts_with("tilewise: '" + path("b.npy") + "': became shorter")) << err;
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
  expect_nothing_lost();
}

// nohup: who asked not to be told of a closed terminal is not ended by it.
TEST_F(GemmInterruption, IgnoredSignalsStayIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  const pid_t child = start();
  std::signal(SIGHUP, SIG_DFL);
  ASSERT_TRUE(has_begun(child)) << read_file(elsewhere_ / "err.txt");
  ::kill(child, SIGHUP);
  ::kill(child, SIGTERM);
  const int status = wait_for(child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  expect_nothing_lost();
}

}  // namespace
}  // namespace tilewise::test
