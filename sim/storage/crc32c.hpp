// SPDX-License-Identifier: Apache-2.0
//
// CRC-32C (Castagnoli, reflected 0x82F63B78), the checksum of chunks and metadata.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kumihimo::storage {

// Of `size` bytes; `before` is the CRC of what comes before them.
std::uint32_t crc32c(const void* data, std::size_t size, std::uint32_t before = 0);
// The same by tables, for processors without the instruction; here so that tests compare both.
std::uint32_t crc32c_table(const void* data, std::size_t size, std::uint32_t before = 0);

}  // namespace kumihimo::storage
