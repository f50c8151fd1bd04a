#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes the PTX front end on one core, with AddressSanitizer and UndefinedBehaviorSanitizer: libFuzzer makes texts
# of the PTX in tests/, and each must load or be refused with its line. Needs clang.
#   scripts/fuzz.sh          for a minute
#   scripts/fuzz.sh 3600     for as many seconds
# Texts that reach something new are kept in build-fuzz/found/, and the next run goes on from them. One that fails is
# left in build-fuzz/failed/: it belongs into tests/vgpu/fuzz/found/ once it is understood.
# shellcheck source=scripts/steps.sh
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
cd "$project"
seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || die "seconds '$seconds': expected a number above 0"
command -v clang++ >/dev/null || die "clang++ is needed: apt-get install clang"

step "building"
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target ptx_fuzz --parallel "$(nproc)" >/dev/null

# Long texts, and one that doubles until it is refused, take long: the tests load those, and what is made of
# shorter ones finds more in the same time.
mkdir -p build-fuzz/seeds build-fuzz/found build-fuzz/failed
find tests/vgpu/opcodes tests/vgpu/cubins tests/vgpu/fuzz/found -name '*.ptx' -size -17k \
  ! -name calls_that_double.ptx -exec cp -t build-fuzz/seeds {} +

step "fuzzing for $seconds s"
build-fuzz/bin/ptx_fuzz -max_total_time="$seconds" -max_len=8192 -timeout=120 -rss_limit_mb=4096 \
  -print_final_stats=1 -verbosity=0 -artifact_prefix=build-fuzz/failed/ \
  -dict=tests/vgpu/fuzz/ptx.dict build-fuzz/found build-fuzz/seeds
step "done: no text failed"
