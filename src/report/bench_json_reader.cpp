// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads what bench_json() wrote. Files come from other versions and from hands: every field is checked, and
// an error says which.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "report/bench.hpp"
#include "tilewise/error.hpp"

namespace tilewise::report {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kLargestExtent = std::int64_t{1} << 40;

/// A place in the file, to name it: "new.json: results[3].gflops".
struct Place {
  std::string file, path;

  Place of(const std::string& key) const { return {file, path.empty() ? key : path + "." + key}; }
  Place at(std::size_t index) const { return {file, fmt::format("{}[{}]", path, index)}; }

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::kInvalidInput, path.empty()
                                              ? fmt::format("{}: {}", file, message)
                                              : fmt::format("{}: {}: {}", file, path, message));
  }
};

// A value as it stands in the file, cut where it is long.
std::string shown(const Json& value) {
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= 40 ? text : text.substr(0, 40) + "...";
}

const Json& member(const Place& place, const Json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end()) place.of(key).fail("is missing");
  return *found;
}

std::string text_at(const Place& place, const Json& object, const std::string& key) {
  const Json& value = member(place, object, key);
  if (!value.is_string()) place.of(key).fail("expected a string, got " + shown(value));
  return value.get<std::string>();
}

bool transposition_at(const Place& place, const Json& object, const std::string& key) {
  const Json& value = member(place, object, key);
  if (value == "N" || value == "T") return value == "T";
  place.of(key).fail("expected \"N\" or \"T\", got " + shown(value));
}

std::int64_t extent_at(const Place& place, const Json& object, const std::string& key) {
  const Json& value = member(place, object, key);
  if (!value.is_number_integer() || value < 1 || value > kLargestExtent) {
    place.of(key).fail(
        fmt::format("expected a whole number from 1 to {}, got {}", kLargestExtent, shown(value)));
  }
  return value.get<std::int64_t>();
}

// Of any sign; `otherwise` where it is absent.
double factor_at(const Place& place, const Json& object, const std::string& key, double otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (!found->is_number() || !std::isfinite(found->get<double>()))
    place.of(key).fail("expected a number, got " + shown(*found));
  return found->get<double>();
}

double real_of(const Place& place, const Json& value, bool positive) {
  const double number = value.is_number() ? value.get<double>() : NAN;
  if (!std::isfinite(number) || number < 0 || (positive && number == 0)) {
    place.fail(fmt::format("expected a number {} 0, got {}", positive ? "above" : "not below",
                           shown(value)));
  }
  return number;
}

// An object of numbers; nothing where it is absent.
std::map<std::string, double> reals_at(const Place& place, const Json& object,
                                       const std::string& key, bool positive) {
  std::map<std::string, double> values;
  const auto found = object.find(key);
  if (found == object.end()) return values;
  if (!found->is_object()) place.of(key).fail("expected an object, got " + shown(*found));
  for (const auto& [name, value] : found->items()) {
    values[name] = real_of(place.of(key).of(name), value, positive);
  }
  return values;
}

std::size_t sample_count(const Place& place, const Json& object) {
  const auto found = object.find("samples");
  if (found == object.end()) return 0;
  if (!found->is_array()) place.of("samples").fail("expected an array, got " + shown(*found));
  return found->size();
}

bench::ComparedResult result_of(const Place& place, const Json& object) {
  if (!object.is_object()) place.fail("expected an object, got " + shown(object));
  bench::ComparedResult result;
  result.group = text_at(place, object, "group");
  result.dtype = text_at(place, object, "dtype");
  result.mode = text_at(place, object, "mode");
  result.trans_a = transposition_at(place, object, "trans_a");
  result.trans_b = transposition_at(place, object, "trans_b");
  result.m = extent_at(place, object, "m");
  result.n = extent_at(place, object, "n");
  result.k = extent_at(place, object, "k");
  if (object.contains("batch")) result.batch = extent_at(place, object, "batch");
  result.scaling = {factor_at(place, object, "alpha", 1), factor_at(place, object, "beta", 0)};
  if (object.contains("threads")) {
    result.threads = static_cast<int>(extent_at(place, object, "threads"));
  }
  if (object.contains("c_dtype")) result.c_dtype = text_at(place, object, "c_dtype");
  result.gflops = real_of(place.of("gflops"), member(place, object, "gflops"), true);
  result.spread = real_of(place.of("spread"), member(place, object, "spread"), false);
  result.samples = sample_count(place, object);
  result.peers = reals_at(place, object, "peers", true);
  result.peer_spreads = reals_at(place, object, "peer_spreads", false);
  return result;
}

Json parsed(const std::string& text, const std::string& name) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    std::string message =
        error.what();  // "[json.exception.parse_error.101] parse error at line 1, …"
    message.erase(0, message.find("] ") + 2);
    for (char& c : message) {
      if (static_cast<unsigned char>(c) < ' ') c = ' ';
    }
    if (message.size() > 200) message = message.substr(0, 200) + "...";
    Place{name, ""}.fail("not JSON: " + message);
  }
}

std::string optional_text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

bench::ComparedFile read_bench_json(const std::string& text, const std::string& name) {
  const Json whole = parsed(text, name);
  const Place top{name, ""};
  if (!whole.is_object()) top.fail("expected an object with 'context' and 'results'");
  const Json& context = member(top, whole, "context");
  if (!context.is_object()) top.of("context").fail("expected an object, got " + shown(context));
  const Json& results = member(top, whole, "results");
  if (!results.is_array()) top.of("results").fail("expected an array, got " + shown(results));

  bench::ComparedFile file{name,
                           optional_text(context, "date"),
                           optional_text(context, "commit"),
                           optional_text(context, "processor"),
                           {}};
  const bool on_virtual_gpu = optional_text(context, "device") == "virtual";
  std::set<std::string> seen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Place place = top.of("results").at(i);
    // Without a time: shapes without a kernel, and all of the virtual GPU.
    if (on_virtual_gpu || (results[i].is_object() && results[i].contains("no_kernel"))) continue;
    file.results.push_back(result_of(place, results[i]));
    const std::string key = file.results.back().key();
    if (!seen.insert(key).second) place.fail(fmt::format("'{}' stands there twice", key));
  }
  return file;
}

}  // namespace tilewise::report
