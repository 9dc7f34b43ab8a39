// SPDX-License-Identifier: Apache-2.0
//
// Attributes of a switch's subnet and performance management: reset values, what may be set, and
// what setting them does, as kumi_ib_attr_decode, _const, _access and kumi_ib_agent_cfg.
#pragma once

#include <array>
#include <vector>

#include "port.hpp"
#include "tables.hpp"

namespace kumihimo::ib_model {

// Status of a response (IBTA volume 1, clause 13.4.7).
enum Status : std::uint8_t {
  kOk = 0,
  kBadVersion = 0x04,
  kBadMethod = 0x08,
  kBadAttribute = 0x0C,
  kBadField = 0x1C
};

// What of a datagram says which attribute it is about.
struct Request {
  bool qp1;
  bool set;
  unsigned arrival;  // port
  unsigned attribute;
  std::uint32_t modifier;
  std::uint32_t first;  // word of the data
};

// What the agent knows besides.
struct Live {
  bool state_change, hide_m_key;
  unsigned protect, violations;
};

class Attributes {
 public:
  using Block = std::array<std::uint32_t, 16>;

  Attributes(const Params& p, Tables& tables, std::vector<Port*> ports);
  void start(std::uint64_t guid, const Block& description);

  // Which attribute; then `check`, `write` and `read` are about it.
  Status decode(const Request& r);
  bool check(const std::uint32_t* data) const;  // whether it may be set
  void write(const std::uint32_t* data);
  // Into the datagram's data, 48 words of performance management, else 16.
  void read(std::uint32_t* data, const Live& live) const;

  // Port 0.
  std::uint32_t own(unsigned word) const { return memory_[kPortInfo][0][word]; }
  bool port_info_of_own() const { return block_ == kPortInfo && index_ == 0; }
  bool is_port_info() const { return block_ == kPortInfo; }
  bool is_forwarding() const { return block_ == kLft || block_ == kMft; }

  // Effects of the last write: ports that were commanded to go down, PortStateChange cleared.
  std::uint64_t commanded_down = 0;
  bool clear_change = false;

 private:
  enum Kind : unsigned {
    kPortInfo,
    kPKeys,
    kArbLow,
    kArbHigh,
    kGuids,
    kNodeInfo,
    kNodeDesc,
    kSwitchInfo,
    kSlToVl,
    kLft,
    kMft,
    kStored,
    kCountersBlock = kStored,
    kCountersExt,
    kClassInfo
  };
  struct Word {
    std::uint32_t value, mask;
  };
  Status select(const Request& r);
  Word reset_word(unsigned kind, unsigned index, unsigned word) const;
  Word port_info(bool end_port, unsigned word) const;
  Word switch_info(unsigned word) const;
  bool may_be(unsigned word, std::uint32_t value) const;
  void apply(unsigned word, std::uint32_t value, std::uint32_t raw, bool init);
  void apply_port(unsigned word, std::uint32_t value, std::uint32_t raw, bool init);
  void apply_tables(unsigned word, std::uint32_t value);
  void apply_switch(unsigned word, std::uint32_t value, std::uint32_t raw, bool init);
  void clear_counters(const std::uint32_t* data);
  std::uint32_t seen(unsigned word, const Live& live, const std::uint32_t* data) const;
  std::uint32_t counter_word(unsigned word) const;

  Params params_;
  Tables& tables_;
  std::vector<Port*> ports_;
  std::uint64_t guid_ = 0;
  Block description_{};
  std::array<std::vector<Block>, kStored> memory_;
  unsigned block_ = kNodeInfo, index_ = 0, port_ = 0, arrival_ = 0, port_bits_, positions_;
};

}  // namespace kumihimo::ib_model
