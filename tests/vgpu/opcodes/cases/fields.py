# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Bit fields, counting, permutations, truth tables."""

from .case import Op, bits_of, lanewise, mask
from .values import generator, integers

LANES = 32


def field_edges():
    """Positions and lengths, among them beyond the width and beyond the 8 bits that count."""
    return [
        (0, 0),
        (0, 1),
        (0, 32),
        (0, 64),
        (31, 1),
        (31, 2),
        (16, 16),
        (16, 17),
        (32, 1),
        (5, 0),
        (63, 1),
        (63, 9),
        (64, 3),
        (255, 1),
        (256, 8),
        (8, 256),
        (3, 255),
        (260, 261),
        (1, 31),
        (1, 33),
        (0, 31),
        (0, 63),
        (7, 8),
        (12, 5),
        (20, 12),
        (24, 9),
        (30, 30),
        (33, 20),
        (40, 24),
        (48, 15),
        (2, 2),
        (17, 3),
    ]


def extract(kind, a, position, length):
    width = bits_of(kind)
    if width == 32:
        position, length = position & 0xFF, length & 0xFF
    if kind[0] == "u" or length == 0:
        fill = 0
    else:
        fill = a >> min(position + length - 1, width - 1) & 1
    bits = 0
    for i in range(width):
        inside = i < length and position + i < width
        bits |= (a >> (position + i) & 1 if inside else fill) << i
    return bits


def insert(kind, a, b, position, length):
    width = bits_of(kind)
    if width == 32:
        position, length = position & 0xFF, length & 0xFF
    for i in range(min(length, width)):
        if position + i < width:
            b = b & ~(1 << (position + i)) | (a >> i & 1) << (position + i)
    return b


def bit_fields():
    source = generator("bfe")
    columns = {
        "p": ("u32", [p for p, _ in field_edges()]),
        "n": ("u32", [n for _, n in field_edges()]),
    }
    for width in (32, 64):
        for key in "ab":
            columns[f"{key}{width}"] = (
                f"b{width}",
                [source.getrandbits(width) for _ in range(LANES)],
            )
    ops = [
        Op(
            f"bfe.{kind} {{}}, %a32, %p, %n;",
            kind,
            lambda a32, p, n, kind=kind: extract(kind, a32, p, n),
        )
        for kind in ("u32", "s32")
    ]
    ops += [
        Op(
            f"bfe.{kind} {{}}, %a64, %p, %n;",
            kind,
            lambda a64, p, n, kind=kind: extract(kind, a64, p, n),
        )
        for kind in ("u64", "s64")
    ]
    ops += [
        Op(
            "bfi.b32 {}, %a32, %b32, %p, %n;",
            "b32",
            lambda a32, b32, p, n: insert("b32", a32, b32, p, n),
        ),
        Op(
            "bfi.b64 {}, %a64, %b64, %p, %n;",
            "b64",
            lambda a64, b64, p, n: insert("b64", a64, b64, p, n),
        ),
    ]
    lanewise(
        "bit_field",
        "bfe reads a bit field (s: extends its sign), bfi writes one; of 32 bits, "
        "only the low\n8 bits of position and length count; of 64 bits, all of them do.",
        columns,
        ops,
    )


bit_fields()


def find_highest(kind, a):
    width = bits_of(kind)
    if kind[0] == "s" and a >> (width - 1):
        a = ~a & mask(kind)
    return a.bit_length() - 1


def counting():
    columns = {
        "a32": (
            "b32",
            integers(
                "u32",
                "count32",
                edges=[0, 1, -1, 1 << 31, (1 << 31) - 1, 2, -2, 0x00FF0000, 0xFF00FF00, 0xFFFF0000],
            ),
        ),
        "a64": (
            "b64",
            integers(
                "u64",
                "count64",
                edges=[0, 1, -1, 1 << 63, (1 << 63) - 1, 2, -2, 1 << 32, (1 << 32) - 1, -1 << 32],
            ),
        ),
    }
    ops = [
        Op("popc.b32 {}, %a32;", "u32", lambda a32: bin(a32).count("1")),
        Op("popc.b64 {}, %a64;", "u32", lambda a64: bin(a64).count("1")),
        Op("clz.b32 {}, %a32;", "u32", lambda a32: 32 - a32.bit_length()),
        Op("clz.b64 {}, %a64;", "u32", lambda a64: 64 - a64.bit_length()),
        Op("brev.b32 {}, %a32;", "b32", lambda a32: int(f"{a32:032b}"[::-1], 2)),
        Op("brev.b64 {}, %a64;", "b64", lambda a64: int(f"{a64:064b}"[::-1], 2)),
    ]
    for kind in ("u32", "s32", "u64", "s64"):
        width = bits_of(kind)
        for shift in (False, True):

            def reference(a, kind=kind, shift=shift):
                found = find_highest(kind, a)
                return bits_of(kind) - 1 - found if shift and found >= 0 else found

            named = (
                (lambda a32, f=reference: f(a32))
                if width == 32
                else (lambda a64, f=reference: f(a64))
            )
            code = f"bfind{'.shiftamt' if shift else ''}.{kind}"
            ops.append(Op(f"{code} {{}}, %a{width};", "u32", named))
    lanewise(
        "bit_count",
        "Counting and finding bits, reversing them; bfind gives -1 when there is none.",
        columns,
        ops,
    )


counting()


def masks():
    source = generator("bmsk")
    fields = field_edges()
    columns = {
        "a": ("b32", [p for p, _ in fields]),
        "b": ("u32", [n for _, n in fields]),
        "v": ("b32", [source.getrandbits(32) for _ in range(LANES)]),
    }

    def bmsk(position, length, wraps):
        if wraps:
            position, length = position & 31, length & 31
        else:
            position, length = min(position, 32), min(length, 32)
        return ((1 << length) - 1) << position

    def szext(kind, v, n, wraps):
        n = n & 31 if wraps else min(n, 32)
        if n == 0:
            return 0
        v &= (1 << n) - 1
        return v - (1 << n) if kind == "s32" and v >> (n - 1) else v

    made, extended = [], []
    for mode, wraps in (("clamp", False), ("wrap", True)):
        made.append(
            Op(f"bmsk.{mode}.b32 {{}}, %a, %b;", "b32", lambda a, b, wraps=wraps: bmsk(a, b, wraps))
        )
        for kind in ("u32", "s32"):
            extended.append(
                Op(
                    f"szext.{mode}.{kind} {{}}, %v, %b;",
                    kind,
                    lambda v, b, kind=kind, wraps=wraps: szext(kind, v, b, wraps),
                )
            )
    lanewise("bmsk", "A mask of b bits from bit a on.", {key: columns[key] for key in "ab"}, made)
    lanewise(
        "szext",
        "The low b bits of a number, extended to all 32.",
        {key: columns[key] for key in "vb"},
        extended,
    )


masks()

# Bytes 3..0 of the result, by the two low bits of the selector.
PERMUTE_MODES = {
    "f4e": ["3210", "4321", "5432", "6543"],
    "b4e": ["5670", "6701", "7012", "0123"],
    "rc8": ["0000", "1111", "2222", "3333"],
    "ecl": ["3210", "3211", "3222", "3333"],
    "ecr": ["0000", "1110", "2210", "3210"],
    "rc16": ["1010", "3232", "1010", "3232"],
}


def permute(a, b, selectors, signs=False):
    source = [(b << 32 | a) >> (8 * i) & 0xFF for i in range(8)]
    result = 0
    for i, selector in enumerate(selectors):
        byte = source[selector & 7]
        if signs and selector & 8:
            byte = 0xFF if byte & 0x80 else 0
        result |= byte << (8 * i)
    return result


def permutations():
    source = generator("prmt")
    controls = [
        0x3210,
        0x7654,
        0x0123,
        0xFEDC,
        0x89AB,
        0x5140,
        0x0000,
        0x7777,
        0xFFFF,
        0x8888,
        0xC840,
        0xABCD3210,
        1,
        2,
        3,
    ]
    columns = {
        "a": ("b32", [source.getrandbits(32) for _ in range(LANES)]),
        "b": ("b32", [source.getrandbits(32) for _ in range(LANES)]),
        "c": ("b32", controls + [source.getrandbits(16) for _ in range(LANES - len(controls))]),
    }
    ops = [
        Op(
            "prmt.b32 {}, %a, %b, %c;",
            "b32",
            lambda a, b, c: permute(a, b, [c >> (4 * i) & 15 for i in range(4)], signs=True),
        ),
        Op(
            "prmt.b32 {}, %a, %b, 0x6420;",
            "b32",
            lambda a, b: permute(a, b, [0, 2, 4, 6]),
            "prmt.b32 constant",
        ),
    ]
    for mode, table in PERMUTE_MODES.items():
        ops.append(
            Op(
                f"prmt.b32.{mode} {{}}, %a, %b, %c;",
                "b32",
                lambda a, b, c, table=table: permute(
                    a, b, [int(digit) for digit in reversed(table[c & 3])]
                ),
            )
        )
    lanewise(
        "prmt",
        "Bytes picked from b:a; bit 3 of a selector copies the byte's sign instead.",
        columns,
        ops,
    )


permutations()


def truth_tables():
    source = generator("lop3")
    columns = {key: ("b32", [source.getrandbits(32) for _ in range(LANES)]) for key in "abc"}

    def lookup(table, a, b, c):
        result = 0
        for i in range(32):
            index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)
            result |= (table >> index & 1) << i
        return result

    ops = [
        Op(
            f"lop3.b32 {{}}, %a, %b, %c, 0x{table:02x};",
            "b32",
            lambda a, b, c, table=table: lookup(table, a, b, c),
            f"lop3.b32 0x{table:02x}",
        )
        for table in (
            0x00,
            0xFF,
            0xF0,
            0xCC,
            0xAA,
            0x80,
            0xFE,
            0x96,
            0xE8,
            0x1A,
            0x3C,
            0x40,
            0xD8,
            0x6A,
        )
    ]
    lanewise("lop3", "Any function of three bits, by its truth table.", columns, ops)


truth_tables()
