// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tilewise::cli {

/// A file that an option asks for.
struct OutputFile {
  std::string option;  ///< "--json"
  std::string path;    ///< empty: not asked for
};

/// Checks before the work begins that each file can be written and that no two are the same, nor one
/// of `inputs`. Throws Error{kInvalidInput} with the option, the file and the reason.
void check_outputs(const std::vector<OutputFile>& outputs, const std::vector<std::string>& inputs);

}  // namespace tilewise::cli
