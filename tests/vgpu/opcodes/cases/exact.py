# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Floating-point arithmetic on bit patterns, exact before the one rounding.

Values are computed as fractions of Python's unbounded integers, so nothing here depends on the
machine's own floating point.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

NAN = "nan"  # as a result: any NaN will do


@dataclass(frozen=True)
class Format:
    """A binary floating-point format of IEEE 754's kind."""

    bits: int
    fraction_bits: int

    @property
    def bias(self):
        return (1 << (self.bits - self.fraction_bits - 2)) - 1

    @property
    def infinity(self):
        return (2 * self.bias + 1) << self.fraction_bits

    @property
    def sign_bit(self):
        return 1 << (self.bits - 1)

    @property
    def largest(self):
        return self.infinity - 1

    @property
    def smallest_normal(self):
        return 1 << self.fraction_bits


F16 = Format(16, 10)
BF16 = Format(16, 7)
F32 = Format(32, 23)
F64 = Format(64, 52)
TF32 = Format(19, 10)


def is_nan(form, x):
    return (x & ~form.sign_bit) > form.infinity


def is_infinite(form, x):
    return (x & ~form.sign_bit) == form.infinity


def is_zero(form, x):
    return (x & ~form.sign_bit) == 0


def is_subnormal(form, x):
    return 0 < (x & ~form.sign_bit) < form.smallest_normal


def is_negative(form, x):
    return (x & form.sign_bit) != 0


def value(form, x):
    """The number a finite pattern stands for."""
    magnitude = x & ~form.sign_bit
    exponent = magnitude >> form.fraction_bits
    fraction = magnitude & (form.smallest_normal - 1)
    if exponent > 0:
        fraction += form.smallest_normal
    scale = Fraction(2) ** (max(exponent, 1) - form.bias - form.fraction_bits)
    return -fraction * scale if is_negative(form, x) else fraction * scale


def round_to_integer(number, mode, negative=False):
    """Rounds a fraction to an integer: rn (ties to even), ra (ties away), rz, rm, rp."""
    floor = number.numerator // number.denominator
    rest = number - floor
    if mode == "rm":
        return floor
    if mode == "rp":
        return floor + (1 if rest else 0)
    if mode == "rz":
        return floor if number >= 0 else floor + (1 if rest else 0)
    half = Fraction(1, 2)
    if rest > half or (
        rest == half and ((mode == "rn" and floor % 2) or (mode == "ra" and number > 0))
    ):
        return floor + 1
    return floor


def rounded(form, number, mode="rn", zero_negative=False):
    """The pattern nearest to `number` in the direction `mode`; `zero_negative` is an exact zero's
    sign."""
    if number == 0:
        return form.sign_bit if zero_negative else 0
    negative = number < 0
    # Directed rounding of a magnitude: towards the number's own infinity, or towards zero.
    if mode in ("rm", "rp"):
        mode = "away" if (mode == "rm") == negative else "rz"
    magnitude = abs(number)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    exponent = max(exponent, 1 - form.bias)
    units = magnitude / Fraction(2) ** (exponent - form.fraction_bits)
    count = round_to_integer(units, {"away": "rp"}.get(mode, mode))
    # A carry out of the fraction moves into the exponent by itself.
    pattern = ((exponent + form.bias - 1) << form.fraction_bits) + count
    if pattern >= form.infinity:
        pattern = form.largest if mode == "rz" else form.infinity
    return pattern | (form.sign_bit if negative else 0)


def flush(form, x):
    """A subnormal becomes a zero of its sign."""
    return x & form.sign_bit if x != NAN and is_subnormal(form, x) else x


def saturate(form, x):
    """Clamps to [0, 1]; NaN becomes +0."""
    if x == NAN or is_nan(form, x) or is_negative(form, x):
        return 0
    one = rounded(form, Fraction(1))
    return min(x, one)


def negate(form, x):
    return x ^ form.sign_bit


def add(form, a, b, mode="rn"):
    return fma(form, rounded(form, Fraction(1)), a, b, mode)


def sub(form, a, b, mode="rn"):
    return add(form, a, negate(form, b), mode)


def mul(form, a, b, mode="rn"):
    negative = is_negative(form, a) != is_negative(form, b)
    if is_nan(form, a) or is_nan(form, b):
        return NAN
    if is_infinite(form, a) or is_infinite(form, b):
        if is_zero(form, a) or is_zero(form, b):
            return NAN
        return form.infinity | (form.sign_bit if negative else 0)
    return rounded(form, value(form, a) * value(form, b), mode, negative)


def fma(form, a, b, c, mode="rn"):
    if is_nan(form, a) or is_nan(form, b) or is_nan(form, c):
        return NAN
    negative = is_negative(form, a) != is_negative(form, b)
    if is_infinite(form, a) or is_infinite(form, b):
        if is_zero(form, a) or is_zero(form, b):
            return NAN
        if is_infinite(form, c) and is_negative(form, c) != negative:
            return NAN
        return form.infinity | (form.sign_bit if negative else 0)
    if is_infinite(form, c):
        return c
    product = value(form, a) * value(form, b)
    both_zero = product == 0 and is_zero(form, c)
    same_sign = negative == is_negative(form, c)
    zero_negative = negative if both_zero and same_sign else mode == "rm"
    return rounded(form, product + value(form, c), mode, zero_negative)


def div(form, a, b, mode="rn"):
    negative = is_negative(form, a) != is_negative(form, b)
    sign = form.sign_bit if negative else 0
    if is_nan(form, a) or is_nan(form, b):
        return NAN
    if is_infinite(form, a):
        return NAN if is_infinite(form, b) else form.infinity | sign
    if is_infinite(form, b):
        return sign
    if is_zero(form, b):
        return NAN if is_zero(form, a) else form.infinity | sign
    return rounded(form, value(form, a) / value(form, b), mode, negative)


def rcp(form, a, mode="rn"):
    return div(form, rounded(form, Fraction(1)), a, mode)


def sqrt(form, a, mode="rn"):
    if is_nan(form, a):
        return NAN
    if is_zero(form, a):
        return a
    if is_negative(form, a):
        return NAN
    if is_infinite(form, a):
        return a
    number = value(form, a)
    # Enough bits that truncating the root, with a sticky bit, cannot change the rounding.
    shift = 2 * (form.fraction_bits + 4 + form.bias + form.fraction_bits)
    scaled = number * (1 << shift)
    root = isqrt(scaled.numerator // scaled.denominator)
    exact = root * root == scaled
    approximation = Fraction(2 * root + (0 if exact else 1), 2 << (shift // 2))
    return rounded(form, approximation, mode)


def ordered(form, a, b):
    """-1, 0 or 1 for a < b, a = b, a > b; None when unordered."""
    if is_nan(form, a) or is_nan(form, b):
        return None

    def key(x):
        magnitude = x & ~form.sign_bit
        return -magnitude if is_negative(form, x) else magnitude

    return (key(a) > key(b)) - (key(a) < key(b))


def minimum(form, a, b, nan_wins=False):
    """The smaller; -0 is less than +0; a NaN loses unless `nan_wins`."""
    if is_nan(form, a) or is_nan(form, b):
        if nan_wins or (is_nan(form, a) and is_nan(form, b)):
            return NAN
        return b if is_nan(form, a) else a
    order = ordered(form, a, b)
    if order == 0:
        return a if is_negative(form, a) else b
    return a if order < 0 else b


def maximum(form, a, b, nan_wins=False):
    result = minimum(form, negate(form, a), negate(form, b), nan_wins)
    return result if result == NAN else negate(form, result)


def convert(source, target, x, mode="rn"):
    """Between formats."""
    if is_nan(source, x):
        return NAN
    sign = target.sign_bit if is_negative(source, x) else 0
    if is_infinite(source, x):
        return target.infinity | sign
    return rounded(target, value(source, x), mode, sign != 0)


def to_integral(form, x, mode):
    """Rounds to an integer, in the same format."""
    if is_nan(form, x):
        return NAN
    if is_infinite(form, x):
        return x
    integer = round_to_integer(value(form, x), mode)
    return rounded(form, Fraction(integer), "rn", is_negative(form, x))
