# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between types."""

from fractions import Fraction

from . import exact
from .arithmetic import clamp
from .case import FORMATS, Op, bits_of, f32, f64, lanewise, wrap
from .values import EDGES, floats, generator, integers, random_float

LANES = 32
INTEGERS = [sign + str(width) for width in (8, 16, 32, 64) for sign in "us"]
EDGES_OF_ALL = [
    0,
    1,
    -1,
    127,
    128,
    129,
    255,
    256,
    -128,
    -129,
    32767,
    32768,
    65535,
    65536,
    -32768,
    -32769,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    0x100000000,
    -0x80000000,
    -0x80000001,
]


def integer_columns():
    return {
        f"a{width}": (f"u{width}", integers(f"u{width}", f"cvt {width}", edges=EDGES_OF_ALL))
        for width in (8, 16, 32, 64)
    }


def bound(width, function):
    """A reference that reads the input of that width."""
    return {
        8: lambda a8: function(a8),
        16: lambda a16: function(a16),
        32: lambda a32: function(a32),
        64: lambda a64: function(a64),
    }[width]


def stored_kind(kind):
    """Narrow results go to a 32-bit register and are stored whole: their extension shows."""
    return kind if bits_of(kind) >= 32 else kind[0] + "32"


def holds_all(target, source):
    """Whether every number of `source` fits: then .sat is not allowed."""
    width, source_width = bits_of(target), bits_of(source)
    if target[0] == source[0]:
        return width >= source_width
    return target[0] == "s" and width > source_width


def between_integers():
    for saturate in (False, True):
        ops = []
        for target in INTEGERS:
            for source in INTEGERS:
                if source == target or (saturate and holds_all(target, source)):
                    continue

                def reference(x, source=source, target=target):
                    x = wrap(source, x)
                    return clamp(target, x) if saturate else wrap(target, x)

                sat = ".sat" if saturate else ""
                ops.append(
                    Op(
                        f"cvt{sat}.{target}.{source} {{}}, %a{bits_of(source)};",
                        stored_kind(target),
                        bound(bits_of(source), reference),
                    )
                )
        if saturate:
            title = "Conversions between integers, .sat: out of range becomes the nearest number."
        else:
            title = "Conversions between integers: narrower keep the low bits, wider extend."
        lanewise("cvt_integer_sat" if saturate else "cvt_integer", title, integer_columns(), ops)


between_integers()


def integers_to_floats():
    columns = integer_columns()
    # Halfway cases of f32 and f64.
    columns["a32"][1][22:26] = [0x01000001, 0x01000003, 0xFFFFFF7F, 0xFFFFFF80]
    columns["a64"][1][22:26] = [(1 << 53) + 1, (1 << 53) + 3, (1 << 64) - 1, (1 << 63) - (1 << 38)]
    for target in ("f16", "f32", "f64"):
        ops = []
        for source in INTEGERS:
            for mode in ("rn",) if target == "f16" else ("rn", "rz", "rm", "rp"):

                def reference(x, source=source, mode=mode):
                    return exact.rounded(FORMATS[target], Fraction(wrap(source, x)), mode)

                ops.append(
                    Op(
                        f"cvt.{mode}.{target}.{source} {{}}, %a{bits_of(source)};",
                        target,
                        bound(bits_of(source), reference),
                    )
                )
        lanewise(
            f"cvt_integer_to_{target}",
            f"Integers to {target}, with each rounding mode.",
            columns,
            ops,
        )


integers_to_floats()

HALVES = [
    0x0000,
    0x8000,
    0x3C00,
    0xBC00,
    0x7C00,
    0xFC00,
    0x7E00,
    0x0001,
    0x8001,
    0x03FF,
    0x0400,
    0x7BFF,
    0xFBFF,
    0x3800,
    0xB800,
    0x3E00,
    0x4100,
    0x5BF8,
    0x5C00,
    0x7800,
    0x3BFF,
    0x3C01,
]


def float_column(kind, with_nan=True):
    """Around zero, halves, and the ends of the ranges of all integer types."""
    form = FORMATS[kind]
    if kind == "f16":
        source = generator("cvt f16")
        values = HALVES + [random_float(form, source, 14) for _ in range(48 - len(HALVES))]
    else:
        numbers = [
            0.5,
            -0.5,
            1.5,
            2.5,
            -1.5,
            -2.5,
            0.25,
            -0.75,
            127.5,
            -128.5,
            255.5,
            256,
            32767.5,
            -32769,
            65535.5,
            2147483647.5,
            2147483648,
            -2147483648.5,
            -2147483904,
            4294967295.5,
            4294967296,
            9223372036854775807,
            9223371487098961920,
            -9223373136366403584,
            18446744073709551615,
            18446742974197923840,
        ]
        values = EDGES[kind][:13] + [{"f32": f32, "f64": f64}[kind](x) for x in numbers]
        values += floats(kind, f"cvt {kind}", 25, spread=20)[16:]
    if not with_nan:
        values = [x if not exact.is_nan(form, x) else 0 for x in values]
    return values[:48]


def float_to_integer(source, target, x, mode):
    form = FORMATS[source]
    width = bits_of(target)
    if exact.is_nan(form, x):
        # PTX: 0, unless 64 bits take part on either side.
        return 0 if source != "f64" and width != 64 else wrap(target, 1 << (width - 1))
    if exact.is_infinite(form, x):
        return clamp(target, -(1 << 100) if exact.is_negative(form, x) else 1 << 100)
    return clamp(target, exact.round_to_integer(exact.value(form, x), mode))


def floats_to_integers():
    for source in ("f16", "f32", "f64"):
        # NaN of f64 to fewer than 32 bits, and of f16 to 64 bits, is not tested.
        for narrow in (True, False):
            ops = []
            for target in INTEGERS:
                if (bits_of(target) < 32) != narrow:
                    continue
                for mode in ("rni", "rzi", "rmi", "rpi"):
                    ops.append(
                        Op(
                            f"cvt.{mode}.{target}.{source} {{}}, %a;",
                            stored_kind(target),
                            lambda a, target=target, mode=mode, source=source: float_to_integer(
                                source, target, a, mode[:2]
                            ),
                        )
                    )
                if source == "f32":
                    ops.append(
                        Op(
                            f"cvt.rpi.ftz.{target}.f32 {{}}, %a;",
                            stored_kind(target),
                            lambda a, target=target: float_to_integer(
                                "f32", target, exact.flush(exact.F32, a), "rp"
                            ),
                        )
                    )
                ops.append(
                    Op(
                        f"cvt.rzi.sat.{target}.{source} {{}}, %a;",
                        stored_kind(target),
                        lambda a, target=target, source=source: float_to_integer(
                            source, target, a, "rz"
                        ),
                    )
                )
            with_nan = source == "f32" or narrow == (source == "f16")
            lanewise(
                f"cvt_{source}_to_{'narrow' if narrow else 'wide'}",
                f"{source} to integers of {'8 and 16' if narrow else '32 and 64'} bits: "
                "out of range becomes the nearest number.",
                {"a": (source, float_column(source, with_nan))},
                ops,
                threads=48,
            )


floats_to_integers()


def wide_registers():
    source = generator("wide registers")
    low = lambda a, kind: wrap(kind, a)  # the lower bits, with the type's sign
    ops = [
        Op("cvt.s64.s32 {}, %a;", "s64", lambda a: low(a, "s32")),
        Op("cvt.u64.u32 {}, %a;", "u64", lambda a: low(a, "u32")),
        Op("cvt.u64.u16 {}, %a;", "u64", lambda a: low(a, "u16")),
        Op("cvt.u32.s16 {}, %a;", "u32", lambda a: wrap("u32", low(a, "s16"))),
        Op("cvt.rn.f64.s32 {}, %a;", "f64", lambda a: f64(float(low(a, "s32")))),
        Op("cvt.rn.f32.s32 {}, %a;", "f32", lambda a: f32(float(low(a, "s32")))),
    ]
    lanewise(
        "cvt_wide_register",
        "A register may be wider than the type that is converted: its lower bits count (PTX ISA, "
        "Operand Size Exceeding Instruction-Type Size).",
        {"a": ("b64", [source.getrandbits(64) for _ in range(LANES)])},
        ops,
    )


wide_registers()
