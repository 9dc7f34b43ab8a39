// SPDX-License-Identifier: Apache-2.0
//
// Rate limit of ICMP errors (RFC 1812, 4.3.2.8), as Linux has it: for each destination BURST
//   messages, then one per interval (icmp_ratelimit); for all together TOTAL messages, then one per
//   tick (icmp_msgs_burst, icmp_msgs_per_sec).
//
// Destinations are told apart by a hash of their address into CLASSES; those of one class share its
//   messages, so a collision only lowers the rate.
// req_valid, req_ip: an error is due, a pulse. Two cycles later either grant or deny is a pulse.
// tick: 1 ms is usual, never in two cycles in a row. interval: ticks; 0: no limit per destination.
module kumi_icmp_limit #(
    parameter int CLASSES = 16,  // a power of two, at most 256
    parameter int BURST   = 6,
    parameter int TOTAL   = 50
) (
    input logic clk,
    input logic rst,
    input logic tick,
    input logic [15:0] interval,
    input logic req_valid,
    input logic [31:0] req_ip,
    output logic grant,
    output logic deny
);
  localparam int CLASS_W = $clog2(CLASSES);
  localparam int LEFT_W = $clog2(BURST + 1);
  localparam int TOTAL_W = $clog2(TOTAL + 1);

  if (CLASSES < 2 || CLASSES > 256 || (CLASSES & (CLASSES - 1)) != 0) begin : gen_check_classes
    $fatal(0, "CLASSES must be a power of two, 2 to 256 (%m)");
  end

  logic [CLASSES-1:0][LEFT_W-1:0] left_q;
  logic [TOTAL_W-1:0] total_q;
  logic [15:0] ticks_q;
  logic [7:0] folded;
  logic [CLASS_W-1:0] index;
  logic asked_q, take, refill, due_q;

  // Neighbors on a link differ in their last octet.
  assign folded = req_ip[7:0] ^ req_ip[15:8] ^ req_ip[23:16] ^ req_ip[31:24];
  always_ff @(posedge clk) begin
    asked_q <= req_valid && !rst;
    index   <= CLASS_W'(folded) ^ CLASS_W'(folded >> CLASS_W);
  end

  assign take   = asked_q && total_q != '0 && (interval == '0 || left_q[index] != '0);
  assign refill = tick && due_q;

  always_ff @(posedge clk) begin
    grant <= take;
    deny  <= asked_q && !take;
    due_q <= 17'(ticks_q) + 17'd1 >= 17'(interval);
    if (tick) ticks_q <= refill ? '0 : ticks_q + 1'b1;
    if (take) total_q <= total_q - TOTAL_W'(!tick);
    else if (tick && total_q != TOTAL_W'(TOTAL)) total_q <= total_q + 1'b1;
    for (int i = 0; i < CLASSES; i++) begin
      if (take && index == CLASS_W'(i)) begin
        if (!refill && left_q[i] != '0) left_q[i] <= left_q[i] - 1'b1;
      end else if (refill && left_q[i] != LEFT_W'(BURST)) left_q[i] <= left_q[i] + 1'b1;
    end
    if (rst) begin
      grant   <= 1'b0;
      deny    <= 1'b0;
      due_q   <= interval <= 16'd1;
      ticks_q <= '0;
      total_q <= TOTAL_W'(TOTAL);
      for (int i = 0; i < CLASSES; i++) left_q[i] <= LEFT_W'(BURST);
    end
  end
endmodule
