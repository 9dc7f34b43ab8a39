// SPDX-License-Identifier: Apache-2.0
#include "disk_options.hpp"

#include <nanobind/stl/string.h>

#include <functional>
#include <map>

namespace nb = nanobind;

namespace kumihimo {
namespace {

using Setter = std::function<void(DiskOptions&, const nb::handle&)>;

template <class F>
Setter into(F member) {
  return [member](DiskOptions& o, const nb::handle& value) {
    auto& field = member(o);
    field = nb::cast<std::remove_reference_t<decltype(field)>>(value);
  };
}

#define KUMI_FIELD(path) into([](DiskOptions& o) -> auto& { return o.path; })

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> table = {
      {"file", KUMI_FIELD(file)},
      {"keep", KUMI_FIELD(keep)},
      {"sectors", KUMI_FIELD(sectors)},
      {"line_ps", KUMI_FIELD(line_ps)},
      {"seed", KUMI_FIELD(seed)},
      {"rotating", KUMI_FIELD(profile.rotating)},
      {"read_rate", KUMI_FIELD(profile.read_rate)},
      {"write_rate", KUMI_FIELD(profile.write_rate)},
      {"latency_ps", KUMI_FIELD(profile.latency_ps)},
      {"write_latency_ps", KUMI_FIELD(profile.write_latency_ps)},
      {"jitter_ps", KUMI_FIELD(profile.jitter_ps)},
      {"read_ahead", KUMI_FIELD(profile.read_ahead)},
      {"cache", KUMI_FIELD(profile.cache)},
      {"rpm", KUMI_FIELD(profile.rpm)},
      {"seek_min_ps", KUMI_FIELD(profile.seek_min_ps)},
      {"seek_max_ps", KUMI_FIELD(profile.seek_max_ps)},
      {"zones", KUMI_FIELD(profile.zones)},
      {"inner_rate", KUMI_FIELD(profile.inner_rate)},
      {"serial", KUMI_FIELD(ata.identity.serial)},
      {"model", KUMI_FIELD(ata.identity.model)},
      {"firmware", KUMI_FIELD(ata.identity.firmware)},
      {"queue_depth", KUMI_FIELD(ata.identity.queue_depth)},
      {"trim", KUMI_FIELD(ata.identity.trim)},
      {"ready_ps", KUMI_FIELD(ata.ready_ps)},
      {"gap_words", KUMI_FIELD(ata.gap_words)},
      {"cont", KUMI_FIELD(link.cont)},
      {"hold", KUMI_FIELD(link.hold)},
      {"hold_words", KUMI_FIELD(link.hold_words)},
  };
  return table;
}

#undef KUMI_FIELD

}  // namespace

DiskOptions to_disk_options(const nb::dict& given) {
  DiskOptions o;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    const auto it = setters().find(name);
    if (it == setters().end()) throw nb::key_error(("a disk has no setting " + name).c_str());
    it->second(o, value);
  }
  return o;
}

}  // namespace kumihimo
