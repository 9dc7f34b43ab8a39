// SPDX-License-Identifier: Apache-2.0
//
// Sends the header of a fixed or dynamic block (RFC 1951, 3.2.3 and 3.2.7).
//
// start: send it; kind, last and the numbers are read in that cycle: lit_used, dist_used and
//   own_used are how many lengths of each code there are, `items` how many items (1 or more) they
//   take.
// own: the code of the code lengths; item_*: the items' memory, item one cycle after item_at in a
//   cycle with item_rd. Both must remain stable while busy is high.
// m_word: the bits, packed; the last word says last.
module kumi_deflate_head
  import kumi_deflate_pkg::*, kumi_gzip_pkg::*;
(
    input  logic                 clk,
    input  logic                 rst,
    input  logic                 start,
    input  gzip_block_e          kind,
    input  logic                 last,
    input  logic          [ 8:0] lit_used,
    input  logic          [ 8:0] dist_used,
    input  logic          [ 4:0] own_used,
    input  logic          [ 8:0] items,
    input  deflate_code_t [18:0] own,
    output logic                 item_rd,
    output logic          [ 8:0] item_at,
    input  logic          [11:0] item,
    output logic                 busy,
    output deflate_word_t        m_word,
    output logic                 m_valid,
    input  logic                 m_ready
);
  typedef enum logic [1:0] {
    ST_IDLE,
    ST_KIND,     // type of the block
    ST_LENGTHS,  // the numbers, then the lengths of `own`
    ST_ITEMS
  } state_e;
  state_e state_q;
  gzip_block_e kind_q;
  logic last_q;
  logic [8:0] items_q, step_q;
  logic [4:0] own_used_q;
  logic [13:0] numbers_q;

  // Items: read, kept, then with their code, then appended; all moves when the packer is free.
  logic free;
  logic read_q, read_last_q, item_on_q, item_last_q, code_on_q, code_last_q;
  logic [4:0] item_sym_q;
  logic [6:0] item_extra_q, extra_q;
  logic [3:0] extra_bits_q;
  deflate_code_t code_q;
  assign item_at = step_q;
  assign item_rd = free;
  always_ff @(posedge clk) begin
    if (free) begin
      read_q <= state_q == ST_ITEMS && step_q < items_q;
      read_last_q <= step_q == items_q - 1'b1;
      item_on_q <= read_q;
      item_last_q <= read_last_q;
      {item_sym_q, item_extra_q} <= item;
      code_on_q <= item_on_q;
      code_last_q <= item_last_q;
      code_q <= own[item_sym_q];
      extra_q <= item_extra_q;
      extra_bits_q <= item_sym_q == 5'd16 ? 4'd2 : item_sym_q == 5'd17 ? 4'd3
          : item_sym_q == 5'd18 ? 4'd7 : 4'd0;
    end
    if (rst) begin
      read_q <= 1'b0;
      item_on_q <= 1'b0;
      code_on_q <= 1'b0;
    end
  end

  // What is appended.
  logic [13:0] data;
  logic [ 3:0] bits;
  logic valid, ends;
  always_comb begin
    valid = 1'b1;
    ends  = 1'b0;
    data  = 14'({kind_q, last_q});
    bits  = 4'd3;
    unique case (state_q)
      ST_KIND: ends = kind_q == BLOCK_FIXED;
      ST_LENGTHS: begin
        data = step_q == '0 ? numbers_q : 14'(own[CODELEN_ORDER[5'(step_q-9'd1)]].bits[2:0]);
        bits = step_q == '0 ? 4'd14 : 4'd3;
      end
      ST_ITEMS: begin
        valid = code_on_q;
        data  = 14'(code_q.code) | (14'(extra_q) << code_q.bits);
        bits  = code_q.bits + extra_bits_q;
        ends  = code_last_q;
      end
      default: valid = 1'b0;
    endcase
  end
  assign busy = state_q != ST_IDLE;

  // Registered before the packer.
  logic [13:0] data_q;
  logic [ 3:0] bits_q;
  logic valid_q, ends_q, pack_ready;
  assign free = !valid_q || pack_ready;

  always_ff @(posedge clk) begin
    if (free) begin
      valid_q <= valid;
      data_q  <= data;
      bits_q  <= bits;
      ends_q  <= ends;
      step_q  <= step_q + 1'b1;
    end
    unique case (state_q)
      ST_IDLE: begin
        kind_q <= kind;
        last_q <= last;
        items_q <= items;
        own_used_q <= own_used;
        numbers_q <= {4'(own_used - 5'd4), 5'(dist_used - 9'd1), 5'(lit_used - 9'd257)};
        if (start) state_q <= ST_KIND;
      end
      ST_KIND: begin
        step_q <= '0;
        if (free) state_q <= ends ? ST_IDLE : ST_LENGTHS;
      end
      ST_LENGTHS: begin
        if (free && step_q == 9'(own_used_q)) begin
          step_q  <= '0;
          state_q <= ST_ITEMS;
        end
      end
      default: if (free && valid && ends) state_q <= ST_IDLE;
    endcase
    if (rst) begin
      state_q <= ST_IDLE;
      valid_q <= 1'b0;
    end
  end

  kumi_deflate_pack u_pack (
      .clk,
      .rst,
      .s_data ({14'd0, data_q}),
      .s_bits ({1'b0, bits_q}),
      .s_last (ends_q),
      .s_valid(valid_q),
      .s_ready(pack_ready),
      .m_word,
      .m_valid,
      .m_ready
  );
endmodule
