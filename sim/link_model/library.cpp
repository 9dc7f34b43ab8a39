// SPDX-License-Identifier: Apache-2.0
//
// The model of a board with serial links that forwards, as a node library (kumi/abi.h): ports, pins
// and registers of kumi_node_link_core, so that a cluster takes it in place of the RTL.
//
// What is exact: every block on the lanes, cycle by cycle. Training, clock compensation, TDM
// frames, alignment to other boards, slot tables and their swaps, circuits word by word,
// best-effort packets with their flow control, and what bit errors and pulled plugs do to all of
// these are computed as in the RTL; registers of switch, links and circuits answer in the same
// cycle with the same value. What is not: the board has no host and no kernel. DMA, register FIFO,
// IP stack and echo, and their register blocks, do not exist; nothing is sent from a local port,
// and what arrives at one is counted as lost (circuits) or fills a buffer and then counts as full
// (best effort). Links have one lane. What the RTL leaves undefined after reset reads as zero or no
// route.
//
// kumihimo.build.model links it with a file that defines what is built: kParams, kHash.
#include "model/library.hpp"

#include <algorithm>
#include <tuple>

#include "kumi/node/lane.hpp"
#include "kumi/node/memory.hpp"
#include "registers.hpp"

namespace kumihimo::link_model {

extern const Params kParams;
extern const char* const kHash;

namespace {

using kumi::node::kNever;
constexpr unsigned kLanePorts = 4 * kLinks, kHostPort = kLanePorts, kPortCount = kLanePorts + 2;
enum Pin : unsigned { kIrqPin, kBusyPin, kPins };

// What the lanes show; those without a link are silent.
struct Pins {
  std::array<std::uint64_t, kLanePorts> rx_data{}, tx_data{};
  std::array<std::uint8_t, kLanePorts> rx_head{}, tx_head{}, slip{};
};
template <unsigned I>
struct RxPins {
  static constexpr bool kHasSlip = true;
  static auto& data(Pins& p) { return p.rx_data[I]; }
  static auto& head(Pins& p) { return p.rx_head[I]; }
  static auto& slip(Pins& p) { return p.slip[I]; }
};
template <unsigned I>
struct TxPins {
  static auto& data(Pins& p) { return p.tx_data[I]; }
  static auto& head(Pins& p) { return p.tx_head[I]; }
};
template <class>
struct LanesOf;
template <unsigned... I>
struct LanesOf<std::integer_sequence<unsigned, I...>> {
  using Rx = std::tuple<kumi::node::LaneRx<Pins, I, 0, RxPins<I>>...>;
  using Tx = std::tuple<kumi::node::LaneTx<Pins, I, 0, TxPins<I>>...>;
};
using AllLanes = LanesOf<std::make_integer_sequence<unsigned, kLanePorts>>;

class Node {
 public:
  explicit Node(const kumi_node_config& c)
      : switch_(std::make_unique<Switch>(kParams)),
        registers_(kParams),
        period_(std::max<std::uint64_t>(c.period_ps[0], 1)),
        phase_(c.phase_ps != nullptr ? c.phase_ps[0] : 0),
        next_(phase_) {}

  kumi_port* port(unsigned i) { return ports_.at(i); }
  kumi::node::Memory& memory(unsigned) { return memory_; }
  const kumi::node::Memory& memory(unsigned) const { return memory_; }

  void reset(unsigned) {
    *switch_ = Switch(kParams);
    registers_.forget();
    cycle_ = 0;
    next_ = phase_;
  }

  // Cycles without a line; registers are served.
  void setup(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) {
      registers_.before(*switch_, cycle_, phase_ + i * period_);
      edge({});
    }
    next_ = phase_;
  }

  std::uint64_t run(std::uint64_t until) {
    each(rx_, [&](auto& lane) { lane.begin(ports_[lane.kIndex]); });
    std::uint64_t edges = 0;
    for (; next_ < until; next_ += period_, ++edges) {
      each(rx_, [&](auto& lane) { lane.drive(pins_, ports_[lane.kIndex], next_); });
      for (unsigned l = 0; l < kLinks; ++l) {
        pins_.tx_data[4 * l] = switch_->lanes[l].line_data();
        pins_.tx_head[4 * l] = switch_->lanes[l].line_head();
        pins_.slip[4 * l] = switch_->lanes[l].slip() ? 1 : 0;
      }
      each(rx_, [&](auto& lane) { lane.sample(pins_, ports_[lane.kIndex], next_); });
      each(tx_, [&](auto& lane) { lane.sample(pins_, ports_[lane.kIndex], next_); });
      const bool moved = registers_.before(*switch_, cycle_, next_);
      shown_busy_ = switch_->busy();
      if (moved || shown_busy_) last_activity_ = next_;
      std::array<Switch::Line, kLinks> in;
      for (unsigned l = 0; l < kLinks; ++l) in[l] = {pins_.rx_data[4 * l], pins_.rx_head[4 * l]};
      edge(in);
    }
    return edges;
  }

  std::uint64_t last_activity() const { return last_activity_; }
  void set_pin(unsigned, const std::uint32_t*) {}
  void get_pin(unsigned pin, std::uint32_t* words) const {
    words[0] = pin == kBusyPin && shown_busy_ ? 1 : 0;
  }

  void push(const kumi_axil_op& op) { registers_.push(op); }
  int pop(kumi_axil_op& op) { return registers_.pop(op) ? 1 : 0; }
  std::uint64_t pending() const { return registers_.pending(); }

 private:
  template <class Tuple, class F>
  static void each(Tuple& lanes, F&& f) {
    std::apply([&](auto&... lane) { (f(lane), ...); }, lanes);
  }

  void edge(const std::array<Switch::Line, kLinks>& in) {
    switch_->step(in);
    registers_.after(*switch_);
    ++cycle_;
  }

  std::unique_ptr<Switch> switch_;
  Registers registers_;
  std::uint64_t period_, phase_, next_, cycle_ = 0, last_activity_ = kNever;
  model::Ports<kPortCount> ports_;
  Pins pins_;
  AllLanes::Rx rx_;
  AllLanes::Tx tx_;
  kumi::node::Memory memory_;
  bool shown_busy_ = false;
};

struct Description {
  Description() {
    static constexpr const char* kNames[kLanePorts] = {"l0_0", "l0_1", "l0_2", "l0_3",
                                                       "l1_0", "l1_1", "l1_2", "l1_3"};
    constexpr std::uint32_t kBoth = KUMI_TO_NODE | KUMI_FROM_NODE;
    for (unsigned p = 0; p < kLanePorts; ++p) {
      ports[p] = {kNames[p], KUMI_PORT_LANE, kBoth, 64, 64, 0, 0, 0};
    }
    ports[kHostPort] = {"host", KUMI_PORT_AXI, kBoth, 64, 64, 0, 0, 0};
    ports[kHostPort + 1] = {"", KUMI_PORT_AXIL, kBoth, 32, 32, 0, 0, 0};
    pins[kIrqPin] = {"irq", 1, kParams.circuits + 1};
    pins[kBusyPin] = {"busy", 1, 1};
    info = {KUMI_ABI_VERSION, "link", kHash, 1, clocks, kPortCount, ports, kPins, pins, 0};
  }
  const char* clocks[1] = {"clk"};
  kumi_port_info ports[kPortCount];
  kumi_pin_info pins[kPins];
  kumi_design_info info;
};

}  // namespace

}  // namespace kumihimo::link_model

extern "C" __attribute__((visibility("default"))) const kumi_node_api* kumi_node_api_v1(void) {
  using namespace kumihimo::link_model;
  static const Description description;
  static const kumi_node_api api = kumihimo::model::make_api<Node>(description.info);
  return &api;
}
