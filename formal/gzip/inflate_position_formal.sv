// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_inflate_position: what a state asks for is taken when it is there, and never
// else. Beside the unit is a stream whose bytes come at any pace: what is at hand is known 2 cycles
// late, as kumi_inflate_bits has it. Then `ok` comes only with the bits that are asked for behind
// `at`, while peek shows them; `short` only if they are not there and the stream is over; one of
// both at most 7 cycles after the stream has them, or is over, while the state waits.
//
// Assumed, as kumi_inflate_ctrl and its parts do it: what is asked for does not change while it is
// awaited; a symbol is looked at, decoded and taken in this order; a stored block takes bytes that
// are there, and kumi_inflate_rows stands where the stream has come. Positions wrap.
`include "kumi_assert.svh"
module inflate_position_formal
  import kumi_gzip_pkg::*;
  import kumi_inflate_pkg::*;
#(
    parameter int POS_W = 9
) (
    input logic                       clk,
    input logic                       rst,
    input inflate_state_e             state,
    input logic                       raw,
    input logic           [     31:0] peek,
    input logic           [      3:0] more,         // bytes that come
    input logic                       close,
    input logic                       header_ask,
    input logic           [      5:0] header_need,
    input logic                       tables_ask,
    input logic           [      5:0] tables_need,
    input logic           [      3:0] symbol_bits,
    input logic           [      3:0] extra_bits,
    input logic           [      2:0] stored,
    input logic                       stored_go,
    input logic                       last_symbol,
    input logic           [POS_W-1:0] halt_at,
    input logic                       token_sent,
    input logic                       token_stall
);
  localparam int MOST = 160;  // bits at hand

  // ---- the stream -------------------------------------------------------------------------------
  logic [POS_W-1:0] end_q, at;
  logic closed_q;
  logic [3:0][POS_W-1:0] at_q;  // earlier positions
  logic [3:0][POS_W-1:0] there_q;  // bits behind them, as of then
  logic [3:0] over_q;  // whether all had come, as of then
  logic [POS_W-1:0] there;
  logic [6:0] avail;
  logic ended, started_q = 1'b0;
  assign there = end_q - at;
  function automatic logic [6:0] capped(input logic [POS_W-1:0] bits);
    return bits > POS_W'(127) ? '1 : 7'(bits);
  endfunction
  assign avail = capped(there_q[1]);
  assign ended = over_q[1];
  always_ff @(posedge clk) begin
    started_q <= 1'b1;
    if (!closed_q) end_q <= end_q + POS_W'({more, 3'b000});
    if (close) closed_q <= 1'b1;
    at_q <= {at_q[2:0], at};
    there_q <= {there_q[2:0], there};
    over_q <= {over_q[2:0], closed_q};
    if (rst) begin
      end_q <= '0;
      closed_q <= 1'b0;
      over_q <= '0;
      at_q <= '0;
      there_q <= '0;
    end
  end
  always_comb assume (rst == !started_q);
  always_comb assume (there + POS_W'({more, 3'b000}) <= POS_W'(MOST));

  logic ready, still, ok, short, header_ok, tables_ok;
  kumi_inflate_position #(
      .POS_W(POS_W)
  ) u_dut (
      .restart(1'b0),
      .header_take(header_need),
      .tables_take(tables_need),
      .*
  );

  // ---- what is assumed --------------------------------------------------------------------------
  inflate_state_e before_q;
  logic [5:0] header_need_q, tables_need_q;
  logic header_ask_q, tables_ask_q, header_ok_q, tables_ok_q, ok_q, raw_q;
  logic [3:0] symbol_bits_q, extra_bits_q;
  logic same, stalled_q;
  always_ff @(posedge clk) stalled_q <= token_stall;
  assign same = started_q && state == before_q;
  always_ff @(posedge clk) begin
    before_q <= rst ? AT_START : state;
    {header_ask_q, header_need_q, header_ok_q} <= {header_ask, header_need, header_ok};
    {tables_ask_q, tables_need_q, tables_ok_q} <= {tables_ask, tables_need, tables_ok};
    {symbol_bits_q, extra_bits_q} <= {symbol_bits, extra_bits};
    ok_q <= ok;
    raw_q <= raw;
  end
  always_comb begin
    assume (state <= AT_DRAIN && (!rst || state == AT_START));
    assume (header_need <= 6'd32 && tables_need <= 6'd32);
    assume (!same || header_ok_q || {header_ask, header_need} == {header_ask_q, header_need_q});
    assume (!same || tables_ok_q || {tables_ask, tables_need} == {tables_ask_q, tables_need_q});
    assume (!same || {symbol_bits, extra_bits} == {symbol_bits_q, extra_bits_q});
    assume (!started_q || raw == raw_q);
    // Look, decode, take: and what is looked at is there.
    assume (state != AT_SYMBOL || before_q == AT_DECODING || before_q == AT_SYMBOL);
    assume (state != AT_DECODING || before_q == AT_DECODING || (before_q == AT_PEEK && ok_q));
    // A state that takes bits is left then, and a token goes with bits.
    assume (!same || !ok_q || !(state inside {AT_START, AT_BLOCK, AT_STORED_LEN, AT_SYMBOL})
            || (state == AT_SYMBOL && stalled_q));
    assume (!token_sent || ok || !(state inside {AT_EXTRA, AT_CHECK, AT_SIZE}));
    assume (!(last_symbol) || (state == AT_SYMBOL && ok && !token_stall));
    assume (!stored_go || (state == AT_STORED && {stored, 3'b000} <= 6'd32
                           && POS_W'({stored, 3'b000}) <= there));
    assume (before_q != AT_STORED || state inside {AT_STORED, AT_STORED_END, AT_FINISH});
    assume (!(before_q inside {AT_FINISH, AT_DRAIN}) || state inside {AT_FINISH, AT_DRAIN});
    assume (!started_q || before_q == AT_START || state != AT_START);
    assume (state != AT_TABLES || before_q == AT_TABLES || (before_q == AT_BLOCK && ok_q));
    assume (!u_dut.align_q || state inside {AT_STORED_LEN, AT_CHECK, AT_FINISH});
    assume (state != AT_RUN || end_q - halt_at <= POS_W'(MOST));
  end
  // ---- what is asked for ------------------------------------------------------------------------
  logic asks;
  logic [5:0] wanted;
  always_comb begin
    asks = 1'b1;
    case (state)
      AT_START, AT_NEXT: wanted = 6'd8;
      AT_HEADER: begin
        asks   = header_ask;
        wanted = header_need;
      end
      AT_TABLES: begin
        asks   = tables_ask;
        wanted = tables_need;
      end
      AT_BLOCK: wanted = 6'd3;
      AT_STORED_LEN, AT_SIZE: wanted = 6'd32;
      AT_CHECK: begin
        asks   = !raw;
        wanted = 6'd32;
      end
      AT_PEEK: wanted = 6'd1;
      AT_SYMBOL: wanted = 6'(symbol_bits);
      AT_EXTRA: wanted = 6'(extra_bits);
      default: begin
        asks   = 1'b0;
        wanted = '0;
      end
    endcase
  end

  // ---- invariants -------------------------------------------------------------------------------
  // Positions 1 and 2 cycles ago are this one when nothing is awaited; what was there still is.
  // Bytes of a stored block are taken without waiting, which its end makes up for.
  logic takes;
  assign takes = state inside {AT_STORED, AT_STORED_END, AT_FINISH, AT_DRAIN};
  `KUMI_ASSERT(i_end, end_q[2:0] == '0)
  `KUMI_ASSERT(i_there, there <= POS_W'(MOST))
  `KUMI_ASSERT(i_wait_1, takes || u_dut.wait_q > 2'd1 || at_q[0] == at)
  `KUMI_ASSERT(i_wait_0, takes || u_dut.wait_q > 2'd0 || (at_q[1] == at && at_q[0] == at))
  `KUMI_ASSERT(i_there_0, at_q[0] != at || there_q[0] <= there)
  `KUMI_ASSERT(i_there_1, at_q[0] != at || at_q[1] != at || there_q[1] <= there)
  `KUMI_ASSERT(i_over, !(|over_q) || closed_q)
  `KUMI_ASSERT(i_over_0, !over_q[0] || at_q[0] != at || there_q[0] == there)
  `KUMI_ASSERT(i_over_1, !over_q[1] || at_q[1] != at || at_q[0] != at || there_q[1] == there)

  // Two cycles without waiting: the position has rested for all of these.
  logic [5:0] wanted_q;
  logic asks_q;
  logic [1:0] counts_q;  // not in the first two cycles
  always_ff @(posedge clk) begin
    {asks_q, wanted_q} <= {asks, wanted};
    counts_q <= {counts_q[0] && !rst, !rst};
  end
  `KUMI_ASSERT(i_last, !started_q || u_dut.last_q == before_q || rst)
  `KUMI_ASSERT(
      i_rest_2,
      takes || !u_dut.ready_q || !ready || (at_q[2] == at && at_q[1] == at && at_q[0] == at))
  `KUMI_ASSERT(i_there_2, at_q[0] != at || at_q[1] != at || at_q[2] != at || there_q[2] <= there)
  `KUMI_ASSERT(
      i_there_3,
      at_q[0] != at || at_q[1] != at || at_q[2] != at || at_q[3] != at || there_q[3] <= there)
  `KUMI_ASSERT(i_avail_q, !counts_q[0] || u_dut.avail_q == capped(there_q[2]))
  // The tables' bits are counted a cycle later.
  `KUMI_ASSERT(i_table_2, state != AT_TABLES || u_dut.wait_q > 2'd2 || at_q[0] == at)
  `KUMI_ASSERT(i_table_1,
               state != AT_TABLES || u_dut.wait_q > 2'd1 || (at_q[0] == at && at_q[1] == at))
  `KUMI_ASSERT(
      i_table_0,
      state != AT_TABLES || u_dut.wait_q > 2'd0 || (at_q[0] == at && at_q[1] == at && at_q[2] == at))
  `KUMI_ASSERT(
      i_table_q,
      state != AT_TABLES || before_q != AT_TABLES || !u_dut.ready_q || !ready || at_q[3] == at)
  // What was counted as enough.
  `KUMI_ASSERT(i_symbol, !(state inside {AT_DECODING, AT_SYMBOL}) || u_dut.wait_q == '0)
  `KUMI_ASSERT(i_seen, !(state inside {AT_DECODING, AT_SYMBOL}) || POS_W'(u_dut.seen_q) <= there)
  `KUMI_ASSERT(
      i_enough,
      !counts_q[0] || !u_dut.enough_q || (asks_q && wanted_q <= (before_q == AT_SYMBOL ? u_dut.seen_q : before_q == AT_TABLES ? capped(
      there_q[3]) : capped(there_q[2]))))

  // What was counted as lacking, at the end of the stream.
  logic [6:0] counted;
  assign counted = before_q == AT_SYMBOL ? u_dut.seen_q : before_q == AT_TABLES ? capped(
      there_q[3]
  ) : capped(
      there_q[2]
  );
  `KUMI_ASSERT(i_lacking, !counts_q[0] || !u_dut.lacking_q || (asks_q && wanted_q > counted))
  `KUMI_ASSERT(i_ended, counts_q != '1 || u_dut.ended_q == over_q[3:2])
  `KUMI_ASSERT(i_over_a, (over_q[3:1] & ~over_q[2:0]) == '0 && (!over_q[0] || closed_q))
  `KUMI_ASSERT(i_over_2,
               !over_q[2] || at_q[0] != at || at_q[1] != at || at_q[2] != at || there_q[2] == there)
  `KUMI_ASSERT(
      i_over_3,
      !over_q[3] || at_q[0] != at || at_q[1] != at || at_q[2] != at || at_q[3] != at || there_q[3] == there)
  `KUMI_ASSERT(
      i_seen_end,
      !(state inside {AT_DECODING, AT_SYMBOL}) || !u_dut.seen_end_q || (closed_q && u_dut.seen_q == capped(
      there)))

  // ---- what is shown ----------------------------------------------------------------------------
  `KUMI_ASSERT(a_shown, takes || !ready || (at_q[1] == at && at_q[0] == at))
  `KUMI_ASSERT(a_there, !ok || !asks || takes || POS_W'(wanted) <= there)
  `KUMI_ASSERT(a_lacks, !short || (asks && closed_q && POS_W'(wanted) > there))
  // Cycles in which the stream has what is asked for, or is over, and nobody says so. A symbol that
  // is not whole is looked at again (AT_PEEK).
  logic [3:0] silent_q;
  logic silent;
  assign silent = asks && !ok && !short && state != AT_SYMBOL
      && (closed_q || POS_W'(wanted) <= there);
  always_ff @(posedge clk) silent_q <= rst || !silent || !same ? '0 : silent_q + 1'b1;
  `KUMI_ASSERT(a_answers, silent_q < 4'd7)

  `KUMI_COVER(c_ok, ok && asks && there == POS_W'(wanted))
  `KUMI_COVER(c_short, short)
endmodule
