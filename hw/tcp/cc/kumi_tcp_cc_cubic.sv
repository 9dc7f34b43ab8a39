// SPDX-License-Identifier: Apache-2.0
//
// CUBIC's part of the stages of kumi_tcp_event_engine: `cu`, the CUBIC state of a session, after
//   each stage.
//
// t, cu: present state. c: differences, for received segments, valid in step_seg.
// USER_TIMER: n_app. A new session has no history. If no data were in flight when the application
//   wrote, the idle time does not count (RFC 9438, 5.8). A computed K is stored if its epoch is
//   still current. A timeout clears the plateau (4.8).
// SND_CALC: n_sums and cwnd; acked: bytes that may let the window grow. use_cubic = 0: the window
//   is NewReno's and the epoch ends.
// ENTER: n_loss after a loss: plateau with fast convergence (4.7). The window at the loss is the
//   smaller of cwnd and the data in flight.
// OUTPUT: n_emit stores the curve's value for the next ACK.
// step_seg, step_sums, step_begin: stages SEG_PROCESS and SND_CALC, and a new event is accepted.
//   The former are at least two cycles apart.
module kumi_tcp_cc_cubic
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
  import kumi_tcp_cubic_pkg::*;
#(
    parameter int TX_RING = 65536
) (
    input  logic                         clk,
    input  logic                         rst,
    input  logic             [     31:0] tick,
    input  logic                         use_cubic,
    input  tcp_event_t                   e,
    input  tcb_t                         t,
    input  tcp_cubic_t                   cu,
    input  tcp_seg_diff_t                c,
    input  logic             [WND_W-1:0] acked,
    input  logic                         reduce_cwnd,  // USER_TIMER: a timeout reduces the window
    input  logic                         step_seg,
    input  logic                         step_sums,
    input  logic                         step_begin,
    output tcp_cubic_t                   n_app,
    output tcp_cubic_t                   n_sums,
    output logic             [WND_W-1:0] cwnd,
    output tcp_cubic_t                   n_loss,
    output tcp_cubic_t                   n_emit,
    output logic                         k_req_valid,
    output tcp_cubic_k_req_t             k_req,
    input  logic                         k_req_ready
);
  // ---- window at a loss -----------------------------------------------------------------------
  logic [31:0] flight;
  logic [WND_W-1:0] now;
  logic [WND_W+9:0] less;
  assign flight = t.snd_nxt - t.snd_una;
  assign now = flight < 32'(t.cwnd) ? WND_W'(flight) : t.cwnd;
  assign less = (WND_W + 10)'(now) * (WND_W + 10)'(870);  // (1 + 0.7) / 2, in 1024

  always_comb begin
    n_loss = cu;
    n_loss.active = 1'b0;
    n_loss.k_valid = 1'b0;
    n_loss.cwnd_prior = now;
    n_loss.w_max = now < cu.w_max ? less[WND_W+9:10] : now;
  end

  always_comb begin
    n_app = cu;
    unique case (e.kind)
      EV_PASSIVE, EV_COOKIE, EV_ACTIVE: n_app = '0;
      EV_DATA: if (flight == '0) n_app.active = 1'b0;
      EV_CUBIC_K: begin
        if (cu.active && !cu.k_valid && cu.epoch_start == e.iss) begin
          n_app.k_valid = 1'b1;
          n_app.k = e.seg.seq[K_W-1:0];
        end
      end
      EV_TIMER: begin
        if (reduce_cwnd) begin
          n_app = n_loss;
          n_app.w_max = '0;
        end
      end
      default: ;
    endcase
  end

  // ---- growth: factors registered one and two cycles ahead ------------------------------------
  logic [WND_W-1:0] ahead, delta_q;
  logic [ACKED_W-1:0] few_q;
  logic [31:0] flown_q;  // in flight before the segment
  logic used_q;
  logic [CREDIT_W:0] product;
  logic [CREDIT_W-1:0] product_q;
  logic [45:0] unit_q;
  logic wants;

  assign ahead   = cu.target > t.cwnd ? cu.target - t.cwnd : '0;
  assign product = (CREDIT_W + 1)'(delta_q) * (CREDIT_W + 1)'(few_q);

  always_ff @(posedge clk) begin
    if (step_seg) begin
      few_q   <= |c.d_ack[31:ACKED_W] ? '1 : c.d_ack[ACKED_W-1:0];
      flown_q <= 32'(c.d_ack) + 32'(c.d_nxt);
    end
    used_q <= flown_q >= 32'(t.cwnd >> 1);
    delta_q   <= ahead > (t.cwnd >> 1) ? t.cwnd >> 1 : ahead;
    product_q <= product[CREDIT_W] ? '1 : product[CREDIT_W-1:0];
    unit_q    <= 46'(t.cwnd) * 46'(t.mss);
  end

  tcp_cubic_t grown;
  logic [WND_W-1:0] window;
  kumi_tcp_cubic_update #(
      .MAX_WND(TX_RING)
  ) u_update (
      .cu,
      .tick,
      .cwnd(t.cwnd),
      .ssthresh(t.ssthresh),
      .mss(t.mss),
      .acked,
      .used(used_q),
      .product(product_q),
      .unit(unit_q),
      .k_req_ready,
      .grown(window),
      .next(grown),
      .k_req(wants)
  );

  always_comb begin
    n_sums = acked != '0 ? grown : cu;
    if (!use_cubic) n_sums.active = 1'b0;
  end

  assign cwnd = acked != '0 ? window : t.cwnd;
  assign k_req_valid = step_sums && acked != '0 && wants;
  assign k_req = '{sid: e.sid, epoch_start: tick, gap: cu.w_max - t.cwnd, mss: t.mss};

  // ---- the curve's next target ----------------------------------------------------------------
  logic [WND_W-1:0] target;
  kumi_tcp_cubic_window u_window (
      .clk,
      .tick,
      .srtt(t.srtt),
      .mss (t.mss),
      .cu,
      .target
  );

  logic aim_q;
  always_ff @(posedge clk) begin
    if (step_begin) aim_q <= 1'b0;
    else if (step_sums && acked != '0) aim_q <= cu.active && cu.k_valid;
    if (rst) aim_q <= 1'b0;
  end

  always_comb begin
    n_emit = cu;
    if (aim_q) n_emit.target = target;
  end

  logic unused;
  assign unused = ^{e, t, c, less, flight};
endmodule
