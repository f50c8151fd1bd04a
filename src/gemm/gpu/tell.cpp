// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/tell.hpp"

#include "core/phrase.hpp"

namespace tilewise::gpu {
namespace {

std::string_view origin(ChosenBy by) {
  switch (by) {
    case ChosenBy::kPlanner: return "by the planner";
    case ChosenBy::kTuning: return "tuned";
    case ChosenBy::kWish: return "as TILEWISE_PLAN asks";
  }
  return "";
}

}  // namespace

std::string line_of(const Problem& problem, const Choice& choice) {
  const std::string count = problem.count == 1 ? std::string() : phrase(" count={}", problem.count);
  return phrase("gpu gemm {} -> {} {} {} m={} n={} k={}{}: {}, {}, {} bytes of workspace",
                name_of(problem.operand), name_of(problem.result), name_of(problem.mode),
                key_of(problem).trans(), problem.m(), problem.n(), problem.k(), count,
                name_of(choice.plan), origin(choice.by), choice.plan.workspace_bytes);
}

}  // namespace tilewise::gpu
