# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Integer arithmetic of 32 and 64 bits."""

from .case import Op, bits_of, lanewise, wrap
from .values import generator, integers, pairs

KINDS = ("u32", "s32", "u64", "s64")


def both(function):
    """One Op of `code` for each of the four kinds; inputs are a32, b32, a64, b64 as unsigned."""
    ops = []
    for kind in KINDS:
        width = bits_of(kind)

        def reference(kind=kind):
            if kind.endswith("32"):
                return lambda a32, b32: function(kind, wrap(kind, a32), wrap(kind, b32))
            return lambda a64, b64: function(kind, wrap(kind, a64), wrap(kind, b64))

        ops.append((kind, width, reference()))
    return ops


def inputs(name):
    a32, b32 = pairs("u32", name + "32")
    a64, b64 = pairs("u64", name + "64")
    return {"a32": ("u32", a32), "b32": ("u32", b32), "a64": ("u64", a64), "b64": ("u64", b64)}


def binary(name, title, template, function, kinds=KINDS, extra=()):
    ops = [
        Op(template.format(kind=kind, d="{}", a=f"%a{width}", b=f"%b{width}"), kind, reference)
        for kind, width, reference in both(function)
        if kind in kinds
    ]
    lanewise(name, title, inputs(name), ops + list(extra))


def unary(name, title, template, function, kinds):
    ops = []
    for kind in kinds:
        width = bits_of(kind)
        if width == 32:
            ops.append(
                Op(
                    template.format(kind=kind, d="{}", a="%a32"),
                    kind,
                    lambda a32, kind=kind: function(kind, wrap(kind, a32)),
                )
            )
        else:
            ops.append(
                Op(
                    template.format(kind=kind, d="{}", a="%a64"),
                    kind,
                    lambda a64, kind=kind: function(kind, wrap(kind, a64)),
                )
            )
    lanewise(
        name,
        title,
        {
            "a32": ("u32", integers("u32", name + "32")),
            "a64": ("u64", integers("u64", name + "64")),
        },
        ops,
    )


def clamp(kind, x):
    width = bits_of(kind)
    low = -(1 << (width - 1)) if kind[0] == "s" else 0
    high = (1 << (width - 1)) - 1 if kind[0] == "s" else (1 << width) - 1
    return max(low, min(high, x))


def truncated_quotient(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def saturating(code, function):
    return Op(
        code, "s32", lambda a32, b32: clamp("s32", function(wrap("s32", a32), wrap("s32", b32)))
    )


binary(
    "add",
    "Integer addition wraps around; .sat clamps (s32 only).",
    "add.{kind} {d}, {a}, {b};",
    lambda kind, a, b: a + b,
    extra=[saturating("add.sat.s32 {}, %a32, %b32;", lambda a, b: a + b)],
)
binary(
    "sub",
    "Integer subtraction wraps around; .sat clamps (s32 only).",
    "sub.{kind} {d}, {a}, {b};",
    lambda kind, a, b: a - b,
    extra=[saturating("sub.sat.s32 {}, %a32, %b32;", lambda a, b: a - b)],
)
binary(
    "mul_lo",
    "The low half of the product.",
    "mul.lo.{kind} {d}, {a}, {b};",
    lambda kind, a, b: a * b,
)
binary(
    "mul_hi",
    "The high half of the product.",
    "mul.hi.{kind} {d}, {a}, {b};",
    lambda kind, a, b: (a * b) >> bits_of(kind),
)
binary(
    "min",
    "The smaller, signed and unsigned.",
    "min.{kind} {d}, {a}, {b};",
    lambda kind, a, b: min(a, b),
)
binary(
    "max",
    "The larger, signed and unsigned.",
    "max.{kind} {d}, {a}, {b};",
    lambda kind, a, b: max(a, b),
)
unary(
    "abs",
    "The absolute value; the smallest number has none and stays.",
    "abs.{kind} {d}, {a};",
    lambda kind, a: abs(a),
    ("s32", "s64"),
)
unary(
    "neg",
    "Two's complement negation; the smallest number stays.",
    "neg.{kind} {d}, {a};",
    lambda kind, a: -a,
    ("s32", "s64"),
)


def division():
    """No division by zero (PTX leaves it to the machine)."""
    columns = inputs("div")
    for key in ("b32", "b64"):
        kind, values = columns[key]
        columns[key] = (kind, [value if value else 9 for value in values])
    for opcode, function in (
        ("div", truncated_quotient),
        ("rem", lambda a, b: a - b * truncated_quotient(a, b)),
    ):
        lanewise(
            opcode,
            f"{opcode}: quotients are truncated towards zero, remainders have the "
            "dividend's sign;\nthe smallest number divided by -1 wraps around.",
            columns,
            [
                Op(f"{opcode}.{kind} {{}}, %a{width}, %b{width};", kind, reference)
                for kind, width, reference in both(lambda kind, a, b, f=function: f(a, b))
            ],
        )


division()


def wide_products():
    a, b = pairs("u32", "wide")
    columns = {"a": ("u32", a), "b": ("u32", b), "c": ("u64", integers("u64", "wide c"))}

    def product(kind, a, b):
        return wrap(kind, a) * wrap(kind, b)

    lanewise(
        "mul_wide",
        "Products of twice the width, and added to a number of that width.",
        columns,
        [
            Op("mul.wide.u32 {}, %a, %b;", "u64", lambda a, b: product("u32", a, b)),
            Op("mul.wide.s32 {}, %a, %b;", "s64", lambda a, b: product("s32", a, b)),
            Op("mad.wide.u32 {}, %a, %b, %c;", "u64", lambda a, b, c: product("u32", a, b) + c),
            Op("mad.wide.s32 {}, %a, %b, %c;", "s64", lambda a, b, c: product("s32", a, b) + c),
        ],
    )


wide_products()


def multiply_add():
    columns = inputs("mad")
    columns["c32"] = ("u32", integers("u32", "mad c32"))
    columns["c64"] = ("u64", integers("u64", "mad c64"))
    ops = []
    for kind in KINDS:
        width = bits_of(kind)

        def low(a, b, c, kind=kind):
            return wrap(kind, a) * wrap(kind, b) + wrap(kind, c)

        def high(a, b, c, kind=kind):
            return (wrap(kind, a) * wrap(kind, b) >> bits_of(kind)) + wrap(kind, c)

        for part, function in (("lo", low), ("hi", high)):
            reference = (
                (lambda a32, b32, c32, f=function: f(a32, b32, c32))
                if width == 32
                else (lambda a64, b64, c64, f=function: f(a64, b64, c64))
            )
            ops.append(
                Op(f"mad.{part}.{kind} {{}}, %a{width}, %b{width}, %c{width};", kind, reference)
            )
    lanewise("mad", "One half of a product, plus a number.", columns, ops)
    saturated = Op(
        "mad.hi.sat.s32 {}, %a32, %b32, %c32;",
        "s32",
        lambda a32, b32, c32: clamp(
            "s32", (wrap("s32", a32) * wrap("s32", b32) >> 32) + wrap("s32", c32)
        ),
    )
    lanewise(
        "mad_sat",
        "The upper half of a product plus a number, clamped.",
        {key: column for key, column in columns.items() if key.endswith("32")},
        [saturated],
    )


multiply_add()


def sums_of_differences():
    columns = inputs("sad")
    columns["c32"] = ("u32", integers("u32", "sad c32"))
    columns["c64"] = ("u64", integers("u64", "sad c64"))
    ops = [
        Op(
            f"sad.{kind} {{}}, %a32, %b32, %c32;",
            kind,
            lambda a32, b32, c32, kind=kind: abs(wrap(kind, a32) - wrap(kind, b32)) + c32,
        )
        for kind in ("u32", "s32")
    ]
    ops += [
        Op(
            f"sad.{kind} {{}}, %a64, %b64, %c64;",
            kind,
            lambda a64, b64, c64, kind=kind: abs(wrap(kind, a64) - wrap(kind, b64)) + c64,
        )
        for kind in ("u64", "s64")
    ]
    lanewise("sad", "A number plus an absolute difference.", columns, ops)


sums_of_differences()


def low24(kind, x):
    return wrap("u32", x) & 0xFFFFFF if kind == "u32" else wrap("s32", x << 8) >> 8


def products_of_24_bits():
    a, b = pairs("u32", "mul24")
    a[18:22] = [0x7FFFFF, 0x800000, 0xFF800000, 0x12FFFFFF]
    b[18:22] = [0x7FFFFF, 0x800000, 0x00800001, 0x34FFFFFF]
    c = integers("u32", "mul24 c", edges=[0, 1, 0x7FFFFFFF, 0x80000000])
    ops = []
    for kind in ("u32", "s32"):
        for part, shift in (("lo", 0), ("hi", 16)):
            ops.append(
                Op(
                    f"mul24.{part}.{kind} {{}}, %a, %b;",
                    kind,
                    lambda a, b, kind=kind, shift=shift: low24(kind, a) * low24(kind, b) >> shift,
                )
            )
            ops.append(
                Op(
                    f"mad24.{part}.{kind} {{}}, %a, %b, %c;",
                    kind,
                    lambda a, b, c, kind=kind, shift=shift: (
                        low24(kind, a) * low24(kind, b) >> shift
                    )
                    + c,
                )
            )
    columns = {"a": ("u32", a), "b": ("u32", b), "c": ("u32", c)}
    lanewise(
        "mul24", "Products of the low 24 bits: bits 0-31 (lo) or 16-47 (hi) of 48.", columns, ops
    )
    saturated = Op(
        "mad24.hi.sat.s32 {}, %a, %b, %c;",
        "s32",
        lambda a, b, c: clamp(
            "s32", (wrap("s32", low24("s32", a) * low24("s32", b) >> 16)) + wrap("s32", c)
        ),
    )
    lanewise(
        "mad24_sat",
        "Bits 16-47 of a product of 24 bits, plus a number, clamped.",
        columns,
        [saturated],
    )


products_of_24_bits()


def dot_products():
    source = generator("dp4a")
    a = [0x7F7F7F7F, 0x80808080, 0xFFFFFFFF, 0x01020304] + [
        source.getrandbits(32) for _ in range(28)
    ]
    b = [0x7F7F7F7F, 0x80808080, 0xFFFFFFFF, 0x04030201] + [
        source.getrandbits(32) for _ in range(28)
    ]
    c = [0, 0x7FFFFFFF, 0xFFFFFFFF] + [source.getrandbits(32) for _ in range(29)]

    columns = {"a": ("b32", a), "b": ("b32", b), "c": ("b32", c)}

    def parts(kind, x, width):
        return [wrap(kind + str(width), x >> shift) for shift in range(0, 32, width)]

    bytes_only, halves = [], []
    for ka in "us":
        for kb in "us":
            kind = "u32" if ka == kb == "u" else "s32"
            bytes_only.append(
                Op(
                    f"dp4a.{ka}32.{kb}32 {{}}, %a, %b, %c;",
                    kind,
                    lambda a, b, c, ka=ka, kb=kb: c
                    + sum(x * y for x, y in zip(parts(ka, a, 8), parts(kb, b, 8))),
                )
            )
            for half, first in (("lo", 0), ("hi", 2)):
                halves.append(
                    Op(
                        f"dp2a.{half}.{ka}32.{kb}32 {{}}, %a, %b, %c;",
                        kind,
                        lambda a, b, c, ka=ka, kb=kb, first=first: c
                        + sum(x * y for x, y in zip(parts(ka, a, 16), parts(kb, b, 8)[first:])),
                    )
                )
    lanewise("dp4a", "Dot products of four bytes, plus a number.", columns, bytes_only)
    lanewise("dp2a", "Dot products of two halves with two bytes, plus a number.", columns, halves)


dot_products()
