// SPDX-License-Identifier: Apache-2.0
//
// Data packet check (IBTA volume 1, clause 7.6.3): which received packets go on, and why others are
// dropped. Every packet raises exactly one event of `drops`, or none and reaches the buffer.
//
// in_*: from kumi_ib_rx_line. out_*: the same one cycle later, with the buffer's ring of the packet
//   (data VL n: n, VL15: DATA_VLS). out_keep: write it; out_head_good, from the word with PktLen
//   on: the header is right; out_good, with out_last: it is whole and right. The checks in their
//   order: VCRC and delimiters, EBP, LVer, PktLen, VL, port state.
// overrun, vl15_full: added by the user of this module, who knows the buffer.
module kumi_ib_rx_check
  import kumi_ib_pkg::*;
  import kumi_ib_link_pkg::*;
#(
    parameter  int WORDS    = 2,
    parameter  int DATA_VLS = 4,
    localparam int RING_W   = $clog2(DATA_VLS + 1)
) (
    input  logic                            clk,
    input  logic                            rst,
    input  ib_link_cfg_t                    cfg,
    input  port_state_e                     port_state,
    input  logic                            in_valid,
    input  logic         [ WORDS-1:0][31:0] in_data,
    input  logic                            in_half,
    input  logic                            in_first,
    input  logic                            in_last,
    input  logic                            in_bad,
    input  logic                            in_remote,
    output logic                            out_valid,
    output logic         [ WORDS-1:0][31:0] out_data,
    output logic                            out_half,
    output logic                            out_first,
    output logic                            out_last,
    output logic         [RING_W-1:0]       out_ring,
    output logic                            out_keep,
    output logic                            out_head_good,
    output logic                            out_good,
    output ib_rx_drops_t                    drops
);
  localparam logic [10:0] MIN_LEN = 11'd6;  // LRH, BTH, ICRC

  logic [10:0] count_q, count, len_q, len;
  logic [3:0] vl_q, vl, lver_q, lver;
  logic lver_ok, range_ok, length_ok, vl_ok, state_ok, head_good, end_good;

  // The first word holds VL and LVer, the second PktLen.
  assign vl   = in_first ? in_data[0][7:4] : vl_q;
  assign lver = in_first ? in_data[0][3:0] : lver_q;
  if (WORDS == 1) begin : gen_second
    logic second_q;
    always_ff @(posedge clk) begin
      if (in_valid) second_q <= in_first;
      if (rst) second_q <= 1'b0;
    end
    assign len = second_q ? {in_data[0][2:0], in_data[0][15:8]} : len_q;
  end else begin : gen_first
    assign len = in_first ? {in_data[1][2:0], in_data[1][15:8]} : len_q;
  end
  assign count = (in_first ? '0 : count_q) + (in_half || WORDS == 1 ? 11'd1 : 11'd2);

  assign lver_ok = lver == '0;
  assign range_ok = len >= MIN_LEN && len <= max_pkt_len(cfg.mtu);
  assign length_ok = len == count && range_ok;
  assign vl_ok = vl == VL_MGMT || (vl < vls_of(cfg.oper_vls) && 32'(vl) < DATA_VLS);
  assign state_ok = port_state != PORT_DOWN && (vl == VL_MGMT || port_state != PORT_INIT);
  assign head_good = lver_ok && range_ok && vl_ok && state_ok;
  assign end_good = !in_bad && !in_remote && length_ok && head_good;

  always_ff @(posedge clk) begin
    if (in_valid) begin
      count_q <= count;
      len_q   <= len;
      vl_q    <= vl;
      lver_q  <= lver;
    end
    out_valid     <= in_valid;
    out_data      <= in_data;
    out_half      <= in_half;
    out_first     <= in_first;
    out_last      <= in_last;
    out_ring      <= vl == VL_MGMT ? RING_W'(DATA_VLS) : vl[RING_W-1:0];
    out_keep      <= vl_ok;
    out_head_good <= head_good;
    out_good      <= end_good;
    drops         <= '0;
    if (in_valid && in_last) begin
      if (in_remote && !in_bad) drops.remote_bad <= 1'b1;
      else if (in_bad) drops.bad_packet <= 1'b1;
      else if (!lver_ok) drops.bad_lver <= 1'b1;
      else if (!length_ok) drops.bad_length <= 1'b1;
      else if (!vl_ok) drops.bad_vl <= 1'b1;
      else if (!state_ok) drops.wrong_state <= 1'b1;
    end
    if (rst) begin
      out_valid <= 1'b0;
      drops     <= '0;
    end
  end

  logic unused;
  assign unused = ^{cfg};
endmodule
