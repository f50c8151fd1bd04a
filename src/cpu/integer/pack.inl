// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Packing lanes into a panel of kWidth words a step, for any instruction set: included by the files that
// compile it for one, inside an unnamed namespace. In vectors of 16 bytes as the compiler understands
// them: packing is bound by memory soon enough.
//
// E says what a word is made of (E::kDepth elements), and makes words of bytes in three ways: one word
// of some bytes, four words of one lane's neighbours, one word each of kWidth neighbouring lanes.

using FourWords [[gnu::vector_size(16)]] = Word;
using EightBytes [[gnu::vector_size(8)]] = std::uint8_t;
using SixteenBytes [[gnu::vector_size(16)]] = std::uint8_t;

template <class V> inline V load_as(const void* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}

/// Two rows of eight lanes, byte by byte.
inline SixteenBytes interleave(const std::uint8_t* from, std::int64_t k_stride) {
  return __builtin_shufflevector(load_as<EightBytes>(from), load_as<EightBytes>(from + k_stride), 0,
                                 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
}

/// Four bytes, with some bits inverted: 0x80 in each makes unsigned bytes of signed ones by adding 128.
template <Word kInvert> struct FourBytes {
  static constexpr int kDepth = 4;

  static Word word(const std::uint8_t (&bytes)[4]) { return load_as<Word>(bytes) ^ kInvert; }

  static FourWords along(const std::uint8_t* from) { return load_as<FourWords>(from) ^ kInvert; }

  template <int kWidth>
  static void across(const std::uint8_t* from, std::int64_t k_stride, Word* to) {
    std::uint8_t bytes[kWidth][4];
    for (int i = 0; i < kWidth; ++i) {
      for (int q = 0; q < 4; ++q) bytes[i][q] = from[q * k_stride + i] ^ (kInvert & 0xFFu);
    }
    __builtin_memcpy(to, bytes, sizeof(bytes));
  }
};

using Bytes = FourBytes<0>;
using ShiftedBytes = FourBytes<0x80808080u>;

/// Two 16-bit integers of the values of signed or unsigned bytes.
template <class Byte> struct Halves {
  static constexpr int kDepth = 2;
  using EightOfThem [[gnu::vector_size(8)]] = Byte;
  using EightHalves [[gnu::vector_size(16)]] = std::int16_t;

  static Word word(const std::uint8_t (&bytes)[2]) {
    const std::int16_t halves[2] = {static_cast<Byte>(bytes[0]), static_cast<Byte>(bytes[1])};
    return load_as<Word>(halves);
  }

  static FourWords along(const std::uint8_t* from) {
    const EightOfThem bytes = load_as<EightOfThem>(from);
    return reinterpret_cast<FourWords>(__builtin_convertvector(bytes, EightHalves));
  }

  template <int kWidth>
  static void across(const std::uint8_t* from, std::int64_t k_stride, Word* to) {
    for (int i = 0; i + 8 <= kWidth; i += 8) {
      std::uint8_t bytes[16];
      const SixteenBytes both = interleave(from + i, k_stride);
      __builtin_memcpy(bytes, &both, sizeof(bytes));
      const FourWords words[2] = {along(bytes), along(bytes + 8)};
      __builtin_memcpy(to + i, words, sizeof(words));
    }
    for (int i = kWidth / 8 * 8; i < kWidth; ++i) to[i] = word({from[i], from[i + k_stride]});
  }
};

/// The word of lane i that begins at element p of k: of `count` elements, and zeros.
template <class E>
inline Word word_at(const Lanes& lanes, std::int64_t i, std::int64_t p, int count = E::kDepth) {
  const std::uint8_t* const from = lanes.first + i * lanes.lane_stride + p * lanes.k_stride;
  std::uint8_t bytes[E::kDepth] = {};
  for (int q = 0; q < count; ++q) bytes[q] = from[q * lanes.k_stride];
  return E::word(bytes);
}

/// Four words of each of four lanes, transposed on the way.
template <class E, int kWidth>
inline void pack_four(const std::uint8_t* from, std::int64_t lane_stride, Word* to) {
  const FourWords a = E::along(from), b = E::along(from + lane_stride);
  const FourWords c = E::along(from + 2 * lane_stride), d = E::along(from + 3 * lane_stride);
  const FourWords ab01 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const FourWords ab23 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const FourWords cd01 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const FourWords cd23 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const FourWords out[4] = {__builtin_shufflevector(ab01, cd01, 0, 1, 4, 5),
                            __builtin_shufflevector(ab01, cd01, 2, 3, 6, 7),
                            __builtin_shufflevector(ab23, cd23, 0, 1, 4, 5),
                            __builtin_shufflevector(ab23, cd23, 2, 3, 6, 7)};
  for (int step = 0; step < 4; ++step) {
    __builtin_memcpy(to + step * kWidth, &out[step], sizeof(FourWords));
  }
}

/// Lanes whose elements are neighbours in memory, for so few steps that their part of the panel stays in
/// the first-level cache.
template <class E, int kWidth>
void pack_along(const Lanes& lanes, std::int64_t begin, std::int64_t end, Word* panel) {
  const std::int64_t fours = lanes.count / 4 * 4, whole = begin + (end - begin) / 4 * 4;
  for (std::int64_t i = 0; i < fours; i += 4) {
    const std::uint8_t* const from = lanes.first + i * lanes.lane_stride;
    for (std::int64_t step = begin; step < whole; step += 4) {
      pack_four<E, kWidth>(from + step * E::kDepth, lanes.lane_stride, panel + step * kWidth + i);
    }
  }
  for (std::int64_t i = 0; i < lanes.count; ++i) {
    for (std::int64_t step = i < fours ? whole : begin; step < end; ++step) {
      panel[step * kWidth + i] = word_at<E>(lanes, i, step * E::kDepth);
    }
  }
}

/// Lanes that are neighbours in memory, kDepth rows of which are interleaved: some steps of some panels,
/// so few that the lines of memory they are read from stay in the first-level cache, wherever they are.
template <class E, int kWidth>
void pack_across(const Lanes& lanes, std::int64_t begin, std::int64_t end, std::int64_t panel_words,
                 Word* panel) {
  for (std::int64_t i = 0; i < lanes.count; i += kWidth, panel += panel_words) {
    for (std::int64_t step = begin; step < end; ++step) {
      const std::int64_t p = step * E::kDepth;
      Word* const to = panel + step * kWidth;
      if (i + kWidth <= lanes.count) {
        E::template across<kWidth>(lanes.first + p * lanes.k_stride + i, lanes.k_stride, to);
      } else {
        for (std::int64_t j = i; j < lanes.count; ++j) to[j - i] = word_at<E>(lanes, j, p);
      }
    }
  }
}

/// The lanes from `begin` on, at most `count` of them.
inline Lanes some_of(const Lanes& lanes, std::int64_t begin, std::int64_t count) {
  Lanes some = lanes;
  some.first += begin * lanes.lane_stride;
  some.count = lanes.count - begin < count ? lanes.count - begin : count;
  return some;
}

/// What the walk over whole words leaves: elements that do not fill a word, and lanes that are not there.
template <class E, int kWidth> void pack_rest(const Lanes& lanes, std::int64_t steps, Word* panel) {
  const int rest = static_cast<int>(lanes.k % E::kDepth);
  for (std::int64_t i = 0; i < lanes.count && rest > 0; ++i) {
    panel[(steps - 1) * kWidth + i] = word_at<E>(lanes, i, lanes.k - rest, rest);
  }
  for (std::int64_t step = 0; step < steps && lanes.count < kWidth; ++step) {
    for (std::int64_t i = lanes.count; i < kWidth; ++i) panel[step * kWidth + i] = 0;
  }
}

/// Packs all lanes into as many panels as they need. Words of lanes beyond the last are zeros, and so are
/// the bytes of elements beyond k, before E codes them: those of B are zeros, so that of A does not matter.
template <class E, int kWidth> void pack(const Lanes& lanes, Word* panels) {
  constexpr std::int64_t kTogether = (64 + kWidth - 1) / kWidth, kSteps = 64, kRows = 4;
  const std::int64_t whole = lanes.k / E::kDepth;
  const std::int64_t steps = (lanes.k + E::kDepth - 1) / E::kDepth;
  for (std::int64_t i = 0; i < lanes.count && lanes.k_stride != 1; i += kTogether * kWidth) {
    const Lanes some = some_of(lanes, i, kTogether * kWidth);
    for (std::int64_t step = 0; step < whole; step += kRows) {
      const std::int64_t end = whole - step < kRows ? whole : step + kRows;
      pack_across<E, kWidth>(some, step, end, steps * kWidth, panels + i * steps);
    }
  }
  for (std::int64_t i = 0; i < lanes.count; i += kWidth) {
    const Lanes some = some_of(lanes, i, kWidth);
    for (std::int64_t step = 0; step < whole && lanes.k_stride == 1; step += kSteps) {
      const std::int64_t end = whole - step < kSteps ? whole : step + kSteps;
      pack_along<E, kWidth>(some, step, end, panels + i * steps);
    }
    pack_rest<E, kWidth>(some, steps, panels + i * steps);
  }
}
