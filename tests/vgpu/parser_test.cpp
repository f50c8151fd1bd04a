// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Malformed and unsupported PTX: every message names file, line and text.
#include "core/file.hpp"
#include "run_ptx.hpp"

namespace tilewise::vgpu {
namespace {

std::string load_failure(ErrorCode code, const std::string& body) {
  return message_of(code, [&] { const Module module(kPtxHead + body, "bad.ptx"); });
}
std::string entry(const std::string& body) {
  return ".visible .entry test(.param .u64 p)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred "
         "%p<2>; .reg .f32 %f<4>;\n" +
         body + "\nret;\n}\n";
}

struct Case {
  const char* name;
  const char* body;
  const char* part;
};

class Malformed : public testing::TestWithParam<Case> {};
TEST_P(Malformed, IsRefusedWithFileLineAndText) {
  const std::string m = load_failure(ErrorCode::kInvalidInput, entry(GetParam().body));
  EXPECT_CONTAINS(m, "bad.ptx:7: ");
  EXPECT_CONTAINS(m, GetParam().part);
}
INSTANTIATE_TEST_SUITE_P(
    Ptx, Malformed,
    testing::Values(
        Case{"no_semicolon", "add.u32 %r1, %r2, %r3\nmov.u32 %r1, %r2;", "expected ';'"},
        Case{"unknown_register", "add.u32 %r1, %r2, %r9;", "unknown register %r9"},
        Case{"unknown_label", "bra NOWHERE;", "unknown label NOWHERE"},
        Case{"wrong_width", "add.u32 %r1, %r2, %rd1;",
             "a register of type .b64 cannot be read as .u32"},
        Case{"unknown_special", "mov.u32 %r1, %smidd;", "unknown register %smidd"},
        Case{"not_a_predicate", "@%r1 bra X;\nX:", "expected a predicate"},
        Case{"too_few_operands", "add.u32 %r1, %r2;", "expected 3 operands, found 2"},
        Case{"no_type", "add %r1, %r2, %r3;", "needs a type"},
        Case{"bad_float", "mov.f32 %f1, 0f12;", "8 hexadecimal digits"},
        Case{"bad_character", "add.u32 %r1, %r2, #3;", "unexpected character '#'"},
        Case{"odd_alignment", ".shared .align 24 .b8 tile[32];",
             "an alignment of 24 is no power of two"},
        Case{"absurd_alignment", ".shared .align 2097152 .b8 tile[32];",
             "an alignment of 2097152 is more than 1048576"},
        Case{"unknown_variable", "mov.u64 %rd1, nothing;", "unknown name nothing"},
        Case{"register_twice", ".reg .b32 %r1;", "%r1 is defined twice"},
        Case{"variable_of_no_size", ".shared .b8 tile[0];", "tile has no size"},
        Case{"other_space", ".shared .b8 tile[4]; ld.global.u32 %r1, [tile];",
             "tile lies in another state space"},
        Case{"special_in_add", "add.u32 %r1, %r2, %tid.x;", "for mov and integer cvt"},
        Case{"before_the_parameters", "ld.param.u32 %r1, [p-4];",
             "the access lies outside the parameters"},
        Case{"narrow_address", "cvta.global.u64 %rd1, %r1;",
             "a register of type .b32 cannot be read as .u64"},
        Case{"seventeenth_barrier", "bar.sync 16;", "numbered from 0 to 15"},
        Case{"part_of_a_warp", "bar.sync 1, 40;", "a multiple of 32"},
        Case{"branch_to_a_list", "X: T: .branchtargets X; bra T;", "T is not a place in the code"},
        Case{"branch_to_a_prototype", "P: .callprototype _ (.param .b32 _); bra P;",
             "P is not a place in the code"},
        Case{"list_of_itself", "X: T: .branchtargets X, T; brx.idx %r1, T;",
             "T is not a place in the code"},
        Case{"global_in_a_function", ".global .u32 x;",
             "variables in .global inside of a function are not supported"},
        Case{"initial_value", ".shared .u32 x = 1;", "x can have no initial value"}),
    [](const auto& test) { return std::string(test.param.name); });

// What the virtual GPU could run but PTX does not have: ptxas for sm_90a refuses each of these.
INSTANTIATE_TEST_SUITE_P(
    Forms, Malformed,
    testing::Values(
        Case{"two_scopes", "fence.acq_rel.gpu.cta;", "fence.acq_rel.gpu.cta is no combination"},
        Case{"two_caches", "ld.global.ca.cg.u32 %r1, [%rd1];", "is no combination that exists"},
        Case{"no_scope", "ld.acquire.global.u32 %r1, [%rd1];", "is no combination that exists"},
        Case{"policy_of_nothing", "createpolicy.fractional.b64 %rd1;",
             "createpolicy.fractional.b64 is no combination"},
        Case{"policy_of_a_type", "createpolicy.fractional.L2::evict_last.u32 %rd1;",
             "is no combination that exists"},
        Case{"policy_of_too_much",
             "createpolicy.fractional.L2::evict_last.b64 %rd1, 0f3F800000, %r1;",
             "3 operands are not what it takes"},
        Case{"prefetch_of_a_type", "prefetch.global.L1.u32 [%rd1];", "is no combination"},
        Case{"float_in_integers", "add.s32 %f1, %f2, %f3;",
             "operand 1 is a register of type .f32 where .s32 is expected"},
        Case{"integer_among_floats", "add.f32 %f1, %f2, 1;", "operand 3 is not a constant"},
        Case{"float_constant", "add.u32 %r1, %r2, 1.5;", "operand 3 is not a whole number"},
        Case{"float_address", "ld.shared.u32 %r1, [%f1];", "an address in a register of type .f32"},
        Case{"variable_in_add", ".shared .b8 tile[4]; add.u32 %r1, %r2, tile;",
             "operand 3 is not a register or a constant"},
        Case{"thrown_away", "ld.global.u32 _, [%rd1];", "operand 1 is not a register"},
        Case{"negated", "add.u32 %r1, %r2, !%r3;", "a ! that only predicates can have"},
        Case{"comma_for_bar", "setp.eq.u32 %p0, %p1, %r1, %r2;", "operand 2"},
        Case{"hint_without_policy", "ld.global.L2::cache_hint.u32 %r1, [%rd1];", "operands"},
        Case{"half_registers", "shl.b32 %r1, %r2, %rd1;", "cannot be read as .b32"},
        Case{"not_in_a_list", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r1, [%r2];",
             "operand 1 is not a list"}),
    [](const auto& test) { return std::string(test.param.name); });

class Unsupported : public testing::TestWithParam<Case> {};
TEST_P(Unsupported, IsRefusedWithFileLineAndText) {
  const std::string m = load_failure(ErrorCode::kUnsupported, entry(GetParam().body));
  EXPECT_CONTAINS(m, "bad.ptx:7: the virtual GPU does not support ");
  EXPECT_CONTAINS(m, GetParam().part);
  EXPECT_CONTAINS(m, std::string("`") + GetParam().body);
}
INSTANTIATE_TEST_SUITE_P(
    Ptx, Unsupported,
    testing::Values(Case{"instruction", "tex.1d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f1}];",
                         "the instruction tex (it runs bar, barrier,"},
                    Case{"atomic_type", "red.global.max.f32 [%rd1], %f1;",
                         "this operation on .f32"},
                    Case{"modifier", "add.wild.u32 %r1, %r2, %r3;", "the modifier .wild"},
                    Case{"special_register", "mov.u32 %r1, %current_graph_exec;",
                         "the register %current_graph_exec"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Parser, UnclosedThings) {
  EXPECT_CONTAINS(load_failure(ErrorCode::kInvalidInput, "/* never closed"), "never closed");
  EXPECT_CONTAINS(load_failure(ErrorCode::kInvalidInput, ".visible .entry test()\n{\n"),
                  "the file ends");
  EXPECT_CONTAINS(load_failure(ErrorCode::kInvalidInput, "nonsense"), "expected a directive");
}

TEST(Parser, RecursionIsRefused) {
  const std::string m = load_failure(ErrorCode::kUnsupported,
                                     ".func f()\n;\n.func f()\n{\ncall f;\nret;\n}\n.visible "
                                     ".entry test()\n{\ncall f;\nret;\n}\n");
  EXPECT_CONTAINS(m, "recursion (of f)");
}

// Whoever prints reads eight bytes of each parameter.
TEST(Parser, ParametersOfPrintAreLongEnough) {
  const std::string text =
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b)\n;\n" +
      entry("{ .param .b64 x; .param .b32 y; .param .b32 z; call (y), vprintf, (x, z); }");
  EXPECT_CONTAINS(load_failure(ErrorCode::kInvalidInput, text), "a .param variable is too short");
}

TEST(Parser, InitialValuesAreOfVariablesThatCanHaveThem) {
  const auto fails = [](const std::string& text) {
    return load_failure(ErrorCode::kInvalidInput, ".global .u64 y;\n" + text + "\n");
  };
  EXPECT_CONTAINS(fails(".shared .u64 x = y;"), "bad.ptx:5: x can have no initial value");
  EXPECT_CONTAINS(fails(".extern .global .u64 x = y;"), "bad.ptx:5: x can have no initial value");
  EXPECT_CONTAINS(fails(".global .pred x = 1;"), "bad.ptx:5: a predicate has no initial value");
  EXPECT_CONTAINS(fails(".global .b128 x = 1.0;"), "bad.ptx:5: no float has so many bits");
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// Each of these texts would otherwise take all of the stack.
TEST(Parser, WhatIsNestedTooDeeplyIsRefused) {
  constexpr int kLevels = 200000;
  const auto constant = [](const std::string& value) {
    return load_failure(ErrorCode::kInvalidInput, entry("mov.u32 %r1, " + value + ";"));
  };
  EXPECT_CONTAINS(constant(repeated("1?", kLevels) + "1" + repeated(":1", kLevels)),
                  "nested too deeply");
  EXPECT_CONTAINS(constant(repeated("1?1:", kLevels) + "1"), "nested too deeply");
  std::string functions = ".func f0()\n{\nret;\n}\n";
  constexpr int kFunctions = 5000;
  for (int i = 1; i < kFunctions; ++i) {
    const std::string callee = std::to_string(i - 1);
    functions += ".func f" + std::to_string(i) + "()\n{\ncall f" + callee + ";\nret;\n}\n";
  }
  const std::string call = "call f" + std::to_string(kFunctions - 1) + ";";
  EXPECT_CONTAINS(load_failure(ErrorCode::kInvalidInput, functions + entry(call)),
                  "calls are nested too deeply");
}

// A few words declare many registers, and each has a name.
TEST(Parser, RegistersOfAFileAreLimited) {
  std::string functions;
  for (const char* const name : {"f", "g", "h"}) {
    functions += std::string(".func ") + name + "()\n{\n.reg .b32 %x<400000>;\nret;\n}\n";
  }
  EXPECT_CONTAINS(load_failure(ErrorCode::kInvalidInput, functions),
                  "the file has too many registers");
}

// Cutting the text anywhere gives an error or a module, never a crash.
TEST(Parser, EveryTruncationOfARealKernelIsHandled) {
  const std::string text = read_file(TILEWISE_TESTS_DIR "/vgpu/cubins/accesses.sm_90a.ptx");
  ASSERT_GT(text.size(), 1000u);
  for (std::size_t length = 0; length < text.size(); length += 97) {
    try {
      const Module module(text.substr(0, length), "cut.ptx");
    } catch (const Error& error) {
      EXPECT_CONTAINS(error.what(), "cut.ptx:");
    }
  }
}

TEST(Parser, OtherMajorVersionsAreRefused) {
  const auto load = [](const std::string& version) {
    const Module module(".version " + version + "\n.target sm_90\n.address_size 64\n", "v.ptx");
  };
  for (const char* version : {"99.0", "10.0", "1.4", "9", "x.1"}) {
    EXPECT_CONTAINS(
        message_of(ErrorCode::kInvalidInput, [&] { load(version); }),
        std::string("v.ptx:1: PTX ISA version '") + (version[0] == 'x' ? "x" : version));
  }
  for (const char* version : {"3.2", "7.0", "8.7", "9.0", "9.3"}) EXPECT_NO_THROW(load(version));
}

}  // namespace
}  // namespace tilewise::vgpu
