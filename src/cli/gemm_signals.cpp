// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/gemm_signals.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "cli/exit.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

constexpr std::array<int, 3> kEnding{SIGINT, SIGTERM, SIGHUP};

// What the handlers read. They may call async-signal-safe functions only, so everything is spelled out
// before they can run; the counts are written last.
struct Watched {
  std::uintptr_t begin = 0, end = 0;
  std::string message;
};
std::array<Watched, SignalGuard::kMostFiles> watched;
std::atomic<int> watched_count{0};
std::string temporary_text;
std::atomic<const char*> temporary{nullptr};
std::atomic_flag ending = ATOMIC_FLAG_INIT;

std::array<struct sigaction, kEnding.size()> before_ending;
struct sigaction before_bus, before_too_large;

void remove_temporary() {
  if (const char* path = temporary.load()) ::unlink(path);
}

// Ends as the signal would have: whoever waits for this program sees which it was.
void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void on_ending(int signal) {
  remove_temporary();
  end_by(signal);
}

void on_bus(int signal, siginfo_t* facts, void*) {
  if (ending.test_and_set()) {  // another thread is ending the program
    while (true) ::pause();
  }
  remove_temporary();
  const auto address = reinterpret_cast<std::uintptr_t>(facts->si_addr);
  for (int i = 0; i < watched_count.load(); ++i) {
    const Watched& file = watched[static_cast<std::size_t>(i)];
    if (address < file.begin || address >= file.end) continue;
    const ssize_t ignored = ::write(STDERR_FILENO, file.message.data(), file.message.size());
    static_cast<void>(ignored);
    ::_exit(kBadUsage);
  }
  end_by(signal);  // not ours: a bug, and to be seen as one
}

bool is_ignored(const struct sigaction& action) { return action.sa_handler == SIG_IGN; }

}  // namespace

SignalGuard::SignalGuard() {
  struct sigaction action {};
  ::sigemptyset(&action.sa_mask);
  action.sa_handler = on_ending;
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    ::sigaction(kEnding[i], nullptr, &before_ending[i]);
    // nohup and shells without job control have asked for deaf ears.
    if (!is_ignored(before_ending[i])) ::sigaction(kEnding[i], &action, nullptr);
  }
  action.sa_handler = SIG_IGN;  // a file size limit becomes an error of the call that meets it
  ::sigaction(SIGXFSZ, &action, &before_too_large);
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = on_bus;
  ::sigaction(SIGBUS, &action, &before_bus);
}

SignalGuard::~SignalGuard() {
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    ::sigaction(kEnding[i], &before_ending[i], nullptr);
  }
  ::sigaction(SIGXFSZ, &before_too_large, nullptr);
  ::sigaction(SIGBUS, &before_bus, nullptr);
  temporary = nullptr;
  watched_count = 0;
}

void SignalGuard::watch(const std::string& path, const npy::Pages& pages) {
  const int index = watched_count.load();
  if (index == kMostFiles) throw Error(ErrorCode::kInternal, "too many mapped files");
  Watched& file = watched[static_cast<std::size_t>(index)];
  file.begin = reinterpret_cast<std::uintptr_t>(pages.begin());
  file.end = file.begin + pages.bytes();
  file.message = "tilewise: '" + path +
                 "': became shorter while it was in use, or its disk failed; nothing was written\n";
  watched_count = index + 1;
}

std::unique_ptr<npy::MappedOutput> SignalGuard::create(const std::string& path,
                                                       const npy::Layout& layout) {
  struct Held {
    sigset_t before;
    Held() {
      sigset_t signals;
      ::sigemptyset(&signals);
      for (const int signal : kEnding) ::sigaddset(&signals, signal);
      ::pthread_sigmask(SIG_BLOCK, &signals, &before);
    }
    ~Held() { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  } const held;
  auto output = std::make_unique<npy::MappedOutput>(path, layout);
  temporary_text = output->temporary().string();
  temporary = temporary_text.c_str();
  watch(path, output->pages());
  return output;
}

}  // namespace tilewise::cli
