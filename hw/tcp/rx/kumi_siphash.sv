// SPDX-License-Identifier: Apache-2.0
//
// SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012) of messages of 12
//   bytes, two of them at a time.
//
// key: byte 0 in [7:0]; must remain stable. start, message: hashes `message` (byte 0 in [7:0]) when
//   `ready` is high; ignored while it is low.
// done: one cycle, with the hash as the paper's 64-bit little-endian number; in order.
// Latency 33 cycles from start to done, two hashes every 34 cycles. Half a round takes two cycles,
// and the messages take turns: both halves of its sums, the upper one for either carry; then the
// choice, and what follows. So the path is one addition of 32 bits.
module kumi_siphash (
    input  logic         clk,
    input  logic         rst,
    input  logic [127:0] key,
    input  logic         start,
    output logic         ready,
    input  logic [ 95:0] message,
    output logic         done,
    output logic [ 63:0] hash
);
  // A sum of 64 bits, before its carry is known to the upper half.
  typedef struct packed {
    logic [31:0] high_carry;
    logic [31:0] high;
    logic [32:0] low;
  } sum_t;

  typedef struct packed {
    logic busy;
    logic [3:0] step;  // half rounds completed
    logic [95:0] message;
    logic [63:0] v1;
    logic [63:0] v3;
  } hash_state_t;

  function automatic logic [63:0] rotl(input logic [63:0] v, input int n);
    return (v << n) | (v >> (64 - n));
  endfunction

  function automatic sum_t add(input logic [63:0] a, input logic [63:0] b);
    return
    '{
        low: 33'(a[31:0]) + 33'(b[31:0]),
        high: a[63:32] + b[63:32],
        high_carry: a[63:32] + b[63:32] + 32'd1
    }
    ;
  endfunction

  function automatic logic [63:0] whole(input sum_t sum);
    return {sum.low[32] ? sum.high_carry : sum.high, sum.low[31:0]};
  endfunction

  // ---- 1: the sums of half a round ------------------------------------------------------------
  hash_state_t one_q, two_q;
  logic [63:0] v0_q, v2_q;
  sum_t sum0_q, sum2_q;

  always_ff @(posedge clk) begin
    sum0_q <= add(v0_q, one_q.step[0] ? one_q.v3 : one_q.v1);
    sum2_q <= add(v2_q, one_q.step[0] ? one_q.v1 : one_q.v3);
    two_q  <= one_q;
    if (rst) two_q.busy <= 1'b0;
  end

  // ---- 2: their choice, and what follows; or a new message ------------------------------------
  logic [63:0] k0, k1, m0, m1, b0, b2, in0, in3;
  logic [7:0] in2;

  assign {k1, k0} = key;
  assign m0 = two_q.message[63:0];
  assign m1 = {8'd12, 24'd0, two_q.message[95:64]};
  assign b0 = whole(sum0_q);
  assign b2 = whole(sum2_q);
  assign ready = !two_q.busy;

  // What is absorbed behind this half round; the first word is at the start.
  always_comb begin
    {in0, in2, in3} = '0;
    case (two_q.step)
      4'd3: {in0, in3} = {m0, m1};
      4'd7: {in0, in2} = {m1, 8'hff};
      default: ;
    endcase
  end

  always_ff @(posedge clk) begin
    done <= two_q.busy && two_q.step == '1;
    if (two_q.busy) begin
      one_q.busy <= two_q.step != '1;
      one_q.step <= two_q.step + 1'b1;
      one_q.message <= two_q.message;
      if (two_q.step[0]) begin
        v0_q <= b0 ^ in0;
        one_q.v1 <= rotl(two_q.v1, 17) ^ b2;
        v2_q <= rotl(b2, 32) ^ 64'(in2);
        one_q.v3 <= rotl(two_q.v3, 21) ^ b0 ^ in3;
      end else begin
        v0_q <= rotl(b0, 32);
        one_q.v1 <= rotl(two_q.v1, 13) ^ b0;
        v2_q <= b2;
        one_q.v3 <= rotl(two_q.v3, 16) ^ b2;
      end
    end else begin
      one_q.busy <= start;
      one_q.step <= '0;
      one_q.message <= message;
      v0_q <= k0 ^ 64'h736f6d6570736575;
      one_q.v1 <= k1 ^ 64'h646f72616e646f6d;
      v2_q <= k0 ^ 64'h6c7967656e657261;
      one_q.v3 <= k1 ^ 64'h7465646279746573 ^ message[63:0];
    end
    if (rst) begin
      one_q.busy <= 1'b0;
      done <= 1'b0;
    end
  end

  assign hash = v0_q ^ one_q.v1 ^ v2_q ^ one_q.v3;
endmodule
