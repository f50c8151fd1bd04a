# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions in which the lanes of a warp exchange values."""

from .case import Array, Op, lanewise, raw, unwritten, wrap
from .values import generator, integers

LANES = 32
ALL = 0xFFFFFFFF


def shuffled(mode, lane, b, c):
    """(source lane, in range) by the PTX ISA's definition."""
    segment, clamp = c >> 8 & 31, c & 31
    least = lane & segment
    most = least | (clamp & ~segment)
    b &= 31
    if mode == "up":
        source = lane - b
        inside = source >= most
    elif mode == "down":
        source = lane + b
        inside = source <= most
    elif mode == "bfly":
        source = lane ^ b
        inside = source <= most
    else:
        source = least | (b & ~segment & 31)
        inside = source <= most
    return (source if inside else lane), inside


def shuffles():
    """Distances and segments as CUDA's __shfl_*_sync uses them, and clamps in the middle."""
    values = integers("u32", "shfl")
    index = [(7 * lane + 3) % 40 for lane in range(LANES)]
    codes = [
        ("up", [0, 1, 5, 31], [0x0000, 0x1800, 0x1000]),
        ("down", [0, 1, 5, 31], [0x1F, 0x181F, 0x101F, 0x0A]),
        ("bfly", [1, 2, 16, 31], [0x1F, 0x1C1F, 0x101F]),
        ("idx", [0, 9, 33], [0x1F, 0x181F, 0x101F, 0x0A]),
    ]
    for mode, distances, controls in codes:
        ops = []
        for c in controls:
            for b in distances:
                found = [shuffled(mode, lane, b, c) for lane in range(LANES)]
                code = f"shfl.sync.{mode}.b32 {{}}|%p, %a, {b}, 0x{c:x}, 0xFFFFFFFF;"
                ops.append(
                    Op(
                        code,
                        "u32",
                        [values[source] for source, _ in found],
                        f"shfl.sync.{mode} {b}, 0x{c:x}",
                    )
                )
                ops.append(
                    Op(
                        code.replace("{}", "%t") + "\nselp.u32 {}, 1, 0, %p;",
                        "u32",
                        [int(inside) for _, inside in found],
                        f"shfl.sync.{mode} {b}, 0x{c:x} |p",
                    )
                )
            found = [shuffled(mode, lane, index[lane], c) for lane in range(LANES)]
            ops.append(
                Op(
                    f"shfl.sync.{mode}.b32 {{}}, %a, %i, 0x{c:x}, 0xFFFFFFFF;",
                    "u32",
                    [values[source] for source, _ in found],
                    f"shfl.sync.{mode} index, 0x{c:x}",
                )
            )
        lanewise(
            f"shfl_{mode}",
            shuffles.__doc__,
            {"a": ("u32", values), "i": ("u32", index)},
            ops,
            ".reg .b32 %t;\n.reg .pred %p;",
        )


shuffles()


def partial_shuffles():
    """Half the lanes, which came another way, shuffle among themselves."""
    values = integers("u32", "partial")
    body = """
        ld.global.u32 %a, [%in32];
        and.b32 %s, %thread, 1;
        setp.eq.u32 %q, %s, 0;
        @%q bra even;
        shfl.sync.down.b32 %r, %a, 2, 0x1F, 0xAAAAAAAA;
        shfl.sync.idx.b32 %t, %a, 5, 0x1F, 0xAAAAAAAA;
        bra.uni after;
    even:
        shfl.sync.bfly.b32 %r, %a, 4, 0x1F, 0x55555555;
        shfl.sync.up.b32 %t, %a, 2, 0, 0x55555555;
    after:
        st.global.u32 [%out32], %r;
        st.global.u32 [%out32+128], %t;
        ret;"""
    first = [
        values[lane ^ 4] if lane % 2 == 0 else values[lane + 2 if lane + 2 < 32 else lane]
        for lane in range(LANES)
    ]
    second = [
        values[lane - 2 if lane >= 2 else lane] if lane % 2 == 0 else values[5]
        for lane in range(LANES)
    ]
    raw(
        "shfl_partial",
        partial_shuffles.__doc__,
        body,
        [Array("u32", values)],
        [Array("u32", first), Array("u32", second)],
        ".reg .b32 %a, %s, %r, %t;\n.reg .pred %q;",
    )


partial_shuffles()


def votes():
    """Votes of all lanes, and of two groups that have parted."""
    source = generator("vote")
    a = [source.getrandbits(1) for _ in range(LANES)]
    rows = {
        "random": a,
        "everyone": [1] * LANES,
        "no one": [0] * LANES,
        "one": [int(i == 7) for i in range(LANES)],
    }
    ops, inputs = [], {}
    for index, (label, column) in enumerate(rows.items()):
        name = "abcd"[index]
        inputs[name] = ("u32", column)
        ballot = sum(x << i for i, x in enumerate(column))
        test = f"setp.ne.u32 %p, %{name}, 0;\n"
        ops.append(
            Op(
                test + "vote.sync.ballot.b32 {}, %p, 0xFFFFFFFF;",
                "b32",
                [ballot] * LANES,
                f"vote.sync.ballot of {label}",
            )
        )
        ops.append(
            Op(
                test + "vote.sync.ballot.b32 {}, !%p, 0xFFFFFFFF;",
                "b32",
                [~ballot & ALL] * LANES,
                f"vote.sync.ballot of not {label}",
            )
        )
        for mode, truth in (
            ("all", all(column)),
            ("any", any(column)),
            ("uni", len(set(column)) == 1),
        ):
            ops.append(
                Op(
                    test + f"vote.sync.{mode}.pred %r, %p, 0xFFFFFFFF;\nselp.u32 {{}}, 1, 0, %r;",
                    "u32",
                    [int(truth)] * LANES,
                    f"vote.sync.{mode} of {label}",
                )
            )
    lanewise("vote", votes.__doc__, inputs, ops, ".reg .pred %p, %r;")
    body = """
        setp.lt.u32 %q, %thread, 12;
        and.b32 %r, %thread, 2;
        setp.ne.u32 %p, %r, 0;
        @%q bra low;
        activemask.b32 %m;
        vote.sync.ballot.b32 %r, %p, 0xFFFFF000;
        vote.sync.any.pred %p, %p, 0xFFFFF000;
        bra.uni after;
    low:
        activemask.b32 %m;
        vote.sync.ballot.b32 %r, %p, 0x00000FFF;
        vote.sync.all.pred %p, %p, 0x00000FFF;
    after:
        bar.warp.sync 0xFFFFFFFF;
        st.global.u32 [%out32], %r;
        selp.u32 %r, 1, 0, %p;
        st.global.u32 [%out32+128], %r;
        st.global.u32 [%out32+256], %m;
        ret;"""
    ballot = sum((i >> 1 & 1) << i for i in range(32))
    raw(
        "vote_partial",
        "Two groups of lanes vote apart from each other; activemask names them.",
        body,
        (),
        [
            Array(
                "b32",
                [ballot & (0xFFF if i < 12 else 0xFFFFF000) for i in range(32)],
                "vote.sync.ballot",
            ),
            Array("u32", [0 if i < 12 else 1 for i in range(32)], "vote.sync.all / any"),
            Array("b32", [0xFFF if i < 12 else 0xFFFFF000 for i in range(32)], "activemask"),
        ],
        ".reg .b32 %r, %m;\n.reg .pred %p, %q;",
    )


votes()


def matches():
    source = generator("match")
    a = [source.randrange(5) for _ in range(LANES)]
    b = [source.randrange(3) << 40 | 7 for _ in range(LANES)]
    same = [41] * LANES

    def groups(column):
        return [sum(1 << j for j, other in enumerate(column) if other == x) for x in column]

    ops = [
        Op("match.any.sync.b32 {}, %a, 0xFFFFFFFF;", "b32", groups(a)),
        Op("match.any.sync.b64 {}, %b, 0xFFFFFFFF;", "b32", groups(b)),
        Op(
            "match.all.sync.b32 {}|%p, %a, 0xFFFFFFFF;",
            "b32",
            [0] * LANES,
            "match.all of different",
        ),
        Op("match.all.sync.b32 {}|%p, %c, 0xFFFFFFFF;", "b32", [ALL] * LANES, "match.all of equal"),
        Op(
            "match.all.sync.b32 %t|%p, %c, 0xFFFFFFFF;\nselp.u32 {}, 1, 0, %p;",
            "u32",
            [1] * LANES,
            "match.all of equal |p",
        ),
        Op(
            "match.all.sync.b64 %t|%p, %b, 0xFFFFFFFF;\nselp.u32 {}, 1, 0, %p;",
            "u32",
            [0] * LANES,
            "match.all of different |p",
        ),
    ]
    lanewise(
        "match",
        "Which lanes hold the same value.",
        {"a": ("b32", a), "b": ("b64", b), "c": ("b32", same)},
        ops,
        ".reg .b32 %t;\n.reg .pred %p;",
    )


matches()


def reductions():
    a = integers("u32", "redux")
    signed = [wrap("s32", x) for x in a]
    conjunction, union, parity = ALL, 0, 0
    for x in a:
        conjunction, union, parity = conjunction & (x | 0xF0), union | x, parity ^ x
    setup = "or.b32 %t, %a, 0xF0;"
    ops = [
        Op("redux.sync.add.u32 {}, %a, 0xFFFFFFFF;", "u32", [sum(a) & ALL] * LANES),
        Op("redux.sync.add.s32 {}, %a, 0xFFFFFFFF;", "s32", [wrap("s32", sum(a))] * LANES),
        Op("redux.sync.min.u32 {}, %a, 0xFFFFFFFF;", "u32", [min(a)] * LANES),
        Op("redux.sync.max.u32 {}, %a, 0xFFFFFFFF;", "u32", [max(a)] * LANES),
        Op("redux.sync.min.s32 {}, %a, 0xFFFFFFFF;", "s32", [min(signed)] * LANES),
        Op("redux.sync.max.s32 {}, %a, 0xFFFFFFFF;", "s32", [max(signed)] * LANES),
        Op("redux.sync.and.b32 {}, %t, 0xFFFFFFFF;", "b32", [conjunction] * LANES),
        Op("redux.sync.or.b32 {}, %a, 0xFFFFFFFF;", "b32", [union] * LANES),
        Op("redux.sync.xor.b32 {}, %a, 0xFFFFFFFF;", "b32", [parity] * LANES),
    ]
    lanewise(
        "redux", "One value from all lanes.", {"a": ("u32", a)}, ops, ".reg .b32 %t;", setup=setup
    )


reductions()


def partial_reductions():
    """The lanes named by a mask in a register: the last twenty; the others have left."""
    a = integers("u32", "redux partial")
    body = """
        ld.global.u32 %a, [%in32];
        setp.lt.u32 %q, %thread, 12;
        @%q ret;
        activemask.b32 %m;
        redux.sync.add.u32 %r, %a, %m;
        st.global.u32 [%out32], %r;
        match.any.sync.b32 %r, %a, %m;
        st.global.u32 [%out32+128], %r;
        ret;"""
    a[13] = a[20] = a[31] = 77
    live = a[12:]
    groups = [sum(1 << j for j in range(12, 32) if a[j] == x) for x in live]
    raw(
        "redux_partial",
        partial_reductions.__doc__,
        body,
        [Array("u32", a)],
        [
            Array("u32", [unwritten("u32")] * 12 + [sum(live) & ALL] * 20, "redux.sync.add"),
            Array("b32", [unwritten("b32")] * 12 + groups, "match.any.sync"),
        ],
        ".reg .b32 %a, %m, %r;\n.reg .pred %q;",
    )


partial_reductions()


def election():
    """elect.sync picks one lane of the mask, and tells all of them which."""
    body = """
        elect.sync %r|%p, 0xFFFFFFFF;
        selp.u32 %s, 1, 0, %p;
        vote.sync.ballot.b32 %b, %p, 0xFFFFFFFF;
        popc.b32 %c, %b;
        st.global.u32 [%out32], %c;
        setp.eq.u32 %q, %thread, %r;
        selp.u32 %t, 1, 0, %q;
        xor.b32 %t, %t, %s;
        st.global.u32 [%out32+128], %t;
        ret;"""
    raw(
        "elect",
        election.__doc__,
        body,
        (),
        [Array("u32", [1] * 32, "how many"), Array("u32", [0] * 32, "who")],
        ".reg .b32 %r, %s, %b, %c, %t;\n.reg .pred %p, %q;",
        capability="9.0",
    )


election()
