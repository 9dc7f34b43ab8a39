// SPDX-License-Identifier: Apache-2.0
//
// Inserts a header of fixed length in front of every frame.
//
// head: the header, byte 0 in [7:0]; must be stable from the first beat's tvalid until it moves.
// s_axis, m_axis: AXI4-Stream; all parameters must be equal. Output registered. The side-band of a
// beat goes with it; header words take that of the first beat except tuser, which is 0 there.
// Latency 1 cycle; one beat a cycle. A frame takes as many beats as its bytes with the header need.
module kumi_axis_prepend #(
    parameter int BYTES = 14  // of the header, at least 1
) (
    input logic clk,
    input logic rst,
    input logic [8*BYTES-1:0] head,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int B = s_axis.KEEP_W;
  localparam int WORDS = BYTES / B;  // whole beats of header
  localparam int REST = BYTES % B;  // bytes of it before the frame's first byte, in one beat
  localparam int INDEX_W = $clog2(WORDS + 2);

  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end
  if (BYTES < 1) begin : gen_check_bytes
    $fatal(0, "BYTES must be at least 1 (%m)");
  end

  logic [INDEX_W-1:0] index_q;  // header words sent; then WORDS until the frame's end
  logic free, in_head, spill, spill_q;
  logic [DATA_W-1:0] joined, spilled;
  logic [B-1:0] joined_keep, spilled_keep;

  assign free = !m_axis.tvalid || m_axis.tready;
  if (WORDS == 0) begin : gen_no_words
    assign in_head = 1'b0;
  end else begin : gen_words
    assign in_head = index_q < INDEX_W'(WORDS);
  end
  assign s_axis.tready = free && !in_head && !spill_q;

  if (REST == 0) begin : gen_aligned
    assign joined = s_axis.tdata;
    assign joined_keep = s_axis.tkeep;
    assign spill = 1'b0;
    assign spilled = '0;
    assign spilled_keep = '0;
  end else begin : gen_shifted
    logic first_q;
    logic [8*REST-1:0] carry_q;  // end of the beat before
    logic [REST-1:0] keep_q;

    assign joined = {s_axis.tdata[DATA_W-8*REST-1:0], first_q ? head[8*BYTES-1-:8*REST] : carry_q};
    assign joined_keep = {s_axis.tkeep[B-REST-1:0], {REST{1'b1}}};
    assign spill = s_axis.tlast && s_axis.tkeep[B-REST];
    assign spilled = DATA_W'(carry_q);
    assign spilled_keep = B'(keep_q);

    always_ff @(posedge clk) begin
      if (s_axis.tvalid && s_axis.tready) begin
        first_q <= s_axis.tlast;
        carry_q <= s_axis.tdata[DATA_W-1-:8*REST];
        keep_q  <= s_axis.tkeep[B-1-:REST];
      end
      if (rst) first_q <= 1'b1;
    end
  end

  // The current header word; beyond the last one unused.
  logic [DATA_W*(WORDS+1)-1:0] words;
  assign words = (DATA_W * (WORDS + 1))'(head);

  always_ff @(posedge clk) begin
    if (free) begin
      m_axis.tvalid <= s_axis.tvalid || spill_q;
      m_axis.tdata  <= spill_q ? spilled : in_head ? words[DATA_W*index_q+:DATA_W] : joined;
      m_axis.tkeep  <= spill_q ? spilled_keep : in_head ? '1 : joined_keep;
      m_axis.tlast  <= spill_q || (!in_head && s_axis.tlast && !spill);
      if (!spill_q) begin
        m_axis.tuser <= in_head ? '0 : s_axis.tuser;
        m_axis.tid   <= s_axis.tid;
        m_axis.tdest <= s_axis.tdest;
        if (s_axis.tvalid) begin
          if (in_head) index_q <= index_q + 1'b1;
          else if (s_axis.tlast) index_q <= '0;
          spill_q <= !in_head && spill;
        end
      end else begin
        spill_q <= 1'b0;
      end
    end
    if (rst) begin
      m_axis.tvalid <= 1'b0;
      index_q <= '0;
      spill_q <= 1'b0;
    end
  end
endmodule
