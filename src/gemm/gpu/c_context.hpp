// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What tw_gpu_context of tilewise/tilewise.h is.
#pragma once

#include "tilewise/gpu.hpp"
#include "tilewise/tilewise.h"

struct tw_gpu_context {
  tilewise::GpuContext context;
};
