// SPDX-License-Identifier: Apache-2.0
//
// Last stage of an event: at most one segment, and the new state of the session.
//
// The outputs are valid with p, one cycle after t, which remains stable but for numbers that are
//   not used here. The first cycle adds and collects SACK blocks, the second selects. An event
//   without a decision (p is 0) needs only the second: it uses none of the sums.
// room: the segment can be accepted. Otherwise the session enters the output queue if it has
//   anything to send. more: serve the session again; always set after data, so that its next turn
//   finds out whether there is more.
// Priority: RST, SYN, duplicate ACKs (they count only without data), retransmissions, tail loss
//   probe, new data, window probe, ACK. Only segments without payload carry SACK blocks, so the
//   payload size is constant.
// ECN (RFC 3168): new data are sent as ECN-capable, nothing else (6.1.4 to 6.1.6).
// A zero-window probe has sequence number snd_una - 1 and no payload: the peer must answer it (RFC
// 9293, 3.10.7.4) whatever its window.
// Timers: the retransmission timer, or in its place that of a tail loss probe (p.pto), runs while
//   data are in flight; it is the persist timer while data wait for the peer's window with none in
//   flight. With neither, its deadline is that of the idle time (idle_on). A probe timeout depends
//   on how much is in flight: it begins again when all that may be sent has been. An event after
//   which nothing was decided leaves them as they are.
module kumi_tcp_output_seg
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter int RX_RING = 65536
) (
    input logic clk,
    input tcp_cfg_t cfg,
    input logic [31:0] now_us,
    input logic [31:0] tick,  // of the timestamp clock
    input logic [SID_W-1:0] sid,
    input tcb_t t,
    input tcp_output_t p,
    input logic room,
    output tcb_t n,
    output logic send,
    output tcp_tx_t tx,
    output logic more,
    output tcp_core_ev_t ev
);
  localparam logic [15:0] SYN_WND = RX_RING > 65535 ? 16'd65535 : 16'(RX_RING);
  localparam logic [3:0] WS = 4'(ring_ws(RX_RING));

  // ---- first cycle ----------------------------------------------------------------------------

  logic [31:0] una_next_q, una_last_q;
  logic first_q;  // nothing was sent before
  logic [2:0] blocks, blocks_q;
  tcp_range_t [SACKS-1:0] sack, sack_q;
  always_comb begin
    blocks = '0;
    sack   = '0;
    for (int i = 0; i < MAX_RANGES; i++) begin
      if (t.ooo_ranges[i].valid && !(t.ts_ok && blocks == 3'd3)) begin
        for (int k = 0; k <= i; k++) begin
          if (blocks == 3'(k))
            sack[k] = '{left: t.ooo_ranges[i].left, right: t.ooo_ranges[i].right};
        end
        blocks = blocks + 1'b1;
      end
    end
  end

  always_ff @(posedge clk) begin
    una_next_q <= t.snd_una + 32'd1;
    una_last_q <= t.snd_una - 32'd1;
    first_q <= t.snd_nxt == t.snd_una;
    blocks_q <= blocks;
    sack_q <= sack;
  end

  // ---- second cycle ---------------------------------------------------------------------------

  logic any, plain, out;
  assign any = p.rst || p.syn || p.dupack || p.rtx || p.tlp_rtx || p.new_data || p.probe || p.ack;

  always_comb begin
    n = t;
    tx = '0;
    ev = '0;
    plain = 1'b0;
    send = any && room;
    more = any && !room;
    tx.sid = sid;
    tx.tuple = t.tuple;
    tx.seq = t.snd_nxt;
    tx.ack = t.rcv_nxt;
    tx.flags.ack = 1'b1;
    tx.wnd = p.wnd;
    tx.opts.ts_valid = t.ts_ok;
    tx.opts.ts_val = tick;
    tx.opts.ts_ecr = t.ts_recent;

    if (send) begin
      if (p.rst) begin
        tx.flags.rst = 1'b1;
        tx.wnd = '0;
        tx.opts = '0;
        n.rst_pending = 1'b0;
        ev.tx_rst = 1'b1;
      end else if (p.syn) begin
        tx.seq = t.snd_una;
        tx.flags.syn = 1'b1;
        tx.wnd = SYN_WND;
        tx.opts.mss_valid = 1'b1;
        tx.opts.mss = cfg.mss;
        tx.opts.ws = WS;
        if (t.state == ST_SYN_SENT) begin
          tx.flags.ack = 1'b0;
          tx.ack = '0;
          tx.opts.ts_valid = cfg.use_ts;
          tx.opts.ts_ecr = '0;
          tx.opts.ws_valid = cfg.use_ws;
          tx.opts.sack_ok = cfg.use_sack;
          // RFC 3168, 6.1.1.1: without the request if it may be what the network drops.
          n.ecn_asked = cfg.ecn == 2'd1 && t.rtx_count == '0;
          tx.flags.ece = n.ecn_asked;
          tx.flags.cwr = n.ecn_asked;
        end else begin
          tx.flags.ece = t.ecn_ok;
          tx.opts.ws_valid = t.ws_ok;
          tx.opts.sack_ok = t.sack_ok;
        end
        n.syn_pending = 1'b0;
        n.snd_nxt = una_next_q;
        n.rtt_timing = first_q;  // the first transmission
        n.rtt_seq = n.snd_nxt;
        n.rtt_start = now_us;
      end else if (p.dupack) begin
        plain = 1'b1;
        n.dupacks_owed = t.dupacks_owed - 1'b1;
        more = p.rtx || p.tlp_rtx || p.new_data || p.probe || n.dupacks_owed != '0;
        ev.tx_ack = 1'b1;
      end else if (p.rtx) begin
        tx.seq = p.seq;
        tx.len = p.len;
        n.high_rxt = p.upto;
        n.rtt_timing = 1'b0;
        more = 1'b1;
        ev.tx_retransmit = 1'b1;
      end else if (p.tlp_rtx) begin
        tx.seq = p.seq;
        tx.len = p.len;
        n.rtt_timing = 1'b0;
        n.tlp_pending = 1'b0;
        n.tlp_out = 1'b1;
        n.tlp_rtx = 1'b1;
        n.recover = t.snd_nxt;
        ev.tx_retransmit = 1'b1;
        ev.tx_tlp = 1'b1;
      end else if (p.new_data) begin
        tx.seq = p.seq;
        tx.len = p.len;
        n.snd_nxt = p.upto;
        n.probe_pending = 1'b0;
        if (p.len != '0) begin
          tx.ect = t.ecn_ok;
          tx.flags.cwr = t.ecn_cwr;
          n.ecn_cwr = 1'b0;
        end
        if (t.tlp_pending) begin
          n.tlp_pending = 1'b0;
          n.tlp_out = 1'b1;
          n.tlp_rtx = 1'b0;
          n.recover = n.snd_nxt;
          ev.tx_tlp = 1'b1;
        end
        if (!t.rtt_timing) begin
          n.rtt_timing = 1'b1;
          n.rtt_seq = n.snd_nxt;
          n.rtt_start = now_us;
        end
        more = 1'b1;
        ev.tx_data = 1'b1;
      end else if (p.probe) begin
        plain = 1'b1;
        tx.seq = una_last_q;
        n.probe_pending = 1'b0;
        ev.tx_probe = 1'b1;
      end else begin
        plain = 1'b1;
        ev.tx_ack = 1'b1;
      end

      if (p.rtx || p.tlp_rtx || p.new_data) begin
        if (!p.rst && !p.syn && !p.dupack) begin
          tx.flags.fin = p.fin;
          tx.flags.psh = p.len != '0 && (p.fin || p.upto == t.snd_end);  // a FIN is at snd_end
        end
      end

      if (!p.rst && !p.syn) begin
        tx.flags.ece = t.ecn_echo;
        n.rcv_adv = p.adv;
        n.last_ack_sent = t.rcv_nxt;
        n.ack_pending = 1'b0;
        n.ack_now = 1'b0;
        n.ack_on = 1'b0;
      end
    end

    if (plain && t.sack_ok) begin
      tx.opts.sacks = blocks_q;
      tx.opts.sack  = sack_q;
    end

    // ---- timers
    // A SYN and data leave something in flight.
    out = (send && !p.rst && (p.syn || (p.new_data && !p.dupack && !p.rtx && !p.tlp_rtx))) ||
        !first_q;
    if (!(in_handshake(t.state) || sends(t.state))) begin
      n.rtx_on  = 1'b0;
      n.idle_on = 1'b0;
    end else if (out || p.wnd_blocked) begin
      n.idle_on = 1'b0;
      if (!n.rtx_on || (p.pto && (!t.tlp_on || (t.tlp_again && !p.new_data)))) begin
        n.rtx_on = 1'b1;
        n.rtx_at = p.rtx_at;
        n.tlp_on = p.pto;
        n.tlp_again = p.new_data;
      end
    end else if (p.valid) begin
      n.rtx_on = 1'b0;
    end
  end

  logic unused;
  assign unused = ^{cfg, p};
endmodule
