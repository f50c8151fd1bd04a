// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Decodes instructions into operations. `decode()` finds an opcode in a table of member functions;
// each looks at modifiers and operands, makes the handler's key, and names the registers it reads and
// writes. A modifier or operand that is not understood is an error with file, line and text.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vgpu/exec/flatten.hpp"
#include "vgpu/exec/program.hpp"

namespace tilewise::vgpu {

/// A register or constant that an operation names, before registers have slots.
struct Reference {
  std::uint32_t op = 0;    ///< index in Program::ops
  std::uint32_t slot = 0;  ///< in Op::r, or in Program::operands
  bool is_listed = false;  ///< in Program::operands
  bool is_definition = false;
  bool keeps_old = false;  ///< a definition under a guard: lanes may keep what was there
  bool is_constant = false;
  bool is_matrix = false;   ///< of wgmma
  std::uint32_t index = 0;  ///< flat register, or index in Program::constants
};

/// References of terminators, patched like those of operations.
struct TerminatorReference {
  int block = -1;
  enum Field : std::uint8_t {
    kIndex,
    kBarrierId,
    kBarrierCount,
    kReduceResult,
    kAddress,
    kAwaited,
  } field = kIndex;
  bool is_definition = false;
  bool is_constant = false;
  std::uint32_t index = 0;
};

struct PlainHandlers {
  Handler full, masked, body;
};

/// What decoding yields, for the register allocator to finish.
struct Decoded {
  Program program;
  std::vector<PlainHandlers> plain;  ///< by operation: handlers that do not count
  std::vector<Reference> references;
  std::vector<TerminatorReference> terminator_references;
  std::vector<ptx::Type> registers;  ///< flat registers, temporaries included
  /// Flat registers that asynchronous operations touch at times of their own: they share no slot.
  std::set<std::uint32_t> held_registers;
  std::set<std::uint32_t> held_copies;     ///< operations: moves from one of them
  std::set<std::uint32_t> constant_moves;  ///< operations: moves of a constant to any register
};

/// Where module variables lie, by name; their addresses are fixed when the module is loaded.
using GlobalAddresses = std::map<std::string_view, std::uint64_t>;

Decoded decode(const Flat& flat, const ptx::Function& kernel, const GlobalAddresses& globals);

class Decoder {
 public:
  Decoder(const Flat& flat, const ptx::Function& kernel, const GlobalAddresses& globals);
  Decoded run();

 private:
  using Instruction = ptx::Instruction;
  using Operand = ptx::Operand;
  using Type = ptx::Type;
  using Method = void (Decoder::*)();
  struct TableEntry {
    std::string_view opcode;
    Method method;
  };
  static std::span<const TableEntry> methods();
  static const TableEntry* find_method(std::string_view opcode);
  static std::string opcodes();

  // decode.cpp: blocks
  void start_block();
  void end_block(Terminator terminator);
  void decode_instruction(const FlatItem& item);
  void finish_targets();
  bool decode_terminator();
  void substitute_specials();
  void emit_special(std::string_view name, int destination);

  // decode.cpp: modifiers of the current instruction, each understood exactly once
  bool take(std::string_view modifier);
  void ignore(std::initializer_list<std::string_view> modifiers);
  Type take_type();
  void expect_no_more_modifiers();
  void expect_form() const;
  [[noreturn]] void unsupported_here(const std::string& what) const;
  [[noreturn]] void malformed_here(const std::string& what) const;

  // decode.cpp: operands
  const Operand& operand(std::size_t index) const;
  void expect_operands(std::size_t least, std::size_t most) const;
  int flat_register(const Operand& o) const;
  Type register_type(const Operand& o) const { return flat_registers_[flat_register(o)]; }
  std::uint32_t predicate(const Operand& o);
  /// A register that holds what is read: of a constant, one that is set here.
  std::uint32_t predicate_value(const Operand& o);
  void set_predicate(std::uint32_t predicate, const Operand& constant);
  std::uint32_t dense_predicate(int flat_index);
  enum class ConstantKind : std::uint8_t { kPlain, kParameter, kShared };
  std::uint32_t constant(std::uint64_t bits, bool wide, ConstantKind kind = ConstantKind::kPlain);
  std::uint64_t constant_bits(const Operand& o, Type type) const;
  struct SymbolValue {
    std::uint64_t bits = 0;
    ConstantKind kind = ConstantKind::kPlain;
  };
  SymbolValue symbol_value(const Operand& o) const;
  Place place_of(const Operand& o, bool& found) const;
  int new_register(Type type);

  // decode.cpp: emitting
  Op& emit(const std::string& key);
  void define(int slot, const Operand& o, Type type);
  void use(int slot, const Operand& o, Type type);
  void reference(int slot, bool is_definition, bool is_constant, std::uint32_t index);
  // The same for one more entry of Program::operands, of the operation emitted last.
  void define_listed(const Operand& o, Type type);
  void use_listed(const Operand& o, Type type);
  std::uint32_t definition(const Operand& o, Type type);
  struct Source {
    bool is_constant = false;
    std::uint32_t index = 0;
  };
  Source source(const Operand& o, Type type);
  Reference& refer(bool is_definition, bool is_constant, std::uint32_t index);

  // decode_arithmetic.cpp
  void add_sub();
  void mul();
  void mad();
  void fma();
  void div();
  void rem();
  void min_max();
  void abs_neg();
  void logic();
  void shift();
  void shf();
  void sad();
  void mul24();
  void mad24();
  void bfe();
  void bfi();
  void bfind();
  void bits_to_32();
  void brev();
  void prmt();
  void lop3();
  void bmsk();
  void szext();
  void dot_product();
  void unary_float();
  void copysign();
  void testp();
  void setp();
  void set();
  void selp();
  void slct();
  void cvt();
  void mov();
  void cvta();
  void isspacep();
  std::uint8_t float_mode();
  void binary(const std::string& key, Type type);
  void ternary(const std::string& key, Type type);
  void float_operation(std::string_view name, Type type, std::uint8_t mode, int sources);
  void cvt_pack_integers(const std::vector<Type>& types);
  void cvt_packed(Type to, Type from, std::uint8_t mode);
  static bool is_wide_register(Type type) { return ptx::size_of(type) == 8; }
  void mov_vector();

  // decode_memory.cpp
  void load();
  void store();
  void atom();
  void red();
  struct Access {
    ptx::Space space = ptx::Space::kGeneric;
    Type type = Type::kB32;
    int count = 1;
    bool in_cluster = false;  ///< .shared::cluster
  };
  Access take_access();
  bool address(int slot, const Operand& o, ptx::Space& space, bool& wide);
  void parameter_load(const Access& access);
  void local_access(const Access& access, bool is_store);
  void generic_access(const Access& access, bool is_store);
  void atomic(bool has_result);
  std::vector<Operand> access_registers(const Operand& o, int count);
  void settle_space(const Operand& o, Access& a) const;
  int new_site(const Access& a, bool is_store);
  void memory_access(const Access& a, bool is_store);
  bool any_wide(const std::vector<Operand>& values, Type type) const;
  void access_values(const std::vector<Operand>& values, Type type, bool wide_register,
                     bool is_store);

  // decode_async.cpp
  void cp();
  void cp_async();
  void cp_async_wait();
  void mbarrier();
  void mbarrier_wait();
  void shared_address(int slot, const Operand& o);
  void remote_store();
  void mapa();
  void getctarank();
  void setmaxnreg();
  int most_registers() const;
  void griddepcontrol();
  void createpolicy();
  void terminator_operand(TerminatorReference::Field field, const Operand& o, bool wide);
  void skip_without_guard();
  // decode_matrix.cpp
  void mma();
  void ldmatrix();
  void stmatrix();
  void movmatrix();
  void matrix_access(bool is_store);
  void matrix_product(MatrixOp matrix);

  // decode_wmma.cpp
  void wmma();
  void wmma_mma();
  void wmma_move(bool is_store);
  MatrixProduct take_wmma_shape();
  bool take_by_rows();
  std::uint32_t add_move(FragmentMove move, ptx::Space space, bool is_store);

  // decode_matrix.cpp
  std::vector<MatrixType> take_matrix_types();
  std::vector<Operand> register_list(const Operand& o, int count, std::string_view what) const;
  void use_fragment(const Operand& o, Fragment& fragment, std::string_view what);
  void define_fragment(const Operand& o, Fragment& fragment, std::string_view what);

  // decode_bulk.cpp
  void bulk();
  void bulk_copy();
  BulkCopyFacts take_bulk_facts();
  void take_bulk_reduction(BulkCopyFacts& facts);
  BulkCopyFacts::Place bulk_place(int slot, const Operand& o, ptx::Space space);
  void bulk_tensor(BulkCopyFacts& facts, const Operand& o);

  // decode_tensormap.cpp
  void tensormap();
  void tensormap_copy();

  // decode_wgmma.cpp
  void wgmma();
  void wgmma_product();
  void wgmma_operands(MatrixOp& matrix, WgmmaOp& wgmma);
  bool wgmma_sign(const Operand& o) const;
  MatrixMajor wgmma_major(const Operand& o) const;
  void accumulate_fragment(const Operand& o, Fragment& f);
  void hold_listed(std::uint32_t slot);
  void hold_copies();
  void settle_copies();

  // decode_warp.cpp
  void shfl();
  void vote();
  void match();
  void activemask();
  void redux();
  void elect();
  void barrier();
  void cluster_barrier();
  void barrier_operand(int block, const Operand& o, TerminatorReference::Field field);
  void fence();
  void nanosleep();
  void trap();
  void nothing();

  // decode_calls.cpp
  std::uint32_t call_argument(std::size_t index, std::uint32_t bytes);
  void print_call();
  void assert_call();

  const Flat& flat_;
  const ptx::Function& kernel_;
  const GlobalAddresses& globals_;
  Decoded out_;
  std::vector<Type> flat_registers_;
  std::map<std::pair<std::uint64_t, int>, std::uint32_t> constants_;
  std::map<int, std::uint32_t> predicates_;

  // The instruction being decoded.
  const Instruction* in_ = nullptr;
  int instance_ = -1;
  std::set<std::string_view> taken_;
  std::deque<Instruction> substituted_;
  std::size_t first_op_ = 0;

  struct RegisterCopy {
    std::size_t op = 0;
    int from = 0, to = 0;
  };
  std::vector<RegisterCopy> copies_;  ///< of 32 bits
  std::set<int> accumulators_;        ///< registers that wgmma accumulates in

  bool cache_hint_ = false;
  bool block_open_ = false;
  std::vector<int> block_of_label_;
  int next_block_label_ = -1;  // a label that the next block gets
};

}  // namespace tilewise::vgpu
