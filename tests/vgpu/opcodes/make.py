#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the opcode tests (*.ptx) beside this file; --check says whether they are up to date.

Each file is a kernel `test(out, in)` with its inputs and the outputs that must come written in the
comments at its head, so that the same file runs on the virtual and on a real GPU. The outputs are
computed here, from the words of the PTX ISA and in exact arithmetic, never by the virtual GPU.

The format of the head, one item a line, lines that start with "//  " going on with the numbers:
    // threads: 32               threads of a block (x y z)
    // blocks: 2 3               blocks of the grid (x y z); 1 when absent
    // capability: 9.0           the least compute capability; 8.0 when absent
    // dynamic shared: 256       bytes; 0 when absent
    // in u32:                   numbers of the input buffer; arrays follow one another
    // out f32 [add.f32]:        numbers of the output buffer, with the name used in failures
    // out f32 [ex2.approx.f32] relative 2.4e-07:       ... or absolute: how far off it may be
Floats are decimal or a bit pattern (0x...); `nan` as an output means any NaN. Before the run every
byte of the output buffer is 0xA5.
"""

import sys
from pathlib import Path

from cases import (  # noqa: F401: importing a module registers its cases
    approximate,
    arithmetic,
    atomics,
    barriers,
    bits,
    calls,
    carry,
    compare,
    contention,
    convert,
    convert_floats,
    fields,
    flow,
    floating,
    matrix,
    matrix_moves,
    matrix_wmma,
    memory,
    moves,
    shared,
    small_integers,
    spaces,
    warp,
)
from cases.case import ALL


def main():
    folder = Path(__file__).resolve().parent
    check = "--check" in sys.argv[1:]
    stale = [path.name for path in folder.glob("*.ptx") if path.stem not in ALL]
    for name, text in sorted(ALL.items()):
        path = folder / f"{name}.ptx"
        if path.exists() and path.read_text() == text:
            continue
        if check:
            stale.append(path.name)
        else:
            path.write_text(text)
    if stale:
        print("not what make.py writes: " + " ".join(sorted(stale)), file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
