# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""One opcode test: its PTX, its inputs, the outputs that must come."""

import inspect
import struct
import textwrap
from dataclasses import dataclass, field

from . import exact

ALL = {}  # name -> text of the file

FORMATS = {"f16": exact.F16, "bf16": exact.BF16, "f32": exact.F32, "f64": exact.F64}
UNWRITTEN = 0xA5  # what every byte of the output buffer holds before the run


def bits_of(kind):
    return int(kind.lstrip("bfsu"))


def mask(kind):
    return (1 << bits_of(kind)) - 1


def wrap(kind, number):
    """An integer as `kind` holds it: modulo 2^bits, signed for s8..s64."""
    number &= mask(kind)
    if kind[0] == "s" and number >> (bits_of(kind) - 1):
        number -= 1 << bits_of(kind)
    return number


def unwritten(kind):
    """An element that the kernel leaves alone."""
    return wrap(kind, int.from_bytes(bytes([UNWRITTEN] * 8), "little") & mask(kind))


def f32(number):
    """The pattern of the f32 nearest to a Python float."""
    return struct.unpack("<I", struct.pack("<f", number))[0]


def f64(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def text_of(kind, x):
    """As the test's header spells it; reading it back gives the same pattern."""
    if x == exact.NAN:
        return "nan"
    if kind[0] in "us":
        return str(x)
    if kind in ("f32", "f64"):
        form = FORMATS[kind]
        if not exact.is_nan(form, x) and not exact.is_subnormal(form, x):
            code = ("<I", "<f") if kind == "f32" else ("<Q", "<d")
            number = struct.unpack(code[1], struct.pack(code[0], x))[0]
            short = f"{number:.6g}"
            if struct.pack(code[1], float(short)) == struct.pack(code[1], number):
                return short
    return f"0x{x:0{bits_of(kind) // 4}x}"


@dataclass
class Array:
    """A buffer's part: one element a thread, in thread order."""

    kind: str
    values: list
    label: str = ""
    tolerance: str = ""  # "absolute 1e-6" or "relative 1e-6"

    def header(self, direction):
        label = f" [{self.label}]" if self.label else ""
        tolerance = f" {self.tolerance}" if self.tolerance else ""
        lines = [f"// {direction} {self.kind}{label}{tolerance}:"]
        line = "//  "
        for value in self.values:
            word = " " + text_of(self.kind, value)
            if len(line) + len(word) > 100:
                lines.append(line)
                line = "//  "
            line += word
        return "\n".join(lines + [line]) + "\n"


def extents(count):
    """(x, y, z) of a number or a tuple."""
    return (tuple(count) + (1, 1))[:3] if isinstance(count, tuple) else (count, 1, 1)


def product(count):
    x, y, z = extents(count)
    return x * y * z


def header(title, threads, blocks, capability, dynamic_shared, inputs, outputs):
    text = "// SPDX-FileCopyrightText: 2026 The Tilewise authors\n"
    text += "// SPDX-License-Identifier: Apache-2.0\n//\n"
    prose = textwrap.wrap(" ".join(title.split()), 97)
    text += "".join(f"// {line}\n" for line in prose)
    for word, count in (("threads", threads), ("blocks", blocks)):
        if count != 1:
            text += (
                f"// {word}: "
                + (" ".join(map(str, count)) if isinstance(count, tuple) else str(count))
                + "\n"
            )
    if capability:
        text += f"// capability: {capability}\n"
    if dynamic_shared:
        text += f"// dynamic shared: {dynamic_shared}\n"
    text += "".join(array.header("in") for array in inputs)
    return text + "".join(array.header("out") for array in outputs)


def directives(capability, version):
    target = "sm_80" if not capability else "sm_" + capability.replace(".", "")
    return f"\n.version {version}\n.target {target}\n.address_size 64\n\n"


def register_kind(kind):
    """What .reg and ld/st call it: 8-bit values live in 16-bit registers."""
    return ".b16" if kind in ("b8", "u8", "s8") else f".b{bits_of(kind)}"


def memory_kind(kind):
    return kind if kind[0] in "us" else f"b{bits_of(kind)}"


def address(base, offset):
    return f"[%{base}+{offset}]" if offset else f"[%{base}]"


def indented(text):
    return "".join(f"    {line.strip()}\n" for line in text.strip().splitlines() if line.strip())


@dataclass
class Layout:
    """Where the threads find their elements: %in8.. %in64 and %out8.. are the buffer's start plus
    the thread's index times the element's size; arrays follow one another."""

    threads: int
    offset: int = 0
    sizes: set = field(default_factory=set)

    def place(self, kind):
        size = bits_of(kind) // 8
        assert self.offset % size == 0, "order the arrays by falling size"
        at = self.offset
        self.offset += size * self.threads
        self.sizes.add(size)
        return size * 8, at


def thread_index(threads, blocks):
    """Code for %thread: the index of the thread in the whole grid, x fastest."""
    if not isinstance(threads, tuple) and blocks == 1:
        return "mov.u32 %thread, %tid.x;"
    code = ".reg .b32 %position, %extent;\nmov.u32 %thread, 0;\n"
    for position, extent in (("ctaid", "nctaid"), ("tid", "ntid")):
        for axis in "zyx":
            code += f"mov.u32 %extent, %{extent}.{axis};\nmov.u32 %position, %{position}.{axis};\n"
            code += "mad.lo.u32 %thread, %thread, %extent, %position;\n"
    return code


def raw(
    name,
    title,
    body,
    inputs=(),
    outputs=(),
    registers="",
    module="",
    threads=32,
    blocks=1,
    capability="",
    dynamic_shared=0,
    version="8.2",
):
    """A test whose body does its own loads and stores, through the addresses of Layout and through
    %in and %out. `module` stands before the entry."""
    used = body + registers
    text = header(title, threads, blocks, capability, dynamic_shared, inputs, outputs)
    text += directives(capability, version)
    if module:
        text += "\n".join(line.rstrip() for line in module.strip("\n").splitlines()) + "\n\n"
    text += ".visible .entry test(.param .u64 out, .param .u64 in)\n{\n"
    text += "    .reg .b32 %thread;\n    .reg .b64 %in, %out, %offset;\n"
    for base in ("in", "out"):
        for width in (8, 16, 32, 64):
            if f"%{base}{width}" in used:
                text += f"    .reg .b64 %{base}{width};\n"
    text += indented(registers)
    text += indented("""
        ld.param.u64 %out, [out];
        ld.param.u64 %in, [in];
        cvta.to.global.u64 %out, %out;
        cvta.to.global.u64 %in, %in;""")
    text += indented(thread_index(threads, blocks))
    for width in (8, 16, 32, 64):
        bases = [base for base in ("in", "out") if f"%{base}{width}" in used]
        if bases:
            text += f"    mul.wide.u32 %offset, %thread, {width // 8};\n"
            text += "".join(f"    add.u64 %{base}{width}, %{base}, %offset;\n" for base in bases)
    text += "\n" + indented(body) + "}\n"
    assert name not in ALL, name
    ALL[name] = text


@dataclass
class Op:
    """One instruction under test. `code` writes its result to {}; `reference` computes it from the
    inputs of the same names, or is the list of results itself."""

    code: str
    kind: str
    reference: object
    label: str = ""
    tolerance: str = ""

    def values(self, inputs):
        if not callable(self.reference):
            return self.reference
        # Parameters with defaults are constants that a loop has bound, not inputs.
        names = [
            name
            for name, parameter in inspect.signature(self.reference).parameters.items()
            if parameter.default is inspect.Parameter.empty
        ]
        columns = [inputs[name].values for name in names]
        results = [self.reference(*row) for row in zip(*columns)]
        return [x if x == exact.NAN else wrap(self.kind, x) for x in results]

    def default_label(self):
        return self.label or self.code.strip().split()[0].rstrip(";")


def lanewise(
    name, title, inputs, ops, registers="", module="", threads=32, capability="", setup=""
):
    """Every thread loads its element of each input (named register a: %a), runs all `ops`, and
    stores each result."""
    arrays = {key: Array(kind, values) for key, (kind, values) in inputs.items()}
    for key, array in arrays.items():
        assert len(array.values) == threads, (name, key, len(array.values))
    in_layout, out_layout = Layout(threads), Layout(threads)
    ordered_inputs = sorted(arrays.items(), key=lambda item: -bits_of(item[1].kind))
    ordered_ops = sorted(ops, key=lambda op: -bits_of(op.kind))
    declared, loads, body = registers, "", setup
    for key, array in ordered_inputs:
        width, at = in_layout.place(array.kind)
        declared += f"\n.reg {register_kind(array.kind)} %{key};"
        loads += f"ld.global.{memory_kind(array.kind)} %{key}, {address(f'in{width}', at)};\n"
    outputs = []
    for index, op in enumerate(ordered_ops):
        width, at = out_layout.place(op.kind)
        register = f"%r{index}"
        declared += f"\n.reg {register_kind(op.kind)} {register};"
        body += "\n" + op.code.replace("{}", register)
        body += f"\nst.global.{memory_kind(op.kind)} {address(f'out{width}', at)}, {register};"
        outputs.append(Array(op.kind, op.values(arrays), op.default_label(), op.tolerance))
        assert len(outputs[-1].values) == threads, (name, op.code)
    raw(
        name,
        title,
        loads + body + "\nret;",
        [array for _, array in ordered_inputs],
        outputs,
        declared,
        module,
        threads,
        1,
        capability,
    )
