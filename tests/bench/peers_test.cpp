// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/peers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "../core/expect_error.hpp"
#include "../core/temporary_folder.hpp"

namespace tilewise::bench {
namespace {

TEST(Peers, NamesPathsAndBoth) {
  const test::TemporaryFolder folder;
  const std::string file = folder.with("libown_blas.so.3", "").string();
  const std::vector<Peer> peers = parse_peers("blis," + file + ",second=" + file);
  ASSERT_EQ(peers.size(), 3u);
  EXPECT_EQ(peers[0].name, "blis");
  EXPECT_EQ(peers[0].libraries.front(), "libblis.so.4");
  EXPECT_EQ(peers[1].name, "own_blas");
  EXPECT_EQ(peers[1].libraries, std::vector<std::string>{file});
  EXPECT_EQ(peers[2].name, "second");
  for (const Peer& peer : peers) EXPECT_TRUE(peer.asked_for);
  for (const Peer& peer : known_peers()) EXPECT_FALSE(peer.asked_for);
  EXPECT_TRUE(parse_peers("none").empty());
}

TEST(Peers, MistakesAreNamed) {
  const test::TemporaryFolder folder;
  const std::string file = folder.with("libx.so", "").string();
  const auto refuse = [](const std::string& list, const std::vector<std::string>& parts) {
    test::expect_error(ErrorCode::kInvalidArgument, parts, [&] { parse_peers(list); });
  };
  refuse("openblass", {"--peer", "'openblass'", "did you mean 'openblas'"});
  refuse("blis,,onednn", {"''"});
  refuse("", {"''"});
  refuse("blis,blis", {"'blis' is taken"});
  refuse("best=" + file, {"'best' is taken"});
  refuse("tilewise=" + file, {"'tilewise' is taken"});
  refuse("a b=" + file, {"'a b'"});
  refuse("=" + file, {"''", "NAME=PATH"});
  refuse("/nowhere/libx.so", {"'/nowhere/libx.so' is not a file"});
  refuse("x=/nowhere/libx.so", {"'/nowhere/libx.so' is not a file"});
}

TEST(Peers, EveryLibraryIsToldTheThreads) {
  const auto variables = thread_environment(3);
  for (const char* name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "BLIS_NUM_THREADS",
                           "MKL_NUM_THREADS", "TILEWISE_NUM_THREADS"}) {
    EXPECT_NE(std::ranges::find(variables, std::pair<std::string, std::string>(name, "3")),
              variables.end())
        << name;
  }
}

}  // namespace
}  // namespace tilewise::bench
