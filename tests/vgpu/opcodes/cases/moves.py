# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Moves, packing, literals, special registers."""

from .case import Array, Op, f32, f64, lanewise, raw
from .values import generator

LANES = 32
ALL_64 = (1 << 64) - 1


def packing():
    source = generator("packing")
    columns = {
        key: (f"b{width}", [source.getrandbits(width) for _ in range(LANES)])
        for key, width in (
            ("a", 64),
            ("b", 32),
            ("c", 32),
            ("e", 16),
            ("f", 16),
            ("g", 16),
            ("h", 16),
        )
    }
    ops = [
        Op("mov.b64 {}, {{%b, %c}};", "b64", lambda b, c: c << 32 | b, "mov.b64 from 2"),
        Op(
            "mov.b64 {}, {{%e, %f, %g, %h}};",
            "b64",
            lambda e, f, g, h: h << 48 | g << 32 | f << 16 | e,
            "mov.b64 from 4",
        ),
        Op("mov.b32 {}, {{%e, %f}};", "b32", lambda e, f: f << 16 | e, "mov.b32 from 2"),
        Op(
            "mov.b64 {{%x, %y}}, %a;\nsub.u32 {}, %x, %y;",
            "b32",
            lambda a: (a & 0xFFFFFFFF) - (a >> 32),
            "mov.b64 to 2",
        ),
        Op(
            "mov.b64 {{%s, %t, %u, %v}}, %a;\nmov.b64 {}, {{%v, %u, %t, %s}};",
            "b64",
            lambda a: sum((a >> (16 * i) & 0xFFFF) << (48 - 16 * i) for i in range(4)),
            "mov.b64 to 4",
        ),
        Op(
            "mov.b32 {{%s, %t}}, %b;\nmov.b32 {}, {{%t, %s}};",
            "b32",
            lambda b: (b & 0xFFFF) << 16 | b >> 16,
            "mov.b32 to 2",
        ),
        Op(
            "mov.b64 {{_, %y}}, %a;\nmov.b32 {}, %y;",
            "b32",
            lambda a: a >> 32,
            "mov.b64 to _ and 1",
        ),
        Op("mov.b64 %w, %a;\nmov.u64 {}, %w;", "b64", lambda a: a, "mov.b64"),
        Op("mov.f32 {}, %b;", "b32", lambda b: b),
        Op("mov.f64 {}, %a;", "b64", lambda a: a),
        Op("mov.b16 {}, %e;", "b16", lambda e: e),
        Op("mov.u32 {}, %c;", "b32", lambda c: c),
    ]
    for op in ops:
        op.code = op.code.replace("{{", "<").replace("}}", ">")
        op.code = (
            op.code.replace("{}", "@").replace("<", "{ ").replace(">", " }").replace("@", "{}")
        )
    lanewise(
        "mov",
        "Moves, and vectors into and out of one register, the first element lowest.",
        columns,
        ops,
        ".reg .b32 %x, %y;\n.reg .b16 %s, %t, %u, %v;\n.reg .b64 %w;",
    )


packing()


def constants(name, title, columns):
    """Moves of spelled-out numbers; columns are (kind, [(spelling, pattern)])."""
    body, outputs, at = "", [], 0
    for kind, spellings in columns:
        width = int(kind[1:])
        register = "%d" if width == 64 else "%r"
        for spelling, expected in spellings:
            body += f"mov.{kind} {register}, {spelling};\n"
            body += f"st.global.b{width} [%out{width}+{at}], {register};\n"
            at += width // 8 * LANES
            outputs.append(
                Array(f"b{width}" if kind[0] == "u" else kind, [expected] * LANES, spelling)
            )
    raw(name, title, body + "ret;", (), outputs, ".reg .b32 %r;\n.reg .b64 %d;")


constants(
    "literals",
    "Numbers as PTX spells them.",
    [
        (
            "f64",
            [
                ("0d3FF0000000000000", f64(1)),
                ("0dC008000000000000", f64(-3)),
                ("0.1", f64(0.1)),
                ("0D7FF0000000000000", 0x7FF0000000000000),
                ("-1.5e-300", f64(-1.5e-300)),
                ("0f3FC00000", 0x3FC00000),  # ptxas takes the bits as they are
            ],
        ),
        (
            "u64",
            [
                ("-1", ALL_64),
                ("0xFEDCBA9876543210", 0xFEDCBA9876543210),
                ("18446744073709551615", ALL_64),
            ],
        ),
        (
            "u32",
            [
                ("0", 0),
                ("-1", 0xFFFFFFFF),
                ("4294967295", 0xFFFFFFFF),
                ("0x7fffFFFF", 0x7FFFFFFF),
                ("0XAB", 0xAB),
                ("017", 15),
                ("0b1011", 11),
                ("123U", 123),
            ],
        ),
        (
            "f32",
            [
                ("0f3F800000", f32(1)),
                ("0fBF000000", f32(-0.5)),
                ("0f7F800000", 0x7F800000),
                ("1.5", f32(1.5)),
                ("0F80000000", 0x80000000),
                ("-2.25", f32(-2.25)),
                ("1e3", f32(1000)),
                ("0d3FF8000000000000", f32(1.5)),
            ],
        ),
    ],
)

constants(
    "constant_expressions",
    "Expressions of constants, with the precedence of C; WARP_SZ.",
    [
        (
            "u32",
            [
                ("(1 << 4) + 3", 19),
                ("~0", 0xFFFFFFFF),
                ("-(7 * 6)", -42 & 0xFFFFFFFF),
                ("100 / 7 % 5", 4),
                ("(3 < 4) ? 10 : 20", 10),
                ("!5", 0),
                ("0xF0 | 0x0F ^ 0x03 & 0x02", 0xFD),
                ("5 == 5 && 2 != 3", 1),
                ("WARP_SZ", 32),
                ("WARP_SZ * 2 - 1", 63),
            ],
        )
    ],
)


def special_registers():
    threads, blocks = (4, 3, 6), (2, 3, 2)
    rows = []
    for bz in range(2):
        for by in range(3):
            for bx in range(2):
                for tz in range(6):
                    for ty in range(3):
                        for tx in range(4):
                            lane = (tx + 4 * (ty + 3 * tz)) % 32
                            rows.append(
                                {
                                    "tid.x": tx,
                                    "tid.y": ty,
                                    "tid.z": tz,
                                    "ntid.x": 4,
                                    "ntid.y": 3,
                                    "ntid.z": 6,
                                    "ctaid.x": bx,
                                    "ctaid.y": by,
                                    "ctaid.z": bz,
                                    "nctaid.x": 2,
                                    "nctaid.y": 3,
                                    "nctaid.z": 2,
                                    "laneid": lane,
                                }
                            )
    names = ["tid.x", "tid.y", "tid.z", "ctaid.x", "ctaid.y", "ctaid.z", "laneid"]
    body, at, outputs = "", 0, []
    for name in names:
        body += f"mov.u32 %r, %{name};\nst.global.u32 [%out32+{at}], %r;\n"
        outputs.append(Array("u32", [row[name] for row in rows], f"%{name}"))
        at += 4 * len(rows)
    extents = [
        ("ntid.x", 4),
        ("ntid.y", 3),
        ("ntid.z", 6),
        ("nctaid.x", 2),
        ("nctaid.y", 3),
        ("nctaid.z", 2),
    ]
    body += "mov.u32 %sum, 0;\n"
    for name, _ in extents:
        body += f"mov.u32 %r, %{name};\nmad.lo.u32 %sum, %sum, 10, %r;\n"
    total = int("".join(str(extent) for _, extent in extents))
    body += f"st.global.u32 [%out32+{at}], %sum;\nret;"
    outputs.append(Array("u32", [total] * len(rows), "%ntid and %nctaid, a digit each"))
    raw(
        "special_registers",
        "Indices and extents of a block of 4x3x6 threads in a grid of 2x3x2.",
        body,
        (),
        outputs,
        ".reg .b32 %r, %sum;",
        threads=threads,
        blocks=blocks,
    )


special_registers()


def lanes():
    values = list(range(96))
    names = {
        "laneid": lambda lane: lane,
        "lanemask_eq": lambda lane: 1 << lane,
        "lanemask_lt": lambda lane: (1 << lane) - 1,
        "lanemask_le": lambda lane: (2 << lane) - 1,
        "lanemask_gt": lambda lane: -(2 << lane) & 0xFFFFFFFF,
        "lanemask_ge": lambda lane: -(1 << lane) & 0xFFFFFFFF,
    }
    ops = [
        Op(f"mov.u32 {{}}, %{name};", "b32", [function(x % 32) for x in values], f"%{name}")
        for name, function in names.items()
    ]
    lanewise(
        "lane_registers", "Registers that speak of a lane, in three warps.", {}, ops, threads=96
    )


lanes()
