// SPDX-License-Identifier: Apache-2.0
//
// The handshake of the NBD server: options until the client enters the transmission phase.
#include "nbd_connection.hpp"

namespace kumihimo::storage {

using namespace nbd;

namespace {

constexpr std::uint32_t kMostOption = 65536;

bool reply(int fd, std::uint32_t option, std::uint32_t type,
           const std::vector<std::uint8_t>& data = {}) {
  Out out;
  out.put(kRepMagic).put(option).put(type).put(static_cast<std::uint32_t>(data.size()));
  std::vector<std::uint8_t> bytes = out.bytes();
  bytes.insert(bytes.end(), data.begin(), data.end());
  return send_all(fd, bytes);
}

bool discard(int fd, std::uint32_t size) {
  std::uint8_t scrap[4096];
  while (size) {
    const std::uint32_t n = std::min<std::uint32_t>(size, sizeof scrap);
    if (!receive(fd, scrap, n)) return false;
    size -= n;
  }
  return true;
}

}  // namespace

std::uint16_t NbdServer::transmission_flags(const Connection& c) const {
  // Has flags, FLUSH, FUA, TRIM, WRITE_ZEROES, several connections; DF with structured replies.
  unsigned f = 1U << 0 | 1U << 2 | 1U << 3 | 1U << 5 | 1U << 6 | 1U << 8;
  if (options_.read_only) f |= 1U << 1;
  if (c.structured) f |= 1U << 7;
  return static_cast<std::uint16_t>(f);
}

bool NbdServer::negotiate(Connection& c) {
  Out hello;
  hello.put(kMagic).put(kOptMagic).put(std::uint16_t{3});
  std::uint8_t word[4];
  if (!send_all(c.fd, hello.bytes()) || !receive(c.fd, word, 4)) return false;
  const auto flags = In(word, 4).get<std::uint32_t>();
  if (flags & ~3U || !(flags & 1)) {
    c.broken = true;
    return false;
  }
  c.no_zeroes = flags & 2;
  std::uint8_t head[16];
  while (receive(c.fd, head, sizeof head)) {
    In in(head, sizeof head);
    if (in.get<std::uint64_t>() != kOptMagic) {
      c.broken = true;
      return false;
    }
    const auto number = in.get<std::uint32_t>();
    const auto length = in.get<std::uint32_t>();
    if (length > kMostOption) {
      if (length > kMaxPayload || number == kExportName) {
        c.broken = true;
        return false;
      }
      if (!discard(c.fd, length) || !reply(c.fd, number, kErrTooBig)) return false;
      continue;
    }
    std::vector<std::uint8_t> data(length);
    if (length && !receive(c.fd, data.data(), length)) return false;
    bool go = false, over = false;
    if (!option(c, number, data, &go, &over) || over) return false;
    if (go) return true;
  }
  return false;
}

bool NbdServer::option(Connection& c, std::uint32_t number, const std::vector<std::uint8_t>& data,
                       bool* go, bool* over) {
  const std::string& name = volume_->array().super().name;
  switch (number) {
    case kExportName: {
      const std::string asked(data.begin(), data.end());
      if (!asked.empty() && asked != name) {
        *over = true;  // this option has no way to say no
        return true;
      }
      Out out;
      out.put(volume_->size()).put(transmission_flags(c));
      if (!c.no_zeroes) out.zeros(124);
      *go = true;
      return send_all(c.fd, out.bytes());
    }
    case kAbort:
      *over = true;
      return reply(c.fd, number, kAck);
    case kList: {
      if (!data.empty()) return reply(c.fd, number, kErrInvalid);
      Out out;
      out.put(static_cast<std::uint32_t>(name.size())).text(name);
      return reply(c.fd, number, kServer, out.bytes()) && reply(c.fd, number, kAck);
    }
    case kInfo:
    case kGo:
      return info(c, number, data, go);
    case kStructured:
      if (!data.empty()) return reply(c.fd, number, kErrInvalid);
      c.structured = true;
      return reply(c.fd, number, kAck);
    case kListMeta:
    case kSetMeta:
      return meta(c, number, data);
    default:
      return reply(c.fd, number, kErrUnsup);
  }
}

bool NbdServer::info(Connection& c, std::uint32_t number, const std::vector<std::uint8_t>& data,
                     bool* go) {
  In in(data.data(), data.size());
  const std::string name = in.text(in.get<std::uint32_t>());
  const auto count = in.get<std::uint16_t>();
  bool sizes = false;
  for (unsigned i = 0; i < count && in.ok(); ++i) sizes |= in.get<std::uint16_t>() == 3;
  if (!in.ok() || !in.empty()) return reply(c.fd, number, kErrInvalid);
  if (!name.empty() && name != volume_->array().super().name) {
    return reply(c.fd, number, kErrUnknown);
  }
  Out out;
  out.put(std::uint16_t{0}).put(volume_->size()).put(transmission_flags(c));
  if (!reply(c.fd, number, kInfoReply, out.bytes())) return false;
  if (sizes) {
    std::uint32_t best = 4096;
    while (best < volume_->array().chunk()) best *= 2;
    Out block;
    block.put(std::uint16_t{3}).put(std::uint32_t{1}).put(best).put(kMaxPayload);
    if (!reply(c.fd, number, kInfoReply, block.bytes())) return false;
  }
  *go = number == kGo;
  return reply(c.fd, number, kAck);
}

bool NbdServer::meta(Connection& c, std::uint32_t number, const std::vector<std::uint8_t>& data) {
  In in(data.data(), data.size());
  const std::string name = in.text(in.get<std::uint32_t>());
  const auto count = in.get<std::uint32_t>();
  const bool list = number == kListMeta;
  bool allocation = list && count == 0, lost = allocation;
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    const std::string query = in.text(in.get<std::uint32_t>());
    allocation |= query == kAllocationName || (list && query == "base:");
    lost |= query == kLostName || (list && query == "kumi:");
  }
  if (!in.ok() || !in.empty() || !c.structured) return reply(c.fd, number, kErrInvalid);
  if (!name.empty() && name != volume_->array().super().name) {
    return reply(c.fd, number, kErrUnknown);
  }
  if (!list) {
    c.allocation = allocation;
    c.lost = lost;
  }
  const auto name_context = [&](std::uint32_t context, const char* text) {
    Out out;
    out.put(list ? 0 : context).text(text);
    return reply(c.fd, number, kMetaReply, out.bytes());
  };
  if (allocation && !name_context(kAllocation, kAllocationName)) return false;
  if (lost && !name_context(kLost, kLostName)) return false;
  return reply(c.fd, number, kAck);
}

}  // namespace kumihimo::storage
