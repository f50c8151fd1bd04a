#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs every planted bug and its twin on this machine's GPU, alone and under each tool of
# compute-sanitizer, and writes what came of it as one CSV file, and everything the tools said beside it.
# Needs nvcc, g++, compute-sanitizer and a GPU of compute capability 9.0.
#   tests/bugs/sanitizer/sweep.sh OUT.csv [JOBS [SECONDS [CASE...]]]
# With CASEs only these run, and where OUT.csv is there, their rows replace those in it.
# Columns: case; version (bug, fixed); tool (none: the kernel alone); verdict (found, clean, hang, none);
# result (right, wrong, hang, error: the driver's, failed: no launch); lines: of the case's file that the
# tool named, or else of the headers; first: its first sentence.
set -euo pipefail

out=${1:?usage: sweep.sh OUT.csv [JOBS [SECONDS]]}
jobs=${2:-4}
export SECONDS_EACH=${3:-20}
only=("${@:4}")
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT
mkdir "$work/images" "$work/rows" "$work/logs"

g++ -std=c++20 -O1 -I"$folder" "$folder/sanitizer/launch_case.cpp" "$folder/cases.cpp" \
  -o "$work/launch_case" -ldl
mapfile -t names < <("$work/launch_case" --list)
if ((${#only[@]})); then names=("${only[@]}"); fi
# shellcheck disable=SC2016  # the inner shell is to expand it
printf "$folder/%s.cu\0" "${names[@]}" | xargs -0 -P "$(nproc)" -I{} sh -c \
  'nvcc -std=c++20 -O3 -lineinfo -cubin -arch=sm_90a "$1" -o "$work/images/$(basename "$1" .cu).cubin" \
     2>"$work/logs/$(basename "$1" .cu).nvcc" || echo "nvcc failed: $1" >&2' sh {}

# One run: its row goes to a file of its own, so that runs may overlap.
one_run() {
  local name=$1 version=$2 tool=$3 log result verdict lines first
  log=$work/logs/$name.$version.$tool
  local command=("$work/launch_case" "$work/images" "$name" "$version" "$SECONDS_EACH")
  if [[ $tool != none ]]; then
    command=(compute-sanitizer --tool "$tool" --print-limit 100 "${command[@]}")
  fi
  # The launcher gives up after SECONDS_EACH; this is for what hangs outside of the kernel.
  local status=0
  timeout -k 5 $((SECONDS_EACH + 30)) "${command[@]}" >"$log" 2>&1 || status=$?
  result=$(grep -m1 -oE '^(right|wrong|hang|error)' "$log" || true)
  if [[ -z $result ]]; then
    if [[ $status == 124 || $status == 137 ]]; then result=hang; else result=failed; fi
  fi
  first=$(grep -m1 -E '^========= (Error|Warning|Invalid|Uninit|Barrier|Program|Potential|Race|Fatal|.*(hazard|Hazard|Race reported))' \
    "$log" | sed 's/^========= //; s/"/""/g' || true)
  lines=$(grep -oE "$name\.cu:[0-9]+" "$log" | grep -oE '[0-9]+$' | sort -nu | paste -sd ' ' || true)
  if [[ -z $lines ]]; then  # of an inlined function the tools may name its own line
    lines=$(grep -oE '(ptx|matrix)\.cuh:[0-9]+' "$log" | sort -u | paste -sd ' ' || true)
  fi
  if [[ $tool == none ]]; then verdict=none
  elif grep -qE '(ERROR SUMMARY: [1-9]|RACECHECK SUMMARY: [1-9])' "$log"; then verdict=found
  elif [[ $result == hang ]]; then verdict=hang
  else verdict=clean
  fi
  printf '%s,%s,%s,%s,%s,%s,"%s"\n' "$name" "$version" "$tool" "$verdict" "$result" "$lines" "$first" \
    >"$work/rows/$name.$version.$tool"
}
export -f one_run

for name in "${names[@]}"; do
  for version in bug fixed; do
    for tool in none memcheck racecheck initcheck synccheck; do echo "$name $version $tool"; done
  done
done >"$work/runs"
xargs -P "$jobs" -L1 bash -c 'one_run "$@"' _ <"$work/runs"

if ((${#only[@]})) && [[ -s $out ]]; then
  pattern="^($(IFS='|' && echo "${only[*]}")),"
  grep -vE "$pattern" "$out" >"$work/kept" || true
else
  : >"$work/kept"
fi
{
  if [[ -s $work/kept ]]; then cat "$work/kept"; else
  echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)"
  echo "# $(compute-sanitizer --version | tail -1)"
  echo "# $(nvcc --version | tail -1)"
  echo "case,version,tool,verdict,result,lines,first"
  fi
  while read -r name version tool; do cat "$work/rows/$name.$version.$tool"; done <"$work/runs"
} >"$out"
for log in "$work"/logs/*; do
  echo "##### $(basename "$log")"
  cat "$log"
done >"${out%.csv}.log"
echo "$out: $(grep -c ',found,' "$out" || true) of $(($(wc -l <"$work/runs"))) runs reported something"
