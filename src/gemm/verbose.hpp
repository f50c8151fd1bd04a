// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What the library says on stderr where it was asked to. A line is one write(), so that lines of several threads do
// not mix.
#pragma once

#include <string>

namespace tilewise::api {

/// Whether TILEWISE_VERBOSE was set at the first call, to anything but nothing or "0".
bool verbose() noexcept;

/// "tilewise: " and these words as a line. Leaves errno as it was.
void say(const std::string& words) noexcept;

}  // namespace tilewise::api
