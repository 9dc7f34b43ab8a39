// SPDX-License-Identifier: Apache-2.0
//
// CUBIC (RFC 9438): congestion window after an ACK of new data. Combinational.
//
// Slow start as kumi_tcp_cc_newreno. In congestion avoidance the window is the larger of two (4.2
// to 4.5):
//   The curve: (target - cwnd) / cwnd segments per segment acknowledged. `product` is acked times
//   (target - cwnd), the latter limited to 0..cwnd / 2; credit accumulates it, cwnd * mss of it are
//   one segment, at most four at a time.
//   Reno-friendly: w_est grows by alpha segments per window of bytes, alpha = 0.529 up to
//   cwnd_prior, then 1 (4.3).
// An epoch begins with the first ACK after recovery. If the plateau lies above the window, its K is
// requested (k_req), and the epoch waits for k_req_ready. Else, as after a timeout, it begins on
// the plateau: K = 0, w_max = cwnd (4.8).
// used: at least half of the window was in flight (RFC 7661). If not, neither window nor time
//   advance (5.8): the epoch ends, and the next one begins on the curve at the present window.
module kumi_tcp_cubic_update
  import kumi_tcp_core_pkg::*;
  import kumi_tcp_cubic_pkg::*;
#(
    parameter int MAX_WND = 65536  // bytes, size of the transmit ring
) (
    input tcp_cubic_t cu,
    input logic [31:0] tick,
    input logic [WND_W-1:0] cwnd,
    input logic [WND_W-1:0] ssthresh,
    input logic [15:0] mss,
    input logic [WND_W-1:0] acked,
    input logic used,
    input logic [CREDIT_W-1:0] product,
    input logic [45:0] unit,  // cwnd * mss
    input logic k_req_ready,
    output logic [WND_W-1:0] grown,
    output tcp_cubic_t next,
    output logic k_req
);
  logic slow, begins, flat;
  logic [WND_W-1:0] scaled;
  logic [WND_W:0] count, est, wide;
  logic [CREDIT_W:0] pool;
  logic [2:0] steps;

  assign slow   = cwnd < ssthresh;
  assign flat   = cu.w_max <= cwnd;
  assign begins = used && !slow && !cu.active && (flat || k_req_ready);
  assign k_req  = begins && !flat;

  // 542 / 1024 of the bytes acknowledged.
  assign scaled = cu.w_est < cu.cwnd_prior ? (acked >> 1) + (acked >> 5) - (acked >> 9) : acked;
  assign count  = {1'b0, cu.est_acc} + {1'b0, scaled};
  assign pool   = {1'b0, cu.credit} + {1'b0, product};

  always_comb begin
    est   = {1'b0, cu.w_est};
    steps = '0;
    next  = cu;
    if (begins) begin
      next.active = 1'b1;
      next.epoch_start = tick;
      next.k_valid = flat;
      next.k = '0;
      if (flat) next.w_max = cwnd;
      next.w_est   = cwnd;
      next.est_acc = '0;
      next.target  = cwnd;
      next.credit  = '0;
    end else if (!slow && !used) begin
      next.active = 1'b0;
    end else if (!slow && cu.active) begin
      next.est_acc = count[WND_W] ? '1 : count[WND_W-1:0];
      if (count >= {1'b0, cwnd}) begin
        est = {1'b0, cu.w_est} + (WND_W + 1)'(mss);
        next.est_acc = WND_W'(count - {1'b0, cwnd});
      end
      if (est > (WND_W + 1)'(MAX_WND)) est = (WND_W + 1)'(MAX_WND);
      next.w_est = est[WND_W-1:0];
      if (pool >= {2'd0, unit, 2'd0}) steps = 3'd4;
      else if (pool >= {3'd0, unit, 1'b0}) steps = 3'd2;
      else if (pool >= {4'd0, unit}) steps = 3'd1;
      next.credit = pool[CREDIT_W] ? '1 : pool[CREDIT_W-1:0];
      if (steps[2]) next.credit = CREDIT_W'(pool - {2'd0, unit, 2'd0});
      if (steps[1]) next.credit = CREDIT_W'(pool - {3'd0, unit, 1'b0});
      if (steps[0]) next.credit = CREDIT_W'(pool - {4'd0, unit});
    end
  end

  always_comb begin
    wide = {1'b0, cwnd};
    if (slow) wide = {1'b0, cwnd} + (used ? {1'b0, acked} : '0);
    if (steps[2]) wide = {1'b0, cwnd} + (WND_W + 1)'({mss, 2'd0});
    if (steps[1]) wide = {1'b0, cwnd} + (WND_W + 1)'({mss, 1'b0});
    if (steps[0]) wide = {1'b0, cwnd} + (WND_W + 1)'(mss);
    if (!slow && used && cu.active && est > wide) wide = est;
    grown = wide > (WND_W + 1)'(MAX_WND) ? WND_W'(MAX_WND) : wide[WND_W-1:0];
    if (slow && grown > ssthresh) grown = ssthresh;
  end
endmodule
