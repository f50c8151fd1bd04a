# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Approximate functions: how far off they may be is what the PTX ISA promises for them."""

import math
import struct
from fractions import Fraction

from . import exact
from .case import Op, f32, f64, lanewise
from .exact import F32, F64, NAN
from .values import generator, random_float

LANES = 32


def number(x):
    return struct.unpack("<f", struct.pack("<I", x))[0]


def nearest(function):
    """The f32 nearest to what Python's f64 function gives; far more exact than is asked for."""
    return lambda a: (
        exact.rounded(F32, Fraction(function(number(a))))
        if math.isfinite(function(number(a)))
        else f32(function(number(a)))
    )


def randoms(name, count, low, high):
    source = generator(name)
    return [f32(low + (high - low) * source.getrandbits(24) / (1 << 24)) for _ in range(count)]


def powers_and_logarithms():
    edges = [
        0x00000000,
        0x80000000,
        0x7F800000,
        0xFF800000,
        0x7FC00000,
        f32(1),
        f32(-1),
        f32(2),
        f32(0.5),
        f32(127),
        f32(-126),
        f32(128),
        f32(-200),
        f32(10),
    ]
    a = edges + randoms("ex2", LANES - len(edges), -20, 20)

    def power(x):
        if math.isnan(number(x)):
            return NAN
        if number(x) >= 128:
            return F32.infinity
        if number(x) < -150:
            return 0
        return nearest(lambda v: 2.0**v)(x)

    lanewise(
        "ex2",
        "2 to the power of a.",
        {"a": ("f32", a)},
        [
            Op("ex2.approx.f32 {}, %a;", "f32", lambda a: power(a), tolerance="relative 2.4e-7"),
            Op(
                "ex2.approx.ftz.f32 {}, %a;",
                "f32",
                lambda a: exact.flush(F32, power(a)) if not exact.is_nan(F32, a) else NAN,
                tolerance="relative 2.4e-7",
            ),
        ],
    )

    def logarithm(x):
        if exact.is_zero(F32, x):
            return F32.infinity | F32.sign_bit
        if exact.is_nan(F32, x) or exact.is_negative(F32, x):
            return NAN
        return F32.infinity if exact.is_infinite(F32, x) else nearest(math.log2)(x)

    far = [
        0x00000000,
        0x80000000,
        0x7F800000,
        0xFF800000,
        0x7FC00000,
        f32(-1),
        f32(2),
        f32(0.5),
        f32(1024),
        0x00800000,
        0x7F7FFFFF,
        f32(10),
        f32(0.25),
    ]
    far += randoms("lg2", LANES - len(far), 2, 1000)
    near = [f32(1), 0x3F800001, 0x3F7FFFFF] + randoms("lg2 near", LANES - 3, 0.51, 1.99)
    subnormal = [0x00000001, 0x007FFFFF] + [f32(3)] * (LANES - 2)
    lanewise(
        "lg2",
        "The logarithm to base 2: the error is absolute between 0.5 and 2.",
        {"a": ("f32", far), "b": ("f32", near), "c": ("f32", subnormal)},
        [
            Op(
                "lg2.approx.f32 {}, %a;", "f32", lambda a: logarithm(a), tolerance="relative 2.4e-7"
            ),
            Op(
                "lg2.approx.ftz.f32 {}, %a;",
                "f32",
                lambda a: logarithm(a),
                tolerance="relative 2.4e-7",
            ),
            Op(
                "lg2.approx.f32 {}, %b;",
                "f32",
                lambda b: logarithm(b),
                "lg2.approx.f32 near 1",
                "absolute 2.4e-7",
            ),
            Op(
                "lg2.approx.f32 {}, %c;",
                "f32",
                lambda c: logarithm(c),
                "lg2.approx.f32 subnormal",
                "relative 2.4e-7",
            ),
            Op(
                "lg2.approx.ftz.f32 {}, %c;",
                "f32",
                lambda c: logarithm(exact.flush(F32, c)),
                "lg2.approx.ftz.f32 subnormal",
                "relative 2.4e-7",
            ),
        ],
    )


powers_and_logarithms()


def trigonometry():
    edges = [
        0x00000000,
        0x80000000,
        0x7F800000,
        0xFF800000,
        0x7FC00000,
        f32(math.pi / 2),
        f32(math.pi / 4),
        f32(3.14),
        f32(-3.14),
        f32(1e-6),
    ]
    a = edges + randoms("trigonometry", LANES - len(edges), -3.14, 3.14)

    def of(function):
        return lambda a: NAN if not math.isfinite(number(a)) else nearest(function)(a)

    ops = []
    for opcode, function in (("sin", math.sin), ("cos", math.cos)):
        for ftz in ("", ".ftz"):
            # 2^-20.9 for sin, 2^-21.19 for cos, between -pi and pi.
            ops.append(
                Op(
                    f"{opcode}.approx{ftz}.f32 {{}}, %a;",
                    "f32",
                    of(function),
                    tolerance="absolute 5.2e-7",
                )
            )
    lanewise("sin_cos", "sin and cos between -pi and pi.", {"a": ("f32", a)}, ops)

    def tangent(a):
        return NAN if math.isnan(number(a)) else nearest(math.tanh)(a)

    lanewise(
        "tanh",
        "The hyperbolic tangent.",
        {"a": ("f32", a)},
        [Op("tanh.approx.f32 {}, %a;", "f32", tangent, tolerance="relative 4.9e-4")],
    )


trigonometry()


def approximate_quotients():
    source = generator("approximate")
    edges = [
        0x00000000,
        0x80000000,
        0x7F800000,
        0xFF800000,
        0x7FC00000,
        f32(1),
        f32(-1),
        f32(3),
        f32(0.1),
        f32(1e20),
        f32(1e-20),
    ]
    a = edges + [random_float(F32, source, 30) for _ in range(LANES - len(edges))]
    positive = [x if exact.is_zero(F32, x) or x == 0xFF800000 else x & 0x7FFFFFFF for x in a]
    with_subnormal = [0x00000001, 0x80000001, 0x007FFFFF] + a[3:]

    def reciprocal_root(a):
        if exact.is_nan(F32, a):
            return NAN
        if exact.is_zero(F32, a):
            return F32.infinity | (a & F32.sign_bit)
        if exact.is_negative(F32, a):
            return NAN
        return 0 if exact.is_infinite(F32, a) else nearest(lambda v: 1 / math.sqrt(v))(a)

    def ftz(function):
        return lambda b: exact.flush(F32, function(exact.flush(F32, b)))

    lanewise(
        "rcp_approx",
        "Approximate reciprocals and roots.",
        {"a": ("f32", a), "b": ("f32", with_subnormal), "c": ("f32", positive)},
        [
            Op(
                "rcp.approx.f32 {}, %a;",
                "f32",
                lambda a: exact.rcp(F32, a),
                tolerance="relative 1.2e-7",
            ),
            Op(
                "rcp.approx.ftz.f32 {}, %b;",
                "f32",
                ftz(lambda b: exact.rcp(F32, b)),
                tolerance="relative 1.2e-7",
            ),
            Op(
                "sqrt.approx.f32 {}, %c;",
                "f32",
                lambda c: exact.sqrt(F32, c),
                tolerance="relative 2.4e-7",
            ),
            Op(
                "sqrt.approx.ftz.f32 {}, %c;",
                "f32",
                lambda c: exact.sqrt(F32, c),
                tolerance="relative 2.4e-7",
            ),
            Op(
                "rsqrt.approx.f32 {}, %c;",
                "f32",
                lambda c: reciprocal_root(c),
                tolerance="relative 2.4e-7",
            ),
            Op(
                "rsqrt.approx.ftz.f32 {}, %c;",
                "f32",
                lambda c: reciprocal_root(c),
                tolerance="relative 2.4e-7",
            ),
        ],
    )
    b = [random_float(F32, source, 30) for _ in range(LANES)]
    b[0:5] = [0x80000000, f32(2), f32(2), f32(-3), f32(1)]
    # rcp and rsqrt of f64 in this spelling look at the upper 32 bits only (their error: 2^-22.9).
    d = [f64(x) for x in (1, 3, -7, 0.1, 1e100, 1e-100)]
    d += [random_float(F64, source, 30) for _ in range(LANES - len(d))]
    e = [x & ~F64.sign_bit for x in d]
    lanewise(
        "div_approx",
        "Approximate quotients; reciprocals of f64.",
        {"a": ("f32", a), "b": ("f32", b), "d": ("f64", d), "e": ("f64", e)},
        [
            Op(
                "div.approx.f32 {}, %a, %b;",
                "f32",
                lambda a, b: exact.div(F32, a, b),
                tolerance="relative 2.4e-7",
            ),
            Op(
                "div.full.f32 {}, %a, %b;",
                "f32",
                lambda a, b: exact.div(F32, a, b),
                tolerance="relative 2.4e-7",
            ),
            Op(
                "div.approx.ftz.f32 {}, %a, %b;",
                "f32",
                lambda a, b: exact.div(F32, a, b),
                tolerance="relative 2.4e-7",
            ),
            Op(
                "div.full.ftz.f32 {}, %a, %b;",
                "f32",
                lambda a, b: exact.div(F32, a, b),
                tolerance="relative 2.4e-7",
            ),
            Op(
                "rcp.approx.ftz.f64 {}, %d;",
                "f64",
                lambda d: exact.rcp(F64, d),
                tolerance="relative 2e-6",
            ),
            Op(
                "rsqrt.approx.f64 {}, %e;",
                "f64",
                lambda e: exact.rcp(F64, exact.sqrt(F64, e)),
                tolerance="relative 1e-7",
            ),
            Op(
                "rsqrt.approx.ftz.f64 {}, %e;",
                "f64",
                lambda e: exact.rcp(F64, exact.sqrt(F64, e)),
                tolerance="relative 2e-6",
            ),
        ],
    )


approximate_quotients()
