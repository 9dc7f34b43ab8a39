// SPDX-License-Identifier: Apache-2.0
#include "disk/ata_device.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/rng.hpp"

namespace kumihimo {
namespace {

using namespace sata;

}  // namespace

AtaDevice::AtaDevice(DiskDrive& drive, const AtaConfig& config, const SataLinkConfig& link)
    : drive_(drive), config_(config), transport_(*this, link) {}

void AtaDevice::power_on(Ps now) {
  powered_ = now;
  config_.identity.auto_activate = false;
  config_.identity.write_cache = true;
  forget_all();
}

void AtaDevice::comreset() {
  if (hang_ == Hang::kUntilReset) hang_ = Hang::kNo;
  config_.identity.auto_activate = false;
  in_soft_reset_ = false;
  signature_at_.reset();
  forget_all();
}

void AtaDevice::line_up(Ps now) {
  transport_.reset();
  signature_at_ = std::max(now, powered_ + config_.ready_ps);
  wake_up();
}

void AtaDevice::forget_all() {
  for (auto& j : jobs_) j.reset();
  drive_.forget_reads();
  wire_ = -1;
  done_ = 0;
  queue_failed_ = false;
  transport_.cancel();
  wake_up();
}

bool AtaDevice::idle() const {
  if (hang_ != Hang::kNo) return under_way() == 0 && transport_.idle();
  return wake_ == kForever && wire_ < 0 && transport_.idle();
}

unsigned AtaDevice::under_way() const {
  return static_cast<unsigned>(
      std::count_if(jobs_.begin(), jobs_.end(), [](const auto& j) { return j.has_value(); }));
}

SataWord AtaDevice::step(SataWord in, Ps now) {
  now_ = now;
  if (now >= wake_) tick();
  return transport_.step(in);
}

void AtaDevice::pass(Ps now) {
  now_ = now;
  if (now < wake_) return;
  drive_.advance(now);
  wake_ = drive_next_ = drive_.next();
}

void AtaDevice::send(SataFrame frame, bool end) {
  transport_.send(std::move(frame), end ? config_.gap_words : 0);
}

// ---- from the wire ----------------------------------------------------------------------------

void AtaDevice::got_register(const fis::Command& c) {
  wake_up();
  if (hang_ != Hang::kNo) return;
  if (c.is_command) {
    if (!in_soft_reset_) command(c);
    return;
  }
  const bool reset = (c.control & 4) != 0;
  if (reset && !in_soft_reset_) {
    ++stats_.soft_resets;
    forget_all();
  } else if (!reset && in_soft_reset_) {
    signature_at_ = now_;
  }
  in_soft_reset_ = reset;
}

bool AtaDevice::got_data(const SataFrame& frame) {
  wake_up();
  if (wire_ < 0 || !jobs_[static_cast<unsigned>(wire_)]->awaits) return false;
  Job& j = *jobs_[static_cast<unsigned>(wire_)];
  const std::uint64_t want = (j.count - j.moved) * kSectorWords - j.words.size();
  if (frame.size() - 1 > want) {
    lost_fis();
    return false;
  }
  j.words.insert(j.words.end(), frame.begin() + 1, frame.end());
  j.awaits = false;
  take_sectors(j);
  return true;
}

// Damaged data is not requested again: the command ends.
void AtaDevice::lost_fis() {
  wake_up();
  if (wire_ < 0 || !jobs_[static_cast<unsigned>(wire_)]->awaits) return;
  fail(static_cast<unsigned>(wire_), fis::kIcrc | fis::kAbort,
       jobs_[static_cast<unsigned>(wire_)]->lba);
}

void AtaDevice::data_sent(bool good) {
  wake_up();
  if (wire_ < 0) return;
  Job& j = *jobs_[static_cast<unsigned>(wire_)];
  if (!good) {
    fail(static_cast<unsigned>(wire_), fis::kIcrc | fis::kAbort, j.lba + j.moved);
    return;
  }
  j.moved += j.sending;
  j.sending = 0;
  if (j.moved == j.count) data_done(j);
}

// Whole sectors go to the drive.
void AtaDevice::take_sectors(Job& j) {
  const std::uint64_t whole = j.words.size() / kSectorWords;
  if (j.kind == Kind::kWrite && whole > 0) {
    j.order = drive_.write(now_, j.lba + j.moved, j.words.data(), whole);
    j.words.erase(j.words.begin(),
                  j.words.begin() + static_cast<std::ptrdiff_t>(whole * kSectorWords));
    j.moved += whole;
  } else if (j.kind == Kind::kTrim && whole == j.count) {
    j.moved = j.count;
  }
  if (j.moved == j.count) data_done(j);
}

// The wire is free for another command.
void AtaDevice::data_done(Job& j) {
  const auto slot = static_cast<unsigned>(wire_);
  wire_ = -1;
  if (j.kind == Kind::kTrim) trim(j);
  if (j.kind == Kind::kWrite && j.durable) {
    j.phase = Phase::kSettling;
    drive_.urge(now_, j.lba, j.count);
  } else {
    complete(slot);
  }
}

// ---- ends of commands -------------------------------------------------------------------------

void AtaDevice::complete(unsigned slot) {
  Job& j = *jobs_[slot];
  if (j.read != 0) drive_.forget(j.read);
  if (j.queued) {
    done_ |= std::uint32_t{1} << slot;
    if (j.number < newest_done_) ++stats_.out_of_order;
    newest_done_ = std::max(newest_done_, j.number);
  } else if (j.kind != Kind::kBlock) {  // the PIO Setup carried the ending status
    finish(j.command);
  }
  jobs_[slot].reset();
}

void AtaDevice::tell_done() {
  if (done_ == 0) return;
  send(fis::set_device_bits({}, done_), true);
  done_ = 0;
}

void AtaDevice::fail(unsigned slot, std::uint8_t error, std::uint64_t lba, std::uint8_t status) {
  const Job job = *jobs_[slot];
  if (job.read != 0) drive_.forget(job.read);
  jobs_[slot].reset();
  if (wire_ == static_cast<int>(slot)) wire_ = -1;
  fis::Registers r;
  r.status = static_cast<std::uint8_t>(fis::kGood | fis::kError | status);
  r.error = error;
  r.lba = lba;
  r.device = 0x40;
  r.count = job.command.count;
  if (job.queued) {
    log_ = error_log(false, slot, r);
    fail_queue(fis::set_device_bits(r, 0));
  } else {
    ++stats_.errors;
    send(fis::registers(r, true), true);
  }
}

// All queued commands are aborted; the host reads the log and reissues the others.
void AtaDevice::fail_queue(SataFrame told) {
  ++stats_.errors;
  tell_done();
  for (unsigned i = 0; i < kUnqueued; ++i) {
    if (jobs_[i] && jobs_[i]->read != 0) drive_.forget(jobs_[i]->read);
    jobs_[i].reset();
  }
  wire_ = -1;
  queue_failed_ = true;
  send(std::move(told), true);
}

// ---- data -------------------------------------------------------------------------------------

void AtaDevice::tick() {
  if (transport_.busy() && now_ < drive_next_) return;
  if (now_ >= drive_next_) {
    drive_.advance(now_);
    drive_next_ = drive_.next();
  }
  if (signature_at_ && *signature_at_ <= now_ && hang_ != Hang::kForever) {
    signature_at_.reset();
    signature(false);
  }
  if (hang_ != Hang::kNo) {
    wake_ = drive_next_;
    return;
  }
  settle_jobs();
  if (transport_.busy()) return;
  tell_done();
  if (transport_.busy()) return;
  if (wire_ < 0) pick();
  if (wire_ >= 0) go_on();
  if (transport_.busy() || done_ != 0) return;
  // Nothing to send until the drive or a sector is ready.
  wake_ = drive_next_ = drive_.next();
  if (signature_at_) wake_ = std::min(wake_, *signature_at_);
  for (const auto& j : jobs_) {
    if (!j) continue;
    if (j->phase == Phase::kWaiting && wire_ < 0) wake_ = std::min(wake_, pick_time(*j));
    if (j->phase == Phase::kOnWire && j->kind == Kind::kRead && j->sending == 0) {
      const std::uint64_t left = j->count - j->moved;
      const std::uint64_t n = std::min<std::uint64_t>(left, kFisSectors);
      const auto bad = drive_.bad_in(j->read);
      wake_ = std::min(wake_,
                       bad && *bad < j->moved + n ? now_ : drive_.ready_at(j->read, j->moved + n));
    }
  }
}

void AtaDevice::settle_jobs() {
  for (unsigned i = 0; i < kSlots; ++i) {
    auto& j = jobs_[i];
    if (!j || j->phase != Phase::kSettling) continue;
    const bool done =
        j->kind == Kind::kFlush ? drive_.clean() : drive_.settled(j->lba, j->count, j->order);
    if (done) complete(i);
  }
}

// Earliest time at which a command can use the wire.
Ps AtaDevice::pick_time(const Job& j) const {
  if (j.kind == Kind::kRead) {
    const std::uint64_t n = std::min<std::uint64_t>(j.count, kFisSectors);
    const auto bad = drive_.bad_in(j.read);
    if (bad && *bad < n) return *bad > 0 ? drive_.ready_at(j.read, *bad) : drive_.failed_at(j.read);
    return std::max(j.from, drive_.ready_at(j.read, n));
  }
  if (j.kind == Kind::kWrite && !drive_.room(std::min<std::uint64_t>(j.count, kFisSectors))) {
    return kForever;
  }
  return j.from;
}

void AtaDevice::pick() {
  Ps best = kForever;
  for (unsigned i = 0; i < kSlots; ++i) {
    const auto& j = jobs_[i];
    if (!j || j->phase != Phase::kWaiting) continue;
    const Ps t = pick_time(*j);
    if (t > now_ || t >= best) continue;
    best = t;
    wire_ = static_cast<int>(i);
  }
  if (wire_ >= 0) jobs_[static_cast<unsigned>(wire_)]->phase = Phase::kOnWire;
}

// The next FIS of the command on the wire, if it is time.
void AtaDevice::go_on() {
  Job& j = *jobs_[static_cast<unsigned>(wire_)];
  if (j.awaits || j.sending != 0) return;
  switch (j.kind) {
    case Kind::kRead:
      send_read(j);
      break;
    case Kind::kBlock:
      send_block(j);
      break;
    case Kind::kWrite:
    case Kind::kTrim:
      ask_data(j);
      break;
    case Kind::kFlush:
      break;
  }
}

void AtaDevice::send_read(Job& j) {
  std::uint64_t n = std::min<std::uint64_t>(j.count - j.moved, kFisSectors);
  const auto bad = drive_.bad_in(j.read);
  if (bad && *bad < j.moved + n) n = *bad - j.moved;
  if (n == 0) {
    if (drive_.failed_at(j.read) <= now_) {
      fail(static_cast<unsigned>(wire_), fis::kUnc, j.lba + j.moved);
    }
    return;
  }
  if (drive_.ready_at(j.read, j.moved + n) > now_) return;
  if (j.queued && !j.setup_sent) {
    j.setup_sent = true;
    send(fis::dma_setup(static_cast<unsigned>(wire_),
                        static_cast<std::uint32_t>(j.count * kSectorBytes), true, false));
  }
  SataFrame f(1 + n * kSectorWords);
  f[0] = fis::kData;
  for (std::uint64_t i = 0; i < n; ++i) {
    Sector s;
    drive_.fetch(j.lba + j.moved + i, s);
    std::memcpy(f.data() + 1 + i * kSectorWords, s.data(), s.size());
  }
  j.sending = static_cast<unsigned>(n);
  send(std::move(f));
}

void AtaDevice::send_block(Job& j) {
  const bool last = j.moved + 1 == j.count;
  fis::Registers r;
  r.status = fis::kGood | fis::kRequest;
  r.count = 1;
  send(fis::pio_setup(r, last ? fis::kGood : fis::kGood | fis::kBusy, kSector));
  SataFrame f(1 + kSectorWords);
  f[0] = fis::kData;
  const auto from = j.words.begin() + static_cast<std::ptrdiff_t>(j.moved * kSectorWords);
  std::copy(from, from + kSectorWords, f.begin() + 1);
  j.sending = 1;
  send(std::move(f));
}

void AtaDevice::ask_data(Job& j) {
  const std::uint64_t n = std::min<std::uint64_t>(j.count - j.moved, kFisSectors);
  if (j.kind == Kind::kWrite && !drive_.room(n)) return;
  const bool activate = config_.identity.auto_activate;
  bool said = false;
  if (j.queued && !j.setup_sent) {
    j.setup_sent = true;
    said = activate;
    send(fis::dma_setup(static_cast<unsigned>(wire_),
                        static_cast<std::uint32_t>(j.count * kSectorBytes), false, activate));
  }
  if (!said) send(fis::dma_activate());
  j.awaits = true;
}

}  // namespace kumihimo
