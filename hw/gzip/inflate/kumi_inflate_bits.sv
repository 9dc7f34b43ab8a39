// SPDX-License-Identifier: Apache-2.0
//
// Bit buffer of kumi_inflate: keeps a stretch of the compressed stream in rows of SPAN bits, and
// shows it from any bit on, to two readers.
//
// s_axis: one frame is one compressed stream; a last beat without bytes is allowed. After a frame
//   nothing is accepted until `restart`, which also empties the buffer; positions begin at 0 again.
// discard: what comes is dropped; peek and rows are undefined.
// Positions count bits, modulo 2**POS_W; row = position / SPAN. base_row: rows before it are free.
// peek: 32 bits from bit `at` on; avail: how many bits there are from `at` on, at most 127; both as
//   of 2 cycles ago. ended: no more will come (as of then).
// row_bits: row `row` and what follows, up to LOOK bits; row_limit: how many of them are there;
//   row_ready: all are, or no more will come; row_some: at least one is there. Combinational.
// Bits that are not there have any value.
module kumi_inflate_bits #(
    parameter int SPAN = 32,  // bits of a row: 16 or 32
    parameter int ROWS = 64,  // rows held, a power of two
    parameter int POS_W = $clog2(SPAN * ROWS) + 1,
    parameter int ROW_W = POS_W - $clog2(SPAN),
    parameter int LOOK = SPAN == 32 ? 64 : 48
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    input logic discard,
    input logic restart,
    input logic [ROW_W-1:0] base_row,

    input  logic [POS_W-1:0] at,
    output logic [     31:0] peek,
    output logic [      6:0] avail,
    output logic             ended,

    input  logic [ROW_W-1:0] row,
    output logic [ LOOK-1:0] row_bits,
    output logic [      6:0] row_limit,
    output logic             row_ready,
    output logic             row_some
);
  localparam int BYTES = SPAN / 8;
  localparam int KEEP_W = s_axis.KEEP_W;
  localparam int BEAT_W = s_axis.DATA_W;
  localparam int BIT_W = $clog2(SPAN);
  localparam int BANKS = SPAN == 32 ? 2 : 4;
  localparam int BANK_W = $clog2(BANKS);
  localparam int LINE_W = $clog2(ROWS) - BANK_W;

  if (SPAN != 16 && SPAN != 32) begin : gen_check_span
    $fatal(0, "SPAN must be 16 or 32 (%m)");
  end
  if (BEAT_W % SPAN != 0) begin : gen_check_width
    $fatal(0, "DATA_W of s_axis must be a multiple of SPAN (%m)");
  end

  // ---- rows in --------------------------------------------------------------------------------
  logic [BEAT_W-1:0] beat_q;
  logic [KEEP_W-1:0] keep_q;
  logic last_q, have_q, closed_q, free_q, put, beat_end;
  logic [POS_W-1:0] end_q;  // position after the last bit
  logic [ROW_W-1:0] held;
  logic [$clog2(BYTES+1)-1:0] bytes;

  assign put = have_q && free_q;
  assign beat_end = 32'(KEEP_W) == BYTES || (keep_q >> BYTES) == '0;
  assign s_axis.tready = !closed_q && (!have_q || (put && beat_end && !last_q));
  assign held = end_q[POS_W-1:BIT_W] - base_row;

  always_comb begin
    bytes = '0;
    for (int i = 0; i < BYTES; i++) if (keep_q[i]) bytes = ($clog2(BYTES + 1))'(i + 1);
  end

  always_ff @(posedge clk) begin
    free_q <= discard || held < ROW_W'(ROWS - 4);
    if (put) begin
      beat_q <= beat_q >> SPAN;
      keep_q <= keep_q >> BYTES;
      end_q  <= end_q + (POS_W)'({bytes, 3'b000});
      if (beat_end) have_q <= 1'b0;
      if (beat_end && last_q) closed_q <= 1'b1;
    end
    if (s_axis.tvalid && s_axis.tready) begin
      beat_q <= s_axis.tdata;
      keep_q <= s_axis.tkeep;
      last_q <= s_axis.tlast;
      have_q <= 1'b1;
    end
    if (restart || rst) begin
      end_q <= '0;
      closed_q <= 1'b0;
    end
    if (rst) begin
      have_q <= 1'b0;
      free_q <= 1'b0;
    end
  end

  // ---- rows out: consecutive rows are in different banks --------------------------------------
  logic [BANKS-1:0][SPAN-1:0] peek_bank, row_bank, peek_rows, row_rows;
  logic [ROW_W-2:0] peek_row, put_row, first_row;
  assign peek_row  = at[POS_W-2:BIT_W];
  assign put_row   = end_q[POS_W-2:BIT_W];
  assign first_row = row[ROW_W-2:0];

  for (genvar b = 0; b < BANKS; b++) begin : gen_bank
    (* ram_style = "distributed", no_rw_check *) logic [SPAN-1:0] mem[2**LINE_W];
    // The line of this bank that is the next from a row on.
    logic [LINE_W-1:0] peek_line, row_line;
    assign peek_line = LINE_W'((peek_row + (ROW_W - 1)'(BANKS - 1 - b)) >> BANK_W);
    assign row_line = LINE_W'((first_row + (ROW_W - 1)'(BANKS - 1 - b)) >> BANK_W);
    assign peek_bank[b] = mem[peek_line];
    assign row_bank[b] = mem[row_line];
    always_ff @(posedge clk) begin
      if (put && put_row[BANK_W-1:0] == BANK_W'(b)) begin
        mem[put_row[BANK_W+:LINE_W]] <= beat_q[SPAN-1:0];
      end
    end
    assign peek_rows[b] = peek_bank[BANK_W'(b)+peek_row[BANK_W-1:0]];
    assign row_rows[b]  = row_bank[BANK_W'(b)+first_row[BANK_W-1:0]];
  end
  assign row_bits = row_rows[LOOK/SPAN-1:0];

  // ---- how much there is ----------------------------------------------------------------------
  logic [POS_W-1:0] left, row_left;
  assign left = end_q - at;
  assign row_left = end_q - {row, {BIT_W{1'b0}}};
  assign row_limit = row_left[POS_W-1:6] != '0 ? 7'd64 : {1'b0, row_left[5:0]};
  assign row_ready = closed_q || row_limit >= 7'(LOOK);
  assign row_some = row_left != '0;

  // ---- peek -----------------------------------------------------------------------------------
  logic [BANKS*SPAN-1:0] rows_q;
  logic [BIT_W-1:0] shift_q;
  logic [6:0] left_q;
  logic closed_late_q;

  always_ff @(posedge clk) begin
    rows_q <= peek_rows;
    shift_q <= at[BIT_W-1:0];
    left_q <= left[POS_W-1:7] != '0 ? 7'd127 : left[6:0];
    closed_late_q <= closed_q;
    peek <= 32'(rows_q >> shift_q);
    avail <= left_q;
    ended <= closed_late_q;
  end

  logic unused;
  assign unused = ^{s_axis.tuser, s_axis.tid, s_axis.tdest, row_rows};
endmodule
