// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_deflate_merge with two lanes: every bit of a header, a segment, the wrapper and
// the padding is sent once, unchanged and in its place, whatever the back-pressure; and a frame
// ends at a byte, with nothing left.
//
// One bit is picked when it is appended, with its place among all that are inside; how many those
// are is counted beside. The register behind the unit is proved as stream/slice. Assumed: words of
// up to 64 bits and a code for the end of block, zero above; what is offered stays.
`include "kumi_assert.svh"
module deflate_merge_formal
  import kumi_deflate_pkg::*, kumi_gzip_pkg::*;
(
    input logic                 clk,
    input logic                 rst,
    input deflate_block_t       block,
    input logic                 block_valid,
    input deflate_word_t        head,
    input logic                 head_valid,
    input deflate_word_t        lane_0,
    input deflate_word_t        lane_1,
    input logic           [1:0] lane_valid,
    input logic                 ready,
    input logic                 pick,
    input logic           [5:0] pick_bit
);
  // Of kumi_deflate_merge, in order.
  typedef enum logic [3:0] {
    ST_IDLE,
    ST_WRAP,
    ST_WRAP_REST,
    ST_STORED,
    ST_ALIGN,
    ST_LEN,
    ST_HEAD,
    ST_LANES,
    ST_END,
    ST_SYNC,
    ST_SYNC_LEN,
    ST_PAD,
    ST_TRAILER,
    ST_CLOSE,
    ST_DONE
  } state_e;

  logic block_ready, head_ready;
  logic [1:0] lane_ready;
  kumi_axis_if #(
      .DATA_W(64),
      .USER_W(2)
  ) m_axis ();
  assign m_axis.tready = ready;

  kumi_deflate_merge #(
      .N(2)
  ) u_dut (
      .clk,
      .rst,
      .block,
      .block_valid,
      .block_ready,
      .head_word(head),
      .head_valid,
      .head_ready,
      .lane_word({lane_1, lane_0}),
      .lane_valid,
      .lane_ready,
      .m_axis
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // The sources.
  function automatic logic rules(input deflate_word_t word);
    return word.count <= 7'd64 && (word.count == 7'd64 || (word.data >> word.count) == '0);
  endfunction
  always_comb assume (rules(head) && rules(lane_0) && rules(lane_1));
  always_comb assume (block.end_bits != '0 && (block.end_code >> block.end_bits) == '0);
  always_comb assume (block.row.format <= FORMAT_GZIP && block.kind <= BLOCK_DYNAMIC);
  always_comb assume (block.row.piece || !block.row.last);
  deflate_block_t block_q;
  deflate_word_t head_q, lane_0_q, lane_1_q;
  logic [3:0] waiting_q;
  always_ff @(posedge clk) begin
    waiting_q <= rst ? '0 : {block_valid, head_valid, lane_valid}
        & ~{block_ready, head_ready, lane_ready};
    block_q <= block;
    head_q <= head;
    lane_0_q <= lane_0;
    lane_1_q <= lane_1;
  end
  always_comb begin
    assume (!started_q || !waiting_q[3] || (block_valid && block == block_q));
    assume (!started_q || !waiting_q[2] || (head_valid && head == head_q));
    assume (!started_q || !waiting_q[1] || (lane_valid[1] && lane_1 == lane_1_q));
    assume (!started_q || !waiting_q[0] || (lane_valid[0] && lane_0 == lane_0_q));
  end

  // Bits held, as the unit has them and as they are counted.
  logic sent, done, some, aligned, fills;
  logic [1:0] kind;
  logic [6:0] fill_then;  // when what is appended next has been
  logic [3:0] state;
  logic [7:0] in_out, held, counted_q, gone;
  assign state  = u_dut.state_q;
  assign done   = state == ST_DONE;
  assign sent   = u_dut.send && u_dut.send_ready;
  assign in_out = u_dut.out_valid_q ? 8'd64 : '0;
  assign held   = in_out + 8'(u_dut.fill_q);
  assign gone   = !sent ? '0 : done ? 8'(u_dut.fill_q) : 8'd64;

  logic picked_q, bit_q, in_word, leaves;
  logic [7:0] place_q, held_place;
  assign in_word = place_q < in_out;
  assign leaves = place_q < gone;
  assign held_place = place_q - in_out;
  always_ff @(posedge clk) begin
    counted_q <= counted_q - gone + (u_dut.go ? 8'(u_dut.add_bits) : '0);
    if (picked_q && leaves) picked_q <= 1'b0;
    else if (picked_q) place_q <= place_q - gone;
    else if (u_dut.go && pick && {1'b0, pick_bit} < u_dut.add_bits) begin
      picked_q <= 1'b1;
      bit_q    <= u_dut.add_data[pick_bit];
      place_q  <= held - gone + 8'(pick_bit);
    end
    if (rst) begin
      picked_q  <= 1'b0;
      counted_q <= '0;
    end
  end

  assign kind = u_dut.add_fill;
  assign fills = kind != '0;
  assign fill_then = {1'b0, u_dut.fill_q} + (u_dut.add ? u_dut.add_bits : '0);

  // What waits behind that, in the second place of the slice.
  localparam logic [7:0][2:0] PAD = {3'd1, 3'd2, 3'd3, 3'd4, 3'd5, 3'd6, 3'd7, 3'd0};
  localparam logic [7:0][3:0] SYNC_BITS = {4'd9, 4'd10, 4'd3, 4'd4, 4'd5, 4'd6, 4'd7, 4'd8};
  logic wait_valid;
  logic [1:0] wait_fill;
  logic [6:0] wait_given, wait_bits;
  logic [63:0] wait_data;
  logic [2:0] low_then, low_end;  // bits in the last byte, when each of both has been appended
  assign wait_valid = u_dut.u_add.gen_skid.skid_valid_q;
  assign {wait_fill, wait_given, wait_data} = u_dut.u_add.gen_skid.skid_q;
  assign low_then = fill_then[2:0];
  always_comb begin
    wait_bits = wait_given;
    if (wait_fill == 2'd1) wait_bits = {4'd0, PAD[low_then]};
    if (wait_fill == 2'd2) wait_bits = {3'd0, SYNC_BITS[low_then]};
  end
  assign low_end = low_then + (wait_valid ? wait_bits[2:0] : '0);

  // Bytes of what is sent.
  logic [7:0] kept;
  always_comb begin
    kept = '0;
    for (int i = 0; i < 8; i++) kept += {4'd0, u_dut.send_keep[i], 3'd0};
  end

  // Invariants: where it is, that the trailer begins at a byte, and that a piece is never empty.
  assign some = state == ST_ALIGN || state == ST_LEN || (state >= ST_SYNC && state <= ST_CLOSE)
      || (state == ST_LANES && block.kind == BLOCK_STORED);
  assign aligned = state == ST_SYNC_LEN || state >= ST_TRAILER;
  `KUMI_ASSERT(i_state, state <= ST_DONE)
  `KUMI_ASSERT(i_block, state == ST_IDLE || block_valid)
  `KUMI_ASSERT(i_piece, state < ST_SYNC || block.row.piece)
  `KUMI_ASSERT(
      i_kind,
      block.kind == BLOCK_STORED ? state != ST_HEAD && state != ST_END : state < ST_STORED || state > ST_LEN)
  `KUMI_ASSERT(
      i_some,
      !some || held != '0 || (u_dut.add && !fills && u_dut.add_bits != '0) || (wait_valid && wait_fill == '0 && wait_given != '0))
  `KUMI_ASSERT(
      i_add,
      !u_dut.add || (u_dut.add_bits <= 7'd64 && (u_dut.add_bits == 7'd64 || (u_dut.add_data >> u_dut.add_bits) == '0) && (!fills || u_dut.add_data == '0) && kind <= 2'd2))
  `KUMI_ASSERT(
      i_wait,
      !wait_valid || (u_dut.add && wait_given <= 7'd64 && (wait_given == 7'd64 || (wait_data >> wait_given) == '0) && (wait_fill == '0 || wait_data == '0) && wait_fill <= 2'd2))
  `KUMI_ASSERT(i_fill, (u_dut.acc_q >> u_dut.fill_q) == '0)
  `KUMI_ASSERT(i_inside, !picked_q || place_q < held)
  `KUMI_ASSERT(i_word, !picked_q || !in_word || u_dut.out_q[place_q[5:0]] == bit_q)
  `KUMI_ASSERT(i_held, !picked_q || in_word || u_dut.acc_q[held_place[5:0]] == bit_q)
  `KUMI_ASSERT(i_aligned, !aligned || low_end == '0)
  `KUMI_ASSERT(i_done, !done || (!u_dut.add && !u_dut.out_valid_q && u_dut.fill_q != '0))

  // What is proved.
  `KUMI_ASSERT(a_counted, counted_q == held)
  `KUMI_ASSERT(a_bit, !picked_q || !sent || !leaves || u_dut.send_data[place_q[5:0]] == bit_q)
  `KUMI_ASSERT(a_kept, !sent || kept == gone)
  `KUMI_ASSERT(a_ends, !sent || !u_dut.send_last || held == gone)
  `KUMI_ASSERT(a_left, !block_ready || !block.row.piece || (sent && u_dut.send_last))

  `KUMI_COVER(c_late, picked_q && sent && leaves && place_q > 8'd60)
  `KUMI_COVER(c_done, sent && done && u_dut.fill_q == 6'd56)
  `KUMI_COVER(c_close, sent && u_dut.send_last && !done)
endmodule
