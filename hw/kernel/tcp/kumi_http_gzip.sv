// SPDX-License-Identifier: Apache-2.0
//
// Kernel of kumi_http that compresses or decompresses the body of a request.
//
// s_body, m_body: as kumi_http has them; tdest 0: decompress (kumi_inflate), 1: compress to gzip
//   (kumi_deflate). What is to be decompressed is gzip, zlib, else raw, by its first byte.
// A response is bad if the data are malformed. It may begin while the request comes.
// Throughput: a byte a cycle.
module kumi_http_gzip
  import kumi_gzip_pkg::*;
#(
    parameter int SPAN = 16,  // of kumi_inflate
    parameter int SYMS = 2,
    parameter int WAYS = 8,  // of kumi_deflate
    parameter int HASH_W = 11,
    parameter int SEGMENT = 16384
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_body,
    kumi_axis_if.src m_body,
    output logic busy
);
  localparam int DATA_W = 64;
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);

  kumi_axis_if #(.DATA_W(DATA_W)) inflate_in ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(6)
  ) inflated ();
  kumi_axis_if #(
      .DATA_W(8),
      .USER_W(2)
  ) deflate_in ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(2)
  ) deflated ();

  // ---- bytes to beats --------------------------------------------------------------------------
  logic [BYTES-1:0][7:0] fill_q;
  logic [LANE_W:0] filled_q;
  logic first_q, take, full, compress;
  gzip_format_e format_q;

  assign compress = s_body.tdest[0];
  assign s_body.tready = compress ? deflate_in.tready : !inflate_in.tvalid;
  assign take = s_body.tvalid && !compress && !inflate_in.tvalid;
  assign full = s_body.tkeep[0] && filled_q == (LANE_W + 1)'(BYTES - 1);

  always_ff @(posedge clk) begin
    if (inflate_in.tready) inflate_in.tvalid <= 1'b0;
    if (take) begin
      if (s_body.tkeep[0]) begin
        fill_q[filled_q[LANE_W-1:0]] <= s_body.tdata;
        filled_q <= filled_q + 1'b1;
        first_q <= 1'b0;
        if (first_q) begin
          format_q <= s_body.tdata == 8'h1f ? FORMAT_GZIP :
              s_body.tdata[3:0] == 4'd8 ? FORMAT_ZLIB : FORMAT_RAW;
        end
      end
      inflate_in.tvalid <= s_body.tlast || full;
      inflate_in.tlast  <= s_body.tlast;
      for (int b = 0; b < BYTES; b++) begin
        inflate_in.tkeep[b] <= (LANE_W + 1)'(b) < filled_q + (LANE_W + 1)'(s_body.tkeep[0]);
      end
      if (s_body.tlast) first_q <= 1'b1;
      if (s_body.tlast || full) filled_q <= '0;
    end
    if (rst) begin
      inflate_in.tvalid <= 1'b0;
      filled_q <= '0;
      first_q <= 1'b1;
    end
  end
  assign inflate_in.tdata = fill_q;
  assign inflate_in.tuser = '0;
  assign inflate_in.tid   = '0;
  assign inflate_in.tdest = '0;

  kumi_inflate #(
      .DATA_W(DATA_W),
      .SPAN  (SPAN),
      .SYMS  (SYMS)
  ) u_inflate (
      .clk,
      .rst,
      .format(format_q),
      .s_axis(inflate_in),
      .m_axis(inflated),
      .busy
  );

  assign deflate_in.tdata = s_body.tdata;
  assign deflate_in.tkeep = s_body.tkeep;
  assign deflate_in.tvalid = s_body.tvalid && compress;
  assign deflate_in.tlast = s_body.tlast;
  assign deflate_in.tuser = '0;
  assign deflate_in.tid = '0;
  assign deflate_in.tdest = '0;

  logic [2:0] events;
  kumi_deflate #(
      .N(1),
      .WAYS(WAYS),
      .HASH_W(HASH_W),
      .SEGMENT(SEGMENT)
  ) u_deflate (
      .clk,
      .rst,
      .format(FORMAT_GZIP),
      .s_axis(deflate_in),
      .m_axis(deflated),
      .event_stored(events[0]),
      .event_fixed(events[1]),
      .event_dynamic(events[2])
  );

  // ---- beats to bytes --------------------------------------------------------------------------
  // One request is under way at a time, so only one of the two has beats.
  logic [DATA_W-1:0] data;
  logic [ BYTES-1:0] keep;
  logic [LANE_W-1:0] lane_q;
  logic end_q, some, last_byte, last, done;

  assign data = deflated.tvalid ? deflated.tdata : inflated.tdata;
  assign keep = deflated.tvalid ? deflated.tkeep : inflated.tkeep;
  assign last = deflated.tvalid ? deflated.tlast : inflated.tlast;
  assign some = keep[lane_q] && !end_q;
  assign last_byte = &lane_q || !keep[lane_q+1'b1];
  assign m_body.tdata = data[8*lane_q+:8];
  assign m_body.tkeep = some;
  assign m_body.tvalid = deflated.tvalid || inflated.tvalid;
  assign m_body.tlast = !some;
  assign m_body.tuser = (m_body.USER_W)'(!some && !deflated.tvalid && inflated.tuser[0]);
  assign m_body.tid = '0;
  assign m_body.tdest = '0;
  assign done = m_body.tready && (!some || (last_byte && !last));
  assign deflated.tready = done && deflated.tvalid;
  assign inflated.tready = done && !deflated.tvalid;

  always_ff @(posedge clk) begin
    if (m_body.tvalid && m_body.tready) begin
      lane_q <= lane_q + 1'b1;
      if (!some || last_byte) begin
        lane_q <= '0;
        end_q  <= some && last;
      end
    end
    if (rst) begin
      lane_q <= '0;
      end_q  <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{s_body.tuser, s_body.tid, s_body.tdest, inflated.tuser, inflated.tid,
      inflated.tdest,
                    deflated.tuser, deflated.tid, deflated.tdest, events};
endmodule
