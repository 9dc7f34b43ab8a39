// SPDX-License-Identifier: Apache-2.0
//
// Block layouts: draft-ietf-opsawg-pcapng. InfiniBand has no usable link type of its own: packets
// are records of type 21 in the Extensible Record Format (ERF), which tshark decodes.
#include "record/capture.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace kumihimo {
namespace {

enum Option : std::uint16_t {
  kEnd = 0,
  kComment = 1,
  kApplication = 4,  // section
  kName = 2,         // interface
  kDescription = 3,
  kSpeed = 8,
  kTimeResolution = 9,
  kFcsLength = 13,
  kFlags = 2,  // packet
};

template <class T>
void put(Bytes& b, T v) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(&v);
  b.insert(b.end(), p, p + sizeof v);
}

void pad(Bytes& b) {
  while (b.size() % 4) b.push_back(0);
}

void option(Bytes& b, std::uint16_t code, const void* data, std::size_t n) {
  put(b, code);
  put(b, static_cast<std::uint16_t>(n));
  const auto* p = static_cast<const std::uint8_t*>(data);
  b.insert(b.end(), p, p + n);
  pad(b);
}

void option(Bytes& b, std::uint16_t code, const std::string& text) {
  if (!text.empty()) option(b, code, text.data(), std::min<std::size_t>(text.size(), 65535));
}

constexpr std::uint32_t kCrcError = 1u << 24;

constexpr std::uint16_t kLinkEthernet = 1, kLinkErf = 197;
constexpr std::uint8_t kErfInfiniband = 21, kErfVaryingLength = 4, kErfRxError = 16;
constexpr std::uint32_t kErfHeader = 16;

template <class T>
void put_big(Bytes& b, T v) {
  for (int shift = 8 * (sizeof v - 1); shift >= 0; shift -= 8) {
    b.push_back(static_cast<std::uint8_t>(v >> shift));
  }
}

void put_erf_header(Bytes& b, const CapturedFrame& f) {
  constexpr Ps kSecond = 1'000'000'000'000;
  const std::uint64_t fraction = ((f.t_ps % kSecond / 1000) << 32) / 1'000'000'000;
  const auto bytes = static_cast<std::uint16_t>(f.data.size());
  put(b, f.t_ps / kSecond << 32 | fraction);
  b.push_back(kErfInfiniband);
  b.push_back(static_cast<std::uint8_t>(kErfVaryingLength | (f.bad ? kErfRxError : 0)));
  put_big(b, static_cast<std::uint16_t>(kErfHeader + bytes));
  put_big(b, std::uint16_t{0});  // packets lost before
  put_big(b, bytes);
}

}  // namespace

Capture::Capture(const std::string& path, std::string comment,
                 std::vector<CaptureInterface> interfaces)
    : file_(path), comment_(std::move(comment)), interfaces_(std::move(interfaces)) {}

void Capture::open() {
  section();
  for (const CaptureInterface& i : interfaces_) interface(i);
}

void Capture::block(std::uint32_t type, const Bytes& body) {
  const auto length = static_cast<std::uint32_t>(body.size() + 12);
  file_.value(type);
  file_.value(length);
  file_.write(body.data(), body.size());
  file_.value(length);
}

void Capture::section() {
  Bytes b;
  put(b, std::uint32_t{0x1a2b3c4d});
  put(b, std::uint16_t{1});
  put(b, std::uint16_t{0});
  put(b, ~std::uint64_t{0});  // length not given
  option(b, kComment, comment_);
  option(b, kApplication, "kumihimo");
  put(b, std::uint32_t{kEnd});
  block(0x0a0d0d0a, b);
}

void Capture::interface(const CaptureInterface& i) {
  Bytes b;
  put(b, i.infiniband ? kLinkErf : kLinkEthernet);
  put(b, std::uint16_t{0});
  put(b, std::uint32_t{0});  // no limit
  option(b, kName, i.name);
  option(b, kDescription, i.description);
  if (i.rate_bps > 0) {
    const auto speed = static_cast<std::uint64_t>(i.rate_bps);
    option(b, kSpeed, &speed, 8);
  }
  const std::uint8_t nanoseconds = 9, no_fcs = 0;
  option(b, kTimeResolution, &nanoseconds, 1);
  if (!i.infiniband) option(b, kFcsLength, &no_fcs, 1);
  put(b, std::uint32_t{kEnd});
  block(1, b);
}

void Capture::packet(const CapturedFrame& f) {
  const std::uint64_t ns = f.t_ps / 1000;
  const bool erf = interfaces_[f.interface].infiniband;
  const auto n = static_cast<std::uint32_t>(f.data.size()) + (erf ? kErfHeader : 0);
  Bytes b;
  b.reserve(n + 64);
  put(b, f.interface);
  put(b, static_cast<std::uint32_t>(ns >> 32));
  put(b, static_cast<std::uint32_t>(ns));
  put(b, n);
  put(b, n);
  if (erf) put_erf_header(b, f);
  b.insert(b.end(), f.data.begin(), f.data.end());
  pad(b);
  option(b, kComment, f.comment);
  const std::uint32_t flags = (f.inbound ? 1u : 2u) | (f.bad ? kCrcError : 0u);
  option(b, kFlags, &flags, 4);
  put(b, std::uint32_t{kEnd});
  block(6, b);
  ++frames_;
}

void Capture::collect(Ps now) {
  for (CaptureInterface& i : interfaces_) {
    for (FrameTap* tap : i.taps) {
      auto& done = tap->done();
      if (!finished_) {
        waiting_.insert(waiting_.end(), std::make_move_iterator(done.begin()),
                        std::make_move_iterator(done.end()));
      }
      done.clear();
    }
  }
  if (waiting_.empty() || now == 0) return;
  const auto later = std::partition(waiting_.begin(), waiting_.end(),
                                    [&](const CapturedFrame& f) { return f.t_ps < now; });
  std::sort(waiting_.begin(), later, [](const CapturedFrame& a, const CapturedFrame& b) {
    return std::tie(a.t_ps, a.interface, a.inbound, a.order) <
           std::tie(b.t_ps, b.interface, b.inbound, b.order);
  });
  for (auto it = waiting_.begin(); it != later; ++it) packet(*it);
  waiting_.erase(waiting_.begin(), later);
}

std::vector<CapturedFrame> Capture::take() {
  collect(0);
  return std::exchange(waiting_, {});
}

void Capture::finish() {
  collect(kForever);
  file_.close();
  finished_ = true;
}

}  // namespace kumihimo
