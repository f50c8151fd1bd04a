# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""The matrices of examples/ are what their script writes, and what their description says."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


class Examples(unittest.TestCase):
    def test_the_script_writes_these_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, str(EXAMPLES / "make_examples.py"), folder], check=True)
            for name in ("a.npy", "b.npy"):
                written = (pathlib.Path(folder) / name).read_bytes()
                self.assertTrue(written == (EXAMPLES / name).read_bytes(), f"{name} differs")

    def test_shapes_and_orders(self):
        a = (EXAMPLES / "a.npy").read_bytes()
        b = (EXAMPLES / "b.npy").read_bytes()
        self.assertIn(b"'<f4', 'fortran_order': False, 'shape': (251, 197)", a[:128])
        self.assertIn(b"'<f4', 'fortran_order': True, 'shape': (197, 227)", b[:128])
        self.assertEqual(len(a), 128 + 4 * 251 * 197)
        self.assertEqual(len(b), 128 + 4 * 197 * 227)


if __name__ == "__main__":
    unittest.main()
