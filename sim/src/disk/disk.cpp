// SPDX-License-Identifier: Apache-2.0
#include "disk/disk.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "base/rng.hpp"

namespace kumihimo {
namespace {

constexpr Ps kRestPs = 20'000'000;  // inactive for this long: idle
constexpr std::uint64_t kMostSectors = std::uint64_t{1} << 48;
constexpr std::uint64_t kMostFaulty = std::uint64_t{1} << 20;  // sectors of one fault
constexpr unsigned kMostLineWords = 1u << 16;

enum Purpose : std::uint64_t { kDriveSeed = 32, kAtaSeed, kLinkSeed, kInSeed, kOutSeed };

DiskOptions prepared(const std::string& name, DiskOptions o) {
  if (o.sectors > kMostSectors) throw Error("disk '" + name + "': more than 2^48 sectors");
  if (o.profile.cache < 64) throw Error("disk '" + name + "': a cache has at least 64 sectors");
  o.ata.seed = random_at(o.seed, 0, kAtaSeed);
  o.link.seed = random_at(o.seed, 0, kLinkSeed);
  AtaIdentity& d = o.ata.identity;
  if (d.serial.empty()) d.serial = name;
  d.wwn = 0x5000000000000000 | random_at(o.seed, 0, kDriveSeed) >> 4;
  d.rpm = o.profile.rotating ? o.profile.rpm : 0;
  return o;
}

AtaConfig with_size(AtaConfig c, std::uint64_t sectors) {
  c.identity.sectors = sectors;
  return c;
}

}  // namespace

Disk::Disk(std::string name, const DiskOptions& options)
    : name_(std::move(name)),
      options_(prepared(name_, options)),
      store_(options_.away ? "" : options_.file, options_.keep, options_.sectors),
      drive_(store_, options_.profile, random_at(options_.seed, 1, kDriveSeed)),
      ata_(drive_, with_size(options_.ata, store_.sectors()), options_.link) {
  attach(6'667);
}

void Disk::attach(Ps period, Ps now) {
  const auto words = static_cast<unsigned>(
      std::min<Ps>(options_.line_ps / std::max<Ps>(period, 1), kMostLineWords));
  in_ = std::make_unique<SataLine>(random_at(options_.seed, 0, kInSeed), words);
  out_ = std::make_unique<SataLine>(random_at(options_.seed, 0, kOutSeed), words);
  phy_.power(true, now);
  ata_.power_on(now);
}

void Disk::step(void* self, std::uint64_t t_ps, const kumi_sata_word* from_node,
                kumi_sata_word* to_node) {
  Disk& d = *static_cast<Disk*>(self);
  const kumi_sata_word& w = *from_node;
  if (w.data != d.last_.data || w.k != d.last_.k || w.flags != d.last_.flags) {
    d.last_ = w;
    d.hash_.word(t_ps ^ static_cast<std::uint64_t>(w.data) << 32 ^
                 static_cast<std::uint64_t>(w.k | w.flags << 4) << 24);
  }
  if (!d.faults_.empty()) d.apply_due(t_ps);
  *to_node = d.out_->pass(d.device(d.in_->pass(w), t_ps));
}

kumi_sata_word Disk::device(const kumi_sata_word& in, Ps now) {
  if (!plugged_ || !powered_) {
    if (powered_) ata_.pass(now);
    kumi_sata_word dark{};
    dark.flags = KUMI_SATA_IDLE;
    return dark;
  }
  kumi_sata_word out = phy_.step(in, now);
  if (phy_.take_reset()) ata_.comreset();
  if (!phy_.up()) {
    if (!phy_.settled()) busy_ = now;
    ata_.pass(now);
    return out;
  }
  if (phy_.take_up()) ata_.line_up(now);
  const SataWord w =
      ata_.step({in.data, in.k == 1, (in.flags & KUMI_SATA_ERROR) != 0 || in.k > 1}, now);
  out.data = w.data;
  out.k = w.k ? 1 : 0;
  if (!ata_.idle()) busy_ = now;
  return out;
}

// ---- faults -----------------------------------------------------------------------------------

void Disk::check(const DiskFault& f) const {
  const auto refuse = [&](const std::string& why) { throw Error("disk '" + name_ + "': " + why); };
  switch (f.kind) {
    case DiskFaultKind::kSlow:
      if (!(f.x >= 0.001 && f.x <= 1e6)) refuse("slow: a factor from 0.001 to 1000000 is wanted");
      break;
    case DiskFaultKind::kHang:
      if (f.a > 2) refuse("hang: 0, 1 or 2 is wanted");
      break;
    case DiskFaultKind::kRefuse:
    case DiskFaultKind::kSpoil:
    case DiskFaultKind::kLineErrors:
      if (!(f.x >= 0 && f.x <= 1)) refuse("a share is from 0 to 1");
      break;
    case DiskFaultKind::kBad:
    case DiskFaultKind::kGood:
    case DiskFaultKind::kCorrupt:
      if (f.b == 0 || f.b > kMostFaulty) refuse("1 to 1048576 sectors at once");
      if (f.a >= sectors() || f.b > sectors() - f.a) {
        refuse("it has " + std::to_string(sectors()) + " sectors; " + std::to_string(f.a) + "+" +
               std::to_string(f.b) + " is beyond its end");
      }
      break;
    case DiskFaultKind::kDropWrites:
    case DiskFaultKind::kPlug:
    case DiskFaultKind::kPower:
      break;
    case DiskFaultKind::kCount:
      refuse("there is no such fault");
  }
}

void Disk::apply_due(Ps now) {
  while (!faults_.empty() && faults_.begin()->first <= now) {
    const DiskFault f = faults_.begin()->second;
    faults_.erase(faults_.begin());
    apply(f, now);
  }
}

void Disk::apply(const DiskFault& f, Ps now) {
  busy_ = now;
  ata_.pass(now);
  switch (f.kind) {
    case DiskFaultKind::kSlow:
      drive_.slow(f.x);
      break;
    case DiskFaultKind::kHang:
      ata_.hang(static_cast<Hang>(f.a));
      break;
    case DiskFaultKind::kRefuse:
      ata_.transport().refuse(f.x);
      break;
    case DiskFaultKind::kSpoil:
      ata_.transport().spoil(f.x);
      break;
    case DiskFaultKind::kLineErrors:
      in_->errors(f.x);
      out_->errors(f.x);
      break;
    case DiskFaultKind::kBad:
      drive_.bad(f.a, f.b, f.x != 0);
      break;
    case DiskFaultKind::kGood:
      drive_.good(f.a, f.b);
      break;
    case DiskFaultKind::kCorrupt:
      drive_.corrupt(f.a, f.b);
      break;
    case DiskFaultKind::kDropWrites:
      drive_.drop_writes(f.a);
      break;
    case DiskFaultKind::kPlug:
      if (plugged_ == (f.a != 0)) break;
      plugged_ = f.a != 0;
      line_changed(now);
      break;
    case DiskFaultKind::kPower:
      if (powered_ == (f.a != 0)) break;
      powered_ = f.a != 0;
      if (powered_) {
        ata_.power_on(now);
      } else {
        ++cuts_;
        drive_.power_cut(now);
        ata_.comreset();
      }
      line_changed(now);
      break;
    case DiskFaultKind::kCount:
      break;
  }
}

void Disk::line_changed(Ps now) {
  ata_.comreset();
  phy_.power(plugged_ && powered_, now);
}

// ---- from outside -----------------------------------------------------------------------------

Bytes Disk::read(Ps now, std::uint64_t lba, std::uint64_t count, bool cached) {
  if (powered_) drive_.advance(now);
  Bytes out(count * kSectorBytes);
  Sector s;
  for (std::uint64_t i = 0; i < count; ++i) {
    drive_.look(lba + i, s, cached);
    std::memcpy(out.data() + i * kSectorBytes, s.data(), kSectorBytes);
  }
  return out;
}

void Disk::write(Ps now, std::uint64_t lba, const Bytes& data) {
  if (powered_) drive_.advance(now);
  Sector s;
  for (std::uint64_t i = 0; i * kSectorBytes < data.size(); ++i) {
    std::memcpy(s.data(), data.data() + i * kSectorBytes, kSectorBytes);
    drive_.poke(lba + i, s);
  }
}

bool Disk::quiet(Ps now) const { return now > busy_ + kRestPs && (!powered_ || drive_.clean()); }

std::uint64_t Disk::digest() const {
  ChainHash h = hash_;
  h.word(store_.digest());
  h.word(drive_.waiting());
  return h.value();
}

std::string Disk::take_trouble() {
  if (told_ || store_.error().empty()) return {};
  told_ = true;
  return store_.error();
}

void Disk::stats(Stats& out) const {
  const AtaStats& a = ata_.stats();
  const DriveStats& d = drive_.stats();
  const SataLinkStats& l = ata_.transport().link_stats();
  const SataTransportStats& t = ata_.transport().stats();
  out.set("sectors", sectors());
  out.set("plugged", std::uint64_t{plugged_});
  out.set("powered", std::uint64_t{powered_});
  out.set("linked", std::uint64_t{plugged_ && powered_ && phy_.up()});
  out.set("commands", a.commands);
  out.set("reads", a.reads);
  out.set("writes", a.writes);
  out.set("flushes", a.flushes);
  out.set("trims", a.trims);
  out.set("queued", a.queued);
  out.set("queue_depth_seen", a.deepest);
  out.set("out_of_order", a.out_of_order);
  out.set("under_way", std::uint64_t{ata_.under_way()});
  out.set("errors", a.errors);
  out.set("sectors_read", d.sectors_read);
  out.set("sectors_written", d.sectors_written);
  out.set("sectors_settled", d.sectors_settled);
  out.set("sectors_cached", drive_.waiting());
  out.set("sectors_lost", d.sectors_lost);
  out.set("writes_dropped", d.writes_dropped);
  out.set("seeks", d.seeks);
  out.set("power_cuts", cuts_);
  out.set("resets", phy_.resets());
  out.set("soft_resets", a.soft_resets);
  Stats& w = out.group("wire");
  w.set("frames_in", l.frames_in);
  w.set("frames_out", l.frames_out);
  w.set("crc_errors", l.crc_errors);
  w.set("rerr_sent", l.rerr_sent);
  w.set("rerr_got", l.rerr_got);
  w.set("aborts", l.aborts);
  w.set("holds_sent", l.holds_sent);
  w.set("holds_got", l.holds_got);
  w.set("repeated", t.repeated);
  w.set("given_up", t.given_up);
  w.set("illegal", t.illegal);
  w.set("refused", t.refused);
  w.set("spoiled", t.spoiled);
  w.set("broken_words", in_->broken() + out_->broken());
}

std::string Disk::describe() const {
  const DiskProfile& p = options_.profile;
  const AtaConfig& a = options_.ata;
  const SataLinkConfig& l = options_.link;
  const auto n = [](double v) {
    char text[40];
    std::snprintf(text, sizeof text, " %.17g", v);
    return std::string(text);
  };
  const auto u = [](std::uint64_t v) { return " " + std::to_string(v); };
  return "disk " + name_ + " sectors" + u(sectors()) +
         (options_.file.empty() ? " memory" : " file") + " rotating" + u(p.rotating) + " rates" +
         n(p.read_rate) + n(p.write_rate) + " times" + u(p.latency_ps) + u(p.write_latency_ps) +
         u(p.jitter_ps) + u(p.seek_min_ps) + u(p.seek_max_ps) + u(p.rpm) + " zones" + u(p.zones) +
         n(p.inner_rate) + " cache" + u(p.cache) + u(p.read_ahead) + " depth" +
         u(a.identity.queue_depth) + " trim" + u(a.identity.trim) + " ready" + u(a.ready_ps) +
         " gap" + u(a.gap_words) + " line" + u(options_.line_ps) + " cont" + u(l.cont) + " hold" +
         n(l.hold) + u(l.hold_words) + " seed" + u(options_.seed);
}

}  // namespace kumihimo
