// SPDX-License-Identifier: Apache-2.0
//
// Encodes a lane's segments, one after the other.
//
// go: a block may be encoded: one segment, in the way go_kind. pending: blocks that have not been
//   finished, two at most; they use the code banks 0, 1, 0, ... in turn, so a bank may be written
//   (code_*, one code a cycle) while at most one block, of the other bank, is pending.
// s_slot: from kumi_deflate_parse. m_word: packed bits, last with the segment.
// Throughput a byte a cycle: a match takes the packer two cycles, and its other bytes none.
module kumi_deflate_encode
  import kumi_deflate_pkg::*, kumi_gzip_pkg::gzip_block_e;
(
    input  logic                clk,
    input  logic                rst,
    input  logic                go,
    input  gzip_block_e         go_kind,
    output logic          [1:0] pending,
    input  logic                code_lit,
    input  logic                code_dist,
    input  logic                code_bank,
    input  logic          [8:0] code_at,
    input  deflate_code_t       code_data,
    input  deflate_slot_t       s_slot,
    input  logic                s_valid,
    output logic                s_ready,
    output deflate_word_t       m_word,
    output logic                m_valid,
    input  logic                m_ready
);
  localparam int FIFO = 16;
  localparam int FIFO_ROOM = 8;  // of them for what is on its way

  typedef struct packed {
    logic        last;
    logic        match;
    logic [4:0]  lit_bits;
    logic [19:0] lit;
    logic [4:0]  dist_bits;
    logic [27:0] distance;
  } encode_token_t;

  // Blocks.
  gzip_block_e [1:0] kind_q;
  logic [1:0] pending_q;
  logic bank_q, put_q;
  logic take, finish;

  assign pending = pending_q;
  assign finish  = take && s_slot.last;

  always_ff @(posedge clk) begin
    if (go) begin
      kind_q[put_q] <= go_kind;
      put_q <= !put_q;
    end
    if (finish) bank_q <= !bank_q;
    if (go != finish) pending_q <= pending_q + {finish, 1'b1};
    if (rst) begin
      put_q <= 1'b0;
      bank_q <= 1'b0;
      pending_q <= '0;
    end
  end

  // Stage 1: symbols and extra bits.
  logic [$clog2(FIFO):0] depth;
  logic [4:0] len_sym, dist_sym;
  assign take = s_ready && s_valid;
  assign s_ready = pending_q != '0 && depth < $bits(depth)'(FIFO - FIFO_ROOM);
  assign len_sym = kumi_gzip_pkg::length_symbol(s_slot.len3);
  assign dist_sym = kumi_gzip_pkg::dist_symbol(s_slot.dist1);

  typedef struct packed {
    logic        stored;
    logic        skip;        // no code
    logic        none;        // no byte
    logic        match;
    logic        last;
    logic [7:0]  data;
    logic [7:0]  len3;
    logic [14:0] dist1;
    logic [2:0]  len_extra;
    logic [3:0]  dist_extra;
  } encode_step_t;
  encode_step_t [1:0] step_q;
  logic [1:0] valid_q;
  logic [9:0] lit_at_q;
  logic [5:0] dist_at_q;
  logic stored;
  assign stored = kind_q[bank_q] == kumi_gzip_pkg::BLOCK_STORED;

  always_ff @(posedge clk) begin
    step_q[0] <= '{
        stored: stored,
        skip: !stored && s_slot.kind == SLOT_COVERED,
        none: s_slot.kind == SLOT_EMPTY,
        match: !stored && s_slot.kind == SLOT_MATCH,
        last: s_slot.last,
        data: s_slot.data,
        len3: s_slot.len3,
        dist1: s_slot.dist1,
        len_extra: kumi_gzip_pkg::length_extra(len_sym),
        dist_extra: kumi_gzip_pkg::dist_extra(dist_sym)
    };
    lit_at_q <= {bank_q, s_slot.kind == SLOT_MATCH ? 9'd257 + 9'(len_sym) : {1'b0, s_slot.data}};
    dist_at_q <= {bank_q, dist_sym};
    step_q[1] <= step_q[0];
    valid_q <= {valid_q[0], take};
    if (rst) valid_q <= '0;
  end

  // Stage 2: codes.
  deflate_code_t lit_code, dist_code;
  kumi_ram_sdp #(
      .W($bits(deflate_code_t)),
      .DEPTH(1024)
  ) u_lit (
      .clk,
      .wr_en  (code_lit),
      .wr_addr({code_bank, code_at}),
      .wr_data(code_data),
      .rd_en  (1'b1),
      .rd_addr(lit_at_q),
      .rd_data(lit_code)
  );
  kumi_ram_sdp #(
      .W($bits(deflate_code_t)),
      .DEPTH(64)
  ) u_dist (
      .clk,
      .wr_en  (code_dist),
      .wr_addr({code_bank, code_at[4:0]}),
      .wr_data(code_data),
      .rd_en  (1'b1),
      .rd_addr(dist_at_q),
      .rd_data(dist_code)
  );

  // Stage 3: codes with their extra bits.
  encode_token_t token_q;
  logic token_valid_q;
  encode_step_t now;
  logic [4:0] len_low;
  logic [12:0] dist_low;
  assign now = step_q[1];
  assign len_low = 5'(now.len3) & ~(5'h1f << now.len_extra);
  assign dist_low = 13'(now.dist1) & ~(13'h1fff << now.dist_extra);

  always_ff @(posedge clk) begin
    token_valid_q <= valid_q[1] && !now.skip;
    token_q.last  <= now.last;
    token_q.match <= now.match;
    if (now.none) begin
      token_q.lit <= '0;
      token_q.lit_bits <= '0;
    end else if (now.stored) begin
      token_q.lit <= 20'(now.data);
      token_q.lit_bits <= 5'd8;
    end else begin
      token_q.lit <= 20'(lit_code.code)
          | (now.match ? 20'({15'd0, len_low} << lit_code.bits) : 20'd0);
      token_q.lit_bits <= 5'(lit_code.bits) + (now.match ? 5'(now.len_extra) : 5'd0);
    end
    token_q.distance  <= 28'(dist_code.code) | 28'({15'd0, dist_low} << dist_code.bits);
    token_q.dist_bits <= 5'(dist_code.bits) + 5'(now.dist_extra);
    if (rst) token_valid_q <= 1'b0;
  end

  // Bytes inside a match need no packing: the queue evens that out.
  encode_token_t token;
  logic token_valid, token_ready, unused_ready;
  kumi_fifo #(
      .W($bits(encode_token_t)),
      .DEPTH(FIFO)
  ) u_fifo (
      .clk,
      .rst,
      .s_data (token_q),
      .s_valid(token_valid_q),
      .s_ready(unused_ready),
      .m_data (token),
      .m_valid(token_valid),
      .m_ready(token_ready),
      .depth
  );

  logic second_q, pack_ready, split;
  assign split = token.match && !second_q;
  assign token_ready = pack_ready && !split;
  always_ff @(posedge clk) begin
    if (token_valid && pack_ready) second_q <= split;
    if (rst) second_q <= 1'b0;
  end

  kumi_deflate_pack u_pack (
      .clk,
      .rst,
      .s_data (second_q ? token.distance : 28'(token.lit)),
      .s_bits (second_q ? token.dist_bits : token.lit_bits),
      .s_last (token.last && !split),
      .s_valid(token_valid),
      .s_ready(pack_ready),
      .m_word,
      .m_valid,
      .m_ready
  );

  logic unused;
  assign unused = ^{unused_ready, now.len3[7:5], now.dist1[14:13]};
endmodule
