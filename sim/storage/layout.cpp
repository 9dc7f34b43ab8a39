// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "crc32c.hpp"

namespace kumihimo::storage {
namespace {

constexpr char kSuperMagic[] = "KUMISTOR";
constexpr std::uint32_t kLogMagic = 0x474F4C4B;  // "KLOG"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kTable = 512;
constexpr std::size_t kEntryBytes = 48;

template <class T>
void put(std::uint8_t* p, T v) {
  for (std::size_t i = 0; i < sizeof(T); ++i) p[i] = static_cast<std::uint8_t>(v >> (8 * i));
}

template <class T>
T get(const std::uint8_t* p) {
  std::uint64_t v = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) v |= static_cast<std::uint64_t>(p[i]) << (8 * i);
  return static_cast<T>(v);
}

// CRC with the field at `at` taken as zero.
std::uint32_t crc_without(const std::uint8_t* p, std::size_t size, std::size_t at) {
  const std::uint8_t zero[4] = {};
  const std::uint32_t c = crc32c(zero, 4, crc32c(p, at));
  return crc32c(p + at + 4, size - at - 4, c);
}

void seal_log(std::uint8_t* s, std::uint32_t owner, std::uint32_t generation, std::uint32_t index,
              std::uint32_t first, std::uint32_t sectors, std::uint16_t records, std::uint8_t kind,
              std::uint8_t words) {
  put(s, kLogMagic);
  put(s + 8, owner);
  put(s + 12, generation);
  put(s + 16, index);
  put(s + 20, first);
  put(s + 24, sectors);
  put(s + 28, records);
  s[30] = kind;
  s[31] = words;
  put(s + 4, crc_without(s, kSector, 4));
}

bool log_right(const std::uint8_t* s, std::uint32_t owner) {
  return get<std::uint32_t>(s) == kLogMagic && get<std::uint32_t>(s + 8) == owner &&
         get<std::uint32_t>(s + 4) == crc_without(s, kSector, 4);
}

// Whether the fields make sense together; a superblock with a right CRC always passes unless it was
// made by something else.
std::string implausible(const Super& s) {
  if (s.chunk_log2 < 12 || s.chunk_log2 > 22) return "its chunk size is out of range";
  if (s.k < 1 || s.p > 2 || s.width() > kMaxWidth) return "its stripe width is out of range";
  if (s.index >= s.table.size()) return "its own number is not in its table";
  if (s.table[s.index].id != s.device) return "its table has another device under its number";
  if (s.slots == 0 || s.slots > 1U << 24 || s.policy > 1) return "a field is out of range";
  if (s.replicas < 1 || s.replicas > 3) return "its number of record replicas is out of range";
  if (s.stripes == 0 || s.stripes > s.physical || s.physical > UINT32_MAX) {
    return "its capacity is out of range";
  }
  const std::uint64_t log_end = kLogOffset + 2ULL * s.half_sectors * kSector;
  if (s.half_sectors < 2 || s.data_offset < log_end ||
      s.data_offset + (static_cast<std::uint64_t>(s.slots) << s.chunk_log2) + kSuperBytes >
          s.size) {
    return "its areas overlap";
  }
  return "";
}

}  // namespace

std::string text_of(const Uuid& id) {
  std::string out;
  char hex[3];
  for (std::size_t i = 0; i < id.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    std::snprintf(hex, sizeof hex, "%02x", id[i]);
    out += hex;
  }
  return out;
}

const char* name_of(State s) {
  switch (s) {
    case State::kEmpty:
      return "empty";
    case State::kActive:
      return "active";
    case State::kFailed:
      return "failed";
    case State::kDraining:
      return "draining";
  }
  return "unknown";
}

std::vector<std::uint8_t> encode(const Super& s) {
  std::vector<std::uint8_t> b(kSuperBytes, 0);
  std::memcpy(b.data(), kSuperMagic, 8);
  put(&b[8], kVersion);
  std::copy(s.array.begin(), s.array.end(), b.begin() + 16);
  std::copy(s.device.begin(), s.device.end(), b.begin() + 32);
  put(&b[48], s.events);
  put(&b[56], s.stripes);
  put(&b[64], s.physical);
  b[72] = s.index;
  b[73] = s.chunk_log2;
  b[74] = s.k;
  b[75] = s.p;
  b[76] = static_cast<std::uint8_t>(s.table.size());
  b[77] = s.policy;
  b[78] = s.spares;
  b[79] = s.replicas;
  put(&b[80], s.size);
  put(&b[88], kLogOffset);
  put(&b[96], s.half_sectors);
  put(&b[100], s.slots);
  put(&b[104], s.data_offset);
  put(&b[112], s.epoch);
  std::memcpy(&b[128], s.name.data(), std::min<std::size_t>(s.name.size(), 64));
  for (std::size_t i = 0; i < s.table.size(); ++i) {
    const Entry& e = s.table[i];
    std::uint8_t* q = &b[kTable + kEntryBytes * i];
    std::copy(e.id.begin(), e.id.end(), q);
    q[16] = static_cast<std::uint8_t>(e.state);
    put(q + 24, e.slots);
    put(q + 28, e.read_kbs);
    put(q + 32, e.write_kbs);
    put(q + 36, e.half_sectors);
    put(q + 40, e.size);
  }
  put(&b[12], crc_without(b.data(), kSuperBytes, 12));
  return b;
}

Decoded decode_super(const std::uint8_t* b) {
  Decoded out;
  out.magic = std::memcmp(b, kSuperMagic, 8) == 0;
  if (!out.magic) {
    out.why = "it is not a disk of a storage array";
    return out;
  }
  if (get<std::uint32_t>(b + 12) != crc_without(b, kSuperBytes, 12)) {
    out.why = "its superblock is damaged (checksum)";
    return out;
  }
  const auto version = get<std::uint32_t>(b + 8);
  if (version != kVersion) {
    out.why = "its format has version " + std::to_string(version) + ", this program knows 1";
    return out;
  }
  Super s;
  std::copy(b + 16, b + 32, s.array.begin());
  std::copy(b + 32, b + 48, s.device.begin());
  s.events = get<std::uint64_t>(b + 48);
  s.stripes = get<std::uint64_t>(b + 56);
  s.physical = get<std::uint64_t>(b + 64);
  s.index = b[72];
  s.chunk_log2 = b[73];
  s.k = b[74];
  s.p = b[75];
  s.policy = b[77];
  s.spares = b[78];
  s.replicas = b[79];
  s.size = get<std::uint64_t>(b + 80);
  s.half_sectors = get<std::uint32_t>(b + 96);
  s.slots = get<std::uint32_t>(b + 100);
  s.data_offset = get<std::uint64_t>(b + 104);
  s.epoch = get<std::uint64_t>(b + 112);
  s.name.assign(reinterpret_cast<const char*>(b + 128),
                strnlen(reinterpret_cast<const char*>(b + 128), 64));
  if (b[76] > kMaxDevices || get<std::uint64_t>(b + 88) != kLogOffset) {
    out.why = "its superblock has fields out of range";
    return out;
  }
  for (std::size_t i = 0; i < b[76]; ++i) {
    const std::uint8_t* q = b + kTable + kEntryBytes * i;
    Entry e;
    std::copy(q, q + 16, e.id.begin());
    e.state = static_cast<State>(std::min<std::uint8_t>(q[16], 3));
    e.slots = get<std::uint32_t>(q + 24);
    e.read_kbs = get<std::uint32_t>(q + 28);
    e.write_kbs = get<std::uint32_t>(q + 32);
    e.half_sectors = get<std::uint32_t>(q + 36);
    e.size = get<std::uint64_t>(q + 40);
    s.table.push_back(e);
  }
  out.why = implausible(s);
  if (out.why.empty()) out.super = std::move(s);
  return out;
}

Geometry geometry(std::uint64_t size, unsigned chunk_log2, unsigned width) {
  Geometry g;
  g.size = size / 4096 * 4096;
  const std::uint64_t chunk = 1ULL << chunk_log2;
  if (g.size < kLogOffset + kSuperBytes + chunk) return g;
  const std::uint64_t first = (g.size - kLogOffset - kSuperBytes) >> chunk_log2;
  const std::uint64_t r = records_a_sector(width);
  const std::uint64_t half = 16 + (4 * first + 64 + r - 1) / r;
  const std::uint64_t align = std::max<std::uint64_t>(chunk, 65536);
  g.data_offset = (kLogOffset + 2 * half * kSector + align - 1) / align * align;
  if (g.data_offset + kSuperBytes >= g.size) return g;
  g.half_sectors = static_cast<std::uint32_t>(half);
  const std::uint64_t slots = (g.size - kSuperBytes - g.data_offset) >> chunk_log2;
  g.slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, 1U << 24));
  return g;
}

Capacity capacity(std::vector<std::uint32_t> slots, unsigned width, unsigned spares) {
  Capacity c;
  const std::size_t devices = slots.size();
  std::sort(slots.begin(), slots.end());
  if (slots.size() < width + spares) return c;
  slots.resize(slots.size() - spares);
  std::uint64_t low = 0, high = UINT32_MAX;
  while (low < high) {
    const std::uint64_t t = (low + high + 1) / 2;
    std::uint64_t sum = 0;
    for (const std::uint64_t s : slots) sum += std::min(s, t);
    if (sum >= width * t) {
      low = t;
    } else {
      high = t - 1;
    }
  }
  const std::uint64_t reserve =
      std::min(low / 2, std::max<std::uint64_t>({low / 32, 4 * devices, 16}));
  c.physical = low;
  c.stripes = low - reserve;
  return c;
}

std::uint32_t owner_of(const Uuid& array, const Uuid& device) {
  return crc32c(device.data(), device.size(), crc32c(array.data(), array.size()));
}

std::vector<std::uint8_t> encode_records(const std::vector<Record>& records, unsigned width,
                                         std::uint32_t owner, std::uint32_t generation,
                                         std::uint32_t index) {
  const std::size_t r = records_a_sector(width);
  const std::size_t sectors = (records.size() + r - 1) / r;
  std::vector<std::uint8_t> out(sectors * kSector, 0);
  for (std::size_t s = 0; s < sectors; ++s) {
    std::uint8_t* sector = &out[s * kSector];
    const std::size_t n = std::min(r, records.size() - s * r);
    for (std::size_t i = 0; i < n; ++i) {
      const Record& rec = records[s * r + i];
      std::uint8_t* q = sector + kLogHeader + i * record_bytes(width);
      put(q, rec.seq);
      put(q + 8, rec.logical);
      q[12] = static_cast<std::uint8_t>(rec.mapping);
      q[13] = static_cast<std::uint8_t>(width);
      for (std::size_t j = 0; j < rec.places.size(); ++j) put(q + 16 + 8 * j, rec.places[j].word);
    }
    seal_log(sector, owner, generation, index + static_cast<std::uint32_t>(s), index,
             static_cast<std::uint32_t>(sectors), static_cast<std::uint16_t>(n), 1,
             static_cast<std::uint8_t>(record_bytes(width) / 8));
  }
  return out;
}

std::vector<std::uint8_t> encode_head(std::uint32_t owner, const LogHead& head) {
  std::vector<std::uint8_t> out(kSector, 0);
  put(&out[32], head.checkpoint);
  put(&out[40], head.seq);
  put(&out[48], head.events);
  seal_log(out.data(), owner, head.generation, 0, 0, 1, 0, 2, 0);
  return out;
}

std::optional<LogHead> decode_head(const std::uint8_t* s, std::uint32_t owner) {
  if (!log_right(s, owner) || s[30] != 2 || get<std::uint32_t>(s + 16) != 0) return std::nullopt;
  LogHead h;
  h.generation = get<std::uint32_t>(s + 12);
  h.checkpoint = get<std::uint32_t>(s + 32);
  h.seq = get<std::uint64_t>(s + 40);
  h.events = get<std::uint64_t>(s + 48);
  return h;
}

LogContent decode_log(const std::uint8_t* bytes, std::uint32_t sectors, const LogHead& head,
                      std::uint32_t owner, unsigned width) {
  LogContent out;
  auto right = [&](std::uint32_t i) {
    const std::uint8_t* s = bytes + static_cast<std::size_t>(i) * kSector;
    return log_right(s, owner) && s[30] == 1 && get<std::uint32_t>(s + 12) == head.generation &&
           get<std::uint32_t>(s + 16) == i && s[31] * 8U == record_bytes(width) &&
           get<std::uint16_t>(s + 28) <= records_a_sector(width);
  };
  std::uint32_t i = 1;
  for (; i < sectors && right(i); ++i) {
    const std::uint8_t* s = bytes + static_cast<std::size_t>(i) * kSector;
    for (std::size_t j = 0; j < get<std::uint16_t>(s + 28); ++j) {
      const std::uint8_t* q = s + kLogHeader + j * record_bytes(width);
      Record r;
      r.seq = get<std::uint64_t>(q);
      r.logical = get<std::uint32_t>(q + 8);
      r.mapping = q[12] == 1 ? Mapping::kMapped : q[12] == 2 ? Mapping::kUnmapped : Mapping::kLost;
      for (std::size_t x = 0; x < width; ++x)
        r.places.push_back({get<std::uint64_t>(q + 16 + 8 * x)});
      out.records.push_back(std::move(r));
    }
  }
  out.end = i;
  out.damaged = i <= head.checkpoint;
  for (std::uint32_t j = i + 1; j < sectors && !out.damaged; ++j) {
    out.damaged = right(j) && get<std::uint32_t>(bytes + std::size_t{j} * kSector + 20) > i;
  }
  return out;
}

}  // namespace kumihimo::storage
