// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of the two 16-bit floats, for templates that choose an instruction by them.
#pragma once

namespace ptx {

struct F16 {};
struct BF16 {};

}  // namespace ptx
