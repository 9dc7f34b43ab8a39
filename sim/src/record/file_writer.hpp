// SPDX-License-Identifier: Apache-2.0
//
// Buffered append-only file. The first error (a full disk) closes it; the caller checks failed()
// and continues without it.
#pragma once

#include <cstring>
#include <string>

#include "base/types.hpp"

namespace kumihimo {

class FileWriter {
 public:
  explicit FileWriter(const std::string& path);  // throws Error if it cannot be created
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(const void* data, std::size_t n);
  template <class T>
  void value(T v) {
    write(&v, sizeof v);
  }
  void flush();
  void close();
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }
  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::string path_;
  int fd_;
  Bytes buffer_;
  std::string error_;
  std::uint64_t bytes_ = 0;
};

}  // namespace kumihimo
