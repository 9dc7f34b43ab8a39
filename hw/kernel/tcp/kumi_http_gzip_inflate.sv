// SPDX-License-Identifier: Apache-2.0
//
// Decompressor (kumi_inflate) between bodies of a byte a beat (kumi_http_body).
//
// s_axis, m_axis: bodies; what comes is gzip, zlib, else raw deflate, by its first byte. A body
//   that is malformed or incomplete ends with tuser.
// Throughput: a byte a cycle. Handshakes: valid/ready, held.
module kumi_http_gzip_inflate
  import kumi_gzip_pkg::*;
#(
    parameter int SPAN = 16,  // of kumi_inflate
    parameter int SYMS = 2
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic busy
);
  localparam int DATA_W = 64;
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);

  kumi_axis_if #(.DATA_W(DATA_W)) beats ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(6)
  ) inflated ();

  logic [BYTES-1:0][7:0] fill_q;
  logic [LANE_W:0] filled_q;
  logic first_q, take, full;
  gzip_format_e format_q;

  assign s_axis.tready = !beats.tvalid;
  assign take = s_axis.tvalid && s_axis.tready;
  assign full = s_axis.tkeep[0] && filled_q == (LANE_W + 1)'(BYTES - 1);

  always_ff @(posedge clk) begin
    if (beats.tready) beats.tvalid <= 1'b0;
    if (take) begin
      if (s_axis.tkeep[0]) begin
        fill_q[filled_q[LANE_W-1:0]] <= s_axis.tdata;
        filled_q <= filled_q + 1'b1;
        first_q <= 1'b0;
        if (first_q) begin
          format_q <= s_axis.tdata == 8'h1f ? FORMAT_GZIP :
              s_axis.tdata[3:0] == 4'd8 ? FORMAT_ZLIB : FORMAT_RAW;
        end
      end
      beats.tvalid <= s_axis.tlast || full;
      beats.tlast  <= s_axis.tlast;
      for (int b = 0; b < BYTES; b++) begin
        beats.tkeep[b] <= (LANE_W + 1)'(b) < filled_q + (LANE_W + 1)'(s_axis.tkeep[0]);
      end
      if (s_axis.tlast) first_q <= 1'b1;
      if (s_axis.tlast || full) filled_q <= '0;
    end
    if (rst) begin
      beats.tvalid <= 1'b0;
      filled_q <= '0;
      first_q <= 1'b1;
    end
  end
  assign beats.tdata = fill_q;
  assign beats.tuser = '0;
  assign beats.tid   = '0;
  assign beats.tdest = '0;

  kumi_inflate #(
      .DATA_W(DATA_W),
      .SPAN  (SPAN),
      .SYMS  (SYMS)
  ) u_inflate (
      .clk,
      .rst,
      .format(format_q),
      .s_axis(beats),
      .m_axis(inflated),
      .busy
  );

  kumi_http_gzip_bytes u_bytes (
      .clk,
      .rst,
      .s_axis(inflated),
      .m_axis
  );

  logic unused;
  assign unused = ^{s_axis.tuser, s_axis.tid, s_axis.tdest};
endmodule
