# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Atomic operations of many threads at one address."""

from .case import Array, f32, raw, wrap
from .values import integers

LANES = 32


def together():
    """All threads of two blocks at one address: sums, extremes, counters, and old values that are
    each seen once."""
    threads, blocks = 64, 2
    total = threads * blocks
    values = integers("u32", "together", total)
    # The counters are in global variables; the last thread to arrive copies them out.
    body = """
        ld.global.u32 %r, [%in32];
        red.global.add.u32 [results], %r;
        red.global.max.u32 [results+4], %r;
        red.global.max.s32 [results+8], %r;
        red.global.or.b32 [results+12], %r;
        red.global.xor.b32 [results+16], %r;
        red.relaxed.gpu.global.add.u32 [results+20], 1;
        atom.global.add.u32 %i, [results+24], 1;
        mul.wide.u32 %o, %i, 4;
        add.u64 %p, %out, %o;
        st.global.u32 [%p+32], %i;
        cvt.rn.f32.u32 %f, %thread;
        red.global.add.f32 [results+28], %f;
        membar.gl;
        atom.global.inc.u32 %i, [arrived], 1000;
        setp.ne.u32 %q, %i, 127;
        @%q ret;
        membar.gl;
        ld.volatile.global.v4.u32 {%a, %b, %c, %d}, [results];
        st.global.v4.u32 [%out], {%a, %b, %c, %d};
        ld.volatile.global.v4.u32 {%a, %b, %c, %d}, [results+16];
        st.global.v4.u32 [%out+16], {%a, %b, %c, %d};
        ret;"""
    signed = [wrap("s32", x) for x in values]
    union, parity = 0, 0
    for x in values:
        union, parity = union | x, parity ^ x
    expected = [
        sum(values) & 0xFFFFFFFF,
        max(values),
        max(max(signed), 0),
        union,
        parity,
        total,
        total,
        f32(sum(range(total))),
    ]
    raw(
        "red_together",
        together.__doc__,
        body,
        [Array("u32", values)],
        [
            Array("b32", expected, "red.add, max.u32, max.s32, or, xor, count, tickets, add.f32"),
            Array("u32", list(range(total)), "old values"),
        ],
        ".reg .b32 %r, %i, %f, %a, %b, %c, %d;\n.reg .b64 %o, %p;\n.reg .pred %q;",
        ".global .align 16 .u32 results[8];\n.global .align 4 .u32 arrived;",
        threads=threads,
        blocks=blocks,
    )


together()


def shared_together():
    """All lanes of two warps at shared addresses: every lane at one, and every fourth at one."""
    values = integers("u32", "shared together", 64)
    body = """
        mov.u32 %s, tile;
        mov.u32 %z, 0;
        mad.lo.u32 %i, %thread, 4, %s;
        st.shared.u32 [%i], %z;
        bar.sync 0;
        ld.global.u32 %r, [%in32];
        red.shared.add.u32 [%s], %r;
        and.b32 %i, %thread, 3;
        mad.lo.u32 %i, %i, 4, %s;
        red.shared.max.u32 [%i+16], %r;
        red.shared.and.b32 [%s+32], %r;
        cvt.rn.f32.u32 %f, %thread;
        red.shared.add.f32 [%s+36], %f;
        red.shared.inc.u32 [%s+40], 9;
        atom.shared.add.u64 %l, [%s+48], 3;
        bar.sync 0;
        mad.lo.u32 %i, %thread, 4, %s;
        ld.shared.u32 %r, [%i];
        st.global.u32 [%out32], %r;
        ret;"""
    expected = [0] * 64
    expected[0] = sum(values) & 0xFFFFFFFF
    for i in range(4):
        expected[4 + i] = max(values[i::4])
    expected[9] = f32(sum(range(64)))
    expected[10] = 64 % 10
    expected[12] = 64 * 3
    raw(
        "red_shared",
        shared_together.__doc__,
        body,
        [Array("u32", values)],
        [Array("b32", expected)],
        ".reg .b32 %s, %z, %i, %r, %f;\n.reg .b64 %l;\n.reg .pred %q;",
        ".shared .align 8 .b8 tile[256];",
        threads=64,
    )


shared_together()


def spin_lock():
    """Every thread of two warps takes a lock in shared memory, changes a number, and lets go."""
    body = """
        mov.u32 %s, lock;
        setp.ne.u32 %q, %thread, 0;
        mov.u32 %z, 0;
        @!%q st.shared.v2.u32 [%s], {%z, %z};
        bar.sync 0;
        mov.u32 %done, 0;
    again:
        atom.shared.cas.b32 %old, [%s], 0, 1;
        setp.ne.u32 %q, %old, 0;
        @%q bra next;
        ld.volatile.shared.u32 %v, [%s+4];
        add.u32 %v, %v, %thread;
        st.volatile.shared.u32 [%s+4], %v;
        membar.cta;
        atom.shared.exch.b32 %old, [%s], 0;
        mov.u32 %done, 1;
    next:
        setp.eq.u32 %q, %done, 0;
        @%q bra again;
        bar.sync 0;
        ld.volatile.shared.u32 %v, [%s+4];
        st.global.u32 [%out32], %v;
        ret;"""
    raw(
        "atom_lock",
        spin_lock.__doc__,
        body,
        (),
        [Array("u32", [sum(range(64))] * 64)],
        ".reg .b32 %s, %z, %done, %old, %v;\n.reg .pred %q;",
        ".shared .align 8 .b8 lock[8];",
        threads=64,
    )


spin_lock()
