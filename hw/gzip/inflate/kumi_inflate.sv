// SPDX-License-Identifier: Apache-2.0
//
// Decompressor for gzip (RFC 1952, also several members in a row), zlib (RFC 1950) and raw deflate
// (RFC 1951) streams, which verifies checksums and sizes.
//
// s_axis: one frame is one stream, of any length. format: of the stream (gzip_format_e, 3 as gzip);
//   read with its first bytes, to be held until its first byte comes out or its frame ends.
// m_axis: one frame for each stream: its bytes; tuser with tlast: [0] the stream is invalid, [5:1]
//   why (gzip_error_e). Bytes before the error are those that zlib gives. All beats are full but
//   the last, which has no byte if the stream has none.
// Handshakes: valid/ready, held, back-pressure at any time on either side.
// After the end of a zlib or raw stream, and after an error, the rest of the input frame is
//   dropped. Zeros between and after gzip members are padding; anything else must be a member.
// Bad input: each class of gzip_error_e ends the frame with its error; verdict and bytes are
//   zlib's. A stream that ends early is GZIP_ERR_TRUNCATED.
// Throughput: with SPAN 32 and SYMS 4 up to 32 bits a cycle: 2 to 4 literals, or a distance; DATA_W
//   bits of a match; 4 bytes of a stored block. A dynamic block costs about 2,100 cycles before its
//   first symbol, a fixed one 1,650 if the last block had another code; a code longer than
//   10 bits about 13.
// Latency: about 60 cycles from the first byte of a stored block, and up to DATA_W / 8 bytes wait
//   for a beat to be full. Memory: 32 KiB of window, SPAN / 2 + 4 tables of 1024 words.
`include "kumi_assert.svh"
module kumi_inflate
  import kumi_gzip_pkg::*;
  import kumi_inflate_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of a beat, and of a match a cycle: 32, 64 or 128
    parameter int SPAN   = 32,  // bits of the stream that are decoded in a cycle: 16 or 32
    parameter int SYMS   = 4    // literals a cycle, 2..4
) (
    input logic clk,
    input logic rst,
    input gzip_format_e format,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic busy
);
  localparam int BYTES = DATA_W / 8;
  localparam int ROWS = 64;
  localparam int LOOK = SPAN == 32 ? 64 : 48;
  localparam int BIT_W = $clog2(SPAN);
  localparam int POS_W = $clog2(SPAN * ROWS) + 1;
  localparam int ROW_W = POS_W - BIT_W;
  localparam int QUEUE = 64;  // tokens
  localparam int FLIGHT = 4 * SYMS + 8;  // tokens under way when the queue says stop
  localparam int BEATS = 32;  // of bytes that wait for m_axis
  localparam int OUT_W = 1 + $bits(gzip_error_e) + 5 + DATA_W;

  if ((DATA_W != 32 && DATA_W != 64 && DATA_W != 128) || s_axis.DATA_W != DATA_W
      || m_axis.DATA_W != DATA_W) begin : gen_check
    $fatal(0, "s_axis and m_axis must be DATA_W wide, 32, 64 or 128 (%m)");
  end

  // ---- bits -----------------------------------------------------------------------------------
  logic [POS_W-1:0] at;
  logic [31:0] peek;
  logic [6:0] avail, row_limit;
  logic ended, discard, restart, running, row_ready, row_some;
  logic [ROW_W-1:0] row, row_at;
  logic [LOOK-1:0] row_bits;

  kumi_inflate_bits #(
      .SPAN(SPAN),
      .ROWS(ROWS)
  ) u_bits (
      .clk,
      .rst,
      .s_axis,
      .discard,
      .restart,
      .base_row(running ? row_at : at[POS_W-1:BIT_W]),
      .at,
      .peek,
      .avail,
      .ended,
      .row,
      .row_bits,
      .row_limit,
      .row_ready,
      .row_some
  );

  // ---- control --------------------------------------------------------------------------------
  logic header_start, header_done, header_ask, header_ok;
  logic tables_start, tables_fixed, tables_cancel, tables_done, tables_ask, tables_ok;
  logic go, go_dist, go_fetch, stop, halted, halt_stale, halt_dist;
  logic token_valid, queue_ready_q, failed, finished, ctrl_busy;
  gzip_format_e header_format;
  gzip_error_e header_error, tables_error;
  logic [5:0] header_need, header_take, tables_need, tables_take;
  logic [MAX_CODE_BITS-1:0] code;
  logic [3:0] litlen_len, dist_len;
  logic [8:0] litlen_sym;
  logic [4:0] dist_sym;
  logic [BIT_W-1:0] halt_pos;
  inflate_token_t token;

  kumi_inflate_ctrl #(
      .POS_W(POS_W)
  ) u_ctrl (
      .clk,
      .rst,
      .format,
      .at,
      .peek,
      .avail,
      .ended,
      .discard,
      .restart,
      .header_start,
      .header_format,
      .header_done,
      .header_error,
      .header_ask,
      .header_need,
      .header_ok,
      .header_take,
      .tables_start,
      .tables_fixed,
      .tables_cancel,
      .tables_done,
      .tables_error,
      .tables_ask,
      .tables_need,
      .tables_ok,
      .tables_take,
      .code,
      .litlen_len,
      .litlen_sym,
      .dist_len,
      .dist_sym,
      .go,
      .go_dist,
      .go_fetch,
      .stop,
      .running,
      .halted,
      .halt_stale,
      .halt_dist,
      .halt_at({row_at, halt_pos}),
      .token,
      .token_valid,
      .token_ready(queue_ready_q),
      .failed,
      .finished,
      .busy(ctrl_busy)
  );

  kumi_inflate_header u_header (
      .clk,
      .rst,
      .start(header_start),
      .format(header_format),
      .done(header_done),
      .error(header_error),
      .ask(header_ask),
      .need(header_need),
      .ok(header_ok),
      .peek,
      .take(header_take)
  );

  // ---- codes ----------------------------------------------------------------------------------
  logic wr_en;
  logic [TABLE_BITS-1:0] wr_addr;
  inflate_litlen_step_t wr_litlen_step;
  inflate_dist_step_t wr_dist_step;
  inflate_litlen_t wr_litlen;
  inflate_dist_t wr_dist;

  kumi_inflate_tables u_tables (
      .clk,
      .rst,
      .start(tables_start),
      .fixed(tables_fixed),
      .cancel(tables_cancel),
      .done(tables_done),
      .error(tables_error),
      .ask(tables_ask),
      .need(tables_need),
      .ok(tables_ok),
      .peek,
      .take(tables_take),
      .wr_en,
      .wr_addr,
      .wr_litlen_step,
      .wr_dist_step,
      .wr_litlen,
      .wr_dist,
      .code,
      .litlen_len,
      .litlen_sym,
      .dist_len,
      .dist_sym
  );

  // ---- symbols --------------------------------------------------------------------------------
  logic group_valid, made_valid, symbols_busy;
  inflate_group_t group, next_group;
  logic [LOOK-1:0] group_bits;
  inflate_token_t made;

  kumi_inflate_rows #(
      .SPAN (SPAN),
      .SYMS (SYMS),
      .ROW_W(ROW_W)
  ) u_rows (
      .clk,
      .rst,
      .wr_en,
      .wr_addr,
      .wr_litlen(wr_litlen_step),
      .wr_dist(wr_dist_step),
      .go,
      .go_row(at[POS_W-1:BIT_W]),
      .go_pos(at[BIT_W-1:0]),
      .go_dist,
      .go_fetch,
      .stop,
      .halted,
      .halt_stale,
      .halt_dist,
      .halt_pos,
      .row_at,
      .row,
      .row_bits,
      .row_limit,
      .row_ready,
      .row_some,
      .m_valid(group_valid),
      .m_group(group),
      .m_bits(group_bits),
      .m_ready(queue_ready_q)
  );

  always_comb begin
    next_group = group;
    if (token_valid) begin
      next_group = '0;
      next_group.raw = 1'b1;
    end
  end

  kumi_inflate_symbols #(
      .SYMS(SYMS),
      .LOOK(LOOK)
  ) u_symbols (
      .clk,
      .rst,
      .wr_en,
      .wr_addr,
      .wr_litlen,
      .wr_dist,
      .s_valid(group_valid || token_valid),
      .s_group(next_group),
      .s_bits (token_valid ? LOOK'(token) : group_bits),
      .m_valid(made_valid),
      .m_token(made),
      .busy   (symbols_busy)
  );

  // ---- bytes ----------------------------------------------------------------------------------
  logic [TOKEN_W-1:0] queue_data;
  logic queue_room, queue_valid, queue_take;
  logic [$clog2(QUEUE):0] queue_depth;

  kumi_fifo #(
      .W(TOKEN_W),
      .DEPTH(QUEUE),
      .STYLE(0)
  ) u_queue (
      .clk,
      .rst,
      .s_data (made),
      .s_valid(made_valid),
      .s_ready(queue_room),
      .m_data (queue_data),
      .m_valid(queue_valid),
      .m_ready(queue_take),
      .depth  (queue_depth)
  );
  always_ff @(posedge clk) queue_ready_q <= 32'(queue_depth) < QUEUE - FLIGHT && !rst;

  logic chunk_valid, chunk_flush, far, out_ready_q;
  logic [DATA_W-1:0] chunk_data, byte_data;
  logic [4:0] chunk_count, byte_count;
  inflate_token_t chunk_token;
  logic byte_valid, byte_end;
  gzip_error_e byte_error;

  kumi_inflate_copy #(
      .BYTES(BYTES)
  ) u_copy (
      .clk,
      .rst,
      .s_token(inflate_token_t'(queue_data)),
      .s_valid(queue_valid),
      .s_ready(queue_take),
      .m_valid(chunk_valid),
      .m_data (chunk_data),
      .m_count(chunk_count),
      .m_flush(chunk_flush),
      .m_token(chunk_token),
      .m_ready(out_ready_q),
      .far
  );

  kumi_inflate_check #(
      .BYTES(BYTES)
  ) u_check (
      .clk,
      .rst,
      .s_valid(chunk_valid),
      .s_data (chunk_data),
      .s_count(chunk_count),
      .s_flush(chunk_flush),
      .s_token(chunk_token),
      .far,
      .failed,
      .m_valid(byte_valid),
      .m_data (byte_data),
      .m_count(byte_count),
      .m_end  (byte_end),
      .m_error(byte_error)
  );
  assign finished = byte_valid && byte_end;

  logic [OUT_W-1:0] out_data;
  logic out_room, out_valid, out_take;
  logic [$clog2(BEATS):0] out_depth;

  kumi_fifo #(
      .W(OUT_W),
      .DEPTH(BEATS),
      .STYLE(0)
  ) u_out (
      .clk,
      .rst,
      .s_data ({byte_end, byte_error, byte_count, byte_data}),
      .s_valid(byte_valid),
      .s_ready(out_room),
      .m_data (out_data),
      .m_valid(out_valid),
      .m_ready(out_take),
      .depth  (out_depth)
  );
  always_ff @(posedge clk) out_ready_q <= 32'(out_depth) < BEATS - 12 && !rst;

  logic end_out;
  gzip_error_e error_out;
  logic [4:0] count_out;
  logic [DATA_W-1:0] data_out;
  assign {end_out, error_out, count_out, data_out} = out_data;

  kumi_inflate_pack #(
      .BYTES(BYTES)
  ) u_pack (
      .clk,
      .rst,
      .s_data (data_out),
      .s_count(count_out),
      .s_end  (end_out),
      .s_error(error_out),
      .s_valid(out_valid),
      .s_ready(out_take),
      .m_axis
  );

  assign busy = ctrl_busy || symbols_busy || queue_valid || out_valid || m_axis.tvalid;

  `KUMI_ASSERT(a_queue, queue_room || !made_valid)
  `KUMI_ASSERT(a_out, out_room || !byte_valid)
endmodule
