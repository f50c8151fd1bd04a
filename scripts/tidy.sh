#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs clang-tidy 14 (Debian 12's: apt-get install clang-tidy-14) over the C++ sources. Needs a
# configured build/ (cmake --preset release). Arguments choose files; where there are none: all.
#   scripts/tidy.sh src/core/npy.cpp
# shellcheck source=scripts/steps.sh
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
cd "$project"

tidy=$(command -v clang-tidy-14 || command -v clang-tidy || true)
[[ -n $tidy ]] || die "clang-tidy 14 is needed: apt-get install clang-tidy-14"
build=${TILEWISE_BUILD:-build}
[[ -f $build/compile_commands.json ]] ||
  die "$build/compile_commands.json is missing: run cmake --preset release first"

files=("$@")
if [[ ${#files[@]} == 0 ]]; then
  # exec/ is written in g++'s vector extensions, which clang cannot read.
  mapfile -t files < <(find src tests benchmarks -name '*.cpp' -not -path 'src/vgpu/exec/*' | sort)
fi
step "clang-tidy over ${#files[@]} files"
# The sources are compiled by g++: what clang itself would warn about says nothing here.
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" \
  "$tidy" -p "$build" --quiet --extra-arg=-Wno-everything 2> >(grep -v ' generated\.$' >&2) ||
  die "clang-tidy found something (above)"
step "nothing found"
