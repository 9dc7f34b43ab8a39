// SPDX-License-Identifier: Apache-2.0
//
// Sums over a session's state for the output decision, and the RTT estimate with a new sample (RFC
// 6298, 2). Combinational.
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
    output logic slow  // run loss detection
);
  logic [31:0] full;

  always_comb begin
    s = '0;
    for (int i = 0; i < MAX_RANGES; i++) begin
      s.sacked_size[i] = t.sacked[i].valid ? t.sacked[i].right - t.sacked[i].left : '0;
      for (int k = 0; k < MAX_RANGES; k++) begin
        s.order[i][k] = !is_before(t.sacked[k].left, t.sacked[i].left);
      end
    end
    for (int i = 0; i < MAX_RANGES; i++) begin
      for (int k = 0; k < MAX_RANGES; k++)
      if (s.order[i][k]) s.sacked_above[i] = s.sacked_above[i] + s.sacked_size[k];
    end
    s.rtx_next  = later(t.high_rxt, t.snd_una);
    s.flight    = t.snd_nxt - t.snd_una;
    s.unsent    = t.snd_end - t.snd_nxt;
    s.wnd_space = t.snd_una + 32'(t.snd_wnd) - t.snd_nxt;
    s.rcv_wnd   = t.rcv_adv - t.rcv_nxt;
    full        = t.rcv_read + RX_RING;
    // Without window scaling the header field limits the advertised window.
    s.adv_max   = !t.ws_ok && (full - t.rcv_nxt) > 32'd65535 ? t.rcv_nxt + 32'd65535 : full;
    s.rto_base  = t.srtt_valid ? 32'(t.srtt >> 3) + 32'(t.rttvar) : cfg.rto_init;
  end

  always_comb begin
    slow = t.recovery != RECOVERY_NONE || t.dupacks != '0 || t.dupack_bytes != '0 || t.cut_pending;
    for (int i = 0; i < MAX_RANGES; i++) if (t.sacked[i].valid) slow = 1'b1;
  end

  logic [23:0] r;
  logic signed [28:0] err;
  logic [31:0] first, initial_wnd;
  always_comb begin
    r = |rtt[31:24] ? '1 : rtt[23:0];
    err = $signed({5'd0, r}) - $signed({4'd0, t.srtt[27:3]});
    first = 32'(cfg.init_segs) * 32'(t.mss);
    initial_wnd = first > TX_RING ? TX_RING : first;
    if (first < 32'(t.mss)) initial_wnd = 32'(t.mss);
    n = t;
    if (sample) begin
      n.srtt_valid = 1'b1;
      if (!t.srtt_valid) begin
        n.srtt   = {1'b0, r, 3'd0};
        n.rttvar = {3'd0, r, 1'b0};
      end else begin
        n.srtt   = 28'($signed({1'b0, t.srtt}) + err);
        n.rttvar = t.rttvar - (t.rttvar >> 2) + 28'(err < 0 ? -err : err);
      end
    end
    if (t.iw_pending) begin
      // The initial window, or after idle time the smaller of both (RFC 5681, 4.1).
      n.iw_pending = 1'b0;
      if (32'(t.cwnd) > initial_wnd) n.cwnd = WND_W'(initial_wnd);
    end
  end

  logic unused;
  assign unused = ^{cfg};
endmodule
