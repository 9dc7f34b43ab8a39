// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a serial lane and words of a circuit switch, for the model of a board with serial links
// (hw/link has the RTL with the same names: kumi_link_pkg, kumi_stdm_pkg).
#pragma once

#include <cstdint>

namespace kumihimo::link_model {

inline constexpr unsigned kLinks = 2, kLocals = 2, kPorts = kLocals + kLinks;

// ---- Blocks ------------------------------------------------------------------------------------
// Sync headers; bit 1 is first on the wire.
inline constexpr std::uint8_t kHeadData = 1, kHeadCtrl = 2;

enum class Kind : std::uint8_t { kIdle, kData, kCtrl, kError };
struct Block {
  Kind kind = Kind::kIdle;
  std::uint64_t data = 0;
};

inline constexpr std::uint8_t kTypeIdle = 0x78;
inline constexpr std::uint64_t kFlagCc = 1ull << 55, kFlagCb = 1ull << 54, kFlagNr = 1ull << 53;
constexpr std::uint64_t idle_block(std::uint8_t flags) {
  return std::uint64_t{kTypeIdle} << 56 | std::uint64_t{flags} << 48;
}
inline constexpr std::uint64_t kIdleCc = idle_block(0x80), kIdleCb = idle_block(0x40),
                               kIdleNr = idle_block(0x30), kIdleSa = idle_block(0x10);
constexpr std::uint8_t type_of(std::uint64_t block) {
  return static_cast<std::uint8_t>(block >> 56);
}

// ---- Words -------------------------------------------------------------------------------------
enum class WordKind : std::uint8_t { kEmpty, kData, kHead, kTail };
struct Word {
  WordKind kind = WordKind::kEmpty;
  std::uint64_t data = 0;
};

inline constexpr std::uint8_t kTypeEmpty = 0xD2, kTypeMark = 0x99, kTypeHead = 0x55,
                              kTypeTail = 0xB4;
inline constexpr unsigned kMarkNumber = 32, kMarkXoff = 40;  // bits of a marker's body
inline constexpr unsigned kEmptyXoff = 0, kEmptyOpen = 1;    // of an empty word's
inline constexpr unsigned kTailAbort = 32, kTailBytes = 33;  // of a tail's
inline constexpr std::uint64_t kBody = (1ull << 48) - 1;

constexpr std::uint64_t bit(unsigned n) { return 1ull << n; }

// The complement of the exclusive or of the six bytes of a body.
constexpr std::uint8_t ctrl_check(std::uint64_t block) {
  std::uint64_t x = block & kBody;
  x ^= x >> 24;
  x ^= (x >> 8) ^ (x >> 16);
  return static_cast<std::uint8_t>(~x);
}
constexpr std::uint64_t ctrl_block(std::uint8_t type, std::uint64_t body) {
  return std::uint64_t{type} << 56 | std::uint64_t{ctrl_check(body)} << 48 | body;
}
constexpr bool check_ok(std::uint64_t block) {
  return static_cast<std::uint8_t>(block >> 48) == ctrl_check(block);
}

}  // namespace kumihimo::link_model
