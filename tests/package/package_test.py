#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""The library as others get it: installed, moved, found by CMake and pkg-config, built inside another
project; what it shows and what it needs. Exit 1 and one line when something is wrong, 77 to skip.

Usage: package_test.py WHAT --build FOLDER --source FOLDER --work FOLDER [--cmake ...]
WHAT is a function below whose name begins with test_.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

PRODUCT = "58 64\n139 154\n"  # what both consumers print
COMPONENTS = ("tilewise_library", "tilewise_development")
SKIPPED = 77
# Names of the C++ interface; the C one's are those that its header declares.
CPP_NAMES = re.compile(
    r"tilewise::(gemm(_batch)?(_workspace)?|default_context|cpu_instruction_set(\[abi:cxx11\])?|Context::\S.*|"
    r"GpuContext::(~?GpuContext|operator=|description(\[abi:cxx11\])?))\(|"
    r"(typeinfo|typeinfo name|vtable) for tilewise::Error$"
)
SYSTEM_LIBRARIES = re.compile(r"(libstdc\+\+|libm|libgcc_s|libc|libpthread|ld-linux[\w-]*)\.so\.\d+$")


class Failed(Exception):
    pass


def run(*command, **environment):
    """The output of a command that has to succeed."""
    command = [str(word) for word in command]
    done = subprocess.run(
        command, env={**os.environ, **environment}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def expect(holds, words):
    if not holds:
        raise Failed(words)


def one(paths, words):
    found = sorted(paths)
    expect(len(found) == 1, f"{words}: expected one, found {[str(path) for path in found]}")
    return found[0]


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def install(options, build, place, components=COMPONENTS):
    """Installs, and then moves what was installed: nothing in it may know where it was."""
    first = fresh(place.with_name(place.name + "_before_moving"))
    shutil.rmtree(place, ignore_errors=True)
    for component in components:
        run(options.cmake, "--install", build, "--config", options.config, "--prefix", first, "--component", component)
    first.rename(place)
    for path in place.rglob("*"):
        if path.suffix in (".cmake", ".pc"):
            text = path.read_text(encoding="utf-8")
            for folder in (str(first), str(options.source), str(options.build)):
                expect(folder not in text, f"{path} names {folder}")


def configure(options, source, build, *definitions):
    command = [options.cmake, "-S", source, "-B", fresh(build), "-G", options.generator]
    command += [f"-DCMAKE_BUILD_TYPE={options.config}", f"-DCMAKE_MAKE_PROGRAM={options.make}"]
    command += [f"-DCMAKE_C_COMPILER={options.c_compiler}", f"-DCMAKE_CXX_COMPILER={options.cxx_compiler}"]
    return run(*command, *definitions)


def build_and_run(options, build, *programs):
    run(options.cmake, "--build", build, "--config", options.config, "--target", *programs)
    for program in programs:
        expect_product(one(build.rglob(program), program))


def expect_product(program, **environment):
    printed = run(program, **environment)
    expect(printed == PRODUCT, f"{program} printed {printed!r}, expected {PRODUCT!r}")


def test_install(options):
    place = options.work / "moved"
    install(options, options.build, place)
    door = one((path for path in place.rglob("libtilewise_blas.so*") if not path.is_symlink()), "the BLAS door")
    run(sys.executable, "-c", f"import ctypes; ctypes.CDLL({str(door)!r}).cblas_dgemm")


def test_find_package(options):
    prefix = f"-DCMAKE_PREFIX_PATH={options.work / 'moved'}"
    consumers = pathlib.Path(__file__).parent
    configure(options, consumers / "consumer", options.work / "find_package", prefix)
    build_and_run(options, options.work / "find_package", "multiply_cpp", "multiply_c")
    configure(options, consumers / "consumer_in_c", options.work / "find_package_in_c", prefix)
    build_and_run(options, options.work / "find_package_in_c", "multiply_c")


def compile_with_pkg_config(options, prefix, place):
    """Both consumers by the compilers alone; returns the programs and the library's folder."""
    tool = shutil.which("pkg-config")
    if tool is None:
        print("pkg-config is not installed")
        sys.exit(SKIPPED)
    pc = one(prefix.rglob("tilewise.pc"), "tilewise.pc")

    def ask(*what):
        return run(tool, *what, "tilewise", PKG_CONFIG_PATH=str(pc.parent)).split()

    header = (prefix / "include/tilewise/tilewise.h").read_text(encoding="utf-8")
    version = ".".join(re.findall(r"define TW_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
    expect(ask("--modversion") == [version], f"tilewise.pc: expected version {version}")
    sources = pathlib.Path(__file__).parent / "consumer"
    flags, libraries, programs = ask("--cflags"), ask("--libs"), []
    for compiler, standard, name in (
        (options.cxx_compiler, "-std=c++20", "multiply.cpp"),
        (options.c_compiler, "-std=c99", "multiply.c"),
    ):
        program = fresh(place / name) / "program"
        run(compiler, standard, *flags, sources / name, "-o", program, *libraries)
        programs.append(program)
    return programs, ask("--variable=libdir")[0]


def test_pkg_config(options):
    programs, folder = compile_with_pkg_config(options, options.work / "moved", options.work / "pkg_config")
    for program in programs:
        expect_product(program, LD_LIBRARY_PATH=folder)


def test_add_subdirectory(options):
    """Inside another project, as a static library, which then is installed and linked by pkg-config."""
    build = options.work / "add_subdirectory"
    configure(
        options,
        pathlib.Path(__file__).parent / "consumer",
        build,
        f"-DTILEWISE_SOURCE={options.source}",
        "-DBUILD_SHARED_LIBS=OFF",
        "-DTILEWISE_INSTALL=ON",
        "-DTILEWISE_CUDA=OFF",  # as on a machine without nvcc; the installed library here has GPU kernels
        "-DTILEWISE_WARNINGS_ARE_ERRORS=ON",  # the same command lines as here: a compiler cache knows them
    )
    build_and_run(options, build, "multiply_cpp", "multiply_c")
    prefix = options.work / "moved_static"
    install(options, build / "tilewise", prefix, ["tilewise_development"])
    one(prefix.rglob("libtilewise.a"), "libtilewise.a")
    programs, _ = compile_with_pkg_config(options, prefix, options.work / "pkg_config_static")
    for program in programs:
        expect_product(program)
        expect("libtilewise" not in run("readelf", "-d", program), f"{program} needs a shared library")
    configure(options, pathlib.Path(__file__).parent / "consumer", options.work / "find_package_static",
              f"-DCMAKE_PREFIX_PATH={prefix}")  # fmt: skip
    build_and_run(options, options.work / "find_package_static", "multiply_cpp", "multiply_c")


def test_tool(options):
    install(options, options.build, options.work / "moved_tool", ["tilewise_tools"])
    tool = one((options.work / "moved_tool").rglob("tilewise"), "the tool")
    expect("tilewise" in run(tool, "--version").lower(), "tilewise --version")


def test_exports(options):
    """Shows tilewise.h's and the C++ interface's names and no other; needs the system's libraries only."""
    libraries = [path for path in (options.work / "moved").rglob("libtilewise.so.*") if not path.is_symlink()]
    library = one(libraries, "the library")
    header = (options.source / "include/tilewise/tilewise.h").read_text(encoding="utf-8")
    declared = set(re.findall(r"^TILEWISE_API [^(]*?(tw_\w+)\(", header, re.MULTILINE))
    expect(len(declared) > 20, "tilewise.h declares too little to be right")
    lines = run("nm", "-DC", "--defined-only", library).splitlines()
    shown = {line.split(maxsplit=2)[2] for line in lines}
    in_c = {name for name in shown if name.startswith("tw_")}
    expect(in_c == declared, f"names of the C interface that are not both shown and declared: {in_c ^ declared}")
    others = sorted(name for name in shown - in_c if not CPP_NAMES.match(name))
    expect(not others, f"shown, but no part of the interface: {others}")
    products = [name for name in shown if name.startswith("tilewise::gemm(")]
    batches = [name for name in shown if name.startswith("tilewise::gemm_batch(")]
    expect(len(products) == 15 and len(batches) == 10, f"shown: {products} {batches}")

    dynamic = run("readelf", "-d", library)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    foreign = [name for name in needed if not SYSTEM_LIBRARIES.match(name)]
    expect(needed and not foreign, f"{library.name} needs {foreign}")
    version = re.search(r"TW_VERSION_MAJOR (\d+)", header)[1]
    expect(f"soname: [libtilewise.so.{version}]" in dynamic, f"{library.name} has another soname")
    expect("NODELETE" in dynamic, f"{library.name} may be unloaded under its threads")


def test_documented(options):
    """docs/library.md shows the consumers as they are."""
    text = (options.source / "docs/library.md").read_text(encoding="utf-8")
    for name in ("multiply.cpp", "multiply.c"):
        lines = (pathlib.Path(__file__).parent / "consumer" / name).read_text(encoding="utf-8").splitlines()
        expect("\n".join(lines[2:]) in text, f"docs/library.md does not show {name} as it is")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what")
    for name in ("build", "source", "work"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    for name in ("cmake", "generator", "make", "c-compiler", "cxx-compiler", "config"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    try:
        globals()[f"test_{options.what}"](options)
    except Failed as failure:
        print(failure)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
