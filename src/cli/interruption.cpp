// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.hpp"

#include <array>
#include <csignal>

namespace tilewise::cli {
namespace {

constexpr std::array<int, 2> kSignals{SIGINT, SIGTERM};
volatile std::sig_atomic_t noted = 0;
std::array<struct sigaction, kSignals.size()> before;

void note(int signal) { noted = signal; }

}  // namespace

Interruption::Interruption() {
  noted = 0;
  struct sigaction action {};
  ::sigemptyset(&action.sa_mask);
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
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
  if (noted == 0) return;
  std::signal(noted, SIG_DFL);
  std::raise(noted);
}

}  // namespace tilewise::cli
