#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Finds code for AVX in a library that could run on a processor without it. Exit 1 when there is any.

Some files of the library are compiled for AVX2 or AVX-512 and run only where a check at run time allows
it. When such a file defines an inline function of a header that others include too, std::max<int> say,
the linker keeps one of the copies for everybody: perhaps the one for AVX. Hence the rule: an object
with AVX instructions defines no weak symbol, unless it is named in a namespace of its instruction set
and no other object defines it. Nor does it run anything when the program starts.

Usage: check_instruction_sets.py NM OBJDUMP LIBRARY.a...
"""

import collections
import re
import subprocess
import sys

# VEX and EVEX instructions begin with v and name a vector register.
AVX_INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t(?:\{\w+\} )?v\w+ .*%[xyz]mm")
OBJDUMP_HEADING = re.compile(r"^(\S+\.o):\s")
NM_HEADING = re.compile(r"^(\S+\.o):$")
START = re.compile(r"^[0-9a-fA-F]+ t (?:_GLOBAL__(?:sub_)?I_|__cxx_global_var_init)")
WEAK = re.compile(r"^[0-9a-fA-F]+ [WVu] (.*)$")
OWN_NAMESPACE = re.compile(r"\btilewise::cpu::(?:\w+::)*(?:avx|vnni)\w*::")
# What a compiler adds for exceptions: a pointer, no code.
POINTER = re.compile(r"^DW\.ref\.")
# Runs before the choice. When it needs AVX, then so does the whole library, by its user's wish.
CHOOSES = "instruction_set.cpp.o"


def lines_of_members(text, heading):
    """(member, line) for each line of what a tool says about archives. Members are numbered: an archive
    may hold several of one name."""
    member, count = None, 0
    for line in text.splitlines():
        if match := heading.match(line):
            count += 1
            member = (count, match[1])
        elif member:
            yield member, line


def members_with_avx(disassembly):
    """Of `objdump -d`: the members with AVX instructions."""
    lines = lines_of_members(disassembly, OBJDUMP_HEADING)
    return {member for member, line in lines if AVX_INSTRUCTION.match(line)}


def weak_symbols(names):
    """Of `nm -C`: symbol -> the members that define it."""
    found = collections.defaultdict(set)
    for member, line in lines_of_members(names, NM_HEADING):
        if (match := WEAK.match(line)) and not POINTER.match(match[1]):
            found[match[1]].add(member)
    return found


def starting_members(names):
    """Of `nm -C`: the members that initialise variables when the program starts."""
    return {member for member, line in lines_of_members(names, NM_HEADING) if START.match(line)}


def violations(disassembly, names):
    avx = members_with_avx(disassembly)
    for _, name in sorted(avx & starting_members(names)):
        yield f"{name}: has AVX instructions and runs when the program starts, on any processor"
    for symbol, members in weak_symbols(names).items():
        for _, name in sorted(avx & members):
            if not OWN_NAMESPACE.search(symbol):
                yield f"{name}: has AVX instructions and defines {symbol}, which others may define too"
            elif len(members) > 1:
                yield f"{name}: has AVX instructions and shares {symbol} with other objects"


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main(nm, objdump, *libraries):
    disassembly = output_of(objdump, "-d", "--no-show-raw-insn", *libraries)
    avx = members_with_avx(disassembly)
    if CHOOSES in {name for _, name in avx}:
        print("skipped: the whole library is compiled for AVX")
        return 0
    if not avx:
        print(f"{' '.join(libraries)}: no object has AVX instructions: is this the CPU engine on x86?")
        return 1
    found = list(violations(disassembly, output_of(nm, "-C", "--defined-only", *libraries)))
    print("\n".join(found) or f"{len(avx)} objects with AVX instructions keep them to themselves")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
