// SPDX-License-Identifier: Apache-2.0
//
// What a session may send now.
//
// Two cycles: p and rto are right one cycle after t, s, l and slow, which stay as they are for
//   both. The first is for differences and what is the smaller of several, the second decides.
// New data: full segments, all there is, or half of the largest window the peer ever offered
//   (silly window avoidance, RFC 9293, 3.8.6.2.1, without Nagle's part: what is written goes out),
//   within the peer's window and the congestion window. One segment may always go when nothing is
//   in the network. A window probe takes whatever fits.
// Own window: its right edge moves by at least min(a segment, half the ring) (3.8.6.2.2); it is
//   announced by itself when half the ring is gained, or two segments of a nearly closed window.
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
    output tcp_output_t p,
    output logic [31:0] rto  // with back-off
);
  localparam int WS = ring_ws(RX_RING);
  localparam logic [31:0] HALF = RX_RING / 2;

  // ---- first cycle -----------------------------------------------------------------------------

  logic signed [31:0] pipe, pipe_q, room_q, take, take_q;
  logic [31:0] hole, hole_q, rest_q, gain, gain_q, adv_q, step_q, two_q, base_q;

  always_comb begin
    pipe = slow ? l.pipe : $signed(s.flight);
    hole = l.to - l.from;
    if (hole > 32'(t.mss)) hole = 32'(t.mss);
    take = s.avail;
    if (take > $signed(32'(t.mss))) take = $signed(32'(t.mss));
    if (take > s.space) take = s.space;
    gain = s.cand - t.rcv_adv;
  end

  always_ff @(posedge clk) begin
    // Settings are steady.
    step_q <= 32'(cfg.mss) < HALF ? 32'(cfg.mss) : HALF;
    two_q  <= 32'({cfg.mss, 1'b0}) < HALF ? 32'({cfg.mss, 1'b0}) : HALF;
    pipe_q <= pipe;
    room_q <= $signed({2'd0, t.cwnd}) - pipe;
    hole_q <= hole;
    rest_q <= t.tail + 32'd1 - l.from;
    take_q <= take;
    gain_q <= gain;
    adv_q  <= gain >= step_q ? s.cand : t.rcv_adv;
    base_q <= s.rto < cfg.rto_min ? cfg.rto_min : s.rto;
  end

  // ---- second cycle ----------------------------------------------------------------------------

  logic may, update, fin_next, hole_fin;
  logic [47:0] long;

  always_comb begin
    p = '0;
    p.rst = t.state == ST_GONE && t.want_rst;
    p.syn = opening(t.state) && t.want_syn;
    p.probe = t.want_probe && synced(t.state);

    // ---- again
    p.rtx = slow && l.hole && sends(t.state) &&
        (l.first || pipe_q <= 0 || room_q >= $signed(hole_q));
    hole_fin = t.fin && hole_q == rest_q;  // the last number may be FIN's

    // ---- new data
    fin_next = t.fin && s.avail >= 0 && take_q == s.avail;
    may = take_q == $signed(32'(t.mss)) || take_q == s.avail ||
        take_q >= $signed(32'(t.max_wnd >> 1)) || t.want_probe;
    p.fresh = sends(t.state) && !p.rtx && s.avail >= 0 &&
        (take_q > 0 ? may && (pipe_q <= 0 || room_q >= take_q) : fin_next && s.avail == 0);
    p.blocked = s.avail > 0 && !p.fresh;

    if (p.rtx) begin
      p.seq = l.from;
      p.fin = hole_fin;
      p.len = hole_q[15:0] - 16'(hole_fin);
    end else begin
      p.seq = t.nxt;
      p.len = take_q > 0 ? take_q[15:0] : '0;
      p.fin = fin_next;
    end

    // ---- own window
    p.adv = adv_q;
    update = receives(t.state) &&
        (gain_q >= HALF || (s.offered < 32'({cfg.mss, 1'b0}) && gain_q >= two_q));
    p.wnd = 16'((adv_q - t.rcv_nxt) >> (t.ws_ok ? WS : 0));

    p.bare = synced(t.state) && t.dups != '0;
    p.ack = (synced(t.state) || t.state == ST_SYN_RCVD) && (t.ack_now || update);

    // ---- time-out
    long = 48'(base_q) << t.backoff;
    rto = long > 48'(cfg.rto_max) ? cfg.rto_max : long[31:0];
  end

  logic unused;
  assign unused = ^{cfg, t, s, l};
endmodule
