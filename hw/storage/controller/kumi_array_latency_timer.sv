// SPDX-License-Identifier: Apache-2.0
//
// Measures the service time of each port request.
//
// issue: a request to port issue_unit with context issue_context.
// s_valid, s_unit, s_rsp: a completion of port s_unit, a pulse. valid: the same two cycles later,
//   with timed_cycles: cycles from the later of its issue and the port's previous completion to
//   this one, at least 1.
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
    input disk_rsp_t s_rsp,
    output logic valid,
    output logic [7:0] unit,
    output disk_rsp_t rsp,
    output logic [31:0] timed_cycles
);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);

  logic [31:0] now_q, issued_q, last_q;
  logic [31:0] issued_mem[16 << UNIT_W], last_mem[1 << UNIT_W];
  logic lookup_valid_q;
  logic [7:0] lookup_unit_q;
  disk_rsp_t lookup_rsp_q;

  // Times are modulo 2^32: the later start is the more recent one.
  logic [31:0] since_issue, since_completion;
  assign since_issue = now_q - issued_q;
  assign since_completion = now_q - last_q;

  always_ff @(posedge clk) begin
    if (issue) issued_mem[{UNIT_W'(issue_unit), issue_context}] <= now_q;
    if (s_valid) last_mem[UNIT_W'(s_unit)] <= now_q;
    issued_q <= issued_mem[{UNIT_W'(s_unit), s_rsp.context_}];
    last_q   <= last_mem[UNIT_W'(s_unit)];
  end
  always_ff @(posedge clk) begin
    now_q <= now_q + 1'b1;
    lookup_valid_q <= s_valid;
    lookup_unit_q <= s_unit;
    lookup_rsp_q <= s_rsp;
    valid <= lookup_valid_q;
    unit <= lookup_unit_q;
    rsp <= lookup_rsp_q;
    timed_cycles <= since_issue < since_completion ? since_issue : since_completion;
    if (rst) begin
      now_q <= '0;
      lookup_valid_q <= 1'b0;
      valid <= 1'b0;
    end
  end
  logic unused;
  assign unused = ^{issue_unit, s_unit};
endmodule
