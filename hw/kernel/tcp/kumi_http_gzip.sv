// SPDX-License-Identifier: Apache-2.0
//
// Kernel of kumi_http: compresses, decompresses, or sends back the body of a request.
//
// s_body, m_body: as kumi_http has them; tdest[1:0] 0: decompress (kumi_http_gzip_inflate), 1:
//   compress to gzip (kumi_deflate), 2: nothing of either. tdest[2]: the body has a
//   Content-Encoding, and is decompressed first; tdest[3]: the response is to be gzip.
//
//   s_body -> decompress, or not -> compress, or not -> m_body
//
// What is sent to be decompressed is decompressed once, with a Content-Encoding or without.
// A response is bad if the data are malformed. It may begin while the request comes. The next body
//   waits until the response to this one has ended.
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
  kumi_axis_if #(.DATA_W(8)) packed_in ();
  kumi_axis_if #(.DATA_W(8)) unpacked ();
  kumi_axis_if #(.DATA_W(8)) plain ();
  kumi_axis_if #(
      .DATA_W(8),
      .USER_W(2)
  ) deflate_in ();
  kumi_axis_if #(
      .DATA_W(64),
      .USER_W(2)
  ) deflated ();
  kumi_axis_if #(.DATA_W(8)) packed_out ();

  // ---- which of the two are used ---------------------------------------------------------------
  // known_q: it is decided for the body that comes; owed_q: its response has not ended.
  logic known_q, owed_q, inflate_q, deflate_q, bad_q, inflate_busy, open;
  logic [1:0] route;
  assign route = s_body.tdest[1:0];
  assign open  = s_body.tvalid && known_q;

  always_ff @(posedge clk) begin
    if (s_body.tvalid && !known_q && !owed_q) begin
      known_q   <= 1'b1;
      owed_q    <= 1'b1;
      inflate_q <= route == 2'd0 || s_body.tdest[2];
      deflate_q <= route == 2'd1 || s_body.tdest[3];
    end
    if (s_body.tvalid && s_body.tready && s_body.tlast) known_q <= 1'b0;
    if (m_body.tvalid && m_body.tready && m_body.tlast) owed_q <= 1'b0;
    if (plain.tvalid && plain.tready && plain.tlast) bad_q <= plain.tuser[0];
    if (rst) begin
      known_q <= 1'b0;
      owed_q  <= 1'b0;
    end
  end

  // ---- decompress ------------------------------------------------------------------------------
  assign packed_in.tdata = s_body.tdata;
  assign packed_in.tkeep = s_body.tkeep;
  assign packed_in.tvalid = open && inflate_q;
  assign packed_in.tlast = s_body.tlast;
  assign packed_in.tuser = s_body.tuser[0];
  assign packed_in.tid = '0;
  assign packed_in.tdest = '0;
  assign s_body.tready = known_q && (inflate_q ? packed_in.tready : plain.tready);

  kumi_http_gzip_inflate #(
      .SPAN(SPAN),
      .SYMS(SYMS)
  ) u_inflate (
      .clk,
      .rst,
      .s_axis(packed_in),
      .m_axis(unpacked),
      .busy  (inflate_busy)
  );

  assign plain.tdata = inflate_q ? unpacked.tdata : s_body.tdata;
  assign plain.tkeep = inflate_q ? unpacked.tkeep : s_body.tkeep;
  assign plain.tvalid = inflate_q ? unpacked.tvalid : open;
  assign plain.tlast = inflate_q ? unpacked.tlast : s_body.tlast;
  assign plain.tuser = inflate_q ? unpacked.tuser : s_body.tuser[0];
  assign plain.tid = '0;
  assign plain.tdest = '0;
  assign unpacked.tready = inflate_q && plain.tready;

  // ---- compress --------------------------------------------------------------------------------
  assign deflate_in.tdata = plain.tdata;
  assign deflate_in.tkeep = plain.tkeep;
  assign deflate_in.tvalid = plain.tvalid && deflate_q;
  assign deflate_in.tlast = plain.tlast;
  assign deflate_in.tuser = '0;
  assign deflate_in.tid = '0;
  assign deflate_in.tdest = '0;
  assign plain.tready = deflate_q ? deflate_in.tready : m_body.tready;

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

  kumi_http_gzip_bytes u_bytes (
      .clk,
      .rst,
      .s_axis(deflated),
      .m_axis(packed_out)
  );
  assign packed_out.tready = deflate_q && m_body.tready;

  assign m_body.tdata = deflate_q ? packed_out.tdata : plain.tdata;
  assign m_body.tkeep = deflate_q ? packed_out.tkeep : plain.tkeep;
  assign m_body.tvalid = deflate_q ? packed_out.tvalid : plain.tvalid;
  assign m_body.tlast = deflate_q ? packed_out.tlast : plain.tlast;
  assign m_body.tuser = (m_body.USER_W)'(m_body.tlast && (deflate_q ? bad_q : plain.tuser[0]));
  assign m_body.tid = '0;
  assign m_body.tdest = '0;
  assign busy = inflate_busy || owed_q || known_q;

  logic unused;
  assign unused = ^{s_body.tuser, s_body.tid, s_body.tdest, packed_out.tuser, packed_out.tid,
                    packed_out.tdest, unpacked.tid, unpacked.tdest, events};
endmodule
