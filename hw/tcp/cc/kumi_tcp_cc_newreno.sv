// SPDX-License-Identifier: Apache-2.0
//
// Congestion window after an ACK of new data: slow start and congestion avoidance (RFC 5681). The
//   caller implements NewReno's recovery (RFC 6582), kumi_tcp_cc_ssthresh the threshold.
//
// grown and bytes_acked_next are valid two cycles after the inputs, which remain stable. The first
//   cycle adds, the second compares.
// grown, bytes_acked_next: window and byte count after `acked` more bytes. In slow start the window
//   grows by all of them up to the threshold, as in Linux, since receivers that coalesce segments
//   acknowledge many at once; above it by one segment per window of bytes (3.1, equation 3, counted
//   in bytes). It never exceeds MAX_WND: no more can be in flight.
module kumi_tcp_cc_newreno
  import kumi_tcp_core_pkg::*;
#(
    parameter int MAX_WND = 65536  // bytes, size of the transmit ring
) (
    input logic clk,
    input logic [WND_W-1:0] cwnd,
    input logic [WND_W-1:0] ssthresh,
    input logic [WND_W-1:0] bytes_acked,
    input logic [15:0] mss,
    input logic [WND_W-1:0] acked,
    output logic [WND_W-1:0] grown,
    output logic [WND_W-1:0] bytes_acked_next
);
  localparam logic [WND_W:0] MAX = (WND_W + 1)'(MAX_WND);

  // Both growth modes in parallel.
  logic slow_q, cap_full, over_q, reach_q;
  logic [WND_W:0] cap_q, fast_up_q, slow_up_q, count_q, count_less;
  logic [WND_W-1:0] count_less_q;
  assign cap_full   = {1'b0, ssthresh} >= MAX;
  assign count_less = count_q - {1'b0, cwnd};

  always_ff @(posedge clk) begin
    slow_q <= cwnd < ssthresh;
    cap_q <= cap_full ? MAX : {1'b0, ssthresh};
    slow_up_q <= {1'b0, cwnd} + {1'b0, acked};
    fast_up_q <= {1'b0, cwnd} + (WND_W + 1)'(mss);
    count_q <= {1'b0, bytes_acked} + {1'b0, acked};

    over_q <= slow_up_q > cap_q;
    reach_q <= count_q >= {1'b0, cwnd};
    count_less_q <= WND_W'(count_less);
  end

  always_comb begin
    grown = cwnd;
    bytes_acked_next = bytes_acked;
    if (slow_q) begin
      grown = over_q ? WND_W'(cap_q) : WND_W'(slow_up_q);
    end else if (reach_q) begin
      grown = fast_up_q > MAX ? WND_W'(MAX) : WND_W'(fast_up_q);
      bytes_acked_next = count_less_q;
    end else begin
      bytes_acked_next = WND_W'(count_q);
    end
  end

  logic unused;
  assign unused = count_less[WND_W];
endmodule
