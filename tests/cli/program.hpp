// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the real binary and keeps what it said.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tilewise::test {

struct Outcome {
  int code = -1;  ///< exit code; 128 + signal when it was killed
  std::string out, err;
};

using Environment = std::map<std::string, std::string>;

/// Runs `tilewise` with these arguments, stdout and stderr into files. `environment` is set on top of
/// this program's, from which NO_COLOR and TILEWISE_NCU are taken out, and with no tuned plans.
Outcome run(const std::vector<std::string>& arguments, const Environment& environment = {});

/// The same with stdout and stderr on one terminal of 24 lines and `columns` columns: `out` holds both.
Outcome run_on_terminal(const std::vector<std::string>& arguments, int columns,
                        const Environment& environment = {});

/// The same with stdout into `file`.
Outcome run_into(const std::string& file, const std::vector<std::string>& arguments);

/// Whether this machine has a CUDA device.
bool has_cuda_device();

/// Whether the binary holds kernels (it was built with nvcc).
bool has_kernels();

}  // namespace tilewise::test
