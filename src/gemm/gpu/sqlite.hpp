// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The part of SQLite's interface that tuned plans are kept with, bound at run time: programs that have no such
// plans need no SQLite, neither to build nor to run. SQLite keeps its interface compatible for all of version 3
// (https://www.sqlite.org/lts.html); tests/gemm/gpu/sqlite_test.cpp compares what stands here with sqlite3.h.
#pragma once

#include <cstdint>
#include <string>

namespace tilewise::gpu::sqlite {

using Handle = struct sqlite3;
using StatementHandle = struct sqlite3_stmt;
using Free = void (*)(void*);

// X(member, symbol, result, parameters)
#define TILEWISE_SQLITE_FUNCTIONS(X)                                                               \
  X(open, "sqlite3_open_v2", int, (const char* path, Handle** handle, int flags, const char* vfs)) \
  X(close, "sqlite3_close", int, (Handle * handle))                                                \
  X(message, "sqlite3_errmsg", const char*, (Handle * handle))                                     \
  X(busy_timeout, "sqlite3_busy_timeout", int, (Handle * handle, int milliseconds))                \
  X(changes, "sqlite3_changes", int, (Handle * handle))                                            \
  X(prepare, "sqlite3_prepare_v2", int,                                                            \
    (Handle * handle, const char* sql, int bytes, StatementHandle** statement, const char** rest)) \
  X(step, "sqlite3_step", int, (StatementHandle * statement))                                      \
  X(finalize, "sqlite3_finalize", int, (StatementHandle * statement))                              \
  X(bind_integer, "sqlite3_bind_int64", int,                                                       \
    (StatementHandle * statement, int index, long long value))                                     \
  X(bind_real, "sqlite3_bind_double", int, (StatementHandle * statement, int index, double value)) \
  X(bind_text, "sqlite3_bind_text", int,                                                           \
    (StatementHandle * statement, int index, const char* text, int bytes, Free free))              \
  X(integer, "sqlite3_column_int64", long long, (StatementHandle * statement, int column))         \
  X(real, "sqlite3_column_double", double, (StatementHandle * statement, int column))              \
  X(text, "sqlite3_column_text", const unsigned char*, (StatementHandle * statement, int column))

/// The bound functions.
struct Api {
#define TILEWISE_DECLARE(member, symbol, result, parameters) result(*member) parameters = nullptr;
  TILEWISE_SQLITE_FUNCTIONS(TILEWISE_DECLARE)
#undef TILEWISE_DECLARE
};

// Result codes and flags of sqlite3_open_v2().
inline constexpr int kOk = 0, kRow = 100, kDone = 101;
inline constexpr int kOpenReadOnly = 1, kOpenReadWrite = 2, kOpenCreate = 4;

/// libsqlite3.so.0, opened at the first call. Throws Error{kUnsupported} where there is none.
const Api& api();

/// One open file. Everything throws Error{kInvalidInput} with SQLite's words.
class Database {
 public:
  /// Waits up to `busy_milliseconds` for other programs' locks in every call.
  Database(const std::string& path, int flags, int busy_milliseconds);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// A statement without results.
  void run(const std::string& sql);
  /// The whole number that `sql` answers first; 0 where it answers nothing.
  std::int64_t number(const std::string& sql);
  /// Rows that the last statement changed.
  std::int64_t changes() const;

  Handle* handle() const { return handle_; }
  [[noreturn]] void fail() const;

 private:
  Handle* handle_ = nullptr;
};

/// A prepared statement. Parameters count from 1, columns from 0.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(std::int64_t value);  ///< to the next parameter
  Statement& bind(double value);
  Statement& bind(const std::string& value);  ///< copied

  /// Whether there is a row.
  bool step();
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;  ///< empty for NULL

 private:
  void check(int code) const;

  Database& database_;
  StatementHandle* handle_ = nullptr;
  int bound_ = 0;
};

/// Everything until commit(), or nothing.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace tilewise::gpu::sqlite
