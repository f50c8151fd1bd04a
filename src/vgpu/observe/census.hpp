// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The census of memory accesses: holds every load and store of the PTX against what ptxas made of it.
//
// ptxas merges adjacent scalar accesses into wider ones, and wider accesses cost fewer wavefronts. The
// cubin tells, for each machine instruction, the PTX line it stands for. So each PTX access is one of:
//   itself      the machine code has an access of the same width on its line;
//   in a group  a wider access stands for it and its neighbours (same base register, adjacent offsets,
//               same basic block): the group is counted once, with the wider width;
//   dropped     no machine access stands for it, and none is needed: nothing uses what it loads, or
//               another access of the same bytes serves it too;
//   lost        something uses it, but no machine access stands for it: what is counted then is only
//               approximate.
#pragma once

#include <string>
#include <vector>

#include "vgpu/cubin/cubin.hpp"
#include "vgpu/exec/decode.hpp"
#include "vgpu/vgpu.hpp"

namespace tilewise::vgpu {

struct Census {
  Fidelity fidelity = Fidelity::kApproximate;
  std::vector<std::string> notes;  ///< why it is not exact, one line each
};

/// Sets Site::counted_bytes of every site. `cubin` may be nullptr: then every access counts as written.
Census take_census(Decoded& decoded, const CubinKernel* cubin);

}  // namespace tilewise::vgpu
