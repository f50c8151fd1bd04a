// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the door says on stderr: one line a call when the environment variable TILEWISE_VERBOSE asks for it.
// A line is one write(), so that lines of several threads do not mix.
#pragma once

#include "blas/call.hpp"

namespace tilewise::blas {

/// Whether TILEWISE_VERBOSE was set at the first call, to anything but nothing or "0".
bool verbose() noexcept;

/// The line of a call that took `seconds`; `how` it was computed, in words.
void tell(const Call<float>& call, const char* how, double seconds) noexcept;
void tell(const Call<double>& call, const char* how, double seconds) noexcept;

/// That the call `name` could not be computed as it should, and why. Once a program.
void say_once(const char* name, const char* why) noexcept;

}  // namespace tilewise::blas
