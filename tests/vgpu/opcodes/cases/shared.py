# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Shared memory."""

from .case import Array, raw, wrap
from .values import randoms

LANES = 32


def shared():
    for width in (8, 16, 32, 64):
        values = randoms(f"shared {width}", f"u{width}", 64)
        size = width // 8
        register = {8: "b16"}.get(width, f"b{width}")
        body = f"""
            ld.global.u{width} %v, [%in{width}];
            mov.u32 %base, tile;
            mad.lo.u32 %to, %thread, {size}, %base;
            st.shared.u{width} [%to], %v;
            bar.sync 0;
            xor.b32 %from, %thread, 37;
            mad.lo.u32 %from, %from, {size}, %base;
            ld.shared.u{width} %v, [%from];
            st.global.u{width} [%out{width}], %v;
            ret;"""
        raw(
            f"shared_{width}",
            f"Two warps exchange elements of {width} bits through shared memory.",
            body,
            [Array(f"u{width}", values)],
            [Array(f"u{width}", [values[i ^ 37] for i in range(64)])],
            f".reg .b32 %base, %to, %from;\n.reg .{register} %v;",
            module=f".shared .align 16 .b8 tile[{64 * size}];",
            threads=64,
        )


shared()


def shared_vectors():
    values = randoms("shared vectors", "u32", 4 * LANES)
    body = """
        mul.wide.u32 %o, %thread, 16;
        add.u64 %p, %in, %o;
        ld.global.v4.b32 {%a, %b, %c, %d}, [%p];
        mov.u32 %base, tile;
        mad.lo.u32 %s, %thread, 16, %base;
        st.shared.v4.b32 [%s], {%a, %b, %c, %d};
        bar.sync 0;
        xor.b32 %t, %thread, 5;
        mad.lo.u32 %t, %t, 16, %base;
        ld.shared.v2.b32 {%a, %b}, [%t+8];
        ld.shared.v2.b64 {%x, %y}, [%t];
        ld.shared.s8 %c, [%t+3];
        ld.volatile.shared.u16 %h, [%t+14];
        add.u64 %p, %out, %o;
        mov.b64 {%d, %s}, %x;
        cvt.u32.u16 %t, %h;
        add.u32 %t, %t, %s;
        st.global.v4.b32 [%p], {%b, %c, %d, %t};
        ret;"""
    expected = []
    for lane in range(LANES):
        row = values[4 * (lane ^ 5) : 4 * (lane ^ 5) + 4]
        expected += [
            row[3],
            wrap("s8", row[0] >> 24) & 0xFFFFFFFF,
            row[0],
            (row[3] >> 16) + row[1] & 0xFFFFFFFF,
        ]
    raw(
        "shared_vector",
        "Vectors in shared memory, read back in other widths.",
        body,
        [Array("u32", values)],
        [Array("u32", expected)],
        ".reg .b32 %a, %b, %c, %d, %s, %t, %base;\n.reg .b64 %p, %o, %x, %y;\n.reg .b16 %h;",
        module=".shared .align 16 .b8 tile[512];",
    )


shared_vectors()


def shared_kinds():
    """Two static arrays, dynamic shared memory behind them, and its size."""
    values = randoms("shared kinds", "u32")
    body = """
        ld.global.u32 %r, [%in32];
        shl.b32 %o, %thread, 2;
        mov.u32 %a, first;
        mov.u32 %b, second;
        mov.u32 %c, dynamic;
        add.u32 %a, %a, %o;
        add.u32 %b, %b, %o;
        add.u32 %c, %c, %o;
        st.shared.u32 [%a], %r;
        add.u32 %r, %r, 1;
        st.shared.u32 [%b], %r;
        add.u32 %r, %r, 1;
        st.shared.u32 [%c], %r;
        add.u32 %r, %r, 1;
        st.shared.u32 [%c+128], %r;
        bar.sync 0;
        ld.shared.u32 %r, [%a];
        st.global.u32 [%out32], %r;
        ld.shared.u32 %r, [%b];
        st.global.u32 [%out32+128], %r;
        ld.shared.u32 %r, [%c];
        st.global.u32 [%out32+256], %r;
        ld.shared.u32 %r, [%c+128];
        st.global.u32 [%out32+384], %r;
        ld.shared.u32 %r, [first+4];
        st.global.u32 [%out32+512], %r;
        mov.u32 %r, %dynamic_smem_size;
        st.global.u32 [%out32+640], %r;
        ret;"""
    outputs = [Array("u32", [x + i & 0xFFFFFFFF for x in values], f"array {i}") for i in range(4)]
    outputs += [
        Array("u32", [values[1]] * LANES, "a named element"),
        Array("u32", [256] * LANES, "%dynamic_smem_size"),
    ]
    raw(
        "shared_kinds",
        shared_kinds.__doc__,
        body,
        [Array("u32", values)],
        outputs,
        ".reg .b32 %r, %o, %a, %b, %c;\n.shared .align 4 .b8 first[128];\n"
        ".shared .align 8 .b8 second[132];",
        module=".extern .shared .align 16 .b8 dynamic[];",
        dynamic_shared=256,
    )


shared_kinds()
