// SPDX-License-Identifier: Apache-2.0
//
// Removes a header of fixed length from every frame.
//
// s_axis, m_axis: AXI4-Stream; all parameters must be equal. Output registered. tuser of the last
// beat out is that of the last beat in.
// A frame without a byte behind the header is dropped, and ev_short pulses.
// Latency: the header's whole beats and 1 cycle, or 2 where the header ends inside a beat; one beat
// a cycle.
module kumi_axis_strip #(
    parameter int BYTES = 14  // of the header, at least 1
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic ev_short
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int B = s_axis.KEEP_W;
  localparam int WORDS = BYTES / B;  // whole beats of header
  localparam int REST = BYTES % B;  // bytes of it in the beat where the frame begins
  localparam int INDEX_W = $clog2(WORDS + 2);

  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end
  if (BYTES < 1) begin : gen_check_bytes
    $fatal(0, "BYTES must be at least 1 (%m)");
  end

  logic [INDEX_W-1:0] index_q;  // beats of the frame so far, at most WORDS + 1
  logic free, beat, in_head, opens, offer, spill, spill_q;
  logic [DATA_W-1:0] joined, spilled;
  logic [B-1:0] joined_keep, spilled_keep;

  assign free = !m_axis.tvalid || m_axis.tready;
  assign s_axis.tready = free && !spill_q;
  assign beat = s_axis.tvalid && s_axis.tready;
  if (WORDS == 0) begin : gen_no_words
    assign in_head = 1'b0;
  end else begin : gen_words
    assign in_head = index_q < INDEX_W'(WORDS);
  end
  assign opens = index_q == INDEX_W'(WORDS);  // the beat with the frame's first byte

  if (REST == 0) begin : gen_aligned
    assign joined = s_axis.tdata;
    assign joined_keep = s_axis.tkeep;
    assign offer = !in_head;
    assign spill = 1'b0;
    assign spilled = '0;
    assign spilled_keep = '0;
    assign ev_short = beat && s_axis.tlast && in_head;
  end else begin : gen_shifted
    logic [DATA_W-8*REST-1:0] carry_q;  // end of the beat before
    logic [B-REST-1:0] keep_q;

    assign joined = {s_axis.tdata[8*REST-1:0], carry_q};
    assign joined_keep = {s_axis.tkeep[REST-1:0], keep_q};
    assign offer = !in_head && !opens;
    assign spill = !in_head && s_axis.tlast && s_axis.tkeep[REST];
    assign spilled = DATA_W'(carry_q);
    assign spilled_keep = B'(keep_q);
    assign ev_short = beat && s_axis.tlast && (in_head || (opens && !s_axis.tkeep[REST]));

    always_ff @(posedge clk) begin
      if (beat) begin
        carry_q <= s_axis.tdata[DATA_W-1:8*REST];
        keep_q  <= s_axis.tkeep[B-1:REST];
      end
    end
  end

  always_ff @(posedge clk) begin
    if (free) begin
      m_axis.tvalid <= spill_q || (s_axis.tvalid && offer);
      m_axis.tdata  <= spill_q ? spilled : joined;
      m_axis.tkeep  <= spill_q ? spilled_keep : joined_keep;
      m_axis.tlast  <= spill_q || (s_axis.tlast && !spill);
      if (beat) begin
        m_axis.tuser <= s_axis.tuser;
        m_axis.tid   <= s_axis.tid;
        m_axis.tdest <= s_axis.tdest;
      end
      spill_q <= beat && spill;
    end
    if (beat) begin
      if (s_axis.tlast) index_q <= '0;
      else if (index_q <= INDEX_W'(WORDS)) index_q <= index_q + 1'b1;
    end
    if (rst) begin
      m_axis.tvalid <= 1'b0;
      index_q <= '0;
      spill_q <= 1'b0;
    end
  end
endmodule
