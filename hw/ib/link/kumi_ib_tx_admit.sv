// SPDX-License-Identifier: Apache-2.0
//
// Entrance of the transmit buffer: gives each packet its virtual lane and drops what must not be
// sent (IBTA volume 1, clauses 7.6.6 and 7.7).
//
// s_axis: packets from LRH to ICRC. LRH.VL 15: management, stays on VL15. Else the VL is
//   cfg.sl2vl[SL] and is written into the LRH (the ICRC does not cover it). A packet waits while
//   its ring has no space for the largest one; a full ring stalls the packets behind it too.
// Dropped, ev_discard: SL mapped to VL15 or to a VL out of operation; PktLen that is not the length
//   or above the MTU; tuser[0] at tlast; data while the port is not Active; all while it is Down.
// out_*: see kumi_ib_vl_buf; latency 1 cycle, a beat a cycle. ev_discard 1 cycle after out_last.
module kumi_ib_tx_admit
  import kumi_ib_pkg::*;
  import kumi_ib_link_pkg::*;
#(
    parameter  int WORDS    = 2,
    parameter  int DATA_VLS = 4,
    parameter  int FREE_W   = 7,
    localparam int RING_W   = $clog2(DATA_VLS + 1)
) (
    input logic clk,
    input logic rst,
    input ib_link_cfg_t cfg,
    input port_state_e port_state,
    input logic [DATA_VLS:0][FREE_W-1:0] free,
    kumi_axis_if.snk s_axis,
    output logic out_valid,
    output logic [WORDS-1:0][31:0] out_data,
    output logic out_half,
    output logic out_first,
    output logic out_last,
    output logic [RING_W-1:0] out_ring,
    output logic out_keep,
    output logic out_good,
    output logic ev_discard
);
  localparam int LEN_BEAT = WORDS == 1 ? 1 : 0;  // the beat that has PktLen

  // ---- 1: lane and length -----------------------------------------------------------------------
  typedef struct packed {
    logic [WORDS-1:0][31:0] data;
    logic                   half;
    logic                   first;
    logic                   last;
    logic                   marked;    // bad, by its sender
    logic [3:0]             vl;        // with first
    logic                   refuse;    // with first
    logic                   has_len;
    logic [10:0]            len;       // with has_len: words that are to come, with this beat's
    logic                   too_long;
  } admit_beat_t;

  logic [WORDS-1:0][31:0] beat;
  logic [1:0] at_q;  // beats of the packet so far, up to 2
  logic [10:0] len, max_len;
  logic [3:0] vl;
  admit_beat_t in, now;
  logic now_valid, now_ready;

  assign beat = s_axis.tdata;
  assign vl = beat[0][7:4] == VL_MGMT ? VL_MGMT : cfg.sl2vl[beat[0][15:12]];
  assign max_len = max_pkt_len(cfg.mtu);
  assign len = {beat[1-LEN_BEAT][2:0], beat[1-LEN_BEAT][15:8]};
  always_comb begin
    in.data     = beat;
    in.half     = WORDS == 2 && s_axis.tlast && !s_axis.tkeep[4*(WORDS-1)];
    in.first    = at_q == '0;
    in.last     = s_axis.tlast;
    in.marked   = s_axis.tuser[0];
    in.vl       = vl;
    in.has_len  = 32'(at_q) == LEN_BEAT;
    in.len      = len - 11'(LEN_BEAT);
    in.too_long = len > max_len;
    if (beat[0][7:4] == VL_MGMT) in.refuse = port_state == PORT_DOWN;
    else in.refuse = port_state != PORT_ACTIVE || vl >= vls_of(cfg.oper_vls) || 32'(vl) >= DATA_VLS;
  end

  always_ff @(posedge clk) begin
    if (s_axis.tvalid && s_axis.tready) at_q <= s_axis.tlast ? '0 : at_q[1] ? at_q : at_q + 1'b1;
    if (rst) at_q <= '0;
  end

  kumi_slice #(
      .W($bits(admit_beat_t)),
      .MODE(3)
  ) u_slice (
      .clk,
      .rst,
      .s_data (in),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data (now),
      .m_valid(now_valid),
      .m_ready(now_ready)
  );

  // ---- 2: space, and at the end whether the length was right ------------------------------------
  logic [DATA_VLS:0] room;
  logic [6:0] need_q;  // blocks of the largest packet
  logic [RING_W-1:0] ring_q, ring;
  logic [10:0] left_q, left;  // words to come, with this beat's
  logic refuse_q, refused, long_q, too_long;

  always_ff @(posedge clk) need_q <= blocks_of(max_len);
  for (genvar r = 0; r <= DATA_VLS; r++) begin : gen_room
    assign room[r] = 11'(need_q) <= 11'(free[r]);
  end

  assign ring = !now.first ? ring_q : now.vl == VL_MGMT ? RING_W'(DATA_VLS) : now.vl[RING_W-1:0];
  assign refused = now.first ? now.refuse : refuse_q;
  assign left = now.has_len ? now.len : now.first ? '0 : left_q;
  assign too_long = now.has_len ? now.too_long : long_q;
  assign now_ready = !now.first || now.refuse || room[ring];

  assign out_valid = now_valid && now_ready;
  assign out_half = now.half;
  assign out_first = now.first;
  assign out_last = now.last;
  assign out_ring = ring;
  assign out_keep = !refused;
  assign out_good = left == (WORDS == 1 || now.half ? 11'd1 : 11'd2) && !too_long && !now.first &&
      !now.marked;
  always_comb begin
    out_data = now.data;
    if (now.first) out_data[0][7:4] = now.vl;
  end

  always_ff @(posedge clk) begin
    ev_discard <= out_valid && now.last && (refused || !out_good) && !rst;
    if (out_valid) begin
      refuse_q <= refused;
      ring_q   <= ring;
      left_q   <= left - 11'(WORDS);
      long_q   <= too_long;
    end
  end

  logic unused;
  assign unused = ^{cfg, now, s_axis.tkeep};
endmodule
