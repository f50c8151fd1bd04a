// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How the program ends.
#pragma once

#include <functional>
#include <string_view>

#include "tilewise/error.hpp"

namespace tilewise::cli {

constexpr int kDone = 0;
constexpr int kWrongResult = 1;  ///< or a failure while running
constexpr int kBadUsage = 2;     ///< or bad input
constexpr int kNoDevice = 3;

int exit_code(ErrorCode code);

/// Prints "tilewise: message" on stderr, as one line.
void complain(std::string_view message);

/// Calls `body`; what it throws becomes a line on stderr and an exit code.
int guarded(const std::function<int()>& body);

/// Prints `text` on stdout.
void print(std::string_view text);

/// Throws Error{kInvalidInput} when stdout did not take everything (a full disk, a closed pipe).
void flush_output();

}  // namespace tilewise::cli
