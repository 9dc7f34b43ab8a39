// SPDX-License-Identifier: Apache-2.0
#include "sim_device.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

namespace kumihimo::storage {

void SimClock::at(double when, std::function<void()> what) {
  events_.push({std::max(when, now_), count_++, std::move(what)});
}

bool SimClock::step() {
  if (events_.empty()) return false;
  auto what = events_.top().what;
  now_ = events_.top().when;
  events_.pop();
  what();
  return true;
}

SimDevice::SimDevice(std::string name, std::uint64_t size, std::shared_ptr<SimClock> clock,
                     SimRates rates)
    : name_(std::move(name)), size_(size), clock_(std::move(clock)), rates_(rates) {
  // Pages exist once they are written.
  void* p = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  medium_ = static_cast<std::uint8_t*>(p);
}

SimDevice::~SimDevice() { ::munmap(medium_, size_); }

void SimDevice::change_rate(double when, double factor) {
  change_at_ = when;
  factor_ = factor;
}

// When data of `mega` MB is through that starts at `start`, with the change of rate on its way.
double SimDevice::finish_of(double start, double mega, double rate) const {
  if (start >= change_at_) return start + mega / (rate * factor_);
  const double before = (change_at_ - start) * rate;
  if (mega <= before) return start + mega / rate;
  return change_at_ + (mega - before) / (rate * factor_);
}

void SimDevice::submit(Io io) {
  int error = dead_ ? EIO : 0;
  const bool data = io.op == Op::kRead || io.op == Op::kWrite;
  if (data && io.offset + io.data.size > size_) error = EIO;
  const double start = std::max(clock_->now(), free_at_);
  double end = start;
  if (!error && data) {
    const double rate = io.op == Op::kRead ? rates_.read_mbs : rates_.write_mbs;
    end =
        finish_of(start + rates_.command_us * 1e-6, static_cast<double>(io.data.size) * 1e-6, rate);
    bytes_ += io.data.size;
    if (io.op == Op::kWrite) std::memcpy(medium_ + io.offset, io.data.data, io.data.size);
    if (io.op == Op::kRead) std::memcpy(io.data.data, medium_ + io.offset, io.data.size);
  } else if (!error && io.op == Op::kFlush) {
    end = start + rates_.flush_us * 1e-6;
  }
  busy_ += end - start;
  free_at_ = end;
  clock_->at(end, [io = std::move(io), error]() mutable { io.finish(error); });
}

}  // namespace kumihimo::storage
