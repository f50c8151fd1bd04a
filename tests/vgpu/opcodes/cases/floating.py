# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""f32 and f64 arithmetic that IEEE 754 defines to the last bit."""

from . import exact
from .case import FORMATS, Op, lanewise
from .values import float_pairs, floats, generator, random_float

MODES = ("rn", "rz", "rm", "rp")


def flushed(form, function, truncating=None):
    """`function` as .ftz computes it: subnormal operands and results are zeros of their sign.

    Hardware looks at a result before it rounds: what would round up to the least normal number is
    flushed too. `truncating`, the function with rounding to zero, tells."""

    def with_flush(*operands):
        operands = [exact.flush(form, x) for x in operands]
        truncated = truncating(*operands) if truncating else exact.NAN
        if truncated != exact.NAN and exact.is_subnormal(form, truncated):
            return exact.flush(form, truncated)
        return exact.flush(form, function(*operands))

    return with_flush


def saturated(form, function):
    return lambda *operands: exact.saturate(form, function(*operands))


def variants(kind, function, modes=MODES):
    """(modifiers, reference): each rounding mode; for f32 also .ftz, .sat and both."""
    form = FORMATS[kind]
    found = []
    for mode in modes:
        plain = (
            (lambda *operands, mode=mode: function(form, *operands, mode))
            if mode
            else (lambda *operands: function(form, *operands))
        )
        dot = f".{mode}" if mode else ""
        found.append((dot, plain))
        if kind == "f32":
            truncating = (
                (lambda *operands: function(form, *operands, "rz"))
                if function in (exact.mul, exact.fma)
                else None
            )
            found.append((dot + ".ftz", flushed(form, plain, truncating)))
    return found


def fix_arity(function, count):
    """A reference whose operands have the names of the inputs."""
    return {
        1: lambda a: function(a),
        2: lambda a, b: function(a, b),
        3: lambda a, b, c: function(a, b, c),
    }[count]


def sums_and_products():
    for kind in ("f32", "f64"):
        form = FORMATS[kind]
        for opcode, function in (("add", exact.add), ("sub", exact.sub), ("mul", exact.mul)):
            a, b = float_pairs(kind, f"{opcode} {kind}")
            ops = []
            for dots, reference in variants(kind, function):
                ops.append(
                    Op(f"{opcode}{dots}.{kind} {{}}, %a, %b;", kind, fix_arity(reference, 2))
                )
                if kind == "f32" and "rn" in dots:
                    ops.append(
                        Op(
                            f"{opcode}{dots}.sat.{kind} {{}}, %a, %b;",
                            kind,
                            fix_arity(saturated(form, reference), 2),
                        )
                    )
            # Without a rounding mode a compiler may fuse this with what follows; alone it is rn.
            ops.append(
                Op(
                    f"{opcode}.{kind} {{}}, %a, %b;",
                    kind,
                    fix_arity(lambda x, y, f=function, form=form: f(form, x, y), 2),
                )
            )
            lanewise(
                f"{opcode}_{kind}",
                f"{opcode}.{kind}: the four rounding modes, signs of zero, "
                "infinities, NaN and subnormal numbers.",
                {"a": (kind, a), "b": (kind, b)},
                ops,
                threads=len(a),
            )


sums_and_products()


def fma_operands(kind, count=48):
    """Cancellation, products that only a fused operation keeps, overflow on the way, edges."""
    form = FORMATS[kind]
    zero, minus_zero, one, minus_one, inf, minus_inf, nan = floats(kind, "")[:7]
    tiny, minus_tiny, subnormal, normal, largest, minus_largest, after, before = floats(kind, "")[
        8:16
    ]
    two = exact.rounded(form, 2)
    square = exact.mul(form, after, after)
    rows = [
        (zero, zero, zero),
        (zero, one, minus_zero),
        (minus_zero, one, minus_zero),
        (one, minus_one, one),
        (one, one, minus_one),
        (inf, zero, one),
        (inf, one, minus_inf),
        (inf, one, inf),
        (one, one, inf),
        (nan, one, one),
        (one, one, nan),
        (zero, inf, nan),
        (largest, two, minus_largest),
        (largest, two, minus_inf),
        (largest, largest, minus_one),
        (largest, one, largest),
        (tiny, tiny, one),
        (tiny, tiny, zero),
        (tiny, minus_tiny, zero),
        (after, after, exact.negate(form, square)),
        (before, before, minus_one),
        (after, before, minus_one),
        (normal, normal, tiny),
        (subnormal, two, minus_tiny),
        (normal, before, zero),
        (one, tiny, minus_one),
        (minus_one, minus_one, minus_tiny),
        (one, normal, exact.negate(form, subnormal)),
    ]
    source = generator(f"fma {kind}")
    while len(rows) < count - 8:
        rows.append(tuple(random_float(form, source) for _ in range(3)))
    while len(rows) < count:  # the addend nearly cancels the product
        a, b = random_float(form, source), random_float(form, source)
        rows.append((a, b, exact.negate(form, exact.mul(form, a, b))))
    return [list(column) for column in zip(*rows)]


def fused():
    for kind in ("f32", "f64"):
        form = FORMATS[kind]
        a, b, c = fma_operands(kind)
        ops = []
        for dots, reference in variants(kind, exact.fma):
            ops.append(Op(f"fma{dots}.{kind} {{}}, %a, %b, %c;", kind, fix_arity(reference, 3)))
            if kind == "f32" and "rn" in dots:
                ops.append(
                    Op(
                        f"fma{dots}.sat.{kind} {{}}, %a, %b, %c;",
                        kind,
                        fix_arity(saturated(form, reference), 3),
                    )
                )
        ops.append(
            Op(
                f"mad.rn.{kind} {{}}, %a, %b, %c;",
                kind,
                fix_arity(lambda x, y, z, form=form: exact.fma(form, x, y, z), 3),
            )
        )
        lanewise(
            f"fma_{kind}",
            f"fma.{kind} rounds once; mad is the same instruction.",
            {"a": (kind, a), "b": (kind, b), "c": (kind, c)},
            ops,
            threads=len(a),
        )


fused()


def quotients_and_roots():
    for kind in ("f32", "f64"):
        a, b = float_pairs(kind, f"div {kind}")
        ops = [
            Op(f"div{dots}.{kind} {{}}, %a, %b;", kind, fix_arity(reference, 2))
            for dots, reference in variants(kind, exact.div)
        ]
        lanewise(
            f"div_{kind}",
            f"div.{kind} with each rounding mode, correctly rounded.",
            {"a": (kind, a), "b": (kind, b)},
            ops,
            threads=len(a),
        )
        a = floats(kind, f"roots {kind}", 48, spread=40)
        a = a[:16] + [x & ~FORMATS[kind].sign_bit for x in a[16:]]
        for opcode, function in (("sqrt", exact.sqrt), ("rcp", exact.rcp)):
            ops = [
                Op(f"{opcode}{dots}.{kind} {{}}, %a;", kind, fix_arity(reference, 1))
                for dots, reference in variants(kind, function)
            ]
            lanewise(
                f"{opcode}_{kind}",
                f"{opcode}.{kind} with each rounding mode, correctly rounded.",
                {"a": (kind, a)},
                ops,
                threads=len(a),
            )


quotients_and_roots()


def extremes():
    for kind in ("f32", "f64"):
        form = FORMATS[kind]
        a, b = float_pairs(kind, f"extremes {kind}")
        a[-3:], b[-3:] = [a[10], 0, form.sign_bit], [a[10], form.sign_bit, 0]
        ops = []
        for opcode, function in (("min", exact.minimum), ("max", exact.maximum)):

            def plain(x, y, f=function, form=form):
                return f(form, x, y)

            def strict(x, y, f=function, form=form):
                return f(form, x, y, nan_wins=True)

            ops.append(Op(f"{opcode}.{kind} {{}}, %a, %b;", kind, fix_arity(plain, 2)))
            if kind == "f32":
                ops.append(
                    Op(f"{opcode}.ftz.f32 {{}}, %a, %b;", kind, fix_arity(flushed(form, plain), 2))
                )
                ops.append(Op(f"{opcode}.NaN.f32 {{}}, %a, %b;", kind, fix_arity(strict, 2)))
        lanewise(
            f"min_max_{kind}",
            f"min and max of {kind}: a NaN loses against a number (.NaN: wins), "
            "-0 is less than +0.",
            {"a": (kind, a), "b": (kind, b)},
            ops,
            threads=len(a),
        )


extremes()


def signs():
    for kind in ("f32", "f64"):
        form = FORMATS[kind]
        a, b = float_pairs(kind, f"signs {kind}")
        numbers = [x if not exact.is_nan(form, x) else form.infinity for x in a]
        ops = [
            Op(f"abs.{kind} {{}}, %a;", kind, lambda a, form=form: a & ~form.sign_bit),
            Op(f"neg.{kind} {{}}, %a;", kind, lambda a, form=form: a ^ form.sign_bit),
            Op(
                f"copysign.{kind} {{}}, %a, %b;",
                kind,
                lambda a, b, form=form: (b & ~form.sign_bit) | (a & form.sign_bit),
            ),
        ]
        if kind == "f32":
            ops += [
                Op("abs.ftz.f32 {}, %a;", kind, lambda a: exact.flush(exact.F32, a & 0x7FFFFFFF)),
                Op("neg.ftz.f32 {}, %a;", kind, lambda a: exact.flush(exact.F32, a ^ 0x80000000)),
            ]
        b = [x if not exact.is_nan(form, x) else form.infinity for x in b]
        lanewise(
            f"sign_{kind}",
            "abs, neg and copysign (the first operand's sign on the second) move "
            "the sign bit only.",
            {"a": (kind, numbers), "b": (kind, b)},
            ops,
            threads=len(a),
        )


signs()


def properties():
    for kind in ("f32", "f64"):
        form = FORMATS[kind]
        a = floats(kind, f"testp {kind}")
        tests = {
            "finite": lambda form, x: not exact.is_nan(form, x) and not exact.is_infinite(form, x),
            "infinite": exact.is_infinite,
            "number": lambda form, x: not exact.is_nan(form, x),
            "notanumber": exact.is_nan,
            "normal": lambda form, x: not (
                exact.is_nan(form, x)
                or exact.is_infinite(form, x)
                or exact.is_subnormal(form, x)
            ),
            "subnormal": exact.is_subnormal,
        }
        ops = [
            Op(
                f"testp.{name}.{kind} %p, %a;\nselp.u32 {{}}, 1, 0, %p;",
                "u32",
                lambda a, form=form, test=test: int(test(form, a)),
            )
            for name, test in tests.items()
        ]
        lanewise(
            f"testp_{kind}",
            f"What kind of number a {kind} is.",
            {"a": (kind, a)},
            ops,
            ".reg .pred %p;",
        )


properties()
