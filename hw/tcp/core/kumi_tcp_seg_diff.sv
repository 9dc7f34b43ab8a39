// SPDX-License-Identifier: Apache-2.0
//
// Stage 1 of a received segment: all differences between its numbers and those of its session, one
//   subtraction deep.
//
// c is registered: valid one cycle after t and seg, and d_end, d_beyond and end_data, which need
//   the size of the segment, after two. t, seg and now_us remain stable meanwhile.
module kumi_tcp_seg_diff
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
(
    input logic clk,
    input tcb_t t,
    input tcp_seg_t seg,
    input logic [31:0] now_us,
    output tcp_seg_diff_t c
);
  logic [16:0] size_q, space_q;  // payload and SYN; the same and FIN

  always_ff @(posedge clk) begin
    c.session_match <= t.tuple == seg.tuple && t.state != ST_FREE && t.state != ST_DRAIN;
    c.d_seq <= seg.seq - t.rcv_nxt;
    c.d_adv <= t.rcv_adv - seg.seq;
    c.seq_space <= seg.len != '0 || seg.flags.syn || seg.flags.fin;
    c.d_ack <= seg.ack - t.snd_una;
    c.d_nxt <= t.snd_nxt - seg.ack;
    c.d_wl1 <= seg.seq - t.snd_wl1;
    c.d_wl2 <= seg.ack - t.snd_wl2;
    c.d_ts <= seg.opts.ts_val - t.ts_recent;
    c.d_acked <= t.last_ack_sent - seg.seq;
    c.d_recover <= seg.ack - t.recover;
    c.d_ecn <= seg.ack - t.ecn_recover;
    c.d_rtt <= seg.ack - t.rtt_seq;
    c.rtt_age <= now_us - t.rtt_start;
    c.wnd <= seg.flags.syn ? WND_W'(seg.wnd) : WND_W'(seg.wnd) << t.snd_ws;
    size_q <= 17'(seg.len) + 17'(seg.flags.syn);
    space_q <= 17'(seg.len) + 17'(seg.flags.syn || seg.flags.fin) +
        17'(seg.flags.syn && seg.flags.fin);
    c.d_end <= c.d_seq + 32'(space_q);
    c.d_beyond <= 32'(size_q) - c.d_adv;
    c.end_data <= seg.seq + 32'(size_q);
  end

  logic unused;
  assign unused = ^{t, seg};
endmodule
