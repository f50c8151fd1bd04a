// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads a kernel for each line of standard input, an instruction, and says what comes of it: "taken", or
// the message. What the kernel declares stands in a file.
//   ptx_lines HEAD.ptx <LINES
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "tilewise/error.hpp"
#include "vgpu/vgpu.hpp"

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s HEAD.ptx <LINES\n", words[0]);
    return 2;
  }
  std::ifstream file(words[1]);
  const std::string head{std::istreambuf_iterator<char>(file), {}};
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const tilewise::vgpu::Module module(head + line + ";\nret;\n}\n", "line.ptx");
      std::puts("taken");
    } catch (const tilewise::Error& error) {
      std::printf("refused: %s\n", error.what());
    }
  }
}
