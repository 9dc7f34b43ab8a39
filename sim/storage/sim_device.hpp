// SPDX-License-Identifier: Apache-2.0
//
// A disk in virtual time: exact rates, no seeks, a cost for each command; its rates may change at a
// given moment. A clock completes the operations of all disks in order of time.
#pragma once

#include <memory>
#include <queue>
#include <vector>

#include "device.hpp"

namespace kumihimo::storage {

class SimClock {
 public:
  double now() const { return now_; }
  void at(double when, std::function<void()> what);
  // Runs the next event; false when there is none.
  bool step();
  std::uint64_t events() const { return count_; }

 private:
  struct Event {
    double when;
    std::uint64_t number;  // events of the same time in the order in which they were made
    std::function<void()> what;
    bool operator<(const Event& other) const {
      return when != other.when ? when > other.when : number > other.number;
    }
  };
  std::priority_queue<Event> events_;
  double now_ = 0;
  std::uint64_t count_ = 0;
};

struct SimRates {
  double read_mbs = 540;
  double write_mbs = 540;
  double command_us = 0;  // of every command, before its data
  double flush_us = 0;
};

class SimDevice : public Device {
 public:
  SimDevice(std::string name, std::uint64_t size, std::shared_ptr<SimClock> clock, SimRates rates);
  ~SimDevice() override;
  SimDevice(const SimDevice&) = delete;
  SimDevice& operator=(const SimDevice&) = delete;

  void submit(Io io) override;
  std::uint64_t size() const override { return size_; }
  std::string name() const override { return name_; }
  double now() const override { return clock_->now(); }

  // From `when` on both rates are multiplied by `factor`.
  void change_rate(double when, double factor);
  void die() { dead_ = true; }
  void corrupt(std::uint64_t offset, std::uint8_t mask) { medium_[offset] ^= mask; }
  double busy_seconds() const { return busy_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  double finish_of(double start, double mega, double rate) const;

  std::string name_;
  std::uint64_t size_;
  std::shared_ptr<SimClock> clock_;
  SimRates rates_;
  std::uint8_t* medium_;
  double free_at_ = 0, busy_ = 0;
  double change_at_ = 1e300, factor_ = 1;
  std::uint64_t bytes_ = 0;
  bool dead_ = false;
};

}  // namespace kumihimo::storage
