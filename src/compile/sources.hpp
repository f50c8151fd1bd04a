// SPDX-FileCopyrightText: 2026 The Tilewise authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's source as it is given to a compiler: the file itself, or a changed copy whose line numbers
// are the file's. Nothing of the user's is ever written to.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compile/diagnostics.hpp"
#include "core/programs.hpp"

namespace tilewise::compile {

class Sources {
 public:
  /// `folders` are those of the user's headers. Throws Error{kInvalidInput} when the file cannot be read.
  Sources(const std::filesystem::path& source, std::vector<std::filesystem::path> folders);

  /// What to compile: a path, and its text.
  const std::filesystem::path& main_file() const { return main_; }
  const std::string& main_text() const { return main_text_; }
  /// Where headers are looked for, in this order; a changed copy comes before what it is a copy of.
  std::vector<std::filesystem::path> include_folders() const;
  const ScratchFolder& scratch() const { return scratch_; }

  /// Makes `header` a file of the contents given. False when it had been made before.
  bool add_header(const std::string& header, const std::string& contents);
  /// Leaves out the host declaration that holds the line of the error. False when there is none, when it
  /// says __global__ or __device__, or when the file is not one of the user's: the source, what lies in
  /// its folder, below it or beside it, and what lies in the folders of headers.
  bool leave_out(const Diagnostic& error);
  /// Puts code behind the source, instead of what was put there before.
  void append(const std::string& code);

  /// What was left out: "main.cu:12-40 (identifier "x" is undefined)".
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  bool is_of_the_user(const std::filesystem::path& file) const;
  std::filesystem::path copy_of(const std::filesystem::path& file) const;
  std::filesystem::path header_of(const std::filesystem::path& file, const std::string& name) const;
  void copy_headers();
  std::string& text_of(const std::filesystem::path& file);
  void write(const std::filesystem::path& file, const std::string& text);

  ScratchFolder scratch_{"compile"};
  std::filesystem::path source_;
  std::vector<std::filesystem::path> folders_;
  std::filesystem::path main_;
  std::string main_text_;
  std::string appended_;
  std::map<std::filesystem::path, std::string> texts_;  ///< of copied files, by their true place
  bool headers_copied_ = false;
  std::set<std::string> added_;
  std::vector<std::string> left_out_;
};

}  // namespace tilewise::compile
