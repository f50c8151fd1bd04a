# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Comparisons and choices."""

from . import exact
from .case import FORMATS, Op, bits_of, f32, lanewise, wrap
from .values import EDGES, generator, integers, pairs, random_float

SIGNED = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
UNSIGNED = SIGNED | {"lo": SIGNED["lt"], "ls": SIGNED["le"], "hi": SIGNED["gt"], "hs": SIGNED["ge"]}
LANES = 32


def float_comparisons():
    """By order: -1, 0, 1, or None when a NaN takes part."""
    found = {
        name: lambda order, test=test: order is not None and test(order, 0)
        for name, test in SIGNED.items()
    }
    for name, test in SIGNED.items():
        found[name + "u"] = lambda order, test=test: order is None or test(order, 0)
    found["num"] = lambda order: order is not None
    found["nan"] = lambda order: order is None
    return found


def integer_comparisons():
    for width in (16, 32, 64):
        a, b = pairs(f"u{width}", f"setp{width}")
        ops = []
        for kind, tests in (
            (f"u{width}", UNSIGNED),
            (f"s{width}", SIGNED),
            (f"b{width}", {key: SIGNED[key] for key in ("eq", "ne")}),
        ):
            for name, test in tests.items():
                ops.append(
                    Op(
                        f"setp.{name}.{kind} %p, %a, %b;\nselp.u32 {{}}, 1, 0, %p;",
                        "u32",
                        lambda a, b, kind=kind, test=test: int(test(wrap(kind, a), wrap(kind, b))),
                    )
                )
        lanewise(
            f"setp_{width}",
            f"Every comparison of {width}-bit integers.",
            {"a": (f"u{width}", a), "b": (f"u{width}", b)},
            ops,
            ".reg .pred %p;",
        )


integer_comparisons()


def float_pairs(kind):
    edges = EDGES[kind]
    rows = [
        (edges[0], edges[1]),
        (edges[6], edges[2]),
        (edges[2], edges[6]),
        (edges[6], edges[6]),
        (edges[4], edges[4]),
        (edges[4], edges[5]),
        (edges[5], edges[12]),
        (edges[8], edges[0]),
        (edges[9], edges[1]),
        (edges[8], edges[9]),
        (edges[10], edges[8]),
        (edges[2], edges[14]),
        (edges[15], edges[2]),
        (edges[2], edges[2]),
        (edges[3], edges[2]),
        (edges[10], edges[11]),
    ]
    source = generator(f"compare {kind}")
    while len(rows) < LANES:
        rows.append(
            (random_float(FORMATS[kind], source, 2), random_float(FORMATS[kind], source, 2))
        )
    return [a for a, _ in rows], [b for _, b in rows]


def float_tests():
    for kind in ("f32", "f64"):
        form = FORMATS[kind]
        a, b = float_pairs(kind)
        ops = []
        for name, test in float_comparisons().items():
            ops.append(
                Op(
                    f"setp.{name}.{kind} %p, %a, %b;\nselp.u32 {{}}, 1, 0, %p;",
                    "u32",
                    lambda a, b, test=test, form=form: int(test(exact.ordered(form, a, b))),
                )
            )
            if kind == "f32":
                ops.append(
                    Op(
                        f"setp.{name}.ftz.f32 %p, %a, %b;\nselp.u32 {{}}, 1, 0, %p;",
                        "u32",
                        lambda a, b, test=test, form=form: int(
                            test(exact.ordered(form, exact.flush(form, a), exact.flush(form, b)))
                        ),
                    )
                )
        lanewise(
            f"setp_{kind}",
            f"Every comparison of {kind}, ordered and unordered.",
            {"a": (kind, a), "b": (kind, b)},
            ops,
            ".reg .pred %p;",
        )


float_tests()


def combinations():
    a, b = pairs("s32", "combine")
    q = [lane >> 1 & 1 for lane in range(LANES)]
    combine = {"and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y}
    ops = []
    for name, function in combine.items():
        # The second destination takes the opposite comparison, combined in the same way.
        code = f"setp.lt.{name}.s32 %p|%r, %a, %b, %s;"
        ops.append(
            Op(
                f"{code}\nselp.u32 {{}}, 1, 0, %p;",
                "u32",
                lambda a, b, q, f=function: f(int(a < b), q),
                f"setp.lt.{name}.s32 p",
            )
        )
        ops.append(
            Op(
                f"{code}\nselp.u32 {{}}, 1, 0, %r;",
                "u32",
                lambda a, b, q, f=function: f(int(not a < b), q),
                f"setp.lt.{name}.s32 |q",
            )
        )
        ops.append(
            Op(
                f"setp.gt.{name}.s32 %p, %a, %b, !%s;\nselp.u32 {{}}, 1, 0, %p;",
                "u32",
                lambda a, b, q, f=function: f(int(a > b), 1 - q),
                f"setp.gt.{name}.s32 !q",
            )
        )
    ops.append(
        Op(
            "setp.eq.s32 %p|%r, %a, %b;\nselp.u32 {}, 1, 0, %r;",
            "u32",
            lambda a, b: int(a != b),
            "setp.eq.s32 |q",
        )
    )
    lanewise(
        "setp_combine",
        "A comparison combined with a predicate; two destinations.",
        {"a": ("s32", a), "b": ("s32", b), "q": ("u32", q)},
        ops,
        ".reg .pred %p, %r, %s;",
        setup="setp.ne.u32 %s, %q, 0;",
    )


combinations()


def sets():
    a, b = pairs("s32", "set")
    x, y = float_pairs("f32")
    q = [lane & 1 for lane in range(LANES)]
    comparisons = float_comparisons()
    one = f32(1.0)

    def of_floats(x, y, name):
        return comparisons[name](exact.ordered(exact.F32, x, y))

    ops = [
        Op("set.lt.u32.s32 {}, %a, %b;", "b32", lambda a, b: -(a < b)),
        Op("set.ge.s32.u32 {}, %a, %b;", "b32", lambda a, b: -(wrap("u32", a) >= wrap("u32", b))),
        Op("set.ne.f32.s32 {}, %a, %b;", "f32", lambda a, b: one if a != b else 0),
        Op("set.gtu.u32.f32 {}, %x, %y;", "b32", lambda x, y: -of_floats(x, y, "gtu")),
        Op("set.le.f32.f32 {}, %x, %y;", "f32", lambda x, y: one if of_floats(x, y, "le") else 0),
        Op("set.nan.f32.f32 {}, %x, %y;", "f32", lambda x, y: one if of_floats(x, y, "nan") else 0),
        Op("set.lt.and.u32.s32 {}, %a, %b, %p;", "b32", lambda a, b, q: -int(a < b and q)),
        Op("set.eq.xor.u32.s32 {}, %a, %b, !%p;", "b32", lambda a, b, q: -((a == b) ^ (1 - q))),
    ]
    lanewise(
        "set",
        "Comparisons whose result is a number: all ones or zero, 1.0 or 0.0.",
        {"a": ("s32", a), "b": ("s32", b), "x": ("f32", x), "y": ("f32", y), "q": ("u32", q)},
        ops,
        ".reg .pred %p;",
        setup="setp.ne.u32 %p, %q, 0;",
    )


sets()


def choices():
    columns = {
        "c": ("s32", [0, 1, -1, -(1 << 31), (1 << 31) - 1] + integers("s32", "slct", LANES - 5)),
        "f": ("f32", float_pairs("f32")[0][: LANES - 2] + [0x80000001, 0x80000000]),
    }
    for kind, count in (("b16", 16), ("b32", 32), ("b64", 64)):
        columns[f"a{count}"] = (kind, integers(f"u{count}", f"choice a{count}"))
        columns[f"b{count}"] = (kind, integers(f"u{count}", f"choice b{count}", edges=[]))
    ops = []
    for kind in ("b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"):
        bits = bits_of(kind)
        stored = f"b{bits}"
        reference = {
            16: lambda c, a16, b16: a16 if c < 3 else b16,
            32: lambda c, a32, b32: a32 if c < 3 else b32,
            64: lambda c, a64, b64: a64 if c < 3 else b64,
        }[bits]
        ops.append(Op(f"selp.{kind} {{}}, %a{bits}, %b{bits}, %p;", stored, reference))
    lanewise(
        "selp",
        "One of two values, by a predicate.",
        columns,
        ops,
        ".reg .pred %p;",
        setup="setp.lt.s32 %p, %c, 3;",
    )

    def not_negative(f):
        return not exact.is_nan(exact.F32, f) and (
            not exact.is_negative(exact.F32, f) or exact.is_zero(exact.F32, f)
        )

    ops = []
    for kind in ("b16", "u32", "s64", "f32"):
        bits = bits_of(kind)
        by_integer = {
            16: lambda a16, b16, c: a16 if c >= 0 else b16,
            32: lambda a32, b32, c: a32 if c >= 0 else b32,
            64: lambda a64, b64, c: a64 if c >= 0 else b64,
        }[bits]
        by_float = {
            16: lambda a16, b16, f: a16 if not_negative(f) else b16,
            32: lambda a32, b32, f: a32 if not_negative(f) else b32,
            64: lambda a64, b64, f: a64 if not_negative(f) else b64,
        }[bits]
        ops.append(Op(f"slct.{kind}.s32 {{}}, %a{bits}, %b{bits}, %c;", f"b{bits}", by_integer))
        ops.append(Op(f"slct.{kind}.f32 {{}}, %a{bits}, %b{bits}, %f;", f"b{bits}", by_float))
    ops.append(
        Op(
            "slct.ftz.u32.f32 {}, %a32, %b32, %f;",
            "b32",
            lambda a32, b32, f: a32 if not_negative(exact.flush(exact.F32, f)) else b32,
        )
    )
    lanewise(
        "slct",
        "One of two values, by the sign of a number: -0 counts as 0, NaN as negative.",
        columns,
        ops,
    )


choices()
