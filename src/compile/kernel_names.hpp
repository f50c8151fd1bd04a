// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of kernels: mangled in PTX, written by people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/demangle.hpp"

namespace tilewise::compile {

/// The kernels that PTX text defines, mangled, in order.
std::vector<std::string> kernels_of(std::string_view ptx);

/// A name in the one spelling that names are compared in: no spaces, casts, suffixes of numbers, const;
/// "half" as "__half", "uint8_t" as "unsigned char". So "gemm<(int)128, 8u>" equals "gemm<128,8>".
std::string canonical(std::string_view name);

/// Those of `kernels` that `name` can mean. The first of these rules that fits any decides: the mangled
/// name; the demangled name; that without its signature; without template arguments too; without
/// namespaces; the beginning of one.
std::vector<std::string> matches(const std::vector<std::string>& kernels, std::string_view name);

/// Error text: "gemm<64>(float*), gemm<128>(float*)"; at most twelve, then how many more.
std::string listing(const std::vector<std::string>& kernels);

}  // namespace tilewise::compile
