// SPDX-License-Identifier: Apache-2.0
//
// Joins headers, segments and trailers into one stream of bytes.
//
// block_*: blocks in order. head_*: header bits of each fixed or dynamic block. lane_*: bits of a
//   lane's segments. Every header and every segment ends with a word that says last.
// m_axis: 64 bits; a frame a piece, full beats but the last. tuser[1] with tlast: the message goes
//   on after this piece (sync flush), tuser[0] is 0.
// Throughput a word a cycle; about 12 cycles a block and N more for the seams of its segments.
// Latency 3 cycles.
//
// A message is: wrapper's header, blocks, and after the last one padding to a byte and the trailer.
// Where a piece ends before, an empty stored block ends it at a byte (RFC 1951; zlib's sync flush).
module kumi_deflate_merge
  import kumi_deflate_pkg::*, kumi_gzip_pkg::*;
#(
    parameter int N = 8  // lanes
) (
    input  logic                    clk,
    input  logic                    rst,
    input  deflate_block_t          block,
    input  logic                    block_valid,
    output logic                    block_ready,
    input  deflate_word_t           head_word,
    input  logic                    head_valid,
    output logic                    head_ready,
    input  deflate_word_t   [N-1:0] lane_word,
    input  logic            [N-1:0] lane_valid,
    output logic            [N-1:0] lane_ready,
           kumi_axis_if.src         m_axis
);
  localparam int LANE_W = N == 1 ? 1 : $clog2(N);
  localparam logic [63:0] GZIP_START = 64'h0000_0000_0008_8b1f;
  localparam logic [15:0] GZIP_REST = 16'hff00;  // no hint about effort, unknown system
  localparam logic [15:0] ZLIB_START = 16'h5e78;  // window of 32 KiB, fast
  // By bits in the last byte: those missing to a byte; those of a block's type and its padding.
  localparam logic [7:0][2:0] PAD = {3'd1, 3'd2, 3'd3, 3'd4, 3'd5, 3'd6, 3'd7, 3'd0};
  localparam logic [7:0][3:0] SYNC_BITS = {4'd9, 4'd10, 4'd3, 4'd4, 4'd5, 4'd6, 4'd7, 4'd8};

  typedef enum logic [3:0] {
    ST_IDLE,
    ST_WRAP,       // the wrapper's first bytes
    ST_WRAP_REST,
    ST_STORED,     // type of a stored block
    ST_ALIGN,      // to a byte, and then LEN and NLEN
    ST_LEN,
    ST_HEAD,
    ST_LANES,
    ST_END,        // end of block
    ST_SYNC,       // type of an empty stored block, to a byte
    ST_SYNC_LEN,
    ST_PAD,        // after the last block
    ST_TRAILER,
    ST_CLOSE,      // the last word of the piece
    ST_DONE
  } state_e;
  state_e state_q;
  logic [LANE_W-1:0] lane_q;

  // What comes next. How many bits of padding that is turns out when they are appended.
  typedef enum logic [1:0] {
    FILL_NONE,
    FILL_PAD,
    FILL_SYNC
  } fill_e;
  logic [63:0] next_data;
  logic [6:0] next_bits;
  fill_e next_fill;
  logic next, put_ready, put;
  deflate_word_t lane_now;
  assign lane_now = lane_word[lane_q];
  assign put = next && put_ready;

  function automatic logic [31:0] swapped(input logic [31:0] v);
    return {v[7:0], v[15:8], v[23:16], v[31:24]};
  endfunction

  always_comb begin
    next = 1'b1;
    next_data = '0;
    next_bits = '0;
    next_fill = FILL_NONE;
    unique case (state_q)
      ST_WRAP: begin
        next_data = block.row.format == FORMAT_GZIP ? GZIP_START : {48'd0, ZLIB_START};
        next_bits = block.row.format == FORMAT_GZIP ? 7'd64 : 7'd16;
      end
      ST_WRAP_REST: begin
        next_data = {48'd0, GZIP_REST};
        next_bits = 7'd16;
      end
      ST_STORED: begin
        next_data = {63'd0, block.row.last};
        next_bits = 7'd3;
      end
      ST_ALIGN, ST_PAD: next_fill = FILL_PAD;
      ST_LEN: begin
        next_data = {32'd0, ~block.row.size[15:0], block.row.size[15:0]};
        next_bits = 7'd32;
      end
      ST_HEAD: begin
        next = head_valid;
        next_data = head_word.data;
        next_bits = head_word.count;
      end
      ST_LANES: begin
        next = lane_valid[lane_q];
        next_data = lane_now.data;
        next_bits = lane_now.count;
      end
      ST_END: begin
        next_data = {49'd0, block.end_code};
        next_bits = {3'd0, block.end_bits};
      end
      ST_SYNC: next_fill = FILL_SYNC;
      ST_SYNC_LEN: begin
        next_data = 64'h0000_0000_ffff_0000;
        next_bits = 7'd32;
      end
      ST_TRAILER: begin
        next_data = block.row.format == FORMAT_GZIP ? {block.row.total, block.row.sum}
            : block.row.format == FORMAT_ZLIB ? {32'd0, swapped(block.row.sum)} : '0;
        next_bits = block.row.format == FORMAT_GZIP ? 7'd64
            : block.row.format == FORMAT_ZLIB ? 7'd32 : 7'd0;
      end
      default: next = 1'b0;
    endcase
  end

  assign head_ready = state_q == ST_HEAD && put_ready;
  always_comb begin
    lane_ready = '0;
    lane_ready[lane_q] = state_q == ST_LANES && put_ready;
  end

  // What is appended in this cycle.
  logic [63:0] add_data;
  logic [6:0] given_bits, add_bits;
  fill_e add_fill;
  logic add, ready, go;
  logic [5:0] fill_q;
  logic [6:0] total;
  kumi_slice #(
      .W(64 + 7 + 2),
      .MODE(2)
  ) u_add (
      .clk,
      .rst,
      .s_data ({next_fill, next_bits, next_data}),
      .s_valid(next),
      .s_ready(put_ready),
      .m_data ({add_fill, given_bits, add_data}),
      .m_valid(add),
      .m_ready(ready)
  );
  assign go = add && ready;
  always_comb begin
    add_bits = given_bits;
    if (add_fill == FILL_PAD) add_bits = {4'd0, PAD[fill_q[2:0]]};
    if (add_fill == FILL_SYNC) add_bits = {3'd0, SYNC_BITS[fill_q[2:0]]};
  end

  // Append. A full word waits in out_q until it is known whether it is the last.
  logic [63:0] acc_q, out_q;
  logic [126:0] joined;
  logic out_valid_q, close;
  assign joined = {63'd0, acc_q} | ({63'd0, add_data} << fill_q);
  assign total  = {1'b0, fill_q} + add_bits;

  logic [63:0] send_data;
  logic [ 7:0] send_keep;
  logic send_last, send, send_ready;
  assign close = state_q == ST_CLOSE && !add;
  // In ST_CLOSE out_q goes first; with bits left, acc_q follows in ST_DONE.
  assign send = (add && total[6] && out_valid_q) || (close && out_valid_q) || state_q == ST_DONE;
  assign ready = send_ready || !out_valid_q;
  assign send_data = state_q == ST_DONE ? acc_q : out_q;
  assign send_last = state_q == ST_DONE || (close && fill_q == '0);
  always_comb begin
    for (int i = 0; i < 8; i++) send_keep[i] = state_q != ST_DONE || {i[2:0], 3'd0} < fill_q;
  end

  logic lane_end;
  assign lane_end = put && state_q == ST_LANES && lane_now.last && lane_q == LANE_W'(N - 1);
  logic finished;
  assign finished = (close && fill_q == '0 && send_ready)
      || (state_q == ST_DONE && send_ready)
      || (state_q == ST_END && put && !block.row.piece)
      || (state_q == ST_LANES && lane_end && block.kind == BLOCK_STORED && !block.row.piece);
  assign block_ready = finished;

  always_ff @(posedge clk) begin
    if (go) begin
      acc_q  <= total[6] ? {1'b0, joined[126:64]} : joined[63:0];
      fill_q <= total[5:0];
      if (total[6]) begin
        out_q <= joined[63:0];
        out_valid_q <= 1'b1;
      end
    end
    if (close && send_ready) out_valid_q <= 1'b0;
    if (finished && block.row.piece) begin
      acc_q  <= '0;
      fill_q <= '0;
    end

    unique case (state_q)
      ST_IDLE: begin
        lane_q <= '0;
        if (block_valid) begin
          if (block.row.first && block.row.format != FORMAT_RAW) state_q <= ST_WRAP;
          else state_q <= block.kind == BLOCK_STORED ? ST_STORED : ST_HEAD;
        end
      end
      ST_WRAP: begin
        if (put) begin
          state_q <= block.row.format == FORMAT_GZIP ? ST_WRAP_REST
              : block.kind == BLOCK_STORED ? ST_STORED : ST_HEAD;
        end
      end
      ST_WRAP_REST: if (put) state_q <= block.kind == BLOCK_STORED ? ST_STORED : ST_HEAD;
      ST_STORED: if (put) state_q <= ST_ALIGN;
      ST_ALIGN: if (put) state_q <= ST_LEN;
      ST_LEN: if (put) state_q <= ST_LANES;
      ST_HEAD: if (put && head_word.last) state_q <= ST_LANES;
      ST_LANES: begin
        if (put && lane_now.last) lane_q <= lane_q + 1'b1;
        if (lane_end) begin
          lane_q <= '0;
          if (block.kind != BLOCK_STORED) state_q <= ST_END;
          else state_q <= block.row.last ? ST_PAD : block.row.piece ? ST_SYNC : ST_IDLE;
        end
      end
      ST_END: begin
        if (put) state_q <= block.row.last ? ST_PAD : block.row.piece ? ST_SYNC : ST_IDLE;
      end
      ST_SYNC: if (put) state_q <= ST_SYNC_LEN;
      ST_SYNC_LEN: if (put) state_q <= ST_CLOSE;
      ST_PAD: if (put) state_q <= ST_TRAILER;
      ST_TRAILER: if (put) state_q <= ST_CLOSE;
      ST_CLOSE:
      if (close && (send_ready || !out_valid_q)) state_q <= fill_q == '0 ? ST_IDLE : ST_DONE;
      default: if (send_ready) state_q <= ST_IDLE;
    endcase
    if (rst) begin
      state_q <= ST_IDLE;
      fill_q <= '0;
      acc_q <= '0;
      out_valid_q <= 1'b0;
    end
  end

  kumi_axis_if #(
      .DATA_W(64),
      .USER_W(2)
  ) send_axis ();
  assign send_axis.tdata  = send_data;
  assign send_axis.tkeep  = send_keep;
  assign send_axis.tvalid = send;
  assign send_axis.tlast  = send_last;
  assign send_axis.tuser  = {send_last && !block.row.last, 1'b0};
  assign send_axis.tid    = '0;
  assign send_axis.tdest  = '0;
  assign send_ready = send_axis.tready;

  kumi_axis_reg u_out (
      .clk,
      .rst,
      .s_axis(send_axis.snk),
      .m_axis(m_axis)
  );
endmodule
