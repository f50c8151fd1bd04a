# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Logic, shifts, bit fields, permutations."""

from .case import Op, bits_of, lanewise, wrap
from .values import generator, integers, pairs

LANES = 32


def logic():
    columns = {}
    for width in (16, 32, 64):
        a, b = pairs(f"u{width}", f"logic{width}")
        columns[f"a{width}"] = (f"b{width}", a)
        columns[f"b{width}"] = (f"b{width}", b)
    functions = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}
    ops = []
    for opcode, function in functions.items():
        ops += [
            Op(f"{opcode}.b16 {{}}, %a16, %b16;", "b16", lambda a16, b16, f=function: f(a16, b16)),
            Op(f"{opcode}.b32 {{}}, %a32, %b32;", "b32", lambda a32, b32, f=function: f(a32, b32)),
            Op(f"{opcode}.b64 {{}}, %a64, %b64;", "b64", lambda a64, b64, f=function: f(a64, b64)),
        ]
    lanewise("logic", "and, or, xor of every width.", columns, ops)
    ops = []
    for opcode, function in (("not", lambda x: ~x), ("cnot", lambda x: int(x == 0))):
        ops += [
            Op(f"{opcode}.b16 {{}}, %a16;", "b16", lambda a16, f=function: f(a16)),
            Op(f"{opcode}.b32 {{}}, %a32;", "b32", lambda a32, f=function: f(a32)),
            Op(f"{opcode}.b64 {{}}, %a64;", "b64", lambda a64, f=function: f(a64)),
        ]
    lanewise(
        "not",
        "not inverts bits; cnot is 1 for 0 and 0 for everything else.",
        {key: column for key, column in columns.items() if key[0] == "a"},
        ops,
    )


logic()


def predicate_logic():
    p = [lane & 1 for lane in range(LANES)]
    q = [lane >> 1 & 1 for lane in range(LANES)]
    setup = """
        setp.ne.u32 %p, %a, 0;
        setp.ne.u32 %q, %b, 0;
        """
    codes = {
        "and.pred %s, %p, %q;": lambda a, b: a & b,
        "or.pred %s, %p, %q;": lambda a, b: a | b,
        "xor.pred %s, %p, %q;": lambda a, b: a ^ b,
        "not.pred %s, %p;": lambda a, b: 1 - a,
        "mov.pred %s, %q;": lambda a, b: b,
        "and.pred %s, %p, !%q; ": lambda a, b: a & (1 - b),
    }
    ops = []
    for code, function in list(codes.items())[:5]:
        ops.append(Op(f"{code}\nselp.u32 {{}}, 1, 0, %s;", "u32", function))
    ops.append(
        Op(
            "xor.pred %s, %p, -1;\nand.pred %s, %s, 1;\nselp.u32 {}, 1, 0, %s;",
            "u32",
            lambda a: 1 - a,
            "logic with constants",
        )
    )
    ops.append(
        Op(
            "@!%p mov.pred %s, %q;\n@%p mov.pred %s, 1;\nselp.u32 {}, 1, 0, %s;",
            "u32",
            lambda a, b: 1 if a else b,
            "@p mov.pred",
        )
    )
    lanewise(
        "predicates",
        "Logic on predicates, and predicated moves of predicates.",
        {"a": ("u32", p), "b": ("u32", q)},
        ops,
        ".reg .pred %p, %q, %s;",
        setup=setup,
    )


predicate_logic()


def shift_counts():
    return [
        0,
        1,
        15,
        16,
        17,
        31,
        32,
        33,
        63,
        64,
        65,
        127,
        255,
        256,
        0x80000000,
        0xFFFFFFFF,
        2,
        3,
        4,
        5,
        7,
        8,
        9,
        12,
        14,
        20,
        24,
        30,
        40,
        48,
        56,
        62,
    ]


def shifts():
    columns = {"n": ("u32", shift_counts())}
    for width in (16, 32, 64):
        values = integers(f"u{width}", f"shift{width}")
        sign = 1 << (width - 1)
        columns[f"a{width}"] = (
            f"b{width}",
            [x | sign if i % 2 else x for i, x in enumerate(values)],
        )
    ops = []
    for width in (16, 32, 64):

        def left(a, n, width=width):
            return a << min(n, width)

        def right(a, n, kind):
            return wrap(kind, a) >> min(n, bits_of(kind))

        for code, kind, function in (
            (f"shl.b{width}", f"b{width}", left),
            (f"shr.u{width}", f"u{width}", lambda a, n, width=width: right(a, n, f"u{width}")),
            (f"shr.s{width}", f"s{width}", lambda a, n, width=width: right(a, n, f"s{width}")),
            (f"shr.b{width}", f"b{width}", lambda a, n, width=width: right(a, n, f"u{width}")),
        ):
            reference = {
                16: lambda a16, n, f=function: f(a16, n),
                32: lambda a32, n, f=function: f(a32, n),
                64: lambda a64, n, f=function: f(a64, n),
            }[width]
            ops.append(Op(f"{code} {{}}, %a{width}, %n;", kind, reference))
    lanewise(
        "shift",
        "Shifts: a count beyond the width gives zeros, or copies of the sign (shr.s).",
        columns,
        ops,
    )


shifts()


def funnel_shifts():
    source = generator("shf")
    columns = {
        "a": ("b32", [source.getrandbits(32) for _ in range(LANES)]),
        "b": ("b32", [source.getrandbits(32) for _ in range(LANES)]),
        "c": ("u32", shift_counts()),
    }
    ops = []
    for mode, count in (("clamp", lambda c: min(c, 32)), ("wrap", lambda c: c & 31)):
        ops.append(
            Op(
                f"shf.l.{mode}.b32 {{}}, %a, %b, %c;",
                "b32",
                lambda a, b, c, count=count: (b << 32 | a) << count(c) >> 32,
            )
        )
        ops.append(
            Op(
                f"shf.r.{mode}.b32 {{}}, %a, %b, %c;",
                "b32",
                lambda a, b, c, count=count: (b << 32 | a) >> count(c),
            )
        )
    lanewise(
        "shf", "Funnel shifts of b:a: left keeps the upper word, right the lower.", columns, ops
    )


funnel_shifts()
