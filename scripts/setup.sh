#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes a Debian 12 machine (or a newer one of its family) able to build and test Tilewise. Installs
# what is missing, and only that: packages through apt, and nvcc, where there is none, into .cuda/.
# Quick when everything is there.
#
# TILEWISE_IGNORE_SYSTEM_CUDA=1 acts as if the machine had no nvcc (to try what follows then).
# shellcheck source=scripts/steps.sh
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"

# What is needed: a command or a library, its lowest version ("-": any), the Debian package it is in.
readonly requirements='
cmake         3.25    cmake
g++           12      g++
ninja         -       ninja-build
git           -       git
ccache        -       ccache
python3       3.9     python3
fmt           9       libfmt-dev
nlohmann-json 3.11    nlohmann-json3-dev
CLI11         2.1     libcli11-dev
libzstd       1.5     libzstd-dev
zstd          -       zstd
GoogleTest    1.12    libgtest-dev
SQLite        3.24    libsqlite3-dev
benchmark     1.7     libbenchmark-dev
Chart.js      3.9     libjs-chart.js
libblas3      3.11    libblas3
libblas-test  3.11    libblas-test
NumPy         1.24    python3-numpy
'
readonly cuda="$project/.cuda"

# version_of NAME PACKAGE: the version in use of a command or a package; empty when there is none.
version_of() {
  case $1 in
    cmake | ninja | git | ccache | zstd | python3 | g++)
      command -v "$1" >/dev/null || return 0
      if [[ $1 == g++ ]]; then g++ -dumpfullversion; else "$1" --version; fi 2>/dev/null |
        grep -oEm1 '[0-9]+(\.[0-9]+)*' | head -n 1 || true
      ;;
    *)
      # Without the epoch ("1:") and the Debian revision ("-2").
      dpkg-query -W -f='${db:Status-Status} ${Version}\n' "$2" 2>/dev/null |
        sed -nE 's/^installed ([0-9]+:)?([0-9.]+).*/\2/p' | head -n 1 || true
      ;;
  esac
}

# at_least VERSION LOWEST
at_least() { [[ $2 == - ]] || printf '%s\n%s\n' "$2" "$1" | sort -CV; }

# unmet: one line "NAME LOWEST PACKAGE VERSION" for each requirement that is not met.
unmet() {
  local name lowest package version
  while read -r name lowest package; do
    [[ -n $name ]] || continue
    version=$(version_of "$name" "$package")
    if [[ -z $version ]] || ! at_least "$version" "$lowest"; then
      echo "$name $lowest $package ${version:-none}"
    fi
  done <<<"$requirements"
}

# apt_install PACKAGE...: ends the script when it cannot, with what the user can do instead.
apt_install() {
  command -v apt-get >/dev/null ||
    die "this machine has no apt; install by your own means what Debian calls: $*"
  local by_hand="as root, run: apt-get update && apt-get install $*"
  local root=()
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null || die "packages are missing, and here is neither root nor sudo; $by_hand"
    root=(sudo)
    [[ -t 0 ]] || root=(sudo -n)
    "${root[@]}" true || die "packages are missing, and sudo does not let you; $by_hand"
  fi
  local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  "${apt[@]}" update || note "apt-get update failed; trying with the package lists that are here"
  "${apt[@]}" install --yes --no-install-recommends "$@" >/dev/null ||
    die "apt could not install: $* (its words are above)"
}

install_packages() {
  local missing packages
  missing=$(unmet)
  if [[ -z $missing ]]; then
    step "packages: all there"
    return
  fi
  mapfile -t packages < <(cut -d' ' -f3 <<<"$missing")
  step "packages: installing ${packages[*]}"
  apt_install "${packages[@]}"
  hash -r
  missing=$(unmet)
  [[ -z $missing ]] || die "still missing or too old after the installation$(
    while read -r name lowest package version; do
      printf '; %s: %s here, at least %s needed (Debian package %s)' \
        "$name" "$version" "${lowest/#-/any}" "$package"
    done <<<"$missing"
  )"
}

# find_nvcc: the nvcc the build would choose, or nothing. Why one was passed over goes to stderr.
find_nvcc() { cmake -P "$project/cmake/nvcc.cmake"; }

# Sets pip to a pip that works: the machine's, or that of a virtual environment made for this.
find_pip() {
  local python
  for python in python3 /usr/bin/python3; do
    pip=("$python" -m pip)
    if "${pip[@]}" --version >/dev/null 2>&1; then return; fi
  done
  if ! /usr/bin/python3 -c 'import ensurepip' 2>/dev/null; then
    step "packages: installing python3-venv (for pip)"
    (apt_install python3-venv) || return
  fi
  /usr/bin/python3 -m venv "$cuda/staging/venv" || return
  pip=("$cuda/staging/venv/bin/python" -m pip)
}

# unpack_nvcc: unpacks the pinned packages and moves what they hold to .cuda/, the layout nvcc expects
# around it. Every step says "|| return": the caller tests the result, which turns `set -e` off here.
unpack_nvcc() {
  local pip folder
  rm -rf "$cuda"
  mkdir -p "$cuda/staging" "$cuda/licenses" || return
  find_pip || return
  PIP_ROOT_USER_ACTION=ignore "${pip[@]}" install --quiet --disable-pip-version-check \
    --retries 2 --timeout 20 --no-deps --no-compile --require-hashes \
    --requirement "$project/scripts/cuda-requirements.txt" --target "$cuda/staging/packages" \
    2>"$cuda/staging/words" || { grep '^ERROR' "$cuda/staging/words" >&2; return 1; }
  mv "$cuda"/staging/packages/nvidia/cu13/* "$cuda/" || return
  for folder in "$cuda"/staging/packages/*.dist-info; do
    cp "$folder/licenses/License.txt" "$cuda/licenses/$(basename "$folder" .dist-info).txt" || return
  done
  rm -rf "$cuda/staging"
}

install_nvcc() {
  local nvcc
  nvcc=$(find_nvcc)
  if [[ -n $nvcc ]]; then
    step "nvcc: $nvcc"
    return
  fi
  step "nvcc: none found; unpacking NVIDIA's packages from PyPI into .cuda/ (100 MB)"
  if unpack_nvcc && nvcc=$(find_nvcc) && [[ -n $nvcc ]]; then
    step "nvcc: $nvcc (NVIDIA's licences: .cuda/licenses/)"
  else
    rm -rf "$cuda"
    step "nvcc: not installed (is there a network?); going on without GPU kernels, for the CPU only"
  fi
}

install_packages
install_nvcc
