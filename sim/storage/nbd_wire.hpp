// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the NBD protocol, and whole reads and writes of a socket.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

namespace kumihimo::storage::nbd {

inline constexpr std::uint64_t kMagic = 0x4e42444d41474943, kOptMagic = 0x49484156454F5054;
inline constexpr std::uint64_t kRepMagic = 0x0003e889045565a9;
inline constexpr std::uint32_t kRequestMagic = 0x25609513, kSimpleMagic = 0x67446698;
inline constexpr std::uint32_t kChunkMagic = 0x668e33ef;

enum Option : std::uint32_t {
  kExportName = 1,
  kAbort = 2,
  kList = 3,
  kInfo = 6,
  kGo = 7,
  kStructured = 8,
  kListMeta = 9,
  kSetMeta = 10,
};
inline constexpr std::uint32_t kAck = 1, kServer = 2, kInfoReply = 3, kMetaReply = 4;
inline constexpr std::uint32_t kErrUnsup = 0x80000001, kErrInvalid = 0x80000003;
inline constexpr std::uint32_t kErrUnknown = 0x80000006, kErrTooBig = 0x80000009;

enum Command : std::uint16_t {
  kRead = 0,
  kWrite = 1,
  kDisc = 2,
  kFlush = 3,
  kTrim = 4,
  kWriteZeroes = 6,
  kBlockStatus = 7,
};
inline constexpr std::uint16_t kFua = 1, kNoHole = 2, kDf = 4, kReqOne = 8;
inline constexpr std::uint16_t kDone = 1;
inline constexpr std::uint16_t kNone = 0, kOffsetData = 1, kStatus = 5, kError = 32769;
// Metadata contexts: their numbers, and their names.
inline constexpr std::uint32_t kAllocation = 1, kLost = 2;
inline constexpr char kAllocationName[] = "base:allocation", kLostName[] = "kumi:lost";
inline constexpr std::uint32_t kMaxPayload = 32U << 20;

// Big-endian words into and out of bytes.
class Out {
 public:
  Out() { b_.reserve(32); }
  template <class T>
  Out& put(T v) {
    for (std::size_t i = sizeof(T); i-- > 0;) b_.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
    return *this;
  }
  Out& text(const std::string& s) {
    b_.insert(b_.end(), s.begin(), s.end());
    return *this;
  }
  Out& zeros(std::size_t n) {
    b_.insert(b_.end(), n, 0);
    return *this;
  }
  const std::vector<std::uint8_t>& bytes() const { return b_; }

 private:
  std::vector<std::uint8_t> b_;
};

// Reads past the end give zeros and clear ok().
class In {
 public:
  In(const std::uint8_t* p, std::size_t n) : p_(p), n_(n) {}
  template <class T>
  T get() {
    std::uint64_t v = 0;
    if (n_ < sizeof(T)) {
      ok_ = false;
      return 0;
    }
    for (std::size_t i = 0; i < sizeof(T); ++i) v = v << 8 | p_[i];
    p_ += sizeof(T);
    n_ -= sizeof(T);
    return static_cast<T>(v);
  }
  std::string text(std::size_t length) {
    if (n_ < length) {
      ok_ = false;
      return "";
    }
    std::string s(reinterpret_cast<const char*>(p_), length);
    p_ += length;
    n_ -= length;
    return s;
  }
  bool ok() const { return ok_; }
  bool empty() const { return n_ == 0; }

 private:
  const std::uint8_t* p_;
  std::size_t n_;
  bool ok_ = true;
};

inline bool receive(int fd, void* to, std::size_t size) {
  auto* p = static_cast<std::uint8_t*>(to);
  while (size) {
    const ssize_t n = ::recv(fd, p, size, MSG_WAITALL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    p += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

inline bool send_all(int fd, std::vector<iovec> parts) {
  std::size_t first = 0;
  while (first < parts.size()) {
    msghdr m{};
    m.msg_iov = &parts[first];
    m.msg_iovlen = std::min<std::size_t>(parts.size() - first, 512);
    const ssize_t n = ::sendmsg(fd, &m, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    auto left = static_cast<std::size_t>(n);
    while (first < parts.size() && left >= parts[first].iov_len) left -= parts[first++].iov_len;
    if (left) {
      parts[first].iov_base = static_cast<std::uint8_t*>(parts[first].iov_base) + left;
      parts[first].iov_len -= left;
    }
  }
  return true;
}

inline bool send_all(int fd, const std::vector<std::uint8_t>& bytes) {
  return send_all(fd, {{const_cast<std::uint8_t*>(bytes.data()), bytes.size()}});
}

}  // namespace kumihimo::storage::nbd
