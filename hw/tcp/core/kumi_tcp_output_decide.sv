// SPDX-License-Identifier: Apache-2.0
//
// Decides which segment a session may send.
//
// Three cycles: p is valid two cycles after t, s, l, slow and now_us, which remain stable for all.
//   The first cycle computes differences and minima, the second compares them, the third decides.
// New data: full segments, all there is, or half of the largest window the peer ever advertised
//   (sender SWS avoidance, RFC 9293, 3.8.6.2.1, without the Nagle algorithm), within the peer's
//   window and the congestion window. One segment may always be sent when no data is in flight. A
//   window probe sends whatever fits.
// Tail loss probe (RFC 8985, 7): with SACK and without losses, the timer is that of a probe, two
//   round trips and cfg.tlp_guard, with one segment in flight cfg.tlp_delay, if that is less than
//   the RTO. A probe is new data, even beyond the congestion window, or else the last segment
//   again.
// Advertised window: the right edge advances by at least min(one segment, half the ring)
//   (3.8.6.2.2). A window update is sent when half the ring becomes free, or two segments of a
//   nearly closed window.
module kumi_tcp_output_decide
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter int RX_RING = 65536
) (
    input logic clk,
    input tcp_cfg_t cfg,
    input tcb_t t,
    input tcp_snd_calc_t s,
    input tcp_scoreboard_t l,
    input logic slow,
    input logic [31:0] now_us,
    output tcp_output_t p
);
  localparam int WS = ring_ws(RX_RING);
  localparam logic [31:0] HALF = RX_RING / 2;

  // ---- first cycle ----------------------------------------------------------------------------

  logic signed [31:0] pipe, pipe_q, room_q, take_q;
  logic [31:0] hole_q, gain_q, step_q, two_q, base_q, tail_q, pto_q;
  logic [15:0] tail_len_q;
  logic tail_fin_q, pto_may_q;

  assign pipe = slow ? l.pipe : $signed(s.flight);

  always_ff @(posedge clk) begin
    // Settings are stable.
    step_q <= 32'(cfg.mss) < HALF ? 32'(cfg.mss) : HALF;
    two_q <= 32'({cfg.mss, 1'b0}) < HALF ? 32'({cfg.mss, 1'b0}) : HALF;
    pipe_q <= pipe;
    room_q <= $signed({2'd0, t.cwnd}) - pipe;
    hole_q <= l.hole > 32'(t.mss) ? 32'(t.mss) : l.hole;
    take_q <= s.least > s.wnd_space ? s.wnd_space : s.least;
    gain_q <= s.adv_max - t.rcv_adv;
    // The last segment: up to its size, ending at snd_nxt.
    tail_q <= s.single ? t.snd_una : t.snd_nxt - 32'(t.mss);
    tail_len_q <= s.single ? s.flight[15:0] : t.mss;
    tail_fin_q <= t.snd_fin && s.unsent[31];
    pto_q <= 32'(t.srtt >> 2) + (s.single ? cfg.tlp_delay : cfg.tlp_guard);
    pto_may_q <= cfg.use_tlp && t.sack_ok && t.srtt_valid && s.flight != '0 && t.backoff == '0 &&
        t.recovery == RECOVERY_NONE && !(t.tlp_pending || t.tlp_out) && sends(
        t.state
    );
    base_q <= s.rto_base < cfg.rto_min ? cfg.rto_min : s.rto_base;
  end

  // ---- second cycle ---------------------------------------------------------------------------

  logic [31:0] adv_q;
  logic hole_fits_q, hole_fin_q, take_fits_q, take_full_q, take_all_q, take_half_q;
  logic pipe_none_q, take_some_q, take_none_q, update_q, probe_q, long_over_q;
  logic [31:0] long_q, rtx_end_q, data_end_q, data_fin_q, pto_at_q, max_at_q;
  logic [47:0] long;
  logic [32:0] data_fin;  // with a carry into it
  assign data_fin = {t.snd_nxt, 1'b1} + {take_q, 1'b1};
  assign long = 48'(base_q) << t.backoff;

  always_ff @(posedge clk) begin
    adv_q <= gain_q >= step_q ? s.adv_max : t.rcv_adv;
    hole_fits_q <= room_q >= $signed(hole_q);
    hole_fin_q <= t.snd_fin && is_next(hole_q, l.rest);
    take_fits_q <= room_q >= take_q;
    take_full_q <= take_q == $signed(32'(t.mss));
    take_all_q <= take_q == s.unsent;
    take_half_q <= take_q >= $signed(32'(t.snd_wnd_max >> 1));
    take_some_q <= positive(take_q);
    take_none_q <= take_q == '0;
    pipe_none_q <= !positive(pipe_q);
    update_q <= receives(
        t.state
    ) && (gain_q >= HALF || (s.rcv_wnd < 32'({cfg.mss, 1'b0}) && gain_q >= two_q));
    probe_q <= pto_may_q && pto_q < base_q;
    rtx_end_q <= l.rtx_from + hole_q;
    data_end_q <= t.snd_nxt + take_q;
    data_fin_q <= data_fin[32:1];
    pto_at_q <= now_us + pto_q;
    max_at_q <= now_us + cfg.rto_max;
    long_q <= long[31:0];
    long_over_q <= long[47:32] != '0;
  end

  // ---- third cycle ----------------------------------------------------------------------------

  logic may, fin_next;

  always_comb begin
    p = '0;
    p.valid = 1'b1;
    p.rst = t.state == ST_DRAIN && t.rst_pending;
    p.syn = in_handshake(t.state) && t.syn_pending;
    p.probe = t.probe_pending && synchronized(t.state);

    // ---- retransmission
    p.rtx = slow && l.rtx_valid && sends(t.state) && (l.rtx_first || pipe_none_q || hole_fits_q);

    // Nothing new can go: no data within the peer's window, and no FIN alone.
    p.tlp_rtx = t.tlp_pending && sends(t.state) && tail_len_q != '0 && !take_some_q &&
        !(t.snd_fin && s.unsent == 0 && take_none_q);

    // ---- new data
    fin_next = t.snd_fin && !s.unsent[31] && take_all_q;
    may = take_full_q || take_all_q || take_half_q || t.probe_pending || t.tlp_pending;
    p.new_data = sends(t.state) && !p.rtx && !s.unsent[31] &&
        (take_some_q ? may && (pipe_none_q || take_fits_q || t.tlp_pending) :
         fin_next && s.unsent == 0);
    p.wnd_blocked = positive(s.unsent) && !p.new_data;

    if (p.rtx) begin
      p.seq  = l.rtx_from;
      p.fin  = hole_fin_q;  // the last sequence number is the FIN's
      p.len  = hole_q[15:0] - 16'(hole_fin_q);
      p.upto = rtx_end_q;
    end else if (p.tlp_rtx) begin
      p.seq  = tail_q;
      p.fin  = tail_fin_q;
      p.len  = tail_len_q - 16'(tail_fin_q);
      p.upto = t.snd_nxt;
    end else begin
      p.seq  = t.snd_nxt;
      p.len  = take_some_q ? take_q[15:0] : '0;
      p.fin  = fin_next;
      p.upto = fin_next ? data_fin_q : data_end_q;
    end

    // ---- advertised window
    p.adv = adv_q;
    p.wnd = 16'((adv_q - t.rcv_nxt) >> (t.ws_ok ? WS : 0));

    p.dupack = synchronized(t.state) && t.dupacks_owed != '0;
    p.ack = (synchronized(t.state) || t.state == ST_SYN_RCVD) && (t.ack_now || update_q);

    // ---- timeout
    p.pto = probe_q;
    if (probe_q) p.rtx_at = pto_at_q;
    else if (long_over_q || long_q > cfg.rto_max) p.rtx_at = max_at_q;
    else p.rtx_at = now_us + long_q;
  end

  logic unused;
  assign unused = ^{cfg, t, s, l, data_fin[0]};
endmodule
