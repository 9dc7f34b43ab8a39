// SPDX-License-Identifier: Apache-2.0
//
// Sums over a session's state for the output decision, and the RTT estimate with a new sample (RFC
// 6298, 2).
//
// n, s and slow are valid one cycle after t and sample, which remain stable but for what
//   kumi_tcp_event_engine changes at the end of the first cycle: no number that is summed here.
//   rtt, and the estimate in t, are valid two cycles before t.
module kumi_tcp_snd_calc
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter int TX_RING = 65536,
    parameter int RX_RING = 65536
) (
    input logic clk,
    input tcp_cfg_t cfg,
    input tcb_t t,
    input logic sample,
    input logic [31:0] rtt,
    output tcb_t n,
    output tcp_snd_calc_t s,
    output logic slow  // run loss detection
);
  localparam int RING_BITS = $clog2(TX_RING);

  // ---- first cycle ----------------------------------------------------------------------------

  logic [31:0] flight_q, edge_q, full_q, held_q, short_q, rcv_wnd_q, rto_base_q;
  logic signed [31:0] unsent_q;
  logic rxt_behind_q;
  logic [23:0] r_q, initial_q;
  logic signed [28:0] err_q;  // two cycles after rtt
  logic [27:0] size_q;  // its magnitude, after three
  logic [27:0] var_q;

  always_ff @(posedge clk) begin
    flight_q <= t.snd_nxt - t.snd_una;
    unsent_q <= t.snd_end - t.snd_nxt;
    edge_q <= t.snd_una + 32'(t.snd_wnd);
    rcv_wnd_q <= t.rcv_adv - t.rcv_nxt;
    full_q <= t.rcv_read + RX_RING;
    held_q <= t.rcv_nxt - t.rcv_read;
    short_q <= t.rcv_nxt + 32'd65535;
    rxt_behind_q <= is_before(t.high_rxt, t.snd_una);
    rto_base_q <= t.srtt_valid ? 32'(t.srtt >> 3) + 32'(t.rttvar) : cfg.rto_init;
    r_q <= |rtt[31:24] ? '1 : rtt[23:0];
    err_q <= $signed({5'd0, r_q}) - $signed({4'd0, t.srtt[27:3]});
    size_q <= 28'(err_q < 0 ? -err_q : err_q);
    var_q <= t.rttvar - (t.rttvar >> 2);
    // Not less than one segment.
    initial_q <= 24'(cfg.init_segs == '0 ? 8'd1 : cfg.init_segs) * 24'(t.mss);
  end

  // ---- second cycle ---------------------------------------------------------------------------

  always_comb begin
    s.rtx_next = rxt_behind_q ? t.snd_una : t.high_rxt;
    s.flight = flight_q;
    s.single = flight_q <= 32'(t.mss);
    s.unsent = unsent_q;
    s.least = unsent_q > $signed(32'(t.mss)) ? $signed(32'(t.mss)) : unsent_q;
    s.wnd_space = edge_q - t.snd_nxt;
    s.rcv_wnd = rcv_wnd_q;
    // Without window scaling the header field limits the advertised window.
    s.adv_max = RX_RING > 65535 && !t.ws_ok && held_q < RX_RING - 65535 ? short_q : full_q;
    s.rto_base = rto_base_q;
  end

  always_comb begin
    slow = t.recovery != RECOVERY_NONE || t.dupacks != '0 || t.dupack_bytes != '0 || t.cut_pending;
    for (int i = 0; i < MAX_RANGES; i++) if (t.sacked[i].valid) slow = 1'b1;
  end

  // The ring also limits the initial window; whole powers of two are compared by their upper bits.
  logic [WND_W-1:0] initial_wnd;
  logic over_ring;
  assign over_ring   = (32'(initial_q) >> RING_BITS) != '0;
  assign initial_wnd = over_ring ? WND_W'(TX_RING) : WND_W'(initial_q);

  always_comb begin
    n = t;
    if (sample) begin
      n.srtt_valid = 1'b1;
      if (!t.srtt_valid) begin
        n.srtt   = {1'b0, r_q, 3'd0};
        n.rttvar = {3'd0, r_q, 1'b0};
      end else begin
        n.srtt   = 28'($signed({1'b0, t.srtt}) + err_q);
        n.rttvar = var_q + size_q;
      end
    end
    if (t.iw_pending) begin
      // The initial window, or after idle time the smaller of both (RFC 5681, 4.1).
      n.iw_pending = 1'b0;
      if (over_ring ? (t.cwnd >> RING_BITS) != '0 : t.cwnd > WND_W'(initial_q)) begin
        n.cwnd = initial_wnd;
      end
    end
  end

  logic unused;
  assign unused = ^{cfg};
endmodule
