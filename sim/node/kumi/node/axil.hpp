// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Lite master (ARM IHI 0022E, chapter B1): operations one after another, in order. An
// operation without an answer for kTimeout cycles completes with resp 255; should its answer come
// later, it is taken and thrown away, and no operation starts on that channel before it has come.
// Traits: kAddrBits, kHasProt and the accessors of the signals.
#pragma once

#include <deque>

#include "kumi/node/stream.hpp"

namespace kumi::node {

template <class Model, unsigned Index, unsigned Clock, class T>
class AxilPort {
 public:
  static constexpr unsigned kIndex = Index;
  static constexpr unsigned kClock = Clock;
  static constexpr bool kAxil = true;
  static constexpr uint32_t kTimeout = 65536;

  void push(const kumi_axil_op& op) { todo_.push_back(op); }
  bool pop(kumi_axil_op& op) {
    if (done_.empty()) return false;
    op = done_.front();
    done_.pop_front();
    return true;
  }
  uint64_t outstanding() const { return todo_.size(); }

  void close(Model& m) {
    T::awvalid(m) = 0;
    T::wvalid(m) = 0;
    T::arvalid(m) = 0;
    T::bready(m) = 1;
    T::rready(m) = 1;
    if constexpr (T::kHasProt) {
      T::awprot(m) = 0;
      T::arprot(m) = 0;
    }
  }
  void begin(kumi_port&) {}

  void drive(Model& m, kumi_port&, uint64_t t) {
    if (active_) {
      if (release_) {
        release_ = false;
        T::awvalid(m) = aw_;
        T::wvalid(m) = w_;
        T::arvalid(m) = ar_;
      }
      return;
    }
    if (release_) {
      release_ = false;
      T::awvalid(m) = 0;
      T::wvalid(m) = 0;
      T::arvalid(m) = 0;
    }
    if (todo_.empty() || todo_.front().t_ps > t) return;
    const kumi_axil_op& op = todo_.front();
    active_ = true;
    cycles_ = 0;
    if (op.write != 0) {
      put_u64<T::kAddrBits>(T::awaddr(m), op.addr);
      T::wdata(m) = op.data;
      T::wstrb(m) = op.strb & 0xfu;
      T::awvalid(m) = 1;
      T::wvalid(m) = 1;
      aw_ = w_ = true;
    } else {
      put_u64<T::kAddrBits>(T::araddr(m), op.addr);
      T::arvalid(m) = 1;
      ar_ = true;
    }
  }

  bool sample(Model& m, kumi_port& p, uint64_t t) {
    if (!active_ && late_b_ == 0 && late_r_ == 0) return false;
    const bool write = active_ && todo_.front().write != 0;
    bool moved = false;
    if (aw_ && T::awready(m)) {
      aw_ = false;
      release_ = moved = true;
    }
    if (w_ && T::wready(m)) {
      w_ = false;
      release_ = moved = true;
    }
    if (ar_ && T::arready(m)) {
      ar_ = false;
      release_ = moved = true;
    }
    if (T::bvalid(m)) {
      moved = true;
      if (late_b_ != 0) {
        --late_b_;
      } else if (write) {
        complete(p, T::bresp(m), 0, t);
      } else {
        ++p.stats.protocol_errors;
      }
    }
    if (T::rvalid(m)) {
      moved = true;
      if (late_r_ != 0) {
        --late_r_;
      } else if (active_ && !write) {
        complete(p, T::rresp(m), T::rdata(m), t);
      } else {
        ++p.stats.protocol_errors;
      }
    }
    if (active_ && ++cycles_ == kTimeout) {
      // An address that was never taken will not be answered; a request that was taken may be.
      if (write && !aw_ && !w_) ++late_b_;
      if (!write && !ar_) ++late_r_;
      complete(p, 255, 0, t);
    }
    return moved;
  }

 private:
  void complete(kumi_port& p, unsigned resp, uint32_t data, uint64_t t) {
    kumi_axil_op op = todo_.front();
    todo_.pop_front();
    op.resp = static_cast<uint8_t>(resp);
    op.t_ps = t;
    if (op.write != 0) {
      ++p.stats.rx_frames;
    } else {
      op.data = data;
      ++p.stats.tx_frames;
    }
    done_.push_back(op);
    active_ = aw_ = w_ = ar_ = false;
    release_ = true;
  }

  std::deque<kumi_axil_op> todo_;
  std::deque<kumi_axil_op> done_;
  bool active_ = false;
  bool aw_ = false;       // still waits for awready
  bool w_ = false;        // still waits for wready
  bool ar_ = false;       // still waits for arready
  bool release_ = false;  // a valid has to change at the next drive
  uint32_t cycles_ = 0;
  uint32_t late_b_ = 0;
  uint32_t late_r_ = 0;
};

}  // namespace kumi::node
