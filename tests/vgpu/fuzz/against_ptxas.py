#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Holds the PTX front end against ptxas: what ptxas refuses must be refused.

  tests/vgpu/fuzz/against_ptxas.py PTX_LINES PTXAS COUNT SEED FOLDER...

Takes the instructions of the .ptx files of the folders, and makes COUNT others of them: modifiers left out,
exchanged, added, swapped, operands left out, repeated, of other types and kinds. Those that the program
PTX_LINES takes go to PTXAS. Prints what it refuses of them, by opcode, and fails where that is more than
one in 200 of all, or where an instruction of the files themselves is refused by either.
"""

import collections
import pathlib
import random
import re
import subprocess
import sys
import tempfile

TYPES = "pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 f16x2 f32 f64".split()
DECLARED = " ".join(f".reg .{t} %{t}_<8>;" for t in TYPES)
HEAD = f""".version 9.0
.target sm_90a
.address_size 64
.global .align 16 .b8 glb[256];
.const .align 16 .b8 cst[256];
"""
KERNEL = f""".visible .entry kernel(.param .u64 prm, .param .align 64 .b8 big[128])
{{
{DECLARED}
.shared .align 128 .b8 shm[1024]; .local .align 16 .b8 lcl[64];
"""
NAMES = {"param": "prm", "shared": "shm", "global": "glb", "const": "cst", "local": "lcl"}
OPERANDS = [f"%{t}_3" for t in TYPES] + (
    "_ 1 -1 0f3F800000 1.5 shm glb %tid.x %laneid %clock64 [%b64_3] {%b32_1,%b32_2} 4294967296 !%pred_3".split()
)
MODIFIERS = (
    "global shared local const param u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 b32 b64 f16 f32 f64 bf16 f16x2 pred rn rz rm "
    "rp ftz sat v2 v4 cta gpu relaxed acquire release volatile weak ca cg nc sync aligned wide lo hi approx and or lt "
    "eq NaN relu noftz x1 x2 trans row col shared::cta shared::cluster cluster L2::128B L2::cache_hint "
    "L1::no_allocate cc uni all add read arrive wait mbarrier::complete_tx::bytes multicast::cluster 1d tile satfinite "
    "parity unified b128 v8"
).split()
ELSEWHERE = {"bra", "brx", "call", "ret", "exit"}  # they need more than themselves


def registers_of(text):
    """name or prefix -> (type, whether numbers follow)"""
    found = {}
    for declared in re.finditer(r"\.reg\s+\.(\w+)\s+([^;]+);", text):
        for name in declared[2].split(","):
            numbered = re.match(r"\s*([%\w$]+)<\d+>", name)
            found[numbered[1] if numbered else name.strip()] = (declared[1], bool(numbered))
    return found


def instructions_of(path):
    """The instructions of a file, with registers and variables of KERNEL."""
    text = re.sub(r"//.*|/\*.*?\*/", "", path.read_text(encoding="utf-8", errors="replace"))
    registers = registers_of(text)
    variables = {
        m[2]: NAMES[m[1]]
        for m in re.finditer(r"\.(param|shared|global|const|local)\s+(?:\.align\s+\d+\s+)?\.\w+\s+([\w$]+)", text)
    }
    for m in re.finditer(r"(?:^|[;\n])\s*(?:@!?[%\w$]+\s+)?([a-z]\w*(?:\.[\w:]+)*)\s([^;]*?);", text):
        if m[1].split(".")[0] in ELSEWHERE or m[1] == "reg":
            continue
        counts = collections.Counter()

        def renamed(word):
            word = word[0]
            numbered = re.match(r"(.*?)\d+$", word)
            known = registers.get(word, (None, True))
            if known[1]:
                known = registers.get(numbered[1], (None, False)) if numbered else (None, False)
            if known[0] is None:
                return variables.get(word, word)
            counts[known[0]] += 1
            return f"%{known[0]}_{counts[known[0]] % 8}"

        yield m[1] + " " + re.sub(r"(?<![\w.])%?[A-Za-z_$][\w$]*", renamed, " ".join(m[2].split()))


def split_operands(text):
    depth, parts = 0, [""]
    for c in text:
        depth += (c in "[{(") - (c in "]})")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts] if text else []


def changed(line, family, random_):
    """The line with one thing changed."""
    name, _, rest = line.partition(" ")
    words, operands = name.split("."), split_operands(rest)
    at = random_.randrange(1, len(words)) if len(words) > 1 else 0
    modifier = random_.choice(random_.choice([MODIFIERS, sorted(family) or MODIFIERS]))
    kind = random_.randrange(7)
    if kind == 0 and at:
        del words[at]
    elif kind == 1 and at:
        words[at] = modifier
    elif kind == 2:
        words.insert(at + 1, modifier)
    elif kind == 3 and len(words) > 2:
        at = random_.randrange(1, len(words) - 1)
        words[at], words[at + 1] = words[at + 1], words[at]
    elif operands:
        place = random_.randrange(len(operands))
        inner = re.findall(r"%\w+", operands[place])
        if kind == 4:
            operands[place] = random_.choice(OPERANDS)
        elif kind == 5 and inner:
            operands[place] = operands[place].replace(random_.choice(inner), random_.choice(OPERANDS[:14]), 1)
        elif random_.randrange(2):
            del operands[place]
        else:
            operands.insert(place, operands[place])
    return ".".join(words) + " " + ", ".join(operands)


def refused_by_ptxas(ptxas, lines, folder):
    """line -> what ptxas says of it; lines that it takes are not in there"""
    refused, left = {}, list(lines)
    path = pathlib.Path(folder) / "lines.ptx"
    while left:
        batch, text, at = left[:400], HEAD, {}
        for i, line in enumerate(batch):
            text += KERNEL.replace("kernel", f"kernel{i}").replace("\n", " ")
            at[text.count("\n") + 1] = line
            text += f"{line}; ret; }}\n"
        path.write_text(text, encoding="utf-8")
        run = subprocess.run([ptxas, "-arch=sm_90a", "-O0", path, "-o", "/dev/null"], capture_output=True, text=True, check=False)
        said = {}
        for m in re.finditer(r"line (\d+); (?:error|fatal)\s*: (.*)", run.stdout + run.stderr):
            said.setdefault(at.get(int(m[1])), m[2])
        said.pop(None, None)
        if run.returncode == 0:
            left = left[400:]
        elif said:
            refused.update(said)
            left = [line for line in left if line not in said]
        else:  # it does not say which: one by one, and those that it cannot place are not counted
            left = left[1:] if len(batch) == 1 else left
            if len(batch) > 1:
                half = len(batch) // 2
                refused.update(refused_by_ptxas(ptxas, batch[:half], folder))
                refused.update(refused_by_ptxas(ptxas, batch[half:], folder))
                left = left[400:]
    return refused


def taken(program, lines, folder):
    head = pathlib.Path(folder) / "head.ptx"
    head.write_text(HEAD + KERNEL, encoding="utf-8")
    run = subprocess.run([program, head], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    answers = run.stdout.splitlines()
    assert len(answers) == len(lines), f"{program} gave {len(answers)} answers to {len(lines)} lines"
    return [line for line, answer in zip(lines, answers) if answer == "taken"]


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    program, ptxas, count, random_ = sys.argv[1], sys.argv[2], int(sys.argv[3]), random.Random(int(sys.argv[4]))
    files = sorted(f for folder in sys.argv[5:] for f in pathlib.Path(folder).glob("*.ptx"))
    originals = sorted({line for f in files for line in instructions_of(f)})
    families = collections.defaultdict(set)
    for line in originals:
        words = line.split()[0].split(".")
        families[words[0]].update(words[1:])
    with tempfile.TemporaryDirectory() as folder:
        known = taken(program, originals, folder)
        # What is not taken here lacks something of its file; ptxas has the word on the rest.
        good = sorted(set(known) - set(refused_by_ptxas(ptxas, known, folder)))
        if len(good) < 0.9 * len(originals):
            sys.exit(f"only {len(good)} of {len(originals)} instructions of the files are taken by both")
        made = set()
        while len(made) < count:
            line = random_.choice(good)
            made.add(changed(line, families[re.split(r"[. ]", line)[0]], random_))
        accepted = taken(program, sorted(made), folder)
        refused = refused_by_ptxas(ptxas, accepted, folder)
    by_opcode = collections.Counter(re.split(r"[. ]", line)[0] for line in refused)
    for line, why in sorted(refused.items()):
        print(f"{line[:110]}\n    {why}")
    print(f"{len(made)} instructions made of {len(good)}: {len(accepted)} taken, {len(refused)} of these refused by ptxas:",
          ", ".join(f"{opcode} {n}" for opcode, n in by_opcode.most_common()))
    sys.exit(len(refused) * 200 > len(made))


if __name__ == "__main__":
    main()
