// SPDX-License-Identifier: Apache-2.0
#include "sata/transport.hpp"

#include "base/rng.hpp"

namespace kumihimo {
namespace {

enum Purpose : std::uint64_t { kRefuse = 8, kSpoil };

constexpr std::size_t kRegisterWords = 5;

}  // namespace

void SataTransport::reset() {
  waiting_.clear();
  link_.reset();
}

SataWord SataTransport::step(SataWord in) {
  if (!waiting_.empty() && !link_.sending()) link_.send(waiting_.front().frame);
  return link_.step(in);
}

bool SataTransport::chance(double share, std::uint64_t purpose) {
  return share > 0 && unit_at(seed_, draws_++, purpose) < share;
}

bool SataTransport::received(const SataFrame& frame) {
  const auto type = static_cast<std::uint8_t>(frame[0]);
  if (chance(refuse_, kRefuse)) {
    ++stats_.refused;
    if (type == fis::kData) client_.lost_fis();
    return false;
  }
  if (type == fis::kRegisterH2D && frame.size() == kRegisterWords) {
    client_.got_register(fis::read_command(frame));
    return true;
  }
  if (type == fis::kData && frame.size() >= 2 && client_.got_data(frame)) return true;
  ++stats_.illegal;
  return false;
}

void SataTransport::sent(SataSent result) {
  if (waiting_.empty()) return;
  Waiting& w = waiting_.front();
  const bool data = static_cast<std::uint8_t>(w.frame[0]) == fis::kData;
  if (result == SataSent::kGood) {
    link_.rest(w.rest_words);
  } else if (!data && ++w.tries < kTries) {
    ++stats_.repeated;
    return;
  } else if (!data) {
    ++stats_.given_up;
  }
  waiting_.pop_front();
  if (data) client_.data_sent(result == SataSent::kGood);
}

bool SataTransport::spoil_crc() {
  const bool now = chance(spoil_, kSpoil);
  if (now) ++stats_.spoiled;
  return now;
}

}  // namespace kumihimo
