// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/exit.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

namespace tilewise::cli {

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kInvalidInput:
    case ErrorCode::kUnsupported:
    case ErrorCode::kOutOfMemory: return kBadUsage;
    case ErrorCode::kNoDevice: return kNoDevice;
    case ErrorCode::kDriver:
    case ErrorCode::kExecution:
    case ErrorCode::kInternal: return kWrongResult;
  }
  return kWrongResult;
}

void complain(std::string_view message) {
  std::string line = "tilewise: ";
  for (const char c : message) line += c == '\n' || c == '\r' ? ' ' : c;
  std::fprintf(stderr, "%s\n", line.c_str());
}

int guarded(const std::function<int()>& body) {
  try {
    return body();
  } catch (const Error& error) {
    complain(error.what());
    return exit_code(error.code());
  } catch (const std::bad_alloc&) {
    complain("out of memory: the problem is too large for this machine");
    return kBadUsage;
  } catch (const std::exception& error) {
    complain(error.what());
    return kWrongResult;
  }
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    throw Error(ErrorCode::kInvalidInput,
                std::string("cannot write to standard output: ") + std::strerror(errno));
  }
}

}  // namespace tilewise::cli
