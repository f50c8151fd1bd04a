// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// The file of tuned plans, looked at with SQLite itself: what is in it, and what is refused.
#include "gemm/gpu/tuned_file.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "../../core/temporary_folder.hpp"
#include "model/gpu.hpp"
#include "tilewise/error.hpp"

namespace tilewise::gpu {
namespace {

/// SQLite without what is tested.
class Peek {
 public:
  explicit Peek(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &database_), SQLITE_OK) << path;
  }
  ~Peek() { sqlite3_close(database_); }
  /// The first value of the first row, or "done".
  std::string operator()(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database_);
    std::string answer = "done";
    if (sqlite3_step(statement) == SQLITE_ROW)
      answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return answer;
  }

 private:
  sqlite3* database_ = nullptr;
};

std::string ask(const std::string& path, const std::string& sql) { return Peek(path)(sql); }

TunedRow sample() {
  TunedRow row;
  row.on = {"NVIDIA H200", "9.0", 132, "0123456789abcdef"};
  row.key = {Dtype::kBF16,
             Dtype::kF32,
             ComputeMode::kIeee,
             true,
             true,
             64,
             128,
             4096,
             3,
             {16, FactorKey::Stand::kStrided},
             {2, FactorKey::Stand::kShared}};
  row.tuned = {"warpgroup_bf16_64x64_to_f32,split=3",
               12.5,
               "warpgroup_bf16_128x128_to_f32,split=1",
               15.25,
               "NVIDIA H200, driver 1.2.3",
               "0.1.0",
               "2026-01-02T03:04:05Z"};
  return row;
}

void expect_same(const TunedRow& one, const TunedRow& other) {
  EXPECT_EQ(one.on, other.on);
  EXPECT_EQ(one.key, other.key);
  const TunedPlan &x = one.tuned, &y = other.tuned;
  EXPECT_EQ(std::tie(x.plan, x.microseconds, x.planner, x.planner_microseconds, x.device, x.version,
                     x.date),
            std::tie(y.plan, y.microseconds, y.planner, y.planner_microseconds, y.device, y.version,
                     y.date));
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidInput);
    return error.what();
  }
  return "not refused";
}
std::string refusal_to_read(const std::string& path) {
  return refusal([&] { TunedFile::to_read(path).rows(); });
}
std::string refusal_to_write(const std::string& path) {
  return refusal([&] { TunedFile::to_write(path).store(sample()); });
}

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(TunedFile, KeepsWhatItIsGiven) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "new/folders/tuned.sqlite";
  TunedFile::to_write(path).store(sample());
  TunedFile file = TunedFile::to_read(path);
  const TunedFile::Rows found = file.rows();
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_TRUE(found.refused.empty());
  expect_same(found.rows.front(), sample());

  Peek peek(path);
  EXPECT_EQ(peek("PRAGMA application_id"), std::to_string(0x54696C65));
  EXPECT_EQ(peek("PRAGMA user_version"), "1");
  EXPECT_EQ(peek("SELECT plan FROM tuned_plan WHERE trans = 'nt' AND a = '16 strided' AND "
                 "b = '2 shared' AND gpu = 'NVIDIA H200' AND microseconds = 12.5"),
            "warpgroup_bf16_64x64_to_f32,split=3");
  EXPECT_EQ(peek("PRAGMA integrity_check"), "ok");
}

TEST(TunedFile, HasOnePlanForEachKey) {
  const test::TemporaryFolder folder;
  TunedFile file = TunedFile::to_write(folder / "x.sqlite");
  file.store(sample());
  TunedRow again = sample();
  again.tuned.plan = "warpgroup_bf16_128x128_to_f32,split=1";
  file.store(again);
  ASSERT_EQ(file.rows().rows.size(), 1u);
  expect_same(file.rows().rows.front(), again);

  std::vector<TunedRow> others(16, sample());
  others[0].on.gpu = "NVIDIA H100";
  others[1].on.capability = "8.0";
  others[2].on.multiprocessors = 131;
  others[3].on.kernels = "fedcba9876543210";
  others[4].key.operand = Dtype::kF16;
  others[5].key.result = Dtype::kBF16;
  others[6].key.mode = ComputeMode::kTf32;
  others[7].key.a_along_k = false;
  others[8].key.b_along_k = false;
  others[9].key.m = 65;
  others[10].key.n = 129;
  others[11].key.k = 4097;
  others[12].key.count = 4;
  others[13].key.a.alignment = 8;
  others[14].key.b.stand = FactorKey::Stand::kPointers;
  others[15].key.a.stand = FactorKey::Stand::kBackwards;
  for (const TunedRow& other : others) file.store(other);
  EXPECT_EQ(file.rows().rows.size(), 17u);
  EXPECT_EQ(file.rows(sample().on).rows.size(), 13u);
  EXPECT_EQ(file.forget(sample().on), 4);
  EXPECT_EQ(file.rows().rows.size(), 13u);
  EXPECT_EQ(file.forget(), 13);
  EXPECT_TRUE(file.rows().rows.empty());
}

TEST(TunedFile, RefusesWhatIsNone) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(refusal_to_read(folder / "none.sqlite"), "no such file");
  EXPECT_EQ(refusal_to_read(folder.path()), "is not a regular file");
  const std::string text = folder.with("text", std::string(5000, 'x'));
  EXPECT_EQ(refusal_to_read(text), "file is not a database");
  EXPECT_EQ(refusal_to_write(text), "file is not a database");
  EXPECT_EQ(contents(text), std::string(5000, 'x'));
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(refusal_to_read(pipe), "is not a regular file");
  EXPECT_EQ(
      refusal_to_write(folder.with("a file", "x").string() + "/below/x.sqlite").find("folder"), 0u);
}

TEST(TunedFile, LeavesOtherProgramsDatabasesAlone) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "other.sqlite";
  ask(path, "CREATE TABLE bookmarks (name)");
  const std::string before = contents(path);
  EXPECT_NE(refusal_to_read(path).find("another program's database (application_id 0, expected"),
            std::string::npos);
  EXPECT_NE(refusal_to_write(path).find("another program's database"), std::string::npos);
  EXPECT_EQ(contents(path), before);
  ask(path, "PRAGMA application_id = 7");
  EXPECT_NE(refusal_to_read(path).find("application_id 7,"), std::string::npos);
}

TEST(TunedFile, RefusesALaterVersions) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "x.sqlite";
  TunedFile::to_write(path).store(sample());
  ask(path, "PRAGMA user_version = 2");
  const std::string before = contents(path);
  const std::string words = "was written by a later version of Tilewise (schema 2, known up to 1)";
  EXPECT_EQ(refusal_to_read(path), words);
  EXPECT_EQ(refusal_to_write(path), words);
  EXPECT_EQ(contents(path), before);
}

TEST(TunedFile, RefusesDamage) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "x.sqlite";
  {
    TunedFile file = TunedFile::to_write(path);
    for (int i = 0; i < 20; ++i) {
      TunedRow row = sample();
      row.tuned.device = std::string(1500, 'd');
      row.key.m = i + 1;
      file.store(row);
    }
  }
  const std::string whole = contents(path);
  ASSERT_GT(whole.size(), 16384u);
  // Cut short; pages of noise; another type of table. Never a crash, and never all of the rows.
  const std::string cut = folder.with("cut", whole.substr(0, whole.size() / 2));
  EXPECT_EQ(refusal_to_read(cut), "database disk image is malformed");
  std::string noisy = whole;
  for (std::size_t i = 4096; i < noisy.size(); ++i) noisy[i] = static_cast<char>(i * 7919 >> 3);
  EXPECT_EQ(refusal_to_read(folder.with("noisy", noisy)), "database disk image is malformed");
  ask(path, "DROP TABLE tuned_plan");
  EXPECT_EQ(refusal_to_read(path), "is damaged: it has no table of tuned plans");
  EXPECT_EQ(refusal_to_write(path), "is damaged: it has no table of tuned plans");
  ask(path, "CREATE VIEW tuned_plan AS SELECT 1");
  EXPECT_EQ(refusal_to_read(path), "is damaged: it has no table of tuned plans");
  ask(path, "DROP VIEW tuned_plan");
  ask(path, "CREATE TABLE tuned_plan (x)");
  EXPECT_NE(refusal_to_read(path).find("no such column"), std::string::npos);
}

TEST(TunedFile, PassesOverRowsThatSayNothing) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "x.sqlite";
  {
    TunedFile file = TunedFile::to_write(path);
    for (int i = 1; i <= 7; ++i) {
      TunedRow row = sample();
      row.key.m = i;
      file.store(row);
    }
  }
  Peek peek(path);
  peek("UPDATE tuned_plan SET operand = 'f33' WHERE m = 1");
  peek("UPDATE tuned_plan SET mode = '' WHERE m = 2");
  peek("UPDATE tuned_plan SET trans = 'n' WHERE m = 3");
  peek("UPDATE tuned_plan SET a = 'sixteen' WHERE m = 4");
  peek("UPDATE tuned_plan SET microseconds = -1 WHERE m = 5");
  peek("UPDATE tuned_plan SET b = '16 sideways' WHERE m = 6");
  const TunedFile::Rows found = TunedFile::to_read(path).rows();
  ASSERT_EQ(found.rows.size(), 1u);
  EXPECT_EQ(found.rows.front().key.m, 7);
  EXPECT_EQ(found.refused.size(), 6u);
  EXPECT_EQ(std::count(found.refused.begin(), found.refused.end(),
                       "'f33': expected f32, f64, bf16 or f16"),
            1);
}

TEST(TunedFile, RefusesToWaitForALockForLong) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "x.sqlite";
  TunedFile::to_write(path).store(sample());
  Peek other(path);
  other("BEGIN EXCLUSIVE");
  EXPECT_EQ(refusal_to_read(path), "database is locked");
  other("COMMIT");
  EXPECT_EQ(TunedFile::to_read(path).rows().rows.size(), 1u);
}

TEST(TunedFile, RefusesWhatItMayNotRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const test::TemporaryFolder folder;
  const std::string path = folder / "x.sqlite";
  TunedFile::to_write(path).store(sample());
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  EXPECT_EQ(refusal_to_read(path), "unable to open database file");
}

TEST(TunedFile, AnEmptyFileIsOneThatNobodyHasWrittenYet) {
  const test::TemporaryFolder folder;
  const std::string path = folder.with("x.sqlite", "");
  EXPECT_TRUE(TunedFile::to_read(path).rows().rows.empty());
  TunedFile::to_write(path).store(sample());
  EXPECT_EQ(TunedFile::to_read(path).rows().rows.size(), 1u);
}

TEST(TunedFile, TakesWritersAndReadersAtTheSameTime) {
  constexpr int kWriters = 3, kRows = 8;
  const test::TemporaryFolder folder;
  const std::string path = folder / "x.sqlite";  // made by whoever comes first
  std::atomic<bool> writing{true};
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      TunedFile file = TunedFile::to_write(path);
      for (int i = 0; i < kRows; ++i) {
        TunedRow row = sample();
        row.key.m = writer * kRows + i + 1;
        file.store(row);
      }
    });
  }
  std::thread reader([&] {
    std::size_t seen = 0;
    while (writing) {
      if (!std::filesystem::exists(path)) continue;
      try {
        const TunedFile::Rows found = TunedFile::to_read(path).rows();
        EXPECT_GE(found.rows.size(), seen);
        EXPECT_TRUE(found.refused.empty());
        seen = found.rows.size();
      } catch (const Error& error) {  // a reader gives up soon
        EXPECT_EQ(std::string(error.what()), "database is locked");
      }
    }
  });
  for (std::thread& thread : threads) thread.join();
  writing = false;
  reader.join();
  EXPECT_EQ(TunedFile::to_read(path).rows().rows.size(), std::size_t{kWriters * kRows});
}

}  // namespace
}  // namespace tilewise::gpu
