// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The peers that the program knows by name, and the environment that a worker starts with.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tilewise::bench {

struct Peer {
  std::string name;                    ///< "openblas"; the key of its figures
  std::vector<std::string> libraries;  ///< names or paths, the first that can be opened is it
  bool asked_for = false;              ///< by the user: then it is an error that it is not there
};

/// openblas, blis, onednn, mkl.
std::vector<Peer> known_peers();

/// The peers of a comma-separated list: names of known_peers(), paths of shared libraries (named after
/// the file), or NAME=PATH. "none": none. Throws Error{kInvalidArgument}.
std::vector<Peer> parse_peers(const std::string& list);

/// Variables that tell every library how many threads to use.
std::vector<std::pair<std::string, std::string>> thread_environment(int threads);

}  // namespace tilewise::bench
