// SPDX-License-Identifier: Apache-2.0
//
// N exact event counters for little more than the cost of one: totals in a memory, updated in
// rotation; between two updates a few bits per event hold what is pending.
//
// Events: every high bit of ev counts one, any number of bits in every cycle. Nothing is lost: a
//   slot is updated every max(N, 2) cycles and its pending count can hold that many. Totals wrap
//   modulo 2^W and start from zero at reset (the first round writes without reading the memory).
// Register side: the request/acknowledge pulses of an external register region; req with the word
//   index, rd_ack with rd_data at the slot's next update (2 to N + 2 cycles). The total then
//   includes every event up to two cycles before rd_ack. Writes are acknowledged and ignored.
// Bad input: an index of N or above reads as zero.
module kumi_event_counters #(
    parameter  int N     = 8,                       // events, 1..64
    parameter  int W     = 32,                      // bits of a total, at most 32
    localparam int IDX_W = (N > 1) ? $clog2(N) : 1
) (
    input  logic         clk,
    input  logic         rst,
    input  logic [N-1:0] ev,
    input  logic         req,
    input  logic         req_is_wr,
    input  logic [  5:0] req_index,
    output logic         rd_ack,
    output logic [ 31:0] rd_data,
    output logic         wr_ack
);
  localparam int ROUND = (N > 1) ? N : 2;  // slots in a round
  localparam int PEND_W = $clog2(ROUND + 1);
  localparam logic [5:0] LAST = 6'(ROUND - 1);

  if (N < 1 || N > 64) begin : gen_check_n
    $fatal(0, "N must be 1..64 (%m)");
  end
  if (W < 1 || W > 32) begin : gen_check_w
    $fatal(0, "W must be 1..32 (%m)");
  end

  // Pending counts, bit-sliced: bit i of plane b is bit b of event i's count.
  logic [N-1:0] pend_q[PEND_W];
  logic [N-1:0] pend_d[PEND_W];
  logic [N-1:0] visit;
  logic [PEND_W-1:0] take;

  logic [5:0] slot_q;
  logic first_q;

  assign visit = N'(1) << slot_q;
  always_comb begin
    logic [N-1:0] keep;
    logic [N-1:0] carry;
    logic [2**IDX_W-1:0] slots;
    carry = ev;
    for (int b = 0; b < PEND_W; ++b) begin
      keep = pend_q[b] & ~visit;
      pend_d[b] = keep ^ carry;
      carry = keep & carry;
      slots = (2 ** IDX_W)'(pend_q[b]);
      take[b] = slots[slot_q[IDX_W-1:0]];
    end
  end

  // Second stage: the slot's old total and what to add.
  (* ram_style = "distributed" *) logic [W-1:0] total[2**IDX_W];
  logic [W-1:0] old_q;
  logic [PEND_W-1:0] add_q;
  logic [5:0] slot1_q;
  logic first1_q;
  logic busy1_q;
  logic [W-1:0] sum;

  assign sum = (first1_q ? '0 : old_q) + W'(add_q);

  always_ff @(posedge clk) begin
    for (int b = 0; b < PEND_W; ++b) pend_q[b] <= pend_d[b];
    slot_q   <= (slot_q == LAST) ? '0 : slot_q + 1'b1;
    first_q  <= first_q && slot_q != LAST;
    old_q    <= total[slot_q[IDX_W-1:0]];
    add_q    <= take;
    slot1_q  <= slot_q;
    first1_q <= first_q;
    busy1_q  <= 1'b1;
    if (rst) begin
      for (int b = 0; b < PEND_W; ++b) pend_q[b] <= '0;
      slot_q  <= '0;
      first_q <= 1'b1;
      busy1_q <= 1'b0;
    end
  end

  always_ff @(posedge clk) begin
    if (busy1_q) total[slot1_q[IDX_W-1:0]] <= sum;
  end

  // Register side: a read waits for its slot's turn.
  logic rd_pending_q;
  logic [5:0] rd_index_q;
  logic out_of_range;

  assign out_of_range = rd_index_q > 6'(N - 1);

  always_ff @(posedge clk) begin
    wr_ack <= req && req_is_wr;
    rd_ack <= 1'b0;
    if (req && !req_is_wr) begin
      rd_pending_q <= 1'b1;
      rd_index_q   <= req_index;
    end
    if (rd_pending_q && (out_of_range || (busy1_q && slot1_q == rd_index_q))) begin
      rd_pending_q <= 1'b0;
      rd_ack <= 1'b1;
      rd_data <= out_of_range ? '0 : 32'(sum);
    end
    if (rst) begin
      rd_pending_q <= 1'b0;
      rd_ack <= 1'b0;
      wr_ack <= 1'b0;
    end
  end
endmodule
