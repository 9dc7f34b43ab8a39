// SPDX-License-Identifier: Apache-2.0
//
// Retransmission over a serial link: frames arrive whole, once, and in order, whatever the line
// does. Between the user and the framing layer (kumi_link_aurora). The format: kumi_link_llr_pkg.
//
// s_user, m_user: the user's frames. m_line, s_line: chunks. k_*: user K-blocks of the link.
// Go-back-N: a chunk that is wrong is asked for at once, and everything from it on is sent again.
//   The receiver needs no order of its own, and of a short link little is on its way.
// plain: the other end has no retransmission (or cfg.enable is 0); the owner passes frames by.
// retrain: pulse for the lanes. Waits and time-outs: see kumi_link_llr_ctrl.
// Latency s_user to m_line 3 cycles; s_line to m_user 6 cycles behind the end of the chunk. A long
//   frame is cut into chunks of about 1 KiB; a short one is a chunk of its own.
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

    output logic          restart,  // pulse: what was under way is lost
    output logic          plain,
    output logic          retrain,
    input  llr_cfg_t    cfg,
    output llr_status_t status,
    output llr_events_t ev
);
  logic run, back, freed, told_freed, open, got, got_bad, got_order, got_old, bad_message;
  logic [7:0] back_seq, freed_seq, own_freed, base_seq, sent_seq, next_seq, expected_seq;
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
      .back,
      .back_seq,
      .freed,
      .freed_seq,
      .own_freed,
      .told_freed,
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
      .got_order,
      .got_old,
      .trailer,
      .expected_seq,
      .freed_seq(own_freed)
  );

  kumi_link_llr_ctrl u_session (
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
      .back,
      .back_seq,
      .freed,
      .freed_seq,
      .base_seq,
      .sent_seq,
      .next_seq,
      .told_freed,
      .open,
      .got,
      .got_bad,
      .got_order,
      .got_old,
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

  assign ev.good      = got_order;
  assign ev.bad_crc   = got_bad || bad_message;
  assign ev.duplicate = got && got_old && !got_order;
  assign ev.gap       = got && !got_old && !got_order && trailer.kind != CHUNK_ABORT;
endmodule
