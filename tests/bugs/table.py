#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of docs/bugs.md.

  TILEWISE_BUGS_ROWS=rows.md build/bin/bugs_test
  tests/bugs/table.py rows.md [SANITIZER.csv]

rows.md is what the virtual GPU found, SANITIZER.csv what sanitizer/sweep.sh wrote on a real GPU;
without it the column keeps what it says.
"""

import csv
import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "bugs.md"
BEGIN, END = "<!-- table: tests/bugs/table.py writes it -->", "<!-- end of the table -->"
HEAD = (
    "| kernel | bug | the virtual GPU finds | wrong result there | compute-sanitizer finds | on the GPU |\n"
    "|---|---|---|---|---|---|\n"
)
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")


def runs_of(path):
    """(case, version, tool) -> row"""
    with open(path, encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {(row["case"], row["version"], row["tool"]): row for row in rows}


def verdict(runs, name):
    """What the four tools said of a bug, and what its result was without them."""
    words = []
    for tool in TOOLS:
        row = runs[name, "bug", tool]
        if row["verdict"] != "found":
            continue
        lines = row["lines"].split()
        words.append(tool + (f" (line{'s' * (len(lines) > 1)} {', '.join(lines)})" if lines else ""))
    false_alarms = [tool for tool in TOOLS if runs[name, "fixed", tool]["verdict"] == "found"]
    if false_alarms:
        words.append(f"of the twin too: {', '.join(false_alarms)}")
    return f"{'; '.join(words) or 'nothing'} | {runs[name, 'bug', 'none']['result']}"


def kept_columns(text):
    """name -> the last two columns that the page has now."""
    rows = re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|([^|]*)\|$", text, re.M)
    return {name: f"{finds.strip()} | {result.strip()}" for name, finds, result in rows}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    old, after = rest.split(END)
    kept = kept_columns(old)
    runs = runs_of(sys.argv[2]) if len(sys.argv) == 3 else None
    table = HEAD
    for row in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        name = re.match(r"\| `(\w+)`", row)[1]
        table += f"{row} {verdict(runs, name) if runs else kept.get(name, 'not run | not run')} |\n"
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
