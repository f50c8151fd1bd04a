// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/worker_link.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>

#include "bench/gemm_worker.hpp"
#include "tilewise/error.hpp"

extern char** environ;

namespace tilewise::bench {
namespace {

[[noreturn]] void fail_to_start(const char* call) {
  throw Error(ErrorCode::kExecution, fmt::format("a worker cannot be started: {}: {}", call,
                                                 std::generic_category().message(errno)));
}

// This program's environment, with `changes`.
std::vector<std::string> changed_environment(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> result;
  for (const auto& [name, value] : changes) result.push_back(name + "=" + value);
  for (char** each = environ; *each; ++each) {
    const std::string_view entry = *each;
    const std::string_view name = entry.substr(0, entry.find('='));
    const bool changed =
        std::ranges::any_of(changes, [&](const auto& c) { return c.first == name; });
    if (!changed) result.emplace_back(entry);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

/// Everything the child needs, made before the fork: after it, only system calls.
struct Launch {
  std::vector<std::string> words, environment;
  std::vector<char*> word_pointers, environment_pointers;
  cpu_set_t cores;
  bool pinned;
  pid_t parent;

  explicit Launch(const WorkerCommand& command)
      : words(command.words),
        environment(changed_environment(command.environment)),
        word_pointers(pointers(words)),
        environment_pointers(pointers(environment)),
        pinned(!command.cores.empty()),
        parent(::getpid()) {
    CPU_ZERO(&cores);
    for (const int core : command.cores) CPU_SET(static_cast<std::size_t>(core), &cores);
  }

  [[noreturn]] void become(int socket, int log) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // it may be stopped, and would stay so
    ::setpgid(0, 0);                     // Ctrl-C is for the parent, which ends in order
    if (::getppid() != parent) ::_exit(126);
    if (pinned && ::sched_setaffinity(0, sizeof cores, &cores) != 0) ::_exit(125);
    const int nothing = ::open("/dev/null", O_RDONLY);
    // Above kWorkerSocket first: the numbers that dup2() fills may be in use by the others.
    const int high_socket = ::fcntl(socket, F_DUPFD, 10), high_log = ::fcntl(log, F_DUPFD, 10);
    if (::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(high_log, STDOUT_FILENO) < 0 ||
        ::dup2(high_log, STDERR_FILENO) < 0 || ::dup2(high_socket, kWorkerSocket) < 0) {
      ::_exit(126);
    }
    for (const int descriptor : {nothing, high_socket, high_log}) {
      if (descriptor > kWorkerSocket) ::close(descriptor);
    }
    ::execve(word_pointers[0], word_pointers.data(), environment_pointers.data());
    ::_exit(127);
  }
};

std::string status_text(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

WorkerLink::WorkerLink(const WorkerCommand& command) {
  Launch launch(command);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail_to_start("socketpair");
  }
  socket_ = ends[0];
  log_ = ::memfd_create("worker output", MFD_CLOEXEC);
  child_ = ::fork();
  if (child_ == 0) launch.become(ends[1], log_);
  ::close(ends[1]);
  if (child_ < 0) {
    ::close(socket_);
    ::close(log_);
    fail_to_start("fork");
  }
}

WorkerLink::~WorkerLink() {
  end();
  ::close(socket_);
  ::close(log_);
}

std::string WorkerLink::ask(const std::string& request, double seconds) {
  if (!alive()) throw WorkerFailure("has ended");
  ::kill(child_, SIGCONT);
  send(request + "\n");
  const std::string reply = receive(seconds);
  ::kill(child_, SIGSTOP);
  if (reply.starts_with("ok ")) return reply.substr(3);
  throw WorkerFailure(reply.starts_with("failed ") ? reply.substr(7) : "answered nonsense");
}

void WorkerLink::send(const std::string& line) {
  // Requests are shorter than any socket's buffer.
  if (::send(socket_, line.data(), line.size(), MSG_NOSIGNAL) < 0) fail_ended();
}

std::string WorkerLink::receive(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  std::string reply;
  while (true) {
    const double left = std::chrono::duration<double>(deadline - Clock::now()).count();
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::clamp(left * 1e3, 0.0, 1e9)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      end();
      throw WorkerFailure(fmt::format("did not answer within {:.0f} s", seconds));
    }
    std::array<char, 4096> buffer;
    const ssize_t count = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail_ended();
    reply.append(buffer.data(), static_cast<std::size_t>(count));
    if (reply.back() == '\n') break;
  }
  reply.pop_back();
  return reply;
}

// The socket is closed, so the program has ended or is about to.
void WorkerLink::fail_ended() {
  int status = 0;
  bool ended = false;
  for (int i = 0; i < 100 && !ended; ++i) {
    ended = ::waitpid(child_, &status, WNOHANG) == child_;
    if (!ended) ::usleep(10'000);
  }
  if (!ended) status = end();  // closed its socket, but lived on
  child_ = -1;
  std::string words = status_text(status);
  if (const std::string last = last_words(); !last.empty()) words += ": " + last;
  throw WorkerFailure(words);
}

// The last line that it printed.
std::string WorkerLink::last_words() const {
  std::array<char, 400> buffer;
  const off_t size = ::lseek(log_, 0, SEEK_END);
  const off_t begin = std::max<off_t>(0, size - static_cast<off_t>(buffer.size()));
  const ssize_t count = ::pread(log_, buffer.data(), buffer.size(), begin);
  std::string text(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(0, count)));
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.pop_back();
  const std::size_t line_end = text.rfind('\n');
  return line_end == std::string::npos ? text : text.substr(line_end + 1);
}

// Kills it where it still runs; returns its status.
int WorkerLink::end() {
  int status = 0;
  if (child_ <= 0) return status;
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return status;
}

}  // namespace tilewise::bench
