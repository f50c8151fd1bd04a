// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// What host and device share about sums of few outer products (outer.cuh).
#pragma once

namespace tilewise::kernels {

inline constexpr int kOuterWarps = 8, kOuterThreads = kOuterWarps * 32;
/// Of C, that a warp computes at a time; the warps of a block have neighbouring rows.
inline constexpr int kOuterRows = 16, kOuterColumns = 64;
/// k of A and B that a block holds: by FMAs, and of 16 bits, which tensor cores multiply.
inline constexpr int kOuterMostK = 32, kOuterMostKOfHalves = 64;
/// Of 16 bits a block has up to so many times these columns, and its warps go along a row with the same rows of A.
inline constexpr int kOuterMostPasses = 2, kOuterMostColumns = kOuterMostPasses * kOuterColumns;

/// Bytes of memory that are stored together, or take a half longer.
inline constexpr int kOuterSector = 32;
/// Of the columns of a pass those that it stores. `alignment`: a power of two, of bytes of which C's rows begin at multiples. Of
/// products of 16 bits, where that is less than a sector, it stores from a whole one to a whole one, but at the ends of a row: a
/// sector that two blocks store a part of each costs more than its columns do, which tensor cores compute next to nothing for.
/// Whole eights, as B is read by so many columns.
constexpr int outer_columns_stored(int alignment, int operand_bytes, int result_bytes) {
  constexpr int kPiece = 16, kEight = 8;
  if (operand_bytes > 2 || alignment >= kOuterSector) return kOuterColumns;
  const int most = (alignment >= kPiece ? kPiece : kOuterSector) / result_bytes;  // in front of one
  return kOuterColumns - (most > kEight ? most : kEight);
}

/// What of C a warp stages: from one row to the next, in bytes. A sector more than it is long: so that rows are in banks of their
/// own, and of 16 bits begin as far behind 16 bytes as in C.
constexpr int outer_staged_pitch(int result_bytes) { return kOuterColumns * result_bytes + 32; }
constexpr int outer_staged_bytes(int result_bytes) {
  return kOuterRows * outer_staged_pitch(result_bytes);
}

/// Shared memory by what multiplies. By FMAs: element (line, k) of A or B is at k·pitch + line.
template <class T> struct OuterLines {
  static constexpr int kPitchA = kOuterRows + 4, kPitchB = kOuterColumns + 16 / int{sizeof(T)};
  static constexpr int kShareOfA = kOuterMostK * kPitchA,
                       kShareOfB = kOuterMostK * kPitchB;  // elements
  static constexpr int kBytes = (kOuterWarps * kShareOfA + kShareOfB) * int{sizeof(T)};
};

/// By mma.sync, 16 bits: rows as they lie in memory, where neighbours are k or lines. Eight more than there are keep rows that
/// ldmatrix reads together in banks of their own.
struct OuterHalves {
  static constexpr int kMostK = kOuterMostKOfHalves;
  static constexpr int kPitchOfK = kMostK + 8, kPitchOfRows = kOuterRows + 8,
                       kPitchOfColumns = kOuterMostColumns + 8;  // elements
  static constexpr int kAlongK = kOuterRows * kPitchOfK, kAcrossK = kMostK * kPitchOfRows;
  static constexpr int kShareOfA = kAlongK > kAcrossK ? kAlongK : kAcrossK,
                       kShareOfB = kOuterMostColumns * kPitchOfK;
  static_assert(kMostK * kPitchOfColumns <= kShareOfB);
  static constexpr int kFactorBytes = (kOuterWarps * kShareOfA + kShareOfB) * 2;
  static constexpr int bytes(int result_bytes) {
    return kFactorBytes + kOuterWarps * outer_staged_bytes(result_bytes);
  }
};

}  // namespace tilewise::kernels
