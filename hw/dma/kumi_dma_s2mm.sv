// SPDX-License-Identifier: Apache-2.0
//
// Stream to memory, second half: units of packed beats to write bursts, and completions.
//
// s_*: beats of units from kumi_byte_realign; s_last ends a unit. unit_*: the address of each unit.
// end_*: one record per descriptor, in order; see kumi_dma_s2mm_split. end_ready: room for two.
// aw_*, w_*, b_*: bursts. A burst ends at the unit's end or at a multiple of the burst size, so it
//   never crosses 4 KiB. It starts when all its beats are buffered, so w_* never stalls the bus;
//   b_* is always accepted, space is reserved. run: further bursts may start (aw_valid may be
//   withdrawn).
// done_*: completions in the order of the descriptors, when memory has acknowledged their data.
// waiting: acknowledgements, or completions of acknowledged data, are outstanding.
// Throughput: a beat a cycle. Latency: 3 cycles from a burst's last beat to aw_valid.
module kumi_dma_s2mm
  import kumi_dma_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the bus
    parameter int ADDR_W = 64,  // bits of an address
    parameter int BURST_BYTES = 1024,  // longest burst, a power of two up to 4096
    parameter int BEATS = 512,  // beats of the buffer, a power of two
    parameter int OPEN = 64,  // bursts that may wait for their acknowledgement, a power of two
    parameter int UNITS = 16,  // units between their first segment and their last beat
    parameter int ENDS = 64,  // descriptors between their last segment and their completion
    parameter int BURSTS = 32  // bursts whose beats are here
) (
    input  logic                                        clk,
    input  logic                                        rst,
    input  logic                                        run,
    input  logic                                        s_valid,
    output logic                                        s_ready,
    input  logic            [               DATA_W-1:0] s_data,
    input  logic            [             DATA_W/8-1:0] s_keep,
    input  logic                                        s_last,
    input  logic                                        unit_valid,
    output logic                                        unit_ready,
    input  logic            [ADDR_W-1:$clog2(DATA_W/8)] unit_addr,
    input  logic                                        end_valid,
    output logic                                        end_ready,
    input  logic                                        end_empty,
    input  dma_completion_t                             end_done,
    output logic                                        aw_valid,
    input  logic                                        aw_ready,
    output logic            [               ADDR_W-1:0] aw_addr,
    output logic            [                      7:0] aw_len,
    output logic                                        w_valid,
    input  logic                                        w_ready,
    output logic            [               DATA_W-1:0] w_data,
    output logic            [             DATA_W/8-1:0] w_strb,
    output logic                                        w_last,
    input  logic                                        b_valid,
    input  logic            [                      1:0] b_resp,
    output logic                                        done_valid,
    input  logic                                        done_ready,
    output dma_completion_t                             done,
    output logic                                        waiting
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);
  localparam int PAGE_W = $clog2(BURST_BYTES);
  localparam int IN_W = PAGE_W - LANE_W;  // bits of a beat's place between multiples of the burst
  localparam int WORD_W = ADDR_W - LANE_W;  // bits of a beat's address

  if (BEATS < 2 * BURST_BYTES / BYTES) begin : gen_check_beats
    $fatal(0, "room for two of the longest bursts is needed (%m)");
  end
  if (BURST_BYTES < 2 * BYTES) begin : gen_check_burst
    $fatal(0, "a burst has two beats at least (%m)");
  end

  // ---- beats to bursts -----------------------------------------------------------------------
  localparam int LOW_W = WORD_W < 32 ? WORD_W : 32;  // bits of a place that are summed in a cycle
  logic [WORD_W-1:0] start, next, next_q, at;
  logic carry_q;
  logic unit_there, unit_first_q, beat_room, burst_room, beat, w_end, burst_first_q;
  logic [IN_W-1:0] length_q, length, from_q, from;
  logic [$clog2(UNITS):0] depth_units;

  kumi_fifo #(
      .W(WORD_W),
      .DEPTH(UNITS),
      .STYLE(0)
  ) u_units (
      .clk,
      .rst,
      .s_data (unit_addr),
      .s_valid(unit_valid),
      .s_ready(unit_ready),
      .m_data (start),
      .m_valid(unit_there),
      .m_ready(beat && unit_first_q),
      .depth  (depth_units)
  );

  assign s_ready = beat_room && burst_room && (unit_there || !unit_first_q);
  assign beat = s_valid && s_ready;
  assign at = unit_first_q ? start : next;
  assign w_end = s_last || at[IN_W-1:0] == '1;
  assign length = burst_first_q ? '0 : length_q;  // beats of the burst so far
  assign from = burst_first_q ? at[IN_W-1:0] : from_q;

  always_ff @(posedge clk) begin
    if (beat) begin
      {carry_q, next_q[LOW_W-1:0]} <= {1'b0, at[LOW_W-1:0]} + 1'b1;
      unit_first_q <= s_last;
      burst_first_q <= w_end;
      length_q <= length + 1'b1;
      from_q <= from;
    end
    if (rst) begin
      unit_first_q  <= 1'b1;
      burst_first_q <= 1'b1;
    end
  end

  // The upper part of a long address counts a beat later.
  if (WORD_W > LOW_W) begin : gen_long
    assign next = {next_q[WORD_W-1:LOW_W] + (WORD_W - LOW_W)'(carry_q), next_q[LOW_W-1:0]};
    always_ff @(posedge clk) if (beat) next_q[WORD_W-1:LOW_W] <= at[WORD_W-1:LOW_W];
  end else begin : gen_short
    assign next = next_q;
    logic unused_carry;
    assign unused_carry = carry_q;
  end

  logic [$clog2(BEATS):0] depth_beats;
  kumi_fifo #(
      .W(DATA_W + BYTES + 1),
      .DEPTH(BEATS)
  ) u_beats (
      .clk,
      .rst,
      .s_data ({w_end, s_keep, s_data}),
      .s_valid(beat),
      .s_ready(beat_room),
      .m_data ({w_last, w_strb, w_data}),
      .m_valid(w_valid),
      .m_ready(w_ready),
      .depth  (depth_beats)
  );

  logic burst_valid, burst_ends, fire;
  logic [WORD_W-1:0] burst_at;
  logic [IN_W-1:0] burst_len;
  logic [$clog2(BURSTS):0] depth_bursts;
  kumi_fifo #(
      .W(1 + IN_W + WORD_W),
      .DEPTH(BURSTS),
      .STYLE(0)
  ) u_bursts (
      .clk,
      .rst,
      .s_data ({s_last, length, at[WORD_W-1:IN_W], from}),
      .s_valid(beat && w_end),
      .s_ready(burst_room),
      .m_data ({burst_ends, burst_len, burst_at}),
      .m_valid(burst_valid),
      .m_ready(fire),
      .depth  (depth_bursts)
  );

  // ---- bursts on their way -------------------------------------------------------------------
  logic open_room, open_valid, open_ends;
  localparam int OPEN_W = $clog2(OPEN) + 1;
  logic [OPEN_W-1:0]
      open_q, results_q;  // bursts without acknowledgement; units with room for a result
  logic [$clog2(OPEN):0] depth_open, depth_results;
  logic [$clog2(ENDS):0] depth_ends;
  logic result_valid, result_room, pop, empty;
  logic [3:0] code_q, code, result;

  assign aw_valid = burst_valid && run && open_room && results_q != OPEN_W'(OPEN);
  assign aw_addr  = {burst_at, {LANE_W{1'b0}}};
  assign aw_len   = 8'(burst_len);
  assign fire     = aw_valid && aw_ready;

  kumi_fifo #(
      .W(1),
      .DEPTH(OPEN),
      .STYLE(0)
  ) u_open (
      .clk,
      .rst,
      .s_data (burst_ends),
      .s_valid(fire),
      .s_ready(open_room),
      .m_data (open_ends),
      .m_valid(open_valid),
      .m_ready(b_valid),
      .depth  (depth_open)
  );

  assign code = code_q != CODE_OK ? code_q : resp_code(b_resp);

  kumi_fifo #(
      .W(4),
      .DEPTH(OPEN),
      .STYLE(0)
  ) u_results (
      .clk,
      .rst,
      .s_data (code),
      .s_valid(b_valid && open_ends),
      .s_ready(result_room),
      .m_data (result),
      .m_valid(result_valid),
      .m_ready(pop && !empty),
      .depth  (depth_results)
  );

  always_ff @(posedge clk) begin
    open_q <= open_q + OPEN_W'(fire) - OPEN_W'(b_valid);
    results_q <= results_q + OPEN_W'(fire && burst_ends) - OPEN_W'(pop && !empty);
    if (b_valid) code_q <= open_ends ? CODE_OK : code;
    if (rst) begin
      open_q <= '0;
      results_q <= '0;
      code_q <= CODE_OK;
    end
  end

  assign waiting = open_q != '0 || results_q != '0;

  // ---- completions ---------------------------------------------------------------------------
  logic ended, end_room;
  dma_completion_t ended_done;
  logic [COMPLETION_W-1:0] ended_bits;

  kumi_fifo #(
      .W(1 + COMPLETION_W),
      .DEPTH(ENDS),
      .STYLE(0)
  ) u_ends (
      .clk,
      .rst,
      .s_data ({end_empty, end_done}),
      .s_valid(end_valid),
      .s_ready(end_room),
      .m_data ({empty, ended_bits}),
      .m_valid(ended),
      .m_ready(pop),
      .depth  (depth_ends)
  );
  assign ended_done = ended_bits;
  assign end_ready = end_room && depth_ends != ($clog2(ENDS) + 1)'(ENDS - 1);

  // What no data is waited for must not come while the ring is being stopped.
  assign done_valid = ended && (empty ? run : result_valid);
  assign pop = done_valid && done_ready;
  always_comb begin
    done = ended_done;
    if (!empty) done.code = result;
  end

  logic unused;
  assign unused = ^{depth_units, depth_beats, depth_bursts, depth_open, depth_results, depth_ends,
                    open_valid, result_room};
endmodule
