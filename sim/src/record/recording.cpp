// SPDX-License-Identifier: Apache-2.0
#include "record/recording.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/hash.hpp"

namespace kumihimo {
namespace {

constexpr std::uint32_t kMaxPayload = 1u << 28;

class Packer {
 public:
  template <class T>
  Packer& add(T v) {
    const auto* p = reinterpret_cast<const std::uint8_t*>(&v);
    bytes.insert(bytes.end(), p, p + sizeof v);
    return *this;
  }
  Packer& raw(const void* data, std::size_t n) {
    const auto* p = static_cast<const std::uint8_t*>(data);
    bytes.insert(bytes.end(), p, p + n);
    return *this;
  }
  Bytes bytes;
};

class Unpacker {
 public:
  explicit Unpacker(const Bytes& b) : bytes_(b) {}
  template <class T>
  T get() {
    T v{};
    if (at_ + sizeof v > bytes_.size()) throw Error("a record is too short");
    std::memcpy(&v, bytes_.data() + at_, sizeof v);
    at_ += sizeof v;
    return v;
  }
  std::string text(std::size_t n) {
    if (at_ + n > bytes_.size()) throw Error("a record is too short");
    std::string s(reinterpret_cast<const char*>(bytes_.data()) + at_, n);
    at_ += n;
    return s;
  }
  Bytes bytes(std::size_t n) {
    if (at_ + n > bytes_.size()) throw Error("a record is too short");
    const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += n;
    return {from, from + static_cast<std::ptrdiff_t>(n)};
  }
  Bytes rest() {
    Bytes b(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), bytes_.end());
    at_ = bytes_.size();
    return b;
  }
  bool more() const { return at_ < bytes_.size(); }

 private:
  const Bytes& bytes_;
  std::size_t at_ = 0;
};

std::pair<RecordType, Bytes> encode(const Event& e) {
  Packer p;
  p.add(e.t_ps);
  if (const auto* f = std::get_if<FrameEvent>(&e.what)) {
    p.add(f->at_ps).add(f->actor).raw(f->data.data(), f->data.size());
    return {RecordType::kFrame, std::move(p.bytes)};
  }
  if (const auto* r = std::get_if<RegisterEvent>(&e.what)) {
    p.add(r->actor).add(r->port).add(r->address).add(r->data).add(r->strobe);
    p.add(std::uint8_t{r->write}).add(std::uint8_t{r->setup}).add(std::uint8_t{0});
    return {RecordType::kRegister, std::move(p.bytes)};
  }
  if (const auto* q = std::get_if<PinEvent>(&e.what)) {
    p.add(q->actor).add(q->pin).add(std::uint32_t{q->setup});
    for (const std::uint32_t w : q->words) p.add(w);
    return {RecordType::kPin, std::move(p.bytes)};
  }
  if (const auto* m = std::get_if<MemoryEvent>(&e.what)) {
    p.add(m->actor).add(m->port).add(m->kind).add(std::uint32_t{m->setup});
    p.add(m->address).add(m->bytes).raw(m->data.data(), m->data.size());
    return {RecordType::kMemory, std::move(p.bytes)};
  }
  if (const auto* l = std::get_if<PlugEvent>(&e.what)) {
    p.add(l->at_ps).add(l->lane_cable).add(std::uint8_t{l->in}).add(std::uint8_t{l->setup});
    p.add(std::uint16_t{0});
    return {RecordType::kPlug, std::move(p.bytes)};
  }
  if (const auto* d = std::get_if<DiskEvent>(&e.what)) {
    p.add(d->at_ps).add(d->disk).add(d->kind).add(d->fault).add(std::uint32_t{d->setup});
    p.add(d->a).add(d->b).add(d->x).raw(d->data.data(), d->data.size());
    return {RecordType::kDisk, std::move(p.bytes)};
  }
  if (const auto* w = std::get_if<CableEvent>(&e.what)) {
    const Impairments& im = w->impair;
    p.add(w->at_ps).add(w->cable).add(w->kind).add(w->directions).add(std::uint32_t{w->setup});
    p.add(im.loss).add(im.ber).add(im.duplicate).add(im.reorder).add(im.reorder_gap);
    p.add(im.jitter_ps).add(std::uint32_t{im.pass_bad});
    return {RecordType::kCable, std::move(p.bytes)};
  }
  if (const auto* n = std::get_if<ResetEvent>(&e.what)) {
    p.add(n->at_ps).add(n->actor);
    return {RecordType::kReset, std::move(p.bytes)};
  }
  if (const auto* x = std::get_if<FlipEvent>(&e.what)) {
    p.add(x->at_ps).add(x->lane_cable).add(x->direction).add(x->lane).add(x->bit);
    p.add(std::uint32_t{x->setup});
    return {RecordType::kFlip, std::move(p.bytes)};
  }
  if (const auto* h = std::get_if<HostEvent>(&e.what)) {
    p.add(h->host).raw(h->answers.data(), h->answers.size());
    return {RecordType::kHost, std::move(p.bytes)};
  }
  const auto& c = std::get<CheckEvent>(e.what);
  p.add(c.digest);
  return {c.end ? RecordType::kEnd : RecordType::kCheck, std::move(p.bytes)};
}

// Nothing: an event of a later version.
std::optional<Event> decode(RecordType type, const Bytes& payload) {
  Unpacker u(payload);
  Event e{u.get<Ps>(), CheckEvent{}};
  switch (type) {
    case RecordType::kFrame: {
      FrameEvent f{u.get<Ps>(), u.get<std::uint32_t>(), {}};
      f.data = u.rest();
      e.what = std::move(f);
      return e;
    }
    case RecordType::kRegister: {
      RegisterEvent r{};
      r.actor = u.get<std::uint32_t>();
      r.port = u.get<std::uint32_t>();
      r.address = u.get<std::uint32_t>();
      r.data = u.get<std::uint32_t>();
      r.strobe = u.get<std::uint8_t>();
      r.write = u.get<std::uint8_t>();
      r.setup = u.get<std::uint8_t>();
      e.what = r;
      return e;
    }
    case RecordType::kPin: {
      PinEvent p{};
      p.actor = u.get<std::uint32_t>();
      p.pin = u.get<std::uint32_t>();
      p.setup = u.get<std::uint32_t>();
      while (u.more()) p.words.push_back(u.get<std::uint32_t>());
      e.what = std::move(p);
      return e;
    }
    case RecordType::kMemory: {
      MemoryEvent m{};
      m.actor = u.get<std::uint32_t>();
      m.port = u.get<std::uint32_t>();
      m.kind = u.get<MemoryEvent::Kind>();
      m.setup = u.get<std::uint32_t>();
      m.address = u.get<std::uint64_t>();
      m.bytes = u.get<std::uint64_t>();
      m.data = u.rest();
      e.what = std::move(m);
      return e;
    }
    case RecordType::kPlug: {
      PlugEvent l{};
      l.at_ps = u.get<Ps>();
      l.lane_cable = u.get<std::uint32_t>();
      l.in = u.get<std::uint8_t>();
      l.setup = u.get<std::uint8_t>();
      e.what = l;
      return e;
    }
    case RecordType::kDisk: {
      DiskEvent d{};
      d.at_ps = u.get<Ps>();
      d.disk = u.get<std::uint32_t>();
      d.kind = u.get<DiskEvent::Kind>();
      d.fault = u.get<std::uint32_t>();
      d.setup = u.get<std::uint32_t>();
      d.a = u.get<std::uint64_t>();
      d.b = u.get<std::uint64_t>();
      d.x = u.get<double>();
      d.data = u.rest();
      e.what = std::move(d);
      return e;
    }
    case RecordType::kCable: {
      CableEvent c{};
      c.at_ps = u.get<Ps>();
      c.cable = u.get<std::uint32_t>();
      c.kind = u.get<CableEvent::Kind>();
      c.directions = u.get<std::uint32_t>();
      c.setup = u.get<std::uint32_t>();
      c.impair.loss = u.get<double>();
      c.impair.ber = u.get<double>();
      c.impair.duplicate = u.get<double>();
      c.impair.reorder = u.get<double>();
      c.impair.reorder_gap = u.get<std::uint32_t>();
      c.impair.jitter_ps = u.get<Ps>();
      c.impair.pass_bad = u.get<std::uint32_t>();
      e.what = c;
      return e;
    }
    case RecordType::kReset: {
      ResetEvent r{u.get<Ps>(), 0};
      r.actor = u.get<std::uint32_t>();
      e.what = r;
      return e;
    }
    case RecordType::kFlip: {
      FlipEvent x{};
      x.at_ps = u.get<Ps>();
      x.lane_cable = u.get<std::uint32_t>();
      x.direction = u.get<std::uint32_t>();
      x.lane = u.get<std::uint32_t>();
      x.bit = u.get<std::uint32_t>();
      x.setup = u.get<std::uint32_t>();
      e.what = x;
      return e;
    }
    case RecordType::kHost: {
      HostEvent h{u.get<std::uint32_t>(), {}};
      h.answers = u.rest();
      e.what = std::move(h);
      return e;
    }
    case RecordType::kCheck:
    case RecordType::kEnd:
      e.what = CheckEvent{u.get<std::uint64_t>(), type == RecordType::kEnd};
      return e;
    default:
      return std::nullopt;
  }
}

}  // namespace

void pack_event(Bytes& out, const Event& e) {
  const auto [type, payload] = encode(e);
  Packer p;
  p.add(static_cast<std::uint32_t>(payload.size())).add(type);
  out.insert(out.end(), p.bytes.begin(), p.bytes.end());
  out.insert(out.end(), payload.begin(), payload.end());
}

std::vector<Event> unpack_events(const Bytes& packed) {
  std::vector<Event> out;
  for (Unpacker u(packed); u.more();) {
    const auto size = u.get<std::uint32_t>();
    const auto type = u.get<RecordType>();
    std::optional<Event> e = decode(type, u.bytes(size));
    if (!e) throw Error("another rank sent an unknown event");
    out.push_back(std::move(*e));
  }
  return out;
}

RecordingWriter::RecordingWriter(const std::string& path, const std::string& metadata)
    : file_(path), metadata_(metadata) {}

void RecordingWriter::header(const std::string& topology) {
  file_.write(kRecordingMagic, sizeof kRecordingMagic);
  file_.value(kRecordingVersion);
  file_.value(std::uint32_t{0});
  Packer p;
  p.add(static_cast<std::uint32_t>(metadata_.size())).raw(metadata_.data(), metadata_.size());
  p.add(static_cast<std::uint32_t>(topology.size())).raw(topology.data(), topology.size());
  record(RecordType::kHeader, p.bytes);
  flush();
}

void RecordingWriter::record(RecordType type, const Bytes& payload) {
  Packer p;
  p.add(static_cast<std::uint32_t>(payload.size())).add(static_cast<std::uint32_t>(type));
  p.raw(payload.data(), payload.size());
  p.add(crc32(p.bytes.data(), p.bytes.size()));
  file_.write(p.bytes.data(), p.bytes.size());
}

void RecordingWriter::write(const Event& e) {
  const auto [type, payload] = encode(e);
  record(type, payload);
}

void RecordingWriter::add(const Event& e) {
  if (holds_) {
    held_.push_back(e);
  } else {
    write(e);
  }
}

void RecordingWriter::give(std::vector<Event> of_another) {
  std::move(of_another.begin(), of_another.end(), std::back_inserter(held_));
}

void RecordingWriter::release() {
  std::stable_sort(held_.begin(), held_.end(),
                   [](const Event& a, const Event& b) { return a.t_ps < b.t_ps; });
  for (const Event& e : held_) write(e);
  held_.clear();
}

void RecordingWriter::close() {
  release();
  file_.close();
}

RecordingReader::RecordingReader(const std::string& path)
    : in_(path, std::ios::binary), path_(path) {
  if (!in_) throw Error("cannot read " + path + ": " + std::strerror(errno));
  char magic[8] = {};
  std::uint32_t reserved = 0;
  in_.read(magic, sizeof magic);
  in_.read(reinterpret_cast<char*>(&version_), sizeof version_);
  in_.read(reinterpret_cast<char*>(&reserved), sizeof reserved);
  if (!in_ || std::memcmp(magic, kRecordingMagic, sizeof magic) != 0) {
    throw Error(path + " is no recording");
  }
  if (version_ != kRecordingVersion) {
    throw Error(path + " is a recording of version " + std::to_string(version_) +
                "; this program reads version " + std::to_string(kRecordingVersion));
  }
  RecordType type{};
  Bytes payload;
  if (!record(type, payload) || type != RecordType::kHeader) {
    throw Error(path + ": the recording's header is broken");
  }
  Unpacker u(payload);
  metadata_ = u.text(u.get<std::uint32_t>());
  topology_ = u.text(u.get<std::uint32_t>());
}

bool RecordingReader::record(RecordType& type, Bytes& payload) {
  std::uint32_t head[2];
  in_.read(reinterpret_cast<char*>(head), sizeof head);
  if (in_.gcount() == 0) return false;
  broken_ = true;
  if (!in_ || head[0] > kMaxPayload) return false;
  payload.resize(head[0]);
  std::uint32_t crc = 0;
  in_.read(reinterpret_cast<char*>(payload.data()), static_cast<std::streamsize>(head[0]));
  if (!in_) return false;
  in_.read(reinterpret_cast<char*>(&crc), sizeof crc);
  if (!in_) return false;
  if (crc != crc32(payload.data(), payload.size(), crc32(head, sizeof head))) return false;
  type = static_cast<RecordType>(head[1]);
  broken_ = false;
  return true;
}

std::optional<Event> RecordingReader::next() {
  RecordType type{};
  Bytes payload;
  while (!ended_ && !broken_ && record(type, payload)) {
    ended_ = type == RecordType::kEnd;
    if (std::optional<Event> e = decode(type, payload)) return e;
  }
  return std::nullopt;
}

}  // namespace kumihimo
