// SPDX-License-Identifier: Apache-2.0
//
// Words on a Serial ATA line: 32 bits, and whether the first byte is a K character. Primitives are
// words with the values of the standard; the first byte on the wire is in bits 7:0.
#pragma once

#include <cstdint>

namespace kumihimo {

struct SataWord {
  std::uint32_t data = 0;
  bool k = false;      // of byte 0; other bytes are never K in a valid word
  bool error = false;  // could not be decoded

  bool operator==(const SataWord&) const = default;
};

namespace sata {

inline constexpr std::uint32_t kAlign = 0x7B4A4ABC;
inline constexpr std::uint32_t kSync = 0xB5B5957C;
inline constexpr std::uint32_t kCont = 0x9999AA7C;
inline constexpr std::uint32_t kXRdy = 0x5757B57C;
inline constexpr std::uint32_t kRRdy = 0x4A4A957C;
inline constexpr std::uint32_t kSof = 0x3737B57C;
inline constexpr std::uint32_t kEof = 0xD5D5B57C;
inline constexpr std::uint32_t kHold = 0xD5D5AA7C;
inline constexpr std::uint32_t kHolda = 0x9595AA7C;
inline constexpr std::uint32_t kRIp = 0x5555B57C;
inline constexpr std::uint32_t kROk = 0x3535B57C;
inline constexpr std::uint32_t kRErr = 0x5656B57C;
inline constexpr std::uint32_t kWtrm = 0x5858B57C;
inline constexpr std::uint32_t kDmat = 0x3636B57C;
inline constexpr std::uint32_t kPmreqP = 0x1717B57C;
inline constexpr std::uint32_t kPmreqS = 0x7575957C;
inline constexpr std::uint32_t kPmnak = 0xF5F5957C;

inline constexpr unsigned kMaxPayload = 2048;         // words of data in a Data FIS
inline constexpr unsigned kMaxFis = kMaxPayload + 1;  // and its header
inline constexpr unsigned kMaxFrame = kMaxFis + 1;    // and the CRC
inline constexpr unsigned kSector = 512;
inline constexpr unsigned kSectorWords = kSector / 4;
inline constexpr unsigned kFisSectors = kMaxPayload / kSectorWords;

inline constexpr SataWord primitive(std::uint32_t value) { return {value, true, false}; }

}  // namespace sata
}  // namespace kumihimo
