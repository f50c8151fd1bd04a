#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""What the door says on stderr: nothing by default, one whole line a call when asked, one line when the environment
asks for the impossible, which it then computes all the same. And on how many threads it computes, as the environment
asks.

Usage: verbose_lines.py --door FILE
"""

import ctypes
import os
import re
import subprocess
import sys
import threading

import preload

THREADS, CALLS = 6, 60
LARGE = 256  # a product of this size is worth several threads
INT, DOUBLE = ctypes.c_int, ctypes.c_double
ROWS, PLAIN, TRANSPOSED = 101, 111, 112


def multiply(door):
    """Two products on each of several threads at once; exits 1 when one is wrong."""
    failures = []

    def calls():
        a = (DOUBLE * 6)(1, 2, 3, 4, 5, 6)
        b = (DOUBLE * 6)(1, 0, 0, 1, 1, 1)
        c = (DOUBLE * 4)()
        for _ in range(CALLS):
            door.cblas_dgemm(ROWS, PLAIN, PLAIN, 2, 2, 3, DOUBLE(0.5), a, 3, b, 2, DOUBLE(0), c, 2)
            if list(c) != [2, 2.5, 5, 5.5]:
                failures.append(list(c))
            door.cblas_dgemm_batch_strided(
                ROWS, PLAIN, TRANSPOSED, 1, 1, 3, DOUBLE(1), a, 3, 3, a, 3, 0, DOUBLE(0), c, 1, 1, 2
            )
            if list(c)[:2] != [14, 32]:
                failures.append(list(c))

    threads = [threading.Thread(target=calls) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    square = (DOUBLE * LARGE**2)()
    result = (DOUBLE * LARGE**2)()
    shape = (LARGE, LARGE, LARGE, DOUBLE(1), square, LARGE, square, LARGE, DOUBLE(0), result, LARGE)
    door.cblas_dgemm(ROWS, PLAIN, PLAIN, *shape)
    return 1 if failures else 0


def words_with(options, **variables):
    """stderr of this script calling through the door with these environment variables."""
    env = preload.environment(options, preload=False)
    env["TILEWISE_INSIDE"] = options.door
    for name, value in variables.items():
        env[name] = value
    done = subprocess.run([sys.executable, *sys.argv], env=env, stderr=subprocess.PIPE, text=True, timeout=100)
    if done.returncode != 0:
        preload.fail(f"with {variables} a product was wrong: {done.stderr}")
    return done.stderr


def threads_with(options, **variables):
    """On how many threads the large product was computed."""
    calls = preload.calls(words_with(options, TILEWISE_VERBOSE="1", **variables))
    (large,) = [call for call in calls if call["m"] == str(LARGE)]
    rows, columns = re.search(r"(\d+)x(\d+) threads", large["how"]).groups()
    return int(rows) * int(columns)


def main():
    options = preload.arguments(__doc__)
    for quiet in ("", "0"):
        if words := words_with(options, TILEWISE_VERBOSE=quiet):
            preload.fail(f"says without being asked: {words}")
    calls = preload.calls(words_with(options, TILEWISE_VERBOSE="1"))
    for name, count, sizes in (
        ("cblas_dgemm", None, ("row", "NN", "2", "2", "3", "0.5", "0")),
        ("cblas_dgemm_batch_strided", "2", ("row", "NT", "1", "1", "3", "1", "0")),
    ):
        found = [call for call in calls if call["name"] == name and call["count"] == count and call["m"] != str(LARGE)]
        if len(found) != THREADS * CALLS:
            preload.fail(f"{len(found)} lines for {THREADS * CALLS} calls of {name}")
        if {call.group("layout", "trans", "m", "n", "k", "alpha", "beta") for call in found} != {sizes}:
            preload.fail(f"the lines of {name} do not say what was asked for: {found[0][0]}")
    for wanted, variables in (
        (1, {"OMP_NUM_THREADS": "1"}),
        (1, {"OMP_NUM_THREADS": "1,4"}),
        (2, {"OMP_NUM_THREADS": "1", "TILEWISE_NUM_THREADS": "2"}),
    ):
        if (found := threads_with(options, **variables)) != wanted:
            preload.fail(f"with {variables} on {found} threads")
    words = words_with(options, TILEWISE_VERBOSE="0", TILEWISE_CPU="abacus")
    if words.count("\n") != 1 or "abacus" not in words or "plain loop" not in words:
        preload.fail(f"TILEWISE_CPU=abacus: {words!r}")
    print("says what it should")


if __name__ == "__main__":
    if inside := os.environ.get("TILEWISE_INSIDE"):
        sys.exit(multiply(ctypes.CDLL(inside)))
    main()
