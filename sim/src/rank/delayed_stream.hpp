// SPDX-License-Identifier: Apache-2.0
//
// A stream whose bytes come late, in pieces of any size: for tests that results do not depend on
// it. KUMI_RANK_DELAY=US[:SEED] in the environment puts it around the connections of every rank.
#pragma once

#include <deque>
#include <exception>
#include <memory>

#include "base/types.hpp"
#include "rank/stream.hpp"

namespace kumihimo {

class DelayedStream : public Stream {
 public:
  // The longest delay of a piece; about every third has one.
  DelayedStream(std::unique_ptr<Stream> inner, std::chrono::microseconds most, std::uint64_t seed);

  std::size_t write(const std::uint8_t* data, std::size_t bytes) override;
  std::size_t read(std::uint8_t* to, std::size_t most) override;
  bool leaving() const override { return inner_->leaving(); }
  int fd() const override { return inner_->fd(); }
  std::chrono::microseconds nap() const override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Piece {
    Clock::time_point at;
    Bytes data;
  };

  void pull();
  std::uint64_t draw(std::uint64_t below);

  std::unique_ptr<Stream> inner_;
  std::chrono::microseconds most_;
  std::uint64_t seed_, drawn_ = 0;
  std::deque<Piece> held_;
  std::exception_ptr end_;  // comes after what is held
};

// As the environment asks.
std::unique_ptr<Stream> delayed_by_environment(std::unique_ptr<Stream> stream,
                                               std::uint64_t number);

}  // namespace kumihimo
