// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Workers of one line of shell: what the link makes of programs that answer, fall and hang.
#include "bench/worker_link.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>

namespace tilewise::bench {
namespace {

WorkerCommand shell(const std::string& script) { return {{"/bin/sh", "-c", script}, {}, {}}; }

// What ask() complains about.
std::string failure(const WorkerCommand& command, double seconds = 20) {
  WorkerLink link(command);
  try {
    return "no failure, but " + link.ask("hello", seconds);
  } catch (const WorkerFailure& error) {
    return error.what();
  }
}

TEST(WorkerLink, AsksAndGetsAnswers) {
  WorkerLink link(shell("while read line; do echo ok you said $line >&3; done <&3"));
  EXPECT_EQ(link.ask("one", 20), "you said one");
  EXPECT_EQ(link.ask("two words", 20), "you said two words");
  EXPECT_TRUE(link.alive());
}

TEST(WorkerLink, WhatAProgramPrintsIsNoAnswer) {
  WorkerLink link(
      shell("echo noise; echo noise >&2; read line <&3; echo ok quiet >&3; read x <&3"));
  EXPECT_EQ(link.ask("hello", 20), "quiet");
}

TEST(WorkerLink, EnvironmentIsSetOnTopOfOurs) {
  ::setenv("TILEWISE_TEST_LINK", "ours", 1);
  WorkerCommand command = shell("read x <&3; echo ok $TILEWISE_TEST_LINK $OTHER >&3; read x <&3");
  command.environment = {{"OTHER", "new"}};
  EXPECT_EQ(WorkerLink(command).ask("hello", 20), "ours new");
  command.environment = {{"TILEWISE_TEST_LINK", "theirs"}};
  EXPECT_EQ(WorkerLink(command).ask("hello", 20), "theirs");
  ::unsetenv("TILEWISE_TEST_LINK");
}

TEST(WorkerLink, RunsOnTheCoresItIsGiven) {
  cpu_set_t allowed;
  ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
  int core = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(core), &allowed)) ++core;
  WorkerCommand command = shell(
      "read x <&3; grep Cpus_allowed_list /proc/self/status | { read a b; echo ok $b >&3; }; "
      "read x <&3");
  command.cores = {core};
  EXPECT_EQ(WorkerLink(command).ask("hello", 20), std::to_string(core));
}

TEST(WorkerLink, DeathsAreDescribed) {
  EXPECT_EQ(failure(shell("exit 5")), "ended with exit code 5");
  EXPECT_EQ(failure(shell("read x <&3; echo first; echo last words; exit 6")),
            "ended with exit code 6: last words");
  EXPECT_NE(failure(shell("read x <&3; kill -SEGV $$")).find("killed by signal 11"),
            std::string::npos);
  EXPECT_EQ(failure({{"/no/such/program"}, {}, {}}), "ended with exit code 127");
}

TEST(WorkerLink, AnswersThatAreNoneAreFailures) {
  EXPECT_EQ(failure(shell("read x <&3; echo failed out of luck >&3; read x <&3")), "out of luck");
  EXPECT_EQ(failure(shell("read x <&3; echo what >&3; read x <&3")), "answered nonsense");
}

TEST(WorkerLink, AfterAFailedAnswerItGoesOn) {
  WorkerLink link(
      shell("read x <&3; echo failed once >&3; read x <&3; echo ok again >&3; read x <&3"));
  EXPECT_THROW(link.ask("hello", 20), WorkerFailure);
  EXPECT_TRUE(link.alive());
  EXPECT_EQ(link.ask("hello", 20), "again");
}

TEST(WorkerLink, HangingProgramsAreGivenUpAndKilled) {
  WorkerLink link(shell("exec sleep 3600"));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(link.ask("hello", 0.2), WorkerFailure);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  EXPECT_FALSE(link.alive());
  EXPECT_THROW(link.ask("hello", 0.2), WorkerFailure);
}

}  // namespace
}  // namespace tilewise::bench
