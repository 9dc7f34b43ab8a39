// SPDX-License-Identifier: Apache-2.0
//
// Checks the frame check sequence of IEEE 802.3 (clause 3.2.9) of each frame and removes it.
//
// s_axis: frames with FCS. m_axis: the same without; all side-band kept, tuser that of the last
//   beat in. A frame whose FCS is wrong leaves with tuser[0] set at tlast. All parameters of the
//   two must be equal.
// Events, one-cycle pulses: ev_good, ev_bad (wrong FCS; the frame continues, marked), ev_runt (4
//   bytes or fewer: nothing is left of it and it is dropped; counted there only).
// Latency: that of kumi_crc32 (4 at 64 bits, 9 at 512) + 4 cycles; throughput one beat a cycle. The
//   output has no gap inside a frame that the input did not have.
// No combinational path joins the two sides.
module kumi_axis_fcs_check (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic ev_good,
    output logic ev_bad,
    output logic ev_runt
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int KEEP_W = s_axis.KEEP_W;
  localparam int USER_W = s_axis.USER_W;
  localparam int SIDE_W = s_axis.ID_W + s_axis.DEST_W;
  localparam logic [31:0] RESIDUE = 32'h2144_df1c;  // CRC of a frame with its own right CRC

  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end
  if (DATA_W < 32) begin : gen_check_w
    $fatal(0, "DATA_W must be at least 32 (%m)");
  end

  logic [DATA_W-1:0] data, data_q;
  logic [KEEP_W-1:0] keep, keep_q;
  logic [SIDE_W-1:0] side, side_q;
  logic [USER_W-1:0] user, user_now, user_q;
  logic [31:0] crc;
  logic valid, last, ready, move;

  kumi_crc_align #(
      .DATA_W(DATA_W),
      .SIDE_W(SIDE_W + USER_W)
  ) u_hold (
      .clk,
      .rst,
      .s_data(s_axis.tdata),
      .s_keep(s_axis.tkeep),
      .s_last(s_axis.tlast),
      .s_side({s_axis.tdest, s_axis.tid, s_axis.tuser}),
      .s_crc_valid(1'b1),
      .s_crc_data(s_axis.tdata),
      .s_crc_keep(s_axis.tkeep),
      .s_crc_last(s_axis.tlast),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data(data),
      .m_keep(keep),
      .m_last(last),
      .m_side({side, user}),
      .m_valid(valid),
      .m_ready(move),
      .m_crc(crc)
  );

  // One beat waits in the held register until it is known whether the FCS reaches back into it.
  logic held_q, last_q;  // last_q: it is the last, already shortened
  logic wrong, all_fcs, middle, offer, beat;

  assign wrong   = last && crc != RESIDUE;
  assign all_fcs = last && (KEEP_W == 4 || !keep[4%KEEP_W]);  // no payload in this beat
  assign middle  = held_q && !last_q;  // the held beat and this one are of one frame
  assign offer   = held_q && (last_q || valid);
  assign move    = !held_q || ready;
  assign beat    = valid && move;

  always_comb begin
    user_now = user;
    if (wrong) user_now[0] = 1'b1;
  end

  always_ff @(posedge clk) begin
    if (offer && ready) held_q <= 1'b0;
    if (beat) begin
      held_q <= !all_fcs;
      last_q <= last;
      data_q <= data;
      keep_q <= last ? keep >> 4 : keep;
      side_q <= side;
      user_q <= user_now;
    end
    ev_good <= beat && last && !wrong && (middle || !all_fcs);
    ev_bad  <= beat && last && wrong && (middle || !all_fcs);
    ev_runt <= beat && all_fcs && !middle;
    if (rst) begin
      held_q  <= 1'b0;
      ev_good <= 1'b0;
      ev_bad  <= 1'b0;
      ev_runt <= 1'b0;
    end
  end

  // With n bytes in a beat of FCS only, 4 - n bytes of the held beat are FCS too.
  logic shorten;
  logic [KEEP_W-1:0] out_keep;
  assign shorten = middle && all_fcs;
  always_comb begin
    out_keep = keep_q;
    if (shorten) begin
      for (int n = 1; n <= 4; n++) begin
        if (keep[n-1] && (n == 4 || !keep[n%4])) out_keep = {KEEP_W{1'b1}} >> (4 - n);
      end
    end
  end

  kumi_slice #(
      .W(SIDE_W + USER_W + 1 + KEEP_W + DATA_W),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({side_q, shorten ? user_now : user_q, last_q || shorten, out_keep, data_q}),
      .s_valid(offer),
      .s_ready(ready),
      .m_data ({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
endmodule
