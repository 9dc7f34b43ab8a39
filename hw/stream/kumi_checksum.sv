// SPDX-License-Identifier: Apache-2.0
//
// Internet checksum (RFC 1071) of each frame of a stream that it listens to.
//
// in_*: one beat in each cycle with in_valid high (tvalid && tready of the stream); there is no
//   back-pressure. in_keep counts on every beat, bytes that are not kept are summed as zero; all
//   beats of a frame but the last must be full. in_seed is added to the sum (a pseudo-header, an
//   earlier part); it is sampled with the first beat of the frame.
// out_valid: one pulse a frame, LATENCY cycles after its last beat. out_sum: the one's complement
//   sum of the frame's 16-bit words, the first byte of a pair being the high one; an odd last byte
//   is padded with zero. The field of a header is ~out_sum. It is 0 only when seed and all bytes
//   are zero; a frame that holds its own correct checksum gives 0xffff.
// Throughput one beat a cycle, frames back to back. LATENCY is 3 cycles up to 64 bits, 4 at 128, 5
//   up to 512, 6 at 1024: a tree of adders with a register every level, an accumulator with saved
//   carries, and one last fold.
// How the folds stay right: words are summed with the low byte first and the result is swapped,
//   which a one's complement sum allows (RFC 1071, section 2B). The accumulator keeps its carries
//   above bit 15 and adds them back in the next beat, so it never loses one.
module kumi_checksum #(
    parameter int DATA_W = 64  // bits of data: 8, or a multiple of 16
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                in_valid,
    input  logic                in_last,
    input  logic [  DATA_W-1:0] in_data,
    input  logic [DATA_W/8-1:0] in_keep,
    input  logic [        15:0] in_seed,
    output logic                out_valid,
    output logic [        15:0] out_sum
);
  localparam int WORDS = DATA_W < 16 ? 1 : DATA_W / 16;
  // Adder levels with a register each: the first sums up to 4 words when that is all there is, else
  // 2 (it masks too), the following up to 4 each.
  localparam int RADIX0 = WORDS <= 4 ? 4 : 2;
  localparam int N1 = (WORDS + RADIX0 - 1) / RADIX0;
  localparam int LEVELS = N1 == 1 ? 1 : N1 <= 4 ? 2 : N1 <= 16 ? 3 : 4;
  localparam int SUM_W = 16 + $clog2(WORDS);
  localparam int ACC_W = (SUM_W > 17 ? SUM_W : 17) + 1;
  localparam int HIGH_W = ACC_W - 16;

  if (DATA_W != 8 && (DATA_W < 16 || DATA_W > 1024 || DATA_W % 16 != 0)) begin : gen_check_w
    $fatal(0, "DATA_W must be 8 or a multiple of 16 up to 1024 (%m)");
  end

  // What the first level sums: words with the low byte first, zeros behind the last one.
  logic [N1-1:0][RADIX0-1:0][15:0] words;
  logic [N1-1:0][RADIX0-1:0][ 1:0] kept;
  if (DATA_W == 8) begin : gen_byte
    logic odd_q;
    always_ff @(posedge clk) begin
      if (in_valid) odd_q <= !in_last && !odd_q;
      if (rst) odd_q <= 1'b0;
    end
    assign words = $bits(words)'(odd_q ? {in_data, 8'h00} : {8'h00, in_data});
    assign kept  = $bits(kept)'({2{in_keep}});
  end else begin : gen_words
    assign words = $bits(words)'(in_data);
    assign kept  = $bits(kept)'(in_keep);
  end

  function automatic logic [SUM_W-1:0] masked_sum(input logic [RADIX0-1:0][15:0] word,
                                                  input logic [RADIX0-1:0][1:0] keep);
    masked_sum = '0;
    for (int j = 0; j < RADIX0; j++) begin
      masked_sum += SUM_W'(word[j] & {{8{keep[j][1]}}, {8{keep[j][0]}}});
    end
  endfunction

  // tree_q[l][i]: sum i of level l; places that a level does not need are zero.
  logic [LEVELS-1:0][N1-1:0][SUM_W-1:0] tree_q;
  logic [SUM_W-1:0] sum;

  for (genvar i = 0; i < N1; i++) begin : gen_first
    // Not computed for an idle stream: that is where simulations spend their time.
    always_ff @(posedge clk) if (in_valid) tree_q[0][i] <= masked_sum(words[i], kept[i]);
  end
  for (genvar l = 1; l < LEVELS; l++) begin : gen_level
    for (genvar i = 0; i < N1; i++) begin : gen_sum
      logic [SUM_W-1:0] acc;
      always_comb begin
        acc = '0;
        for (int j = 4 * i; j < 4 * (i + 1) && j < N1; j++) acc += tree_q[l-1][j];
      end
      always_ff @(posedge clk) tree_q[l][i] <= acc;
    end
  end

  logic unused;
  assign unused = ^tree_q;
  assign sum = tree_q[LEVELS-1][0];

  // What travels beside the tree.
  logic [LEVELS:0] valid, last;
  logic [LEVELS:0][15:0] seed;
  assign valid[0] = in_valid;
  assign last[0]  = in_last;
  assign seed[0]  = in_seed;
  for (genvar i = 0; i < LEVELS; i++) begin : gen_beside
    always_ff @(posedge clk) begin
      valid[i+1] <= valid[i] && !rst;
      last[i+1]  <= last[i];
      seed[i+1]  <= seed[i];
    end
  end

  logic [ACC_W-1:0] acc_q, base;
  logic first_q, done_q;
  assign base = first_q ? ACC_W'({seed[LEVELS][7:0], seed[LEVELS][15:8]})
                        : ACC_W'(acc_q[15:0]) + ACC_W'(acc_q[ACC_W-1:16]);

  always_ff @(posedge clk) begin
    if (valid[LEVELS]) begin
      acc_q   <= base + ACC_W'(sum);
      first_q <= last[LEVELS];
    end
    done_q <= valid[LEVELS] && last[LEVELS];
    if (rst) begin
      first_q <= 1'b1;
      done_q  <= 1'b0;
    end
  end

  // Last fold. With a carry the low part is smaller than 2**HIGH_W - 1, so adding it cannot ripple.
  logic [16:0] fold;
  logic [15:0] total;
  assign fold  = {1'b0, acc_q[15:0]} + 17'(acc_q[ACC_W-1:16]);
  assign total = {fold[15:HIGH_W], fold[HIGH_W-1:0] + HIGH_W'(fold[16])};

  always_ff @(posedge clk) begin
    out_sum   <= {total[7:0], total[15:8]};
    out_valid <= done_q && !rst;
  end
endmodule
