# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic with the carry flag: long numbers in 32-bit and 64-bit pieces."""

from .case import Op, lanewise
from .values import generator

LANES = 32


def long_numbers(name, bits):
    """Numbers whose pieces carry: long runs of ones, then random ones."""
    source = generator(name)
    ones = (1 << bits) - 1
    edges = [
        0,
        1,
        ones,
        ones - 1,
        ones >> 1,
        (1 << (bits // 2)) - 1,
        1 << (bits // 2),
        ones << 32 & ones,
    ]
    return edges + [source.getrandbits(bits) for _ in range(LANES - len(edges))]


def pieces(values, width, count):
    return [[value >> (width * i) & ((1 << width) - 1) for value in values] for i in range(count)]


def long_sum(opcode, function):
    """96 bits as three 32-bit pieces, and the carry that comes out; the same with 64-bit pieces."""
    for width, suffix in ((32, ""), (64, "_64")):
        a = long_numbers(f"carry a{width}", 3 * width)
        b = list(reversed(long_numbers(f"carry b{width}", 3 * width)))
        kind = f"b{width}"
        inputs = {f"a{i}": (kind, column) for i, column in enumerate(pieces(a, width, 3))}
        inputs |= {f"b{i}": (kind, column) for i, column in enumerate(pieces(b, width, 3))}
        results = [function(x, y) for x, y in zip(a, b)]
        unsigned = f"u{width}"
        setup = (
            f"{opcode}.cc.{unsigned} %d0, %a0, %b0;\n{opcode}c.cc.{unsigned} %d1, %a1, %b1;\n"
            f"{opcode}c.cc.{unsigned} %d2, %a2, %b2;\n{opcode}c.{unsigned} %carry, 0, 0;\n"
        )
        registers = f".reg .b{width} %d<3>, %carry;"
        ops = [
            Op(
                f"mov.b{width} {{}}, %d{i};",
                kind,
                [value >> (width * i) & ((1 << width) - 1) for value in results],
                f"{opcode}c, piece {i}",
            )
            for i in range(3)
        ]
        # subc of 0 - 0 with a borrow is -1.
        ops.append(
            Op(
                f"mov.b{width} {{}}, %carry;",
                kind,
                [value >> (3 * width) & ((1 << width) - 1) for value in results],
                f"{opcode}c, what is left over",
            )
        )
        lanewise(
            f"{opcode}_carry{suffix}",
            f"{opcode}.cc, {opcode}c.cc and {opcode}c on a number of "
            f"three pieces of {width} bits.",
            inputs,
            ops,
            registers,
            setup=setup,
        )


long_sum("add", lambda a, b: a + b)
long_sum("sub", lambda a, b: a - b)


def long_product():
    """64 x 64 -> 128 bits from 32-bit pieces, the way nvcc multiplies long numbers."""
    a = long_numbers("mad.cc a", 64)
    b = list(reversed(long_numbers("mad.cc b", 64)))
    (a0, a1), (b0, b1) = pieces(a, 32, 2), pieces(b, 32, 2)
    setup = """
        mul.lo.u32 %d0, %a0, %b0;
        mul.hi.u32 %d1, %a0, %b0;
        mad.lo.cc.u32 %d1, %a0, %b1, %d1;
        madc.hi.u32 %d2, %a0, %b1, 0;
        mad.lo.cc.u32 %d1, %a1, %b0, %d1;
        madc.hi.cc.u32 %d2, %a1, %b0, %d2;
        addc.u32 %d3, 0, 0;
        mad.lo.cc.u32 %d2, %a1, %b1, %d2;
        madc.hi.u32 %d3, %a1, %b1, %d3;
        """
    ops = [
        Op(
            f"mov.b32 {{}}, %d{i};",
            "b32",
            [x * y >> (32 * i) & 0xFFFFFFFF for x, y in zip(a, b)],
            f"mad.cc, piece {i}",
        )
        for i in range(4)
    ]
    lanewise(
        "mad_carry",
        "mad.lo.cc, madc.hi and madc.hi.cc: a product of 128 bits in four pieces.",
        {"a0": ("b32", a0), "a1": ("b32", a1), "b0": ("b32", b0), "b1": ("b32", b1)},
        ops,
        ".reg .b32 %d<4>;",
        setup=setup,
    )


long_product()
