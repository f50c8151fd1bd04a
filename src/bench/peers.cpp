// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/peers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "core/suggest.hpp"
#include "tilewise/error.hpp"

namespace tilewise::bench {
namespace {

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, "--peer: " + message);
}

// "/usr/lib/libfast_blas.so.3" -> "fast_blas"
std::string name_of_file(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  name.resize(std::min(name.size(), name.find(".so")));
  return name.starts_with("lib") ? name.substr(3) : name;
}

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= 24 && std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
  });
}

Peer peer_of_path(const std::string& name, const std::string& path) {
  if (!is_name(name)) {
    fail(
        fmt::format("expected a name of 1 to 24 letters, digits, '_', '-' or '.', got '{}' (give "
                    "NAME=PATH)",
                    name));
  }
  if (!std::filesystem::is_regular_file(path)) fail(fmt::format("'{}' is not a file", path));
  return {name, {std::filesystem::absolute(path).string()}, true};
}

Peer parse_peer(const std::string& word) {
  std::vector<std::string> names;
  for (Peer& peer : known_peers()) {
    if (peer.name == word) {
      peer.asked_for = true;
      return peer;
    }
    names.push_back(peer.name);
  }
  const std::size_t equals = word.find('=');
  if (equals != std::string::npos) {
    return peer_of_path(word.substr(0, equals), word.substr(equals + 1));
  }
  if (word.find('/') != std::string::npos) return peer_of_path(name_of_file(word), word);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  fail(fmt::format("expected {}, none, the path of a shared library or NAME=PATH, got '{}'{}",
                   fmt::join(names, ", "), word, did_you_mean(word, candidates)));
}

}  // namespace

std::vector<Peer> known_peers() {
  return {{"openblas", {"libopenblas.so.0", "libopenblas.so"}},
          {"blis", {"libblis.so.4", "libblis.so.3", "libblis.so", "libblis-mt.so"}},
          {"onednn", {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"}},
          {"mkl", {"libmkl_rt.so.2", "libmkl_rt.so.1", "libmkl_rt.so"}}};
}

std::vector<Peer> parse_peers(const std::string& list) {
  std::vector<Peer> peers;
  if (list == "none") return peers;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    Peer peer = parse_peer(list.substr(begin, end - begin));
    if (peer.name == "tilewise" || peer.name == "best" ||
        std::ranges::any_of(peers, [&](const Peer& other) { return other.name == peer.name; })) {
      fail(fmt::format("the name '{}' is taken; give NAME=PATH", peer.name));
    }
    peers.push_back(std::move(peer));
    begin = end + 1;
  }
  return peers;
}

std::vector<std::pair<std::string, std::string>> thread_environment(int threads) {
  const std::string count = std::to_string(threads);
  std::vector<std::pair<std::string, std::string>> variables;
  for (const char* name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "BLIS_NUM_THREADS",
                           "MKL_NUM_THREADS", "TILEWISE_NUM_THREADS"}) {
    variables.emplace_back(name, count);
  }
  variables.emplace_back("OMP_DYNAMIC", "false");
  variables.emplace_back("MKL_DYNAMIC", "FALSE");
  // MKL's own thread library may be missing; one thread needs none, GNU's is everywhere.
  if (!std::getenv("MKL_THREADING_LAYER")) {
    variables.emplace_back("MKL_THREADING_LAYER", threads == 1 ? "SEQUENTIAL" : "GNU");
  }
  return variables;
}

}  // namespace tilewise::bench
