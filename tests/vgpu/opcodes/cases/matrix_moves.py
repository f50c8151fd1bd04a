# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""ldmatrix, stmatrix, movmatrix: 8x8 matrices of 16-bit elements between shared memory and
registers (PTX ISA 9.0, sections 9.7.14.5.15 to 9.7.14.5.17)."""

from .case import Array, raw
from .values import randoms

LANES = 32
MODULE = ".shared .align 128 .b8 tile[640];"
# What differs in how the rows' address is given: registers, code that makes %at of %s, operand.
ADDRESSES = {
    "": ("", "", ".shared", "[%s+32]"),
    "_wide": (".reg .b64 %at;", "cvt.u64.u32 %at, %s;", ".shared::cta", "[%at+32]"),
    "_generic": (
        ".reg .b64 %at;",
        "cvt.u64.u32 %at, %s;\ncvta.shared.u64 %at, %at;",
        "",
        "[%at+32]",
    ),
}


def row_of(lane):
    """The 16-byte row of the tile that a lane points at."""
    return (7 * lane + 1) % 32


def halves(words):
    return [half for word in words for half in (word & 0xFFFF, word >> 16)]


def fragment(matrix, transposed):
    """What the lanes hold of eight rows of eight elements."""
    if transposed:
        matrix = [list(column) for column in zip(*matrix)]
    return [
        matrix[lane // 4][lane % 4 * 2] | matrix[lane // 4][lane % 4 * 2 + 1] << 16
        for lane in range(LANES)
    ]


def names(count):
    return "{" + ", ".join(f"%r{i}" for i in range(count)) + "}"


def ldmatrix(count, transposed, form):
    words = randoms(f"ldmatrix {count} {transposed}", "u32", 4 * LANES)
    rows = [halves(words[4 * i : 4 * i + 4]) for i in range(LANES)]
    expected = []
    for i in range(count):
        matrix = [rows[row_of(8 * i + r)] for r in range(8)]
        expected.append(Array("u32", fragment(matrix, transposed), f"r{i}"))
    declared, code, space, operand = ADDRESSES[form]
    trans = ".trans" if transposed else ""
    body = f"""
        mul.wide.u32 %o, %thread, 16;
        add.u64 %p, %in, %o;
        ld.global.v4.b32 {{%a, %b, %c, %d}}, [%p];
        mov.u32 %base, tile;
        mad.lo.u32 %s, %thread, 16, %base;
        st.shared.v4.b32 [%s+64], {{%a, %b, %c, %d}};
        bar.sync 0;
        mad.lo.u32 %s, %thread, 7, 1;
        and.b32 %s, %s, 31;
        mad.lo.u32 %s, %s, 16, %base;
        add.u32 %s, %s, 32;
        {code}
        ldmatrix.sync.aligned.m8n8.x{count}{trans}{space}.b16 {names(count)}, {operand};
        """
    for i in range(count):
        body += f"st.global.b32 [%out32+{128 * i}], %r{i};\n"
    raw(
        f"ldmatrix_x{count}{'_trans' if transposed else ''}{form}",
        "Lanes point at rows of 16 bytes; every lane gets two elements of each matrix.",
        body + "ret;",
        [Array("u32", words)],
        expected,
        f".reg .b64 %o, %p;\n.reg .b32 %a, %b, %c, %d, %s, %base, %r<4>;\n{declared}",
        module=MODULE,
    )


def stmatrix(count, transposed, form):
    registers = [randoms(f"stmatrix {count} {transposed} {i}", "u32", LANES) for i in range(count)]
    tile = [[0x11111111] * 4 for _ in range(LANES)]
    for i, words in enumerate(registers):
        elements = halves(words)
        matrix = [elements[8 * r : 8 * r + 8] for r in range(8)]
        if transposed:
            matrix = [list(column) for column in zip(*matrix)]
        for r in range(8):
            row = matrix[r]
            tile[row_of(8 * i + r)] = [row[2 * w] | row[2 * w + 1] << 16 for w in range(4)]
    declared, code, space, operand = ADDRESSES[form]
    trans = ".trans" if transposed else ""
    body = """
        mov.u32 %a, 0x11111111;
        mov.u32 %base, tile;
        mad.lo.u32 %t, %thread, 16, %base;
        st.shared.v4.b32 [%t+64], {%a, %a, %a, %a};
        bar.sync 0;
        mad.lo.u32 %s, %thread, 7, 1;
        and.b32 %s, %s, 31;
        mad.lo.u32 %s, %s, 16, %base;
        add.u32 %s, %s, 32;
        """
    for i in range(count):
        body += f"ld.global.b32 %r{i}, [%in32+{128 * i}];\n"
    body += f"""
        {code}
        stmatrix.sync.aligned.m8n8.x{count}{trans}{space}.b16 {operand}, {names(count)};
        bar.sync 0;
        ld.shared.v4.b32 {{%a, %b, %c, %d}}, [%t+64];
        mul.wide.u32 %o, %thread, 16;
        add.u64 %p, %out, %o;
        st.global.v4.b32 [%p], {{%a, %b, %c, %d}};
        ret;"""
    raw(
        f"stmatrix_x{count}{'_trans' if transposed else ''}{form}",
        "Lanes point at rows of 16 bytes and give two elements of each matrix; then the tile.",
        body,
        [Array("u32", words) for words in registers],
        [Array("u32", [word for row in tile for word in row], "tile")],
        f".reg .b64 %o, %p;\n.reg .b32 %a, %b, %c, %d, %s, %t, %base, %r<4>;\n{declared}",
        module=MODULE,
        capability="9.0",
    )


for number in (1, 2, 4):
    for turned in (False, True):
        ldmatrix(number, turned, "")
        stmatrix(number, turned, "")
for how in ("_wide", "_generic"):
    ldmatrix(4, True, how)
    stmatrix(2, False, how)


def movmatrix():
    words = randoms("movmatrix", "u32", LANES)
    elements = halves(words)
    matrix = [elements[8 * r : 8 * r + 8] for r in range(8)]
    raw(
        "movmatrix",
        "An 8x8 matrix across the warp, transposed; result and source are one register.",
        """
        ld.global.b32 %a, [%in32];
        movmatrix.sync.aligned.m8n8.trans.b16 %a, %a;
        st.global.b32 [%out32], %a;
        ret;""",
        [Array("u32", words)],
        [Array("u32", fragment(matrix, True))],
        ".reg .b32 %a;",
    )


movmatrix()
