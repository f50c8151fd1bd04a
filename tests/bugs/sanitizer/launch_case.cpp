// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one planted bug, or its twin, on a real GPU: what sweep.sh puts compute-sanitizer around. Needs
// a C++ compiler and the driver, which it opens at run time:
//   g++ -std=c++20 -O1 -I.. launch_case.cpp ../cases.cpp -o launch_case -ldl
//   launch_case FOLDER_OF_CUBINS NAME bug|fixed [SECONDS]     or: launch_case --list
// Prints "right", "wrong" (the result), "hang" (after SECONDS), or the driver's error. Exit 0 unless the
// launch could not be made.
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cases.hpp"

namespace {

using namespace tilewise::bugs;
using Address = unsigned long long;

template <class F> F* symbol(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  void* const found = library ? dlsym(library, name) : nullptr;
  if (!found) {
    std::fprintf(stderr, "%s: not in libcuda.so.1, or there is none\n", name);
    std::exit(1);
  }
  return reinterpret_cast<F*>(found);
}

// Prints the driver's word for what went wrong and ends the program.
void check(int status, const char* what) {
  if (status == 0) return;
  const char* words = nullptr;
  symbol<int(int, const char**)>("cuGetErrorString")(status, &words);
  std::printf("error: %s: %s\n", what, words ? words : std::to_string(status).c_str());
  std::fflush(stdout);
  std::_Exit(0);
}

#define CALL(name, types, ...) check(symbol<int types>(#name)(__VA_ARGS__), #name)

extern "C" void say_hang(int) {
  constexpr char kWord[] = "hang\n";
  (void)!write(STDOUT_FILENO, kWord, sizeof kWord - 1);
  _exit(0);
}

void make_context() {
  int device = 0;
  void* context = nullptr;
  CALL(cuInit, (unsigned), 0);
  CALL(cuDeviceGet, (int*, int), &device, 0);
  CALL(cuDevicePrimaryCtxRetain, (void**, int), &context, device);
  CALL(cuCtxSetCurrent, (void*), context);
}

// The kernel of the cubin whose mangled name says name<false> or name<true>.
void* load_kernel(const std::string& path, bool fixed) {
  std::ifstream file(path, std::ios::binary);
  const std::string image{std::istreambuf_iterator<char>(file), {}};
  void* module = nullptr;
  CALL(cuModuleLoadData, (void**, const void*), &module, image.data());
  unsigned count = 0;
  CALL(cuModuleGetFunctionCount, (unsigned*, void*), &count, module);
  std::vector<void*> functions(count);
  CALL(cuModuleEnumerateFunctions, (void**, unsigned, void*), functions.data(), count, module);
  for (void* function : functions) {
    const char* name = nullptr;
    CALL(cuFuncGetName, (const char**, void*), &name, function);
    if (std::strstr(name, fixed ? "ILb1E" : "ILb0E")) return function;
  }
  std::fprintf(stderr, "%s: no such kernel\n", path.c_str());
  std::exit(1);
}

struct alignas(64) Value {
  std::array<unsigned char, 128> bytes{};
};

Value tensor_map(Address address, std::size_t words) {
  Value map;
  const unsigned long long rows = words / kTensorColumns;
  const unsigned long long sizes[] = {kTensorColumns, rows}, strides[] = {4 * kTensorColumns};
  const unsigned box[] = {kTensorColumns, static_cast<unsigned>(rows)}, steps[] = {1, 1};
  constexpr int kInt32 = 3, kSwizzle128B = 3;
  CALL(cuTensorMapEncodeTiled,
       (void*, int, unsigned, void*, const unsigned long long*, const unsigned long long*,
        const unsigned*, const unsigned*, int, int, int, int),
       &map, kInt32, 2, reinterpret_cast<void*>(address), sizes, strides, box, steps, 0,
       kSwizzle128B, 0, 0);
  return map;
}

struct Arguments {
  std::vector<Value> values;
  Address result = 0;
  std::size_t result_words = 0;
};

Arguments make_arguments(const Case& bug) {
  Arguments all;
  for (const Argument& argument : bug.arguments) {
    Value& value = all.values.emplace_back();
    if (argument.kind == Argument::kNumber) {
      std::memcpy(value.bytes.data(), &argument.value, sizeof argument.value);
      continue;
    }
    const std::vector<std::uint32_t> words = initial_words(argument);
    Address address = 0;
    CALL(cuMemAlloc_v2, (Address*, std::size_t), &address, 4 * words.size());
    if (argument.kind != Argument::kUnwritten) {
      CALL(cuMemcpyHtoD_v2, (Address, const void*, std::size_t), address, words.data(),
           4 * words.size());
    }
    std::memcpy(value.bytes.data(), &address, sizeof address);
    if (argument.kind == Argument::kTensorMap) value = tensor_map(address, words.size());
    if (argument.kind == Argument::kOut || argument.kind == Argument::kSum) {
      all.result = address;
      all.result_words = words.size();
    }
  }
  return all;
}

std::vector<std::uint32_t> run(const Case& bug, void* kernel, Arguments& arguments) {
  std::vector<void*> pointers;
  for (Value& value : arguments.values) pointers.push_back(value.bytes.data());
  CALL(cuLaunchKernel,
       (void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
        void**),
       kernel, bug.grid, 1, 1, bug.block, 1, 1, 0, nullptr, pointers.data(), nullptr);
  CALL(cuCtxSynchronize, ());
  std::vector<std::uint32_t> words(arguments.result_words);
  CALL(cuMemcpyDtoH_v2, (void*, Address, std::size_t), words.data(), arguments.result,
       4 * words.size());
  return words;
}

const Case* find_case(const std::string& name) {
  for (const Case& c : cases()) {
    if (name == c.name) return &c;
  }
  return nullptr;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "--list") == 0) {
    for (const Case& c : cases()) std::puts(c.name);
    return 0;
  }
  const Case* const bug = count >= 4 ? find_case(words[2]) : nullptr;
  if (!bug) {
    std::fprintf(stderr, "usage: %s FOLDER_OF_CUBINS NAME bug|fixed [SECONDS] | --list\n",
                 words[0]);
    return 2;
  }
  make_context();
  void* const kernel = load_kernel(std::string(words[1]) + "/" + bug->name + ".cubin",
                                   std::strcmp(words[3], "fixed") == 0);
  Arguments arguments = make_arguments(*bug);
  std::signal(SIGALRM, say_hang);
  alarm(count > 4 ? static_cast<unsigned>(std::atoi(words[4])) : 10);
  const bool is_right = run(*bug, kernel, arguments) == bug->expected();
  std::puts(is_right ? "right" : "wrong");
}
