// SPDX-License-Identifier: Apache-2.0
//
// Transport layer, receive: a non-data FIS is buffered until it is known to be good; a bad one is
// dropped (the device retransmits it). A Data FIS passes through as it arrives, marked if bad: its
// command must be issued again.
//
// s_axis: from kumi_sata_link. m_axis: FISes; tuser[0] with tlast: a bad Data FIS. ev_drop: a bad
//   non-data FIS was dropped.
// Latency: one cycle for the first word of data; others start when complete.
module kumi_sata_fis_rx
  import kumi_sata_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic ev_drop
);
  typedef enum logic [1:0] {
    LOOK,
    STORE,
    SEND,
    DATA
  } state_e;

  state_e state_q;
  (* ram_style = "distributed" *) logic [31:0] mem[8];
  logic [2:0] wr_q, rd_q, last_q;
  logic long_q, beat;

  assign beat = s_axis.tvalid && s_axis.tready;

  always_comb begin
    s_axis.tready   = state_q == STORE || (state_q == DATA && m_axis.tready);
    m_axis.tvalid   = state_q == SEND || (state_q == DATA && s_axis.tvalid);
    m_axis.tdata    = state_q == SEND ? mem[rd_q] : s_axis.tdata;
    m_axis.tlast    = state_q == SEND ? rd_q == last_q : s_axis.tlast;
    m_axis.tuser    = '0;
    m_axis.tuser[0] = state_q == DATA && s_axis.tuser[0] && s_axis.tlast;
    m_axis.tkeep    = '1;
    m_axis.tid      = '0;
    m_axis.tdest    = '0;
  end

  always_ff @(posedge clk) begin
    ev_drop <= 1'b0;
    if (state_q == STORE && beat) begin
      mem[wr_q] <= s_axis.tdata;
      wr_q      <= wr_q + 1'b1;
      if (wr_q == 3'd7) long_q <= 1'b1;
    end
    case (state_q)
      LOOK: begin
        wr_q   <= '0;
        rd_q   <= '0;
        long_q <= 1'b0;
        if (s_axis.tvalid) state_q <= s_axis.tdata[7:0] == FIS_DATA ? DATA : STORE;
      end
      STORE:
      if (beat && s_axis.tlast) begin
        last_q  <= wr_q;
        ev_drop <= s_axis.tuser[0] || long_q;
        state_q <= s_axis.tuser[0] || long_q ? LOOK : SEND;
      end
      SEND:
      if (m_axis.tready) begin
        rd_q <= rd_q + 1'b1;
        if (rd_q == last_q) state_q <= LOOK;
      end
      default: if (beat && s_axis.tlast) state_q <= LOOK;  // DATA
    endcase
    if (rst) begin
      state_q <= LOOK;
      ev_drop <= 1'b0;
    end
  end
endmodule
