// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What compilers say: nvcc's front end and NVRTC in one style, the host's preprocessor in another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewise::compile {

struct Diagnostic {
  std::string file;
  int line = 0;
  std::string message;  ///< without "error:"
};

/// The errors in `output`: "file(12): error: what" and "file:12:3: fatal error: what".
std::vector<Diagnostic> errors_in(std::string_view output);

/// The header that an error says is not there, as it is written in #include; empty for any other error.
std::string missing_header(const Diagnostic& error);

/// The first errors (or, without any, the first lines) of `output` on one line.
std::string first_errors(std::string_view output);

}  // namespace tilewise::compile
