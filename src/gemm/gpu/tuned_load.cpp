// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/tuned_load.hpp"

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>

#include "core/phrase.hpp"
#include "gemm/gpu/tuned_file.hpp"
#include "gemm/verbose.hpp"
#include "tilewise/error.hpp"

namespace tilewise::gpu {
namespace {

namespace fs = std::filesystem;

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The XDG Base Directory Specification: paths that are not absolute are to be ignored.
std::string in_cache_folder() {
  constexpr const char* kName = "tilewise/tuned.sqlite";
  if (const fs::path cache = environment("XDG_CACHE_HOME"); cache.is_absolute())
    return cache / kName;
  if (const fs::path home = environment("HOME"); home.is_absolute()) return home / ".cache" / kName;
  return {};
}

// What stands under `on`, with the reasons why rows do not count.
TunedPlans plans_in(TunedFile& file, const TunedOn& on, std::vector<std::string>& refused) {
  TunedPlans plans;
  TunedFile::Rows found = file.rows(on);
  refused = std::move(found.refused);
  for (TunedRow& row : found.rows) {
    try {
      plans.add(row.key, std::move(row.tuned));
    } catch (const Error& error) {
      refused.push_back(error.what());
    }
  }
  return plans;
}

}  // namespace

TunedPlace tuned_place(const char* asked) {
  if (asked != nullptr) return {asked, *asked != '\0'};
  const std::string_view named = environment("TILEWISE_TUNED");
  if (named == "none") return {};
  if (!named.empty()) return {std::string(named), true};
  return {in_cache_folder(), false};
}

TunedPlans load_tuned(const TunedPlace& place, const model::Gpu& gpu,
                      const std::function<void(const std::string&)>& say) {
  if (place.path.empty()) return {};
  try {
    std::error_code failure;
    if (!place.is_named && !fs::exists(place.path, failure)) return {};
    TunedFile file = TunedFile::to_read(place.path);
    std::vector<std::string> refused;
    TunedPlans plans = plans_in(file, tuned_on(gpu), refused);
    if (!refused.empty()) {
      say(phrase("tuned plans '{}': {} of them ignored: {}", place.path, refused.size(),
                 refused.front()));
    }
    return plans;
  } catch (const std::exception& error) {
    say(phrase("tuned plans '{}': {}; ignored", place.path, error.what()));
    return {};
  }
}

void say_once(const std::string& words) {
  static std::mutex saying;
  static std::set<std::string> said;
  const std::scoped_lock lock(saying);
  if (said.insert(words).second) api::say(words);
}

}  // namespace tilewise::gpu
