#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
#
# Formats the C++ and CUDA sources with clang-format 14 (Debian 12's: apt-get install clang-format-14).
#   scripts/format.sh           rewrites the files that differ
#   scripts/format.sh --check   only names them; exit 1 when there are any
# shellcheck source=scripts/steps.sh
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
cd "$project"

formatter=$(command -v clang-format-14 || command -v clang-format || true)
[[ -n $formatter ]] || die "clang-format 14 is needed: apt-get install clang-format-14"
[[ $("$formatter" --version) == *'version 14.'* ]] ||
  die "clang-format 14 is needed, this is $("$formatter" --version): other versions break lines otherwise"

mapfile -d '' files < <(find benchmarks include src tests \
  -path tests/vgpu/cubins -prune -o -regex '.*\.\(cpp\|hpp\|h\|inl\|cu\|cuh\)' -print0 | sort -z)

case ${1:-} in
  --check)
    differing=()
    for file in "${files[@]}"; do
      "$formatter" "$file" | cmp -s - "$file" || differing+=("$file")
    done
    if [[ ${#differing[@]} != 0 ]]; then
      printf '%s\n' "${differing[@]}"
      die "${#differing[@]} of ${#files[@]} files differ; scripts/format.sh formats them"
    fi
    echo "${#files[@]} files, all formatted"
    ;;
  '') "$formatter" -i "${files[@]}" ;;
  *) die "unknown argument '$1'; only --check is known" ;;
esac
