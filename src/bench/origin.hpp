// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a result comes from: the program, the time, the machine.
#pragma once

#include <string>
#include <vector>

namespace tilewise::bench {

/// The program's version: "0.1.0".
std::string own_version();

/// The commit it was built from, or "unknown".
std::string own_commit();

/// Now in ISO 8601, UTC: "2026-11-21T13:45:00Z".
std::string utc_now();

/// The processor's name as the system gives it.
std::string processor_name();

/// The caches that the first core sees, level by level: "L1d 32 KiB", "L2 1 MiB", "L3 32 MiB (shared by 8)".
/// Empty when the system does not say.
std::vector<std::string> processor_caches();

}  // namespace tilewise::bench
