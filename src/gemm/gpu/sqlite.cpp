// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/gpu/sqlite.hpp"

#include <dlfcn.h>

#include "core/phrase.hpp"
#include "tilewise/error.hpp"

namespace tilewise::gpu::sqlite {
namespace {

template <class Function> void bind(void* library, const char* symbol, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, symbol));
  if (function != nullptr) return;
  throw Error(ErrorCode::kUnsupported,
              phrase("libsqlite3.so.0 has no {}: it is not SQLite 3, or too old", symbol));
}

Api open_library() {
  void* const library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    throw Error(ErrorCode::kUnsupported,
                phrase("tuned plans need SQLite, which is not installed (Debian: libsqlite3-0): {}",
                       reason != nullptr ? reason : "libsqlite3.so.0 not opened"));
  }
  Api api;
#define TILEWISE_BIND(member, symbol, result, parameters) bind(library, symbol, api.member);
  TILEWISE_SQLITE_FUNCTIONS(TILEWISE_BIND)
#undef TILEWISE_BIND
  return api;
}

}  // namespace

const Api& api() {
  static const Api opened = open_library();
  return opened;
}

Database::Database(const std::string& path, int flags, int busy_milliseconds) {
  if (api().open(path.c_str(), &handle_, flags, nullptr) != kOk) {
    const std::string words = handle_ != nullptr ? api().message(handle_) : "out of memory";
    api().close(handle_);
    throw Error(ErrorCode::kInvalidInput, words);
  }
  api().busy_timeout(handle_, busy_milliseconds);
}

Database::~Database() { api().close(handle_); }

void Database::fail() const { throw Error(ErrorCode::kInvalidInput, api().message(handle_)); }

void Database::run(const std::string& sql) {
  Statement statement(*this, sql);
  while (statement.step()) {
  }
}

std::int64_t Database::number(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::int64_t Database::changes() const { return api().changes(handle_); }

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  check(api().prepare(database.handle(), sql.c_str(), static_cast<int>(sql.size()), &handle_,
                      nullptr));
}

Statement::~Statement() { api().finalize(handle_); }

void Statement::check(int code) const {
  if (code != kOk) database_.fail();
}

Statement& Statement::bind(std::int64_t value) {
  check(api().bind_integer(handle_, ++bound_, value));
  return *this;
}

Statement& Statement::bind(double value) {
  check(api().bind_real(handle_, ++bound_, value));
  return *this;
}

Statement& Statement::bind(const std::string& value) {
  const auto copied = reinterpret_cast<Free>(-1);  // SQLITE_TRANSIENT
  check(api().bind_text(handle_, ++bound_, value.data(), static_cast<int>(value.size()), copied));
  return *this;
}

bool Statement::step() {
  const int code = api().step(handle_);
  if (code != kRow && code != kDone) database_.fail();
  return code == kRow;
}

std::int64_t Statement::integer(int column) const { return api().integer(handle_, column); }
double Statement::real(int column) const { return api().real(handle_, column); }

std::string Statement::text(int column) const {
  const unsigned char* const text = api().text(handle_, column);
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

Transaction::Transaction(Database& database) : database_(database) {
  database.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (...) {  // closing the file does it, too
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace tilewise::gpu::sqlite
