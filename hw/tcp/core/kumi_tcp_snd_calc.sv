// SPDX-License-Identifier: Apache-2.0
//
// Differences of a session's own numbers that planning needs, and the round-trip estimate with a
// new sample (RFC 6298, 2); combinational.
module kumi_tcp_snd_calc
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter int TX_RING = 65536,
    parameter int RX_RING = 65536
) (
    input tcp_cfg_t cfg,
    input tcb_t t,
    input logic sample,
    input logic [31:0] rtt,
    output tcb_t n,
    output tcp_snd_calc_t s,
    output logic slow  // losses are to be looked at
);
  logic [31:0] full;

  always_comb begin
    s = '0;
    for (int i = 0; i < LIST; i++) begin
      s.size[i] = t.sacked[i].valid ? t.sacked[i].right - t.sacked[i].left : '0;
      for (int k = 0; k < LIST; k++) begin
        s.up[i][k] = !is_before(t.sacked[k].left, t.sacked[i].left);
      end
    end
    for (int i = 0; i < LIST; i++) begin
      for (int k = 0; k < LIST; k++) if (s.up[i][k]) s.above[i] = s.above[i] + s.size[k];
    end
    s.again   = later(t.hi_rtx, t.una);
    s.flight  = t.nxt - t.una;
    s.avail   = t.tail - t.nxt;
    s.space   = t.una + 32'(t.wnd) - t.nxt;
    s.offered = t.rcv_adv - t.rcv_nxt;
    full      = t.rcv_read + RX_RING;
    // Without window scaling the header's field limits what can be offered.
    s.cand    = !t.ws_ok && (full - t.rcv_nxt) > 32'd65535 ? t.rcv_nxt + 32'd65535 : full;
    s.rto     = t.rtt_known ? 32'(t.srtt >> 3) + 32'(t.rttvar) : cfg.rto_init;
  end

  always_comb begin
    slow = t.loss != LOSS_NONE || t.dup_cnt != '0 || t.dup_bytes != '0;
    for (int i = 0; i < LIST; i++) if (t.sacked[i].valid) slow = 1'b1;
  end

  logic [23:0] r;
  logic signed [28:0] err;
  logic [31:0] first;
  always_comb begin
    r = |rtt[31:24] ? '1 : rtt[23:0];
    err = $signed({5'd0, r}) - $signed({4'd0, t.srtt[27:3]});
    first = 32'(cfg.init_segs) * 32'(t.mss);
    n = t;
    if (sample) begin
      n.rtt_known = 1'b1;
      if (!t.rtt_known) begin
        n.srtt   = {1'b0, r, 3'd0};
        n.rttvar = {3'd0, r, 1'b0};
      end else begin
        n.srtt   = 28'($signed({1'b0, t.srtt}) + err);
        n.rttvar = t.rttvar - (t.rttvar >> 2) + 28'(err < 0 ? -err : err);
      end
    end
    if (t.first_wnd) begin
      n.first_wnd = 1'b0;
      n.cwnd = first > TX_RING ? WND_W'(TX_RING) : WND_W'(first);
      if (first < 32'(t.mss)) n.cwnd = WND_W'(t.mss);
    end
  end

  logic unused;
  assign unused = ^{cfg};
endmodule
