// SPDX-License-Identifier: Apache-2.0
//
// Takes a header of fixed length from every frame and gives it as a record (kumi_axis_prepend is
// the way back).
//
// s_axis: frames. m_axis: what is behind the header; all parameters must be equal. m_head: the
//   header, byte 0 in [7:0], no later than the frame's first beat at m_axis; its width, whole
//   bytes, is the header's length. A frame waits until the record of the one before has been taken.
// A frame without a byte behind the header is dropped without a record, and ev_short pulses.
// Latency: that of kumi_axis_strip; one beat a cycle.
module kumi_axis_behead (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_head,
    kumi_axis_if.src m_axis,
    output logic ev_short
);
  localparam int BYTES = m_head.W / 8;
  localparam int B = s_axis.KEEP_W;
  localparam int LAST = BYTES / B;  // the beat with the first byte behind the header
  localparam int INDEX_W = $clog2(LAST + 2);

  if (m_head.W % 8 != 0) begin : gen_check_head
    $fatal(0, "m_head must have whole bytes (%m)");
  end

  logic [BYTES-1:0][7:0] head_q;
  logic [INDEX_W-1:0] index_q;
  logic valid_q, wait_head, beat;
  kumi_axis_if #(
      .DATA_W(s_axis.DATA_W),
      .USER_W(s_axis.USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  ) open ();

  assign wait_head = valid_q && !m_head.ready;
  assign open.tvalid = s_axis.tvalid && !wait_head;
  assign open.tdata = s_axis.tdata;
  assign open.tkeep = s_axis.tkeep;
  assign open.tlast = s_axis.tlast;
  assign open.tuser = s_axis.tuser;
  assign open.tid = s_axis.tid;
  assign open.tdest = s_axis.tdest;
  assign s_axis.tready = open.tready && !wait_head;
  assign beat = s_axis.tvalid && s_axis.tready;

  for (genvar n = 0; n < BYTES; n++) begin : gen_byte
    always_ff @(posedge clk) begin
      if (beat && index_q == INDEX_W'(n / B)) head_q[n] <= s_axis.tdata[8*(n%B)+:8];
    end
  end

  always_ff @(posedge clk) begin
    if (m_head.ready) valid_q <= 1'b0;
    if (beat) begin
      if (s_axis.tlast) index_q <= '0;
      else if (index_q <= INDEX_W'(LAST)) index_q <= index_q + 1'b1;
      if (index_q == INDEX_W'(LAST)) valid_q <= !s_axis.tlast || s_axis.tkeep[BYTES%B];
    end
    if (rst) begin
      index_q <= '0;
      valid_q <= 1'b0;
    end
  end

  assign m_head.valid = valid_q;
  assign m_head.data  = head_q;

  kumi_axis_strip #(
      .BYTES(BYTES)
  ) u_strip (
      .clk,
      .rst,
      .s_axis(open),
      .m_axis,
      .ev_short
  );
endmodule
