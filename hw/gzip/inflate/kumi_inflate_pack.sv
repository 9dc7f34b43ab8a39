// SPDX-License-Identifier: Apache-2.0
//
// Output realigner of kumi_inflate: joins pieces of 0 to BYTES bytes to full beats.
//
// s_*: a piece of s_count bytes, byte 0 low; s_end: it is the last of its frame, which ends with
//   s_error. Valid/ready.
// m_axis: all beats full but the last; tuser, with tlast: {error, error is not GZIP_OK}. The last
//   beat has at least one byte, unless the frame has none.
// Latency 1 cycle from the piece after the one that fills a beat. A piece a cycle; one more cycle
//   for the end.
module kumi_inflate_pack
  import kumi_gzip_pkg::*;
#(
    parameter int BYTES = 8  // bytes of a beat, 4 to 16
) (
    input logic clk,
    input logic rst,
    input logic [8*BYTES-1:0] s_data,
    input logic [4:0] s_count,
    input logic s_end,
    input gzip_error_e s_error,
    input logic s_valid,
    output logic s_ready,
    kumi_axis_if.src m_axis
);
  localparam int WORD_W = 8 * BYTES;

  if (m_axis.DATA_W != WORD_W || m_axis.USER_W < 6) begin : gen_check
    $fatal(0, "m_axis needs 8 * BYTES bits of data and 6 of tuser (%m)");
  end

  // Held: 0 to BYTES bytes, so that the last beat is known to be the last.
  logic [WORD_W-1:0] hold_q;
  logic [4:0] held_q;
  logic [5:0] total;
  logic [2*WORD_W-1:0] joined;
  logic ending_q, free, more;
  gzip_error_e error_q;

  assign free = !m_axis.tvalid || m_axis.tready;
  assign s_ready = !ending_q && free;
  assign total = 6'(held_q) + 6'(s_count);
  assign more = total > 6'(BYTES);

  always_comb begin
    joined = (2 * WORD_W)'(hold_q);
    for (int n = 0; n <= BYTES; n++) begin
      if (held_q == 5'(n)) begin
        joined = {{WORD_W{1'b0}}, s_data} << (8 * n);
        for (int b = 0; b < n; b++) joined[8*b+:8] = hold_q[8*b+:8];
      end
    end
  end

  always_ff @(posedge clk) begin
    if (free) m_axis.tvalid <= 1'b0;
    if (s_valid && s_ready) begin
      hold_q <= more ? joined[2*WORD_W-1:WORD_W] : joined[WORD_W-1:0];
      held_q <= more ? 5'(total - 6'(BYTES)) : 5'(total);
      ending_q <= s_end;
      error_q <= s_error;
      m_axis.tvalid <= more;
      m_axis.tdata <= joined[WORD_W-1:0];
      m_axis.tkeep <= '1;
      m_axis.tlast <= 1'b0;
      m_axis.tuser <= '0;
    end else if (ending_q && free) begin
      ending_q <= 1'b0;
      held_q <= '0;
      m_axis.tvalid <= 1'b1;
      m_axis.tdata <= hold_q;
      for (int b = 0; b < BYTES; b++) m_axis.tkeep[b] <= 5'(b) < held_q;
      m_axis.tlast <= 1'b1;
      m_axis.tuser <= (m_axis.USER_W)'({error_q, error_q != GZIP_OK});
    end
    if (rst) begin
      m_axis.tvalid <= 1'b0;
      ending_q <= 1'b0;
      held_q <= '0;
    end
  end
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;
endmodule
