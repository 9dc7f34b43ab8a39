// SPDX-License-Identifier: Apache-2.0
#include "link_port.hpp"

namespace kumihimo::link_model {

Block LinkPort::send(const Time& time, const Word& out, bool be_open, bool xoff) const {
  if (time.mark_x) {
    const std::uint64_t body = std::uint64_t{tx_crc_.crc()} |
                               std::uint64_t{number_} << kMarkNumber |
                               std::uint64_t{xoff} << kMarkXoff;
    return {Kind::kCtrl, ctrl_block(kTypeMark, body)};
  }
  if (!time.slot_x) return {};
  switch (out.kind) {
    case WordKind::kData:
      return {Kind::kData, out.data};
    case WordKind::kHead:
      return {Kind::kCtrl, ctrl_block(kTypeHead, out.data & kBody)};
    case WordKind::kTail:
      return {Kind::kCtrl, ctrl_block(kTypeTail, out.data & kBody)};
    default:
      return {Kind::kCtrl, ctrl_block(kTypeEmpty, std::uint64_t{xoff} << kEmptyXoff |
                                                      std::uint64_t{be_open} << kEmptyOpen)};
  }
}

void LinkPort::step(const Time& time, const Frame& frame, const LinkConfig& config, const Word& out,
                    const Block& sent, bool take, const Block& rx, bool up) {
  tx_crc_.step(tx_slot_, tx_last_, tx_row_, false);
  tx_slot_ = time.slot_x;
  tx_last_ = time.last_x;
  tx_row_ = sent.data;
  unsent_ = time.slot_x && out.kind != WordKind::kEmpty && !take;
  if (time.mark_x) ++number_;
  receive(rx, time, frame, config, up);
}

void LinkPort::receive(const Block& rx, const Time& time, const Frame& frame,
                       const LinkConfig& config, bool up) {
  const bool ctrl = rx.kind == Kind::kCtrl, good = ctrl && check_ok(rx.data);
  const std::uint8_t type = type_of(rx.data);
  const bool mark = good && type == kTypeMark, empty = good && type == kTypeEmpty;
  const bool locked = align_.locked(), counting = align_.counting();
  FrameAlign::In in;
  in.up = up;
  in.fixed = config.fixed;
  in.given = config.offset;
  in.mark = mark;
  in.bad = !(rx.kind == Kind::kData ||
             (good && (type == kTypeEmpty || type == kTypeHead || type == kTypeTail)));
  in.word.data = rx.data;
  in.word.kind = rx.kind == Kind::kData      ? WordKind::kData
                 : ctrl && type == kTypeHead ? WordKind::kHead
                 : ctrl && type == kTypeTail ? WordKind::kTail
                                             : WordKind::kEmpty;

  const bool was_mark = mark_, done = rx_crc_.done();
  bad_crc_ = skipped_ = false;
  // The frame that this marker ends was counted from its beginning.
  if (was_mark) {
    bad_crc_ = started_ && was_ && !(have_ && rx_crc_.crc() == want_);
    started_ = false;
  }
  if (rx_slot_) started_ = true;
  have_ = (have_ || done) && !was_mark;
  rx_crc_.step(rx_slot_, rx_last_, rx_row_, was_mark);
  if (mark) {
    const auto number = static_cast<std::uint8_t>(rx.data >> kMarkNumber);
    skipped_ = locked && number != static_cast<std::uint8_t>(rx_number_ + 1);
    want_ = static_cast<std::uint32_t>(rx.data);
    rx_number_ = number;
    xoff_ = (rx.data & bit(kMarkXoff)) != 0;
  } else if (counting && empty) {
    xoff_ = (rx.data & bit(kEmptyXoff)) != 0;
  }
  if (!locked) xoff_ = started_ = false;
  mark_ = mark && up;
  mark_away_ = align_.away();
  was_ = locked;
  rx_slot_ = counting;
  rx_last_ = align_.last(frame.slots);
  rx_row_ = rx.data;
  align_.step(in, time, frame);
}

}  // namespace kumihimo::link_model
