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
// out_*: see kumi_ib_vl_buf; latency 0. ev_discard 1 cycle later.
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
  logic [WORDS-1:0][31:0] beat;
  logic first_q, refuse_q, refuse, refused, beat_moves;
  logic [3:0] sl, vl;
  logic [RING_W-1:0] ring_q, ring;
  logic [10:0] count_q, count, len_q, len, max_len;
  logic [DATA_VLS:0] room;

  assign beat = s_axis.tdata;
  assign sl = beat[0][15:12];
  assign vl = beat[0][7:4] == VL_MGMT ? VL_MGMT : cfg.sl2vl[sl];
  assign ring = !first_q ? ring_q : vl == VL_MGMT ? RING_W'(DATA_VLS) : vl[RING_W-1:0];
  assign max_len = max_pkt_len(cfg.mtu);
  for (genvar r = 0; r <= DATA_VLS; r++) begin : gen_room
    assign room[r] = 11'(blocks_of(max_len)) <= 11'(free[r]);
  end

  always_comb begin
    if (beat[0][7:4] == VL_MGMT) refuse = port_state == PORT_DOWN;
    else refuse = port_state != PORT_ACTIVE || vl >= vls_of(cfg.oper_vls) || 32'(vl) >= DATA_VLS;
  end
  assign refused = first_q ? refuse : refuse_q;

  if (WORDS == 1) begin : gen_second
    logic second_q;
    always_ff @(posedge clk) begin
      if (beat_moves) second_q <= first_q && !s_axis.tlast;
      if (rst) second_q <= 1'b0;
    end
    assign len = second_q ? {beat[0][2:0], beat[0][15:8]} : len_q;
  end else begin : gen_first
    assign len = first_q ? {beat[1][2:0], beat[1][15:8]} : len_q;
  end
  assign out_half = WORDS == 2 && s_axis.tlast && !s_axis.tkeep[4*(WORDS-1)];
  assign count = (first_q ? '0 : count_q) + (out_half || WORDS == 1 ? 11'd1 : 11'd2);

  assign s_axis.tready = !first_q || refuse || room[ring];
  assign beat_moves = s_axis.tvalid && s_axis.tready;

  assign out_valid = beat_moves;
  assign out_first = first_q;
  assign out_last = s_axis.tlast;
  assign out_ring = ring;
  assign out_keep = !refused;
  assign out_good = len == count && len <= max_len && !s_axis.tuser[0];
  always_comb begin
    out_data = beat;
    if (first_q) out_data[0][7:4] = vl;
  end

  always_ff @(posedge clk) begin
    ev_discard <= beat_moves && s_axis.tlast && (refused || !out_good);
    if (beat_moves) begin
      first_q  <= s_axis.tlast;
      refuse_q <= refused;
      ring_q   <= ring;
      count_q  <= count;
      len_q    <= len;
    end
    if (rst) begin
      first_q    <= 1'b1;
      ev_discard <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{cfg, vl};
endmodule
