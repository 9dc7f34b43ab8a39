// SPDX-License-Identifier: Apache-2.0
//
// Ends of requests of all ports, one at a time, with the time that each took.
//
// issue: a request goes to port issue_unit for context_ issue_context.
// s_end[i]: io_end_t of port i; each port is served in turn.
// valid: a pulse; unit, what: whose end it is; took: cycles from when the port could begin with it
//   (its request, or the end before it) to its end, at least 1.
// Latency 2 cycles, throughput an end a cycle.
module kumi_array_ends
  import kumi_array_pkg::*;
#(
    parameter int PORTS = 4
) (
    input logic clk,
    input logic rst,
    input logic issue,
    input logic [7:0] issue_unit,
    input logic [3:0] issue_context,
    kumi_hdr_if.snk s_end[PORTS],
    output logic valid,
    output logic [7:0] unit,
    output io_end_t what,
    output logic [31:0] took
);
  localparam int UNIT_W = PORTS == 1 ? 1 : $clog2(PORTS);

  logic [31:0] now_q, began, begun_q[16 << UNIT_W], last_q[PORTS];
  logic [PORTS-1:0] req, grant;
  io_end_t [PORTS-1:0] ends;
  logic one_q;
  logic [UNIT_W-1:0] one_unit_q, granted;
  io_end_t one_end_q;

  for (genvar i = 0; i < PORTS; i++) begin : gen_port
    assign req[i] = s_end[i].valid;
    assign ends[i] = s_end[i].data;
    assign s_end[i].ready = grant[i];
  end
  kumi_arbiter #(
      .N(PORTS)
  ) u_turn (
      .clk,
      .rst,
      .req,
      .done(1'b1),
      .grant
  );
  always_comb begin
    granted = '0;
    for (int i = 0; i < PORTS; i++) if (grant[i]) granted |= UNIT_W'(i);
  end

  // Times are compared modulo 2^32: the later of the two beginnings is the one less long ago.
  logic [31:0] since_begun, since_last;
  assign began = begun_q[{one_end_q.context_, one_unit_q}];
  assign since_begun = now_q - began;
  assign since_last = now_q - last_q[one_unit_q];

  always_ff @(posedge clk) begin
    now_q <= now_q + 1'b1;
    if (issue) begun_q[{issue_context, UNIT_W'(issue_unit)}] <= now_q;
    one_q <= |grant;
    one_unit_q <= granted;
    one_end_q <= ends[granted];
    valid <= one_q;
    unit <= 8'(one_unit_q);
    what <= one_end_q;
    took <= since_begun < since_last ? since_begun : since_last;
    if (one_q) last_q[one_unit_q] <= now_q;
    if (rst) begin
      now_q <= '0;
      one_q <= 1'b0;
      valid <= 1'b0;
    end
  end
  logic unused;
  assign unused = ^issue_unit;
endmodule
