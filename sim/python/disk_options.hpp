// SPDX-License-Identifier: Apache-2.0
//
// Disk options from a Python dict (kumihimo.clusterfile.disk_options.settings).
#pragma once

#include <nanobind/nanobind.h>

#include "disk/disk.hpp"

namespace kumihimo {

// Throws for an unknown name.
DiskOptions to_disk_options(const nanobind::dict& given);

}  // namespace kumihimo
