# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Loads and stores of every space, width and spelling."""

from .case import Array, raw, unwritten, wrap
from .values import randoms

LANES = 32


def narrow_loads():
    values = randoms("narrow", "u8", 4 * LANES)
    values[:6] = [0, 1, 127, 128, 255, 254]
    body, outputs, at = "", [], 0
    for kind, register in (
        ("u8", "%w"),
        ("s8", "%w"),
        ("u16", "%w"),
        ("s16", "%w"),
        ("b8", "%w"),
        ("b16", "%h"),
    ):
        size = int(kind[1:]) // 8
        body += f"ld.global.{kind} {register}, [%in{8 * size}];\n"
        if register == "%h":
            body += "cvt.u32.u16 %w, %h;\n"
        body += f"st.global.u32 [%out32+{at}], %w;\n"
        at += 4 * LANES
        elements = [
            int.from_bytes(bytes(values[size * i : size * i + size]), "little")
            for i in range(LANES)
        ]
        extended = [wrap(kind, x) & 0xFFFFFFFF if kind[0] == "s" else x for x in elements]
        outputs.append(Array("b32", extended, f"ld.{kind}"))
    body += f"ld.global.u32 %w, [%in32];\nst.global.u8 [%out8+{at}], %w;\n"
    words = [int.from_bytes(bytes(values[4 * i : 4 * i + 4]), "little") for i in range(LANES)]
    outputs.append(Array("u8", [x & 0xFF for x in words], "st.u8"))
    at += LANES
    body += f"shr.u32 %w, %w, 8;\nst.global.u16 [%out16+{at}], %w;\nret;"
    outputs.append(Array("u16", [x >> 8 & 0xFFFF for x in words], "st.u16"))
    raw(
        "narrow_memory",
        "8-bit and 16-bit loads extend to the register's width; stores keep the low bits.",
        body,
        [Array("u8", values)],
        outputs,
        ".reg .b32 %w;\n.reg .b16 %h;",
    )


narrow_loads()


def vectors():
    """Each lane loads a vector and stores it reversed."""
    for width in (8, 16, 32, 64):
        kind = f"b{width}"
        values = randoms(f"vector {width}", kind, 4 * LANES)
        register = "b16" if width == 8 else kind
        body, outputs, at = "", [], 0
        for count in (2, 4):
            if width * count > 128:
                continue
            names = [f"%v{i}" for i in range(count)]
            body += f"mul.wide.u32 %o, %thread, {width // 8 * count};\nadd.u64 %p, %in, %o;\n"
            body += (
                f"ld.global.v{count}.{kind} {{{', '.join(names)}}}, [%p];\nadd.u64 %p, %out, %o;\n"
            )
            body += f"st.global.v{count}.{kind} [%p+{at}], {{{', '.join(reversed(names))}}};\n"
            at += width // 8 * count * LANES
            reversed_values = [
                values[count * (i // count) + count - 1 - i % count] for i in range(count * LANES)
            ]
            outputs.append(Array(kind, reversed_values, f"v{count}.{kind}"))
        raw(
            f"vector_{width}",
            vectors.__doc__ + f" Elements of {width} bits.",
            body + "ret;",
            [Array(kind, values)],
            outputs,
            f".reg .b64 %p, %o;\n.reg .{register} %v<4>;",
        )


vectors()


def spellings():
    loads = [
        "ld.global",
        "ld.volatile.global",
        "ld.weak.global",
        "ld.relaxed.cta.global",
        "ld.relaxed.gpu.global",
        "ld.relaxed.sys.global",
        "ld.acquire.gpu.global",
        "ld.acquire.sys.global",
        "ld.global.ca",
        "ld.global.cg",
        "ld.global.cs",
        "ld.global.lu",
        "ld.global.cv",
        "ld.global.nc",
        "ld.global.L1::evict_last",
        "ld.global.L1::no_allocate",
        "ld.global.L2::128B",
        "ld.global.nc.L1::no_allocate.L2::256B",
        "ldu.global",
    ]
    values = randoms("spellings", "u32")
    body, outputs, at = "", [], 0
    for load in loads:
        body += f"{load}.u32 %r, [%in32];\nst.global.u32 [%out32+{at}], %r;\n"
        outputs.append(Array("u32", values, load))
        at += 4 * LANES
    body += f"ld.global.nc.v4.f32 {{%a, %b, %c, %d}}, [%in];\nst.global.f32 [%out32+{at}], %c;\n"
    outputs.append(Array("u32", [values[2]] * LANES, "ld.global.nc.v4.f32"))
    raw(
        "load_spellings",
        "Ways to load: caching and memory order do not change what one thread reads.",
        body + "ret;",
        [Array("u32", values)],
        outputs,
        ".reg .b32 %r, %a, %b, %c, %d;",
    )
    stores = [
        "st.global",
        "st.volatile.global",
        "st.weak.global",
        "st.relaxed.gpu.global",
        "st.relaxed.sys.global",
        "st.release.cta.global",
        "st.release.gpu.global",
        "st.global.wb",
        "st.global.cg",
        "st.global.cs",
        "st.global.wt",
        "st.global.L1::no_allocate",
    ]
    body, outputs, at = "ld.global.u32 %r, [%in32];\n", [], 0
    for store in stores:
        body += f"{store}.u32 [%out32+{at}], %r;\nadd.u32 %r, %r, 1;\n"
        outputs.append(Array("u32", [x + len(outputs) & 0xFFFFFFFF for x in values], store))
        at += 4 * LANES
    body += "prefetch.global.L1 [%in];\nprefetch.global.L2 [%in];\nprefetchu.L1 [%in];\nret;"
    raw(
        "store_spellings",
        "Ways to store; prefetches do nothing.",
        body,
        [Array("u32", values)],
        outputs,
        ".reg .b32 %r;",
    )


spellings()


def addressing():
    values = randoms("addressing", "u32", 40)
    codes = {
        "register": ("ld.global.u32 %r, [%in32];", lambda i: values[i]),
        "register + offset": ("ld.global.u32 %r, [%in32+16];", lambda i: values[i + 4]),
        "register - offset": (
            "add.u64 %p, %in32, 32;\nld.global.u32 %r, [%p+-12];",
            lambda i: values[i + 5],
        ),
        "global variable": ("ld.global.u32 %r, [table+8];", lambda i: 33),
        "address of a variable": (
            "mov.u64 %p, table;\nadd.u64 %p, %p, %o;\nld.global.u32 %r, [%p];",
            lambda i: [11, 22, 33, 44][i % 4],
        ),
        "variable that holds an address": (
            "ld.global.u64 %p, [pointer];\nld.global.u32 %r, [%p];",
            lambda i: 22,
        ),
        "constant bank": (
            "mov.u64 %p, fixed;\nadd.u64 %p, %p, %o;\nld.const.u32 %r, [%p];",
            lambda i: [5, 6, 7, 8][i % 4],
        ),
        "constant bank, element": ("ld.const.u32 %r, [fixed+12];", lambda i: 8),
        "constant bank, byte": ("ld.const.s8 %r, [bytes+1];", lambda i: 0xFFFFFFFE),
        "constant bank, f64": (
            "ld.const.f64 %p, [number];\nmov.b64 {_, %r}, %p;",
            lambda i: 0xC0040000,
        ),
        "constant bank, vector": (
            "ld.const.v4.u32 {%r, %s, %t, %u}, [fixed];\nmad.lo.u32 %r, %u, 100, %s;",
            lambda i: 806,
        ),
        "zero-filled variable": ("ld.global.u32 %r, [empty+4];", lambda i: 0),
        "partly filled variable": (
            "ld.global.u32 %r, [partly+4];\nld.global.u32 %s, [partly];\n"
            "mad.lo.u32 %r, %r, 10, %s;",
            lambda i: 9,
        ),
    }
    body = "and.b32 %s, %thread, 3;\nmul.wide.u32 %o, %s, 4;\n"
    outputs, at = [], 0
    for label, (code, function) in codes.items():
        body += f"{code}\nst.global.u32 [%out32+{at}], %r;\n"
        outputs.append(Array("u32", [function(i) for i in range(LANES)], label))
        at += 4 * LANES
    raw(
        "addressing",
        "Addresses with offsets, variables of the global and constant spaces.",
        body + "ret;",
        [Array("u32", values)],
        outputs,
        ".reg .b32 %r, %s, %t, %u;\n.reg .b64 %p, %o;",
        module="""
.global .align 4 .u32 table[4] = {11, 22, 33, 44};
.global .align 8 .u64 pointer = table + 4;
.global .align 4 .u32 empty[4];
.global .align 4 .u32 partly[4] = {9};
.const .align 16 .u32 fixed[4] = {5, 6, 7, 8};
.const .align 1 .b8 bytes[4] = {255, 254, 3, 4};
.const .align 8 .f64 number = 0dC004000000000000;""",
    )


addressing()


def global_variable_written():
    values = randoms("global variable", "u32", 64)
    body = """
        mov.u64 %p, buffer;
        mul.wide.u32 %o, %thread, 4;
        add.u64 %p, %p, %o;
        ld.global.u32 %r, [%in32];
        st.global.u32 [%p], %r;
        bar.sync 0;
        xor.b32 %s, %thread, 33;
        mul.wide.u32 %o, %s, 4;
        mov.u64 %p, buffer;
        add.u64 %p, %p, %o;
        ld.global.u32 %r, [%p];
        st.global.u32 [%out32], %r;
        ret;"""
    raw(
        "global_variable",
        "A global variable that threads of two warps write and then read.",
        body,
        [Array("u32", values)],
        [Array("u32", [values[i ^ 33] for i in range(64)])],
        ".reg .b32 %r, %s;\n.reg .b64 %p, %o;",
        module=".global .align 4 .b8 buffer[256];",
        threads=64,
    )


global_variable_written()


def aliasing():
    """Bytes written one by one, read as a word, and the reverse."""
    values = randoms("aliasing", "u32")
    body = """
        ld.global.u32 %r, [%in32];
        st.global.u32 [%out32], 0;
        st.global.u8 [%out32], %r;
        shr.u32 %s, %r, 8;
        st.global.u8 [%out32+3], %s;
        ld.global.u32 %t, [%out32];
        st.global.u32 [%out32+128], %t;
        ld.global.u16 %t, [%out32+130];
        st.global.u32 [%out32+256], %t;
        ret;"""
    bytes_written = [(x & 0xFF) | (x >> 8 & 0xFF) << 24 for x in values]
    raw(
        "aliasing",
        aliasing.__doc__,
        body,
        [Array("u32", values)],
        [
            Array("u32", bytes_written, "st.u8"),
            Array("u32", bytes_written, "ld.u32"),
            Array("u32", [x >> 16 for x in bytes_written], "ld.u16"),
        ],
        ".reg .b32 %r, %s, %t;",
    )


aliasing()


def predicated_stores():
    values = randoms("predicated", "u32")
    body = """
        ld.global.u32 %r, [%in32];
        and.b32 %s, %r, 1;
        setp.eq.u32 %p, %s, 1;
        @%p st.global.u32 [%out32], %r;
        mov.u32 %t, 7;
        @!%p ld.global.u32 %t, [%in32];
        st.global.u32 [%out32+128], %t;
        setp.ne.u32 %p, %r, %r;
        mov.u64 %n, 0;
        @%p st.global.u32 [%n], %r;
        @%p ld.global.u32 %t, [%n];
        st.global.u32 [%out32+256], %t;
        ret;"""
    loaded = [7 if x & 1 else x for x in values]
    raw(
        "predicated_memory",
        "Lanes whose predicate is false touch no memory, not even at address 0.",
        body,
        [Array("u32", values)],
        [
            Array("u32", [x if x & 1 else unwritten("u32") for x in values], "@p st"),
            Array("u32", loaded, "@!p ld"),
            Array("u32", loaded, "@p of nobody"),
        ],
        ".reg .b32 %r, %s, %t;\n.reg .b64 %n;\n.reg .pred %p;",
    )


predicated_stores()
