// SPDX-License-Identifier: Apache-2.0
//
// Memory that a front end shares by a file may vanish: it cuts the file short, or the file system
// is full. An access to such a page raises SIGBUS. In guarded ranges the page becomes zeros of our
// own then, and the access is repeated; anywhere else the signal does what it did before.
#pragma once

#include <cstdint>

namespace kumihimo {

// False when there are too many ranges in this process.
bool guard(void* base, std::uint64_t bytes);
void unguard(void* base);

}  // namespace kumihimo
