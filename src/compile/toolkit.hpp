// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the CUDA toolkit is: on PATH, in $CUDA_HOME, in /usr/local/cuda, and last in the project's own
// .cuda/, where scripts/setup.sh puts one.
#pragma once

#include <memory>

#include "compile/compiler.hpp"

namespace tilewise::compile {

/// nvcc, or NVRTC where there is no nvcc. TILEWISE_COMPILER=nvcc|nvrtc asks for one of them. Throws
/// Error{kUnsupported} that says where was looked.
std::unique_ptr<Compiler> find_compiler();

/// ptxas beside nvcc or on PATH; one that does not exist() where there is none.
Assembler find_assembler();

}  // namespace tilewise::compile
