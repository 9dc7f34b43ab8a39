// SPDX-License-Identifier: Apache-2.0
//
// What a disk is like, from a dict of Python (kumihimo.clusterfile.disk_options.settings).
#pragma once

#include <nanobind/nanobind.h>

#include "disk/disk.hpp"

namespace kumihimo {

// Throws for a name that it does not know.
DiskOptions to_disk_options(const nanobind::dict& given);

}  // namespace kumihimo
