// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A worker that computes in a separate program, seen from the one that asks it (gemm_worker.hpp).
#pragma once

#include <sys/types.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tilewise::bench {

/// Why a worker is of no use any more, in words.
struct WorkerFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct WorkerCommand {
  std::vector<std::string> words;  ///< the program and its arguments
  /// Variables set on top of this program's environment.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<int> cores;  ///< the only ones it may run on; empty: any
};

/// Starts the program with a socket as kWorkerSocket, asks it, and kills it at the end. Between questions
/// it is stopped, so that its threads cannot disturb what runs then.
class WorkerLink {
 public:
  /// Throws Error{kExecution} when no program can be started.
  explicit WorkerLink(const WorkerCommand& command);
  ~WorkerLink();
  WorkerLink(const WorkerLink&) = delete;
  WorkerLink& operator=(const WorkerLink&) = delete;

  /// What stands behind "ok " in the answer to `request`. Throws WorkerFailure when the answer is another,
  /// when the program has ended, and when nothing comes within `seconds`: then it is killed.
  std::string ask(const std::string& request, double seconds);

  /// Whether it still runs.
  bool alive() const { return child_ > 0; }

 private:
  void send(const std::string& line);
  std::string receive(double seconds);
  [[noreturn]] void fail_ended();
  std::string last_words() const;
  int end();

  pid_t child_ = -1;
  int socket_ = -1;
  int log_ = -1;  ///< what it printed
};

}  // namespace tilewise::bench
