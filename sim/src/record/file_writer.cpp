// SPDX-License-Identifier: Apache-2.0
#include "record/file_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace kumihimo {
namespace {
constexpr std::size_t kBuffer = 1 << 18;
}

FileWriter::FileWriter(const std::string& path) : path_(path) {
  fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd_ < 0) throw Error("cannot write " + path + ": " + std::strerror(errno));
  buffer_.reserve(kBuffer);
}

FileWriter::~FileWriter() { close(); }

void FileWriter::write(const void* data, std::size_t n) {
  if (fd_ < 0) return;
  const auto* p = static_cast<const std::uint8_t*>(data);
  buffer_.insert(buffer_.end(), p, p + n);
  bytes_ += n;
  if (buffer_.size() >= kBuffer) flush();
}

void FileWriter::flush() {
  std::size_t at = 0;
  while (fd_ >= 0 && at < buffer_.size()) {
    const ssize_t n = ::write(fd_, buffer_.data() + at, buffer_.size() - at);
    if (n >= 0) {
      at += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      error_ = std::strerror(errno);
      ::close(fd_);
      fd_ = -1;
    }
  }
  buffer_.clear();
}

void FileWriter::close() {
  flush();
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace kumihimo
