// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Every exported name with every wrong argument: which error exit is called, with which name and number,
// and that C stays as it was. One program for each set of error exits that a host may have, by HANDLERS:
//   1  all that BLAS libraries have, and the variables of the reference CBLAS
//   2  xerbla_ and cblas_xerbla only: those of names with other integers or prefixes are not there
//   3  xerbla_ only, as in a Fortran program
//   4  cblas_xerbla only, without the variables
//   5  none: the standard's message on stderr, and the program ends
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "names.h"

// What the last call of an error exit was.
static struct {
  int count;
  const char* handler;
  char name[64];
  size_t length;
  long number;
  char words[64];
  int from_c, row_major;
} seen;

#if HANDLERS <= 2
int CBLAS_CallFromC, RowMajorStrg;
#elif HANDLERS <= 4
static int CBLAS_CallFromC, RowMajorStrg;
#endif

#if HANDLERS <= 3
static void record(const char* handler, const char* name, size_t length, long number) {
  ++seen.count;
  seen.handler = handler;
  seen.length = length;
  snprintf(seen.name, sizeof seen.name, "%.*s", (int)length, name);
  seen.number = number;
  seen.words[0] = '\0';
  seen.from_c = CBLAS_CallFromC;
  seen.row_major = RowMajorStrg;
}
#define FORTRAN_EXIT(exit, Int)                                   \
  void exit(const char* name, const Int* number, size_t length);  \
  void exit(const char* name, const Int* number, size_t length) { \
    record(#exit, name, length, *number);                         \
  }
FORTRAN_EXIT(xerbla_, int32_t)
#if HANDLERS == 1
FORTRAN_EXIT(xerbla_64_, int64_t)
FORTRAN_EXIT(scipy_xerbla_, int32_t)
FORTRAN_EXIT(scipy_xerbla_64_, int64_t)
#endif
#endif

#if HANDLERS <= 2 || HANDLERS == 4
static void record_c(const char* handler, const char* name, long number, const char* format,
                     va_list values) {
  ++seen.count;
  seen.handler = handler;
  seen.length = 0;
  snprintf(seen.name, sizeof seen.name, "%s", name);
  seen.number = number;
  vsnprintf(seen.words, sizeof seen.words, format, values);
  seen.from_c = CBLAS_CallFromC;
  seen.row_major = RowMajorStrg;
}
#define C_EXIT(exit, Int)                                            \
  void exit(Int number, const char* name, const char* format, ...);  \
  void exit(Int number, const char* name, const char* format, ...) { \
    va_list values;                                                  \
    va_start(values, format);                                        \
    record_c(#exit, name, number, format, values);                   \
    va_end(values);                                                  \
  }
C_EXIT(cblas_xerbla, int)
#if HANDLERS == 1
C_EXIT(cblas_xerbla_64, int64_t)
C_EXIT(cblas_xerbla64_, int64_t)
C_EXIT(scipy_cblas_xerbla, int)
C_EXIT(scipy_cblas_xerbla64_, int64_t)
#endif
#endif

// A call's settings; of C forms, layout and transposes as numbers. Fortran forms ignore the layout.
struct Arguments {
  int layout, trans_a, trans_b;
  int m, n, k, lda, ldb, ldc, count;
};
enum { kRows = 101, kColumns = 102, kN = 111, kT = 112, kC = 113 };

// A wrong call and the number of the argument to blame: in the Fortran form (and its batch), and in the C
// form (and its batch). 0: the form has no such argument, or it is right.
struct Case {
  const char* what;
  struct Arguments arguments;
  int fortran, fortran_batch, c, c_batch;
};

static const struct Case kCases[] = {
    // Layout, transposes: only these are looked at, whatever else is wrong.
    {"layout 0", {0, kN, kN, 3, 4, 5, 3, 5, 3, 2}, 0, 0, 1, 1},
    {"layout 103", {103, 0, 0, -1, -1, -1, 0, 0, 0, -1}, 0, 0, 1, 1},
    {"TransA", {kColumns, 0, kN, 3, 4, 5, 3, 5, 3, 2}, 1, 1, 2, 2},
    {"TransA, rows", {kRows, 110, kN, 3, 4, 5, 5, 4, 4, 2}, 0, 0, 2, 2},
    {"TransA before all", {kColumns, 114, 114, -3, -4, -5, 0, 0, 0, -2}, 1, 1, 2, 2},
    {"TransB", {kColumns, kT, 7, 3, 4, 5, 5, 5, 3, 2}, 2, 2, 3, 3},
    {"TransB, rows", {kRows, kC, 'T', 3, 4, 5, 3, 4, 4, 2}, 0, 0, 3, 3},
    // Sizes, in the standard's order.
    {"m", {kColumns, kN, kN, -1, 4, 5, 3, 5, 3, 2}, 3, 3, 4, 4},
    {"m before n", {kColumns, kN, kN, -1, -4, -5, 0, 0, 0, -2}, 3, 3, 4, 4},
    {"n", {kColumns, kN, kN, 3, -1, 5, 3, 5, 3, 2}, 4, 4, 5, 5},
    {"n before k", {kColumns, kT, kT, 3, -1, -5, 0, 0, 0, -2}, 4, 4, 5, 5},
    {"k", {kColumns, kN, kN, 3, 4, -1, 3, 5, 3, 2}, 5, 5, 6, 6},
    {"k before lda", {kColumns, kN, kN, 0, 0, -1, 0, 0, 0, -2}, 5, 5, 6, 6},
    {"lda", {kColumns, kN, kN, 3, 4, 5, 2, 5, 3, 2}, 8, 8, 9, 9},
    {"lda of A'", {kColumns, kT, kN, 3, 4, 5, 4, 5, 3, 2}, 8, 8, 9, 9},
    {"lda of A^H", {kColumns, kC, kN, 3, 4, 5, 4, 5, 3, 2}, 8, 8, 9, 9},
    {"lda 0 of nothing", {kColumns, kN, kN, 0, 0, 0, 0, 1, 1, 2}, 8, 8, 9, 9},
    {"lda before ldb", {kColumns, kN, kN, 3, 4, 5, 2, 0, 0, -2}, 8, 8, 9, 9},
    {"ldb", {kColumns, kN, kN, 3, 4, 5, 3, 4, 3, 2}, 10, 11, 11, 12},
    {"ldb of B'", {kColumns, kN, kT, 3, 4, 5, 3, 3, 3, 2}, 10, 11, 11, 12},
    {"ldb 0 of nothing", {kColumns, kN, kN, 0, 0, 0, 1, 0, 1, 2}, 10, 11, 11, 12},
    {"ldb before ldc", {kColumns, kN, kC, 3, 4, 5, 3, 3, 0, -2}, 10, 11, 11, 12},
    {"ldc", {kColumns, kN, kN, 3, 4, 5, 3, 5, 2, 2}, 13, 15, 14, 16},
    {"ldc 0 of nothing", {kColumns, kN, kN, 0, 0, 0, 1, 1, 0, 2}, 13, 15, 14, 16},
    {"ldc before count", {kColumns, kN, kN, 3, 4, 5, 3, 5, 2, -2}, 13, 15, 14, 16},
    {"count", {kColumns, kN, kN, 3, 4, 5, 3, 5, 3, -1}, 0, 17, 0, 18},
    // Rows: the standard looks at the sizes of the product of the transposes, n before m and B before A.
    {"m, rows", {kRows, kN, kN, -1, 4, 5, 5, 4, 4, 2}, 0, 0, 4, 4},
    {"n before m, rows", {kRows, kN, kN, -1, -1, 5, 5, 4, 4, 2}, 0, 0, 5, 5},
    {"k, rows", {kRows, kN, kN, 3, 4, -1, 5, 4, 4, 2}, 0, 0, 6, 6},
    {"lda, rows", {kRows, kN, kN, 3, 4, 5, 4, 4, 4, 2}, 0, 0, 9, 9},
    {"lda of A', rows", {kRows, kT, kN, 3, 4, 5, 2, 4, 4, 2}, 0, 0, 9, 9},
    {"ldb, rows", {kRows, kN, kN, 3, 4, 5, 5, 3, 4, 2}, 0, 0, 11, 12},
    {"ldb before lda, rows", {kRows, kN, kT, 3, 4, 5, 0, 4, 0, 2}, 0, 0, 11, 12},
    {"ldc, rows", {kRows, kN, kN, 3, 4, 5, 5, 4, 3, 2}, 0, 0, 14, 16},
    {"count, rows", {kRows, kN, kN, 3, 4, 5, 5, 4, 4, -1}, 0, 0, 0, 18},
};

// One exported name, to be called with `arguments`.
struct Name {
  const char* name;
  char precision;
  int is_c, is_batch;
  const char *fortran_exit, *c_exit;
  void (*call)(const struct Arguments*);
};

// C is large enough for every case, A and B are not there: nothing may look at them.
static double c_[64], c_before[64];

static char letter_of(int trans) {
  return trans == kN ? 'N' : trans == kT ? 't' : trans == kC ? 'C' : '/';
}

#define CALL_FORTRAN(T, Int, p, name, exit)                                                 \
  static void call_##name(const struct Arguments* x) {                                      \
    const char trans_a = letter_of(x->trans_a), trans_b = letter_of(x->trans_b);            \
    const Int m = x->m, n = x->n, k = x->k, lda = x->lda, ldb = x->ldb, ldc = x->ldc;       \
    const T one = 1;                                                                        \
    name(&trans_a, &trans_b, &m, &n, &k, &one, NULL, &lda, NULL, &ldb, &one, (T*)c_, &ldc); \
  }
#define CALL_FORTRAN_BATCH(T, Int, p, name, exit)                                                  \
  static void call_##name(const struct Arguments* x) {                                             \
    const char trans_a = letter_of(x->trans_a), trans_b = letter_of(x->trans_b);                   \
    const Int m = x->m, n = x->n, k = x->k, lda = x->lda, ldb = x->ldb, ldc = x->ldc, stride = 20, \
              count = x->count;                                                                    \
    const T one = 1;                                                                               \
    name(&trans_a, &trans_b, &m, &n, &k, &one, NULL, &lda, &stride, NULL, &ldb, &stride, &one,     \
         (T*)c_, &ldc, &stride, &count);                                                           \
  }
#define CALL_C(T, Int, p, name, exit, c_exit)                                                   \
  static void call_##name(const struct Arguments* x) {                                          \
    name(x->layout, x->trans_a, x->trans_b, x->m, x->n, x->k, 1, NULL, x->lda, NULL, x->ldb, 1, \
         (T*)c_, x->ldc);                                                                       \
  }
#define CALL_C_BATCH(T, Int, p, name, exit, c_exit)                                              \
  static void call_##name(const struct Arguments* x) {                                           \
    name(x->layout, x->trans_a, x->trans_b, x->m, x->n, x->k, 1, NULL, x->lda, 20, NULL, x->ldb, \
         20, 1, (T*)c_, x->ldc, 20, x->count);                                                   \
  }
FORTRAN_NAMES(CALL_FORTRAN)
FORTRAN_BATCH_NAMES(CALL_FORTRAN_BATCH)
C_NAMES(CALL_C)
C_BATCH_NAMES(CALL_C_BATCH)

#define ROW_FORTRAN(T, Int, p, name, exit) {#name, #p[0], 0, 0, exit, NULL, call_##name},
#define ROW_FORTRAN_BATCH(T, Int, p, name, exit) {#name, #p[0], 0, 1, exit, NULL, call_##name},
#define ROW_C(T, Int, p, name, exit, c_exit) {#name, #p[0], 1, 0, exit, c_exit, call_##name},
#define ROW_C_BATCH(T, Int, p, name, exit, c_exit) {#name, #p[0], 1, 1, exit, c_exit, call_##name},
static const struct Name kNames[] = {FORTRAN_NAMES(ROW_FORTRAN) FORTRAN_BATCH_NAMES(
    ROW_FORTRAN_BATCH) C_NAMES(ROW_C) C_BATCH_NAMES(ROW_C_BATCH)};

static int failures;

static void expect(int right, const struct Name* name, const struct Case* each, const char* what) {
  if (right) return;
  if (++failures > 20) exit(1);
  printf("%s, wrong %s: %s; %d calls, the last of %s(\"%s\", %ld) \"%s\"\n", name->name, each->what,
         what, seen.count, seen.handler ? seen.handler : "nothing", seen.name, seen.number,
         seen.words);
}

static int blamed(const struct Name* name, const struct Case* each) {
  if (name->is_c) return name->is_batch ? each->c_batch : each->c;
  return name->is_batch ? each->fortran_batch : each->fortran;
}

// As the standard spells the routine to xerbla_ and to cblas_xerbla.
static const char* fortran_spelling(const struct Name* name) {
  if (name->precision == 's') return name->is_batch ? "SGEMM_BATCH_STRIDED" : "SGEMM ";
  return name->is_batch ? "DGEMM_BATCH_STRIDED" : "DGEMM ";
}
static const char* c_spelling(const struct Name* name) {
  if (name->precision == 's') return name->is_batch ? "cblas_sgemm_batch_strided" : "cblas_sgemm";
  return name->is_batch ? "cblas_dgemm_batch_strided" : "cblas_dgemm";
}

#if HANDLERS <= 4
// The number by which the Fortran form of a row-major SGEMM knows the argument `number` of the C form.
static int swapped(int number) {
  switch (number) {
    case 4: return 4;
    case 5: return 3;
    case 9: return 10;
    case 11: return 8;
    default: return number - 1;
  }
}

static void check(const struct Name* name, const struct Case* each) {
  const int number = blamed(name, each);
  const int is_setting = name->is_c && number <= 3;
  const int by_rows = each->arguments.layout == kRows;
  const int c_exit =
      HANDLERS == 4 || (HANDLERS <= 2 && name->is_c && (is_setting || name->is_batch));
  const char* handler = c_exit ? (HANDLERS == 1 ? name->c_exit : "cblas_xerbla")
                               : (HANDLERS == 1 ? name->fortran_exit : "xerbla_");
  int expected = number;
  if (name->is_c && !c_exit)
    expected = by_rows && !name->is_batch && !is_setting ? swapped(number) : number - 1;
  expect(seen.count == 1, name, each, "not one error exit");
  if (seen.count != 1) return;
  expect(strcmp(seen.handler, handler) == 0, name, each, handler);
  expect(strcmp(seen.name, c_exit ? c_spelling(name) : fortran_spelling(name)) == 0, name, each,
         "spelling");
  expect(c_exit || seen.length == strlen(fortran_spelling(name)), name, each,
         "length of the spelling");
  expect(seen.number == expected, name, each, "number");
  if (c_exit && is_setting) {
    char words[64];
    const int value = number == 1   ? each->arguments.layout
                      : number == 2 ? each->arguments.trans_a
                                    : each->arguments.trans_b;
    const char* setting[] = {"layout", "TransA", "TransB"};
    snprintf(words, sizeof words, "Illegal %s setting, %d\n", setting[number - 1], value);
    expect(strcmp(seen.words, words) == 0, name, each, words);
  } else {
    expect(seen.words[0] == '\0', name, each, "words");
  }
#if HANDLERS <= 2
  expect(seen.from_c == name->is_c, name, each, "CBLAS_CallFromC");
  expect(seen.row_major == (name->is_c && !name->is_batch && by_rows), name, each, "RowMajorStrg");
  expect(CBLAS_CallFromC == 0 && RowMajorStrg == 0, name, each, "the variables afterwards");
#endif
}

static void call_and_check(const struct Name* name, const struct Case* each) {
  memset(&seen, 0, sizeof seen);
#if HANDLERS == 4
  if (!name->is_c) return;  // has no error exit here, and would end this program
#endif
  name->call(&each->arguments);
  check(name, each);
}
#else
// In a child: what it says and how it ends.
static void call_and_check(const struct Name* name, const struct Case* each) {
  int ends[2];
  if (pipe(ends) != 0) exit(2);
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    name->call(&each->arguments);
    _exit(0);
  }
  close(ends[1]);
  char said[256] = "", expected[256];
  size_t length = 0;
  for (ssize_t count; (count = read(ends[0], said + length, sizeof said - 1 - length)) > 0;) {
    length += (size_t)count;
  }
  said[length] = '\0';
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  const int number = blamed(name, each);
  if (name->is_c) {
    snprintf(expected, sizeof expected, "Parameter %d to routine %s was incorrect\n", number,
             c_spelling(name));
  } else {
    snprintf(expected, sizeof expected,
             " ** On entry to %s parameter number %2d had an illegal value\n",
             fortran_spelling(name), number);
  }
  snprintf(seen.words, sizeof seen.words, "%.60s", said);
  expect(strncmp(said, expected, strlen(expected)) == 0, name, each, expected);
  expect(WIFEXITED(status) && WEXITSTATUS(status) == 255, name, each, "exit status 255");
}
#endif

int main(void) {
  for (size_t i = 0; i < sizeof c_ / sizeof c_[0]; ++i) c_[i] = 1.0 / (double)(i + 3);
  memcpy(c_before, c_, sizeof c_);
  int calls = 0;
  for (size_t i = 0; i < sizeof kNames / sizeof kNames[0]; ++i) {
    for (size_t j = 0; j < sizeof kCases / sizeof kCases[0]; ++j) {
      if (blamed(&kNames[i], &kCases[j]) == 0) continue;
      call_and_check(&kNames[i], &kCases[j]);
      expect(memcmp(c_, c_before, sizeof c_) == 0, &kNames[i], &kCases[j], "C changed");
      ++calls;
    }
  }
  printf("%zu names, %d wrong calls, %d failures\n", sizeof kNames / sizeof kNames[0], calls,
         failures);
  return failures != 0;
}
