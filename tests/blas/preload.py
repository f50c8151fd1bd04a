# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests with LD_PRELOAD share: environments, and the lines that TILEWISE_VERBOSE=1 writes."""

import argparse
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77  # what ctest takes for "skipped" (SKIP_RETURN_CODE)
LINE = re.compile(
    r"tilewise: (?P<name>\w+) (?P<layout>row|column)-major (?P<trans>[NTC]{2}) m=(?P<m>\d+) n=(?P<n>\d+) "
    r"k=(?P<k>\d+) lda=\d+ ldb=\d+ ldc=\d+ alpha=(?P<alpha>\S+) beta=(?P<beta>\S+)"
    r"( strides=-?\d+,-?\d+,-?\d+ count=(?P<count>\d+))?: (?P<how>.+), \d+\.\d{3} ms, \d+\.\d GFLOP/s"
)


def arguments(description, *more):
    """The options all scripts have, and the positional ones of this one."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--door", required=True, help="libtilewise_blas.so")
    parser.add_argument("--runtime", default="", help="libraries to be loaded before it, for a sanitizer")
    parser.add_argument("--libraries", default="", help="the folder of the BLAS behind")
    parser.add_argument("--cpu", default="", help="TILEWISE_CPU")
    for name in more:
        parser.add_argument(name)
    return parser.parse_args()


def environment(options, preload=True):
    """The environment of a program that calls through the door."""
    result = {name: value for name, value in os.environ.items() if not name.startswith("TILEWISE_")}
    result["TILEWISE_VERBOSE"] = "1"
    result["OPENBLAS_NUM_THREADS"] = "1"
    if options.cpu:
        result["TILEWISE_CPU"] = options.cpu
    if options.libraries:
        result["LD_LIBRARY_PATH"] = options.libraries
    preloaded = options.runtime.split()
    if preload:
        preloaded.append(options.door)
    if preloaded:
        result["LD_PRELOAD"] = ":".join(preloaded)
    # Programs that are not built with the sanitizer keep memory to their end.
    result["ASAN_OPTIONS"] = "detect_leaks=0"
    return result


def run(command, options, **more):
    return subprocess.run(
        command, env=environment(options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, **more
    )


def calls(stderr):
    """The matches of LINE, one a call. Fails on any line that is none: they must not mix."""
    found = []
    for line in stderr.splitlines():
        match = LINE.fullmatch(line)
        if not match:
            fail(f"not a line of TILEWISE_VERBOSE: {line!r}")
        found.append(match)
    return found


def fail(why):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {why}")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def need(path, package):
    """Fails with what to do unless the file is there."""
    if not pathlib.Path(path).exists():
        fail(f"{path} is missing: run scripts/setup.sh, which installs {package}")


def skip_unless_cpu_has(instruction_set):
    """Leaves when this machine cannot run what TILEWISE_CPU is to ask for."""
    wanted = {"avx2": {"avx2", "fma", "f16c"}, "avx512": {"avx512f", "avx512dq", "avx512bw", "avx512vl"}}
    flags = set()
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("flags"):
            flags = set(line.split(":")[1].split())
            break
    if not wanted.get(instruction_set, set()) <= flags:
        skip(f"this processor has no {instruction_set}")
