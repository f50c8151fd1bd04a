// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The header of a .npy file: a Python dictionary literal with the keys descr, fortran_order, shape.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::npy {

struct Header {
  std::string description;  ///< "<f4"; text that begins with '[' for a dtype with fields
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Parses the literal: keys in any order, either quote, any white space, as Python 2 and 3 wrote
/// it. Throws Error{kInvalidInput} that says what is wrong and where in the header.
Header parse_header(std::string_view text);

/// The first characters of text from a file, fit to stand in a one-line message.
std::string printable(std::string_view text);

/// "(3, 4)", "(3,)", "()".
std::string to_text(const std::vector<std::int64_t>& shape);

}  // namespace tilewise::npy
