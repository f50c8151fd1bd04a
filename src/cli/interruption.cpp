// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.hpp"

#include <array>
#include <csignal>
#include <ctime>

namespace tilewise::cli {
namespace {

constexpr std::array<int, 2> kSignals{SIGINT, SIGTERM};
volatile std::sig_atomic_t noted = 0;
volatile std::time_t noted_at = 0;
std::array<struct sigaction, kSignals.size()> before;

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::time_t seconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);  // which handlers may call
  return now.tv_sec;
}

// One wish may come as two signals: to the program, and to its group (timeout does so).
void note(int signal) {
  const std::time_t now = seconds_now();
  if (noted != 0 && now - noted_at > 1) end_by(signal);
  if (noted == 0) noted_at = now;
  noted = signal;
}

}  // namespace

Interruption::Interruption() {
  noted = 0;
  struct sigaction action {};
  ::sigemptyset(&action.sa_mask);
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESTART);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before[i]);
    // nohup and shells without job control have asked for deaf ears.
    if (before[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before[i], nullptr);
}

bool Interruption::happened() const { return noted != 0; }

void Interruption::pass_on() {
  if (noted != 0) end_by(noted);
}

}  // namespace tilewise::cli
