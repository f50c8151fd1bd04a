// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The vendor's shared libraries, opened at run time.
#pragma once

#include <dlfcn.h>

#include <functional>
#include <string>

#include "bench/gpu_product.hpp"

namespace tilewise::bench {

/// Calls `take` with each libSTEM.so that opens, of CUDA 13, 12, 11, or of no version: first where the
/// dynamic linker looks, then in $CUDA_HOME/lib64 and /usr/local/cuda/lib64, until it returns true. What was
/// opened stays open for the life of the process: cuBLAS does not survive being closed and opened again.
/// False when none was taken.
bool open_cuda_library(const std::string& stem,
                       const std::function<bool(void* library, const std::string& name)>& take);

/// The function of that name; false where the library lacks it.
template <class Function> bool bind(void* library, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, symbol));
  return function != nullptr;
}

/// "libcublas.so.13, … are neither known to the dynamic linker nor in …".
std::string not_found(const std::string& stem);

/// The file that holds the function at `address`, as the dynamic linker found it.
std::string file_of(const void* address);

// Numbers of library_types.h (cudaDataType) and cublas_api.h (cublasComputeType_t, cublasOperation_t).
enum DataType : int { kR32F = 0, kR64F = 1, kR16F = 2, kR16BF = 14 };
enum ComputeType : int { kCompute32F = 68, kCompute64F = 70, kCompute32FFastTf32 = 77 };
enum Operation : int { kNotTransposed = 0, kTransposed = 1 };

/// The vendor's number of a floating-point dtype.
DataType data_type(Dtype dtype);
/// How products of `problem` are summed: plain SGEMM for f32 that is `accurate`, which has no counterpart.
ComputeType compute_type(const GpuProblem& problem);

}  // namespace tilewise::bench
