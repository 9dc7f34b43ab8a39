// SPDX-License-Identifier: Apache-2.0
//
// Appends the ICRC (IBTA volume 1, clause 7.8.1) to each packet.
//
// s_axis: packets from LRH to the padding, multiples of 4 bytes; their PktLen already counts the
//   ICRC. m_axis: the same with 4 bytes behind, low byte of the CRC first; all side-band kept. A
//   packet marked bad (tuser[0] with tlast) stays so. Widths 32 and 64.
// Latency 1 cycle; one beat a cycle, and one more a packet unless the ICRC fits its last beat.
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

  if (DATA_W != 32 && DATA_W != 64) begin : gen_check_w
    $fatal(0, "DATA_W must be 32 or 64 (%m)");
  end
  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end

  logic [WORDS-1:0][31:0] beat, masked, out;
  logic [WORDS-1:0] present;
  logic [31:0] crc_q, crc;
  logic [SIDE_W-1:0] side, side_q;
  logic append_q, first_q, append, ready, offer, moves;

  assign beat = s_axis.tdata;
  assign side = {s_axis.tdest, s_axis.tid, s_axis.tuser};
  assign s_axis.tready = ready && !append_q;
  assign moves = s_axis.tvalid && s_axis.tready;
  assign offer = s_axis.tvalid || append_q;
  for (genvar i = 0; i < WORDS; i++) begin : gen_present
    assign present[i] = !s_axis.tlast || s_axis.tkeep[4*i];
  end
  assign append = s_axis.tlast && (&present);  // the ICRC does not fit in this beat

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

  always_comb begin
    crc = first_q ? ICRC_INIT : crc_q;
    for (int i = 0; i < WORDS; i++) begin
      if (present[i]) crc = icrc_step(crc, masked[i]);
    end
    out = beat;
    for (int i = 0; i < WORDS; i++) begin
      if (append_q) out[i] = ~crc_q;
      else if (!present[i]) out[i] = ~crc;
    end
  end

  always_ff @(posedge clk) begin
    if (moves) begin
      crc_q    <= crc;
      side_q   <= side;
      append_q <= append;
      first_q  <= s_axis.tlast;
    end else if (ready) begin
      append_q <= 1'b0;
    end
    if (rst) begin
      append_q <= 1'b0;
      first_q  <= 1'b1;
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
        append_q || (s_axis.tlast && !append),
        append_q ? (DATA_W / 8)'(4'hF) : '1,
        out
      }),
      .s_valid(offer),
      .s_ready(ready),
      .m_data({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
endmodule
