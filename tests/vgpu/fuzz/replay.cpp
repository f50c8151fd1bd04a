// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A fuzzer for compilers without libFuzzer, and for the tests: loads every file of the corpus, then texts
// made of them by damage that real PTX suffers: cut, lines lost, repeated and mixed up, words exchanged
// with those of other lines, numbers at their limits, bytes changed. The same seed makes the same texts.
//   ptx_replay RUNS SEED FILE_OR_FOLDER...
// With RUNS = 0 the files are loaded as they are: what libFuzzer left behind, say.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/front_end.hpp"

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> read_corpus(int count, char** names) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) {
    if (!fs::is_directory(names[i])) {
      texts.push_back(read(names[i]));
      continue;
    }
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(names[i])) {
      if (entry.path().extension() == ".ptx") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());  // the same texts on every machine
    for (const fs::path& file : files) texts.push_back(read(file));
  }
  return texts;
}

class Damage {
 public:
  explicit Damage(std::uint64_t seed) : random_(seed) {}

  std::string apply(const std::string& text, const std::string& other) {
    std::string result = text;
    for (std::size_t left = 1 + below(4); left > 0; --left) once(result, other);
    return result;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void once(std::string& text, const std::string& other) {
    switch (below(8)) {
      case 0: text.resize(below(text.size() + 1)); break;
      case 1: erase(text, line_of(text)); break;
      case 2: text.insert(line_of(text).first, of(text, line_of(text))); break;
      case 3: text.insert(line_of(text).first, of(other, line_of(other))); break;
      case 4: replace(text, word_of(text), of(other, word_of(other))); break;
      case 5: replace(text, word_of(text), of(text, word_of(text))); break;
      case 6: replace(text, word_of(text), std::string(kNumbers[below(kNumbers.size())])); break;
      default:
        if (!text.empty()) text[below(text.size())] = static_cast<char>(below(256));
    }
  }

  using Range = std::pair<std::size_t, std::size_t>;  // where it begins, its length
  static std::string of(const std::string& text, Range r) { return text.substr(r.first, r.second); }
  static void erase(std::string& text, Range r) { text.erase(r.first, r.second); }
  static void replace(std::string& text, Range r, const std::string& by) {
    text.replace(r.first, r.second, by);
  }

  Range line_of(const std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    return {begin, end > begin ? end - begin : 0};
  }

  // Letters and digits, or one other character.
  Range word_of(const std::string& text) {
    if (text.empty()) return {0, 0};
    std::size_t begin = below(text.size()), end = begin + 1;
    const auto is_word = [&](std::size_t i) {
      return std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_';
    };
    if (!is_word(begin)) return {begin, 1};
    while (begin > 0 && is_word(begin - 1)) --begin;
    while (end < text.size() && is_word(end)) ++end;
    return {begin, end - begin};
  }

  static constexpr std::array<std::string_view, 14> kNumbers{"0",
                                                             "1",
                                                             "-1",
                                                             "7",
                                                             "31",
                                                             "32",
                                                             "65536",
                                                             "2147483647",
                                                             "4294967295",
                                                             "4294967296",
                                                             "0x7fffffffffffffff",
                                                             "18446744073709551615",
                                                             "99999999999999999999999",
                                                             "0f7fc00000"};

  std::mt19937_64 random_;
};

void load(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    std::fprintf(stderr, "usage: %s RUNS SEED FILE_OR_FOLDER...\n", words[0]);
    return 2;
  }
  const std::uint64_t runs = std::strtoull(words[1], nullptr, 10);
  const std::uint64_t seed = std::strtoull(words[2], nullptr, 10);
  const std::vector<std::string> corpus = read_corpus(count - 3, words + 3);
  if (corpus.empty()) {
    std::fprintf(stderr, "no .ptx file in %s\n", words[3]);
    return 2;
  }
  for (const std::string& text : corpus) load(text);
  std::mt19937_64 choice(seed);
  for (std::uint64_t run = 0; run < runs; ++run) {
    const std::string& text = corpus[choice() % corpus.size()];
    const std::string& other = corpus[choice() % corpus.size()];
    const std::string damaged = Damage(choice()).apply(text, other);
    if (const char* const path = std::getenv("TILEWISE_FUZZ_LAST")) {
      std::ofstream(path, std::ios::binary) << damaged;  // what a crash was about
    }
    load(damaged);
  }
  std::printf("%zu files and %llu texts made of them were loaded or refused\n", corpus.size(),
              static_cast<unsigned long long>(runs));
}
