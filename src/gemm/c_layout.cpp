// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm/c_layout.hpp"

#include <string>

namespace tilewise::api {

const Names kCNames{{"a", "a", "m", "k", "lda", "order", "stride_a", "a"},
                    {"b", "b", "k", "n", "ldb", "order", "stride_b", "b"},
                    {"c", "c", "m", "n", "ldc", "order", "stride_c", "c"},
                    "threads"};

void refuse_value(const char* name, std::int32_t value, const char* expected) {
  throw Error(ErrorCode::kInvalidArgument,
              std::string(name) + " = " + std::to_string(value) + ": expected " + expected);
}

namespace {

bool transposes(const char* name, tw_transpose transpose) {
  if (transpose == TW_NO_TRANSPOSE) return false;
  if (transpose == TW_TRANSPOSE) return true;
  refuse_value(name, transpose, "TW_NO_TRANSPOSE (111) or TW_TRANSPOSE (112)");
}

}  // namespace

Views::Views(const Layout& layout) : layout_(layout) {
  if (layout.order != TW_ROW_MAJOR && layout.order != TW_COLUMN_MAJOR) {
    refuse_value("order", layout.order, "TW_ROW_MAJOR (101) or TW_COLUMN_MAJOR (102)");
  }
  transposes_a_ = transposes("trans_a", layout.trans_a);
  transposes_b_ = transposes("trans_b", layout.trans_b);
}

}  // namespace tilewise::api
