// SPDX-License-Identifier: Apache-2.0
//
// Sequencer of the command layer: up to 32 requests, queued in the device (FPDMA) or one at a time;
// and every way back from an error. One event at a time, a few cycles each.
//
// Here its parts are joined: which step does what in which part.
//   kumi_sata_cmd_fsm    what follows what        kumi_sata_cmd_dispatch   what is done next
//   kumi_sata_dev_init  bring-up, our commands   kumi_sata_timeout     time the device is given
//   kumi_sata_slot_table    requests, sets of slots  kumi_sata_data_phase    the data phase that is open
//   kumi_sata_fis_decode  what a FIS means         kumi_sata_tx_ctrl     what we are sending
//   kumi_sata_ncq_error_log      which command failed     kumi_sata_error_recovery  trouble, blame, repetitions
// Requests: reads and writes in any order where the device queues; all others run alone, behind
//   all before them and before all behind them.
// Errors. Of one command alone: the response says which. Of a queued command: its error log is
//   read, the one it names has failed, the others are given again. Line errors and missing data:
//   the request is repeated, cfg.retries times. Time over, no answer, a lost link, a breach of the
//   protocol: link reset (COMRESET), identification, and all are given again. The one whose time is
//   over counts a repetition; where none is to blame, all may see it seven times, so that it ends.
// Not ready for cfg.ready ticks (cfg.absent with nobody there): all requests get RSP_GONE.
// A data phase that ends too early leaves frames of the user that were asked for; they are thrown
//   away before anything else happens.
module kumi_sata_cmd_seq
  import kumi_sata_pkg::*;
  import kumi_sata_cmd_pkg::*;
  import kumi_sata_cmd_seq_pkg::*;
#(
    parameter int TICK_CYCLES  = 150_000,  // of a tick
    parameter int RESET_CYCLES = 1_024     // SRST stays set for so long: 5 us at least
) (
    input logic clk,
    input logic rst,
    input sata_cfg_t cfg,
    input logic up,
    input logic present,
    output logic restart,
    output sata_status_t status,
    output sata_cmd_ev_t ev,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_rsp,
    kumi_rec_if.src m_piece,
    input logic rec_valid,
    output logic rec_ready,
    input sata_fis_info_t rec,
    output logic to_user,
    output logic [12:0] rx_limit,
    input logic rx_idle,
    input logic receiving,
    input logic d_valid,
    input logic [31:0] d_data,
    input logic [11:0] d_index,
    output logic job,
    output sata_job_e job_kind,
    output sata_reg_t job_reg,
    output logic [16:0] job_sectors,
    output logic [11:0] job_words,
    input logic tx_idle,
    input logic drop_done,
    input logic tx_done,
    input tx_code_e tx_code,
    output logic fetch_start,
    output logic fetch_stop,
    output logic [15:0] fetch_tag,
    output logic [24:0] fetch_offset,
    output logic [25:0] fetch_bytes,
    output logic fetch_took,
    input logic [1:0] fetch_open,
    input logic fetch_busy
);
  // ---- what the parts tell each other ---------------------------------------------------------
  step_e step;
  act_e chosen, act;
  memo_t memo;
  blk_cmd_t cmd, new_cmd, rd_cmd, own_cmd;
  blk_rsp_t rsp, log_rsp;
  sata_ident_t ident;
  place_e place;
  own_e own;
  meaning_t means;
  data_phase_t phase;
  sata_job_e kind;
  tx_code_e code;
  blk_status_e verdict;
  slot_op_e op;
  logic ok, alone, queued, resize, skip, foreign, own_late, gone;
  logic none_used, done_any, todo_any, free_any, mark_any, late, log_alone, setup_ok, last;
  logic held, sent, tx_busy, free_tx, may_send, overdue, drained, trouble, marking, spared, again;
  logic [1:0] srst;
  logic [4:0] slot, last_slot, done_slot, todo_slot, free_slot, mark_slot, late_slot, log_slot;
  logic [4:0] was_slot, rd_tries, new_tries;
  logic [12:0] words;
  logic [15:0] now;
  logic unused;
  assign unused = ^{ident, words[12]};
  logic [25:0] rd_left, moved, whole;  // whole: bytes of cmd
  logic [31:0] issued;

  // ---- which step means what ------------------------------------------------------------------
  logic link, restarted, signature, begin_own, own_data, judged, frames_open, was_reg, refused;
  logic fault, accuse, may_issue, setup, begins;
  logic [11:0] own_index;

  assign new_cmd = blk_cmd_t'(s_cmd.data);
  assign whole = op_bytes(cmd.op, cmd.sectors);
  assign frames_open = fetch_open != '0;

  assign link = act == ACT_SIGN;
  assign signature = step == GOT && means.signature;
  assign begin_own = step == NEXT && own != OWN_END && !skip && may_send;
  assign setup = step == SETUP && setup_ok;
  assign begins = step == ISSUE && alone;
  // Data of our own commands, which may come in several FISes.
  assign own_data = memo.inner && phase.dir == TO_HOST;
  assign own_index = phase.offset[13:2] + d_index;
  assign judged = !log_alone && issued[log_slot];

  assign was_reg = kind == JOB_REG;
  assign restarted = step == SENT && was_reg && code == TX_OK && srst == 2'd2;
  // Data: the device says itself what it makes of it.
  assign refused = step == SENT && !was_reg && (code == TX_RERR || code == TX_ABORT);
  assign accuse = step == SENT && !refused && code != TX_OK && !(was_reg && code == TX_YIELD);
  always_comb begin
    case (step)
      IDLE:    fault = act == ACT_LATE;
      GOT:     fault = means.protocol;
      SETUP:   fault = !setup_ok;
      FINISH:  fault = memo.inner && !ok && (own == OWN_LOG || own == OWN_IDENTIFY);
      JUDGE:   fault = !judged;
      default: fault = 1'b0;
    endcase
  end

  always_comb begin
    case (step)
      ACCEPT:  op = SLOT_TAKE;
      ISSUE:   op = memo.inner ? SLOT_KEEP : SLOT_GIVE;
      DONE:    op = SLOT_OUT;
      VERDICT: op = again ? SLOT_BACK : SLOT_OUT;
      REPLY:   op = SLOT_FREE;  // also while it waits
      JUDGE:   op = judged ? SLOT_ALL_BACK : SLOT_KEEP;
      NEXT:    op = resize ? SLOT_ALL_DONE : SLOT_KEEP;  // a software reset is done
      MARK:    op = mark_any && spared ? SLOT_BACK : SLOT_KEEP;
      default: op = SLOT_KEEP;
    endcase
  end

  kumi_sata_cmd_fsm u_steps (
      .clk,
      .rst,
      .chosen,
      .rec,
      .rec_ready,
      .means,
      .phase,
      .last,
      .was_reg,
      .refused,
      .code,
      .srst,
      .held,
      .running(place == RUN),
      .queued,
      .device_fua(ident.fua),
      .sectors(ident.sectors),
      .own,
      .own_cmd,
      .begin_own,
      .skip,
      .foreign,
      .new_cmd,
      .rd_cmd,
      .rd_left,
      .any_issued(issued != '0),
      .done_slot,
      .todo_slot,
      .free_slot,
      .mark_any,
      .mark_slot,
      .rsp_ready(m_rsp.ready),
      .judged,
      .log_slot,
      .log_rsp,
      .marking,
      .drained,
      .spared,
      .again,
      .verdict,
      .step,
      .act,
      .slot,
      .cmd,
      .rsp,
      .ok,
      .alone,
      .memo
  );

  // ---- parts ----------------------------------------------------------------------------------
  kumi_sata_dev_init u_prepare (
      .clk,
      .rst,
      .cfg,
      .up,
      .present,
      .stop(step == STOP),
      .link,
      .restarted,
      .signature,
      .disk(means.disk),
      .log(act == ACT_LOG),
      .next(step == NEXT),
      .over(step == FINISH && memo.inner),
      .ok,
      .own_data,
      .d_valid,
      .d_data,
      .d_index(own_index),
      .place,
      .own,
      .own_cmd,
      .skip,
      .foreign,
      .ident,
      .queued,
      .resize,
      .last_slot,
      .status
  );
  kumi_sata_timeout #(
      .TICK_CYCLES(TICK_CYCLES)
  ) u_wait (
      .clk,
      .rst,
      .cfg,
      .present,
      .place,
      .inner (memo.inner),
      .begins(link || restarted || signature || begin_own),
      .now,
      .late  (own_late),
      .gone
  );
  kumi_sata_slot_table u_table (
      .clk,
      .rst,
      .op,
      .op_slot(step == MARK ? mark_slot : slot),
      .bits(step == GOT && means.done ? rec.bits : '0),
      .resize,
      .last(last_slot),
      .issued,
      .none_used,
      .done_any,
      .done_slot,
      .todo_any,
      .todo_slot,
      .free_any,
      .free_slot,
      .mark_any,
      .mark_slot,
      .slot,
      .new_cmd,
      .rd_cmd,
      .wr_left(op == SLOT_GIVE || (step == ADVANCE && !memo.inner)),
      .new_left(step == ISSUE ? whole : rd_left - moved),
      .rd_left,
      .wr_tries(step == VERDICT),
      .new_tries,
      .rd_tries,
      .now,
      .limit(cfg.limit),
      .late,
      .late_slot
  );
  kumi_sata_ncq_error_log u_log (
      .clk,
      .take(own_data && own == OWN_LOG),
      .d_valid,
      .d_data,
      .d_index(own_index),
      .alone(log_alone),
      .slot(log_slot),
      .rsp(log_rsp)
  );
  kumi_sata_fis_decode u_meaning (
      .rec,
      .place,
      .srst(srst != 2'd0),
      .alone(memo.alone),
      .busy(memo.busy),
      .queued,
      .issued,
      .tx_busy,
      .phase,
      .op(cmd.op),
      .whole,
      .left(rd_left),
      .known(issued[slot]),
      .means,
      .setup_ok
  );
  kumi_sata_data_phase u_phase (
      .clk,
      .rst,
      .setup,
      .begins,
      .rec,
      .cmd,
      .own(memo.inner),
      .slot,
      .whole,
      .close((step == GOT && means.close) || refused || step == FINISH || step == STOP),
      .spoil(step == GOT && means.spoil),
      .activate(step == GOT && means.activate),
      .take(act == ACT_DATA),
      .sent(act == ACT_SENT),
      .got(act == ACT_GOT),
      .advance(step == ADVANCE),
      .phase,
      .words,
      .moved,
      .last
  );
  kumi_sata_tx_ctrl #(
      .RESET_CYCLES(RESET_CYCLES)
  ) u_send (
      .clk,
      .rst,
      .command(step == ISSUE),
      .new_reg(command_of(
          cmd.op,
          cmd.fua,
          cmd.feature,
          cmd.sectors[15:0],
          cmd.lba,
          queued && !memo.inner,
          slot,
          ident.fua
      )),
      .slot,
      .new_srst(cmd.op == OP_RESET),
      .resend(act == ACT_RESEND),
      .data(act == ACT_DATA),
      .trim(phase.trim),
      .trim_lba(cmd.lba),
      .drop(act == ACT_DROP || (step == DRAIN && free_tx && frames_open)),
      .hold(step == HOLD_RST),
      .held,
      .srst_clear(restarted || step == STOP),
      .seen(act == ACT_SENT || step == DRAIN),
      .rx_idle,
      .receiving,
      .job,
      .job_kind,
      .job_reg,
      .tx_idle,
      .drop_done,
      .tx_done,
      .tx_code,
      .tx_busy,
      .free_tx,
      .may_send,
      .sent,
      .kind,
      .code,
      .was_slot,
      .srst
  );
  kumi_sata_error_recovery u_recover (
      .clk,
      .rst,
      .cfg,
      .fault,
      .accuse,
      .guilty(!was_reg || !memo.inner),
      .blame_slot(was_reg ? was_slot : phase.slot),
      .source(!was_reg && code == TX_BAD),
      .late,
      .late_slot,
      .overdue,
      .stop(step == STOP),
      .drain(step == DRAIN),
      .all_quiet(rx_idle && !rec_valid && free_tx && !frames_open && !fetch_busy),
      .drained,
      .settled(step == MARK && !mark_any),
      .mark_slot,
      .trouble,
      .marking,
      .spared,
      .verdict,
      .reason(rsp.reason),
      .rd_tries,
      .again,
      .new_tries
  );

  assign may_issue = place == RUN && may_send && !memo.busy && !memo.resend && !memo.inner
      && !memo.error && phase.dir == NO_PHASE;
  kumi_sata_cmd_dispatch u_choose (
      .lost(trouble || (place != OFF && (!up || !cfg.enable))),
      .linked(place == OFF && up && cfg.enable),
      .sent,
      .flush(memo.flush),
      .frames_open,
      .fetch_busy,
      .rec_valid,
      .done_any,
      .own_late,
      .read_log(memo.error && !memo.inner),
      .next(memo.next),
      .resend(memo.resend),
      .free_tx,
      .may_send,
      .alone(memo.alone),
      .no_phase(phase.dir == NO_PHASE),
      .activated(phase.activated),
      .gone,
      .running(place == RUN),
      .may_issue,
      .todo_any,
      // One at a time if the device, perhaps another one by now, does not queue.
      .may_again(queued || issued == '0),
      .new_valid(s_cmd.valid),
      .may_accept(runs_alone(new_cmd.op, queued) ? none_used : free_any),
      .free_any,
      .act(chosen)
  );

  // ---- outputs --------------------------------------------------------------------------------
  assign m_rsp.valid = step == REPLY;
  assign m_rsp.data = rsp;
  assign to_user = step == PIECE && phase.user;
  assign m_piece.valid = to_user;
  assign m_piece.data = {phase.tag, phase.offset};
  assign s_cmd.ready = step == ACCEPT;
  always_comb begin
    case (step)
      GOT: rec_ready = rec.kind != GOT_SETUP && !(rec.kind == GOT_DATA && phase.dir == TO_HOST);
      PIECE: rec_ready = !phase.user || m_piece.ready;
      SETUP, DRAIN: rec_ready = 1'b1;
      default: rec_ready = 1'b0;
    endcase
  end

  assign restart      = step inside {STOP, DRAIN} || !cfg.enable;
  assign rx_limit     = words;
  assign job_sectors  = cmd.sectors;
  assign job_words    = words[11:0];
  assign fetch_stop   = memo.flush;
  assign fetch_took   = drop_done || (tx_done && kind == JOB_DATA);
  assign fetch_tag    = phase.tag;
  assign fetch_offset = phase.offset;
  assign fetch_bytes  = phase.left;

  always_ff @(posedge clk) begin
    ev          <= '0;
    ev.late     <= act == ACT_LATE || overdue;
    ev.log      <= step == JUDGE;
    ev.recover  <= step == STOP;
    ev.reissue  <= act == ACT_AGAIN;
    ev.protocol <= (step == GOT && means.protocol) || (step == SETUP && !setup_ok);
    ev.stray    <= step == GOT && means.stray;
    ev.data_in  <= step == GOT && means.advance;
    ev.data_out <= step == SENT && !was_reg && code == TX_OK;
    ev.ident    <= step == FINISH && memo.inner && own == OWN_IDENTIFY && ok && !foreign;
    if (step == REPLY && m_rsp.ready) ev.rsp[rsp.reason] <= 1'b1;
    fetch_start <= step == SETUP ? setup_ok && !rec.to_host
                                    : step == ISSUE && alone && cmd.op == OP_WRITE;
    if (rst) begin
      ev          <= '0;
      fetch_start <= 1'b0;
    end
  end
endmodule
