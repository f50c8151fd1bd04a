#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
#
# Sets up, builds everything and runs every test. Arguments go to ctest, e.g.:
#   scripts/test.sh -R Npy
# TILEWISE_PRESET chooses the build: release (where it is not set), debug, asan or tsan.
# shellcheck source=scripts/steps.sh
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
cd "$project"
preset=${TILEWISE_PRESET:-release}

scripts/setup.sh

step "configuring (preset $preset)"
cmake --preset "$preset" >/dev/null  # warnings and errors go to stderr

step "building ($(nproc) cores)"
cmake --build --preset "$preset" --parallel "$(nproc)"

step "testing"
if ctest --preset "$preset" --parallel "$(nproc)" "$@"; then
  step "done"
else
  status=$?
  step "tests failed: the list is above"
  exit "$status"
fi
