// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What a real GPU says of itself, as a model::Gpu.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "device/cuda/driver_api.hpp"
#include "model/gpu.hpp"

namespace tilewise::device::cuda {

/// Reads one attribute of the device described.
using AttributeReader = std::function<int(DeviceAttribute)>;

/// The facts the driver knows, filled in. What it does not know (lanes, tensor rates, allocation
/// units) stays at its default; complete() adds it.
model::Gpu facts_from_driver(std::string name, std::uint64_t memory_bytes,
                             const AttributeReader& read);

/// Adds what the driver does not tell: from the catalogue's GPU of the same name, else the figures of
/// one SM from a catalogue's GPU of the same compute capability, else from the CUDA programming guide.
/// `sources` says which. The driver's own figures win.
void complete(model::Gpu& gpu, std::span<const model::Gpu> catalogue);

/// Both of the above for device number `ordinal`. Throws Error{kDriver}.
model::Gpu describe(const DriverApi& api, DeviceOrdinal ordinal);

}  // namespace tilewise::device::cuda
