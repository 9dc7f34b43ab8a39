// SPDX-License-Identifier: Apache-2.0
//
// SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF", 2012) of a message of 12
//   bytes.
//
// key: byte 0 in [7:0]; must remain stable. start, message: hashes `message` (byte 0 in [7:0]) when
//   `busy` is low; ignored while it is high.
// done: one cycle, with the hash as the paper's 64-bit little-endian number.
// Latency 17 cycles from start to done, one hash at a time; busy falls with done. Half a round per
// cycle limits the path to one 64-bit addition.
module kumi_siphash (
    input  logic         clk,
    input  logic         rst,
    input  logic [127:0] key,
    input  logic         start,
    input  logic [ 95:0] message,
    output logic         busy,
    output logic         done,
    output logic [ 63:0] hash
);
  logic [63:0] k0, k1, m0_q, m1, v0_q, v1_q, v2_q, v3_q;
  logic [31:0] m1_q;
  logic [ 4:0] step_q;  // half rounds completed
  logic        busy_q;

  assign {k1, k0} = key;
  assign m1 = {8'd12, 24'd0, m1_q};
  assign busy = busy_q;

  function automatic logic [63:0] rotl(input logic [63:0] v, input int n);
    return (v << n) | (v >> (64 - n));
  endfunction

  // State with the message words that are absorbed before this step.
  logic [63:0] a0, a2, a3;
  always_comb begin
    a0 = v0_q;
    a2 = v2_q;
    a3 = v3_q;
    case (step_q)
      5'd0: a3 = v3_q ^ m0_q;
      5'd4: begin
        a0 = v0_q ^ m0_q;
        a3 = v3_q ^ m1;
      end
      5'd8: begin
        a0 = v0_q ^ m1;
        a2 = v2_q ^ 64'hff;
      end
      default: ;
    endcase
  end

  logic [63:0] b0, b2;
  always_comb begin
    if (step_q[0]) begin
      b0 = a0 + a3;
      b2 = a2 + v1_q;
    end else begin
      b0 = a0 + v1_q;
      b2 = a2 + a3;
    end
  end

  always_ff @(posedge clk) begin
    done <= 1'b0;
    if (!busy_q) begin
      {m1_q, m0_q} <= message;
      v0_q <= k0 ^ 64'h736f6d6570736575;
      v1_q <= k1 ^ 64'h646f72616e646f6d;
      v2_q <= k0 ^ 64'h6c7967656e657261;
      v3_q <= k1 ^ 64'h7465646279746573;
      step_q <= '0;
      busy_q <= start;
    end else begin
      step_q <= step_q + 1'b1;
      if (step_q[0]) begin
        v0_q <= b0;
        v1_q <= rotl(v1_q, 17) ^ b2;
        v2_q <= rotl(b2, 32);
        v3_q <= rotl(a3, 21) ^ b0;
      end else begin
        v0_q <= rotl(b0, 32);
        v1_q <= rotl(v1_q, 13) ^ b0;
        v2_q <= b2;
        v3_q <= rotl(a3, 16) ^ b2;
      end
      if (step_q == 5'd15) begin
        busy_q <= 1'b0;
        done   <= 1'b1;
      end
    end
    if (rst) begin
      busy_q <= 1'b0;
      done   <= 1'b0;
    end
  end

  assign hash = v0_q ^ v1_q ^ v2_q ^ v3_q;
endmodule
