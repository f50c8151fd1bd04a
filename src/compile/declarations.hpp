// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A C++ file as a row of declarations, as far as braces tell: enough to leave one out and keep the
// lines of the others where they are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::compile {

/// A function, class, variable, … outside of functions and classes; namespaces are looked into.
struct Declaration {
  std::size_t begin = 0, end = 0;  ///< in the text
  int first_line = 0, last_line = 0;
  bool on_device = false;  ///< says __global__, __device__ or __constant__ somewhere
};

/// In the order of the text. Comments, literals and preprocessor lines are understood; macros are not.
std::vector<Declaration> declarations_of(std::string_view text);

/// The names of the kernels among them that are templates: those a compiler makes nothing of unless somebody
/// names their arguments.
std::vector<std::string> kernel_templates_of(std::string_view text);

/// `text` with all of [begin, end) but line ends and preprocessor lines turned into spaces.
std::string blanked(std::string text, std::size_t begin, std::size_t end);

}  // namespace tilewise::compile
