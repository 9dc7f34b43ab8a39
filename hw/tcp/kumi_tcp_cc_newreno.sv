// SPDX-License-Identifier: Apache-2.0
//
// Congestion window after an ACK of new data: slow start and congestion avoidance of RFC 5681,
// combinational. NewReno's recovery (RFC 6582) is the caller's, kumi_tcp_cc_cut the threshold.
//
// grown, acc_next: window and count after `acked` more bytes. In slow start the window grows by all
//   of them up to the threshold, as Linux does, since receivers that join segments acknowledge many
//   at once; above by one segment for each window of bytes (3.1, equation 3, counted in bytes).
//   It never exceeds MAX_WND: no more can be in flight.
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
    output logic [WND_W-1:0] grown,
    output logic [WND_W-1:0] acc_next
);
  logic slow, beyond;
  logic [WND_W:0] up, count;

  assign slow = cwnd < ssthresh;
  assign count = {1'b0, acc} + {1'b0, acked};
  assign up = {1'b0, cwnd} + (slow ? {1'b0, acked} : (WND_W + 1)'(mss));
  assign beyond = up > (WND_W + 1)'(MAX_WND);

  always_comb begin
    grown    = cwnd;
    acc_next = acc;
    if (slow) begin
      grown = beyond ? WND_W'(MAX_WND) : up[WND_W-1:0];
      if (grown > ssthresh) grown = ssthresh;
    end else if (count >= {1'b0, cwnd}) begin
      grown    = beyond ? WND_W'(MAX_WND) : up[WND_W-1:0];
      acc_next = WND_W'(count - {1'b0, cwnd});
    end else begin
      acc_next = count[WND_W-1:0];
    end
  end
endmodule
