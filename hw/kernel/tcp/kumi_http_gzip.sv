// SPDX-License-Identifier: Apache-2.0
//
// Kernel of kumi_http that decompresses the body of a request (kumi_inflate).
//
// s_body, m_body: as kumi_http has them. The format is that of the data: gzip, zlib, else raw, by
//   the first byte. A response is bad if the data are malformed, or the request was incomplete.
// Throughput: a byte a cycle. The response begins while the request comes.
module kumi_http_gzip
  import kumi_gzip_pkg::*;
#(
    parameter int SPAN = 16,  // of kumi_inflate
    parameter int SYMS = 2
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_body,
    kumi_axis_if.src m_body,
    output logic busy
);
  localparam int DATA_W = 32;
  localparam int BYTES = DATA_W / 8;

  // ---- bytes to beats --------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) packed_s ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(6)
  ) plain ();
  logic [BYTES-1:0][7:0] fill_q;
  logic [2:0] filled_q;
  logic first_q, take;
  gzip_format_e format_q;

  assign s_body.tready = !packed_s.tvalid;
  assign take = s_body.tvalid && s_body.tready;

  always_ff @(posedge clk) begin
    if (packed_s.tready) packed_s.tvalid <= 1'b0;
    if (take) begin
      if (s_body.tkeep[0]) begin
        fill_q[filled_q[1:0]] <= s_body.tdata;
        filled_q <= filled_q + 1'b1;
        if (first_q) begin
          format_q <= s_body.tdata == 8'h1f ? FORMAT_GZIP :
              s_body.tdata[3:0] == 4'd8 ? FORMAT_ZLIB : FORMAT_RAW;
        end
        first_q <= 1'b0;
      end
      packed_s.tvalid <= s_body.tlast || (s_body.tkeep[0] && 32'(filled_q) == BYTES - 1);
      packed_s.tlast  <= s_body.tlast;
      for (int b = 0; b < BYTES; b++) begin
        packed_s.tkeep[b] <= 3'(b) < filled_q || (s_body.tkeep[0] && 3'(b) == filled_q);
      end
      if (s_body.tlast) first_q <= 1'b1;
      if (s_body.tlast || 32'(filled_q) == BYTES - 1) filled_q <= '0;
    end
    if (rst) begin
      packed_s.tvalid <= 1'b0;
      filled_q <= '0;
      first_q <= 1'b1;
    end
  end
  assign packed_s.tdata = fill_q;
  assign packed_s.tuser = '0;
  assign packed_s.tid   = '0;
  assign packed_s.tdest = '0;

  kumi_inflate #(
      .DATA_W(DATA_W),
      .SPAN  (SPAN),
      .SYMS  (SYMS)
  ) u_inflate (
      .clk,
      .rst,
      .format(format_q),
      .s_axis(packed_s),
      .m_axis(plain),
      .busy
  );

  // ---- beats to bytes --------------------------------------------------------------------------
  logic [1:0] lane_q;
  logic end_q, some, last_byte;

  assign some = plain.tkeep[lane_q] && !end_q;
  assign last_byte = lane_q == 2'(BYTES - 1) || !plain.tkeep[lane_q+1'b1];
  assign m_body.tdata = plain.tdata[8*lane_q+:8];
  assign m_body.tkeep = some;
  assign m_body.tvalid = plain.tvalid;
  assign m_body.tlast = !some;
  assign m_body.tuser = (m_body.USER_W)'(!some && plain.tuser[0]);
  assign m_body.tid = '0;
  assign m_body.tdest = '0;
  assign plain.tready = m_body.tready && (!some || (last_byte && !plain.tlast));

  always_ff @(posedge clk) begin
    if (plain.tvalid && m_body.tready) begin
      lane_q <= lane_q + 1'b1;
      if (some && last_byte) begin
        lane_q <= '0;
        end_q  <= plain.tlast;
      end
      if (!some) begin
        lane_q <= '0;
        end_q  <= 1'b0;
      end
    end
    if (rst) begin
      lane_q <= '0;
      end_q  <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{s_body.tuser, s_body.tid, s_body.tdest, plain.tuser, plain.tid, plain.tdest};
endmodule
