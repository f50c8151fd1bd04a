# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Integer arithmetic of 16 bits."""

from .arithmetic import truncated_quotient
from .case import Op, lanewise, wrap
from .values import integers, pairs


def binary_operations():
    a, b = pairs("u16", "small")
    columns = {
        "a": ("u16", a),
        "b": ("u16", b),
        "c": ("u16", integers("u16", "small c")),
        "d": ("u32", integers("u32", "small d")),
    }
    functions = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul.lo": lambda a, b: a * b,
        "mul.hi": lambda a, b: a * b >> 16,
        "min": min,
        "max": max,
    }
    ops = []
    for kind in ("u16", "s16"):
        for opcode, function in functions.items():
            ops.append(
                Op(
                    f"{opcode}.{kind} {{}}, %a, %b;",
                    kind,
                    lambda a, b, kind=kind, f=function: f(wrap(kind, a), wrap(kind, b)),
                )
            )
        ops.append(
            Op(
                f"mad.lo.{kind} {{}}, %a, %b, %c;",
                kind,
                lambda a, b, c, kind=kind: wrap(kind, a) * wrap(kind, b) + c,
            )
        )
        ops.append(
            Op(
                f"sad.{kind} {{}}, %a, %b, %c;",
                kind,
                lambda a, b, c, kind=kind: abs(wrap(kind, a) - wrap(kind, b)) + c,
            )
        )
        wide = kind[0] + "32"
        ops.append(
            Op(
                f"mul.wide.{kind} {{}}, %a, %b;",
                wide,
                lambda a, b, kind=kind: wrap(kind, a) * wrap(kind, b),
            )
        )
        ops.append(
            Op(
                f"mad.wide.{kind} {{}}, %a, %b, %d;",
                wide,
                lambda a, b, d, kind=kind: wrap(kind, a) * wrap(kind, b) + d,
            )
        )
    lanewise("integer_16", "Two operands of 16 bits.", columns, ops)


binary_operations()


def quotients():
    a, b = pairs("u16", "quotients")
    columns = {"a": ("u16", a), "b": ("u16", [x or 9 for x in b])}
    ops = []
    for kind in ("u16", "s16"):
        ops.append(
            Op(
                f"div.{kind} {{}}, %a, %b;",
                kind,
                lambda a, b, kind=kind: truncated_quotient(wrap(kind, a), wrap(kind, b)),
            )
        )
        ops.append(
            Op(
                f"rem.{kind} {{}}, %a, %b;",
                kind,
                lambda a, b, kind=kind: wrap(kind, a)
                - wrap(kind, b) * truncated_quotient(wrap(kind, a), wrap(kind, b)),
            )
        )
    ops.append(Op("neg.s16 {}, %a;", "s16", lambda a: -wrap("s16", a)))
    ops.append(Op("abs.s16 {}, %a;", "s16", lambda a: abs(wrap("s16", a))))
    lanewise("div_16", "Quotients, remainders, signs of 16 bits.", columns, ops)


quotients()
