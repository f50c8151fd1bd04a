#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""libtilewise_blas.so shows exactly the names of exports.map, and needs no library but the language's.

Usage: exported_names.py --door FILE EXPORTS_MAP
"""

import pathlib
import re
import subprocess

import preload

MAY_NEED = re.compile(r"(libc|libm|libdl|libstdc\+\+|libgcc_s|libpthread|ld-linux\S*|lib[a-z]+san)\.so\.\d+")


def words_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    options = preload.arguments(__doc__, "exports")
    wanted = set(re.findall(r"^ +(\w+);", pathlib.Path(options.exports).read_text(encoding="utf-8"), re.MULTILINE))
    lines = words_of("nm", "-D", "--defined-only", options.door).splitlines()
    shown = {line.split()[-1] for line in lines}
    if len(wanted) != 36 or shown != wanted:
        preload.fail(f"missing: {sorted(wanted - shown)}, too many: {sorted(shown - wanted)}")
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", words_of("readelf", "-d", options.door)))
    for library in needed:
        if not MAY_NEED.fullmatch(library):
            preload.fail(f"needs {library}")
    print(f"{len(shown)} names, needs {', '.join(sorted(needed))}")


if __name__ == "__main__":
    main()
