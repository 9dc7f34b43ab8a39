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
// STAGES 1: adds all lanes before the register. More: the first register holds the masked bytes,
//   the adders follow, 4 words per stage (all 8 words in one with 128 bits).
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

  logic [BEAT_SUM_W-1:0] sum_q;  // sum of the beat at the alignment point
  logic [     SUM_W-1:0] acc_q;  // sum of the beats before it
  logic load, load_first;

  function automatic logic [15:0] word(input logic [DATA_W-1:0] d, input int i);
    return {d[16*i+:8], d[16*i+8+:8]};
  endfunction

  if (STAGES == 1) begin : gen_one
    logic [BEAT_SUM_W-1:0] sum;
    always_comb begin
      sum = '0;
      for (int i = 0; i < WORDS; i++) sum += BEAT_SUM_W'(word(data, i));
    end
    logic unused;
    assign unused = rst;
    assign load = valid;
    assign load_first = first;
    always_ff @(posedge clk) if (en && load) sum_q <= sum;
  end else begin : gen_tree
    // Valid and first of registers 1..STAGES-1.
    logic [STAGES-1:1] valid_q, first_q;
    logic [DATA_W-1:0] data_q;

    always_ff @(posedge clk) begin
      if (en) begin
        data_q  <= data;
        valid_q <= (STAGES - 1)'({valid_q, valid});
        first_q <= (STAGES - 1)'({first_q, first});
      end
      if (rst) valid_q <= '0;
    end
    assign load = valid_q[STAGES-1];
    assign load_first = first_q[STAGES-1];

    localparam int RADIX = STAGES == 2 ? WORDS : 4;
    localparam int N1 = (WORDS + RADIX - 1) / RADIX;
    localparam int W1 = 16 + $clog2(RADIX);
    logic [N1-1:0][W1-1:0] sum1, sum1_q;

    always_comb begin
      sum1 = '0;
      for (int i = 0; i < WORDS; i++) sum1[i/RADIX] += W1'(word(data_q, i));
    end

    if (STAGES == 2) begin : gen_end2
      always_ff @(posedge clk) if (en && load) sum_q <= BEAT_SUM_W'(sum1);
      assign sum1_q = sum1;
      logic unused;
      assign unused = ^sum1_q;
    end else begin : gen_more
      localparam int N2 = (N1 + 3) / 4;
      localparam int W2 = W1 + 2;
      logic [N2-1:0][W2-1:0] sum2, sum2_q;

      always_ff @(posedge clk) if (en) sum1_q <= sum1;
      always_comb begin
        sum2 = '0;
        for (int i = 0; i < N1; i++) sum2[i/4] += W2'(sum1_q[i]);
      end

      if (STAGES == 3) begin : gen_end3
        always_ff @(posedge clk) if (en && load) sum_q <= BEAT_SUM_W'(sum2);
        assign sum2_q = sum2;
        logic unused;
        assign unused = ^sum2_q;
      end else begin : gen_end4
        logic [BEAT_SUM_W-1:0] sum3;
        always_ff @(posedge clk) if (en) sum2_q <= sum2;
        always_comb begin
          sum3 = '0;
          for (int i = 0; i < N2; i++) sum3 += BEAT_SUM_W'(sum2_q[i]);
        end
        always_ff @(posedge clk) if (en && load) sum_q <= sum3;
      end
    end
  end

  if (STAGES < 1 || STAGES > 4 || (STAGES == 3 && WORDS > 16) || (STAGES == 2 && WORDS > 16)
      ) begin : gen_check_stages
    $fatal(0, "STAGES does not fit DATA_W (%m)");
  end

  assign total = acc_q + SUM_W'(sum_q);

  always_ff @(posedge clk) begin
    if (en && load) acc_q <= load_first ? SUM_W'(INIT) : total;
  end

  // The halves of a nonzero multiple of 0xffff are complements.
  assign zero = total[15:0] == ~16'(total[SUM_W-1:16]);
endmodule
