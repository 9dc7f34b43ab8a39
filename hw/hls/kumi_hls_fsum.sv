// SPDX-License-Identifier: Apache-2.0
//
// Sum of single-precision numbers (IEEE 754), one a cycle, in eight interleaved partial sums.
//
// Number i of a sum is added to partial sum i modulo 8; a partial sum is -0 before its first
//   number, which is exact. The result is first + (((p0 + p1) + (p2 + p3)) + ((p4 + p5) + (p6 +
//   p7))), each addition to nearest even.
// add: `value` is the next number; it is always taken. Not while take is high.
// take: high until it is answered: no number follows. sum_valid says that `sum` is the result;
//   sum_ready takes it and empties the partial sums. `first` must remain stable while take is
//   asserted.
// Latency: take to sum_valid 37 cycles, 44 right after a number. Throughput: a number a cycle.
// Errors: none; NaN and infinities as in the standard.
module kumi_hls_fsum (
    input  logic        clk,
    input  logic        rst,
    input  logic        add,
    input  logic [31:0] value,
    input  logic        take,
    input  logic [31:0] first,
    output logic [31:0] sum,
    output logic        sum_valid,
    input  logic        sum_ready
);
  localparam int PARTS = 8;
  localparam int STAGES = 6;  // operands' register and the adder
  localparam logic [31:0] EMPTY = 32'h8000_0000;

  // Reduction: pairs 1, 2, 4 apart, then `first`; a level begins when the one before is complete.
  typedef enum logic [2:0] {
    ACCUMULATE,
    PAIRS,
    FOURS,
    EIGHT,
    FIRST,
    DONE
  } level_t;

  level_t level_q;
  logic [31:0] part_q[PARTS];
  logic [2:0] next_q;  // partial sum of the next number
  logic [2:0] left;  // partial sum that an addition goes to
  logic [2:0] right;  // and that it adds in a reduction
  logic [1:0] pair_q;  // addition of a level
  logic [31:0] a_q, b_q, total;
  logic [STAGES-1:0] valid_q;
  logic [2:0] target_q[STAGES];
  logic issued_q, issue, last, quiet;

  always_comb begin
    left  = next_q;
    right = '0;
    last  = 1'b1;
    unique case (level_q)
      PAIRS: begin
        left  = {pair_q, 1'b0};
        right = {pair_q, 1'b1};
        last  = pair_q == 2'd3;
      end
      FOURS: begin
        left  = {pair_q[0], 2'b00};
        right = {pair_q[0], 2'b10};
        last  = pair_q[0];
      end
      EIGHT: begin
        left  = 3'd0;
        right = 3'd4;
      end
      FIRST:   left = 3'd0;
      default: ;
    endcase
  end

  assign issue = add || ((level_q inside {PAIRS, FOURS, EIGHT, FIRST}) && !issued_q);
  assign quiet = valid_q == '0 && !issue;

  always_ff @(posedge clk) begin
    a_q <= part_q[left];
    b_q <= level_q == ACCUMULATE ? value : level_q == FIRST ? first : part_q[right];
    target_q[0] <= left;
    for (int i = 1; i < STAGES; i++) target_q[i] <= target_q[i-1];
    valid_q <= {valid_q[STAGES-2:0], issue};
    if (valid_q[STAGES-1]) part_q[target_q[STAGES-1]] <= total;

    if (add) next_q <= next_q + 1'b1;
    if (issue && level_q != ACCUMULATE) begin
      pair_q   <= pair_q + 1'b1;
      issued_q <= last;
    end
    if (quiet) begin
      pair_q   <= '0;
      issued_q <= 1'b0;
      unique case (level_q)
        ACCUMULATE: if (take) level_q <= PAIRS;
        PAIRS: level_q <= FOURS;
        FOURS: level_q <= EIGHT;
        EIGHT: level_q <= FIRST;
        FIRST: level_q <= DONE;
        default: ;
      endcase
    end
    if (rst || (sum_valid && sum_ready)) begin
      level_q  <= ACCUMULATE;
      next_q   <= '0;
      pair_q   <= '0;
      issued_q <= 1'b0;
      valid_q  <= '0;
      for (int i = 0; i < PARTS; i++) part_q[i] <= EMPTY;
    end
  end

  kumi_hls_fadd u_add (
      .clk,
      .en ('1),
      .a  (a_q),
      .b  (b_q),
      .sum(total)
  );

  assign sum = part_q[0];
  assign sum_valid = level_q == DONE;
endmodule
