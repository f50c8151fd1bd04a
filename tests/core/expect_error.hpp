// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tilewise/error.hpp"

namespace tilewise::test {

/// Expects `call` to throw an Error with `code` whose message is one line and holds every part.
template <typename Call>
void expect_error(ErrorCode code, const std::vector<std::string>& parts, Call call) {
  try {
    call();
    ADD_FAILURE() << "no error was thrown";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.code(), code) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), 400u) << message;
    for (const std::string& part : parts) {
      EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' in: " << message;
    }
  }
}

}  // namespace tilewise::test
