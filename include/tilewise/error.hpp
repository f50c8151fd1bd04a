// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The one exception type Tilewise throws.
#pragma once

#include <stdexcept>
#include <string>

#include "tilewise/export.hpp"

namespace tilewise {

/// What kind of failure an Error reports. The text of the Error names the culprit.
enum class ErrorCode {
  kInvalidArgument,  ///< an argument's value is outside what the call accepts
  kInvalidInput,     ///< a file or text is missing, truncated or malformed
  kUnsupported,      ///< well-formed, but not something this build can do
  kOutOfMemory,      ///< an allocation on host or device failed or would
  kNoDevice,         ///< the device asked for is not present
  kDriver,           ///< a CUDA driver (or cuBLAS) call failed
  kExecution,        ///< a kernel misbehaved: out of bounds, deadlock, trap
  kInternal,         ///< a bug in Tilewise
};

/// Thrown by every Tilewise function that fails. `what()` is one line that names the argument (or
/// file, or call), its value, and what was expected.
class TILEWISE_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace tilewise
