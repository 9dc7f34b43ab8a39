// SPDX-License-Identifier: Apache-2.0
//
// Command layer of a Serial ATA disk: registers, commands, and the data phases on the wire.
//
// One unqueued command, or up to 32 queued ones (NCQ). Queued reads are sent in the order in which
// the medium delivers them, queued writes in an order chosen by the drive. A write completes when
// the cache has accepted it; with FUA, or with the cache disabled, when it is on the medium.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "disk/ata_identify.hpp"
#include "disk/drive.hpp"
#include "sata/transport.hpp"

namespace kumihimo {

struct AtaConfig {
  AtaIdentity identity;
  Ps ready_ps = 0;          // from power-on to the signature
  unsigned gap_words = 48;  // idle words after the end of a command, so that the host can send
  std::uint64_t seed = 0;
};

struct AtaStats {
  std::uint64_t commands = 0, reads = 0, writes = 0, flushes = 0, trims = 0, others = 0;
  std::uint64_t queued = 0, deepest = 0, out_of_order = 0;
  std::uint64_t errors = 0;  // commands completed with an error
  std::uint64_t soft_resets = 0;
};

enum class Hang { kNo, kUntilReset, kForever };

class AtaDevice : private SataTransport::Client {
 public:
  AtaDevice(DiskDrive& drive, const AtaConfig& config, const SataLinkConfig& link);

  SataWord step(SataWord in, Ps now);
  // Advances time while the line is down.
  void pass(Ps now);

  void power_on(Ps now);
  void comreset();       // aborts everything in progress
  void line_up(Ps now);  // sends the signature
  void hang(Hang h) {
    hang_ = h;
    wake_up();
  }
  SataTransport& transport() { return transport_; }
  const SataTransport& transport() const { return transport_; }
  bool idle() const;  // no command, no FIS, no unwritten cache content
  const AtaStats& stats() const { return stats_; }
  unsigned under_way() const;

 private:
  static constexpr unsigned kSlots = 33;
  static constexpr unsigned kUnqueued = 32;  // its slot

  enum class Kind { kRead, kWrite, kTrim, kFlush, kBlock };
  enum class Phase { kWaiting, kOnWire, kSettling };
  struct Job {
    Kind kind = Kind::kFlush;
    Phase phase = Phase::kWaiting;
    fis::Command command;
    std::uint64_t lba = 0, count = 0;  // sectors, of a TRIM blocks
    std::uint64_t moved = 0;
    std::uint64_t number = 0;  // of the command
    Ps from = 0;               // not before
    bool queued = false, durable = false;
    DiskDrive::Id read = 0;
    std::uint64_t order = 0;           // of the last write
    std::vector<std::uint32_t> words;  // a block to send, or data of less than a sector
    bool setup_sent = false, awaits = false;
    unsigned sending = 0;  // sectors of the Data FIS in progress
  };

  // From the wire.
  void got_register(const fis::Command& c) override;
  bool got_data(const SataFrame& frame) override;
  void lost_fis() override;
  void data_sent(bool good) override;

  // Commands (ata_commands.cpp).
  void command(const fis::Command& c);
  void queued_command(const fis::Command& c);
  void begin_transfer(Job job, std::uint64_t sectors, bool ext);
  void begin_block(const fis::Command& c, const std::vector<AtaBlock>& blocks);
  void set_features(const fis::Command& c);
  void read_log(const fis::Command& c);
  void trim(const Job& job);
  void finish(const fis::Command& c);
  void refuse(const fis::Command& c, std::uint8_t error, std::uint8_t status = 0);
  void signature(bool interrupt);
  bool in_range(std::uint64_t lba, std::uint64_t count) const {
    return lba < drive_.sectors() && count <= drive_.sectors() - lba;
  }

  // Data (ata_device.cpp).
  void tick();
  void settle_jobs();
  void pick();
  Ps pick_time(const Job& j) const;
  void go_on();
  void send_read(Job& j);
  void send_block(Job& j);
  void ask_data(Job& j);
  void take_sectors(Job& j);
  void data_done(Job& j);
  void complete(unsigned slot);
  void fail(unsigned slot, std::uint8_t error, std::uint64_t lba, std::uint8_t status = 0);
  void fail_queue(SataFrame told);
  void tell_done();
  void forget_all();
  void send(SataFrame frame, bool end = false);
  void wake_up() { wake_ = drive_next_ = 0; }

  DiskDrive& drive_;
  AtaConfig config_;
  SataTransport transport_;
  AtaStats stats_;
  std::array<std::optional<Job>, kSlots> jobs_;
  int wire_ = -1;           // the slot whose data is on the wire
  std::uint32_t done_ = 0;  // completed queued commands not yet reported
  std::uint64_t newest_done_ = 0;
  bool queue_failed_ = false;  // until the host reads the log
  AtaBlock log_{};
  bool in_soft_reset_ = false;
  Hang hang_ = Hang::kNo;
  std::optional<Ps> signature_at_;
  Ps powered_ = 0;
  Ps now_ = 0;
  Ps wake_ = 0;        // earliest time with work
  Ps drive_next_ = 0;  // earliest time of a drive event
};

}  // namespace kumihimo
