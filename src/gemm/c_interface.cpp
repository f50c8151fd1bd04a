// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What tilewise/tilewise.h has beside products: the version, statuses, contexts.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "gemm/c_status.hpp"
#include "gemm/context.hpp"

namespace tilewise::api {
namespace {

// An array, not a string: keeping a message must not fail.
thread_local char last_message[512] = "";

constexpr bool is_inside_character(char byte) { return (byte & 0xC0) == 0x80; }  // of UTF-8

[[noreturn]] void refuse_null(const char* name, const char* expected) {
  throw Error(ErrorCode::kInvalidArgument, std::string(name) + " = null: expected " + expected);
}

}  // namespace

tw_status status_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument: return TW_INVALID_ARGUMENT;
    case ErrorCode::kInvalidInput: return TW_INVALID_INPUT;
    case ErrorCode::kUnsupported: return TW_UNSUPPORTED;
    case ErrorCode::kOutOfMemory: return TW_OUT_OF_MEMORY;
    case ErrorCode::kNoDevice: return TW_NO_DEVICE;
    case ErrorCode::kDriver: return TW_DRIVER;
    case ErrorCode::kExecution: return TW_EXECUTION;
    case ErrorCode::kInternal: return TW_INTERNAL;
  }
  return TW_INTERNAL;
}

tw_status remember(tw_status status, const char* message) noexcept {
  std::size_t length = std::strlen(message);
  if (length >= sizeof(last_message)) {
    length = sizeof(last_message) - 1;
    while (length > 0 && is_inside_character(message[length])) --length;
  }
  std::memcpy(last_message, message, length);
  last_message[length] = '\0';
  return status;
}

}  // namespace tilewise::api

using namespace tilewise;

int32_t tw_version(void) { return TW_VERSION_NUMBER; }

const char* tw_status_string(tw_status status) {
  switch (status) {
    case TW_OK: return "success";
    case TW_INVALID_ARGUMENT: return "invalid argument";
    case TW_INVALID_INPUT: return "invalid input";
    case TW_UNSUPPORTED: return "unsupported";
    case TW_OUT_OF_MEMORY: return "out of memory";
    case TW_NO_DEVICE: return "no such device";
    case TW_DRIVER: return "driver call failed";
    case TW_EXECUTION: return "kernel misbehaved";
    case TW_INTERNAL: return "internal error";
    default: return "unknown status";
  }
}

const char* tw_last_error_message(void) { return api::last_message; }

tw_status tw_cpu_instruction_set(const char** name) {
  return api::status_after([&] {
    if (name == nullptr) api::refuse_null("name", "where to put the name");
    static const std::string set = cpu_instruction_set();
    *name = set.c_str();
  });
}

tw_status tw_context_create(int32_t threads, tw_context** context) {
  return api::status_after([&] {
    if (context == nullptr) api::refuse_null("context", "where to put the new context");
    *context = nullptr;
    *context = new tw_context{Context({.threads = threads})};
  });
}

void tw_context_destroy(tw_context* context) { delete context; }

tw_status tw_context_threads(const tw_context* context, int32_t* threads) {
  return api::status_after([&] {
    if (threads == nullptr) api::refuse_null("threads", "where to put the number");
    *threads = api::context_of(context).threads();
  });
}
