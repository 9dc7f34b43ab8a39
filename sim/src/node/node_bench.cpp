// SPDX-License-Identifier: Apache-2.0
#include "node/node_bench.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace kumihimo {

namespace {

void check_names(const NodeLibrary& library, const std::map<std::string, uint64_t>& named) {
  for (const auto& [clock, ps] : named) {
    if (library.find_clock(clock) < 0) {
      throw std::runtime_error("design " + std::string(library.info().design) + " has no clock " +
                               clock);
    }
    if (ps >= uint64_t{1} << 40) throw std::runtime_error("the period of " + clock + " is absurd");
  }
}

bool is_stream(uint32_t kind) {
  return kind == KUMI_PORT_ETH || kind == KUMI_PORT_AXIS || kind == KUMI_PORT_HDR;
}

}  // namespace

NodeBench::NodeBench(const std::string& path, const std::map<std::string, uint64_t>& periods_ps,
                     const std::map<std::string, uint64_t>& phases_ps, uint64_t seed,
                     const std::string& trace, const std::string& name)
    : library_(NodeLibrary::open(path)) {
  check_names(*library_, periods_ps);
  check_names(*library_, phases_ps);
  const kumi_design_info& info = library_->info();
  std::vector<uint64_t> phases;
  for (uint32_t i = 0; i < info.n_clocks; ++i) {
    const auto period = periods_ps.find(info.clocks[i]);
    const auto phase = phases_ps.find(info.clocks[i]);
    periods_.push_back(period != periods_ps.end() && period->second != 0 ? period->second : 6400);
    phases.push_back(phase != phases_ps.end() ? phase->second : 0);
  }
  kumi_node_config config{};
  config.name = name.c_str();
  config.period_ps = periods_.data();
  config.phase_ps = phases.data();
  config.seed = seed;
  config.trace_path = trace.empty() ? nullptr : trace.c_str();
  config.log = [](void* ctx, int level, const char* text) {
    static_cast<NodeBench*>(ctx)->messages_.emplace_back(level, text);
  };
  config.log_ctx = this;
  node_ = std::make_unique<NodeInstance>(library_, config);
  ports_.resize(info.n_ports);
  for (uint32_t i = 0; i < info.n_ports; ++i) {
    const uint32_t kind = info.ports[i].kind;
    if (kind == KUMI_PORT_LANE || kind == KUMI_PORT_IB) lanes_.push_back(static_cast<int>(i));
  }
  if (!trace.empty()) node_->api().trace(node_->get(), 1);
}

// Its `final` blocks still speak to this object.
NodeBench::~NodeBench() { node_.reset(); }

kumi_port& NodeBench::port(int index) const {
  return *node_->api().port(node_->get(), static_cast<uint32_t>(index));
}

void NodeBench::reset(uint32_t cycles, uint32_t settle) {
  node_->api().reset(node_->get(), cycles);
  node_->api().setup(node_->get(), settle);
}

void NodeBench::step() {
  const uint64_t before = now_ps_;
  advance(1);
  for (uint32_t i = 0; i < ports_.size(); ++i) note_taken(i, before);
  for (auto& [pin, counts] : watches_) {
    const std::vector<uint32_t> words = get_pin(pin);
    for (size_t bit = 0; bit < counts.size(); ++bit) counts[bit] += words[bit / 32] >> bit % 32 & 1;
  }
}

void NodeBench::run(uint64_t cycles) {
  for (uint64_t i = 0; i < cycles; ++i) step();
}

uint64_t NodeBench::run_raw(uint64_t cycles) {
  if (lanes_.empty()) return advance(cycles);
  uint64_t edges = 0;
  for (uint64_t i = 0; i < cycles; ++i) edges += advance(1);
  return edges;
}

// Runs a span no longer than the shortest lane latency, then moves the lanes' blocks.
uint64_t NodeBench::advance(uint64_t cycles) {
  ++parity_;
  for (LaneTie& t : ties_) {
    t.link->begin_window(parity_);
    t.link->receive(port(t.to).lane_rx, parity_);
  }
  now_ps_ += periods_[0] * cycles;
  const uint64_t edges = node_->api().run(node_->get(), now_ps_);
  for (const int i : lanes_) {
    kumi_blocks& q = port(i).lane_tx;
    for (LaneTie& t : ties_) {
      if (t.from == i) t.link->send(q, now_ps_);
    }
    const auto kept = kept_.find(i);
    for (; q.head != q.tail; ++q.head) {
      if (kept != kept_.end()) kept->second.push_back(q.buf[q.head & (q.cap - 1)]);
    }
  }
  return edges;
}

void NodeBench::lane_tie(int from, int to, const LaneConfig& config, bool noise) {
  std::erase_if(ties_, [&](const LaneTie& t) { return t.from == from || t.to == to; });
  LaneConfig made = config;
  const kumi_port_info& info = library_->info().ports[from];
  if (info.kind == KUMI_PORT_IB) {
    made.symbols = {info.lanes, info.tx_bits / 8 / info.lanes, {}};
  }
  ties_.push_back({from, to, std::make_unique<LaneLink>(std::move(made))});
  port(to).cfg.lane_noise = noise;
}

void NodeBench::lane_plug(int from, bool in) {
  for (LaneTie& t : ties_) {
    if (t.from == from) t.link->plug(now_ps_, in);
  }
}

void NodeBench::ib_flip(int from, BitFlip what) {
  for (LaneTie& t : ties_) {
    if (t.from != from) continue;
    const SymbolLanesConfig& line = t.link->config().symbols;
    if (what.lane >= line.lanes || what.bit >= 10 * line.symbols) {
      throw std::runtime_error("the port has no such lane or bit");
    }
    t.link->flip(now_ps_, what);
  }
}

void NodeBench::lane_push(int index, const std::vector<std::pair<uint64_t, uint32_t>>& blocks,
                          uint32_t shift) {
  uint64_t& next = lane_next_ps_[index];
  bool first = next == 0;
  next = std::max(next, now_ps_);
  const kumi_port_info& info = library_->info().ports[index];
  const uint64_t period = periods_[info.clock];
  for (const auto& [data, head] : blocks) {
    kumi_block& b = *kumi_blocks_push(&port(index).lane_rx);
    b = {};
    b.t_ps = next;
    b.data = data;
    b.head = static_cast<uint8_t>(info.kind == KUMI_PORT_IB ? head : head & 3);
    if (first) {
      b.flags = KUMI_LANE_PLUGGED;
      b.shift = static_cast<uint8_t>(shift);
    }
    first = false;
    next += period;
  }
}

void NodeBench::lane_keep(int index) { kept_[index].clear(); }

std::vector<kumi_block> NodeBench::lane_take(int index) {
  const auto kept = kept_.find(index);
  if (kept == kept_.end()) throw std::runtime_error("this lane's blocks are not kept");
  return std::exchange(kept->second, {});
}

void NodeBench::note_taken(uint32_t index, uint64_t t) {
  const kumi_port_info& info = library_->info().ports[index];
  if (!is_stream(info.kind) || (info.dirs & KUMI_TO_NODE) == 0) return;
  PortState& state = ports_[index];
  const kumi_port_stats& stats = port(static_cast<int>(index)).stats;
  if (stats.rx_beats == state.seen_beats) return;
  if (!state.taking) state.span.first_ps = t;
  state.taking = true;
  state.span.last_ps = t;
  for (; state.seen_frames != stats.rx_frames; ++state.seen_frames) {
    state.spans.push_back(state.span);
    state.taking = false;
    state.span.first_ps = t;
  }
  state.seen_beats = stats.rx_beats;
}

bool NodeBench::run_until_frames(int index, uint64_t frames, uint64_t timeout_cycles) {
  const auto i = static_cast<uint32_t>(index);
  for (uint64_t n = 0;; ++n) {
    collect(i);
    if (ports_[i].frames.size() >= frames) return true;
    std::string text;
    if (n == timeout_cycles || failed(text)) return false;
    step();
  }
}

bool NodeBench::run_until_taken(uint64_t timeout_cycles) {
  for (uint64_t n = 0;; ++n) {
    bool all = true;
    for (size_t i = 0; i < ports_.size() && all; ++i) all = waiting(static_cast<int>(i)) == 0;
    if (all) return true;
    std::string text;
    if (n == timeout_cycles || failed(text)) return false;
    step();
  }
}

void NodeBench::push(int index, const std::string& data, const std::vector<uint64_t>& users,
                     uint32_t id, uint32_t dest, bool bad, uint64_t t_ps, uint32_t piece_bytes) {
  const kumi_port_info& info = library_->info().ports[index];
  if (!is_stream(info.kind) || (info.dirs & KUMI_TO_NODE) == 0) {
    throw std::runtime_error("port is not an input of the node");
  }
  if (data.empty()) throw std::runtime_error("a frame has at least one byte");
  kumi_port& p = port(index);
  PortState& state = ports_[static_cast<size_t>(index)];
  size_t width = (info.rx_bits + 7) / 8;
  if (info.kind == KUMI_PORT_HDR && data.size() > width) {
    throw std::runtime_error("the record has " + std::to_string(data.size()) + " bytes, the port " +
                             std::to_string(width));
  }
  if (piece_bytes != 0 && info.kind != KUMI_PORT_HDR) {
    width = std::min(piece_bytes, KUMI_BEAT_BYTES);
  }
  const bool shaped = info.kind == KUMI_PORT_ETH && p.cfg.ps_per_byte > 0;
  uint64_t t = std::max(t_ps, state.line_free_ps);
  if (shaped) t = std::max(t, now_ps_);  // the line's idle time is gone
  size_t beat = 0;
  for (size_t from = 0; from < data.size(); from += width, ++beat) {
    const size_t length = std::min(width, data.size() - from);
    const bool last = from + length == data.size();
    kumi_beat& b = *kumi_queue_push(&p.rx);
    if (shaped) t += static_cast<uint64_t>(static_cast<double>(length) * p.cfg.ps_per_byte);
    b.t_ps = t;
    b.user = users.empty() ? 0 : users[std::min(beat, users.size() - 1)];
    b.id = static_cast<uint16_t>(id);
    b.dest = dest;
    b.len = static_cast<uint8_t>(length);
    b.flags = static_cast<uint8_t>((from == 0 ? KUMI_FIRST : 0) | (last ? KUMI_LAST : 0) |
                                   (last && bad ? KUMI_BAD : 0));
    std::memcpy(b.data, data.data() + from, length);
  }
  if (shaped) t += static_cast<uint64_t>(p.cfg.frame_overhead * p.cfg.ps_per_byte);
  state.line_free_ps = t;
  ++state.pushed;
}

uint64_t NodeBench::waiting(int index) const {
  const kumi_port_info& info = library_->info().ports[index];
  if (info.kind == KUMI_PORT_AXIL) {
    return node_->api().axil_pending(node_->get(), static_cast<uint32_t>(index));
  }
  if (!is_stream(info.kind)) return 0;
  const kumi_port_stats& stats = port(index).stats;
  return ports_[static_cast<size_t>(index)].pushed - stats.rx_frames - stats.rx_overflow;
}

void NodeBench::collect(uint32_t index) {
  kumi_queue& q = port(static_cast<int>(index)).tx;
  PortState& state = ports_[index];
  for (; kumi_queue_size(&q) != 0; kumi_queue_pop(&q)) {
    const kumi_beat& b = *kumi_queue_front(&q);
    BenchFrame& frame = state.open;
    if (!state.inside) {
      frame = BenchFrame{};
      frame.t_first_ps = b.t_ps;
      state.inside = true;
    }
    frame.t_last_ps = b.t_ps;
    frame.data.append(reinterpret_cast<const char*>(b.data), b.len);
    frame.user = b.user;
    frame.id = b.id;
    frame.dest = b.dest;
    ++frame.beats;
    frame.users.push_back(b.user);
    frame.beat_ps.push_back(b.t_ps);
    frame.beat_bytes.push_back(b.len);
    if ((b.flags & KUMI_LAST) != 0) {
      frame.bad = (b.flags & KUMI_BAD) != 0;
      state.frames.push_back(std::move(frame));
      state.inside = false;
    }
  }
}

std::vector<BenchFrame> NodeBench::pop(int index) {
  const auto i = static_cast<uint32_t>(index);
  collect(i);
  return std::exchange(ports_[i].frames, {});
}

std::vector<Span> NodeBench::taken(int index) {
  return std::exchange(ports_[static_cast<size_t>(index)].spans, {});
}

void NodeBench::stall(int index, double rx, double tx, uint64_t seed) {
  kumi_port_config& cfg = port(index).cfg;
  cfg.rx_stall = static_cast<uint32_t>(std::clamp(rx, 0.0, 1.0) * 65536);
  cfg.tx_stall = static_cast<uint32_t>(std::clamp(tx, 0.0, 1.0) * 65536);
  cfg.seed = seed;
}

void NodeBench::line(int index, double ps_per_byte, uint32_t overhead, uint32_t rx_limit) {
  kumi_port_config& cfg = port(index).cfg;
  cfg.ps_per_byte = ps_per_byte;
  cfg.frame_overhead = overhead;
  cfg.rx_limit_bytes = rx_limit;
}

void NodeBench::memory(int index, const kumi_port_config& settings) {
  kumi_port_config& cfg = port(index).cfg;
  cfg.mem_flags = settings.mem_flags;
  cfg.mem_size = settings.mem_size;
  cfg.mem_latency_ps = settings.mem_latency_ps;
  cfg.mem_jitter_ps = settings.mem_jitter_ps;
  cfg.mem_ps_per_byte = settings.mem_ps_per_byte;
}

std::string NodeBench::mem_read(int index, uint64_t addr, uint64_t bytes) const {
  std::string data(bytes, '\0');
  node_->api().mem_read(node_->get(), static_cast<uint32_t>(index), addr, data.data(), bytes);
  return data;
}

void NodeBench::mem_write(int index, uint64_t addr, const std::string& data) {
  node_->api().mem_write(node_->get(), static_cast<uint32_t>(index), addr, data.data(),
                         data.size());
}

void NodeBench::mem_fault(int index, uint64_t addr, uint64_t bytes, bool on) {
  node_->api().mem_fault(node_->get(), static_cast<uint32_t>(index), addr, bytes, on ? 1 : 0);
}

void NodeBench::join_disk(int index, const std::string& name, const DiskOptions& options) {
  remove_disk(index);  // first: the new one may have the same file
  auto disk = std::make_unique<Disk>(name, options);
  disk->attach(periods_[library_->info().ports[index].clock], now_ps());
  port(index).sata = &Disk::step;
  port(index).sata_ctx = disk.get();
  disks_[index] = std::move(disk);
}

void NodeBench::remove_disk(int index) {
  port(index).sata = nullptr;
  disks_.erase(index);
}

Disk& NodeBench::disk(int index) {
  const auto found = disks_.find(index);
  if (found == disks_.end()) throw std::runtime_error("no disk is joined to this port");
  return *found->second;
}

void NodeBench::set_pin(int index, const std::vector<uint32_t>& words) {
  const uint32_t bits = library_->info().pins[index].bits;
  std::vector<uint32_t> padded = words;
  padded.resize((bits + 31) / 32);
  node_->api().set_pin(node_->get(), static_cast<uint32_t>(index), padded.data());
}

std::vector<uint32_t> NodeBench::get_pin(int index) const {
  std::vector<uint32_t> words((library_->info().pins[index].bits + 31) / 32);
  node_->api().get_pin(node_->get(), static_cast<uint32_t>(index), words.data());
  return words;
}

void NodeBench::watch(int index) { watches_[index].resize(library_->info().pins[index].bits); }

std::vector<uint64_t> NodeBench::watched(int index, bool clear) {
  const auto found = watches_.find(index);
  if (found == watches_.end()) throw std::runtime_error("this pin is not watched");
  std::vector<uint64_t> counts = found->second;
  if (clear) std::fill(found->second.begin(), found->second.end(), 0);
  return counts;
}

void NodeBench::axil_push(int index, const kumi_axil_op& op) {
  node_->api().axil_push(node_->get(), static_cast<uint32_t>(index), &op);
}

std::vector<kumi_axil_op> NodeBench::axil_done(int index) {
  std::vector<kumi_axil_op> done;
  kumi_axil_op op;
  while (node_->api().axil_pop(node_->get(), static_cast<uint32_t>(index), &op) != 0) {
    done.push_back(op);
  }
  return done;
}

kumi_axil_op NodeBench::axil(int index, kumi_axil_op op) {
  op.tag = ~uint64_t{0};
  axil_push(index, op);
  for (;;) {
    step();
    kumi_axil_op out;
    while (node_->api().axil_pop(node_->get(), static_cast<uint32_t>(index), &out) != 0) {
      if (out.tag == op.tag) return out;
    }
    std::string text;
    if (failed(text)) throw std::runtime_error(text);
  }
}

void NodeBench::trace(bool on) { node_->api().trace(node_->get(), on ? 1 : 0); }

bool NodeBench::failed(std::string& text) const {
  const char* words = nullptr;
  const bool bad = node_->api().failed(node_->get(), &words) != 0;
  if (bad && words != nullptr) text = words;
  return bad;
}

uint64_t NodeBench::protocol_errors() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < ports_.size(); ++i) {
    sum += port(static_cast<int>(i)).stats.protocol_errors;
  }
  return sum;
}

}  // namespace kumihimo
