// SPDX-License-Identifier: Apache-2.0
//
// Selects the next action of the sequencer.
//
// Events come first (fault, end of a transmission, received FIS, data asked for), then recovery,
// initialisation // commands, and new commands.
// action: ACT_NONE if nothing can be done. See seq_action_e; the inputs are named as in
//   kumi_sata_cmd_seq. Slots are looked at only when the slot table has settled.
module kumi_sata_cmd_dispatch
  import kumi_sata_cmd_seq_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic lost,
    input logic linked,
    input logic sent,
    input logic flush,
    input logic frames_open,
    input logic fetch_busy,
    input logic rec_valid,
    input logic settled,
    input logic done_any,
    input logic init_timeout,
    input logic read_log,
    input logic next,
    input logic resend,
    input logic free_tx,
    input logic may_send,
    input logic alone,
    input logic no_phase,
    input logic activated,
    input logic no_device,
    input logic running,
    input logic may_issue,
    input logic waiting_any,
    input logic may_reissue,
    input logic new_valid,
    input logic new_alone,
    input logic none_used,
    input logic free_any,
    output seq_action_e action
);
  // What can wait is selected one cycle earlier. The sequencer leaves that cycle between an action
  // and the next selection.
  logic accept, may_accept;
  logic new_valid_q, new_alone_q;  // a request is offered until it is accepted
  seq_action_e low, low_q;
  assign may_accept = new_alone_q ? none_used : free_any;
  assign accept = new_valid_q && (may_issue ? may_accept : !running && no_device && free_any);

  always_comb begin
    low = ACT_NONE;
    if (!settled) low = ACT_NONE;
    else if (done_any) low = ACT_DONE;
    else if (init_timeout) low = ACT_TIMEOUT;
    else if (read_log) low = ACT_READ_LOG;
    else if (next && may_send) low = ACT_INIT_STEP;
    else if (resend && may_send && (alone || no_phase)) low = ACT_RESEND;
    else if (!running && no_device && waiting_any) low = ACT_NO_DEVICE;
    else if (may_issue && waiting_any) low = may_reissue ? ACT_REISSUE : ACT_NONE;
    else if (accept) low = ACT_ACCEPT;
  end
  always_ff @(posedge clk) begin
    low_q       <= rst ? ACT_NONE : low;
    new_valid_q <= new_valid && !rst;
    new_alone_q <= new_alone;
  end

  always_comb begin
    action = low_q;
    if (lost) action = ACT_RECOVER;
    else if (linked) action = ACT_LINK_UP;
    else if (sent) action = ACT_TX_END;
    else if (flush) begin
      action = ACT_NONE;
      if (free_tx && frames_open) action = ACT_DROP_FRAME;
      else if (free_tx && !fetch_busy) action = ACT_DROP_END;
    end else if (rec_valid) action = ACT_RX_FIS;
    else if (activated && free_tx) action = ACT_DATA;
  end
endmodule
