# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between floating-point formats, and packed ones."""

from . import exact
from .arithmetic import clamp
from .case import FORMATS, Op, f32, lanewise
from .convert import EDGES_OF_ALL, float_column
from .exact import NAN
from .values import generator, integers, random_float

LANES = 32


def between_floats():
    f32s, f64s, f16s = float_column("f32"), float_column("f64"), float_column("f16")
    ties = [
        0x38801000,
        0x38803000,
        0x33000000,
        0x33000001,
        0x477FEFFF,
        0x477FF000,
        0x387FE000,
        0x3F808000,
        0x3F818000,
        0x3F801000,
    ]
    f32s[13 : 13 + len(ties)] = ties
    wide_ties = [
        0x3FF0000010000000,
        0x3FF0000030000000,
        0x36A0000000000000,
        0x3690000000000000,
        0x47EFFFFFEFFFFFFF,
        0x47EFFFFFF0000000,
        0x380FFFFFC0000000,
        0x3FF0020000000000,
    ]
    f64s[13 : 13 + len(wide_ties)] = wide_ties
    columns = {"h": ("b16", f16s), "s": ("f32", f32s), "d": ("f64", f64s)}
    inputs = {"f16": "h", "f32": "s", "f64": "d"}
    ops = []

    def conversion(code, source, target, mode, before=lambda x: x, after=lambda x: x, label=""):
        def reference(x):
            return after(exact.convert(FORMATS[source], FORMATS[target], before(x), mode))

        named = {
            "h": lambda h: reference(h),
            "s": lambda s: reference(s),
            "d": lambda d: reference(d),
        }[inputs[source]]
        ops.append(Op(f"{code} {{}}, %{inputs[source]};", target, named, label))

    conversion("cvt.f32.f16", "f16", "f32", "rn")
    conversion("cvt.f64.f16", "f16", "f64", "rn")
    conversion("cvt.f64.f32", "f32", "f64", "rn")
    conversion("cvt.ftz.f64.f32", "f32", "f64", "rn", lambda x: exact.flush(exact.F32, x))
    for mode in ("rn", "rz", "rm", "rp"):
        conversion(f"cvt.{mode}.f32.f64", "f64", "f32", mode)
        conversion(
            f"cvt.{mode}.ftz.f32.f64", "f64", "f32", mode, after=lambda x: exact.flush(exact.F32, x)
        )
    conversion(
        "cvt.rn.sat.f32.f64", "f64", "f32", "rn", after=lambda x: exact.saturate(exact.F32, x)
    )
    for mode in ("rn", "rz", "rm", "rp"):
        conversion(f"cvt.{mode}.f16.f32", "f32", "f16", mode)
    conversion("cvt.rn.ftz.f16.f32", "f32", "f16", "rn", lambda x: exact.flush(exact.F32, x))
    conversion("cvt.rn.f16.f64", "f64", "f16", "rn")
    conversion("cvt.rn.bf16.f32", "f32", "bf16", "rn")
    conversion("cvt.rz.bf16.f32", "f32", "bf16", "rz")
    lanewise(
        "cvt_float",
        "Conversions between floating-point formats, with ties and overflows.",
        columns,
        ops,
        threads=48,
    )


between_floats()


def integral_floats():
    ops = []
    for mode in ("rni", "rzi", "rmi", "rpi"):
        ops.append(
            Op(
                f"cvt.{mode}.f32.f32 {{}}, %a;",
                "f32",
                lambda a, mode=mode: exact.to_integral(exact.F32, a, mode[:2]),
            )
        )
        ops.append(
            Op(
                f"cvt.{mode}.f64.f64 {{}}, %b;",
                "f64",
                lambda b, mode=mode: exact.to_integral(exact.F64, b, mode[:2]),
            )
        )
    ops += [
        Op(
            "cvt.rmi.ftz.f32.f32 {}, %a;",
            "f32",
            lambda a: exact.to_integral(exact.F32, exact.flush(exact.F32, a), "rm"),
        ),
        Op("cvt.sat.f32.f32 {}, %a;", "f32", lambda a: exact.saturate(exact.F32, a)),
        Op(
            "cvt.ftz.f32.f32 {}, %a;",
            "f32",
            lambda a: NAN if exact.is_nan(exact.F32, a) else exact.flush(exact.F32, a),
        ),
        Op(
            "cvt.rni.sat.f32.f32 {}, %a;",
            "f32",
            lambda a: exact.saturate(exact.F32, exact.to_integral(exact.F32, a, "rn")),
        ),
    ]
    lanewise(
        "cvt_integral",
        "Rounding to an integer within a format; the sign of zero stays.",
        {"a": ("f32", float_column("f32")), "b": ("f64", float_column("f64"))},
        ops,
        threads=48,
    )


integral_floats()


def to_tf32(a):
    """The nearest number with 10 fraction bits, ties away from zero, low 13 bits zero."""
    if exact.is_zero(exact.F32, a) or exact.is_infinite(exact.F32, a):
        return a
    nearest = exact.rounded(exact.TF32, exact.value(exact.F32, a), "ra")
    return exact.convert(exact.TF32, exact.F32, nearest)


def packed():
    a = [x if not exact.is_nan(exact.F32, x) else f32(2.5) for x in float_column("f32")[:LANES]]
    b = list(reversed(a))

    def pair(form, a, b, mode="rn", relu=False):
        high, low = exact.convert(exact.F32, form, a, mode), exact.convert(exact.F32, form, b, mode)
        if relu:
            high, low = [0 if exact.is_negative(form, x) else x for x in (high, low)]
        return high << 16 | low

    ops = []
    for kind in ("f16", "bf16"):
        for mode in ("rn", "rz"):
            for relu in ("", ".relu"):
                ops.append(
                    Op(
                        f"cvt.{mode}{relu}.{kind}x2.f32 {{}}, %a, %b;",
                        "b32",
                        lambda a, b, kind=kind, mode=mode, relu=relu: pair(
                            FORMATS[kind], a, b, mode, bool(relu)
                        ),
                    )
                )
    lanewise(
        "cvt_tf32",
        "The nearest number with 10 fraction bits, ties away from zero.",
        {"a": ("f32", a)},
        [Op("cvt.rna.tf32.f32 {}, %a;", "b32", lambda a: to_tf32(a))],
    )
    lanewise(
        "cvt_packed",
        "Two numbers into one register, the first in the upper half.",
        {"a": ("f32", a), "b": ("f32", b)},
        ops,
    )


packed()


def packed_integers():
    """Two clamped integers into one register, in front of the low bits of a third."""
    i, j = integers("s32", "pack i", edges=EDGES_OF_ALL), integers("s32", "pack j")
    c = integers("u32", "pack c")
    ops = []
    for kind in ("u16", "s16"):
        ops.append(
            Op(
                f"cvt.pack.sat.{kind}.s32 {{}}, %i, %j;",
                "b32",
                lambda i, j, kind=kind: (clamp(kind, i) & 0xFFFF) << 16 | clamp(kind, j) & 0xFFFF,
            )
        )
    for kind in ("u8", "s8"):
        ops.append(
            Op(
                f"cvt.pack.sat.{kind}.s32.b32 {{}}, %i, %j, %c;",
                "b32",
                lambda i, j, c, kind=kind: c << 16
                | (clamp(kind, i) & 0xFF) << 8
                | clamp(kind, j) & 0xFF,
            )
        )
    lanewise(
        "cvt_pack_sat",
        packed_integers.__doc__,
        {"i": ("s32", i), "j": ("s32", j), "c": ("b32", c)},
        ops,
    )


packed_integers()


def bf16_to_f32():
    values = [
        0x0000,
        0x8000,
        0x3F80,
        0xBF80,
        0x7F80,
        0xFF80,
        0x7FC0,
        0x0001,
        0x007F,
        0x0080,
        0x7F7F,
    ]
    source = generator("bf16")
    values += [random_float(exact.BF16, source, 60) for _ in range(LANES - len(values))]
    lanewise(
        "cvt_bf16_to_f32",
        "bf16 is the upper half of an f32.",
        {"a": ("b16", values)},
        [Op("cvt.f32.bf16 {}, %a;", "f32", lambda a: exact.convert(exact.BF16, exact.F32, a))],
        capability="9.0",
    )


bf16_to_f32()
