# SPDX-FileCopyrightText: 2026 The Tilewise authors
# SPDX-License-Identifier: Apache-2.0
"""Tests scripts/check_instruction_sets.py on what nm and objdump say of small archives.

Usage: check_instruction_sets_test.py SCRIPTS_FOLDER
"""

import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
import check_instruction_sets as check

DISASSEMBLY = """In archive libtilewise_cpu.a:

plan.cpp.o:     file format elf64-x86-64

0000000000000000 <plan>:
   0:\tmovaps %xmm0,%xmm1
   3:\tcall   8 <v_scale+0x8>

avx2_f32.cpp.o:     file format elf64-x86-64

0000000000000000 <tile>:
   0:\tvfmadd231ps %ymm0,%ymm1,%ymm2

avx512_f32.cpp.o:     file format elf64-x86-64

0000000000000000 <tile>:
   0:\tvmovups (%rdi),%zmm0{%k1}{z}
   6:\tvaddss %xmm0,%xmm1,%xmm1
"""


def archive(**members):
    """`nm -C` of an archive with these lines for its members."""
    order = ["plan", "avx2_f32", "avx512_f32"]
    return "\n".join(
        f"\n{name}.cpp.o:\n" + "\n".join(f"0000000000000000 {line}" for line in members.get(name, []))
        for name in order
    )


class CheckInstructionSets(unittest.TestCase):
    def violations(self, **members):
        return list(check.violations(DISASSEMBLY, archive(**members)))

    def test_finds_the_objects_with_avx(self):
        found = check.members_with_avx(DISASSEMBLY)
        self.assertEqual(found, {(2, "avx2_f32.cpp.o"), (3, "avx512_f32.cpp.o")})

    def test_strong_and_local_symbols_are_well(self):
        own = ["T tilewise::cpu::avx512_kernels()", "t tilewise::cpu::tile()", "r table"]
        self.assertEqual(self.violations(avx512_f32=own, avx2_f32=own), [])

    def test_an_object_without_avx_may_define_anything(self):
        self.assertEqual(self.violations(plan=["W std::vector<int>::~vector()"]), [])

    def test_inline_functions_variables_and_statics_leak(self):
        for kind in "WVu":
            found = self.violations(avx2_f32=[f"{kind} int const& std::max<int>(int const&, int const&)"])
            self.assertEqual(len(found), 1)
            self.assertIn("avx2_f32.cpp.o: has AVX", found[0])
            self.assertIn("std::max<int>", found[0])

    def test_what_is_named_after_the_set_is_its_own(self):
        name = "W tilewise::cpu::avx512::F32::load(float const*)"
        nested = "W void tilewise::cpu::ladder::avx2::add<float>()"
        self.assertEqual(self.violations(avx512_f32=[name], avx2_f32=[nested]), [])
        self.assertEqual(len(self.violations(avx512_f32=[name], avx2_f32=[name])), 2)
        self.assertEqual(len(self.violations(avx512_f32=[name], plan=[name])), 1)

    def test_other_namespaces_are_not(self):
        for name in ("W tilewise::cpu::round_up(long)", "W avx512::load(float const*)"):
            self.assertEqual(len(self.violations(avx512_f32=[name])), 1)

    def test_members_of_one_name_are_told_apart(self):
        disassembly = DISASSEMBLY.replace("plan.cpp.o", "simd.cpp.o").replace("avx2_f32.cpp.o", "simd.cpp.o")
        names = archive(plan=["W std::swap()"]).replace("plan.cpp.o", "simd.cpp.o")
        names = names.replace("avx2_f32.cpp.o", "simd.cpp.o")
        self.assertEqual(list(check.violations(disassembly, names)), [])
        names = archive(avx2_f32=["W std::swap()"]).replace("plan.cpp.o", "simd.cpp.o")
        names = names.replace("avx2_f32.cpp.o", "simd.cpp.o")
        self.assertEqual(len(list(check.violations(disassembly, names))), 1)

    def test_nothing_runs_when_the_program_starts(self):
        start = ["t _GLOBAL__sub_I__ZN8tilewise3cpu14avx512_kernelsEv"]
        self.assertEqual(self.violations(plan=start), [])
        found = self.violations(avx512_f32=start)
        self.assertEqual(len(found), 1)
        self.assertIn("avx512_f32.cpp.o: has AVX instructions and runs when", found[0])

    def test_pointers_for_exceptions_hold_no_code(self):
        self.assertEqual(self.violations(avx512_f32=["V DW.ref.__gxx_personality_v0"]), [])


if __name__ == "__main__":
    unittest.main()
