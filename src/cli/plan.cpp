// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// `tilewise plan`: which kernels a product on a GPU would run, what else there was, and why.
#include "gemm/gpu/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/exit.hpp"
#include "cli/outputs.hpp"
#include "core/file.hpp"
#include "device/device.hpp"
#include "gemm/gpu/boxes.hpp"
#include "gemm/gpu/estimate.hpp"
#include "gemm/gpu/tuned_load.hpp"
#include "model/gpu.hpp"
#include "tilewise/error.hpp"

namespace tilewise::cli {
namespace {

using gpu::Candidate;
using gpu::Problem;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kOrigins{"planner", "tuning", "TILEWISE_PLAN"};
constexpr std::array<std::string_view, 4> kDtypes{"f32", "f64", "bf16", "f16"};
constexpr std::array<std::string_view, 3> kModes{"ieee", "accurate", "tf32"};
constexpr std::array<std::string_view, 4> kTransposes{"nn", "nt", "tn", "tt"};

struct PlanOptions {
  std::int64_t m = -1, n = -1, k = -1, batch = 1;
  std::int64_t lda = 0, ldb = 0;  // 0: no gaps between lines
  double beta = 0;
  std::string dtype = "f32", out_dtype, mode = "ieee", trans = "nn", gpu, json;
};

Dtype dtype_of(std::string_view name) {
  for (const Dtype dtype : {Dtype::kF64, Dtype::kBF16, Dtype::kF16}) {
    if (name_of(dtype) == name) return dtype;
  }
  return Dtype::kF32;
}

ComputeMode mode_of(std::string_view name) {
  const auto found = std::ranges::find(kModes, name);
  return static_cast<ComputeMode>(found - kModes.begin());
}

// A factor that begins aligned, wherever: plans look at addresses, never behind them.
api::Batch factor(std::int64_t rows, std::int64_t columns, bool transposed, std::int64_t leading,
                  Dtype dtype) {
  const Order order = transposed ? Order::kColumnMajor : Order::kRowMajor;
  const std::int64_t packed = std::max<std::int64_t>(1, transposed ? rows : columns);
  const api::Matrix shape{reinterpret_cast<const void*>(gpu::kWorkspaceAlignment),
                          rows,
                          columns,
                          leading == 0 ? packed : leading,
                          order,
                          static_cast<std::int64_t>(size_of(dtype))};
  return {shape, shape.leading_dimension * shape.lines(), nullptr, true};
}

Problem problem_of(const PlanOptions& options) {
  const Dtype operand = dtype_of(options.dtype);
  const Dtype result = options.out_dtype.empty() ? operand : dtype_of(options.out_dtype);
  const bool is_half = operand == Dtype::kBF16 || operand == Dtype::kF16;
  if (result != operand && !(is_half && result == Dtype::kF32)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("--out-dtype: '{}': expected {}", options.out_dtype,
                            is_half ? fmt::format("{} or f32", options.dtype) : options.dtype));
  }
  const gpu::Scalar one{1, nullptr, false}, beta{options.beta, nullptr, false};
  const api::Batch a = factor(options.m, options.k, options.trans[0] == 't', options.lda, operand);
  const api::Batch b = factor(options.k, options.n, options.trans[1] == 't', options.ldb, operand);
  const api::Batch c = factor(options.m, options.n, false, 0, result);
  api::check_batch(options.batch, a, b, c, true, 0, api::kViewNames);
  return gpu::problem_of(operand, result, mode_of(options.mode), options.batch, one, a, b, beta, c);
}

model::Gpu gpu_of(const PlanOptions& options) {
  if (!options.gpu.empty()) return model::find_gpu(options.gpu);
  const std::vector<model::Gpu> real = device::cuda_devices();
  return real.empty() ? model::find_gpu("h200") : real.front();
}

double tflops(const Problem& problem, double microseconds) {
  return 2e-6 * static_cast<double>(problem.m()) * static_cast<double>(problem.n()) *
         static_cast<double>(problem.k()) * static_cast<double>(problem.count) / microseconds;
}

std::string table(const std::vector<Candidate>& all, const Problem& problem) {
  const auto name = [](const Candidate& candidate) {
    return candidate.plan ? gpu::name_of(*candidate.plan) : std::string(candidate.kernel->name);
  };
  std::size_t width = 0;
  for (const Candidate& candidate : all) width = std::max(width, name(candidate).size() + 1);
  std::string out =
      fmt::format("{:<{}}{:>8}{:>7}{:>9}{:>9}{:>8}{:>8}{:>10}{:>10}\n", "plan", width, "blocks",
                  "waves", "multiply", "memory", "cache", "other", "total us", "TFLOP/s");
  for (const Candidate& candidate : all) {
    out += fmt::format("{:<{}}", name(candidate), width);
    if (!candidate.plan) {
      out += fmt::format("not possible: {}\n", candidate.refusal);
      continue;
    }
    const gpu::Estimate& e = candidate.estimate;
    out += fmt::format("{:>8}{:>7.2f}{:>9.1f}{:>9.1f}{:>8.1f}{:>8.1f}{:>10.1f}{:>10.1f}\n",
                       e.blocks, e.waves, e.compute, e.memory, e.cache,
                       e.fill + e.reduction + e.preparation + e.launches, e.microseconds,
                       tflops(problem, e.microseconds));
  }
  return out;
}

std::string prepared_text(const char* name, const gpu::PreparedFactor& factor) {
  switch (factor.preparation) {
    case kernels::Preparation::kRestride:
      return fmt::format("  {} is copied first, to a leading dimension of {}\n", name,
                         factor.leading_dimension);
    case kernels::Preparation::kPairs:
      return fmt::format("  {} is split first into pairs of f16\n", name);
    default: return {};
  }
}

// The kernel that runs: of C as it is here, aligned.
std::string_view entry_of(const gpu::Plan& plan, const Problem& problem, const model::Gpu& gpu) {
  const Problem oriented = gpu::oriented_for(*plan.kernel, problem);
  return gpu::is_all_in_boxes(plan, oriented, gpu) ? plan.kernel->boxes_entry
                                                   : gpu::entry_of(plan, oriented);
}

std::string choice_text(const gpu::Plan& plan, std::string_view entry) {
  std::string out =
      fmt::format("Plan: {} (kernel {}, tile {}×{}×{}, {} threads)\n", gpu::name_of(plan), entry,
                  plan.kernel->bm, plan.kernel->bn, plan.kernel->bk, plan.kernel->threads);
  out += prepared_text(plan.kernel->transposes_result ? "B" : "A", plan.a);
  out += prepared_text(plan.kernel->transposes_result ? "A" : "B", plan.b);
  if (plan.streamed > 0)
    out += fmt::format("  {} tiles in equal stretches of k for all blocks\n",
                       plan.streamed * plan.cluster.blocks());
  if (plan.cluster.blocks() > 1)
    out += fmt::format("  blocks in clusters for {}×{} tiles, which fetch what they share once\n",
                       plan.cluster.down, plan.cluster.across);
  if (plan.rounds.bytes > 0)
    out += fmt::format("  {} rounds of tiles, each begun by all blocks together\n",
                       plan.rounds.bytes / sizeof(unsigned));
  if (plan.parts > 1) out += fmt::format("  k in {} parts of {}\n", plan.parts, plan.k_each);
  return out + fmt::format("  {} bytes of workspace\n", plan.workspace_bytes);
}

std::string origin_text(const gpu::Choice& choice) {
  if (choice.by == gpu::ChosenBy::kWish) return "  as TILEWISE_PLAN asks\n";
  if (choice.by != gpu::ChosenBy::kTuning) return {};
  const gpu::TunedPlan& tuned = *choice.tuned;
  std::string out = fmt::format("  as tuned on {}: {:.1f} us measured", tuned.date.substr(0, 10),
                                tuned.microseconds);
  if (tuned.plan == tuned.planner) return out + ", the planner's choice too\n";
  return out + fmt::format(", {:.1f} by the planner's choice, {}\n", tuned.planner_microseconds,
                           tuned.planner);
}

Json json_of(const Candidate& candidate, const Problem& problem, const model::Gpu& gpu) {
  Json value{{"kernel", candidate.kernel->name}};
  if (!candidate.plan) {
    value["refusal"] = candidate.refusal;
    return value;
  }
  const gpu::Plan& plan = *candidate.plan;
  const gpu::Estimate& e = candidate.estimate;
  value.update({{"plan", gpu::name_of(plan)},
                {"entry", entry_of(plan, problem, gpu)},
                {"parts", plan.parts},
                {"streamed_tiles", plan.streamed * plan.cluster.blocks()},
                {"cluster", {{"down", plan.cluster.down}, {"across", plan.cluster.across}}},
                {"rounds", plan.rounds.bytes / sizeof(unsigned)},
                {"workspace_bytes", plan.workspace_bytes},
                {"blocks", e.blocks},
                {"waves", e.waves},
                {"microseconds",
                 {{"total", e.microseconds},
                  {"multiply", e.compute},
                  {"memory", e.memory},
                  {"cache", e.cache},
                  {"fill", e.fill},
                  {"reduction", e.reduction},
                  {"preparation", e.preparation},
                  {"launches", e.launches}}},
                {"tflops", tflops(problem, e.microseconds)}});
  return value;
}

int run(const PlanOptions& options) {
  const Problem problem = problem_of(options);
  const model::Gpu gpu = gpu_of(options);
  check_outputs({{"--json", options.json}}, {});
  const auto wish = gpu::wish_in(std::getenv("TILEWISE_PLAN"));
  std::vector<Candidate> all = gpu::candidates(problem, gpu, gpu::kNoLimit);
  std::ranges::stable_sort(all, {}, [](const Candidate& candidate) {
    return candidate.plan ? candidate.estimate.microseconds
                          : std::numeric_limits<double>::infinity();
  });
  const gpu::TunedPlans tuned = gpu::load_tuned(gpu::tuned_place(nullptr), gpu, complain);
  const gpu::Choice choice = gpu::decide(problem, gpu, gpu::kNoLimit, wish, tuned);

  std::string out = fmt::format("{} ({} -> {}), {}×{}×{}", options.mode, options.dtype,
                                name_of(problem.result), options.m, options.n, options.k);
  if (options.batch != 1) out += fmt::format(", {} times", options.batch);
  if (options.beta != 0) out += ", added to C";
  out += fmt::format(", {} on {}\n{}", options.trans, gpu.name,
                     choice_text(choice.plan, entry_of(choice.plan, problem, gpu)));
  out += origin_text(choice);
  out +=
      "\nEstimates, in microseconds: the longest of multiply, memory and cache, and the others\n";
  out += table(all, problem);
  if (!options.json.empty()) {
    Json value{{"gpu", gpu.name},
               {"plan", gpu::name_of(choice.plan)},
               {"chosen_by", kOrigins[static_cast<std::size_t>(choice.by)]},
               {"candidates", Json::array()}};
    for (const Candidate& candidate : all)
      value["candidates"].push_back(json_of(candidate, problem, gpu));
    write_file(options.json, value.dump(2) + "\n");
  }
  print(out);
  return kDone;
}

void add_size(CLI::App& command, const std::string& name, std::int64_t& value, bool is_required,
              const char* words, std::int64_t least = 0) {
  CLI::Option* option = command.add_option_function<std::string>(
      name,
      [name, least, &value](const std::string& text) { value = parse_whole(name, text, least); },
      words);
  option->type_name("N")->required(is_required);
}

void add_choice(CLI::App& command, const std::string& name, std::string& value,
                std::span<const std::string_view> choices, const char* words) {
  command
      .add_option_function<std::string>(
          name,
          [name, choices, &value](const std::string& text) {
            value = parse_choice(name, text, choices);
          },
          words)
      ->type_name("NAME");
}

}  // namespace

void add_plan(CLI::App& app, Action& action) {
  const auto options = std::make_shared<PlanOptions>();
  CLI::App* command =
      app.add_subcommand("plan", "Which GPU kernel a product would run on, and why");
  // For an empty C no kernel runs.
  add_size(*command, "--m", options->m, true, "Rows of A and C", 1);
  add_size(*command, "--n", options->n, true, "Columns of B and C", 1);
  add_size(*command, "--k", options->k, true, "Columns of A, rows of B");
  add_size(*command, "--batch", options->batch, false, "So many products of this shape", 1);
  add_size(*command, "--lda", options->lda, false, "Leading dimension of A (default: no gaps)", 1);
  add_size(*command, "--ldb", options->ldb, false, "Leading dimension of B (default: no gaps)", 1);
  command
      ->add_option_function<std::string>(
          "--beta",
          [options](const std::string& text) { options->beta = parse_real("--beta", text); },
          "0 (default), or what C is multiplied by before it is added to")
      ->type_name("X");
  add_choice(*command, "--dtype", options->dtype, kDtypes,
             "Of A and B: f32 (default), f64, bf16, f16");
  add_choice(*command, "--out-dtype", options->out_dtype, kDtypes,
             "Of C: as A and B (default), f32");
  add_choice(*command, "--mode", options->mode, kModes, "ieee (default), accurate, tf32");
  command
      ->add_option_function<std::string>(
          "--trans",
          [options](std::string text) {
            for (char& c : text)
              c = c == 'N' ? 'n' : c == 'T' ? 't' : c;  // as the benchmark has it
            options->trans = parse_choice("--trans", text, kTransposes);
          },
          "Whether A and B are given transposed: nn (default), nt, tn, tt")
      ->type_name("NAME");
  command
      ->add_option_function<std::string>(
          "--gpu", [options](const std::string& text) { options->gpu = parse_name("--gpu", text); },
          "A GPU of the catalogue (default: the one here, else h200)")
      ->type_name("KEY");
  command
      ->add_option_function<std::string>(
          "--json",
          [options](const std::string& text) { options->json = parse_path("--json", text); },
          "Write candidates and estimates as JSON")
      ->type_name("FILE");
  command->footer(
      "Examples:\n  tilewise plan --m 1000 --n 1000 --k 1000\n"
      "  tilewise plan --m 64 --n 4096 --k 7168 --dtype bf16 --trans nt --gpu h200\n"
      "  TILEWISE_PLAN=simt_f32_64x64,split=4 tilewise plan --m 64 --n 64 --k 65536\n\n"
      "Exit codes: 0 done, 2 bad usage or no kernel for this product.");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace tilewise::cli
