// SPDX-License-Identifier: Apache-2.0
//
// The bytes on the disks, as docs/storage-layout.md says. Nothing here does input or output.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace kumihimo::storage {

class StorageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Data that no disk holds any more: too few good chunks, or no record is left.
class LostError : public StorageError {
 public:
  using StorageError::StorageError;
};

// The file of a device has no space for what is to be written; nothing is wrong with the device.
class NoSpaceError : public StorageError {
 public:
  using StorageError::StorageError;
};

using Uuid = std::array<std::uint8_t, 16>;
std::string text_of(const Uuid& id);

inline constexpr std::size_t kSector = 512;
inline constexpr std::size_t kSuperBytes = 8192;
inline constexpr std::uint64_t kLogOffset = 65536;
inline constexpr unsigned kMaxDevices = 128;
inline constexpr unsigned kMaxWidth = 30;
inline constexpr unsigned kAbsent = 255;  // device of a position that was not written
inline constexpr std::size_t kLogHeader = 32;

enum class State : std::uint8_t { kEmpty = 0, kActive = 1, kFailed = 2, kDraining = 3 };
const char* name_of(State s);

struct Entry {
  Uuid id{};
  State state = State::kEmpty;
  std::uint32_t slots = 0;
  std::uint32_t read_kbs = 0;
  std::uint32_t write_kbs = 0;
  std::uint32_t half_sectors = 0;
  std::uint64_t size = 0;
};

struct Super {
  Uuid array{};
  Uuid device{};
  std::uint64_t events = 0;
  std::uint64_t stripes = 0;   // logical
  std::uint64_t physical = 0;  // that the devices hold at most
  std::uint8_t index = 0;
  std::uint8_t chunk_log2 = 16;
  std::uint8_t k = 1;
  std::uint8_t p = 0;
  std::uint8_t policy = 1;
  std::uint8_t spares = 0;
  std::uint8_t replicas = 1;
  std::uint64_t size = 0;
  std::uint32_t half_sectors = 0;
  std::uint32_t slots = 0;
  std::uint64_t data_offset = 0;
  std::uint64_t epoch = 0;
  std::string name;
  std::vector<Entry> table;  // entries in use

  unsigned width() const { return k + p; }
  std::uint64_t chunk() const { return 1ULL << chunk_log2; }
  std::uint64_t stripe_bytes() const { return chunk() * k; }
  std::uint64_t bytes() const { return stripes * stripe_bytes(); }
};

std::vector<std::uint8_t> encode(const Super& s);
// What is in the 8192 bytes, or the sentence that says why it is no superblock.
struct Decoded {
  std::optional<Super> super;
  bool magic = false;  // it was one once
  std::string why;
};
Decoded decode_super(const std::uint8_t* bytes);

// How a device of `size` bytes is divided.
struct Geometry {
  std::uint64_t size = 0;
  std::uint32_t half_sectors = 0;
  std::uint32_t slots = 0;
  std::uint64_t data_offset = 0;
};
Geometry geometry(std::uint64_t size, unsigned chunk_log2, unsigned width);

// Logical and physical stripes that devices with these slots hold, `spares` of them lost.
struct Capacity {
  std::uint64_t stripes = 0;
  std::uint64_t physical = 0;
};
Capacity capacity(std::vector<std::uint32_t> slots, unsigned width, unsigned spares);

// One position of a stripe, as it stands in a record.
struct Place {
  std::uint64_t word = 0;
  static Place make(std::uint32_t crc, std::uint32_t slot, unsigned device) {
    return {static_cast<std::uint64_t>(crc) | static_cast<std::uint64_t>(slot & 0xFFFFFF) << 32 |
            static_cast<std::uint64_t>(device) << 56};
  }
  std::uint32_t crc() const { return static_cast<std::uint32_t>(word); }
  std::uint32_t slot() const { return static_cast<std::uint32_t>(word >> 32) & 0xFFFFFF; }
  unsigned device() const { return static_cast<unsigned>(word >> 56); }
};

// What a record says of its stripe.
enum class Mapping : std::uint8_t { kMapped = 1, kUnmapped = 2, kLost = 3 };

struct Record {
  std::uint64_t seq = 0;
  std::uint32_t logical = 0;
  Mapping mapping = Mapping::kMapped;
  std::vector<Place> places;
};

inline std::size_t record_bytes(unsigned width) { return 16 + 8 * static_cast<std::size_t>(width); }
inline std::size_t records_a_sector(unsigned width) {
  return (kSector - kLogHeader) / record_bytes(width);
}

// Sectors of records of one commit (or checkpoint), the first at `index` of the half.
std::vector<std::uint8_t> encode_records(const std::vector<Record>& records, unsigned width,
                                         std::uint32_t owner, std::uint32_t generation,
                                         std::uint32_t index);
struct LogHead {
  std::uint32_t generation = 0;
  std::uint32_t checkpoint = 0;
  std::uint64_t seq = 0;
  std::uint64_t events = 0;  // of the array, known to all its devices when this was written
};
std::vector<std::uint8_t> encode_head(std::uint32_t owner, const LogHead& head);
std::uint32_t owner_of(const Uuid& array, const Uuid& device);

std::optional<LogHead> decode_head(const std::uint8_t* sector, std::uint32_t owner);

// What a half holds: `bytes` is the whole half.
struct LogContent {
  std::vector<Record> records;
  std::uint32_t end = 0;  // index of the first sector that is not right
  bool damaged = false;
};
LogContent decode_log(const std::uint8_t* bytes, std::uint32_t sectors, const LogHead& head,
                      std::uint32_t owner, unsigned width);

}  // namespace kumihimo::storage
