// SPDX-License-Identifier: Apache-2.0
#include "convert.hpp"

#include <nanobind/stl/string.h>

#include <cstring>

namespace nb = nanobind;

namespace kumihimo {

Dict to_dict(const Stats& stats) {
  nb::dict out;
  for (const Stats::Item& i : stats.items()) {
    const nb::str key(i.name.c_str(), i.name.size());
    if (i.group) {
      out[key] = to_dict(*i.group);
    } else {
      std::visit([&](const auto& v) { out[key] = nb::cast(v); }, i.leaf);
    }
  }
  return out;
}

nb::int_ words_to_int(const std::vector<std::uint32_t>& words) {
  const nb::bytes raw(reinterpret_cast<const char*>(words.data()), words.size() * 4);
  return nb::int_(
      nb::object(nb::module_::import_("builtins").attr("int").attr("from_bytes")(raw, "little")));
}

std::vector<std::uint32_t> int_to_words(const nb::int_& value) {
  const auto bits = nb::cast<std::size_t>(value.attr("bit_length")());
  const std::size_t words = std::max<std::size_t>(1, (bits + 31) / 32);
  const auto raw = nb::cast<nb::bytes>(value.attr("to_bytes")(words * 4, "little"));
  std::vector<std::uint32_t> out(words);
  std::memcpy(out.data(), raw.c_str(), words * 4);
  return out;
}

Bytes to_bytes(const nb::bytes& data) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(data.c_str());
  return {p, p + data.size()};
}

nb::bytes from_bytes(const Bytes& data) { return nb::bytes(data.data(), data.size()); }

Tick make_tick(nb::object what, bool is_stop) {
  // Copies of the tick are made and destroyed without the GIL; the object lives as long as the
  // caller's argument does.
  const nb::handle callback = what.is_none() ? nb::handle() : nb::handle(what);
  return [callback, is_stop](Ps now, Ps end) {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!callback.is_valid()) return false;
    if (is_stop) return nb::cast<bool>(nb::bool_(callback()));
    callback(now, end);
    return false;
  };
}

}  // namespace kumihimo
