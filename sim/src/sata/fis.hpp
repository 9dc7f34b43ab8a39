// SPDX-License-Identifier: Apache-2.0
//
// FISes: decoding of the host's and encoding of the device's. Layouts of the standard, in words
// with the FIS type in bits 7:0 of the first.
#pragma once

#include <cstdint>

#include "sata/link.hpp"

namespace kumihimo::fis {

inline constexpr std::uint8_t kRegisterH2D = 0x27;
inline constexpr std::uint8_t kRegisterD2H = 0x34;
inline constexpr std::uint8_t kDmaActivate = 0x39;
inline constexpr std::uint8_t kDmaSetup = 0x41;
inline constexpr std::uint8_t kData = 0x46;
inline constexpr std::uint8_t kPioSetup = 0x5F;
inline constexpr std::uint8_t kSetDeviceBits = 0xA1;

// Status and error registers.
inline constexpr std::uint8_t kBusy = 0x80, kReady = 0x40, kFault = 0x20, kSeek = 0x10;
inline constexpr std::uint8_t kRequest = 0x08, kError = 0x01;
inline constexpr std::uint8_t kGood = kReady | kSeek;
inline constexpr std::uint8_t kIcrc = 0x80, kUnc = 0x40, kIdnf = 0x10, kAbort = 0x04;

inline constexpr std::uint32_t kInterrupt = 1u << 14;

struct Command {  // Register FIS of the host
  bool is_command = false;
  std::uint8_t opcode = 0, device = 0, control = 0;
  std::uint16_t features = 0, count = 0;
  std::uint64_t lba = 0;
};

inline Command read_command(const SataFrame& f) {
  Command c;
  c.is_command = (f[0] >> 15 & 1) != 0;
  c.opcode = static_cast<std::uint8_t>(f[0] >> 16);
  c.features = static_cast<std::uint16_t>((f[0] >> 24) | (f[2] >> 24) << 8);
  c.lba = (f[1] & 0xFFFFFF) | static_cast<std::uint64_t>(f[2] & 0xFFFFFF) << 24;
  c.device = static_cast<std::uint8_t>(f[1] >> 24);
  c.count = static_cast<std::uint16_t>(f[3]);
  c.control = static_cast<std::uint8_t>(f[3] >> 24);
  return c;
}

struct Registers {  // of a device
  std::uint8_t status = kGood, error = 0, device = 0;
  std::uint64_t lba = 0;
  std::uint16_t count = 0;
};

inline std::uint32_t low_lba(const Registers& r) {
  return static_cast<std::uint32_t>(r.lba & 0xFFFFFF) | std::uint32_t{r.device} << 24;
}

inline std::uint32_t high_lba(const Registers& r) {
  return static_cast<std::uint32_t>(r.lba >> 24 & 0xFFFFFF);
}

inline std::uint32_t first_word(std::uint8_t type, const Registers& r, std::uint32_t flags) {
  return type | flags | std::uint32_t{r.status} << 16 | std::uint32_t{r.error} << 24;
}

inline SataFrame registers(const Registers& r, bool interrupt) {
  return {first_word(kRegisterD2H, r, interrupt ? kInterrupt : 0), low_lba(r), high_lba(r), r.count,
          0};
}

inline SataFrame pio_setup(const Registers& r, std::uint8_t end_status, std::uint16_t bytes) {
  constexpr std::uint32_t kToHost = 1u << 13;
  return {first_word(kPioSetup, r, kInterrupt | kToHost), low_lba(r), high_lba(r),
          r.count | std::uint32_t{end_status} << 24, bytes};
}

inline SataFrame dma_activate() { return {kDmaActivate}; }

inline SataFrame dma_setup(unsigned tag, std::uint32_t bytes, bool to_host, bool activate) {
  const std::uint32_t flags = (to_host ? 1u << 13 : 0) | (activate ? 1u << 15 : 0);
  return {kDmaSetup | flags, tag, 0, 0, 0, bytes, 0};
}

inline SataFrame set_device_bits(const Registers& r, std::uint32_t done) {
  const Registers seen{static_cast<std::uint8_t>(r.status & 0x77), r.error, 0, 0, 0};
  return {first_word(kSetDeviceBits, seen, kInterrupt), done};
}

}  // namespace kumihimo::fis
