// SPDX-License-Identifier: Apache-2.0
//
// Check chunks: P is the XOR of the data chunks, Q their sum with powers of 2 in GF(2^8) modulo
// 0x11D (H. P. Anvin, "The mathematics of RAID-6"). Any p of k + p chunks are found again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kumihimo::storage {

std::uint8_t gf_mul(std::uint8_t a, std::uint8_t b);
std::uint8_t gf_inverse(std::uint8_t a);   // of a value that is not zero
std::uint8_t gf_power(unsigned exponent);  // 2^exponent

// Fills P (p >= 1) and Q (p = 2) from k data chunks of `size` bytes, a multiple of 8.
void make_checks(const std::vector<const std::uint8_t*>& data, std::uint8_t* p, std::uint8_t* q,
                 std::size_t size);

// Fills the chunks that are missing (at most the number of parity chunks). `chunk` has k data
// chunks, then P, then Q if there is one; all of them point to `size` bytes, those of missing ones
// to room.
void restore(const std::vector<std::uint8_t*>& chunk, std::size_t k,
             const std::vector<std::size_t>& missing, std::size_t size);

}  // namespace kumihimo::storage
