// SPDX-License-Identifier: Apache-2.0
//
// The model of an InfiniBand switch as a node library (kumi/abi.h): ports, pins and registers of
// kumi_node_ib_switch_core, so that a cluster takes it in place of the RTL.
//
// kumihimo.build.model links it with a file that defines what is built: kParams, kHash.
#include "model/library.hpp"

#include <deque>
#include <memory>

#include "registers.hpp"

namespace kumihimo::ib_model {

extern const Params kParams;
extern const char* const kHash;

namespace {

constexpr unsigned kPorts = 8, kIdle = 1023;
constexpr std::uint64_t kNever = ~std::uint64_t{0};
enum Pin : unsigned { kGuidPin, kDescriptionPin, kBusyPin, kPins };

class Node {
 public:
  explicit Node(const kumi_node_config& c)
      : switch_(std::make_unique<Switch>(kParams)),
        registers_(kParams),
        period_(c.period_ps[0]),
        phase_(c.phase_ps != nullptr ? c.phase_ps[0] : 0),
        next_(phase_) {}
  kumi_port* port(unsigned index) { return ports_.at(index); }

  void reset(unsigned cycles) {
    switch_ = std::make_unique<Switch>(kParams);
    registers_ = Registers(kParams);
    cycles_ = 0;
    setup(cycles);
    cycles_ = 0;
  }

  // Cycles without a line.
  void setup(unsigned cycles) {
    std::array<Symbols, kPorts> dark{}, out{};
    for (unsigned i = 0; i < cycles; ++i) {
      next_ = phase_ + i * period_;
      registers();
      step(dark.data(), out.data());
    }
    next_ = phase_;
  }

  std::uint64_t run(std::uint64_t until) {
    std::uint64_t edges = 0;
    for (; next_ < until; next_ += period_, ++edges) {
      std::array<Symbols, kPorts> in{}, out{};
      for (unsigned p = 0; p < kParams.ports; ++p) arrive(p, in[p]);
      if (registers()) last_activity_ = next_;
      shown_busy_ = busy();
      if (shown_busy_) last_activity_ = next_;
      step(in.data(), out.data());
      for (unsigned p = 0; p < kParams.ports; ++p) leave(p, out[p]);
      for (unsigned p = kParams.ports; p < kPorts; ++p) leave(p, {});
    }
    return edges;
  }

  std::uint64_t last_activity() const { return last_activity_; }

  void set_pin(unsigned pin, const std::uint32_t* words) {
    if (pin == kGuidPin) guid_ = words[0] | static_cast<std::uint64_t>(words[1]) << 32;
    if (pin == kDescriptionPin) {
      for (unsigned i = 0; i < 16; ++i) description_[i] = words[15 - i];
    }
  }
  void get_pin(unsigned pin, std::uint32_t* words) const {
    if (pin == kBusyPin) words[0] = shown_busy_ ? 1 : 0;
    if (pin == kGuidPin) {
      words[0] = static_cast<std::uint32_t>(guid_);
      words[1] = static_cast<std::uint32_t>(guid_ >> 32);
    }
    if (pin == kDescriptionPin) {
      for (unsigned i = 0; i < 16; ++i) words[15 - i] = description_[i];
    }
  }

  void push(const kumi_axil_op& op) { asked_.push_back(op); }
  int pop(kumi_axil_op& op) {
    if (done_.empty()) return 0;
    op = done_.front();
    done_.pop_front();
    return 1;
  }
  std::uint64_t pending() const { return asked_.size() + done_.size(); }

 private:
  struct Line {
    Symbols now;
    bool dark = true, was_quiet = true;
  };

  bool busy() const { return idle_ != 0; }

  void step(const Symbols* in, Symbols* out) {
    ++cycles_;
    switch_->step(in, out);
    if (switch_->starts()) switch_->start(guid_, description_);
    idle_ = switch_->moved() ? kIdle : idle_ - (idle_ != 0 ? 1 : 0);
  }

  bool registers() {
    bool any = false;
    while (!asked_.empty() && asked_.front().t_ps <= next_) {
      registers_.complete(*switch_, cycles_, asked_.front());
      done_.push_back(asked_.front());
      asked_.pop_front();
      any = true;
    }
    return any;
  }

  void arrive(unsigned p, Symbols& in) {
    kumi_port& port = ports_[p];
    kumi_blocks& q = port.lane_rx;
    Line& line = lines_[p];
    unsigned fresh = 0;
    for (; q.head != q.tail; ++q.head, ++fresh) {
      const kumi_block& b = q.buf[q.head & (q.cap - 1)];
      if (b.t_ps > next_) break;
      if (b.flags != 0) line.dark = (b.flags & KUMI_LANE_DARK) != 0;
      line.now = {b.data, b.head, b.err, true};
    }
    if (line.dark) {
      ++port.stats.lane_dark;
      const auto all = static_cast<std::uint8_t>((1u << (kParams.data_w / 8)) - 1);
      in = {0, 0, all, false};
      return;
    }
    port.stats.rx_beats += fresh;
    if (fresh == 0) ++port.stats.lane_repeats;
    if (fresh > 1) port.stats.lane_skips += fresh - 1;
    in = line.now;
  }

  void leave(unsigned p, const Symbols& out) {
    kumi_port& port = ports_[p];
    kumi_block& b = *kumi_blocks_push(&port.lane_tx);
    b = {};
    b.t_ps = next_;
    if (!out.on) {
      b.flags = KUMI_LANE_DARK;
    } else {
      b.data = out.data;
      b.head = out.k;
      if (lines_[p].was_quiet) b.flags = KUMI_LANE_PLUGGED;
      ++port.stats.tx_beats;
    }
    lines_[p].was_quiet = !out.on;
  }

  std::unique_ptr<Switch> switch_;
  Registers registers_;
  std::uint64_t period_, phase_, next_, cycles_ = 0, last_activity_ = kNever;
  model::Ports<kPorts + 1> ports_;
  std::array<Line, kPorts> lines_{};
  std::deque<kumi_axil_op> asked_, done_;
  std::uint64_t guid_ = 0;
  Attributes::Block description_{};
  unsigned idle_ = 0;
  bool shown_busy_ = false;
};

// What the model looks like; the ports beyond `ports` exist and are silent, as in the RTL.
struct Description {
  Description() {
    static constexpr const char* kNames[] = {"p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"};
    for (unsigned p = 0; p < kPorts; ++p) {
      ports[p] = {
          kNames[p], KUMI_PORT_IB, KUMI_TO_NODE | KUMI_FROM_NODE, kParams.data_w, kParams.data_w, 0,
          0,         kParams.lanes};
    }
    ports[kPorts] = {"", KUMI_PORT_AXIL, KUMI_TO_NODE, 32, 32, 0, 0, 0};
    info = {KUMI_ABI_VERSION, "ib_switch", kHash, 1, clocks, kPorts + 1, ports, kPins, pins, 0};
  }
  const char* clocks[1] = {"clk"};
  kumi_port_info ports[kPorts + 1];
  kumi_pin_info pins[kPins] = {{"node_guid", 0, 64}, {"node_description", 0, 512}, {"busy", 1, 1}};
  kumi_design_info info;
};

}  // namespace

}  // namespace kumihimo::ib_model

extern "C" __attribute__((visibility("default"))) const kumi_node_api* kumi_node_api_v1(void) {
  using namespace kumihimo::ib_model;
  static const Description description;
  static const kumi_node_api api = kumihimo::model::make_api<Node>(description.info);
  return &api;
}
