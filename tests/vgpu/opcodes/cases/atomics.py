# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Atomic operations and reductions on global, shared and generic addresses.

Where lanes meet at one address their order is open, so such tests look at what every order gives.
"""

from . import exact
from .case import Array, bits_of, f32, f64, raw, wrap
from .values import integers

LANES = 32


def increment(old, limit):
    return 0 if old >= limit else old + 1


def decrement(old, limit):
    return limit if old == 0 or old > limit else old - 1


OPERATIONS = {
    "add": (("u32", "s32", "u64", "f32", "f64"), lambda kind, a, b: a + b),
    "and": (("b32", "b64"), lambda kind, a, b: a & b),
    "or": (("b32", "b64"), lambda kind, a, b: a | b),
    "xor": (("b32", "b64"), lambda kind, a, b: a ^ b),
    "exch": (("b32", "b64"), lambda kind, a, b: b),
    "min": (("u32", "s32", "u64", "s64"), lambda kind, a, b: min(wrap(kind, a), wrap(kind, b))),
    "max": (("u32", "s32", "u64", "s64"), lambda kind, a, b: max(wrap(kind, a), wrap(kind, b))),
    "inc": (("u32",), lambda kind, a, b: increment(a, b)),
    "dec": (("u32",), lambda kind, a, b: decrement(a, b)),
}


def result(operation, kind, a, b):
    if kind[0] == "f":
        return exact.add(exact.F32 if kind == "f32" else exact.F64, a, b)
    return OPERATIONS[operation][1](kind, a, b) & ((1 << bits_of(kind)) - 1)


def operands(name, width):
    a = integers(f"u{width}", name + " a")
    b = integers(f"u{width}", name + " b", edges=[1, 1, 1, -1, 5, 0, 3, 2])
    return a, b


def float_operands(kind):
    number = f32 if kind == "f32" else f64
    return (
        [number(x * 0.5) for x in range(LANES)],
        [number(x) for x in (0.25, -1.5, 1e20, 3, -0.0, 1e-3, 2, 7)] * 4,
    )


def each_lane_alone(space, qualifiers=""):
    """Every lane at its own address: the old value comes back, the new one is in memory."""
    for width in (32, 64):
        a, b = operands(f"atom {space}", width)
        body, outputs, at = "", [], 0
        kinds = f"b{width}"
        size = width // 8
        for operation, (types, _) in OPERATIONS.items():
            for kind in types:
                if bits_of(kind) != width:
                    continue
                x, y = float_operands(kind) if kind[0] == "f" else (a, b)
                first = 0 if kind[0] != "f" else 2 * LANES * size
                body += f"ld.global.{kinds} %a, [%in{width}+{first}];\n"
                body += f"ld.global.{kinds} %b, [%in{width}+{first + LANES * size}];\n"
                place = {"global": f"[%out{width}+{at}]", "shared": "[%s]", "generic": "[%g]"}[
                    space
                ]
                dot = "" if space == "generic" else f".{space}"
                store = f"st{dot}.{kinds} {place}, %a;\n"
                if space == "generic":
                    store = f"add.u64 %g, %out{width}, {at};\ncvta.global.u64 %g, %g;\n" + store
                body += store
                body += f"atom{qualifiers}{dot}.{operation}.{kind} %old, {place}, %b;\n"
                if space == "shared":
                    body += (
                        f"ld.shared.{kinds} %a, [%s];\nst.global.{kinds} [%out{width}+{at}], %a;\n"
                    )
                body += f"st.global.{kinds} [%out{width}+{at + LANES * size}], %old;\n"
                label = f"atom{dot}.{operation}.{kind}"
                shown = kind if kind[0] == "f" else kinds
                outputs.append(
                    Array(shown, [result(operation, kind, p, q) for p, q in zip(x, y)], label)
                )
                outputs.append(Array(shown, list(x), label + " old"))
                at += 2 * LANES * size
        inputs = [Array(kinds, a), Array(kinds, b)]
        kind = f"f{width}"
        inputs += [Array(kind, column) for column in float_operands(kind)]
        registers = f".reg .b{width} %a, %b, %old;\n.reg .b32 %s;\n.reg .b64 %g;"
        module = ""
        if space == "shared":
            module = f".shared .align 8 .b8 tile[{LANES * size}];"
            body = f"mov.u32 %s, tile;\nmad.lo.u32 %s, %thread, {size}, %s;\n" + body
        raw(
            f"atom_{space}_{width}",
            each_lane_alone.__doc__ + f" {width} bits, {space} addresses.",
            body + "ret;",
            inputs,
            outputs,
            registers,
            module,
        )


each_lane_alone("global")
each_lane_alone("shared")
each_lane_alone("generic")


def compare_and_swap():
    """The swap happens where the old value is the expected one."""
    for width in (16, 32, 64):
        kind = f"b{width}"
        size = width // 8
        old = integers(f"u{width}", f"cas {width}")
        expected = [x if lane % 3 else x ^ 1 for lane, x in enumerate(old)]
        new = list(reversed(old))
        body = f"""
            ld.global.{kind} %a, [%in{width}];
            ld.global.{kind} %b, [%in{width}+{LANES * size}];
            ld.global.{kind} %c, [%in{width}+{2 * LANES * size}];
            mov.u32 %s, tile;
            mad.lo.u32 %s, %thread, {size}, %s;
            st.global.{kind} [%out{width}], %a;
            st.shared.{kind} [%s], %a;
            atom.global.cas.{kind} %d, [%out{width}], %b, %c;
            st.global.{kind} [%out{width}+{LANES * size}], %d;
            atom.shared.cas.{kind} %d, [%s], %b, %c;
            st.global.{kind} [%out{width}+{2 * LANES * size}], %d;
            ld.shared.{kind} %d, [%s];
            st.global.{kind} [%out{width}+{3 * LANES * size}], %d;
            ret;"""
        swapped = [n if o == e else o for o, e, n in zip(old, expected, new)]
        raw(
            f"atom_cas_{width}",
            compare_and_swap.__doc__,
            body,
            [Array(kind, old), Array(kind, expected), Array(kind, new)],
            [
                Array(kind, swapped, "atom.global.cas"),
                Array(kind, old, "atom.global.cas old"),
                Array(kind, old, "atom.shared.cas old"),
                Array(kind, swapped, "atom.shared.cas"),
            ],
            f".reg .{kind} %a, %b, %c, %d;\n.reg .b32 %s;",
            f".shared .align 8 .b8 tile[{LANES * size}];",
        )


compare_and_swap()


def reductions():
    """red in each type, every lane at its own address."""
    for width in (32, 64):
        a, b = operands(f"red {width}", width)
        kinds, size = f"b{width}", width // 8
        body = f"ld.global.{kinds} %a, [%in{width}];\n"
        body += f"ld.global.{kinds} %b, [%in{width}+{LANES * size}];\n"
        outputs, at = [], 0
        for operation, (types, _) in OPERATIONS.items():
            for kind in types:
                if bits_of(kind) != width or operation == "exch" or kind[0] == "f":
                    continue
                body += f"st.global.{kinds} [%out{width}+{at}], %a;\n"
                body += f"red.global.{operation}.{kind} [%out{width}+{at}], %b;\n"
                outputs.append(
                    Array(
                        kinds,
                        [result(operation, kind, p, q) for p, q in zip(a, b)],
                        f"red.global.{operation}.{kind}",
                    )
                )
                at += LANES * size
        raw(
            f"red_{width}",
            reductions.__doc__,
            body + "ret;",
            [Array(kinds, a), Array(kinds, b)],
            outputs,
            f".reg .b{width} %a, %b;",
        )


reductions()


def orders_and_scopes():
    spellings = [
        "atom.global",
        "atom.relaxed.cta.global",
        "atom.relaxed.gpu.global",
        "atom.acquire.gpu.global",
        "atom.release.gpu.global",
        "atom.acq_rel.gpu.global",
        "atom.acq_rel.sys.global",
        "atom.gpu.global",
        "atom.cta.global",
        "atom.sys.global",
    ]
    values = integers("u32", "orders")
    body, outputs, at = "ld.global.u32 %r, [%in32];\n", [], 0
    for spelling in spellings:
        body += f"st.global.u32 [%out32+{at}], 5;\n{spelling}.add.u32 %s, [%out32+{at}], %r;\n"
        outputs.append(Array("u32", [x + 5 & 0xFFFFFFFF for x in values], spelling))
        at += 4 * LANES
    body += f"st.global.u32 [%out32+{at}], 7;\natom.global.add.u32 _, [%out32+{at}], %r;\n"
    outputs.append(Array("u32", [x + 7 & 0xFFFFFFFF for x in values], "atom with result _"))
    raw(
        "atom_spellings",
        "Memory order and scope do not change what an operation computes.",
        body + "ret;",
        [Array("u32", values)],
        outputs,
        ".reg .b32 %r, %s;",
    )


orders_and_scopes()


def subnormal_sums():
    """atom.add.f32 flushes subnormal numbers in global memory and keeps them in shared memory."""
    small = [
        0x00000001,
        0x80000001,
        0x00400000,
        0x007FFFFF,
        0x00800000,
        0x80400000,
        0x00000000,
        0x3F800000,
    ] * 4
    other = [
        0x00000001,
        0x00000003,
        0x00400001,
        0x00000001,
        0x80000001,
        0x00000000,
        0x00000005,
        0x00000001,
    ] * 4
    body = """
        mov.u32 %s, tile;
        mad.lo.u32 %s, %thread, 4, %s;
        ld.global.f32 %a, [%in32];
        ld.global.f32 %b, [%in32+128];
        st.global.f32 [%out32], %a;
        red.global.add.f32 [%out32], %b;
        st.shared.f32 [%s], %a;
        atom.shared.add.f32 %a, [%s], %b;
        ld.shared.f32 %a, [%s];
        st.global.f32 [%out32+128], %a;
        ret;"""

    def flushed(a, b):
        total = exact.add(exact.F32, exact.flush(exact.F32, a), exact.flush(exact.F32, b))
        return exact.flush(exact.F32, total)

    raw(
        "atom_subnormal",
        subnormal_sums.__doc__,
        body,
        [Array("f32", small), Array("f32", other)],
        [
            Array("f32", [flushed(a, b) for a, b in zip(small, other)], "red.global.add.f32"),
            Array(
                "f32",
                [exact.add(exact.F32, a, b) for a, b in zip(small, other)],
                "atom.shared.add.f32",
            ),
        ],
        ".reg .b32 %s, %a, %b;",
        ".shared .align 4 .b8 tile[128];",
    )


subnormal_sums()
