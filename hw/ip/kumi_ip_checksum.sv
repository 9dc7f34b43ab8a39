// SPDX-License-Identifier: Apache-2.0
//
// Internet checksum (RFC 1071) of a frame, pipelined: sums the big-endian 16-bit words of masked
//   beats. The caller zeroes bytes that do not count and may insert words of its own (pseudo
//   header) in unused lanes.
//
// Input: one beat per clk with en and valid; `first` starts a new sum.
// Output: aligned to a data pipeline of STAGES registers whose last one moves on valid beats only.
//   `total` is the unfolded sum up to and including the beat in that register; `zero`: it is a
//   multiple of 0xffff, as a correct checksum makes it.
// STAGES 1 (64 bits): adds all lanes before the register, and the earlier beats behind it. 3 and
//   more: the first register holds the masked bytes; the adders follow, 4 words per stage (all 8
//   words in one with 128 bits); the last register holds `total`. So `zero` is few gates deep.
module kumi_ip_checksum #(
    parameter int DATA_W = 64,  // bits of a beat
    parameter int STAGES = 1,   // registers from the input to the alignment point
    parameter int SUM_W  = 32,  // bits of the total; 32 holds 65536 words
    parameter int INIT   = 0    // initial value of the sum
) (
    input  logic              clk,
    input  logic              rst,
    input  logic              en,
    input  logic              valid,
    input  logic              first,
    input  logic [DATA_W-1:0] data,
    output logic [ SUM_W-1:0] total,
    output logic              zero
);
  localparam int WORDS = DATA_W / 16;
  localparam int BEAT_SUM_W = 16 + $clog2(WORDS);

  function automatic logic [15:0] word(input logic [DATA_W-1:0] d, input int i);
    return {d[16*i+:8], d[16*i+8+:8]};
  endfunction

  if (STAGES == 1) begin : gen_one
    logic [BEAT_SUM_W-1:0] sum, sum_q;  // of the beat at the alignment point
    logic [SUM_W-1:0] acc_q;  // of the beats before it
    always_comb begin
      sum = '0;
      for (int i = 0; i < WORDS; i++) sum += BEAT_SUM_W'(word(data, i));
    end
    assign total = acc_q + SUM_W'(sum_q);
    always_ff @(posedge clk) begin
      if (en && valid) begin
        sum_q <= sum;
        acc_q <= first ? SUM_W'(INIT) : total;
      end
    end
    logic unused;
    assign unused = rst;
  end else begin : gen_tree
    // Valid and first of registers 1..STAGES-1.
    logic [STAGES-1:1] valid_q, first_q;
    logic [DATA_W-1:0] data_q;
    logic [BEAT_SUM_W-1:0] sum, sum_q;  // of the beat before the alignment point
    logic [SUM_W-1:0] total_q;

    always_ff @(posedge clk) begin
      if (en) begin
        data_q  <= data;
        sum_q   <= sum;
        valid_q <= (STAGES - 1)'({valid_q, valid});
        first_q <= (STAGES - 1)'({first_q, first});
      end
      if (en && valid_q[STAGES-1]) begin
        total_q <= (first_q[STAGES-1] ? SUM_W'(INIT) : total_q) + SUM_W'(sum_q);
      end
      if (rst) valid_q <= '0;
    end
    assign total = total_q;

    localparam int RADIX = STAGES == 3 ? WORDS : 4;
    localparam int N1 = (WORDS + RADIX - 1) / RADIX;
    localparam int W1 = 16 + $clog2(RADIX);
    logic [N1-1:0][W1-1:0] sum1;

    always_comb begin
      sum1 = '0;
      for (int i = 0; i < WORDS; i++) sum1[i/RADIX] += W1'(word(data_q, i));
    end

    if (STAGES == 3) begin : gen_end3
      assign sum = BEAT_SUM_W'(sum1);
    end else begin : gen_more
      localparam int N2 = (N1 + 3) / 4;
      localparam int W2 = W1 + 2;
      logic [N1-1:0][W1-1:0] sum1_q;
      logic [N2-1:0][W2-1:0] sum2;

      always_ff @(posedge clk) if (en) sum1_q <= sum1;
      always_comb begin
        sum2 = '0;
        for (int i = 0; i < N1; i++) sum2[i/4] += W2'(sum1_q[i]);
      end

      if (STAGES == 4) begin : gen_end4
        assign sum = BEAT_SUM_W'(sum2);
      end else begin : gen_end5
        logic [N2-1:0][W2-1:0] sum2_q;
        always_ff @(posedge clk) if (en) sum2_q <= sum2;
        always_comb begin
          sum = '0;
          for (int i = 0; i < N2; i++) sum += BEAT_SUM_W'(sum2_q[i]);
        end
      end
    end
  end

  if (STAGES < 1 || STAGES > 5 || STAGES == 2 || (STAGES < 5 && WORDS > 16)
      || (STAGES == 3 && WORDS > 8)) begin : gen_check_stages
    $fatal(0, "STAGES does not fit DATA_W (%m)");
  end

  // The halves of a nonzero multiple of 0xffff are complements.
  assign zero = total[15:0] == ~16'(total[SUM_W-1:16]);
endmodule
