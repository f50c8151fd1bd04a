// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "report/json.hpp"

#include <fmt/format.h>

#include "report/report.hpp"

namespace tilewise::report {
namespace {

using Json = nlohmann::ordered_json;

// An optional figure that was not measured leaves no key behind.
template <typename T> void put(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

void put(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

Json counters_value(const Counters& counters) {
  Json object = Json::object();
  for (const CounterField& field : kCounterFields) {
    object[std::string(field.name)] = counters.*field.member;
  }
  return object;
}

// Lines have few counters each: those that are zero say nothing.
Json line_value(const vgpu::LineCounters& line) {
  Json counters = Json::object();
  for (const CounterField& field : kCounterFields) {
    if (line.counters.*field.member == 0) continue;
    counters[std::string(field.name)] = line.counters.*field.member;
  }
  return {{"file", line.file}, {"line", line.line}, {"counters", counters}};
}

void put_tile(Json& object, const kernels::TileShape& tile) {
  if (tile.bm == 0) return;
  Json value{{"block", {tile.bm, tile.bn, tile.bk}}};
  if (tile.wm) value["warp"] = {tile.wm, tile.wn};
  if (tile.tm) value["thread"] = {tile.tm, tile.tn};
  object["tile"] = value;
}

void put_description(Json& object, const bench::RungResult& result) {
  const kernels::Rung& rung = *result.rung;
  object["name"] = rung.name;
  object["title"] = rung.title;
  object["dtype"] = kernels::name_of(rung.arithmetic);
  object["m"] = result.m;
  object["n"] = result.n;
  object["k"] = result.k;
  object["idea"] = rung.idea;
  if (!rung.source.empty()) object["source"] = rung.source;
  object["order"] = rung.order == Order::kRowMajor ? "row-major" : "column-major";
  put(object, "entry", result.entry);
  put_tile(object, rung.tile);
  if (!rung.on_cpu) object["block_threads"] = {rung.block.x, rung.block.y, rung.block.z};
}

void put_check(Json& object, const bench::RungResult& result) {
  object["verified"] = result.verified;
  put(object, "wrong", result.wrong);
  object["error"] = result.error;
  object["largest_error"] = result.largest_error;
  // 64 bits do not fit into the numbers of most JSON readers.
  object["checksum"] = fmt::format("{:016x}", result.checksum);
  put(object, "equal_on_virtual_gpu", result.equal_on_virtual_gpu);
}

void put_counters(Json& object, const bench::RungResult& result, bool with_lines) {
  put(object, "fidelity", result.fidelity);
  if (!result.fidelity_notes.empty()) object["fidelity_notes"] = result.fidelity_notes;
  if (result.counters) object["counters"] = counters_value(*result.counters);
  for (const bench::HardwareCounter& counter : result.hardware_counters) {
    object["hardware_counters"][counter.name] = counter.value;
  }
  for (const vgpu::LineCounters& line : result.lines) {
    if (with_lines) object["lines"].push_back(line_value(line));
  }
}

void put_resources(Json& object, const bench::RungResult& result) {
  put(object, "registers", result.registers);
  put(object, "shared_bytes", result.shared_bytes);
  if (result.occupancy) {
    object["occupancy"] = result.occupancy->fraction;
    object["warps_per_sm"] = result.occupancy->warps_per_sm;
    object["blocks_per_sm"] = result.occupancy->blocks_per_sm;
    object["occupancy_limit"] = name_of(result.occupancy->limit);
  }
  if (!result.limit) return;
  object["limit"] = result.limit->summary;
  if (!result.limit->caveat.empty()) object["limit_caveat"] = result.limit->caveat;
  for (const model::PipeTime& pipe : result.limit->pipes) {
    object["pipes"].push_back({{"pipe", pipe.pipe}, {"microseconds", pipe.microseconds}});
  }
}

void put_times(Json& object, const bench::RungResult& result) {
  put(object, "time_ms", result.time_ms);
  if (!result.samples_ms.empty()) object["samples_ms"] = result.samples_ms;
  put(object, "gflops", result.gflops);
  put(object, "cublas_time_ms", result.cublas_time_ms);
  put(object, "percent_of_cublas", result.percent_of_cublas);
  put(object, "threads", result.threads);
  put(object, "percent_of_peak", result.percent_of_peak);
  put(object, "speed_up", result.speed_up);
  object["host_seconds"] = result.host_seconds;
}

Json rung_value(const bench::RungResult& result, bool with_lines) {
  Json object;
  put_description(object, result);
  put_check(object, result);
  put_counters(object, result, with_lines);
  put_resources(object, result);
  put_times(object, result);
  return object;
}

Json context_value(const bench::LadderResult& result) {
  const bench::Context& context = result.context;
  Json object{{"tilewise", context.tilewise_version}};
  put(object, "commit", context.commit);
  put(object, "date", context.date);
  object["device"] = context.device;
  put(object, "gpu", context.gpu);
  object["virtual"] = context.is_virtual;
  put(object, "host", context.host);
  put(object, "cublas", context.cublas);
  put(object, "instruction_set", context.instruction_set);
  if (!context.caches.empty()) object["caches"] = context.caches;
  for (const bench::FmaPeak& peak : context.fma_peaks) {
    object["fma_peaks"].push_back({{"threads", peak.threads}, {"gflops", peak.gflops}});
  }
  object["alpha"] = context.alpha;
  object["beta"] = context.beta;
  object["seed"] = context.seed;
  if (context.rest_ms > 0) object["rest_ms"] = context.rest_ms;
  put(object, "a", context.a_file);
  put(object, "b", context.b_file);
  for (const bench::RungResult& rung : result.rungs) {
    for (const bench::HardwareCounter& counter : rung.hardware_counters) {
      object["hardware_metrics"][counter.name] = counter.metric;
    }
  }
  return object;
}

}  // namespace

nlohmann::ordered_json ladder_value(const bench::LadderResult& result, bool with_lines) {
  Json rungs = Json::array();
  for (const bench::RungResult& rung : result.rungs) rungs.push_back(rung_value(rung, with_lines));
  return {{"context", context_value(result)}, {"rungs", rungs}};
}

std::string ladder_json(const bench::LadderResult& result) {
  // A path in a message or an idea may hold bytes that are not UTF-8: replaced, not thrown over.
  return ladder_value(result, true).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewise::report
