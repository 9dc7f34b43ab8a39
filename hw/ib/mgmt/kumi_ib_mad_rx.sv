// SPDX-License-Identifier: Apache-2.0
//
// Receives management packets: checks length and headers, stores the packet, and hands over the
// fields that decide what happens to it.
//
// s_axis: 32 bits, LRH to ICRC, checked (tuser[0] with tlast: bad); tdest as at kumi_ib_agent.
// wr_*: the packet without its ICRC, into the packet buffer.
// req, req_valid: a good packet is in the buffer; stays until req_ready, and no beat is taken
//   before. A packet is dropped, with one event, for a bad ICRC, else unless it is 72 words long,
//   has an LRH and BTH only, opcode UD SEND only, destination QP0 on VL15 from QP0 or QP1 on
//   another VL with its Q_Key, and a datagram of base version 1 (clauses 13.5.3, 14.2.1).
module kumi_ib_mad_rx
  import kumi_ib_pkg::*, kumi_ib_mgmt_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    output logic wr_en,
    output logic [6:0] wr_addr,
    output logic [31:0] wr_data,
    output mad_req_t req,
    output logic req_valid,
    input logic req_ready,
    output logic ev_bad_icrc,
    output logic ev_bad_packet
);
  if (s_axis.DATA_W != 32 || s_axis.DEST_W != 8) begin : gen_check_if
    $fatal(0, "s_axis must have 32 bits and 8 of tdest (%m)");
  end

  mad_req_t req_q;
  logic [6:0] at_q;  // word of the packet, stays at the last one that can be told from 72
  logic [3:0] vl_q;
  logic bad_q, valid_q, beat, wrong;
  logic [31:0] word;

  assign word = swap32(s_axis.tdata);
  assign s_axis.tready = !valid_q;
  assign beat = s_axis.tvalid && s_axis.tready;
  assign req = req_q;
  assign req_valid = valid_q;
  assign wr_en = beat && at_q < 7'(PKT_WORDS - 1);
  assign wr_addr = at_q;
  assign wr_data = word;

  always_comb begin
    unique case (at_q)
      7'd0: wrong = word[27:24] != '0 || word[17:16] != LNH_LOCAL;
      7'd1: wrong = word[26:16] != 11'(PKT_WORDS);
      7'd2: wrong = word[31:24] != UD_SEND_ONLY || word[21:16] != '0;
      7'd3: wrong = word[23:1] != '0 || word[0] == (vl_q == VL_MGMT);
      7'd5: wrong = req_q.qp1 && word != QP1_Q_KEY;
      7'd6: wrong = !req_q.qp1 && word[23:0] != '0;
      7'd7: wrong = word[31:24] != 8'd1;
      default: wrong = 1'b0;
    endcase
    if (!(&s_axis.tkeep)) wrong = 1'b1;
  end

  always_ff @(posedge clk) begin
    ev_bad_icrc   <= 1'b0;
    ev_bad_packet <= 1'b0;
    if (valid_q && req_ready) valid_q <= 1'b0;
    if (beat) begin
      at_q  <= at_q == '1 ? at_q : at_q + 1'b1;
      bad_q <= bad_q || wrong;
      unique case (at_q)
        7'd0: begin
          bad_q      <= wrong;
          vl_q       <= word[31:28];
          req_q.sl   <= word[23:20];
          req_q.dlid <= word[15:0];
          req_q.host <= s_axis.tdest[7];
          req_q.port <= s_axis.tdest[6:0];
        end
        7'd1: req_q.slid <= word[15:0];
        7'd3: req_q.qp1 <= word[0];
        7'd6: req_q.src_qp <= word[23:0];
        7'd7: {req_q.mgmt_class, req_q.class_ver, req_q.method} <= word[23:0];
        7'd8: {req_q.status, req_q.hop_ptr, req_q.hop_cnt} <= word;
        7'd10: req_q.tid <= word;
        7'd11: req_q.attr_id <= word[31:16];
        7'd12: req_q.attr_mod <= word;
        7'd15: {req_q.dr_slid, req_q.dr_dlid} <= word;
        7'(DATA_AT): req_q.data <= word;
        default: ;
      endcase
      if (s_axis.tlast) begin
        at_q <= '0;
        if (s_axis.tuser[0]) ev_bad_icrc <= 1'b1;
        else if (bad_q || wrong || at_q != 7'(PKT_WORDS - 1)) ev_bad_packet <= 1'b1;
        else valid_q <= 1'b1;
      end
    end
    if (rst) begin
      at_q          <= '0;
      valid_q       <= 1'b0;
      ev_bad_icrc   <= 1'b0;
      ev_bad_packet <= 1'b0;
    end
  end
endmodule
