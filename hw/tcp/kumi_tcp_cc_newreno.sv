// SPDX-License-Identifier: Apache-2.0
//
// Congestion window after an ACK of new data, and the threshold after a loss: slow start and
// congestion avoidance of RFC 5681, combinational. NewReno's recovery (RFC 6582) is the caller's.
//
// grown, acc_next: window and count after `acked` more bytes. In slow start the window grows by all
//   of them, as Linux does, since receivers that join segments acknowledge many at once; above the
//   threshold by one segment for each window of bytes (3.1, equation 3, counted in bytes).
//   It never exceeds MAX_WND: no more can be in flight.
// threshold: half of what is in flight, at least two segments (equation 4).
module kumi_tcp_cc_newreno
  import kumi_tcp_core_pkg::*;
#(
    parameter int MAX_WND = 65536  // bytes, that of the transmit ring
) (
    input logic [WND_W-1:0] cwnd,
    input logic [WND_W-1:0] ssthresh,
    input logic [WND_W-1:0] acc,
    input logic [15:0] mss,
    input logic [WND_W-1:0] acked,
    input logic [WND_W-1:0] flight,
    output logic [WND_W-1:0] grown,
    output logic [WND_W-1:0] acc_next,
    output logic [WND_W-1:0] threshold
);
  logic slow;
  logic [WND_W:0] up, count;

  assign slow  = cwnd < ssthresh;
  assign count = {1'b0, acc} + {1'b0, acked};
  assign up    = {1'b0, cwnd} + (slow ? {1'b0, acked} : (WND_W + 1)'(mss));

  always_comb begin
    grown    = cwnd;
    acc_next = acc;
    if (slow) begin
      grown = up > (WND_W + 1)'(MAX_WND) ? WND_W'(MAX_WND) : up[WND_W-1:0];
    end else if (count >= {1'b0, cwnd}) begin
      grown    = up > (WND_W + 1)'(MAX_WND) ? WND_W'(MAX_WND) : up[WND_W-1:0];
      acc_next = WND_W'(count - {1'b0, cwnd});
    end else begin
      acc_next = count[WND_W-1:0];
    end
  end

  always_comb begin
    threshold = flight >> 1;
    if (threshold < WND_W'({mss, 1'b0})) threshold = WND_W'({mss, 1'b0});
  end
endmodule
