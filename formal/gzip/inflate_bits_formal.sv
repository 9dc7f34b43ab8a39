// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_inflate_bits with 8 rows: whatever the pauses of the input and the pace of the
// readers, a bit that is said to be there is that of the stream at this position, until its row is
// given free; positions count all bytes of the stream and no others; and that no more will come is
// said when all have.
//
// One bit is picked when its beat is taken, with its position counted beside. Assumed: readers stay
// between the first row that is held and the last bit; a beat is full but the last.
`include "kumi_assert.svh"
module inflate_bits_formal #(
    parameter int SPAN   = 16,
    parameter int ROWS   = 8,
    parameter int DATA_W = 64,
    parameter int POS_W  = $clog2(SPAN * ROWS) + 1,
    parameter int ROW_W  = POS_W - $clog2(SPAN),
    parameter int LOOK   = SPAN == 32 ? 64 : 48
) (
    input logic                      clk,
    input logic                      rst,
    input logic [        DATA_W-1:0] data,
    input logic [      DATA_W/8-1:0] keep,
    input logic                      last,
    input logic                      valid,
    input logic [         ROW_W-1:0] base_row,
    input logic [         POS_W-1:0] at,
    input logic [         ROW_W-1:0] row,
    input logic                      pick,
    input logic [$clog2(DATA_W)-1:0] pick_bit
);
  localparam int BIT_W = $clog2(SPAN);
  typedef logic [POS_W-1:0] pos_t;

  logic [31:0] peek;
  logic [6:0] avail, row_limit;
  logic ended, row_ready, row_some;
  logic [LOOK-1:0] row_bits;
  kumi_axis_if #(.DATA_W(DATA_W)) s_axis ();
  assign s_axis.tdata  = data;
  assign s_axis.tkeep  = keep;
  assign s_axis.tlast  = last;
  assign s_axis.tvalid = valid;
  assign s_axis.tuser  = '0;
  assign s_axis.tid    = '0;
  assign s_axis.tdest  = '0;

  kumi_inflate_bits #(
      .SPAN(SPAN),
      .ROWS(ROWS)
  ) u_dut (
      .clk,
      .rst,
      .s_axis (s_axis.snk),
      .discard(1'b0),
      .restart(1'b0),
      .base_row,
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

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (rst == !started_q);
  always_comb assume (((keep + 1'b1) & keep) == '0 && (last || keep == '1));

  // The readers: rows are given free in order, none before it is full.
  pos_t base, ahead, row_ahead, base_q;
  assign base = {base_row, BIT_W'(0)};
  assign ahead = at - base;
  assign row_ahead = {row, BIT_W'(0)} - base;
  always_ff @(posedge clk) base_q <= rst ? '0 : base;
  always_comb begin
    assume (pos_t'(base - base_q) <= pos_t'(u_dut.end_q - base_q));
    assume (ahead <= pos_t'(u_dut.end_q - base));
    assume (row_ahead <= pos_t'(u_dut.end_q - base));
  end

  // All bits: those taken and those put into rows.
  logic taken;
  pos_t taken_q, in_beat, bits;
  always_comb begin
    in_beat = '0;
    bits = '0;
    for (int i = 0; i < DATA_W / 8; i++) begin
      if (u_dut.have_q && u_dut.keep_q[i]) in_beat += pos_t'(8);
      if (keep[i]) bits += pos_t'(8);
    end
  end
  assign taken = valid && s_axis.tready;

  // One bit, in the beat or in a row.
  logic picked_q, in_row_q, bit_q;
  pos_t place_q;
  logic [$clog2(DATA_W)-1:0] beat_at_q;
  always_ff @(posedge clk) begin
    if (taken) taken_q <= taken_q + bits;
    if (!picked_q && taken && pick && keep[pick_bit/8]) begin
      picked_q <= 1'b1;
      in_row_q <= 1'b0;
      bit_q <= data[pick_bit];
      place_q <= taken_q + pos_t'(pick_bit);
      beat_at_q <= pick_bit;
    end
    if (picked_q && !in_row_q && u_dut.put) begin
      if (32'(beat_at_q) < SPAN) in_row_q <= 1'b1;
      else beat_at_q <= beat_at_q - ($clog2(DATA_W))'(SPAN);
    end
    if (picked_q && in_row_q && pos_t'(base - base_q) > pos_t'(place_q - base_q)) picked_q <= 1'b0;
    if (rst) begin
      picked_q <= 1'b0;
      taken_q  <= '0;
    end
  end

  // The row that it is in, as the memory has it.
  localparam int BANKS = SPAN == 32 ? 2 : 4;
  localparam int BANK_W = $clog2(BANKS);
  localparam int LINE_W = $clog2(ROWS) - BANK_W;
  logic [ROW_W-1:0] its_row;
  logic [BANKS-1:0][SPAN-1:0] lines;
  assign its_row = place_q[POS_W-1:BIT_W];
  for (genvar b = 0; b < BANKS; b++) begin : gen_bank
    assign lines[b] = u_dut.gen_bank[b].mem[its_row[BANK_W+:LINE_W]];
  end

  // What the first reader sees is of two cycles ago.
  pos_t [1:0] at_q;
  pos_t from_at, from_row;
  logic [1:0] read_q;
  logic last_q;
  assign from_at  = place_q - at_q[1];
  assign from_row = place_q - {row, BIT_W'(0)};
  always_ff @(posedge clk) begin
    at_q   <= {at_q[0], at};
    read_q <= rst ? '0 : {read_q[0], 1'b1};
    last_q <= !rst && (last_q || (taken && last));
  end

  // Invariants.
  logic full_rows;  // but for the last row of the last beat
  always_comb begin
    full_rows = 1'b1;
    for (int i = 0; i < DATA_W / 8; i++) begin
      if (u_dut.keep_q[i] && !u_dut.keep_q[i-i%(SPAN/8)+SPAN/8-1]) full_rows = 1'b0;
    end
  end
  pos_t held;
  assign held = u_dut.end_q - base;
  `KUMI_ASSERT(i_keep, !u_dut.have_q || ((u_dut.keep_q + 1'b1) & u_dut.keep_q) == '0)
  `KUMI_ASSERT(i_rows, !u_dut.have_q || u_dut.last_q || (full_rows && u_dut.keep_q != '0))
  `KUMI_ASSERT(i_closed, !u_dut.closed_q || (!u_dut.have_q && last_q))
  `KUMI_ASSERT(i_last, !last_q || u_dut.closed_q || (u_dut.have_q && u_dut.last_q))
  `KUMI_ASSERT(i_has_last, !(u_dut.have_q && u_dut.last_q) || last_q)
  `KUMI_ASSERT(i_aligned, u_dut.closed_q || u_dut.end_q[BIT_W-1:0] == '0)
  `KUMI_ASSERT(
      i_held,
      held <= pos_t'((ROWS - 3) * SPAN) && (!u_dut.free_q || held <= pos_t'((ROWS - 4) * SPAN)))
  `KUMI_ASSERT(i_count, taken_q == u_dut.end_q + in_beat)
  `KUMI_ASSERT(
      i_beat,
      !picked_q || in_row_q || (u_dut.have_q && place_q == u_dut.end_q + pos_t'(beat_at_q) && u_dut.keep_q[beat_at_q/8] && u_dut.beat_q[beat_at_q] == bit_q))
  `KUMI_ASSERT(i_row,
               !picked_q || !in_row_q || pos_t'(place_q - base_q) < pos_t'(u_dut.end_q - base_q))
  `KUMI_ASSERT(i_stored,
               !picked_q || !in_row_q || lines[its_row[BANK_W-1:0]][place_q[BIT_W-1:0]] == bit_q)

  // What is proved.
  `KUMI_ASSERT(
      a_peek,
      !(picked_q && read_q[1] && from_at < pos_t'(32) && from_at < pos_t'(avail)) || peek[from_at[4:0]] == bit_q)
  `KUMI_ASSERT(
      a_row,
      !(picked_q && pos_t'(place_q - base) < held && from_row < pos_t'(LOOK) && from_row < pos_t'(row_limit)) || row_bits[from_row[5:0]] == bit_q)
  `KUMI_ASSERT(a_all, !(ended && read_q[1]) || (last_q && u_dut.end_q == taken_q))
  `KUMI_ASSERT(a_ready, !row_ready || 32'(row_limit) >= LOOK || (last_q && u_dut.end_q == taken_q))

  logic [1:0] wrapped_q;
  always_ff @(posedge clk) begin
    wrapped_q <= rst ? '0 : {wrapped_q[0], 1'b0} | {1'b0, base_row >= ROW_W'(ROWS)} | wrapped_q;
  end
  `KUMI_COVER(c_wrapped,
              wrapped_q != '0 && picked_q && in_row_q && from_at == pos_t'(31) && avail >= 7'd32)
  `KUMI_COVER(c_end, ended && read_q[1] && avail == 7'd8 && taken_q > pos_t'(DATA_W))
endmodule
