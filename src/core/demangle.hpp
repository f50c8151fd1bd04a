// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// C++ names as people know them.
#pragma once

#include <string>
#include <string_view>

namespace tilewise {

/// "void gemm<128, 8>(float*, int)" for a mangled C++ name; any other name as it is.
std::string demangle(const std::string& name);

/// `text` without "(anonymous namespace)::".
std::string without_anonymous(std::string text);

/// "gemm<128, 8>" of "void gemm<128, 8>(float*, int)".
std::string without_signature(std::string_view demangled);

}  // namespace tilewise
