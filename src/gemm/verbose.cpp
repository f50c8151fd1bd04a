// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/verbose.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace tilewise::api {

bool verbose() noexcept {
  static const bool asked = [] {
    const char* value = std::getenv("TILEWISE_VERBOSE");
    return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
  }();
  return asked;
}

void say(const std::string& words) noexcept {
  const int before = errno;
  try {
    std::string line = "tilewise: ";
    for (const char c : words) line += c == '\n' || c == '\r' ? ' ' : c;
    line += '\n';
    while (::write(STDERR_FILENO, line.data(), line.size()) < 0 && errno == EINTR) {
    }
  } catch (const std::exception&) {  // no memory for a line: there is nobody to tell
  }
  errno = before;
}

}  // namespace tilewise::api
