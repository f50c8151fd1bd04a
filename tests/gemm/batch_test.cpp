// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches: strides of every kind, pointers, and what they share or must not share.
#include <gtest/gtest.h>

#include <algorithm>

#include "matrices.hpp"
#include "tilewise/gemm.hpp"

namespace tilewise {
namespace {

using namespace test;

Context& context() {
  static Context two({.threads = 2});
  return two;
}

// Many matrices of one shape: where they are, and a pointer to each.
template <class T> struct Many {
  Many(std::int64_t count, std::int64_t rows, std::int64_t columns, Stand stand,
       std::uint64_t stream) {
    for (std::int64_t i = 0; i < count; ++i) {
      all.emplace_back(rows, columns, stand, stream * 1000 + static_cast<std::uint64_t>(i));
    }
    for (Matrix<T>& matrix : all) pointers.push_back(matrix.view().data);
  }
  MatrixBatch<T> batch() {
    MatrixView<T> shape = all.front().view();
    shape.data = nullptr;
    return from_pointers(shape, pointers.data());
  }

  std::vector<Matrix<T>> all;
  std::vector<T*> pointers;
};

template <class K> class GemmBatch : public ::testing::Test {};
TYPED_TEST_SUITE(GemmBatch, BatchKinds);

template <class K>
void check_pointers(std::int64_t count, std::int64_t m, std::int64_t n, std::int64_t k,
                    typename K::S alpha, typename K::S beta, Stand a_stand, Stand c_stand) {
  Many<typename K::A> a(count, m, k, a_stand, 1);
  Many<typename K::B> b(count, k, n, {Order::kColumnMajor, false, 1}, 2);
  Many<typename K::C> c(count, m, n, c_stand, 3);
  std::reverse(c.pointers.begin(), c.pointers.end());  // products may be written anywhere
  const auto before = c.all;
  gemm_batch(context(), count, alpha, a.batch(), b.batch(), beta, c.batch());
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i), written = static_cast<std::size_t>(count - 1 - i);
    expect_product(alpha, a.all[at], b.all[at], beta, before[written], c.all[written]);
  }
}

TYPED_TEST(GemmBatch, Pointers) {
  const Stand by_rows{}, by_columns{Order::kColumnMajor, false, 3};
  check_pointers<TypeParam>(1, 4, 3, 5, 1, 0, by_rows, by_rows);
  check_pointers<TypeParam>(7, 13, 11, 9, 2, -1, by_columns, by_columns);
  check_pointers<TypeParam>(3, 100, 90, 130, 1, 1, by_rows, by_columns);
  check_pointers<TypeParam>(300, 2, 3, 4, 1, 0, by_columns, by_rows);
  check_pointers<TypeParam>(4, 5, 6, 7, 0, 2, by_rows, by_rows);
  check_pointers<TypeParam>(4, 5, 6, 0, 1, 3, by_rows, by_columns);
}

// Matrices inside one block of memory, at a stride: the values that the batch must have seen.
template <class T>
Matrix<T> copy_of(const std::vector<T>& memory, std::int64_t first, MatrixView<const T> shape) {
  Matrix<T> copy(shape.rows, shape.columns);
  for (std::int64_t i = 0; i < shape.rows; ++i) {
    for (std::int64_t j = 0; j < shape.columns; ++j) {
      const std::int64_t at = shape.order == Order::kRowMajor ? i * shape.leading_dimension + j
                                                              : i + j * shape.leading_dimension;
      copy.at(i, j) = memory[static_cast<std::size_t>(first + at)];
    }
  }
  return copy;
}

template <class T> std::vector<T> random_memory(std::size_t size, std::uint64_t stream) {
  std::vector<T> memory(size);
  for (std::size_t i = 0; i < size; ++i) memory[i] = random_element<T>(stream, i);
  return memory;
}

// A batch within three blocks of memory; each first matrix begins `origin` elements into its block.
struct Strides {
  std::int64_t origin, a, b, c;
};

template <class K>
void check_strided(std::int64_t count, Strides stride, MatrixView<typename K::A> a,
                   MatrixView<typename K::B> b, MatrixView<typename K::C> c) {
  auto a_memory = random_memory<typename K::A>(4000, 1);
  auto b_memory = random_memory<typename K::B>(4000, 2);
  auto c_memory = random_memory<typename K::C>(4000, 3);
  const auto before = c_memory;
  a.data = a_memory.data() + stride.origin;
  b.data = b_memory.data() + stride.origin;
  c.data = c_memory.data() + stride.origin;
  using S = typename K::S;
  gemm_batch(context(), count, S{2}, MatrixBatch<const typename K::A>(strided(a, stride.a)),
             MatrixBatch<const typename K::B>(strided(b, stride.b)), S{1}, strided(c, stride.c));

  auto untouched = c_memory;  // with every written element put back as it was
  for (std::int64_t i = 0; i < count; ++i) {
    const auto place = [&](std::int64_t distance) { return stride.origin + i * distance; };
    expect_product(S{2}, copy_of<typename K::A>(a_memory, place(stride.a), a),
                   copy_of<typename K::B>(b_memory, place(stride.b), b), S{1},
                   copy_of<typename K::C>(before, place(stride.c), c),
                   copy_of<typename K::C>(c_memory, place(stride.c), c));
    for (std::int64_t row = 0; row < c.rows; ++row) {
      for (std::int64_t column = 0; column < c.columns; ++column) {
        const auto at = static_cast<std::size_t>(
            place(stride.c) + (c.order == Order::kRowMajor ? row * c.leading_dimension + column
                                                           : row + column * c.leading_dimension));
        untouched[at] = before[at];
      }
    }
  }
  EXPECT_TRUE(same_bits(untouched, before)) << "written outside the matrices";
}

template <class T> MatrixView<T> rows(std::int64_t m, std::int64_t n, std::int64_t leading) {
  return row_major(static_cast<T*>(nullptr), m, n, leading);
}
template <class T> MatrixView<T> columns(std::int64_t m, std::int64_t n, std::int64_t leading) {
  return column_major(static_cast<T*>(nullptr), m, n, leading);
}

TYPED_TEST(GemmBatch, Strides) {
  using A = typename TypeParam::A;
  using B = typename TypeParam::B;
  using C = typename TypeParam::C;
  // One after the other; then with gaps and in column-major order.
  check_strided<TypeParam>(9, {0, 20, 35, 28}, rows<A>(4, 5, 5), rows<B>(5, 7, 7),
                           rows<C>(4, 7, 7));
  check_strided<TypeParam>(6, {3, 90, 101, 77}, columns<A>(6, 5, 8), rows<B>(5, 7, 9),
                           columns<C>(6, 7, 10));
}

TYPED_TEST(GemmBatch, SharedFactorsBackwardAndInterleaved) {
  using A = typename TypeParam::A;
  using B = typename TypeParam::B;
  using C = typename TypeParam::C;
  check_strided<TypeParam>(9, {0, 0, 35, 28}, rows<A>(4, 5, 5), rows<B>(5, 7, 7), rows<C>(4, 7, 7));
  check_strided<TypeParam>(9, {900, -20, 0, -28}, rows<A>(4, 5, 5), rows<B>(5, 7, 7),
                           rows<C>(4, 7, 7));
  // C[i] is the i-th group of 7 columns of one matrix with 63; overlapping factors are only read.
  check_strided<TypeParam>(9, {0, 1, 3, 7}, rows<A>(4, 5, 5), rows<B>(5, 7, 7), rows<C>(4, 7, 63));
  check_strided<TypeParam>(9, {900, 1, 3, -4}, rows<A>(4, 5, 5), rows<B>(5, 7, 7),
                           columns<C>(4, 7, 36));
}

TYPED_TEST(GemmBatch, NothingToDo) {
  using S = typename TypeParam::S;
  const MatrixBatch<const typename TypeParam::A> a{{nullptr, 3, 4, 4}};
  const MatrixBatch<const typename TypeParam::B> b{{nullptr, 4, 5, 5}};
  const MatrixBatch<typename TypeParam::C> c{{nullptr, 3, 5, 5}};
  EXPECT_NO_THROW(gemm_batch(context(), 0, S{1}, a, b, S{0}, c));
  const MatrixBatch<const typename TypeParam::A> no_rows{{nullptr, 0, 4, 4}};
  const MatrixBatch<typename TypeParam::C> no_results{{nullptr, 0, 5, 5}};
  EXPECT_NO_THROW(gemm_batch(context(), 10, S{1}, no_rows, b, S{0}, no_results));
}

TYPED_TEST(GemmBatch, SameBitsAsProductsOneByOne) {
  using S = typename TypeParam::S;
  Many<typename TypeParam::A> a(5, 70, 33, {}, 1);
  Many<typename TypeParam::B> b(5, 33, 40, {}, 2);
  Many<typename TypeParam::C> c(5, 70, 40, {}, 3);
  auto singly = c.all;
  gemm_batch(context(), 5, S{1}, a.batch(), b.batch(), S{1}, c.batch());
  for (std::size_t i = 0; i < 5; ++i) {
    gemm(context(), S{1}, a.all[i].view(), b.all[i].view(), S{1}, singly[i].view());
    EXPECT_TRUE(same_bits(singly[i].memory(), c.all[i].memory())) << i;
  }
}

}  // namespace
}  // namespace tilewise
