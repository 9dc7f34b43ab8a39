// SPDX-License-Identifier: Apache-2.0
//
// Dirty bitmap: one bit per logical stripe whose current version is in no log yet, listed in
// ascending order.
//
// set: a pulse with set_at, only while `idle`. scan: a pulse; then m_at with m_valid and m_ready
//   for every bit set, and `idle` after the last; with `clear` the bits are cleared on the way.
//   After reset all are cleared first (not idle).
// Latency: one cycle per 32 stripes, one per bit set.
module kumi_array_dirty_bitmap #(
    parameter int STRIPES = 65536  // a power of two, 64 or more
) (
    input logic clk,
    input logic rst,
    input logic set,
    input logic [31:0] set_at,
    input logic scan,
    input logic clear,
    input logic [31:0] count,  // stripes to scan
    output logic idle,
    output logic [31:0] m_at,
    output logic m_valid,
    input logic m_ready
);
  localparam int WORDS = STRIPES / 32;
  localparam int WORD_W = $clog2(WORDS);

  if (STRIPES < 64 || (STRIPES & (STRIPES - 1)) != 0) begin : gen_check
    $fatal(0, "STRIPES must be a power of two, 64 or more (%m)");
  end

  typedef enum logic [2:0] {
    WIPE,
    IDLE,
    MARK,
    FETCH,
    LOOK,
    SHOW
  } state_e;
  state_e state_q;
  logic [31:0] mem[WORDS];
  logic [31:0] word_q, bits_q;
  logic [WORD_W:0] at_q;
  logic [4:0] bit_q, low;
  logic clear_q, we;
  logic [31:0] one, wdata;

  assign one = bits_q & (~bits_q + 1'b1);
  always_comb begin
    low = '0;
    for (int i = 0; i < 32; i++) if (one[i]) low |= 5'(i);
  end

  assign idle = state_q == IDLE && !set && !scan;
  assign m_valid = state_q == SHOW && bits_q != '0;
  assign m_at = 32'({at_q[WORD_W-1:0], low});
  assign we = state_q == WIPE || (state_q == LOOK && clear_q) || state_q == MARK;
  assign wdata = state_q == MARK ? word_q | (32'd1 << bit_q) : '0;

  always_ff @(posedge clk) begin
    if (we) mem[at_q[WORD_W-1:0]] <= wdata;
    else word_q <= mem[state_q==IDLE?set_at[WORD_W+4:5] : at_q[WORD_W-1:0]];
  end

  always_ff @(posedge clk) begin
    case (state_q)
      WIPE: begin
        at_q <= at_q + 1'b1;
        if (at_q == (WORD_W + 1)'(WORDS - 1)) state_q <= IDLE;
      end
      IDLE: begin
        clear_q <= clear;
        bit_q <= set_at[4:0];
        at_q <= scan ? '0 : (WORD_W + 1)'(set_at[WORD_W+4:5]);
        if (scan) state_q <= FETCH;
        else if (set) state_q <= MARK;
      end
      MARK:  state_q <= IDLE;
      FETCH: state_q <= at_q[WORD_W] || 32'({at_q, 5'd0}) >= count ? IDLE : LOOK;
      LOOK: begin
        bits_q  <= word_q;
        state_q <= SHOW;
      end
      default:
      if (bits_q == '0) begin
        at_q <= at_q + 1'b1;
        state_q <= FETCH;
      end else if (m_ready) bits_q <= bits_q & ~one;
    endcase
    if (rst) begin
      state_q <= WIPE;
      at_q <= '0;
    end
  end

  logic unused;
  assign unused = ^set_at;
endmodule
