// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Compiles a user's CUDA source at run time: PTX, and the cubin that ptxas makes of exactly that PTX.
//
// The kernel is what is wanted, not the program around it. So headers that are not installed become
// empty files, and host code that does not compile without them is left out, of the source and of its
// headers, as long as the kernel compiles; what was done so is said in Image::notes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewise::compile {

struct Request {
  std::filesystem::path source;  ///< a .cu or a .ptx file
  std::string kernel;            ///< as people name it: compile/kernel_names.hpp
  std::string arch;              ///< "sm_90"; empty: sm_90, or sm_90a where the source needs it
  std::vector<std::filesystem::path> include_folders;
  std::vector<std::string> defines;  ///< "NAME" or "NAME=VALUE"
};

struct Image {
  std::string kernel;     ///< mangled, as in the PTX
  std::string demangled;  ///< for people
  std::string arch;       ///< "sm_90"
  std::string compiler;   ///< "nvcc 13.0.88"; of PTX: "ptxas 13.0.88", empty where there is none
  std::string ptx;
  std::string cubin;               ///< empty where nothing can make one
  std::vector<std::string> notes;  ///< what was left out or missing, one line each
};

/// Throws Error{kInvalidInput} with the compiler's first errors, or naming the kernels there are;
/// Error{kUnsupported} where neither nvcc nor NVRTC can be found.
Image build(const Request& request);

}  // namespace tilewise::compile
