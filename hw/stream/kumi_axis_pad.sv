// SPDX-License-Identifier: Apache-2.0
//
// Pads short frames with zero bytes to a minimum length (802.3 clause 4.2.3.3: 60 without FCS).
//
// s_axis, m_axis: AXI4-Stream, all side-band kept; all parameters of the two must be equal. Added
//   beats carry the side-band of the frame's last beat.
// s_axis.tready is low while beats are added; otherwise one beat a cycle. Latency 1 cycle, no
//   combinational path joins the two sides.
module kumi_axis_pad #(
    parameter int MIN_BYTES = 60  // shortest frame that leaves
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  localparam int KEEP_W = s_axis.KEEP_W;
  localparam int SIDE_W = s_axis.USER_W + s_axis.ID_W + s_axis.DEST_W;
  localparam int MIN_BEATS = (MIN_BYTES + KEEP_W - 1) / KEEP_W;
  localparam int LAST_BYTES = MIN_BYTES - (MIN_BEATS - 1) * KEEP_W;
  localparam int CNT_W = $clog2(MIN_BEATS + 2);
  // tkeep of beat MIN_BEATS of a frame of MIN_BYTES.
  localparam logic [KEEP_W-1:0] MIN_KEEP = {KEEP_W{1'b1}} >> (KEEP_W - LAST_BYTES);

  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end
  if (MIN_BYTES < 1) begin : gen_check_min
    $fatal(0, "MIN_BYTES must be at least 1 (%m)");
  end

  logic [CNT_W-1:0] left_q;  // beats that the frame still needs, this one included
  logic [SIDE_W-1:0] side, side_q;
  logic [KEEP_W-1:0] keep;
  logic [s_axis.DATA_W-1:0] data;
  logic fill_q, valid, ready, last, enough;

  assign enough = left_q <= CNT_W'(1);
  assign valid  = s_axis.tvalid || fill_q;
  assign last   = (s_axis.tlast || fill_q) && enough;
  assign side   = fill_q ? side_q : {s_axis.tdest, s_axis.tid, s_axis.tuser};

  always_comb begin
    for (int i = 0; i < KEEP_W; i++) begin
      data[8*i+:8] = s_axis.tdata[8*i+:8] & {8{s_axis.tkeep[i] && !fill_q}};
    end
    keep = fill_q ? '0 : s_axis.tkeep;
    if (left_q == CNT_W'(1)) keep |= MIN_KEEP;
    if (left_q > CNT_W'(1)) keep = '1;
  end

  assign s_axis.tready = ready && !fill_q;

  always_ff @(posedge clk) begin
    if (!fill_q) side_q <= side;
    if (valid && ready) begin
      fill_q <= (s_axis.tlast || fill_q) && !enough;
      if (last) left_q <= CNT_W'(MIN_BEATS);
      else if (left_q != '0) left_q <= left_q - 1'b1;
    end
    if (rst) begin
      fill_q <= 1'b0;
      left_q <= CNT_W'(MIN_BEATS);
    end
  end

  kumi_slice #(
      .W(SIDE_W + 1 + KEEP_W + s_axis.DATA_W),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({side, last, keep, data}),
      .s_valid(valid),
      .s_ready(ready),
      .m_data ({m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
endmodule
