#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""NumPy's products through the door, which stands in front of the BLAS that NumPy was linked with.

Integer-valued matrices must give the exact product, random ones that of a higher precision; and each product
that NumPy leaves to its BLAS must have come through the door.

Usage: numpy_products.py --door FILE [--libraries FOLDER] [--cpu NAME]
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import preload

PYTHON = "/usr/bin/python3"
INSIDE = "TILEWISE_INSIDE" in os.environ  # set in the second run of this script, with the door before the BLAS
if INSIDE:
    import numpy as np  # only PYTHON is sure to have it


class Door:
    """Counts calls: stderr is a file, and every call a line of it."""

    def __init__(self):
        self.file = tempfile.NamedTemporaryFile("ab", prefix="tilewise-")
        self.reader = open(self.file.name, encoding="utf-8")
        self.stderr = os.dup(2)
        os.dup2(self.file.fileno(), 2)

    def calls(self):
        """Calls since the last time, as names."""
        return [call["name"] for call in preload.calls(self.reader.read())]

    def close(self):
        os.dup2(self.stderr, 2)


def exact(a, b):
    """The product of integer-valued matrices, in integers (which no BLAS multiplies)."""
    return np.matmul(a.astype(np.int64), b.astype(np.int64))


def check_exact(door, what, a, b, through_door=1):
    door.calls()
    result = a @ b
    name = {np.dtype("f4"): "cblas_sgemm", np.dtype("f8"): "cblas_dgemm"}[a.dtype]
    came = door.calls()
    if not np.array_equal(result, exact(a, b)):
        raise AssertionError(f"{what}: wrong product")
    if came != [name] * through_door:
        raise AssertionError(f"{what}: {came} came through the door, not {through_door} {name}")


def layouts(a):
    """The same matrix, stored in every way that NumPy hands to its BLAS without copying it."""
    wide = np.zeros((a.shape[0], a.shape[1] + 7), a.dtype)
    wide[:, 3 : 3 + a.shape[1]] = a
    tall = np.zeros((a.shape[0] + 5, a.shape[1]), a.dtype, order="F")
    tall[2 : 2 + a.shape[0]] = a
    return {
        "C": np.ascontiguousarray(a),
        "Fortran": np.asfortranarray(a),
        "columns of a wider one": wide[:, 3 : 3 + a.shape[1]],
        "rows of a taller Fortran one": tall[2 : 2 + a.shape[0]],
    }


def check_layouts(door, random, dtype, m, n, k):
    a = random.integers(-8, 9, (m, k)).astype(dtype)
    b = random.integers(-8, 9, (k, n)).astype(dtype)
    for how_a, stored_a in layouts(a).items():
        for how_b, stored_b in layouts(b).items():
            check_exact(door, f"{dtype} {m}x{n}x{k}, A {how_a}, B {how_b}", stored_a, stored_b)
            check_exact(door, f"{dtype} {m}x{n}x{k}, B transposed {how_b}, A transposed {how_a}", stored_b.T, stored_a.T)


def check_batches(door, random, dtype):
    a = random.integers(-8, 9, (6, 20, 30)).astype(dtype)
    b = random.integers(-8, 9, (6, 30, 10)).astype(dtype)
    check_exact(door, f"{dtype} 3-D", a, b, through_door=6)
    check_exact(door, f"{dtype} 3-D by 2-D", a, b[0], through_door=6)
    check_exact(door, f"{dtype} 3-D transposed", b.transpose(0, 2, 1), a.transpose(0, 2, 1), through_door=6)
    check_exact(door, f"{dtype} 4-D", a.reshape(2, 3, 20, 30), b.reshape(2, 3, 30, 10), through_door=6)


def check_elsewhere(door, random, dtype):
    """What NumPy copies first, or does not leave to its BLAS: right, whoever computes."""
    a = random.integers(-8, 9, (40, 60)).astype(dtype)
    b = random.integers(-8, 9, (60, 50)).astype(dtype)
    for stored_a in (a[::2, ::2], a[::-1, ::-1][:20, :30], a[:20, 30:]):
        for stored_b in (b[::2, ::2], b[30:, ::-1]):
            for product in (np.dot, np.matmul):
                if not np.array_equal(product(stored_a, stored_b), exact(stored_a, stored_b)):
                    raise AssertionError(f"{dtype} {product.__name__} with strides")
    assert np.array_equal(a @ a.T, exact(a, a.T))  # a symmetric product of the BLAS behind
    assert (np.zeros((3, 0), dtype) @ np.zeros((0, 4), dtype) == 0).all()
    assert np.array_equal(np.einsum("ij,jk->ik", a, b, optimize=True), exact(a, b))
    assert np.array_equal(np.tensordot(a, b, 1), exact(a, b))
    door.calls()


def check_accuracy(door, random, dtype, wider, m, n, k):
    a, b = (random.standard_normal(shape).astype(dtype) for shape in ((m, k), (k, n)))
    door.calls()
    result = a @ b
    assert len(door.calls()) == 1
    expected = np.einsum("ij,jk->ik", a.astype(wider), b.astype(wider))
    bound = (k + 4) * np.finfo(dtype).eps * (np.abs(a.astype(wider)) @ np.abs(b.astype(wider)))
    door.calls()
    if not (np.abs(result - expected) <= bound).all():
        raise AssertionError(f"{dtype} {m}x{n}x{k}: not accurate")


def check_fork(random):
    """A child of a program that has multiplied multiplies too."""
    a, b = (random.integers(-8, 9, (300, 300)).astype("f8") for _ in range(2))
    expected = exact(a, b)
    assert np.array_equal(a @ b, expected)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(a @ b, expected) else 1)
    assert os.waitpid(child, 0)[1] == 0, "the product in a child of fork() is wrong"


def inside():
    """In the program with the door before its BLAS."""
    door = Door()
    try:
        random = np.random.default_rng(3)
        for dtype in ("f4", "f8"):
            for sizes in ((2, 3, 4), (17, 33, 9), (64, 64, 64), (130, 70, 200)):
                check_layouts(door, random, dtype, *sizes)
            a, b = (random.integers(-8, 9, shape).astype(dtype) for shape in ((400, 500), (500, 300)))
            check_exact(door, f"{dtype} large", a, b)
            check_batches(door, random, dtype)
            check_elsewhere(door, random, dtype)
        check_accuracy(door, random, "f4", "f8", 200, 150, 320)
        check_accuracy(door, random, "f8", "g", 90, 80, 120)
        check_fork(random)
    finally:
        door.close()
    print("all products right")


def main():
    options = preload.arguments(__doc__)
    preload.need(PYTHON, "python3")
    if options.libraries and not (pathlib.Path(options.libraries) / "libblas.so.3").exists():
        preload.skip(f"no BLAS in {options.libraries}")
    there = subprocess.run([PYTHON, "-c", "import numpy"], check=False, stderr=subprocess.DEVNULL)
    if there.returncode != 0:
        preload.fail(f"{PYTHON} has no NumPy: run scripts/setup.sh, which installs python3-numpy")
    env = {**preload.environment(options), "TILEWISE_INSIDE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([PYTHON, *sys.argv], env=env, check=False, timeout=500).returncode


if __name__ == "__main__":
    sys.exit(inside() if INSIDE else main())
