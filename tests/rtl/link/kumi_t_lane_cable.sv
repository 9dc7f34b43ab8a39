// SPDX-License-Identifier: Apache-2.0
//
// One lane of a cable between two link cores, one direction: delay, an unknown block boundary, bit
// errors, darkness and noise.
//
// delay: cycles, 0 to 1023, at least one more passes. boundary: bits by which the far end's blocks
// are displaced, taken when `replug` is high; slip moves it by one. mode: 0 good, 1 dark (zeros),
// 2 noise, 3 every sync header 00. ber: a bit of a block is inverted with a chance of ber / 2**32 a
// block. seed: of the errors.
module kumi_t_lane_cable (
    input logic clk,
    input logic rst,
    input logic [63:0] in_data,
    input logic [1:0] in_head,
    output logic [63:0] out_data,
    output logic [1:0] out_head,
    input logic slip,
    input logic replug,
    input logic [6:0] boundary,
    input logic [9:0] delay,
    input logic [1:0] mode,
    input logic [31:0] ber,
    input logic [31:0] seed
);
  logic [65:0] mem[1024];
  logic [9:0] write_q;
  logic [65:0] now_q, before_q, window;
  logic [ 6:0] at_q;
  logic [63:0] rng_q;
  logic [65:0] flip;

  always_ff @(posedge clk) begin
    write_q <= write_q + 1'b1;
    mem[write_q] <= {in_head, in_data};
    now_q <= delay == 0 ? {in_head, in_data} : mem[write_q-delay];
    before_q <= now_q;
    if (slip) at_q <= at_q == 7'd65 ? 7'd0 : at_q + 7'd1;
    if (replug || rst) at_q <= boundary;
    if (rst) write_q <= '0;
  end

  always_ff @(posedge clk) begin
    automatic logic [63:0] x;
    x = rng_q;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    rng_q <= x;
    if (rst) rng_q <= {seed, 32'h9e37_79b9};
  end

  // The line's bits, first bit leftmost.
  assign window = 66'({before_q, now_q} >> (7'd66 - at_q));
  assign flip   = rng_q[31:0] < ber ? 66'd1 << (rng_q[63:32] % 66) : '0;

  always_comb begin
    {out_head, out_data} = (at_q == 0 ? now_q : window) ^ flip;
    unique case (mode)
      2'd1: {out_head, out_data} = '0;
      2'd2: {out_head, out_data} = {rng_q[1:0], rng_q};
      2'd3: out_head = 2'b00;
      default: ;
    endcase
  end
endmodule
