// SPDX-License-Identifier: Apache-2.0
//
// Sends the packet of the packet buffer with the changes that `tx` names, or a trap 128 (link state
// change of a switch, clause 14.2.5.1).
//
// start: pulse while idle; tx must be stable until done. rd_*: packet buffer, latency 1 cycle.
// m_axis: 32 bits, LRH to the end of the datagram; the ICRC comes behind. done: pulse, the last
//   word was taken. One word a cycle, the first one 2 cycles after start.
module kumi_ib_mad_tx
  import kumi_ib_pkg::*, kumi_ib_mgmt_pkg::*;
#(
    parameter int PRODUCER = 2  // node type in a trap
) (
    input logic clk,
    input logic rst,
    input mad_tx_t tx,
    input logic start,
    output logic done,
    output logic rd_en,
    output logic [6:0] rd_addr,
    input logic [31:0] rd_data,
    kumi_axis_if.src m_axis
);
  localparam logic [6:0] LAST = 7'(PKT_WORDS - 2);

  logic [6:0] next_q, at_q;
  logic run_q, valid_q, move;
  logic [31:0] word;

  assign rd_en   = move;
  assign rd_addr = next_q;
  assign move    = !valid_q || m_axis.tready;

  always_ff @(posedge clk) begin
    done <= valid_q && m_axis.tready && at_q == LAST;
    if (move) begin
      valid_q <= run_q;
      at_q    <= next_q;
      next_q  <= next_q + 1'b1;
      if (next_q == LAST) run_q <= 1'b0;
    end
    if (start) begin
      run_q  <= 1'b1;
      next_q <= '0;
    end
    if (rst) begin
      run_q   <= 1'b0;
      valid_q <= 1'b0;
      done    <= 1'b0;
    end
  end

  always_comb begin
    word = rd_data;
    if (tx.record && at_q == 7'(RET_PATH_AT) + 7'(tx.record_at[5:2])) begin
      word[8*(3-int'(tx.record_at[1:0]))+:8] = tx.record_port;
    end
    if (tx.trap) begin
      unique case (at_q)
        7'd2: word = {UD_SEND_ONLY, 8'd0, 16'hFFFF};
        7'd10: word = tx.tid;
        7'd11: word = {ATTR_NOTICE, 16'd0};
        7'(DATA_AT): word = {1'b1, 7'd1, 24'(PRODUCER)};  // generic, urgent
        7'(DATA_AT + 1): word = {16'd128, tx.lid};
        7'(DATA_AT + 2): word = {16'd0, tx.lid};
        default: word = '0;
      endcase
    end
    unique case (at_q)
      7'd0: word = {tx.qp1 ? 4'd0 : VL_MGMT, 4'd0, tx.sl, 2'd0, LNH_LOCAL, tx.dlid};
      7'd1: word = {5'd0, 11'(PKT_WORDS), tx.slid};
      7'd3: if (tx.response) word = {8'd0, tx.dest_qp};
      7'd6: if (tx.response) word = {31'd0, tx.qp1};
      7'd7: word = {8'd1, tx.mgmt_class, tx.class_ver, tx.method};
      7'd8: word = {tx.status, tx.hop_ptr, tx.hop_cnt};
      default: ;
    endcase
  end

  assign m_axis.tdata  = swap32(word);
  assign m_axis.tkeep  = '1;
  assign m_axis.tvalid = valid_q;
  assign m_axis.tlast  = at_q == LAST;
  assign m_axis.tuser  = '0;
  assign m_axis.tid    = '0;
  assign m_axis.tdest  = tx.dest;
endmodule
