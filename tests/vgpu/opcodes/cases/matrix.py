# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Tensor cores: mma.sync. Elements are small whole numbers, so that every sum is exact in every
format and only the places of elements in registers decide (PTX ISA 9.0, section 9.7.14.5; `i`
numbers a lane's elements as its figures do)."""

import random
import struct

from .case import Array, raw, wrap

LANES = 32
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8}
BITS |= {"f32": 32, "s32": 32, "f64": 64}


def encode(kind, number):
    """The pattern of a small whole number."""
    if kind in ("s8", "u8", "s32"):
        return number & ((1 << BITS[kind]) - 1)
    if kind == "f64":
        return struct.unpack("<Q", struct.pack("<d", number))[0]
    single = struct.unpack("<I", struct.pack("<f", number))[0]
    if kind in ("f32", "tf32"):
        return single
    if kind == "bf16":
        return single >> 16
    half = struct.unpack("<H", struct.pack("<e", number))[0]
    if kind == "e5m2":
        return half >> 8
    if kind == "e4m3":  # bias 7 instead of 15, three bits of fraction
        if number == 0:
            return 0
        return (half >> 15) << 7 | ((half >> 10 & 31) - 8) << 3 | (half >> 7 & 7)
    return half


def places(lane):
    return lane >> 2, lane & 3  # groupID, threadID_in_group


def a_place(shape, bits, i, lane):
    """(row, k)"""
    group, thread = places(lane)
    if shape in ("m8n8k4", "m8n8k16"):
        return group, thread * (1 if bits == 64 else 4) + i
    if bits == 16 and shape == "m16n8k8":
        return group + (0 if i < 2 else 8), thread * 2 + (i & 1)
    if bits == 16:
        row = group if i < 2 or 4 <= i < 6 else group + 8
        return row, thread * 2 + (i & 1) + (0 if i < 4 else 8)
    if bits == 8 and shape == "m16n8k16":
        return group + (0 if i < 4 else 8), thread * 4 + (i & 3)
    if bits == 8:
        row = group if i < 4 or 8 <= i < 12 else group + 8
        return row, thread * 4 + (i & 3) + (0 if i < 8 else 16)
    return group + (8 if i % 2 else 0), thread + i // 2 * 4  # tf32, f64


def b_place(shape, bits, i, lane):
    """(k, column)"""
    group, thread = places(lane)
    per_register = {64: 1, 32: 1, 16: 2, 8: 4}[bits]
    return thread * per_register + i % per_register + i // per_register * 4 * per_register, group


def c_place(shape, bits, i, lane):
    """(row, column)"""
    group, thread = places(lane)
    return group + (0 if i < 2 else 8), thread * 2 + (i & 1)


def registers_of(matrix, place, shape, kind):
    """The matrix ({place: number}) as lists of register values, one list a register."""
    bits = BITS[kind]
    elements = len(matrix) // LANES
    each = max(1, 32 // bits)
    result = []
    for first in range(0, elements, each):
        values = []
        for lane in range(LANES):
            value = 0
            for e in range(each):
                number = matrix[place(shape, bits, first + e, lane)]
                value |= encode(kind, number) << (bits * e)
            values.append(value)
        result.append(values)
    return result


def mma(shape, d, a, b, modifier="", numbers=None, base=None, version="8.2", capability=""):
    m, n, k = (int(x) for x in shape[1:].replace("n", " ").replace("k", " ").split())
    name = f"mma_{shape}_{d}_{a}" + (f"_{b}" if b != a else "") + modifier.replace(".", "_")
    rng = random.Random(name)
    spread = {"u8": range(0, 200), "s8": range(-100, 101)}
    few = [x for x in range(-8, 9)]
    draw = {t: numbers or spread.get(t, few) for t in (a, b)}
    matrix_a = {(i, x): rng.choice(draw[a]) for i in range(m) for x in range(k)}
    matrix_b = {(x, j): rng.choice(draw[b]) for x in range(k) for j in range(n)}
    bias = base if base is not None else range(-900, 901)
    matrix_c = {(i, j): rng.choice(bias) for i in range(m) for j in range(n)}
    matrix_d = {}
    for i, j in matrix_c:
        total = matrix_c[i, j] + sum(matrix_a[i, x] * matrix_b[x, j] for x in range(k))
        if modifier:
            total = min(max(total, -(2**31)), 2**31 - 1)
        elif d == "s32":
            total = wrap("s32", total)
        matrix_d[i, j] = total
    groups = [
        registers_of(matrix_a, a_place, shape, a),
        registers_of(matrix_b, b_place, shape, b),
        registers_of(matrix_c, c_place, shape, d),
    ]
    expected = registers_of(matrix_d, c_place, shape, d)
    width = 64 if d == "f64" else 32
    kind = f"u{width}"
    size = width // 8 * LANES
    declared = f".reg .b{width} %d<{len(expected)}>;\n"
    body, names, at = "", [], 0
    for letter, group in zip("abc", groups):
        declared += f".reg .b{width} %{letter}<{len(group)}>;\n"
        names.append("{" + ", ".join(f"%{letter}{i}" for i in range(len(group))) + "}")
        for i in range(len(group)):
            body += f"ld.global.b{width} %{letter}{i}, [%in{width}+{at}];\n"
            at += size
    results = "{" + ", ".join(f"%d{i}" for i in range(len(expected))) + "}"
    body += f"mma.sync.aligned.{shape}.row.col{modifier}.{d}.{a}.{b}.{d}\n"
    body += f"    {results}, {names[0]}, {names[1]}, {names[2]};\n"
    for i in range(len(expected)):
        body += f"st.global.b{width} [%out{width}+{i * size}], %d{i};\n"
    raw(
        name,
        f"mma.sync {shape} with D of {d}, A of {a}, B of {b}"
        f"{' and ' + modifier if modifier else ''}: the inputs are registers of A, B, C in turn, the"
        " outputs registers of D.",
        body + "ret;",
        [Array(kind, values) for group in groups for values in group],
        [Array(kind, values, f"d{i}") for i, values in enumerate(expected)],
        declared,
        capability=capability,
        version=version,
    )


for depth in ("m16n8k8", "m16n8k16"):
    mma(depth, "f32", "f16", "f16")
    mma(depth, "f16", "f16", "f16")
    mma(depth, "f32", "bf16", "bf16")
for depth in ("m16n8k4", "m16n8k8"):
    mma(depth, "f32", "tf32", "tf32")
mma("m8n8k4", "f64", "f64", "f64")
for depth in ("m16n8k4", "m16n8k8", "m16n8k16"):
    mma(depth, "f64", "f64", "f64", capability="9.0")
for depth in ("m8n8k16", "m16n8k16", "m16n8k32"):
    for pair in (("s8", "s8"), ("s8", "u8"), ("u8", "s8"), ("u8", "u8")):
        mma(depth, "s32", *pair, base=[-(2**31), 2**31 - 1, 0, 77])
EDGES = [-(2**31), -(2**31) + 9, 2**31 - 1, 2**31 - 9, 0]
mma("m16n8k32", "s32", "s8", "s8", ".satfinite", base=EDGES)
for pair in (("e4m3", "e4m3"), ("e4m3", "e5m2"), ("e5m2", "e4m3"), ("e5m2", "e5m2")):
    mma("m16n8k32", "f32", *pair, version="8.4", capability="8.9")
for depth in ("m16n8k16", "m16n8k32"):
    mma(depth, "f16", "e4m3", "e5m2", version="8.7", capability="8.9")
mma("m16n8k16", "f32", "e5m2", "e4m3", version="8.7", capability="8.9")
