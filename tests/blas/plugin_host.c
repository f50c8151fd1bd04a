// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// An error exit that only the calling library can see is found all the same. Its argument: the plugin.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "names.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const int32_t none = 0, one = 1;
  const float alpha = 1;
  // A product of nothing, so that this program needs the door and the plugin finds it.
  sgemm_("N", "N", &none, &none, &none, &alpha, NULL, &one, NULL, &one, &alpha, NULL, &one);
  void* plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (plugin == NULL) return fprintf(stderr, "%s\n", dlerror()), 2;
  int (*provoke)(void);
  void* address = dlsym(plugin, "provoke");
  memcpy(&provoke, &address, sizeof provoke);
  const int number = provoke();
  printf("the plugin was told of argument %d\n", number);
  return number == 5 ? 0 : 1;
}
