// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewise::test {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif
#ifdef __SANITIZE_THREAD__
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

/// Whether `check()` is true in the child of a fork(). One that hangs is killed and counts as
/// false, and so does one that throws.
template <class Check> testing::AssertionResult in_child(Check check) {
  constexpr unsigned kSecondsToLive = 120;
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsToLive);
    int code = 2;  // an exception must not leave the child: there would be two test programs then
    try {
      code = check() ? 0 : 1;
    } catch (...) {
    }
    _exit(code);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return testing::AssertionFailure() << "fork";
  if (WIFSIGNALED(status)) {
    return testing::AssertionFailure() << "the child ended by signal " << WTERMSIG(status);
  }
  if (WEXITSTATUS(status) != 0) {
    return testing::AssertionFailure() << "the child exited with " << WEXITSTATUS(status);
  }
  return testing::AssertionSuccess();
}

}  // namespace tilewise::test
