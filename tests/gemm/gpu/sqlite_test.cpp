// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// Holds SQLite's interface as it is declared for binding at run time against sqlite3.h.
#include "gemm/gpu/sqlite.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <type_traits>

#include "../../core/temporary_folder.hpp"
#include "tilewise/error.hpp"

namespace tilewise::gpu::sqlite {
namespace {

// The same function once the opaque handles, which both spell as pointers to structures, are one.
template <class T> struct Plain { using Type = T; };
template <> struct Plain<::sqlite3*> { using Type = Handle*; };
template <> struct Plain<::sqlite3**> { using Type = Handle**; };
template <> struct Plain<::sqlite3_stmt*> { using Type = StatementHandle*; };
template <> struct Plain<::sqlite3_stmt**> { using Type = StatementHandle**; };
template <class R, class... P> struct Plain<R(P...)> {
  using Type = typename Plain<R>::Type(typename Plain<P>::Type...);
};

#define TILEWISE_SAME(member, symbol, result, parameters)                          \
  static_assert(std::is_same_v<std::remove_pointer_t<decltype(Api::member)>,       \
                               Plain<decltype(TILEWISE_FUNCTION_##member)>::Type>, \
                symbol);
#define TILEWISE_FUNCTION_open ::sqlite3_open_v2
#define TILEWISE_FUNCTION_close ::sqlite3_close
#define TILEWISE_FUNCTION_message ::sqlite3_errmsg
#define TILEWISE_FUNCTION_busy_timeout ::sqlite3_busy_timeout
#define TILEWISE_FUNCTION_changes ::sqlite3_changes
#define TILEWISE_FUNCTION_prepare ::sqlite3_prepare_v2
#define TILEWISE_FUNCTION_step ::sqlite3_step
#define TILEWISE_FUNCTION_finalize ::sqlite3_finalize
#define TILEWISE_FUNCTION_bind_integer ::sqlite3_bind_int64
#define TILEWISE_FUNCTION_bind_real ::sqlite3_bind_double
#define TILEWISE_FUNCTION_bind_text ::sqlite3_bind_text
#define TILEWISE_FUNCTION_integer ::sqlite3_column_int64
#define TILEWISE_FUNCTION_real ::sqlite3_column_double
#define TILEWISE_FUNCTION_text ::sqlite3_column_text
TILEWISE_SQLITE_FUNCTIONS(TILEWISE_SAME)

static_assert(kOk == SQLITE_OK && kRow == SQLITE_ROW && kDone == SQLITE_DONE);
static_assert(kOpenReadOnly == SQLITE_OPEN_READONLY && kOpenReadWrite == SQLITE_OPEN_READWRITE &&
              kOpenCreate == SQLITE_OPEN_CREATE);

TEST(Sqlite, StatementsBindAndAnswer) {
  const test::TemporaryFolder folder;
  Database database((folder / "x.sqlite").string(), kOpenReadWrite | kOpenCreate, 100);
  database.run("CREATE TABLE t (a INTEGER, b REAL, c TEXT)");
  Statement insert(database, "INSERT INTO t VALUES (?, ?, ?)");
  insert.bind(std::int64_t{1} << 40).bind(0.5).bind(std::string("it's"));
  EXPECT_FALSE(insert.step());
  EXPECT_EQ(database.changes(), 1);
  Statement select(database, "SELECT a, b, c, NULL FROM t");
  ASSERT_TRUE(select.step());
  EXPECT_EQ(select.integer(0), std::int64_t{1} << 40);
  EXPECT_EQ(select.real(1), 0.5);
  EXPECT_EQ(select.text(2), "it's");
  EXPECT_EQ(select.text(3), "");
  EXPECT_FALSE(select.step());
  EXPECT_EQ(database.number("SELECT count(*) FROM t"), 1);
}

TEST(Sqlite, TransactionsThatAreNotCommittedLeaveNothing) {
  const test::TemporaryFolder folder;
  Database database((folder / "x.sqlite").string(), kOpenReadWrite | kOpenCreate, 100);
  {
    Transaction transaction(database);
    database.run("CREATE TABLE gone (a)");
  }
  EXPECT_EQ(database.number("SELECT count(*) FROM sqlite_master"), 0);
  {
    Transaction transaction(database);
    database.run("CREATE TABLE kept (a)");
    transaction.commit();
  }
  EXPECT_EQ(database.number("SELECT count(*) FROM sqlite_master"), 1);
}

TEST(Sqlite, FailuresComeWithItsWords) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "none.sqlite").string();
  const auto words = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidInput);
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(words([&] { Database(path, kOpenReadOnly, 0); }), "unable to open database file");
  Database database(path, kOpenReadWrite | kOpenCreate, 0);
  EXPECT_EQ(words([&] { database.run("SELECT * FROM nowhere"); }), "no such table: nowhere");
  EXPECT_EQ(words([&] { Statement(database, "SELECT 1").bind(std::int64_t{1}); }),
            "column index out of range");
}

}  // namespace
}  // namespace tilewise::gpu::sqlite
