// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/emulation.hpp"

namespace tilewise::report {
namespace {

using Json = nlohmann::ordered_json;

Json extents(Dim3 dim) { return {dim.x, dim.y, dim.z}; }

Json counters_value(const Counters& counters, bool with_zeros) {
  Json object = Json::object();
  for (const CounterField& field : kCounterFields) {
    if (!with_zeros && counters.*field.member == 0) continue;
    object[std::string(field.name)] = counters.*field.member;
  }
  return object;
}

Json finding_value(const vgpu::Finding& finding) {
  Json places = Json::array();
  for (const vgpu::Finding::Place& place : finding.places) {
    places.push_back({{"file", place.file},
                      {"line", place.line},
                      {"ptx_line", place.ptx_line},
                      {"who", place.who}});
    for (const auto& call : place.calls) {
      places.back()["called_at"].push_back({{"file", call.file}, {"line", call.line}});
    }
  }
  return {{"check", finding.check},
          {"kind", finding.kind},
          {"message", finding.message},
          {"count", finding.count},
          {"places", places}};
}

Json kernel_value(const bench::EmulatedKernel& kernel) {
  Json object{{"name", kernel.name},
              {"symbol", kernel.symbol},
              {"grid", extents(kernel.grid)},
              {"block", extents(kernel.block)}};
  if (kernel.cluster.count() > 0) object["cluster"] = extents(kernel.cluster);
  if (kernel.registers > 0) object["registers"] = kernel.registers;
  object["shared_bytes"] = kernel.shared_bytes;
  if (kernel.registers > 0) object["local_bytes"] = kernel.local_bytes;
  if (kernel.occupancy) {
    object["occupancy"] = kernel.occupancy->fraction;
    object["warps_per_sm"] = kernel.occupancy->warps_per_sm;
    object["blocks_per_sm"] = kernel.occupancy->blocks_per_sm;
    object["occupancy_limit"] = name_of(kernel.occupancy->limit);
  }
  object["fidelity"] = name_of(kernel.fidelity);
  if (!kernel.fidelity_notes.empty()) object["fidelity_notes"] = kernel.fidelity_notes;
  object["counters"] = counters_value(kernel.counters, true);
  object["lines"] = Json::array();
  for (const vgpu::LineCounters& line : kernel.lines) {
    object["lines"].push_back({{"file", line.file},
                               {"line", line.line},
                               {"counters", counters_value(line.counters, false)}});
  }
  object["findings"] = Json::array();
  for (const vgpu::Finding& finding : kernel.findings) {
    object["findings"].push_back(finding_value(finding));
  }
  object["host_seconds"] = kernel.host_seconds;
  return object;
}

Json context_value(const bench::EmulationContext& context) {
  return {{"tilewise", context.tilewise_version},
          {"commit", context.commit},
          {"date", context.date},
          {"device", context.device},
          {"gpu", context.gpu},
          {"source", context.source},
          {"arch", context.arch},
          {"compiler", context.compiler},
          {"checks", context.checks},
          {"async", context.async_order},
          {"numerics", context.numerics},
          {"notes", context.notes}};
}

}  // namespace

std::string emulation_json(const bench::Emulation& emulation) {
  Json kernels = Json::array();
  for (const bench::EmulatedKernel& kernel : emulation.kernels) {
    kernels.push_back(kernel_value(kernel));
  }
  const Json value{{"context", context_value(emulation.context)}, {"kernels", kernels}};
  // A name or a path may hold bytes that are not UTF-8: replaced, not thrown over.
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tilewise::report
