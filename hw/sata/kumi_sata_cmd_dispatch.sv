// SPDX-License-Identifier: Apache-2.0
//
// What the sequencer does next, of all that could be done. Combinational.
//
// First what has happened (a fault, the end of what we sent, what has come), then what is to be
// done: recovery before the device's own commands, those before data, data before new commands.
// act: ACT_NONE if nothing can be done. See act_e; the inputs are named as in kumi_sata_cmd_seq.
module kumi_sata_cmd_dispatch
  import kumi_sata_cmd_seq_pkg::*;
(
    input  logic lost,
    input  logic linked,
    input  logic sent,
    input  logic flush,
    input  logic frames_open,
    input  logic fetch_busy,
    input  logic rec_valid,
    input  logic done_any,
    input  logic own_late,
    input  logic read_log,
    input  logic next,
    input  logic resend,
    input  logic free_tx,
    input  logic may_send,
    input  logic alone,
    input  logic no_phase,
    input  logic activated,
    input  logic gone,
    input  logic running,
    input  logic may_issue,
    input  logic todo_any,
    input  logic may_again,
    input  logic new_valid,
    input  logic may_accept,
    input  logic free_any,
    output act_e act
);
  logic accept;
  assign accept = new_valid && (may_issue ? may_accept : !running && gone && free_any);

  always_comb begin
    act = ACT_NONE;
    if (lost) act = ACT_STOP;
    else if (linked) act = ACT_SIGN;
    else if (sent) act = ACT_SENT;
    else if (flush) begin
      if (free_tx && frames_open) act = ACT_DROP;
      else if (free_tx && !fetch_busy) act = ACT_FLUSHED;
    end else if (rec_valid) act = ACT_GOT;
    else if (done_any) act = ACT_DONE;
    else if (own_late) act = ACT_LATE;
    else if (read_log) act = ACT_LOG;
    else if (next && may_send) act = ACT_NEXT;
    else if (resend && may_send && (alone || no_phase)) act = ACT_RESEND;
    else if (activated && free_tx) act = ACT_DATA;
    else if (!running && gone && todo_any) act = ACT_GONE;
    else if (may_issue && todo_any) act = may_again ? ACT_AGAIN : ACT_NONE;
    else if (accept) act = ACT_ACCEPT;
  end
endmodule
