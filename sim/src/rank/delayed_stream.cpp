// SPDX-License-Identifier: Apache-2.0
#include "rank/delayed_stream.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/rng.hpp"

namespace kumihimo {
namespace {

constexpr std::size_t kPieces[] = {1, 7, 100, 5000, 65536};

}  // namespace

DelayedStream::DelayedStream(std::unique_ptr<Stream> inner, std::chrono::microseconds most,
                             std::uint64_t seed)
    : inner_(std::move(inner)), most_(most), seed_(seed) {}

std::uint64_t DelayedStream::draw(std::uint64_t below) {
  return random_at(seed_, drawn_++, 0) % below;
}

std::size_t DelayedStream::write(const std::uint8_t* data, std::size_t bytes) {
  return inner_->write(data, bytes);
}

void DelayedStream::pull() {
  while (!end_) {
    Piece p;
    p.data.resize(kPieces[draw(std::size(kPieces))]);
    try {
      p.data.resize(inner_->read(p.data.data(), p.data.size()));
    } catch (...) {
      end_ = std::current_exception();
    }
    if (end_ || p.data.empty()) return;
    p.at = Clock::now();
    if (draw(3) == 0) {
      p.at += std::chrono::microseconds(draw(static_cast<std::uint64_t>(most_.count()) + 1));
    }
    if (!held_.empty()) p.at = std::max(p.at, held_.back().at);
    held_.push_back(std::move(p));
  }
}

std::size_t DelayedStream::read(std::uint8_t* to, std::size_t most) {
  pull();
  if (held_.empty()) {
    if (end_) std::rethrow_exception(end_);
    return 0;
  }
  Piece& p = held_.front();
  if (Clock::now() < p.at) return 0;
  const std::size_t n = std::min(most, p.data.size());
  std::memcpy(to, p.data.data(), n);
  p.data.erase(p.data.begin(), p.data.begin() + static_cast<std::ptrdiff_t>(n));
  if (p.data.empty()) held_.pop_front();
  return n;
}

std::chrono::microseconds DelayedStream::nap() const {
  if (held_.empty()) return inner_->nap();
  const auto left = held_.front().at - Clock::now();
  return std::clamp(std::chrono::duration_cast<std::chrono::microseconds>(left),
                    std::chrono::microseconds(1), inner_->nap());
}

std::unique_ptr<Stream> delayed_by_environment(std::unique_ptr<Stream> stream,
                                               std::uint64_t number) {
  const char* text = std::getenv("KUMI_RANK_DELAY");
  if (!text || !*text) return stream;
  char* rest = nullptr;
  const std::uint64_t us = std::strtoull(text, &rest, 10);
  const std::uint64_t seed = *rest == ':' ? std::strtoull(rest + 1, &rest, 10) : 0;
  if (us == 0 || us > 1'000'000 || *rest) {
    throw Error("KUMI_RANK_DELAY is US or US:SEED, 1 to 1000000 us, not '" + std::string(text) +
                "'");
  }
  return std::make_unique<DelayedStream>(std::move(stream), std::chrono::microseconds(us),
                                         random_at(seed, number, 0));
}

}  // namespace kumihimo
