// SPDX-License-Identifier: Apache-2.0
//
// Exercises the disk model for the sanitizers: commands and FISes with random content, corrupted
// frames, noise, resets at any time, faults. Periodically all faults are cleared, and the disk must
// answer and keep its data. Arguments: a scratch folder, and the number of rounds. Exit code 0 if
// two runs agree.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/rng.hpp"
#include "disk/disk.hpp"

using namespace kumihimo;

namespace {

constexpr Ps kPeriod = 6'667;
constexpr std::uint64_t kSectors = 4096;

struct Random {
  std::uint64_t seed, count = 0;
  std::uint64_t operator()(std::uint64_t below) { return random_at(seed, count++, 0) % below; }
};

// A host, with the link layer of a device, except that it does not yield.
class Host : private SataLink::Client {
 public:
  Host(const std::string& name, const DiskOptions& options, std::uint64_t seed)
      : disk(name, options), link_(*this, {true, 0.001, 20, seed}) {
    disk.attach(kPeriod);
  }

  Disk disk;
  Ps now = 0;
  std::vector<SataFrame> got;
  std::optional<SataSent> ended;
  bool spoil = false;

  void send(SataFrame f) {
    ended.reset();
    link_.send(std::move(f));
  }
  bool sending() const { return link_.sending(); }

  // Exchanges a number of words, some of them replaced by noise.
  void run(std::uint64_t words, Random* noise = nullptr) {
    for (; words > 0; --words) {
      const SataWord w = link_.step(seen());
      kumi_sata_word out{};
      out.data = w.data;
      out.k = w.k;
      if (noise != nullptr && (*noise)(4) == 0) {
        out.data = static_cast<std::uint32_t>((*noise)(1ull << 32));
        out.k = static_cast<std::uint8_t>((*noise)(16));
      }
      word(out);
    }
  }

  // From COMRESET until the link is up; false: the disk does not answer.
  bool start() {
    got.clear();
    signal(KUMI_SATA_COMINIT, 400);
    if (!wait(KUMI_SATA_COMINIT) || !wait(0)) return false;
    signal(KUMI_SATA_COMWAKE, 200);
    if (!wait(KUMI_SATA_COMWAKE) || !wait(0)) return false;
    kumi_sata_word align{};
    align.data = sata::kAlign;
    align.k = 1;
    link_.reset();
    for (int i = 0; i < 100 && in_.data != sata::kAlign; ++i) word(align);
    for (int i = 0; i < 400 && in_.data == sata::kAlign; ++i) word(align);
    return true;
  }

  // The next FIS of a type; empty after the given number of words.
  SataFrame next(std::uint8_t type, std::uint64_t words = 400'000) {
    for (; words > 0; words -= 10) {
      run(10);
      for (std::size_t i = 0; i < got.size(); ++i) {
        if (static_cast<std::uint8_t>(got[i][0]) != type) continue;
        SataFrame f = got[i];
        got.erase(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        return f;
      }
    }
    return {};
  }

  bool give(const SataFrame& f) {
    send(f);
    for (int i = 0; i < 1000 && !ended; ++i) run(10);
    return ended == SataSent::kGood;
  }

 private:
  SataWord seen() const {
    if ((in_.flags & KUMI_SATA_IDLE) != 0) return {};
    return {in_.data, in_.k == 1, (in_.flags & KUMI_SATA_ERROR) != 0 || in_.k > 1};
  }
  bool received(const SataFrame& f) override {
    got.push_back(f);
    return true;
  }
  void broken() override {}
  void sent(SataSent result) override { ended = result; }
  bool spoil_crc() override { return spoil; }

  void word(const kumi_sata_word& out) {
    now += kPeriod;
    Disk::step(&disk, now, &out, &in_);
  }
  void signal(std::uint8_t flag, int words) {
    kumi_sata_word w{};
    w.flags = static_cast<std::uint8_t>(flag | KUMI_SATA_IDLE);
    for (int i = 0; i < words; ++i) word(w);
  }
  bool wait(std::uint8_t flag) {
    kumi_sata_word w{};
    w.flags = KUMI_SATA_IDLE;
    for (int i = 0; i < 4000; ++i) {
      word(w);
      if ((in_.flags & (KUMI_SATA_COMINIT | KUMI_SATA_COMWAKE)) == flag) return true;
    }
    return false;
  }

  SataLink link_;
  kumi_sata_word in_{};
};

SataFrame command(std::uint8_t opcode, std::uint64_t lba, std::uint32_t count,
                  std::uint32_t features = 0) {
  return {0x8027u | std::uint32_t{opcode} << 16 | (features & 255) << 24,
          static_cast<std::uint32_t>(lba & 0xFFFFFF) | 0x40u << 24,
          static_cast<std::uint32_t>(lba >> 24) | features >> 8 << 24, count, 0};
}

SataFrame any_command(Random& r) {
  static constexpr std::uint8_t kOpcodes[] = {0x06, 0x25, 0x2F, 0x35, 0x3D, 0x60, 0x60, 0x61, 0x61,
                                              0x90, 0xC8, 0xCA, 0xE0, 0xE5, 0xEA, 0xEC, 0xEF};
  const std::uint64_t lba = r(20) == 0 ? r(1ull << 48) : r(kSectors);
  const auto opcode = r(10) == 0 ? static_cast<std::uint8_t>(r(256)) : kOpcodes[r(sizeof kOpcodes)];
  if (opcode == 0x2F) return command(opcode, r(3) == 0 ? r(1 << 16) : 0x10, 1);
  if (opcode == 0x60 || opcode == 0x61) {
    return command(opcode, lba, static_cast<std::uint32_t>(r(256)),
                   static_cast<std::uint32_t>(1 + r(40)));
  }
  return command(opcode, lba, static_cast<std::uint32_t>(r(8) == 0 ? r(1 << 16) : 1 + r(40)),
                 static_cast<std::uint32_t>(r(3)));
}

SataFrame any_frame(Random& r) {
  if (r(3) != 0) return any_command(r);
  SataFrame f(1 + r(r(20) == 0 ? 2100 : 300));
  for (std::uint32_t& w : f) w = static_cast<std::uint32_t>(r(1ull << 32));
  if (r(2) == 0) f[0] = fis::kData;
  if (r(8) == 0) f[0] = fis::kRegisterH2D | static_cast<std::uint32_t>(r(2)) << 15;
  return f;
}

DiskFault any_fault(Random& r) {
  DiskFault f{static_cast<DiskFaultKind>(r(static_cast<std::uint64_t>(DiskFaultKind::kCount)))};
  const std::uint64_t lba = r(kSectors);
  switch (f.kind) {
    case DiskFaultKind::kSlow:
      f.x = 0.5 + static_cast<double>(r(8));
      break;
    case DiskFaultKind::kHang:
      f.a = r(3);
      break;
    case DiskFaultKind::kRefuse:
    case DiskFaultKind::kSpoil:
      f.x = 0.3;
      break;
    case DiskFaultKind::kLineErrors:
      f.x = 1e-4;
      break;
    case DiskFaultKind::kBad:
    case DiskFaultKind::kGood:
    case DiskFaultKind::kCorrupt:
      f.a = lba;
      f.b = 1 + r(kSectors - lba);
      f.x = static_cast<double>(r(2));
      break;
    default:
      f.a = r(2);
  }
  return f;
}

void mend(Host& h) {
  const DiskFault well[] = {{DiskFaultKind::kSlow, 0, 0, 1}, {DiskFaultKind::kHang},
                            {DiskFaultKind::kRefuse},        {DiskFaultKind::kSpoil},
                            {DiskFaultKind::kLineErrors},    {DiskFaultKind::kGood, 0, kSectors},
                            {DiskFaultKind::kDropWrites},    {DiskFaultKind::kPlug, 1},
                            {DiskFaultKind::kPower, 1}};
  for (const DiskFault& f : well) h.disk.fault(h.now, f);
  h.spoil = false;
}

// A disk without faults answers, and keeps a sector.
bool works(Host& h, std::uint64_t lba) {
  h.run(1000);  // pending faults
  mend(h);
  h.run(20'000);  // the disk's own activity after being plugged in
  const auto fail = [&](const char* what) {
    std::printf("at %llu ps: %s\n", static_cast<unsigned long long>(h.now), what);
    return false;
  };
  if (!h.start()) return fail("no answer to COMRESET");
  if (h.next(fis::kRegisterD2H).empty()) return fail("no signature");
  h.run(100);
  SataFrame data(129, static_cast<std::uint32_t>(h.now));
  data[0] = fis::kData;
  if (!h.give(command(0x3D, lba, 1))) return fail("the write was not taken");
  if (h.next(fis::kDmaActivate).empty()) return fail("no data was asked for");
  h.run(100);
  if (!h.give(data)) return fail("the data was not taken");
  const SataFrame end = h.next(fis::kRegisterD2H, 20'000'000);
  if (end.empty() || (end[0] >> 16 & 1) != 0) return fail("the write did not end");
  h.run(100);
  if (!h.give(command(0x25, lba, 1))) return fail("the read was not taken");
  if (h.next(fis::kData, 20'000'000) != data) return fail("another sector was read");
  const Bytes there = h.disk.read(h.now, lba, 1, false);
  if (std::memcmp(there.data(), data.data() + 1, there.size()) != 0) {
    return fail("another sector is on the medium");
  }
  return true;
}

std::string run(const std::string& file, std::uint64_t seed, bool rotating, int rounds) {
  DiskOptions o;
  o.file = file;
  o.sectors = kSectors;
  o.seed = seed;
  o.profile.cache = 256;
  o.profile.rotating = rotating;
  o.profile.rpm = 15000;
  o.profile.seek_min_ps = 10'000'000;
  o.profile.seek_max_ps = 100'000'000;
  o.link.hold = 0.001;
  Host h("disk", o, seed);
  Random r{seed};
  for (int round = 0; round < rounds; ++round) {
    if (!works(h, r(kSectors))) return "";
    for (int i = 0; i < 120; ++i) {
      switch (r(12)) {
        case 0:
          h.disk.fault(h.now + r(5'000'000), any_fault(r));
          break;
        case 1:
          h.run(r(200), &r);
          break;
        case 2:
          h.start();
          break;
        case 3:
          h.spoil = r(2) != 0;
          break;
        default:
          if (!h.sending()) h.send(any_frame(r));
      }
      h.run(r(3000));
      h.got.clear();
    }
  }
  return hex64(h.disk.digest()) + (works(h, 0) ? " works" : "");
}

// Published values.
bool sums() {
  SataScrambler s;
  for (const std::uint32_t want :
       {0xC2D2768Du, 0x1F26B368u, 0xA508436Cu, 0x3452D354u, 0x8A559502u, 0xBB1ABE1Bu}) {
    if (s.next() != want) return false;
  }
  SataCrc c;
  for (const std::uint32_t w : {0x00308027u, 0xE1234567u, 0u, 2u, 0u}) c.word(w);
  return c.value() == 0x319FFF6F;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || !sums()) return 2;
  const int rounds = std::atoi(argv[2]);
  for (const bool rotating : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const std::string file = std::string(argv[1]) + "/disk.img";
      const std::string where = seed == 2 ? file : "";
      const std::string one = run(where, seed, rotating, rounds);
      std::filesystem::remove(file);
      const std::string two = run(where, seed, rotating, rounds);
      std::filesystem::remove(file);
      std::printf("%s\n", one.c_str());
      if (one.empty() || one != two || one.find("works") == std::string::npos) {
        std::printf("differs: %s\n", two.c_str());
        return 1;
      }
    }
  }
  std::printf("disks: equal\n");
  return 0;
}
