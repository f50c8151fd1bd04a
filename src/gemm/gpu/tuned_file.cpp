// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/tuned_file.hpp"

#include <array>
#include <cmath>
#include <filesystem>

#include "core/phrase.hpp"
#include "gemm/gpu/fingerprint.hpp"
#include "gemm/gpu/sqlite.hpp"
#include "tilewise/error.hpp"

namespace tilewise::gpu {
namespace {

namespace fs = std::filesystem;

// A reader is a program that begins to multiply; a writer has time.
constexpr int kReadPatience = 250, kWritePatience = 10'000;  // milliseconds for others' locks
constexpr std::int64_t kMostRows = 1'000'000;                // more is not what tuning wrote

constexpr const char* kTable =
    "CREATE TABLE tuned_plan ("
    " gpu TEXT NOT NULL, capability TEXT NOT NULL, multiprocessors INTEGER NOT NULL,"
    " kernels TEXT NOT NULL, operand TEXT NOT NULL, result TEXT NOT NULL, mode TEXT NOT NULL,"
    " trans TEXT NOT NULL, m INTEGER NOT NULL, n INTEGER NOT NULL, k INTEGER NOT NULL,"
    " count INTEGER NOT NULL, a TEXT NOT NULL, b TEXT NOT NULL,"
    " plan TEXT NOT NULL, microseconds REAL NOT NULL,"
    " planner TEXT NOT NULL, planner_microseconds REAL NOT NULL,"
    " device TEXT NOT NULL, version TEXT NOT NULL, date TEXT NOT NULL,"
    " PRIMARY KEY (gpu, capability, multiprocessors, kernels, operand, result, mode, trans,"
    " m, n, k, count, a, b)) WITHOUT ROWID";
constexpr const char* kColumns =
    "gpu, capability, multiprocessors, kernels, operand, result, mode, trans, m, n, k, count, a, b,"
    " plan, microseconds, planner, planner_microseconds, device, version, date";
constexpr const char* kOfOne = "gpu = ? AND capability = ? AND multiprocessors = ? AND kernels = ?";

[[noreturn]] void refuse(const std::string& reason) {
  throw Error(ErrorCode::kInvalidInput, reason);
}

// What a file is, before SQLite opens it: a pipe would block, and a name like ":memory:" means no file.
bool check_kind(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (status.type() == fs::file_type::not_found) return false;
  if (failure) refuse(failure.message());
  if (!fs::is_regular_file(status)) refuse("is not a regular file");
  return true;
}

void check_schema(sqlite::Database& database) {
  const std::int64_t id = database.number("PRAGMA application_id");
  if (id != TunedFile::kApplicationId)
    refuse(
        phrase("is not a file of tuned plans, but another program's database (application_id "
               "{}, expected {})",
               id, TunedFile::kApplicationId));
  const std::int64_t schema = database.number("PRAGMA user_version");
  if (schema > TunedFile::kSchema)
    refuse(phrase("was written by a later version of Tilewise (schema {}, known up to {})", schema,
                  TunedFile::kSchema));
  if (schema < 1 ||
      database.number(
          "SELECT count(*) FROM sqlite_master WHERE name = 'tuned_plan' AND type = 'table'") != 1)
    refuse("is damaged: it has no table of tuned plans");
}

bool is_blank(sqlite::Database& database) {
  return database.number("PRAGMA application_id") == 0 &&
         database.number("SELECT count(*) FROM sqlite_master") == 0;
}

// Nobody else sees a file with a part of this.
void make_schema(sqlite::Database& database) {
  sqlite::Transaction transaction(database);
  if (is_blank(database)) {  // still: another program may have been faster
    database.run(phrase("PRAGMA application_id = {}", TunedFile::kApplicationId));
    database.run(phrase("PRAGMA user_version = {}", TunedFile::kSchema));
    database.run(kTable);
  }
  transaction.commit();
}

Dtype dtype_in(const std::string& name) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF64, Dtype::kBF16, Dtype::kF16})
    if (name_of(dtype) == name) return dtype;
  refuse(phrase("'{}': expected f32, f64, bf16 or f16", name));
}

ComputeMode mode_in(const std::string& name) {
  for (const ComputeMode mode : {ComputeMode::kIeee, ComputeMode::kAccurate, ComputeMode::kTf32})
    if (name_of(mode) == name) return mode;
  refuse(phrase("'{}': expected ieee, accurate or tf32", name));
}

double time_in(double microseconds) {
  if (std::isfinite(microseconds) && microseconds > 0) return microseconds;
  refuse("a time that is none");
}

TunedRow row_of(const sqlite::Statement& from) {
  TunedRow row;
  row.on = {from.text(0), from.text(1), static_cast<int>(from.integer(2)), from.text(3)};
  row.key.operand = dtype_in(from.text(4));
  row.key.result = dtype_in(from.text(5));
  row.key.mode = mode_in(from.text(6));
  const std::string trans = from.text(7);
  if (trans != "nn" && trans != "nt" && trans != "tn" && trans != "tt")
    refuse(phrase("'{}': expected nn, nt, tn or tt", trans));
  row.key.a_along_k = trans[0] == 'n';
  row.key.b_along_k = trans[1] == 't';
  row.key.m = from.integer(8), row.key.n = from.integer(9), row.key.k = from.integer(10);
  row.key.count = from.integer(11);
  row.key.a = factor_key_of(from.text(12));
  row.key.b = factor_key_of(from.text(13));
  row.tuned = {from.text(14), time_in(from.real(15)), from.text(16), time_in(from.real(17)),
               from.text(18), from.text(19),          from.text(20)};
  return row;
}

void bind(sqlite::Statement& statement, const TunedOn& on) {
  statement.bind(on.gpu)
      .bind(on.capability)
      .bind(std::int64_t{on.multiprocessors})
      .bind(on.kernels);
}

}  // namespace

struct TunedFile::State {
  State(const std::string& path, int flags, int patience) : database(path, flags, patience) {}
  sqlite::Database database;
  bool is_empty = false;  // of size 0: whoever writes it has not begun
};

TunedOn tuned_on(const model::Gpu& gpu) {
  return {gpu.name, phrase("{}.{}", gpu.compute_major, gpu.compute_minor), gpu.sm_count,
          own_fingerprint(gpu)};
}

TunedFile::TunedFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
TunedFile::TunedFile(TunedFile&&) noexcept = default;
TunedFile::~TunedFile() = default;

TunedFile TunedFile::to_read(const std::string& path) {
  const fs::path file = fs::absolute(path);
  if (!check_kind(file)) refuse("no such file");
  auto state = std::make_unique<State>(file, sqlite::kOpenReadOnly, kReadPatience);
  std::error_code failure;
  state->is_empty = fs::file_size(file, failure) == 0 && !failure;
  if (!state->is_empty) {
    state->database.run("PRAGMA trusted_schema = OFF");
    check_schema(state->database);
  }
  return TunedFile(std::move(state));
}

TunedFile TunedFile::to_write(const std::string& path) {
  const fs::path file = fs::absolute(path);
  if (!check_kind(file)) {
    std::error_code failure;
    fs::create_directories(file.parent_path(), failure);
    if (failure) refuse(phrase("folder '{}': {}", file.parent_path().string(), failure.message()));
  }
  auto state =
      std::make_unique<State>(file, sqlite::kOpenReadWrite | sqlite::kOpenCreate, kWritePatience);
  state->database.run("PRAGMA trusted_schema = OFF");
  if (is_blank(state->database)) make_schema(state->database);
  check_schema(state->database);
  return TunedFile(std::move(state));
}

TunedFile::Rows TunedFile::rows(const std::optional<TunedOn>& on) {
  Rows found;
  if (state_->is_empty) return found;
  sqlite::Statement statement(state_->database,
                              phrase("SELECT {} FROM tuned_plan{} LIMIT {}", kColumns,
                                     on ? phrase(" WHERE {}", kOfOne) : std::string(), kMostRows));
  if (on) bind(statement, *on);
  while (statement.step()) {
    try {
      found.rows.push_back(row_of(statement));
    } catch (const Error& error) {
      found.refused.push_back(error.what());
    }
  }
  return found;
}

void TunedFile::store(const TunedRow& row) {
  sqlite::Statement statement(state_->database,
                              phrase("INSERT OR REPLACE INTO tuned_plan ({}) VALUES (?, ?, ?, ?, "
                                     "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                     kColumns));
  bind(statement, row.on);
  const TunedKey& key = row.key;
  statement.bind(std::string(name_of(key.operand)))
      .bind(std::string(name_of(key.result)))
      .bind(std::string(name_of(key.mode)))
      .bind(key.trans())
      .bind(key.m)
      .bind(key.n)
      .bind(key.k)
      .bind(key.count)
      .bind(text_of(key.a))
      .bind(text_of(key.b));
  const TunedPlan& tuned = row.tuned;
  statement.bind(tuned.plan)
      .bind(tuned.microseconds)
      .bind(tuned.planner)
      .bind(tuned.planner_microseconds)
      .bind(tuned.device)
      .bind(tuned.version)
      .bind(tuned.date);
  statement.step();
}

std::int64_t TunedFile::forget(const std::optional<TunedOn>& but) {
  sqlite::Statement statement(
      state_->database,
      but ? phrase("DELETE FROM tuned_plan WHERE NOT ({})", kOfOne) : "DELETE FROM tuned_plan");
  if (but) bind(statement, *but);
  statement.step();
  return state_->database.changes();
}

}  // namespace tilewise::gpu
