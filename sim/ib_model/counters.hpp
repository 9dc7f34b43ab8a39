// SPDX-License-Identifier: Apache-2.0
//
// PortCounters and PortCountersExtended of a port (IBTA volume 1, clauses 16.1.3.5, 16.1.4.10; RTL:
// kumi_ib_port_counters). They stop at their largest value, the extended ones wrap.
#pragma once

#include <array>
#include <cstdint>

namespace kumihimo::ib_model {

enum Counter : unsigned {  // the bits of CounterSelect, then XmitWait and the extended ones
  kSymbolError,
  kLinkErrorRecovery,
  kLinkDowned,
  kRcvErrors,
  kRcvRemotePhysErrors,
  kRcvSwitchRelayErrors,
  kXmitDiscards,
  kXmitConstraintErrors,
  kRcvConstraintErrors,
  kLinkIntegrityErrors,
  kBufferOverrunErrors,
  kVl15Dropped,
  kXmitData,
  kRcvData,
  kXmitPkts,
  kRcvPkts,
  kXmitWait,
  kExtXmitData,
  kExtRcvData,
  kExtXmitPkts,
  kExtRcvPkts,
  kCounters
};

class PortCounters {
 public:
  std::uint64_t operator[](Counter c) const { return values_[c]; }

  void add(Counter c, std::uint64_t n = 1) {
    static constexpr std::array<unsigned, kCounters> kBits = {
        16, 8, 8, 16, 16, 16, 16, 8, 8, 4, 4, 16, 32, 32, 32, 32, 32, 64, 64, 64, 64};
    values_[c] += n;
    const std::uint64_t most = kBits[c] == 64 ? ~0ull : (1ull << kBits[c]) - 1;
    if (values_[c] > most) values_[c] = most;
  }
  void clear(Counter c) { values_[c] = 0; }

  void sent(unsigned words) { packet(kXmitData, kXmitPkts, kExtXmitData, kExtXmitPkts, words); }
  void received(unsigned words) { packet(kRcvData, kRcvPkts, kExtRcvData, kExtRcvPkts, words); }

 private:
  void packet(Counter data, Counter pkts, Counter ext_data, Counter ext_pkts, unsigned words) {
    add(data, words);
    add(pkts);
    add(ext_data, words);
    add(ext_pkts);
  }

  std::array<std::uint64_t, kCounters> values_{};
};

}  // namespace kumihimo::ib_model
