# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Barriers and fences between warps."""

from .case import Array, raw
from .values import integers


def exchange(name, title, wait, threads=128):
    """Three rounds: write, wait, read another warp's element, wait."""
    values = integers("u32", name, threads)
    body = "ld.global.u32 %v, [%in32];\nmov.u32 %base, tile;\nmad.lo.u32 %to, %thread, 4, %base;\n"
    state = list(values)
    for distance in (33, 64, 95):
        body += f"""
            st.shared.u32 [%to], %v;
            {wait}
            xor.b32 %from, %thread, {distance};
            mad.lo.u32 %from, %from, 4, %base;
            ld.shared.u32 %w, [%from];
            mad.lo.u32 %v, %v, 3, %w;
            {wait}"""
        state = [(3 * x + state[i ^ distance]) & 0xFFFFFFFF for i, x in enumerate(state)]
    raw(
        name,
        title,
        body + "\nst.global.u32 [%out32], %v;\nret;",
        [Array("u32", values)],
        [Array("u32", state)],
        ".reg .b32 %v, %w, %base, %to, %from;",
        f".shared .align 4 .b8 tile[{4 * threads}];",
        threads=threads,
    )


exchange("bar_sync", "bar.sync 0: all four warps of the block.", "bar.sync 0;")
exchange(
    "bar_sync_count",
    "bar.sync with a barrier's number and the count of threads.",
    "bar.sync 3, 128;",
)
exchange(
    "barrier_sync",
    "barrier.sync and its aligned form are bar.sync.",
    "barrier.sync 1;\nbarrier.sync.aligned 2;",
)
exchange(
    "barrier_cta",
    "bar.cta.sync and barrier.cta.sync are bar.sync.",
    "bar.cta.sync 0;\nbarrier.cta.sync 1, 128;",
)
exchange(
    "bar_register",
    "The barrier's number in a register.",
    "mov.u32 %w, 5;\nbarrier.sync %w;\nbar.sync %w, 128;",
)


def two_halves():
    """Each half of the block waits at a barrier of its own, a different number of times."""
    body = """
        mov.u32 %base, tile;
        mad.lo.u32 %to, %thread, 4, %base;
        mov.u32 %i, 0;
        mov.u32 %v, %thread;
        setp.lt.u32 %q, %thread, 64;
        @%q bra first;
    second:
        st.shared.u32 [%to], %v;
        bar.sync 2, 64;
        xor.b32 %from, %thread, 32;
        mad.lo.u32 %from, %from, 4, %base;
        ld.shared.u32 %w, [%from];
        add.u32 %v, %v, %w;
        bar.sync 2, 64;
        add.u32 %i, %i, 1;
        setp.lt.u32 %q, %i, 7;
        @%q bra second;
        bra after;
    first:
        st.shared.u32 [%to], %v;
        bar.sync 1, 64;
        xor.b32 %from, %thread, 32;
        mad.lo.u32 %from, %from, 4, %base;
        ld.shared.u32 %w, [%from];
        add.u32 %v, %v, %w;
        bar.sync 1, 64;
        add.u32 %i, %i, 1;
        setp.lt.u32 %q, %i, 3;
        @%q bra first;
    after:
        st.global.u32 [%out32], %v;
        ret;"""
    state = list(range(128))
    for step in range(7):
        state = [x + state[i ^ 32] if i >= 64 or step < 3 else x for i, x in enumerate(state)]
    raw(
        "bar_halves",
        two_halves.__doc__,
        body,
        (),
        [Array("u32", state)],
        ".reg .b32 %v, %w, %i, %base, %to, %from;\n.reg .pred %q;",
        ".shared .align 4 .b8 tile[512];",
        threads=128,
    )


two_halves()


def producer_and_consumer():
    """One warp arrives without waiting, the other waits for its numbers; then the roles change."""
    body = """
        mov.u32 %base, tile;
        and.b32 %lane, %thread, 31;
        mad.lo.u32 %to, %lane, 4, %base;
        mov.u32 %i, 0;
        mov.u32 %v, 0;
        setp.ge.u32 %q, %thread, 32;
        @%q bra consumer;
    producer:
        mad.lo.u32 %v, %i, 100, %lane;
        st.shared.u32 [%to], %v;
        bar.arrive 1, 64;
        bar.sync 2, 64;
        add.u32 %i, %i, 1;
        setp.lt.u32 %q, %i, 5;
        @%q bra producer;
        bra after;
    consumer:
        bar.sync 1, 64;
        xor.b32 %from, %lane, 9;
        mad.lo.u32 %from, %from, 4, %base;
        ld.shared.u32 %w, [%from];
        mad.lo.u32 %v, %v, 7, %w;
        barrier.arrive 2, 64;
        add.u32 %i, %i, 1;
        setp.lt.u32 %q, %i, 5;
        @%q bra consumer;
    after:
        st.global.u32 [%out32], %v;
        ret;"""
    expected = [400 + lane for lane in range(32)]
    for lane in range(32):
        total = 0
        for i in range(5):
            total = 7 * total + 100 * i + (lane ^ 9)
        expected.append(total)
    raw(
        "bar_arrive",
        producer_and_consumer.__doc__,
        body,
        (),
        [Array("u32", expected)],
        ".reg .b32 %v, %w, %i, %base, %lane, %to, %from;\n.reg .pred %q;",
        ".shared .align 4 .b8 tile[128];",
        threads=64,
    )


producer_and_consumer()


def reductions():
    """A barrier that also counts, or combines, a predicate of all threads."""
    threads = 96
    values = [(i * 37) % 11 for i in range(threads)]
    body = """
        ld.global.u32 %v, [%in32];
        setp.lt.u32 %p, %v, 4;
        bar.red.popc.u32 %r, 0, %p;
        st.global.u32 [%out32], %r;
        barrier.red.popc.u32 %r, 1, 96, !%p;
        st.global.u32 [%out32+384], %r;
        bar.red.and.pred %q, 0, %p;
        selp.u32 %r, 1, 0, %q;
        bar.red.or.pred %q, 0, %p;
        selp.u32 %s, 2, 0, %q;
        or.b32 %r, %r, %s;
        setp.lt.u32 %p, %v, 11;
        barrier.red.and.aligned.pred %q, 1, %p;
        selp.u32 %s, 4, 0, %q;
        or.b32 %r, %r, %s;
        barrier.red.or.aligned.pred %q, 1, 96, !%p;
        selp.u32 %s, 8, 0, %q;
        or.b32 %r, %r, %s;
        st.global.u32 [%out32+768], %r;
        ret;"""
    small = sum(x < 4 for x in values)
    raw(
        "bar_red",
        reductions.__doc__,
        body,
        [Array("u32", values)],
        [
            Array("u32", [small] * threads, "bar.red.popc"),
            Array("u32", [threads - small] * threads, "of not p"),
            Array("u32", [6] * threads, "and: 1, or: 2, all: 4, none: 8"),
        ],
        ".reg .b32 %v, %r, %s;\n.reg .pred %p, %q;",
        threads=threads,
    )


reductions()


def leavers():
    """Threads that have left do not hold up a barrier: a whole warp leaves."""
    body = """
        setp.ge.u32 %q, %thread, 64;
        @%q exit;
        mov.u32 %base, tile;
        mad.lo.u32 %to, %thread, 4, %base;
        st.shared.u32 [%to], %thread;
        bar.sync 0;
        xor.b32 %from, %thread, 63;
        mad.lo.u32 %from, %from, 4, %base;
        ld.shared.u32 %w, [%from];
        st.global.u32 [%out32], %w;
        ret;"""
    raw(
        "bar_exited",
        leavers.__doc__,
        body,
        (),
        [Array("u32", [i ^ 63 for i in range(64)])],
        ".reg .b32 %w, %base, %to, %from;\n.reg .pred %q;",
        ".shared .align 4 .b8 tile[256];",
        threads=96,
    )


leavers()


def warp_barriers():
    """bar.warp.sync orders shared memory between lanes of a warp, also of a part of it."""
    body = """
        mov.u32 %base, tile;
        mad.lo.u32 %to, %thread, 4, %base;
        st.shared.u32 [%to], %thread;
        bar.warp.sync 0xFFFFFFFF;
        xor.b32 %from, %thread, 31;
        mad.lo.u32 %from, %from, 4, %base;
        ld.shared.u32 %v, [%from];
        bar.warp.sync -1;
        setp.lt.u32 %q, %thread, 8;
        mov.u32 %m, 0xFFFFFF00;
        @%q mov.u32 %m, 0xFF;
        @!%q bra high;
        st.shared.u32 [%to], %v;
        bar.warp.sync 0xFF;
        xor.b32 %from, %thread, 7;
        bra both;
    high:
        st.shared.u32 [%to], %v;
        bar.warp.sync %m;
        xor.b32 %from, %thread, 1;
    both:
        mad.lo.u32 %from, %from, 4, %base;
        ld.shared.u32 %w, [%from];
        st.global.u32 [%out32], %w;
        ret;"""
    first = [i ^ 31 for i in range(32)]
    raw(
        "bar_warp",
        warp_barriers.__doc__,
        body,
        (),
        [Array("u32", [first[i ^ 7] if i < 8 else first[i ^ 1] for i in range(32)])],
        ".reg .b32 %v, %w, %base, %to, %from, %m;\n.reg .pred %q;",
        ".shared .align 4 .b8 tile[128];",
    )


warp_barriers()


def fences():
    """Fences of every scope between a write and a flag; another block waits for the flag."""
    body = """
        shr.u32 %half, %thread, 5;
        setp.ne.u32 %q, %half, 0;
        @%q bra reader;
        add.u32 %v, %thread, 500;
        mul.wide.u32 %o, %thread, 4;
        mov.u64 %p, numbers;
        add.u64 %p, %p, %o;
        st.global.u32 [%p], %v;
        membar.cta;
        membar.gl;
        membar.sys;
        fence.sc.cta;
        fence.acq_rel.gpu;
        fence.sc.sys;
        fence.acq_rel.cta;
        fence.sc.gpu;
        fence.acq_rel.sys;
        bar.sync 0;
        setp.ne.u32 %q, %thread, 0;
        @%q bra done;
        mov.u64 %p, flag;
        st.release.gpu.global.u32 [%p], 1;
        bra done;
    reader:
        mov.u64 %p, flag;
    wait:
        ld.acquire.gpu.global.u32 %v, [%p];
        nanosleep.u32 100;
        setp.eq.u32 %q, %v, 0;
        @%q bra wait;
        sub.u32 %i, 63, %thread;
        mul.wide.u32 %o, %i, 4;
        mov.u64 %p, numbers;
        add.u64 %p, %p, %o;
        ld.relaxed.gpu.global.u32 %v, [%p];
    done:
        st.global.u32 [%out32], %v;
        ret;"""
    raw(
        "fence",
        fences.__doc__,
        body,
        (),
        [Array("u32", [500 + i for i in range(32)] + [531 - i for i in range(32)])],
        ".reg .b32 %v, %i, %half;\n.reg .b64 %o, %p;\n.reg .pred %q;",
        ".global .align 4 .u32 numbers[32];\n.global .align 4 .u32 flag;",
        threads=32,
        blocks=2,
    )


fences()
