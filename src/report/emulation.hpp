// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What `tilewise emulate` found, for people and for programs.
#pragma once

#include <string>

#include "bench/emulation.hpp"

namespace tilewise::report {

/// Tables for a terminal of `columns` columns: the launch, its counters, the lines that cost most (with
/// their text, where the source can be read), and findings. `color` allows ANSI colours.
std::string emulation_text(const bench::Emulation& emulation, int columns, bool color);

/// {"context": …, "kernels": [{"name", "grid", "block", "registers", "shared_bytes", "occupancy",
/// "fidelity", "counters", "lines", "findings", …}]}; what is not known is absent.
std::string emulation_json(const bench::Emulation& emulation);

}  // namespace tilewise::report
