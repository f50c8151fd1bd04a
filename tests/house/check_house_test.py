# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Every rule of scripts/check_house.py finds what breaks it, and only that."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
import check_house  # noqa: E402

LICENCE = "// " + "\n// ".join(check_house.LICENCE) + "\n"
TABLE = "| room | may know |\n|---|---|\n| `core` | nobody |\n| `model` | `core` | arithmetic, unlike `vgpu` |\n"


class House(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name)
        self.write("CMakeLists.txt", LICENCE.replace("//", "#"))
        self.write("docs/house.md", TABLE)
        self.write("src/core/sum.hpp", LICENCE + "#include <vector>\n#include <tilewise/error.hpp>\n")
        self.write("src/model/sum.cpp", LICENCE + '#include "model/sum.hpp"\n#include "core/sum.hpp"\n')

    def write(self, name, text):
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def check(self, *expected):
        self.assertEqual(list(check_house.violations(self.project)), list(expected))

    def test_a_house_in_order(self):
        self.check()

    def test_an_arrow_back(self):
        self.write("src/core/sum.hpp", LICENCE + '#include "model/sum.hpp"\n')
        self.check("src/core/sum.hpp:3: core must not know model (model/sum.hpp)")

    def test_an_arrow_back_in_angle_brackets(self):
        self.write("src/core/sum.hpp", LICENCE + "#  include <model/sum.hpp>\n")
        self.check("src/core/sum.hpp:3: core must not know model (model/sum.hpp)")

    def test_a_path_without_its_room(self):
        self.write("src/core/sum.hpp", LICENCE + '#include "sum.hpp"\n')
        self.check('src/core/sum.hpp:3: "sum.hpp" does not start with a room')

    def test_a_public_header_knows_no_room(self):
        self.write("include/tilewise/gemm.hpp", LICENCE + '#include "core/sum.hpp"\n')
        self.check("include/tilewise/gemm.hpp:3: a public header must not know core (core/sum.hpp)")

    def test_a_link_back(self):
        text = LICENCE.replace("//", "#") + "tilewise_room(core tilewise_model\n  Threads::Threads)\n"
        self.write("src/core/CMakeLists.txt", text)
        self.check("src/core/CMakeLists.txt: core must not link model")

    def test_an_unlisted_room(self):
        self.write("src/attic/box.cpp", LICENCE)
        self.check("src/attic: docs/house.md does not list this room")

    def test_a_listed_room_that_does_not_exist(self):
        self.write("docs/house.md", TABLE + "| `cellar` | `core` |\n")
        self.check("docs/house.md: lists the room cellar, which does not exist")

    def test_rooms_that_know_each_other(self):
        self.write("docs/house.md", TABLE.replace("nobody", "`model`"))
        self.check("docs/house.md: these rooms know each other in a circle: core, model")

    def test_no_licence(self):
        self.write("tests/core/sum_test.cpp", "// " + check_house.LICENCE[0] + "\n#include <vector>\n")
        self.check("tests/core/sum_test.cpp: does not start with the two-line licence header")

    def test_licence_after_the_interpreter(self):
        self.write("scripts/run.sh", "#!/bin/sh\n" + LICENCE.replace("//", "#"))
        self.check()

    def test_ptx_by_hand_and_by_nvcc(self):
        self.write("tests/vgpu/add.ptx", ".version 9.0\n")
        self.write("tests/vgpu/sum.ptx", "//\n// " + check_house.GENERATED + "\n//\n.version 9.0\n")
        self.check("tests/vgpu/add.ptx: does not start with the two-line licence header")

    def test_an_empty_source(self):
        self.write("src/core/empty.cpp", "")
        self.check("src/core/empty.cpp: does not start with the two-line licence header")

    def test_words_that_say_nothing(self):
        self.write("src/core/stringUtils.hpp", LICENCE)
        self.write("tests/data/list.txt", "")
        self.check(
            "src/core/stringUtils.hpp: the word 'utils' says nothing about what is in it",
            "tests/data/list.txt: the word 'data' says nothing about what is in it",
        )

    def test_words_inside_words_are_fine(self):
        self.write("src/core/database_processor.hpp", LICENCE)
        self.check()


if __name__ == "__main__":
    unittest.main()
