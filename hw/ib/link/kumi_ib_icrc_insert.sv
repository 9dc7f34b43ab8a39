// SPDX-License-Identifier: Apache-2.0
//
// Appends the ICRC (IBTA volume 1, clause 7.8.1) to each packet.
//
// s_axis: packets from LRH to the padding, multiples of 4 bytes; their PktLen already counts the
//   ICRC. m_axis: the same with 4 bytes behind, low byte of the CRC first; all side-band kept. A
//   packet marked bad (tuser[0] with tlast) stays so. Widths 32 and 64.
// Latency 2 cycles; one beat a cycle, and one more a packet unless the ICRC fits its last beat.
module kumi_ib_icrc_insert
  import kumi_ib_crc_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int WORDS = DATA_W / 32;
  localparam int SIDE_W = s_axis.USER_W + s_axis.ID_W + s_axis.DEST_W;

  // ---- 1: what a beat adds ----------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(s_axis.USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  ) beat ();
  logic [31:0] sum;
  logic [ 1:0] words;

  kumi_ib_icrc_sum u_sum (
      .clk,
      .rst,
      .s_axis,
      .m_axis(beat),
      .sum,
      .words
  );

  // ---- 2: the sum, in the last beat or in one behind it -----------------------------------------
  logic [WORDS-1:0][31:0] out;
  logic [31:0] crc_q, crc, icrc_q;
  logic [SIDE_W-1:0] side, side_q;
  logic append_q, append, ready, moves;

  assign side = {beat.tdest, beat.tid, beat.tuser};
  assign beat.tready = ready && !append_q;
  assign moves = beat.tvalid && beat.tready;
  assign append = beat.tlast && words == 2'(WORDS);
  assign crc = icrc_ahead(crc_q, words) ^ sum;

  always_comb begin
    out = beat.tdata;
    if (append_q) out = DATA_W'(icrc_q);
    else if (words != 2'(WORDS)) out[WORDS-1] = ~crc;
  end

  always_ff @(posedge clk) begin
    if (moves) begin
      crc_q    <= beat.tlast ? ICRC_INIT : crc;
      icrc_q   <= ~crc;
      side_q   <= side;
      append_q <= append;
    end else if (ready) begin
      append_q <= 1'b0;
    end
    if (rst) begin
      append_q <= 1'b0;
      crc_q <= ICRC_INIT;
    end
  end

  kumi_slice #(
      .W(SIDE_W + 1 + DATA_W / 8 + DATA_W),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data({
        append_q ? side_q : side,
        append_q || (beat.tlast && !append),
        append_q ? (DATA_W / 8)'(4'hF) : '1,
        out
      }),
      .s_valid(beat.tvalid || append_q),
      .s_ready(ready),
      .m_data({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
endmodule
