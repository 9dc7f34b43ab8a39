// SPDX-License-Identifier: Apache-2.0
//
// Symbols, words, CRCs and codes of an InfiniBand link, for the model of a switch (hw/ib/link has
// the RTL with the same names; IBTA volume 1 chapter 7, volume 2 chapter 5).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "params.hpp"

namespace kumihimo::ib_model {

inline constexpr std::uint8_t kCom = 0xBC, kSkp = 0x1C, kSdp = 0xFB, kSlp = 0x5C, kEgp = 0xFD,
                              kEbp = 0xFE, kTs1 = 0x4A, kTs2 = 0x45;
inline constexpr unsigned kVlMgmt = 15;
inline constexpr unsigned kMaxVls = 15;
inline constexpr std::uint16_t kMcastLid = 0xC000, kPermissive = 0xFFFF;

// Four symbols in the order of the packet: byte i of data is symbol i, 0 first on the wire.
struct Word {
  std::uint32_t data = 0;
  std::uint8_t k = 0;
  std::uint8_t err = 0;  // code violations

  std::uint8_t at(unsigned i) const { return static_cast<std::uint8_t>(data >> (8 * i)); }
  bool control(unsigned i, std::uint8_t symbol) const {
    return (k >> i & 1) != 0 && (err >> i & 1) == 0 && at(i) == symbol;
  }
};

constexpr std::uint32_t pack(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
  return a | static_cast<std::uint32_t>(b) << 8 | static_cast<std::uint32_t>(c) << 16 |
         static_cast<std::uint32_t>(d) << 24;
}
constexpr std::uint32_t repeat(std::uint8_t a) { return pack(a, a, a, a); }
constexpr std::uint32_t swap32(std::uint32_t v) {
  return v << 24 | (v & 0xFF00) << 8 | (v >> 8 & 0xFF00) | v >> 24;
}

// CRCs with the lowest bit of a byte first; start with all ones, inverted at the end.
template <class T, T Poly>
constexpr std::array<T, 256> crc_table() {
  std::array<T, 256> table{};
  for (unsigned i = 0; i < 256; ++i) {
    T c = static_cast<T>(i);
    for (int bit = 0; bit < 8; ++bit) c = static_cast<T>((c >> 1) ^ ((c & 1) != 0 ? Poly : 0));
    table[i] = c;
  }
  return table;
}
inline constexpr auto kVcrcTable = crc_table<std::uint16_t, 0xD008>();
inline constexpr auto kIcrcTable = crc_table<std::uint32_t, 0xEDB88320>();

template <class T>
constexpr T crc_step(const std::array<T, 256>& table, T crc, std::uint32_t word) {
  for (int i = 0; i < 4; ++i, word >>= 8) {
    crc = static_cast<T>((crc >> 8) ^ table[(crc ^ word) & 0xFF]);
  }
  return crc;
}
constexpr std::uint16_t vcrc_step(std::uint16_t crc, std::uint32_t word) {
  return crc_step(kVcrcTable, crc, word);
}
// Of a packet with a BTH behind its LRH, without the ICRC itself (clause 7.8.1).
std::uint32_t icrc(std::span<const std::uint32_t> words);

// Blocks of 64 bytes of a packet of so many words, VCRC included.
constexpr unsigned blocks_of(unsigned words) { return (words >> 4) + 1; }
constexpr unsigned max_pkt_len(unsigned mtu) {
  constexpr unsigned kLens[] = {95, 95, 159, 287, 543, 1055};
  return mtu < 6 ? kLens[mtu] : 95;
}
constexpr unsigned vls_of(unsigned oper_vls) {
  constexpr unsigned kVls[] = {1, 1, 2, 4, 8, 15};
  return oper_vls < 6 ? kVls[oper_vls] : 1;
}
constexpr unsigned vls_code(unsigned vls) {
  return vls == 2 ? 2 : vls == 4 ? 3 : vls == 8 ? 4 : vls == 15 ? 5 : 1;
}

enum Phys : std::uint8_t { kPolling = 2, kDisabled = 3, kTraining = 4, kLinkUp = 5, kRecovery = 6 };
enum PortState : std::uint8_t { kNop = 0, kDown = 1, kInit = 2, kArmed = 3, kActive = 4 };
enum class Mode : std::uint8_t { kQuiet, kTs1, kTs2, kData };

}  // namespace kumihimo::ib_model
