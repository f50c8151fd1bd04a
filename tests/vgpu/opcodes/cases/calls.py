# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of device functions."""

from .case import Array, raw, unwritten

LANES = 32
ALL = 0xFFFFFFFF

FUNCTIONS = """
.func (.param .b32 result) square_plus(.param .b32 a, .param .b32 b)
{
    .reg .b32 %x, %y;
    ld.param.u32 %x, [a];
    ld.param.u32 %y, [b];
    mad.lo.u32 %x, %x, %x, %y;
    st.param.u32 [result], %x;
    ret;
}

.func (.param .b64 result) twice(.param .b32 a)
{
    .reg .b32 %x;
    .reg .b64 %y;
    ld.param.u32 %x, [a];
    {
        .param .b32 first;
        .param .b32 second;
        .param .b32 back;
        st.param.u32 [first], %x;
        st.param.u32 [second], 7;
        call (back), square_plus, (first, second);
        ld.param.u32 %x, [back];
    }
    mul.wide.u32 %y, %x, 2;
    st.param.u64 [result], %y;
    ret;
}

.func store_at(.param .b64 address, .param .b32 number)
{
    .reg .b64 %p;
    .reg .b32 %x;
    .reg .pred %q;
    ld.param.u64 %p, [address];
    ld.param.u32 %x, [number];
    setp.gt.u32 %q, %x, 900;
    @%q ret;
    st.global.u32 [%p], %x;
    ret;
}

.func (.param .align 8 .b8 result[16]) both(.param .align 8 .b8 pair[16])
{
    .reg .b64 %p;
    .reg .b32 %x, %y;
    ld.param.u64 %p, [pair];
    ld.param.v2.u32 {%x, %y}, [pair+8];
    st.param.u32 [result], %y;
    st.param.u32 [result+4], %x;
    st.param.u64 [result+8], %p;
    ret;
}

.func (.reg .b32 %result) in_registers(.reg .b32 %a, .reg .b32 %b)
{
    sub.u32 %result, %a, %b;
    ret;
}
"""


def calls():
    """Functions that call functions, return early, take and give structures or registers."""
    body = """
        {
            .param .b32 a;
            .param .b64 back;
            st.param.u32 [a], %thread;
            call.uni (back), twice, (a);
            ld.param.u64 %l, [back];
        }
        st.global.u64 [%out64], %l;
        mul.wide.u32 %o, %thread, 4;
        {
            .param .b64 address;
            .param .b32 number;
            add.u64 %l, %out, 256;
            add.u64 %l, %l, %o;
            mul.lo.u32 %r, %thread, 50;
            st.param.b64 [address], %l;
            st.param.b32 [number], %r;
            call store_at, (address, number);
        }
        setp.lt.u32 %p, %thread, 10;
        mov.u32 %r, 1;
        @!%p bra other;
        {
            .param .b32 a;
            .param .b32 b;
            .param .b32 back;
            st.param.u32 [a], %thread;
            st.param.u32 [b], 1000;
            call (back), square_plus, (a, b);
            ld.param.u32 %r, [back];
        }
        bra joined;
    other:
        {
            .param .b32 a;
            .param .b32 b;
            .param .b32 back;
            st.param.u32 [a], 3;
            st.param.u32 [b], %thread;
            call (back), square_plus, (a, b);
            ld.param.u32 %r, [back];
        }
    joined:
        st.global.u32 [%out32+384], %r;
        {
            .param .align 8 .b8 pair[16];
            .param .align 8 .b8 back[16];
            mov.u64 %l, 0x1122334455667788;
            st.param.b64 [pair], %l;
            st.param.v2.b32 [pair+8], {%thread, %r};
            call.uni (back), both, (pair);
            ld.param.b32 %r, [back];
            ld.param.b32 %s, [back+4];
            ld.param.b64 %l, [back+8];
        }
        st.global.u32 [%out32+512], %r;
        st.global.u32 [%out32+640], %s;
        shr.u64 %l, %l, 32;
        st.global.u32 [%out32+768], %l;
        call (%r), in_registers, (%r, %s);
        st.global.u32 [%out32+896], %r;
        ret;"""
    stored = [50 * i if 50 * i <= 900 else unwritten("u32") for i in range(LANES)]
    branchy = [i * i + 1000 if i < 10 else 9 + i for i in range(LANES)]
    outputs = [
        Array("u64", [2 * (i * i + 7) for i in range(LANES)], "nested call"),
        Array("u32", stored, "early return"),
        Array("u32", branchy, "call in both branches"),
        Array("u32", branchy, "structure: second word"),
        Array("u32", list(range(LANES)), "first word"),
        Array("b32", [0x11223344] * LANES, "its pointer"),
        Array("u32", [(x - i) & ALL for i, x in enumerate(branchy)], "registers"),
    ]
    raw(
        "call",
        calls.__doc__,
        body,
        (),
        outputs,
        ".reg .b64 %l, %o;\n.reg .b32 %r, %s;\n.reg .pred %p;",
        FUNCTIONS,
    )


calls()


def divergent_calls():
    """A loop inside a function, called by some lanes, each with its own count."""
    functions = """
.func (.param .b32 result) collatz(.param .b32 start)
{
    .reg .b32 %x, %n, %odd;
    .reg .pred %p;
    ld.param.u32 %x, [start];
    mov.u32 %n, 0;
again:
    setp.le.u32 %p, %x, 1;
    @%p bra out;
    and.b32 %odd, %x, 1;
    setp.ne.u32 %p, %odd, 0;
    @%p bra is_odd;
    shr.u32 %x, %x, 1;
    bra step;
is_odd:
    mad.lo.u32 %x, %x, 3, 1;
step:
    add.u32 %n, %n, 1;
    bra again;
out:
    st.param.u32 [result], %n;
    ret;
}
"""
    body = """
        mov.u32 %r, 12345;
        rem.u32 %s, %thread, 3;
        setp.eq.u32 %p, %s, 0;
        @%p bra skip;
        {
            .param .b32 start;
            .param .b32 back;
            st.param.u32 [start], %thread;
            call (back), collatz, (start);
            ld.param.u32 %r, [back];
        }
    skip:
        bar.warp.sync 0xFFFFFFFF;
        st.global.u32 [%out32], %r;
        ret;"""

    def steps(x):
        n = 0
        while x > 1:
            x, n = (3 * x + 1 if x % 2 else x // 2), n + 1
        return n

    raw(
        "call_divergent",
        divergent_calls.__doc__,
        body,
        (),
        [Array("u32", [steps(i) if i % 3 else 12345 for i in range(LANES)])],
        ".reg .b32 %r, %s;\n.reg .pred %p;",
        functions,
    )


divergent_calls()


def local_arrays_in_calls():
    """A function with an array of its own, called twice: the caller's array stays as it was."""
    functions = """
.func (.param .b32 result) pick(.param .b32 index)
{
    .local .align 4 .b8 stack[16];
    .reg .b64 %p, %o;
    .reg .b32 %x;
    mov.u64 %p, stack;
    ld.param.u32 %x, [index];
    st.local.u32 [%p], 100;
    st.local.u32 [%p+4], 200;
    st.local.u32 [%p+8], 300;
    st.local.u32 [%p+12], %x;
    mul.wide.u32 %o, %x, 4;
    add.u64 %p, %p, %o;
    ld.local.u32 %x, [%p];
    st.param.u32 [result], %x;
    ret;
}
"""
    body = """
        mov.u64 %p, stack;
        st.local.u32 [%p], %thread;
        st.local.u32 [%p+12], 5;
        and.b32 %i, %thread, 3;
        {
            .param .b32 index;
            .param .b32 back;
            st.param.u32 [index], %i;
            call (back), pick, (index);
            ld.param.u32 %r, [back];
        }
        {
            .param .b32 index;
            .param .b32 back;
            st.param.u32 [index], 1;
            call (back), pick, (index);
            ld.param.u32 %i, [back];
        }
        add.u32 %r, %r, %i;
        st.global.u32 [%out32], %r;
        ld.local.u32 %r, [%p];
        ld.local.u32 %i, [%p+12];
        add.u32 %r, %r, %i;
        st.global.u32 [%out32+128], %r;
        ret;"""
    raw(
        "call_local",
        local_arrays_in_calls.__doc__,
        body,
        (),
        [
            Array("u32", [[100, 200, 300, 3][i % 4] + 200 for i in range(LANES)]),
            Array("u32", [i + 5 for i in range(LANES)]),
        ],
        ".local .align 4 .b8 stack[16];\n.reg .b64 %p;\n.reg .b32 %i, %r;",
        functions,
    )


local_arrays_in_calls()
