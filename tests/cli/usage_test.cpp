// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command line understands, and what it says when it does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../core/temporary_folder.hpp"
#include "program.hpp"

namespace tilewise::test {
namespace {

using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Nothing on stdout, one line "tilewise: …" on stderr with every part, and the exit code.
void expect_complaint(const Words& arguments, int code, const Words& parts) {
  const Outcome outcome = run(arguments);
  std::string call;
  for (const std::string& word : arguments) call += word + ' ';
  SCOPED_TRACE("tilewise " + call);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("tilewise: ")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  for (const std::string& part : parts) {
    EXPECT_TRUE(contains(outcome.err, part)) << "'" << part << "' in: " << outcome.err;
  }
}

struct Mistake {
  Words arguments, parts;
};

class Usage : public testing::TestWithParam<Mistake> {};

TEST_P(Usage, IsRefusedInOneLine) { expect_complaint(GetParam().arguments, 2, GetParam().parts); }

INSTANTIATE_TEST_SUITE_P(
    Names, Usage,
    testing::Values(
        Mistake{{}, {"needs a subcommand", "ladder, devices, golden", "--help"}},
        Mistake{{"laddr"}, {"no subcommand 'laddr'", "did you mean 'ladder'"}},
        Mistake{{"golden"}, {"'tilewise golden' needs a subcommand", "check, capture"}},
        Mistake{{"golden", "chek", "x"}, {"'chek'", "did you mean 'check'"}},
        Mistake{{"--verson"}, {"unknown option '--verson'", "did you mean '--version'"}},
        Mistake{{"ladder", "--siz", "64"}, {"unknown option '--siz'", "did you mean '--size'"}},
        Mistake{{"ladder", "--siz=64"}, {"unknown option '--siz'", "did you mean '--size'"}},
        Mistake{{"ladder", "-x"}, {"unknown option '-x' of 'tilewise ladder'"}},
        Mistake{{"ladder", "512"}, {"takes no argument '512'"}},
        Mistake{{"ladder", "devices"}, {"'devices'"}},
        Mistake{{"devices", "--jsn", "f"}, {"unknown option '--jsn'", "did you mean '--json'"}},
        Mistake{{"golden", "check"}, {"DIR"}},
        Mistake{{"golden", "check", "a", "b"}, {"takes no argument 'b'"}},
        Mistake{{"ladder", "--rungs", "tile_2"}, {"'tile_2'", "did you mean 'tile_2d'"}},
        Mistake{{"ladder", "--rungs", "final..naive"}, {"final..naive"}},
        Mistake{{"ladder", "--gpu", "rtx3900"}, {"'rtx3900'", "did you mean 'rtx3090'"}},
        Mistake{{"devices", "--gpu", "h20"}, {"'h20'", "did you mean 'h200'"}},
        Mistake{{"ladder", "--device", "cpu", "--rungs", "loop_ordr"},
                {"'loop_ordr'", "did you mean 'loop_order'"}},
        Mistake{{"ladder", "--device", "cpu", "--rungs", "engine..simd"}, {"engine..simd"}},
        Mistake{{"ladder", "--device", "cpu", "--rungs", "naive"}, {"naive", "GPU's ladder"}},
        Mistake{{"ladder", "--rungs", "simd..engine"},
                {"simd..engine", "CPU's ladder: --device cpu"}},
        Mistake{{"ladder", "--device", "gpu"}, {"--device", "auto, cuda, virtual, cpu"}},
        Mistake{{"ladder", "--device", "virtul"}, {"--device", "did you mean 'virtual'"}},
        Mistake{{"ladder", "--color", "sometimes"}, {"--color", "auto, always, never"}}));

INSTANTIATE_TEST_SUITE_P(
    Values, Usage,
    testing::Values(Mistake{{"ladder", "--size"}, {"--size"}},
                    Mistake{{"ladder", "--size", "-3"}, {"--size", "'-3'", "whole number from 0"}},
                    Mistake{{"ladder", "--size", "12x"}, {"--size", "'12x'"}},
                    Mistake{{"ladder", "--size", "1e3"}, {"--size", "'1e3'"}},
                    Mistake{{"ladder", "--size", ""}, {"--size", "''"}},
                    Mistake{{"ladder", "--size", "99999999999999999999"},
                            {"--size", "99999999999999999999"}},
                    Mistake{{"ladder", "--repeat", "0"}, {"--repeat", "whole number from 1"}},
                    Mistake{{"ladder", "--repeat", "3000000000"}, {"--repeat", "3000000000"}},
                    Mistake{{"ladder", "--rest", "0"}, {"--rest", "whole number from 1"}},
                    Mistake{{"ladder", "--rest", "10001"}, {"--rest", "10000", "10001"}},
                    Mistake{{"ladder", "--seed", "-1"}, {"--seed", "'-1'"}},
                    Mistake{{"ladder", "--alpha", "nan"}, {"--alpha", "finite", "'nan'"}},
                    Mistake{{"ladder", "--beta", "inf"}, {"--beta", "finite", "'inf'"}},
                    Mistake{{"ladder", "--beta", "two"}, {"--beta", "'two'"}},
                    Mistake{{"ladder", "--rungs", ""}, {"--rungs", "a name, got ''"}},
                    Mistake{{"devices", "--gpu", "--json"}, {"--gpu", "a name", "'--json'"}},
                    Mistake{{"ladder", "--json", "--csv"}, {"--json", "file name", "'--csv'"}},
                    Mistake{{"ladder", "--size", "4", "--size", "5"}, {"--size"}}));

INSTANTIATE_TEST_SUITE_P(
    Combinations, Usage,
    testing::Values(
        Mistake{{"ladder", "--size", "8", "--m", "9"}, {"either --size or --m, --n and --k"}},
        Mistake{{"ladder", "--m", "8"}, {"go together", "--n is missing"}},
        Mistake{{"ladder", "--n", "8", "--k", "8"}, {"--m is missing"}},
        Mistake{{"ladder", "--a", "A.npy"}, {"--a needs --b"}},
        Mistake{{"ladder", "--b", "B.npy"}, {"--b needs --a"}},
        Mistake{{"ladder", "--a", "A.npy", "--b", "B.npy", "--size", "8"}, {"--size", "files"}},
        Mistake{{"ladder", "--a", "A.npy", "--b", "B.npy", "--m", "8", "--n", "8", "--k", "8"},
                {"--m, --n, --k", "files"}},
        Mistake{{"ladder", "--device", "cuda", "--gpu", "h200"}, {"--gpu h200", "--device cuda"}},
        Mistake{{"ladder", "--device", "cpu", "--gpu", "h200"}, {"--gpu h200", "--device cpu"}},
        Mistake{{"ladder", "--device", "cpu", "--counters"}, {"--counters", "--device cpu"}},
        Mistake{{"ladder", "--device", "virtual", "--counters"}, {"--counters", "virtual"}},
        Mistake{{"ladder", "--gpu", "a100", "--repeat", "3"}, {"--repeat", "virtual"}},
        Mistake{{"ladder", "--gpu", "a100", "--rest", "3"}, {"--rest", "virtual"}},
        Mistake{{"ladder", "--device", "cpu", "--rest", "3"}, {"--rest", "--device cpu"}}));

// Sizes that no machine can hold are refused before anything is allocated.
INSTANTIATE_TEST_SUITE_P(
    Sizes, Usage,
    testing::Values(Mistake{{"ladder", "--device", "virtual", "--size", "9223372036854775807"}, {}},
                    Mistake{{"ladder", "--device", "cpu", "--size", "9223372036854775807"}, {}},
                    Mistake{{"ladder", "--device", "cpu", "--size", "2000000"}, {"memory"}},
                    Mistake{{"ladder", "--device", "virtual", "--size", "2000000"}, {}},
                    Mistake{{"ladder", "--device", "virtual", "--m", "4294967296", "--n",
                             "4294967296", "--k", "1"},
                            {}}));

TEST(Help, EverySubcommandExplainsItselfWithExamples) {
  for (const Words& command : {Words{}, Words{"ladder"}, Words{"devices"}, Words{"golden"},
                               Words{"golden", "check"}, Words{"golden", "capture"}}) {
    Words arguments = command;
    arguments.push_back("--help");
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_TRUE(contains(outcome.out, "Example")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "tilewise " + (command.empty() ? "" : command[0])));
    EXPECT_FALSE(contains(outcome.out, "launch-once")) << "hidden options stay hidden";
    EXPECT_FALSE(contains(outcome.out, "probe")) << "hidden subcommands stay hidden";
  }
}

TEST(Help, NamesEveryOptionOfTheLadder) {
  const std::string help = run({"ladder", "--help"}).out;
  for (const char* option :
       {"--device", "--gpu",   "--size", "--m",      "--n",      "--k",        "--a",
        "--b",      "--alpha", "--beta", "--rungs",  "--repeat", "--rest",     "--seed",
        "--json",   "--csv",   "--html", "--save-c", "--color",  "--counters", "--help"}) {
    EXPECT_TRUE(contains(help, option)) << option;
  }
}

TEST(Help, Version) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.starts_with("tilewise 0.")) << outcome.out;
}

TEST(NoDevice, IsExitCode3) {
  if (has_cuda_device()) GTEST_SKIP() << "this machine has a CUDA device";
  const TemporaryFolder folder;
  expect_complaint({"ladder", "--device", "cuda"}, 3, {"CUDA"});
  expect_complaint({"ladder", "--counters"}, 3, {"--counters needs a CUDA device"});
  expect_complaint({"ladder", "--repeat", "3"}, 3, {"--repeat needs a CUDA device"});
  expect_complaint({"ladder", "--rest", "3"}, 3, {"--rest needs a CUDA device"});
  expect_complaint({"golden", "capture", (folder / "new").string()}, 3,
                   {"golden capture needs a CUDA device"});
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Output, AFullDiskIsNoticed) {
  const Outcome outcome = run_into("/dev/full", {"devices"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "tilewise: cannot write to standard output")) << outcome.err;
}

}  // namespace
}  // namespace tilewise::test
