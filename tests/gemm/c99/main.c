// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// tilewise.h as C99 sees it, and one product through it. Says what is wrong and returns 1.
#include <stdio.h>
#include <string.h>

#include "tilewise/tilewise.h"

static int failures = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "failed: %s; last error: %s\n", what, tw_last_error_message());
  ++failures;
}

static void multiplies(void) {
  const float a[6] = {1, 2, 3, 4, 5, 6};     // 2x3
  const float b[6] = {7, 8, 9, 10, 11, 12};  // 3x2
  const float expected[4] = {58, 64, 139, 154};
  float c[4] = {-1, -1, -1, -1};
  tw_context* context = NULL;
  expect(tw_context_create(2, &context) == TW_OK, "tw_context_create");
  expect(tw_gemm_f32(context, TW_ROW_MAJOR, TW_NO_TRANSPOSE, TW_NO_TRANSPOSE, 2, 2, 3, 1.0f, a, 3,
                     b, 2, 0.0f, c, 2) == TW_OK,
         "tw_gemm_f32");
  expect(memcmp(c, expected, sizeof(c)) == 0, "the product");
  tw_context_destroy(context);
}

static void refuses(void) {
  double c[1] = {3};
  const tw_status status = tw_gemm_f64(NULL, TW_ROW_MAJOR, TW_NO_TRANSPOSE, TW_TRANSPOSE, 1, 1, 1,
                                       1.0, NULL, 1, c, 1, 0.0, c, 1);
  expect(status == TW_INVALID_ARGUMENT, "a null matrix");
  expect(strstr(tw_last_error_message(), "a = null") != NULL, "the message");
  expect(c[0] == 3, "C untouched");
  expect(strcmp(tw_status_string(status), "invalid argument") == 0, "tw_status_string");
}

int main(void) {
#if TW_VERSION_NUMBER < 100
#error "the version is a number that the preprocessor can compare"
#endif
  const char* set = NULL;
  expect(tw_version() == TW_VERSION_NUMBER, "tw_version");
  expect(tw_cpu_instruction_set(&set) == TW_OK && set != NULL, "tw_cpu_instruction_set");
  multiplies();
  refuses();
  return failures != 0;
}
