#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Debian's testers of the BLAS (package libblas-test), with the door in front of another BLAS.

All computational tests and error exits of the products must pass, and exactly as many calls as the tester
counted must have come through the door. The BLAS behind is Debian's reference unless --libraries says otherwise.

Usage: debian_testers.py --door FILE [--libraries FOLDER] [--cpu NAME] TESTER, e.g. xblat3s
"""

import pathlib
import re
import tempfile

import preload

FOLDERS = pathlib.Path("/usr/lib").glob("*/blas")  # one an architecture, the reference libblas3 in the same
# Tester: its input, the file it writes its summary to (none: stdout), the product's name in the summary and at
# the door, how many summaries it has.
TESTERS = {
    "xblat3s": ("sblat3.in", "sblat3.out", "SGEMM", "sgemm_", 1),
    "xblat3d": ("dblat3.in", "dblat3.out", "DGEMM", "dgemm_", 1),
    "xscblat3": ("sin3", None, "cblas_sgemm", "cblas_sgemm", 2),
    "xdcblat3": ("din3", None, "cblas_dgemm", "cblas_dgemm", 2),
}


def check_summary(summary, product, layouts):
    """Returns how many calls the tester says that it made."""
    lines = [line for line in summary.splitlines() if product in line.split()]
    if not any("PASSED THE TESTS OF ERROR-EXITS" in line for line in lines):
        preload.fail(f"{product} did not pass the tests of error exits:\n{summary}")
    passed = [re.search(r"PASSED THE .*COMPUTATIONAL TESTS \( *(\d+) CALLS\)", line) for line in lines]
    counts = [int(match[1]) for match in passed if match]
    if len(counts) != layouts or "FAILED" in summary or "*****" in summary:
        preload.fail(f"{product} did not pass the computational tests:\n{summary}")
    return sum(counts)


def main():
    options = preload.arguments(__doc__, "tester")
    preload.skip_unless_cpu_has(options.cpu)
    input_name, output_name, product, symbol, layouts = TESTERS[options.tester]
    folder = next((folder for folder in FOLDERS if (folder / options.tester).exists()), None)
    if folder is None:
        preload.fail(f"{options.tester} is missing: run scripts/setup.sh, which installs libblas-test")
    tester, input_file = folder / options.tester, folder / input_name
    if options.libraries and not (pathlib.Path(options.libraries) / "libblas.so.3").exists():
        preload.skip(f"no BLAS in {options.libraries}")
    options.libraries = options.libraries or str(folder)
    preload.need(pathlib.Path(options.libraries) / "libblas.so.3", "libblas3")
    with tempfile.TemporaryDirectory() as scratch, open(input_file, encoding="utf-8") as words:
        done = preload.run([str(tester)], options, stdin=words, cwd=scratch)
        summary = (pathlib.Path(scratch) / output_name).read_text() if output_name else done.stdout
    if done.returncode != 0:
        preload.fail(f"{tester} ended with {done.returncode}:\n{summary}{done.stderr[-2000:]}")
    expected = check_summary(summary, product, layouts)
    came = preload.calls(done.stderr)
    if {call["name"] for call in came} != {symbol} or len(came) != expected:
        preload.fail(f"{expected} calls of {symbol}, but {len(came)} through the door")
    if any("plain loop" in call["how"] for call in came):
        preload.fail("the engine did not compute")
    print(f"{product}: {expected} calls passed, all through the door")


if __name__ == "__main__":
    main()
