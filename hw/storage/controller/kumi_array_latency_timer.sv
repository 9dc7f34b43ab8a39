// SPDX-License-Identifier: Apache-2.0
//
// How long each request to a port took.
//
// issue: a request goes to port issue_unit for context_ issue_context.
// s_valid, s_unit, s_what: an end of port s_unit, a pulse. valid: the same two cycles later, with
//   took: cycles from when the port could begin with it (its request, or the end before it) to its
//   end, at least 1.
module kumi_array_latency_timer
  import kumi_array_pkg::*;
#(
    parameter int PORTS = 4  // 1..128
) (
    input logic clk,
    input logic rst,
    input logic issue,
    input logic [7:0] issue_unit,
    input logic [3:0] issue_context,
    input logic s_valid,
    input logic [7:0] s_unit,
    input io_end_t s_what,
    output logic valid,
    output logic [7:0] unit,
    output io_end_t what,
    output logic [31:0] took
);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);

  logic [31:0] now_q, begun_q, last_q;
  logic [31:0] begun_mem[16 << UNIT_W], last_mem[1 << UNIT_W];
  logic one_q;
  logic [7:0] one_unit_q;
  io_end_t one_end_q;

  // Times are compared modulo 2^32: the later of the two beginnings is the one less long ago.
  logic [31:0] since_begun, since_last;
  assign since_begun = now_q - begun_q;
  assign since_last  = now_q - last_q;

  always_ff @(posedge clk) begin
    if (issue) begun_mem[{UNIT_W'(issue_unit), issue_context}] <= now_q;
    if (s_valid) last_mem[UNIT_W'(s_unit)] <= now_q;
    begun_q <= begun_mem[{UNIT_W'(s_unit), s_what.context_}];
    last_q  <= last_mem[UNIT_W'(s_unit)];
  end
  always_ff @(posedge clk) begin
    now_q <= now_q + 1'b1;
    one_q <= s_valid;
    one_unit_q <= s_unit;
    one_end_q <= s_what;
    valid <= one_q;
    unit <= one_unit_q;
    what <= one_end_q;
    took <= since_begun < since_last ? since_begun : since_last;
    if (rst) begin
      now_q <= '0;
      one_q <= 1'b0;
      valid <= 1'b0;
    end
  end
  logic unused;
  assign unused = ^{issue_unit, s_unit};
endmodule
