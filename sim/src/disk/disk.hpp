// SPDX-License-Identifier: Apache-2.0
//
// A disk at a node's Serial ATA port: line, PHY, command layer, drive and medium, fault injection
// and access from Python. It runs in the thread of its node, called at each edge of the port's
// clock (kumi_sata_fn).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/stats.hpp"
#include "disk/ata_device.hpp"
#include "sata/line.hpp"
#include "sata/phy.hpp"

namespace kumihimo {

struct DiskOptions {
  std::string file;           // empty: in memory
  bool keep = true;           // writes go to the file
  std::uint64_t sectors = 0;  // 0: size of the file
  DiskProfile profile;
  AtaConfig ata;
  SataLinkConfig link;
  Ps line_ps = 50'000;  // delay of each direction, transceivers and cable
  std::uint64_t seed = 0;
  bool away = false;  // another rank has it; here is only its description, and sectors is given
};

enum class DiskFaultKind : std::uint32_t {
  kSlow = 0,        // x: factor on all access times of the medium
  kHang = 1,        // a: Hang
  kRefuse = 2,      // x: share of good FISes answered with R_ERR
  kSpoil = 3,       // x: share of sent FISes with a wrong CRC
  kLineErrors = 4,  // x: bit error rate of both directions
  kBad = 5,         // a, b: unreadable sectors; x 1: permanently, 0: until written
  kGood = 6,        // a, b: sectors readable again
  kCorrupt = 7,     // a, b: sectors in which one bit flips silently
  kDropWrites = 8,  // a: number of writes acknowledged but not performed
  kPlug = 9,        // a: whether the cable is plugged in
  kPower = 10,      // a: whether power is on
  kCount
};

struct DiskFault {
  DiskFaultKind kind;
  std::uint64_t a = 0, b = 0;
  double x = 0;
};

class Disk {
 public:
  Disk(std::string name, const DiskOptions& options);

  const std::string& name() const { return name_; }
  std::uint64_t sectors() const { return store_.sectors(); }
  // Attaches the disk to a port with this clock and powers it on.
  void attach(Ps period, Ps now = 0);
  static void step(void* self, std::uint64_t t_ps, const kumi_sata_word* from_node,
                   kumi_sata_word* to_node);

  // Between windows. Throws Error for sectors beyond the end and for invalid arguments.
  void check(const DiskFault& f) const;
  void fault(Ps at, const DiskFault& f) { faults_.emplace(at, f); }
  Bytes read(Ps now, std::uint64_t lba, std::uint64_t count, bool cached);
  void write(Ps now, std::uint64_t lba, const Bytes& data);

  bool quiet(Ps now) const;
  std::uint64_t digest() const;
  void stats(Stats& out) const;
  std::string describe() const;
  // Messages for the user since the last call, for example about a failed file.
  std::string take_trouble();

 private:
  kumi_sata_word device(const kumi_sata_word& in, Ps now);
  void apply(const DiskFault& f, Ps now);
  void apply_due(Ps now);
  void line_changed(Ps now);

  std::string name_;
  DiskOptions options_;
  DiskStore store_;
  DiskDrive drive_;
  AtaDevice ata_;
  SataPhy phy_;
  std::unique_ptr<SataLine> in_, out_;
  std::multimap<Ps, DiskFault> faults_;
  bool plugged_ = true, powered_ = true;
  Ps busy_ = 0;  // time of the last activity
  ChainHash hash_;
  kumi_sata_word last_{};
  std::uint64_t cuts_ = 0;
  bool told_ = false;
};

}  // namespace kumihimo
