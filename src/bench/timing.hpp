// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// How times are taken: device events around single runs, ours and a peer's in turn, operands that
// rotate so that none is still in the L2 cache, the median of at least ten runs.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "device/device.hpp"

namespace tilewise::bench {

/// The middle sample, or the mean of the two middle ones. Throws Error{kInvalidArgument} for none.
double median(std::vector<double> samples);

/// Sets of operands to rotate among, `set_bytes` each, so that together they are at least three times
/// the cache: at most what fits in `memory_bytes` and at most 64, at least 1.
int sets_past_cache(std::uint64_t set_bytes, std::uint64_t cache_bytes, std::uint64_t memory_bytes);

struct RunCounts {
  int warm_up = 0, timed = 0;
};

/// How often to run what takes `round_ms` a round (ours and the peer's): warm-up for about 100 ms,
/// which brings clocks up, then timed rounds for about a second, at least ten and at most 200.
/// `requested` > 0 sets the timed rounds.
RunCounts choose_counts(double round_ms, int requested);

/// Puts one run in the stream, on that set of operands.
using EnqueueRun = std::function<void(int set)>;

struct Samples {
  std::vector<double> ours_ms, peer_ms;
};

/// Times `ours` and, where there is one, `peer`, run by run in turn. Nothing waits between runs, so
/// that the device, not the host, sets the pace; but with `rest_ms` > 0 the device idles that long before
/// each run (and before that run warms up with one of its kind), so that a power limit that many runs in a
/// row would reach does not lower its clocks.
Samples time_interleaved(device::Device& device, device::Stream& stream, const EnqueueRun& ours,
                         const EnqueueRun& peer, int sets, int requested, int rest_ms = 0);

/// How long to measure a shape.
struct TurnLimits {
  double seconds = 0.4;  ///< of rounds, which may be fewer than fit, but never fewer than 10
  int repeat = 0;        ///< rounds; 0: as many as `seconds` allow, 10 to 200
};

/// Puts about so many microseconds of other work in the stream: bench/lead_in.hpp.
using LeadInWork = std::function<void(double microseconds)>;

/// Times several contenders in rounds: each runs once a round, in an order that `random` shuffles. The result
/// has milliseconds by contender and round. Rounds shorter than what the host needs to enqueue them are led
/// by `lead_in`, work that keeps the device busy meanwhile, so that no event waits for the host.
std::vector<std::vector<double>> time_in_turns(device::Device& device, device::Stream& stream,
                                               const std::vector<EnqueueRun>& contenders, int sets,
                                               const TurnLimits& limits, const LeadInWork& lead_in,
                                               std::mt19937_64& random);

/// Milliseconds that the fastest of a few runs took: one, where one is long.
double time_shortly(device::Device& device, device::Stream& stream, const EnqueueRun& run, int sets,
                    const LeadInWork& lead_in);

}  // namespace tilewise::bench
