// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Waits, and touches no memory. A benchmark of short kernels begins with it: while the GPU waits the host puts
// what is to be timed into the stream, so that no kernel waits for the host.

extern "C" __global__ void pause_clocks(long long clocks) {
  const long long start = clock64();
  while (clock64() - start < clocks) {
  }
}
