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
// STAGES 1, for 64 bits: adds all lanes before the register, the earlier beats behind it. 3: the
//   registers hold three numbers whose sum is the beat's (no carry runs until there), that sum, and
//   `total`, so `zero` is few gates deep. 4: the same behind a register of the beat.
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

  typedef logic [BEAT_SUM_W-1:0] part_t;

  // How many numbers are left of n when three take the place of six.
  function automatic int fewer(input int n);
    return 3 * (n / 6) + (n % 6 < 3 ? n % 6 : 3);
  endfunction
  function automatic int left_at(input int level);
    left_at = WORDS;
    for (int l = 0; l < level; l++) left_at = fewer(left_at);
  endfunction
  function automatic int levels();
    levels = 0;
    while (left_at(levels) > 3) levels++;
  endfunction

  // Three numbers with the sum of six: how many ones a column has. Each bit is a function of six.
  function automatic part_t [2:0] three(input part_t [5:0] x);
    part_t odd_a, two_a, odd_b, two_b, two_c;
    odd_a = x[0] ^ x[1] ^ x[2];
    two_a = (x[0] & x[1]) | (x[2] & (x[0] | x[1]));
    odd_b = x[3] ^ x[4] ^ x[5];
    two_b = (x[3] & x[4]) | (x[5] & (x[3] | x[4]));
    two_c = odd_a & odd_b;
    three[0] = odd_a ^ odd_b;
    three[1] = (two_a ^ two_b ^ two_c) << 1;
    three[2] = ((two_a & two_b) | (two_c & (two_a | two_b))) << 2;
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
    localparam int LEVELS = levels();
    logic [STAGES-1:1] valid_q, first_q;
    logic [DATA_W-1:0] beat;
    part_t [2:0] part_q;
    part_t sum_q;  // of the beat before the alignment point
    logic [SUM_W-1:0] total_q;

    if (STAGES == 4) begin : gen_beat_q
      logic [DATA_W-1:0] data_q;
      always_ff @(posedge clk) if (en) data_q <= data;
      assign beat = data_q;
    end else begin : gen_beat
      assign beat = data;
    end

    // A signal for each level: as one of all levels it would look like a loop.
    for (genvar l = 0; l < LEVELS; l++) begin : gen_level
      localparam int N = left_at(l);
      part_t [WORDS-1:0] from, to;
      for (genvar i = 0; i < WORDS; i++) begin : gen_from
        if (l == 0) begin : gen_word
          assign from[i] = part_t'(word(beat, i));
        end else begin : gen_part
          assign from[i] = gen_level[l-1].to[i];
        end
      end
      for (genvar g = 0; 6 * g < N; g++) begin : gen_six
        localparam int HERE = N - 6 * g < 6 ? N - 6 * g : 6;
        if (HERE > 3) begin : gen_three
          assign to[3*g+:3] = three((6 * BEAT_SUM_W)'(from[6*g+:HERE]));
        end else begin : gen_few
          assign to[3*g+:HERE] = from[6*g+:HERE];
        end
      end
      for (genvar i = fewer(N); i < WORDS; i++) begin : gen_none
        assign to[i] = '0;
      end

      logic unused;
      assign unused = ^{from, to};
    end

    always_ff @(posedge clk) begin
      if (en) begin
        part_q  <= gen_level[LEVELS-1].to[2:0];
        sum_q   <= part_q[0] + part_q[1] + part_q[2];
        valid_q <= (STAGES - 1)'({valid_q, valid});
        first_q <= (STAGES - 1)'({first_q, first});
      end
      if (en && valid_q[STAGES-1]) begin
        total_q <= (first_q[STAGES-1] ? SUM_W'(INIT) : total_q) + SUM_W'(sum_q);
      end
      if (rst) valid_q <= '0;
    end
    assign total = total_q;
  end

  if (STAGES != 1 && STAGES != 3 && STAGES != 4) begin : gen_check_stages
    $fatal(0, "STAGES must be 1, 3 or 4 (%m)");
  end

  // The halves of a nonzero multiple of 0xffff are complements.
  assign zero = total[15:0] == ~16'(total[SUM_W-1:16]);
endmodule
