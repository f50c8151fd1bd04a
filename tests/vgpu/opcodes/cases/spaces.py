# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Local memory, and generic addresses of every space."""

from .case import Array, raw
from .values import randoms

LANES = 32


def local():
    """An array a thread, indexed by data; lanes do not see each other's."""
    index = randoms("local", "u32")
    index = [x % 8 for x in index]
    body = """
        mov.u64 %base, stack;
        mov.u32 %i, 0;
    fill:
        mad.lo.u32 %r, %i, 1000, %thread;
        mul.wide.u32 %o, %i, 4;
        add.u64 %p, %base, %o;
        st.local.u32 [%p], %r;
        add.u32 %i, %i, 1;
        setp.lt.u32 %q, %i, 8;
        @%q bra fill;
        ld.global.u32 %i, [%in32];
        mul.wide.u32 %o, %i, 4;
        add.u64 %p, %base, %o;
        ld.local.u32 %r, [%p];
        st.global.u32 [%out32], %r;
        ld.local.v4.u32 {%a, %b, %c, %d}, [%base+16];
        add.u32 %a, %a, %b;
        add.u32 %a, %a, %c;
        add.u32 %a, %a, %d;
        st.global.u32 [%out32+128], %a;
        ld.local.u8 %a, [stack+5];
        st.global.u32 [%out32+256], %a;
        st.local.v2.u32 [stack], {%c, %d};
        ld.local.u64 %o, [stack];
        cvta.local.u64 %p, %base;
        ld.u64 %p, [%p];
        sub.u64 %p, %p, %o;
        cvt.u32.u64 %a, %p;
        st.global.u32 [%out32+384], %a;
        ret;"""
    outputs = [
        Array("u32", [1000 * i + lane for lane, i in enumerate(index)], "indexed"),
        Array("u32", [22000 + 4 * lane for lane in range(LANES)], "v4"),
        Array("u32", [1000 + lane >> 8 for lane in range(LANES)], "byte"),
        Array("u32", [0] * LANES, "generic against local"),
    ]
    raw(
        "local",
        local.__doc__,
        body,
        [Array("u32", index)],
        outputs,
        ".local .align 16 .b8 stack[32];\n.reg .b64 %base, %o, %p;\n"
        ".reg .b32 %i, %r, %a, %b, %c, %d;\n"
        ".reg .pred %q;",
    )


local()


def generic():
    """Lanes address global, shared, local and constant memory with one generic load and store."""
    values = randoms("generic", "u32")
    body = """
        mov.u64 %s, tile;
        mov.u64 %l, stack;
        mov.u64 %c, fixed;
        cvta.shared.u64 %s, %s;
        cvta.local.u64 %l, %l;
        cvta.const.u64 %c, %c;
        mul.wide.u32 %o, %thread, 4;
        add.u64 %s, %s, %o;
        cvta.global.u64 %g, %in32;
        ld.u32 %r, [%g];
        st.u32 [%s], %r;
        not.b32 %n, %r;
        st.u32 [%l+4], %n;
        bar.warp.sync 0xFFFFFFFF;
        and.b32 %k, %thread, 3;
        setp.eq.u32 %q, %k, 0;
        selp.b64 %p, %g, %s, %q;
        setp.eq.u32 %q, %k, 2;
        add.u64 %l, %l, 4;
        @%q mov.u64 %p, %l;
        setp.eq.u32 %q, %k, 3;
        @%q mov.u64 %p, %c;
        ld.u32 %r, [%p];
        st.global.u32 [%out32], %r;
        @%q mov.u64 %p, %g;
        isspacep.global %q, %p;
        selp.u32 %r, 1, 0, %q;
        isspacep.shared %q, %p;
        selp.u32 %k, 2, 0, %q;
        or.b32 %r, %r, %k;
        isspacep.local %q, %p;
        selp.u32 %k, 4, 0, %q;
        or.b32 %r, %r, %k;
        st.global.u32 [%out32+128], %r;
        cvta.to.shared.u64 %s, %s;
        ld.shared.u32 %r, [%s];
        st.global.u32 [%out32+256], %r;
        cvta.to.const.u64 %c, %c;
        ld.const.u32 %r, [%c];
        st.global.u32 [%out32+384], %r;
        ret;"""
    # Where constant memory lies among generic addresses is the machine's affair: not asked.
    read = [
        [values[lane], values[lane], values[lane] ^ 0xFFFFFFFF, 77][lane % 4]
        for lane in range(LANES)
    ]
    space = [[1, 2, 4, 1][lane % 4] for lane in range(LANES)]
    raw(
        "generic",
        generic.__doc__,
        body,
        [Array("u32", values)],
        [
            Array("u32", read, "ld"),
            Array("u32", space, "isspacep: 1 global, 2 shared, 4 local"),
            Array("u32", values, "cvta.to.shared"),
            Array("u32", [77] * LANES, "cvta.to.const"),
        ],
        ".local .align 8 .b8 stack[8];\n.reg .b64 %s, %l, %c, %g, %p, %o;\n.reg .b32 %r, %n, %k;\n"
        ".reg .pred %q;",
        module=".shared .align 4 .b8 tile[128];\n.const .align 4 .u32 fixed = 77;",
    )


generic()
