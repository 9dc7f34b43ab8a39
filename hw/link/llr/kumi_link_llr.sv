// SPDX-License-Identifier: Apache-2.0
//
// Link-level retry (LLR): frames arrive complete, once and in order, whatever the line does. Sits
// between the user and the framing layer (kumi_link_aurora). Format: kumi_link_llr_pkg.
//
// s_user, m_user: the user's frames. m_line, s_line: chunks. k_*: user K-blocks of the link.
// Go-back-N: a NAK requests a corrupt chunk at once, and everything from it on is retransmitted.
//   The receiver needs no reordering, and little is in flight on a short link.
// plain: the other end has no LLR (or cfg.enable is 0); the owner bypasses this module.
// retrain: pulse for the lanes. Timers: see kumi_link_llr_ctrl.
// Latency: s_user to m_line 3 cycles; s_line to m_user 6 cycles after the end of the chunk. A long
//   frame is split into chunks of about 1 KiB; a short one is one chunk.
module kumi_link_llr
  import kumi_link_pkg::*;
  import kumi_link_llr_pkg::*;
#(
    parameter int LANES = 1
) (
    input logic clk,
    input logic rst,
    input logic up,

    kumi_link_if.snk s_user,
    kumi_link_if.src m_user,
    kumi_link_if.src m_line,
    kumi_link_if.snk s_line,

    output logic        k_tx_valid,
    input  logic        k_tx_ready,
    output logic [ 3:0] k_tx_number,
    output logic [55:0] k_tx_data,
    input  logic        k_rx_valid,
    input  logic [ 3:0] k_rx_number,
    input  logic [55:0] k_rx_data,

    output logic        restart,  // pulse: what was under way is lost
    output logic        plain,
    output logic        retrain,
    input  llr_cfg_t    cfg,
    output llr_status_t status,
    output llr_events_t ev
);
  logic
      run, go_back, freed, freed_sent, open, got, got_bad, got_in_order, got_duplicate, bad_message;
  logic [7:0] go_back_seq, freed_seq, own_freed, base_seq, sent_seq, next_seq, expected_seq;
  llr_trailer_t trailer;

  kumi_link_llr_tx #(
      .LANES(LANES)
  ) u_tx (
      .clk,
      .rst,
      .s(s_user),
      .m(m_line),
      .run,
      .restart,
      .go_back,
      .go_back_seq,
      .freed,
      .freed_seq,
      .own_freed,
      .freed_sent,
      .base_seq,
      .sent_seq,
      .next_seq,
      .ev_sent(ev.sent),
      .ev_replayed(ev.replayed)
  );

  kumi_link_llr_rx #(
      .LANES(LANES)
  ) u_rx (
      .clk,
      .rst,
      .s(s_line),
      .m(m_user),
      .open,
      .restart,
      .got,
      .got_bad,
      .got_in_order,
      .got_duplicate,
      .trailer,
      .expected_seq,
      .freed_seq(own_freed)
  );

  kumi_link_llr_ctrl u_ctrl (
      .clk,
      .rst,
      .up,
      .k_tx_valid,
      .k_tx_ready,
      .k_tx_number,
      .k_tx_data,
      .k_rx_valid,
      .k_rx_number,
      .k_rx_data,
      .run,
      .restart,
      .go_back,
      .go_back_seq,
      .freed,
      .freed_seq,
      .base_seq,
      .sent_seq,
      .next_seq,
      .freed_sent,
      .open,
      .got,
      .got_bad,
      .got_in_order,
      .got_duplicate,
      .trailer,
      .expected_seq,
      .own_freed,
      .plain,
      .retrain,
      .cfg,
      .status,
      .ev_nak_sent(ev.nak_sent),
      .ev_nak_seen(ev.nak_seen),
      .ev_timeout(ev.timeout),
      .ev_restart(ev.restart),
      .ev_bad_message(bad_message)
  );

  assign ev.good      = got_in_order;
  assign ev.bad_crc   = got_bad || bad_message;
  assign ev.duplicate = got && got_duplicate && !got_in_order;
  assign ev.gap       = got && !got_duplicate && !got_in_order && trailer.kind != CHUNK_ABORT;
endmodule
