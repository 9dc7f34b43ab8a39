// SPDX-License-Identifier: Apache-2.0
//
// Checks the ICRC (IBTA volume 1, clause 7.8.1) of each packet.
//
// s_axis: packets from LRH to ICRC, multiples of 4 bytes. m_axis: the same, ICRC included; a packet
//   whose ICRC is wrong has tuser[0] set at tlast (ev_bad), and whoever ends the path drops it.
//   Widths 32 and 64. Latency 1 cycle, one beat a cycle.
module kumi_ib_icrc_check
  import kumi_ib_crc_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic ev_bad  // one-cycle pulse
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int WORDS = DATA_W / 32;
  localparam int USER_W = s_axis.USER_W;
  localparam int SIDE_W = s_axis.ID_W + s_axis.DEST_W;

  if (DATA_W != 32 && DATA_W != 64) begin : gen_check_w
    $fatal(0, "DATA_W must be 32 or 64 (%m)");
  end
  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end

  logic [WORDS-1:0][31:0] beat, masked;
  logic [31:0] crc_q, crc, last_word, found;
  logic [USER_W-1:0] user;
  logic moves, first_q, half, wrong;

  assign beat  = s_axis.tdata;
  assign half  = WORDS == 2 && s_axis.tlast && !s_axis.tkeep[4*(WORDS-1)];
  assign moves = s_axis.tvalid && s_axis.tready;

  kumi_ib_icrc_mask #(
      .WORDS(WORDS)
  ) u_mask (
      .clk,
      .rst,
      .move(moves),
      .last(s_axis.tlast),
      .data(beat),
      .masked
  );

  // The last word is the ICRC and is not summed.
  always_comb begin
    crc = first_q ? ICRC_INIT : crc_q;
    last_word = half ? beat[0] : beat[WORDS-1];
    found = crc;
    for (int i = 0; i < WORDS; i++) begin
      found = crc;
      crc   = icrc_step(crc, masked[i]);
    end
    if (half) found = first_q ? ICRC_INIT : crc_q;
    wrong = s_axis.tlast && ~found != last_word;
    user  = s_axis.tuser;
    if (wrong) user[0] = 1'b1;
  end

  always_ff @(posedge clk) begin
    if (moves) begin
      crc_q   <= crc;
      first_q <= s_axis.tlast;
    end
    ev_bad <= moves && wrong && !rst;
    if (rst) first_q <= 1'b1;
  end

  kumi_slice #(
      .W(SIDE_W + USER_W + 1 + DATA_W / 8 + DATA_W),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({s_axis.tdest, s_axis.tid, user, s_axis.tlast, s_axis.tkeep, s_axis.tdata}),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data ({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
endmodule
