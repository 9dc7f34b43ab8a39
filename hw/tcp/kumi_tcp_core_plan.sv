// SPDX-License-Identifier: Apache-2.0
//
// What a session may send now; combinational.
//
// New data: full segments, all there is, or half of the largest window the peer ever offered
//   (silly window avoidance, RFC 9293, 3.8.6.2.1, without Nagle's part: what is written goes out),
//   within the peer's window and the congestion window. One segment may always go when nothing is
//   in the network. A window probe takes whatever fits.
// Own window: its right edge moves by at least min(a segment, half the ring) (3.8.6.2.2); it is
//   announced by itself when half the ring is gained, or two segments of a nearly closed window.
module kumi_tcp_core_plan
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter int RX_RING = 65536
) (
    input tcp_cfg_t cfg,
    input tcb_t t,
    input tcp_sums_t s,
    input tcp_lost_t l,
    input logic slow,
    output tcp_plan_t p,
    output logic [31:0] rto  // with back-off
);
  localparam int WS = ring_ws(RX_RING);
  localparam logic [31:0] HALF = RX_RING / 2;

  logic signed [31:0] pipe, room;
  logic [31:0] hole_len, gain, step, two;
  logic signed [31:0] take;
  logic may, update, fin_next;

  always_comb begin
    pipe = slow ? l.pipe : $signed(s.flight);
    room = $signed({2'd0, t.cwnd}) - pipe;
    p = '0;
    p.rst = t.state == ST_GONE && t.want_rst;
    p.syn = opening(t.state) && t.want_syn;
    p.probe = t.want_probe && synced(t.state);

    // ---- again
    hole_len = l.to - l.from;
    if (hole_len > 32'(t.mss)) hole_len = 32'(t.mss);
    p.rtx = slow && l.hole && sends(t.state) && (l.first || pipe <= 0 || room >= $signed(hole_len));

    // ---- new data
    take = s.avail;
    if (take > $signed(32'(t.mss))) take = $signed(32'(t.mss));
    if (take > s.space) take = s.space;
    fin_next = t.fin && s.avail >= 0 && take == s.avail;
    may = take == $signed(32'(t.mss)) || take == s.avail || take >= $signed(32'(t.max_wnd >> 1)) ||
        t.want_probe;
    p.fresh = sends(t.state) && !p.rtx && s.avail >= 0 &&
        (take > 0 ? may && (pipe <= 0 || room >= take) : fin_next && s.avail == 0);
    p.blocked = s.avail > 0 && !p.fresh;

    if (p.rtx) begin
      p.seq = l.from;
      // The last number may be FIN's.
      p.fin = t.fin && l.from + hole_len == t.tail + 32'd1;
      p.len = 16'(hole_len - 32'(p.fin));
    end else begin
      p.seq = t.nxt;
      p.len = take > 0 ? 16'(take) : '0;
      p.fin = fin_next;
    end

    // ---- own window
    gain = s.cand - t.rcv_adv;
    step = 32'(cfg.mss) < HALF ? 32'(cfg.mss) : HALF;
    two = 32'({cfg.mss, 1'b0}) < HALF ? 32'({cfg.mss, 1'b0}) : HALF;
    p.adv = gain >= step ? s.cand : t.rcv_adv;
    update = receives(t.state) &&
        (gain >= HALF || (s.offered < 32'({cfg.mss, 1'b0}) && gain >= two));
    p.wnd = 16'((p.adv - t.rcv_nxt) >> (t.ws_ok ? WS : 0));

    p.bare = synced(t.state) && t.dups != '0;
    p.ack = (synced(t.state) || t.state == ST_SYN_RCVD) && (t.ack_now || update);
  end

  logic [31:0] base;
  logic [47:0] long;
  always_comb begin
    base = s.rto < cfg.rto_min ? cfg.rto_min : s.rto;
    long = 48'(base) << t.backoff;
    rto  = long > 48'(cfg.rto_max) ? cfg.rto_max : long[31:0];
  end

  logic unused;
  assign unused = ^{cfg, t, s, l};
endmodule
