// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#define TILEWISE_HANDLERS handlers_portable
#include "vgpu/exec/handlers.inl"
