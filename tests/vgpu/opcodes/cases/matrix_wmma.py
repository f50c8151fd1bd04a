# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""wmma: whole products from memory to memory, and what a load leaves in registers (PTX leaves that
open; the expectation is what an H200 does). Elements are small whole numbers."""

import random
import struct

from .case import Array, raw, wrap
from .matrix import BITS, encode

UNWRITTEN = b"\xa5"
LANES = 32
REGISTER = {"f32": "f32", "f64": "f64"}  # others are .b32
SUM = {"f16": "f32", "bf16": "f32", "tf32": "f32", "s8": "s32", "u8": "s32", "f64": "f64"}


def extent(shape):
    return [int(x) for x in shape[1:].replace("n", " ").replace("k", " ").split()]


def registers(shape, role, kind):
    """How many a lane's fragment has."""
    m, n, k = extent(shape)
    if kind == "f16" and role in "ab":
        return 8
    elements = {"a": m * k, "b": k * n}.get(role, m * n)
    return elements * BITS[kind] // (64 if kind == "f64" else 32) // LANES


def image(matrix, rows, columns, kind, layout, leading, filler=0):
    """The matrix ({(row, column): number}) as bytes in memory."""
    size = BITS[kind] // 8
    lines, length = (rows, columns) if layout == "row" else (columns, rows)
    memory = bytearray([filler]) * (lines * leading * size)
    for (row, column), number in matrix.items():
        line, position = (row, column) if layout == "row" else (column, row)
        at = (line * leading + position) * size
        memory[at : at + size] = encode(kind, number).to_bytes(size, "little")
    assert lines * leading >= length
    return bytes(memory)


def words(memory):
    memory += bytes(-len(memory) % 128)
    return list(struct.unpack(f"<{len(memory) // 4}I", memory))


def listed(letter, count):
    return "{" + ", ".join(f"%{letter}{i}" for i in range(count)) + "}"


def declare(letter, count, kind):
    return f".reg .{REGISTER.get(kind, 'b32')} %{letter}<{count}>;\n"


# Where operands lie: module text, code that leaves its address in %from, the modifier.
def source(space, count):
    if space == "global":
        return "", "mov.u64 %from, %in;\n", ".global"
    code = ".reg .b32 %to, %word;\nmov.u32 %to, tile;\nmad.lo.u32 %to, %thread, 4, %to;\n"
    for i in range(count // LANES):
        code += f"ld.global.b32 %word, [%in32+{128 * i}];\nst.shared.b32 [%to+{128 * i}], %word;\n"
    code += "bar.sync 0;\nmov.u64 %from, tile;\n"
    module = f".shared .align 128 .b8 tile[{4 * count}];"
    if space == "generic":
        return module, code + "cvta.shared.u64 %from, %from;\n", ""
    return module, code, ".shared"


def padded(matrix_bytes):
    """Matrices start at multiples of 32 bytes."""
    return matrix_bytes + bytes(-len(matrix_bytes) % 32)


def product(shape, kind, layouts, space="global", c=None, d=None, modifier="", gap=16):
    """layouts: of A, B, C, D. gap: bytes between the lines of each matrix."""
    m, n, k = extent(shape)
    c, d = c or SUM[kind], d or SUM[kind]
    types = f"{d}.{c}" if kind == "f16" else f"{d}.{kind}.{kind}.{c}"
    name = "_".join(
        ["wmma", shape, types.replace(".", "_"), *(layout[0] for layout in layouts), space]
    ) + modifier.replace(".", "_")
    rng = random.Random(name)
    draw = {"u8": range(0, 200), "s8": range(-100, 101)}.get(kind, range(-8, 9))
    matrix_a = {(i, x): rng.choice(draw) for i in range(m) for x in range(k)}
    matrix_b = {(x, j): rng.choice(draw) for x in range(k) for j in range(n)}
    edges = [-(2**31), 2**31 - 1, 5] if kind in ("s8", "u8") else range(-500, 501)
    matrix_c = {(i, j): rng.choice(edges) for i in range(m) for j in range(n)}
    matrix_d = {}
    for i, j in matrix_c:
        total = matrix_c[i, j] + sum(matrix_a[i, x] * matrix_b[x, j] for x in range(k))
        if modifier:
            total = min(max(total, -(2**31)), 2**31 - 1)
        matrix_d[i, j] = wrap("s32", total) if d == "s32" else total

    def leading(rows, columns, layout, element):
        return (columns if layout == "row" else rows) + gap * 8 // BITS[element]

    pieces, at, offsets, strides = b"", 0, [], []
    for matrix, rows, columns, element, layout in (
        (matrix_a, m, k, kind, layouts[0]),
        (matrix_b, k, n, kind, layouts[1]),
        (matrix_c, m, n, c, layouts[2]),
    ):
        strides.append(leading(rows, columns, layout, element))
        offsets.append(at)
        pieces += padded(image(matrix, rows, columns, element, layout, strides[-1]))
        at = len(pieces)
    stride_d = leading(m, n, layouts[3], d)
    result = image(matrix_d, m, n, d, layouts[3], stride_d, UNWRITTEN[0])
    inputs = words(pieces)
    module, code, where = source(space, len(inputs))
    declared = ".reg .b64 %from;\n"
    body = code
    loads = zip("abc", (kind, kind, c), layouts, offsets, strides)
    for role, element, layout, offset, stride in loads:
        count = registers(shape, role, element)
        declared += declare(role, count, element)
        body += f"wmma.load.{role}.sync.aligned.{layout}.{shape}{where}.{element}\n"
        body += f"    {listed(role, count)}, [%from+{offset}], {stride};\n"
    count = registers(shape, "d", d)
    declared += declare("d", count, d)
    sources = ", ".join(listed(r, registers(shape, r, e)) for r, e in zip("abc", (kind, kind, c)))
    body += f"wmma.mma.sync.aligned.{layouts[0]}.{layouts[1]}.{shape}.{types}{modifier}\n"
    body += f"    {listed('d', count)}, {sources};\n"
    body += f"mov.u32 %stride, {stride_d};\n"
    body += f"wmma.store.d.sync.aligned.{layouts[3]}.{shape}.global.{d}\n"
    body += f"    [%out], {listed('d', count)}, %stride;\nret;"
    raw(
        name,
        f"wmma {shape} {types}: A, B and C are loaded from {space} memory, D is stored.",
        body,
        [Array("u32", inputs)],
        [Array("u32", list(struct.unpack(f"<{len(result) // 4}I", result)))],
        declared + ".reg .b32 %stride;\n",
        module=module,
    )


for space in ("global", "shared", "generic"):
    product("m16n16k16", "f16", ("row", "col", "row", "row"), space)
    product("m16n16k16", "f16", ("col", "row", "col", "col"), space)
for pair in (("f16", "f16"), ("f16", "f32"), ("f32", "f16")):
    product("m16n16k16", "f16", ("row", "row", "row", "col"), "shared", *pair)
for shape in ("m8n32k16", "m32n8k16"):
    for kind in ("f16", "bf16", "s8", "u8"):
        product(shape, kind, ("row", "col", "col", "row"), "shared")
        product(shape, kind, ("col", "row", "row", "col"), "global")
    product(shape, "f16", ("row", "row", "row", "row"), "shared", "f16", "f16")
    product(shape, "f16", ("col", "col", "col", "col"), "global", "f16", "f16")
for kind in ("bf16", "s8", "u8"):
    product("m16n16k16", kind, ("row", "col", "row", "row"), "shared")
    product("m16n16k16", kind, ("col", "row", "col", "col"), "shared")
product("m16n16k16", "s8", ("row", "col", "row", "row"), "global", modifier=".satfinite")
for a_layout, b_layout, space in (
    ("row", "col", "shared"),
    ("col", "row", "shared"),
    ("row", "row", "global"),
    ("col", "col", "generic"),
):
    product("m16n16k8", "tf32", (a_layout, b_layout, a_layout, b_layout), space)
    product("m8n8k4", "f64", (a_layout, b_layout, b_layout, a_layout), space)


# Tiles of a fragment in the order of registers: first line and first place along it. A line is a
# row of A, a column of B; a row of C, or a column of C in m8n32k16.
SHORT = [(0, 0), (0, 1)]
LONG = [(0, 0), (8, 0), (0, 1), (8, 1), (16, 0), (24, 0), (16, 1), (24, 1)]
TILES_16 = {
    "m16n16k16": {"a": [(0, 0), (8, 0), (0, 1), (8, 1)], "b": [(0, 0), (0, 1), (8, 0), (8, 1)]},
    "m8n32k16": {"a": SHORT, "b": LONG},
    "m32n8k16": {"a": LONG, "b": SHORT},
}
TILES_8 = {
    "m16n16k16": {"a": [(0, 0), (8, 0)], "b": [(0, 0), (8, 0)]},
    "m8n32k16": {"a": [(0, 0)], "b": [(0, 0), (8, 0), (16, 0), (24, 0)]},
    "m32n8k16": {"a": [(0, 0), (8, 0), (16, 0), (24, 0)], "b": [(0, 0)]},
}
TILES_C = {"m16n16k16": [(0, 0), (8, 0), (0, 1), (8, 1)]}
FOUR_LINES = [(0, 0), (8, 0), (16, 0), (24, 0)]


def lane_elements(shape, role, kind):
    """For each register and lane, the (row, column) of its elements."""
    bits = BITS[kind]
    if role == "c":
        tiles, near = TILES_C.get(shape, FOUR_LINES), 2
    elif bits == 16:
        tiles, near = TILES_16[shape][role], 2
        tiles = tiles * (8 // len(tiles) if kind == "f16" else 1)
    elif bits == 8:
        tiles, near = TILES_8[shape][role], 4
    else:
        tiles, near = TILES_16["m16n16k16"][role], 1
    held = max(1, 32 // bits)
    result = []
    for line, part in tiles:
        for first in range(0, near, held):
            lanes = []
            for lane in range(LANES):
                across = line + lane // 4
                along = [part * 4 * near + lane % 4 * near + first + e for e in range(held)]
                turned = role == "b" or (role == "c" and shape == "m8n32k16")
                lanes.append([(x, across) if turned else (across, x) for x in along])
            result.append(lanes)
    return result


def fragment(shape, role, kind, layout):
    m, n, k = extent(shape)
    rows, columns = {"a": (m, k), "b": (k, n)}.get(role, (m, n))
    places = [(i, j) for i in range(rows) for j in range(columns)]
    rng = random.Random(f"{shape} {role} {kind}")
    size = BITS[kind] // 8
    patterns = {place: rng.randrange(1 << BITS[kind]) for place in places}
    memory = bytearray(rows * columns * size)
    for (row, column), pattern in patterns.items():
        at = (row * columns + column if layout == "row" else column * rows + row) * size
        memory[at : at + size] = pattern.to_bytes(size, "little")
    expected = []
    for index, lanes in enumerate(lane_elements(shape, role, kind)):
        values = [
            sum(patterns[place] << (BITS[kind] * e) for e, place in enumerate(held))
            for held in lanes
        ]
        expected.append(Array("u32", values, f"r{index}"))
    count = registers(shape, role, kind)
    assert count == len(expected), (shape, role, kind)
    code = f"wmma.load.{role}.sync.aligned.{layout}.{shape}.global.{kind}\n"
    code += f"    {listed('r', count)}, [%in];\n"
    for i in range(count):
        code += f"st.global.{REGISTER.get(kind, 'b32')} [%out32+{128 * i}], %r{i};\n"
    raw(
        f"wmma_load_{role}_{shape}_{kind}_{layout}",
        f"The registers of a {shape} fragment of {kind} after wmma.load.{role}, by {layout}s.",
        code + "ret;",
        [Array("u32", words(bytes(memory)))],
        expected,
        declare("r", count, kind),
    )


for shape, layout in (("m16n16k16", "row"), ("m8n32k16", "col"), ("m32n8k16", "row")):
    for kind in ("f16", "bf16", "s8"):
        fragment(shape, "a", kind, layout)
        fragment(shape, "b", kind, layout)
    for kind in ("f16", "f32", "s32"):
        fragment(shape, "c", kind, layout)
for role in "ab":
    fragment("m16n16k8", role, "tf32", "col")
