// SPDX-License-Identifier: Apache-2.0
//
// Python: the model of the compressor.
#include "bindings.hpp"
#include "gzip/deflate.hpp"

namespace nb = nanobind;

namespace kumihimo {
namespace {

using Blocks = nb::typed<nb::tuple, std::uint64_t, std::uint64_t, std::uint64_t>;

nb::bytes as_bytes(const std::vector<std::uint8_t>& v) { return nb::bytes(v.data(), v.size()); }

gzip::Deflate* make(int lanes, int ways, int hash_bits, int segment, int format, int match_bytes) {
  const bool good = (lanes == 1 || lanes == 4 || lanes == 8) && ways >= 1 && ways <= 32 &&
                    hash_bits >= 4 && hash_bits <= 16 && segment >= 64 &&
                    lanes * segment <= 32768 && (segment & (segment - 1)) == 0 && format >= 0 &&
                    format <= 2 && (match_bytes == 8 || match_bytes == 16 || match_bytes == 32);
  if (!good) throw nb::value_error("Parameters that the circuit does not have");
  return new gzip::Deflate({lanes, ways, hash_bits, segment, match_bytes},
                           static_cast<gzip::Format>(format));
}

}  // namespace

void bind_gzip(nb::module_& m) {
  nb::class_<gzip::Deflate>(m, "Deflate",
                            "Bit-exact model of kumi_deflate. format: 0 raw, 1 zlib, 2 gzip.")
      .def(nb::new_(&make), nb::arg("lanes"), nb::arg("ways"), nb::arg("hash_bits"),
           nb::arg("segment"), nb::arg("format"), nb::arg("match_bytes") = 8)
      .def(
          "write",
          [](gzip::Deflate& self, const nb::bytes& data) {
            const auto* p = static_cast<const std::uint8_t*>(data.data());
            const std::size_t n = data.size();
            std::vector<std::uint8_t> out;
            {
              const nb::gil_scoped_release release;
              out = self.write({p, n});
            }
            return as_bytes(out);
          },
          nb::arg("data"), "Add bytes to the piece; returns what has been compressed.")
      .def(
          "end_piece",
          [](gzip::Deflate& self, bool last) { return as_bytes(self.end_piece(last)); },
          nb::arg("last"), "End the piece: with `last` the message too, else with a sync flush.")
      .def_prop_ro(
          "blocks",
          [](const gzip::Deflate& self) {
            const auto& b = self.stats().blocks;
            return Blocks(nb::make_tuple(b[0], b[1], b[2]));
          },
          "Blocks written so far: stored, fixed, dynamic.");
}

}  // namespace kumihimo
