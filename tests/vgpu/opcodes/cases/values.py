# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Inputs: the edges of each type, then numbers from a fixed generator."""

import random

from .case import f32, f64, wrap
from .exact import F16, F32, F64

LANES = 32


def generator(name):
    """The same numbers on every machine and in every version of Python 3."""
    return random.Random(f"tilewise {name}")


def integers(kind, name, count=LANES, edges=None):
    """Edges first, then random numbers of all magnitudes."""
    source = generator(name)
    width = int(kind[1:])
    if edges is None:
        edges = [0, 1, -1, 1 << (width - 1), (1 << (width - 1)) - 1, 2, -2, (1 << (width - 1)) + 1]
    values = [wrap(kind, x) for x in edges]
    while len(values) < count:
        values.append(
            wrap(
                kind,
                (
                    source.getrandbits(width) >> source.randrange(width)
                    if source.random() < 0.5
                    else source.getrandbits(width)
                ),
            )
        )
    return values[:count]


def randoms(name, kind, count=LANES):
    source = generator(name)
    return [wrap(kind, source.getrandbits(int(kind[1:]))) for _ in range(count)]


def pairs(kind, name, count=LANES):
    """Two columns: edges against edges, then random ones."""
    width = int(kind[1:])
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    edges = [
        (0, 0),
        (0, 1),
        (1, -1),
        (-1, -1),
        (high, 1),
        (high, high),
        (low, 1),
        (low, -1),
        (low, low),
        (low, high),
        (high, -1),
        (1, low),
        (7, 3),
        (-7, 3),
        (7, -3),
        (-7, -3),
        (0x55, 0xAA),
        (low + 1, 2),
    ]
    source = generator(name)
    while len(edges) < count:
        edges.append(
            (source.getrandbits(width), source.getrandbits(width) >> source.randrange(width))
        )
    return ([wrap(kind, a) for a, _ in edges[:count]], [wrap(kind, b) for _, b in edges[:count]])


F32_EDGES = [
    0x00000000,
    0x80000000,
    0x3F800000,
    0xBF800000,
    0x7F800000,
    0xFF800000,
    0x7FC00000,
    0x7FFFFFFF,
    0x00000001,
    0x80000001,
    0x007FFFFF,
    0x00800000,
    0x7F7FFFFF,
    0xFF7FFFFF,
    0x3F800001,
    0x3F7FFFFF,
]
F64_EDGES = [
    0x0000000000000000,
    0x8000000000000000,
    0x3FF0000000000000,
    0xBFF0000000000000,
    0x7FF0000000000000,
    0xFFF0000000000000,
    0x7FF8000000000000,
    0x7FFFFFFFFFFFFFFF,
    0x0000000000000001,
    0x8000000000000001,
    0x000FFFFFFFFFFFFF,
    0x0010000000000000,
    0x7FEFFFFFFFFFFFFF,
    0xFFEFFFFFFFFFFFFF,
    0x3FF0000000000001,
    0x3FEFFFFFFFFFFFFF,
]
EDGES = {"f32": F32_EDGES, "f64": F64_EDGES}
FROM_FLOAT = {"f32": f32, "f64": f64}


def random_float(form, source, spread=8):
    """A normal number between 2^-spread and 2^spread of either sign."""
    exponent = form.bias + source.randrange(-spread, spread)
    pattern = exponent << form.fraction_bits | source.getrandbits(form.fraction_bits)
    return pattern | (form.sign_bit if source.random() < 0.5 else 0)


def floats(kind, name, count=LANES, spread=8):
    form = {"f16": F16, "f32": F32, "f64": F64}[kind]
    source = generator(name)
    values = list(EDGES.get(kind, []))
    while len(values) < count:
        values.append(random_float(form, source, spread))
    return values[:count]


def float_pairs(kind, name, count=48):
    """Every third pair of edges that matters, near-ties for the rounding modes, random numbers."""
    form = {"f32": F32, "f64": F64}[kind]
    zero, minus_zero, one, minus_one, inf, minus_inf, nan = EDGES[kind][:7]
    tiny, minus_tiny, subnormal, normal, largest, minus_largest, after_one, before_one = EDGES[
        kind
    ][8:]
    half_ulp = (form.bias - form.fraction_bits - 1) << form.fraction_bits  # half a unit at 1
    rows = [
        (zero, zero),
        (zero, minus_zero),
        (minus_zero, minus_zero),
        (one, minus_one),
        (one, zero),
        (minus_one, zero),
        (inf, one),
        (inf, minus_inf),
        (inf, inf),
        (minus_inf, zero),
        (nan, one),
        (one, nan),
        (tiny, tiny),
        (tiny, minus_tiny),
        (subnormal, tiny),
        (normal, minus_tiny),
        (normal, normal),
        (largest, largest),
        (largest, minus_largest),
        (largest, one),
        (minus_largest, largest),
        (one, half_ulp),
        (after_one, half_ulp),
        (minus_one, half_ulp),
        (one, tiny),
        (after_one, minus_tiny),
        (before_one, before_one),
        (after_one, after_one),
        (subnormal, one),
        (one, inf),
        (subnormal, after_one),
        (minus_tiny, half_ulp),
    ]
    source = generator(name)
    while len(rows) < count:
        rows.append((random_float(form, source), random_float(form, source)))
    return [a for a, _ in rows[:count]], [b for _, b in rows[:count]]
