// SPDX-License-Identifier: Apache-2.0
//
// Register block of a node's TCP engine (regs/tcp.rdl): settings and event counters.
//
// s_axil: the block's registers. own_ip: the node's address. cfg: settings for the engine. ready,
//   sessions, time_wait, now_us: its state. ev: its events; each pulse counts one.
// Bad input: a retransmission timeout above 2^31 - 1 us is taken as that.
module kumi_node_tcp_regs
  import kumi_tcp_pkg::*;
  import kumi_tcp_ev_pkg::*;
#(
    parameter int MTU = 9000  // longest IP packet: no larger segments, whatever software writes
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    input logic [31:0] own_ip,
    output tcp_cfg_t cfg,
    input logic ready,
    input logic [15:0] sessions,
    input logic [15:0] time_wait,
    input logic [31:0] now_us,
    input tcp_events_t ev
);
  localparam int CORE = $bits(kumi_tcp_core_pkg::tcp_core_ev_t);
  localparam int PATH = $bits(tcp_events_t) - CORE;

  kumi_tcp_regs_pkg::kumi_tcp_regs__in_t  hwif_in;
  kumi_tcp_regs_pkg::kumi_tcp_regs__out_t hwif_out;

  kumi_tcp_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  // Deadlines are compared modulo 2^32.
  function automatic logic [31:0] half(input logic [31:0] us);
    return us[31] ? 32'h7FFF_FFFF : us;
  endfunction

  always_comb begin
    cfg.enable = hwif_out.ctrl.enable.value && own_ip != '0;
    cfg.ip = own_ip;
    cfg.period_ps = hwif_out.period.ps.value;
    cfg.mss = hwif_out.segment.mss.value > 16'(MTU - 40) ? 16'(MTU - 40)
        : hwif_out.segment.mss.value;
    cfg.use_ws = hwif_out.ctrl.ws.value;
    cfg.use_ts = hwif_out.ctrl.ts.value;
    cfg.use_sack = hwif_out.ctrl.sack.value;
    cfg.ecn = hwif_out.ctrl.ecn.value;
    cfg.use_tlp = hwif_out.ctrl.tlp.value;
    cfg.tlp_guard = half(hwif_out.tlp_guard.value.value);
    cfg.tlp_delay = half(hwif_out.tlp_delay.value.value);
    cfg.use_cubic = hwif_out.ctrl.cubic.value;
    cfg.init_segs = hwif_out.segment.init_segs.value;
    cfg.rto_init = half(hwif_out.rto_init.value.value);
    cfg.rto_min = half(hwif_out.rto_min.value.value);
    cfg.rto_max = half(hwif_out.rto_max.value.value);
    cfg.syn_retries = hwif_out.retries.syn.value;
    cfg.retries = hwif_out.retries.data.value;
    cfg.ack_delay = hwif_out.ack_delay.value.value;
    cfg.time_wait = hwif_out.time_wait.value.value;
    cfg.fin_wait = hwif_out.fin_wait.value.value;
    cfg.linger = hwif_out.linger.value.value;
    cfg.keep_idle = hwif_out.keep_idle_ms.value.value;
    cfg.keep_interval = hwif_out.keep_interval_ms.value.value;
    cfg.keep_probes = hwif_out.retries.keep.value;
    cfg.half_open = hwif_out.cookies.half_open.value;
    cfg.secret = {
      hwif_out.secret3.value.value,
      hwif_out.secret2.value.value,
      hwif_out.secret1.value.value,
      hwif_out.secret0.value.value
    };
    cfg.cookie_key = {hwif_out.cookie_key1.value.value, hwif_out.cookie_key0.value.value};
  end

  assign hwif_in.status.ready.next = ready;
  assign hwif_in.status.sessions.next = sessions;
  assign hwif_in.status.time_wait.next = time_wait[14:0];
  logic unused;
  assign unused = time_wait[15];  // 16384 sessions at most
  assign hwif_in.now_us.value.next = now_us;

  // ---- counters ------------------------------------------------------------------------------
  // Counter 0 is the first member of a record, which is its highest bit.
  logic [PATH+CORE-1:0] ev_bits;
  logic [PATH-1:0] ev_path;
  logic [CORE-1:0] ev_core;
  assign ev_bits = ev;
  for (genvar i = 0; i < PATH; ++i) begin : gen_path
    assign ev_path[i] = ev_bits[CORE+PATH-1-i];
  end
  for (genvar i = 0; i < CORE; ++i) begin : gen_core
    assign ev_core[i] = ev_bits[CORE-1-i];
  end

  kumi_event_counters #(
      .N(PATH)
  ) u_path_counters (
      .clk,
      .rst,
      .ev(ev_path),
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(6'(hwif_out.counters.addr >> 2)),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  kumi_event_counters #(
      .N(CORE)
  ) u_core_counters (
      .clk,
      .rst,
      .ev(ev_core),
      .req(hwif_out.core.req),
      .req_is_wr(hwif_out.core.req_is_wr),
      .req_index(6'(hwif_out.core.addr >> 2)),
      .rd_ack(hwif_in.core.rd_ack),
      .rd_data(hwif_in.core.rd_data),
      .wr_ack(hwif_in.core.wr_ack)
  );
endmodule
