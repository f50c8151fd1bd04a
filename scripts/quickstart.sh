#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
#
# From a fresh checkout to the ladder: sets up, builds, and multiplies the two matrices of examples/
# with every rung, on the GPU of this machine or on the virtual one. Arguments are added to the
# ladder's, e.g.: scripts/quickstart.sh --device virtual --gpu a100
# shellcheck source=scripts/steps.sh
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
cd "$project"

scripts/setup.sh

step "configuring build/"
cmake --preset release >/dev/null  # warnings and errors go to stderr

step "building build/bin/tilewise ($(nproc) cores)"
cmake --build --preset release --target tilewise --parallel "$(nproc)"

step "climbing the ladder: examples/a.npy times examples/b.npy"
build/bin/tilewise ladder --a examples/a.npy --b examples/b.npy --html report.html "$@"

step "done. The same with charts: file://$project/report.html"
