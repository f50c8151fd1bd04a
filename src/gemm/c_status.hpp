// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// From exceptions to statuses: the only way out of every function of tilewise/tilewise.h.
#pragma once

#include <exception>
#include <new>

#include "tilewise/gemm.hpp"
#include "tilewise/tilewise.h"

struct tw_context {
  tilewise::Context context;
};

namespace tilewise::api {

tw_status status_of(ErrorCode code) noexcept;

/// Keeps `message` as this thread's last, and returns `status`.
tw_status remember(tw_status status, const char* message) noexcept;

/// TW_OK, or the status of what call() threw, of which the message is kept.
template <class Call> tw_status status_after(Call&& call) noexcept {
  try {
    call();
    return TW_OK;
  } catch (const Error& error) {
    return remember(status_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return remember(TW_OUT_OF_MEMORY, "out of memory: no room for what the call needs");
  } catch (const std::exception& error) {
    return remember(TW_INTERNAL, error.what());
  } catch (...) {
    return remember(TW_INTERNAL, "an exception of unknown type");
  }
}

inline const Context& context_of(const tw_context* context) {
  return context != nullptr ? context->context : default_context();
}

}  // namespace tilewise::api
