// SPDX-License-Identifier: Apache-2.0
//
// Stage 1 of a received segment: all differences between its numbers and those of its session.
//   Combinational, one subtraction deep.
module kumi_tcp_seg_diff
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
(
    input tcb_t t,
    input tcp_seg_t seg,
    input logic [31:0] end_data,  // seq + SYN + payload
    input logic [31:0] now_us,
    output tcp_seg_diff_t c
);
  always_comb begin
    c = '0;
    c.session_match = t.tuple == seg.tuple && t.state != ST_FREE && t.state != ST_DRAIN;
    c.d_seq = seg.seq - t.rcv_nxt;
    c.d_end = end_data - t.rcv_nxt + 32'(seg.flags.fin);
    c.d_adv = t.rcv_adv - seg.seq;
    c.d_beyond = end_data - t.rcv_adv;
    c.seq_space = seg.len != '0 || seg.flags.syn || seg.flags.fin;
    c.d_ack = seg.ack - t.snd_una;
    c.d_nxt = t.snd_nxt - seg.ack;
    c.d_wl1 = seg.seq - t.snd_wl1;
    c.d_wl2 = seg.ack - t.snd_wl2;
    c.d_ts = seg.opts.ts_val - t.ts_recent;
    c.d_acked = t.last_ack_sent - seg.seq;
    c.d_recover = seg.ack - t.recover;
    c.d_ecn = seg.ack - t.ecn_recover;
    c.d_rtt = seg.ack - t.rtt_seq;
    c.rtt_age = now_us - t.rtt_start;
    c.wnd = seg.flags.syn ? WND_W'(seg.wnd) : WND_W'(seg.wnd) << t.snd_ws;
    c.end_data = end_data;
  end

  logic unused;
  assign unused = ^{t, seg};
endmodule
