// SPDX-License-Identifier: Apache-2.0
//
// Answers SYNs by SYN cookies at one per cycle, without a lookup, a session number or the
//   connection manager, so a flood costs others nothing but the line.
//
// s_miss -> m_miss: misses, in order; the connection manager takes all that this unit does not.
// crowded: cookies are due. A SYN for a listening port is answered here if its lookup still holds
//   (`stale` low); a stale one needs the connection manager.
// m_*: answers, held until m_ready: the SYNs behind wait. They are not dropped for the line, so the
//   queue of misses decides whose SYN is lost (kumi_tcp_miss_queue).
// past: bits 31 to 6 of the timestamp clock, minus one. slot: 67 s.
// Latency 6 cycles from s_miss to m_valid, one per cycle; one adder per stage.
module kumi_tcp_syn_responder
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
  import kumi_tcp_cookie_pkg::*;
#(
    parameter int RX_RING = 65536
) (
    input logic clk,
    input logic rst,
    input tcp_cfg_t cfg,
    input logic [25:0] past,
    input logic [4:0] slot,
    input logic crowded,
    kumi_rec_if.snk s_miss,
    kumi_rec_if.src m_miss,
    output logic m_valid,
    output tcp_tx_t m_tx,
    input logic m_ready,
    output logic busy
);
  localparam logic [15:0] SYN_WND = RX_RING > 65535 ? 16'd65535 : 16'(RX_RING);
  localparam logic [3:0] WS = 4'(ring_ws(RX_RING));

  typedef struct packed {
    cookie_syn_t syn;
    cookie_mix_t mix;
  } cookie_stage_t;

  tcp_seg_lookup_t s;
  logic mine, take, move, enable_q;
  assign s = s_miss.data;
  assign mine = crowded && enable_q && s.listen && !s.stale && s.seg.flags.syn &&
      !s.seg.flags.ack && !s.seg.flags.rst;
  assign take = s_miss.valid && mine && move;

  assign m_miss.data = s_miss.data;
  assign m_miss.valid = s_miss.valid && !mine;
  assign s_miss.ready = mine ? move : m_miss.ready;

  // Stage 0 holds the record, 1 the start of the mixing, the others a round each.
  logic [ROUNDS+1:0] valid_q;
  cookie_syn_t syn_q;
  logic [15:0] mss_q;
  logic [31:0] hash_q;
  cookie_stage_t [ROUNDS:0] stage_q;

  assign move = !valid_q[ROUNDS+1] || m_ready;

  always_ff @(posedge clk) begin
    enable_q <= cfg.enable;
    if (move) begin
      valid_q <= {valid_q[ROUNDS:0], take};
      syn_q <= cookie_syn(s.seg, cfg);
      mss_q <= s.seg.opts.mss_valid ? s.seg.opts.mss : 16'd536;
      hash_q <= s.hash;
      stage_q[0].syn <= syn_q;
      stage_q[0].mix <= cookie_seed(hash_q, cfg.cookie_key, syn_q.seq, {slot, cookie_size(mss_q)});
      for (int i = 1; i <= ROUNDS; i++) begin
        stage_q[i].syn <= stage_q[i-1].syn;
        stage_q[i].mix <= cookie_round(stage_q[i-1].mix);
      end
    end
    if (rst) valid_q <= '0;
  end

  assign m_valid = valid_q[ROUNDS+1];
  assign m_tx = cookie_answer(
      stage_q[ROUNDS].syn, cookie_of(stage_q[ROUNDS].mix), past, cfg.mss, SYN_WND, WS
  );
  assign busy = valid_q != '0;

  logic unused;
  assign unused = ^{s, cfg};
endmodule
