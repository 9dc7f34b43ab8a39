// SPDX-License-Identifier: Apache-2.0
//
// Congestion window after an ACK of new data: slow start and congestion avoidance (RFC 5681).
//   Combinational. The caller implements NewReno's recovery (RFC 6582), kumi_tcp_cc_ssthresh the
//   threshold.
//
// grown, bytes_acked_next: window and byte count after `acked` more bytes. In slow start the window
//   grows by all of them up to the threshold, as in Linux, since receivers that coalesce segments
//   acknowledge many at once; above it by one segment per window of bytes (3.1, equation 3, counted
//   in bytes). It never exceeds MAX_WND: no more can be in flight.
module kumi_tcp_cc_newreno
  import kumi_tcp_core_pkg::*;
#(
    parameter int MAX_WND = 65536  // bytes, size of the transmit ring
) (
    input logic [WND_W-1:0] cwnd,
    input logic [WND_W-1:0] ssthresh,
    input logic [WND_W-1:0] bytes_acked,
    input logic [15:0] mss,
    input logic [WND_W-1:0] acked,
    output logic [WND_W-1:0] grown,
    output logic [WND_W-1:0] bytes_acked_next
);
  localparam logic [WND_W:0] MAX = (WND_W + 1)'(MAX_WND);

  // Both growth modes in parallel: a sum and one comparison deep.
  logic slow;
  logic [WND_W:0] cap, fast_up, slow_up, count;
  logic [WND_W-1:0] count_less;

  assign slow = cwnd < ssthresh;
  assign cap = {1'b0, ssthresh} < MAX ? {1'b0, ssthresh} : MAX;
  assign slow_up = {1'b0, cwnd} + {1'b0, acked};
  assign fast_up = {1'b0, cwnd} + (WND_W + 1)'(mss);
  assign count = {1'b0, bytes_acked} + {1'b0, acked};
  assign count_less = count[WND_W-1:0] - cwnd;

  always_comb begin
    grown    = cwnd;
    bytes_acked_next = bytes_acked;
    if (slow) begin
      grown = slow_up > cap ? WND_W'(cap) : WND_W'(slow_up);
    end else if (count >= {1'b0, cwnd}) begin
      grown    = fast_up > MAX ? WND_W'(MAX) : WND_W'(fast_up);
      bytes_acked_next = count_less;
    end else begin
      bytes_acked_next = WND_W'(count);
    end
  end
endmodule
