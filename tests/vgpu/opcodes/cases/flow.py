# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Branches, loops, calls, and lanes that leave."""

from .case import Array, raw, unwritten
from .values import generator, integers

LANES = 32
ALL = 0xFFFFFFFF


def diverging():
    """Nested branches on lane numbers; activemask after them shows that the lanes met again."""
    body = """
        mov.u32 %r, 0;
        and.b32 %a, %thread, 1;
        and.b32 %b, %thread, 2;
        setp.ne.u32 %p, %a, 0;
        setp.ne.u32 %q, %b, 0;
        @%p bra odd;
        @%q bra even_two;
        add.u32 %r, %r, 1;
        bra even_end;
    even_two:
        add.u32 %r, %r, 10;
    even_end:
        add.u32 %r, %r, 100;
        bra join;
    odd:
        @!%q bra odd_end;
        add.u32 %r, %r, 1000;
    odd_end:
        add.u32 %r, %r, 10000;
    join:
        bar.warp.sync 0xFFFFFFFF;
        activemask.b32 %m;
        st.global.u32 [%out32], %r;
        st.global.u32 [%out32+128], %m;
        ret;"""
    expected = [
        (10000 + (1000 if i & 2 else 0)) if i & 1 else 100 + (10 if i & 2 else 1)
        for i in range(LANES)
    ]
    raw(
        "branch",
        diverging.__doc__,
        body,
        (),
        [Array("u32", expected), Array("b32", [ALL] * LANES, "activemask")],
        ".reg .b32 %r, %a, %b, %m;\n.reg .pred %p, %q;",
    )


diverging()


def loops():
    """Loops that each lane runs its own number of times, one inside the other, with a way out."""
    body = """
        ld.global.u32 %n, [%in32];
        mov.u32 %i, 0;
        mov.u32 %sum, 0;
    outer:
        setp.ge.u32 %p, %i, %n;
        @%p bra done;
        mov.u32 %j, 0;
    inner:
        mad.lo.u32 %sum, %i, %j, %sum;
        add.u32 %sum, %sum, 1;
        add.u32 %j, %j, 1;
        setp.gt.u32 %q, %sum, 500;
        @%q bra done;
        setp.le.u32 %q, %j, %i;
        @%q bra inner;
        add.u32 %i, %i, 1;
        and.b32 %k, %i, 3;
        setp.eq.u32 %q, %k, 3;
        @%q bra outer;
        add.u32 %sum, %sum, 2;
        bra outer;
    done:
        st.global.u32 [%out32], %sum;
        st.global.u32 [%out32+128], %i;
        ret;"""
    counts = [i % 17 for i in range(LANES)]
    sums, lasts = [], []
    for n in counts:
        total, i, out = 0, 0, False
        while i < n and not out:
            for j in range(i + 1):
                total += i * j + 1
                if total > 500:
                    out = True
                    break
            if not out:
                i += 1
                total += 0 if i % 4 == 3 else 2
        sums.append(total)
        lasts.append(i)
    raw(
        "loop",
        loops.__doc__,
        body,
        [Array("u32", counts)],
        [Array("u32", sums, "sum"), Array("u32", lasts, "i")],
        ".reg .b32 %n, %i, %j, %k, %sum;\n.reg .pred %p, %q;",
    )


loops()


def predication():
    """Predicated arithmetic changes only the lanes that take part."""
    values = integers("u32", "predication")
    body = """
        ld.global.u32 %a, [%in32];
        setp.gt.u32 %p, %a, 1000;
        mov.u32 %r, 5;
        @%p add.u32 %r, %r, %a;
        @!%p mul.lo.u32 %r, %a, 3;
        @%p setp.lt.u32 %p, %a, 100000;
        @%p mov.u32 %r, 9;
        selp.u32 %s, %r, %a, %p;
        st.global.u32 [%out32], %s;
        @%p bra done;
        @!%p st.global.u32 [%out32+128], %r;
    done:
        ret;"""
    first, second = [], []
    for a in values:
        p = a > 1000
        r = 5 + a if p else a * 3
        p = p and a < 100000
        r = 9 if p else r & ALL
        first.append(r if p else a)
        second.append(unwritten("u32") if p else r)
    raw(
        "predication",
        predication.__doc__,
        body,
        [Array("u32", values)],
        [Array("u32", first), Array("u32", second)],
        ".reg .b32 %a, %r, %s;\n.reg .pred %p;",
    )


predication()


def leaving():
    """Lanes leave by ret, exit and predicated exit at different places; the others go on."""
    body = """
        st.global.u32 [%out32], 1;
        setp.lt.u32 %p, %thread, 5;
        @%p exit;
        st.global.u32 [%out32+128], 2;
        and.b32 %a, %thread, 1;
        setp.eq.u32 %p, %a, 0;
        @%p bra even;
        add.u32 %a, %thread, 100;
        st.global.u32 [%out32+256], %a;
        exit;
    even:
        mov.u32 %i, 0;
    more:
        add.u32 %i, %i, 2;
        setp.eq.u32 %p, %i, %thread;
        @%p ret;
        st.global.u32 [%out32+256], %i;
        bra more;"""
    second = [unwritten("u32") if i < 5 else 2 for i in range(LANES)]
    third = [unwritten("u32") if i < 5 else i + 100 if i % 2 else i - 2 for i in range(LANES)]
    raw(
        "exit",
        leaving.__doc__,
        body,
        (),
        [Array("u32", [1] * LANES), Array("u32", second), Array("u32", third)],
        ".reg .b32 %a, %i;\n.reg .pred %p;",
    )


leaving()


def switching():
    """brx.idx jumps by a table, each lane its own way; two entries share a label."""
    body = """
        rem.u32 %i, %thread, 5;
        mov.u32 %r, 1;
    ways: .branchtargets one, two, three, two, five;
        brx.idx %i, ways;
    one:
        add.u32 %r, %r, 10;
        bra done;
    two:
        add.u32 %r, %r, 20;
    three:
        mul.lo.u32 %r, %r, 3;
        bra done;
    five:
        add.u32 %r, %r, %thread;
    done:
        st.global.u32 [%out32], %r;
        ret;"""
    expected = [[11, 63, 3, 63, 1 + i][i % 5] for i in range(LANES)]
    raw("brx", switching.__doc__, body, (), [Array("u32", expected)], ".reg .b32 %i, %r;")


switching()


def scopes():
    """A register declared again in an inner block is another one; labels are local too."""
    body = """
        .reg .b32 %v;
        mov.u32 %v, %thread;
        {
            .reg .b32 %v;
            mov.u32 %v, 1000;
            setp.gt.u32 %p, %v, 5;
            @%p bra end;
            mov.u32 %v, 0;
        end:
            st.global.u32 [%out32+128], %v;
        }
        {
            setp.lt.u32 %p, %v, 16;
            @%p bra end;
            add.u32 %v, %v, 50;
        end:
            st.global.u32 [%out32], %v;
        }
        ret;"""
    raw(
        "scope",
        scopes.__doc__,
        body,
        (),
        [
            Array("u32", [i if i < 16 else i + 50 for i in range(LANES)]),
            Array("u32", [1000] * LANES),
        ],
        ".reg .pred %p;",
    )


scopes()


def sleeping():
    """nanosleep changes nothing but time."""
    source = generator("sleep")
    values = [source.randrange(50) for _ in range(LANES)]
    body = """
        ld.global.u32 %r, [%in32];
        nanosleep.u32 20;
        nanosleep.u32 %r;
        st.global.u32 [%out32], %r;
        ret;"""
    raw(
        "nanosleep",
        sleeping.__doc__,
        body,
        [Array("u32", values)],
        [Array("u32", values)],
        ".reg .b32 %r;",
    )


sleeping()


def partial_warps():
    """A block of 45 threads: its second warp has 13 lanes."""
    threads = 45
    body = """
        activemask.b32 %m;
        st.global.u32 [%out32], %m;
        setp.lt.u32 %p, %thread, 40;
        mov.u32 %i, 0xFFFFFFFF;
        setp.ge.u32 %q, %thread, 32;
        @%q mov.u32 %i, 0x1FFF;
        vote.sync.ballot.b32 %m, %p, %i;
        st.global.u32 [%out32+180], %m;
        bar.red.popc.u32 %m, 0, %p;
        st.global.u32 [%out32+360], %m;
        ret;"""
    raw(
        "partial_warp",
        partial_warps.__doc__,
        body,
        (),
        [
            Array("b32", [ALL if i < 32 else 0x1FFF for i in range(threads)], "activemask"),
            Array("b32", [ALL if i < 32 else 0xFF for i in range(threads)], "vote.sync.ballot"),
            Array("u32", [40] * threads, "bar.red.popc"),
        ],
        ".reg .b32 %m, %i;\n.reg .pred %p, %q;",
        threads=threads,
    )


partial_warps()
