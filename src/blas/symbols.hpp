// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions and variables of the program and of the libraries around the door, found at run time: it must
// load where there are none of them.
#pragma once

namespace tilewise::blas {

/// What `name` means to the code at the address `caller`; null when nothing. Does not find the door's own.
void* find_symbol(const char* name, const void* caller) noexcept;

}  // namespace tilewise::blas
