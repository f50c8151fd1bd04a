// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The mangled names are what nvcc 13.0 wrote for the kernels beside them.
#include "compile/kernel_names.hpp"

#include <gtest/gtest.h>

namespace tilewise::compile {
namespace {

using Names = std::vector<std::string>;

// gemm<float, 128, true>(int, float*), gemm<float, 64, true>, gemm_wide, nn::k2<float>(float, float const*),
// (anonymous namespace)::anon(float*), k3<E::B, 3u, 4l, 'a'>, extern "C" plain.
const std::string kGemm128 = "_Z4gemmIfLi128ELb1EEviPT_", kGemm64 = "_Z4gemmIfLi64ELb1EEviPT_",
                  kWide = "_Z9gemm_widePf", kSpaced = "_ZN2nn2k2IfEEvT_PKS1_",
                  kAnonymous = "_ZN31_GLOBAL__N__5bf67ff5_5_k1_cu_ec4anonEPf",
                  kEnum = "_Z2k3IL1E1ELj3ELl4ELc97EEvPi", kPlain = "plain";
const Names kAll{kGemm128, kGemm64, kWide, kSpaced, kAnonymous, kEnum, kPlain};

TEST(KernelNames, EntriesArePickedOutOfPtx) {
  const std::string ptx =
      ".visible .entry one(\n.param .u64 p)\n;\n// .entry not_this(\n.visible .entry one(\n"
      ".param .u64 p)\n{ ret; }\n.entry _Z3twoPf ( )\n{ ret; }\n.weak .entry three()\n"
      ".func entry_like() { ret; }\n";
  EXPECT_EQ(kernels_of(ptx), (Names{"one", "_Z3twoPf", "three"}));
  EXPECT_TRUE(kernels_of("").empty());
  EXPECT_TRUE(kernels_of(".entry").empty());
}

TEST(KernelNames, SignaturesAreTakenOff) {
  EXPECT_EQ(without_signature("void gemm<128, 8>(float*, int)"), "gemm<128, 8>");
  EXPECT_EQ(without_signature("void nn::k2<float>(float, float const*)"), "nn::k2<float>");
  EXPECT_EQ(without_signature("(anonymous namespace)::anon(float*)"), "anon");
  EXPECT_EQ(without_signature("void k3<(E)1, 3u, 4l, (char)97>(int*)"),
            "k3<(E)1, 3u, 4l, (char)97>");
  EXPECT_EQ(without_signature("plain"), "plain");
}

TEST(KernelNames, SpellingsOfOneNameAreEqual) {
  const std::string one = canonical("gemm<128, 8>");
  EXPECT_EQ(canonical("gemm<128,8>"), one);
  EXPECT_EQ(canonical(" gemm < (int)128 , 8u > "), one);
  EXPECT_EQ(canonical("gemm<0x80, (unsigned int)8>"), one);
  EXPECT_NE(canonical("gemm<128, 16>"), one);
  EXPECT_EQ(canonical("k<true, 'a'>"), canonical("k<1, (char)97>"));
  EXPECT_EQ(canonical("k<half, uint8_t, const float*>"),
            canonical("k<__half, unsigned char, float const*>"));
  EXPECT_EQ(canonical("k<unsigned>"), canonical("k<unsigned int>"));
  EXPECT_EQ(canonical("k<std::uint32_t>"), canonical("k<unsigned int>"));
  EXPECT_NE(canonical("k<unsigned char>"), canonical("k<char>"));
  EXPECT_EQ(canonical(""), "");
  EXPECT_EQ(canonical("k<("), "k<(");
}

TEST(KernelNames, NamesAreMatchedBestRuleFirst) {
  EXPECT_EQ(matches(kAll, kGemm64), Names{kGemm64});
  EXPECT_EQ(matches(kAll, "gemm<float, 128>"), Names{}) << "not the beginning of an argument list";
  EXPECT_EQ(matches(kAll, "gemm<float, 128"), Names{kGemm128});
  EXPECT_EQ(matches(kAll, "gemm<float, 128, true>"), Names{kGemm128});
  EXPECT_EQ(matches(kAll, "void gemm<float, 64, true>(int, float*)"), Names{kGemm64});
  EXPECT_EQ(matches(kAll, "gemm_wide"), Names{kWide});
  EXPECT_EQ(matches(kAll, "gemm"), (Names{kGemm128, kGemm64})) << "not gemm_wide";
  EXPECT_EQ(matches(kAll, "gem"), (Names{kGemm128, kGemm64, kWide}));
  EXPECT_EQ(matches(kAll, "nn::k2<float>"), Names{kSpaced});
  EXPECT_EQ(matches(kAll, "k2"), Names{kSpaced});
  EXPECT_EQ(matches(kAll, "anon"), Names{kAnonymous});
  EXPECT_EQ(matches(kAll, "k3<(E)1, 3, 4, 97>"), Names{kEnum});
  EXPECT_EQ(matches(kAll, "plain"), Names{kPlain});
  EXPECT_EQ(matches(kAll, "nothing"), Names{});
  EXPECT_EQ(matches(kAll, ""), Names{});
}

TEST(KernelNames, LongListingsAreCut) {
  EXPECT_EQ(listing({kGemm64, kPlain}), "gemm<float, 64, true>, plain");
  EXPECT_EQ(listing({}), "no kernel at all");
  EXPECT_TRUE(listing(Names(20, kPlain)).ends_with("plain and 8 more"));
}

}  // namespace
}  // namespace tilewise::compile
