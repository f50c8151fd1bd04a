// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The other end of a WorkerLink: this program started again, with one library in it, so that libraries
// share neither threads, nor symbols, nor memory. It obeys lines of text and answers each with one line,
// "ok …" or "failed …":
//
//   hello                          -> ok FILE\tVERSION
//   load DTYPE TA TB M N K BATCH SEED
//                                  -> ok PATH           operands made; "unsupported" without such a product
//   check SEED                     -> ok ERROR VERIFIED WORDS        one product or batch on a poisoned C, checked
//   time CALLS WARM                -> ok SECONDS SHARE  CALLS products or batches, after WARM that are not timed
//   peak SET DTYPE SECONDS         -> ok FLOP/s SHARE   what the cores can do at most
//
// SHARE is the part of the time that the program had the core, or for several threads 1 less the part that
// they waited for one: less than 1 says that someone else ran there meanwhile.
#pragma once

#include <string>
#include <vector>

namespace tilewise::bench {

/// The socket that a worker finds open: its end of the link.
constexpr int kWorkerSocket = 3;

struct WorkerOptions {
  std::vector<std::string> libraries;  ///< of the peer; empty: this library
  int threads = 1;
  int socket = kWorkerSocket;
};

/// Serves until the other end closes. Errors of single requests are answers.
void serve_gemm(const WorkerOptions& options);

}  // namespace tilewise::bench
