# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the scripts share: where the project is, and how they tell what they are doing. Sourced.
set -euo pipefail

# shellcheck disable=SC2034  # used by the scripts that source this file
project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Scripts that call each other count from the first one's start.
export TILEWISE_STARTED=${TILEWISE_STARTED:-$(date +%s)}

# step TEXT: what begins now, with the seconds since the start.
step() { printf '[%4d s] %s\n' "$(($(date +%s) - TILEWISE_STARTED))" "$*"; }

# note TEXT: something the reader should know; the script goes on.
note() { printf '         %s\n' "$*"; }

# die TEXT: says why it cannot go on, and ends.
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}
