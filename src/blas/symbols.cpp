// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Three ways, in the dynamic linker's own order. The weak references make the linker show a program's
// own handlers to this library when the program is linked with it, and are all there is in a static
// program. The global scope holds the program, what it is linked with, and what was loaded
// RTLD_GLOBAL. A library loaded otherwise, as Python loads its extension modules, sees what it is linked
// with besides: so the error exit of a BLAS that only the caller knows of is found through the caller.
#include "blas/symbols.hpp"

#include <dlfcn.h>

#include <cstring>

extern "C" {
__attribute__((weak)) void xerbla_(const char*, const void*, std::size_t);
__attribute__((weak)) void xerbla_64_(const char*, const void*, std::size_t);
__attribute__((weak)) void cblas_xerbla(int, const char*, const char*, ...);
__attribute__((weak)) void cblas_xerbla_64(long, const char*, const char*, ...);
__attribute__((weak)) void cblas_xerbla64_(long, const char*, const char*, ...);
extern __attribute__((weak)) int RowMajorStrg;
extern __attribute__((weak)) int CBLAS_CallFromC;
}

namespace tilewise::blas {
namespace {

void* linked_symbol(const char* name) noexcept {
  const struct {
    const char* name;
    void* address;
  } known[] = {{"xerbla_", reinterpret_cast<void*>(&xerbla_)},
               {"xerbla_64_", reinterpret_cast<void*>(&xerbla_64_)},
               {"cblas_xerbla", reinterpret_cast<void*>(&cblas_xerbla)},
               {"cblas_xerbla_64", reinterpret_cast<void*>(&cblas_xerbla_64)},
               {"cblas_xerbla64_", reinterpret_cast<void*>(&cblas_xerbla64_)},
               {"RowMajorStrg", &RowMajorStrg},
               {"CBLAS_CallFromC", &CBLAS_CallFromC}};
  for (const auto& each : known) {
    if (std::strcmp(each.name, name) == 0) return each.address;
  }
  return nullptr;
}

void* symbol_of_caller(const char* name, const void* caller) noexcept {
  Dl_info object;
  if (caller == nullptr || dladdr(caller, &object) == 0) return nullptr;
  // The object is loaded (it is calling); this only asks for its handle.
  void* handle = dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* found = dlsym(handle, name);
  dlclose(handle);
  return found;
}

}  // namespace

void* find_symbol(const char* name, const void* caller) noexcept {
  if (void* linked = linked_symbol(name)) return linked;
  if (void* global = dlsym(RTLD_DEFAULT, name)) return global;
  return symbol_of_caller(name, caller);
}

}  // namespace tilewise::blas
