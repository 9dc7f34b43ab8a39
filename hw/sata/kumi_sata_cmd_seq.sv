// SPDX-License-Identifier: Apache-2.0
//
// Sequencer of the command layer: up to 32 requests, queued in the device (NCQ) or one at a time,
// and recovery from every error. One event at a time, a few cycles each. This module joins its
// parts:
//
//   kumi_sata_cmd_fsm     state machine          kumi_sata_cmd_dispatch     next action
//   kumi_sata_dev_init    device initialisation  kumi_sata_timeout          time-outs
//   kumi_sata_slot_table  requests, slot sets    kumi_sata_data_phase       current data phase
//   kumi_sata_fis_decode  effect of a FIS        kumi_sata_tx_ctrl          current transmission
//   kumi_sata_ncq_error_log  failed command      kumi_sata_error_recovery   blame, retries
//   kumi_sata_range_check    range of a request
//
// Requests: reads and writes in any order if the device queues; all others run exclusively, ordered
// with respect to requests before and after them.
// Errors: of a non-queued command, reported in the response. Of a queued command: the NCQ error log
// names the failed one, the others are issued again. Interface errors and missing data: the request
// is retried, cfg.retries times. Time-out, no answer, link loss, protocol error: COMRESET,
// identification, and all requests are issued again. A timed-out request counts a retry; where none
// is to blame, each survives seven recoveries, so that it ends.
// Not ready for cfg.ready ticks (cfg.absent without a device): all requests end with BLK_NO_DEVICE.
// A data phase that ends early leaves requested frames of the user; they are discarded before
// anything else.
module kumi_sata_cmd_seq
  import kumi_sata_pkg::*;
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_pkg::*;
  import kumi_sata_cmd_seq_pkg::*;
#(
    parameter int TICK_CYCLES  = 150_000,  // cycles per tick
    parameter int RESET_CYCLES = 1_024     // duration of SRST, at least 5 us
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
    kumi_rec_if.src m_segment,
    input logic rec_valid,
    output logic rec_ready,
    input sata_fis_info_t rec,
    output logic to_user,
    output logic [11:0] rx_limit,
    input logic rx_idle,
    input logic receiving,
    input logic d_valid,
    input logic [31:0] d_data,
    input logic [11:0] d_index,
    output logic job,
    output sata_job_e job_kind,
    output sata_reg_t job_reg,
    output logic [47:0] job_lba,
    output logic [16:0] job_sectors,
    output logic [11:0] job_words,
    input logic tx_idle,
    input logic drop_done,
    input logic tx_done,
    input tx_status_e tx_code,
    output logic fetch_start,
    output logic fetch_stop,
    output logic [15:0] fetch_tag,
    output logic [22:0] fetch_offset,
    output logic [23:0] fetch_words,
    output logic fetch_consumed,
    input logic [1:0] fetch_open,
    input logic fetch_busy
);
  // ---- what the parts tell each other ---------------------------------------------------------
  seq_step_e step;
  seq_action_e chosen, action;
  seq_flags_t flags;
  blk_cmd_t new_cmd, rd_cmd, init_cmd, cmd;  // cmd: of rd_cmd and init_cmd, the one to issue
  blk_op_e cmd_op, tx_op;
  blk_rsp_t rsp, log_rsp;
  sata_ident_t ident;
  dev_state_e dev_state;
  init_step_e init_step;
  fis_effect_t effect;
  data_phase_t phase;
  sata_job_e kind;
  tx_status_e code;
  blk_status_e blame_status;
  sata_slot_op_e op;
  logic settled, none_issued, stray, known, bad_range, built, tx_fua, cmd_fua, lba_low, lba_high;
  logic ok, alone, queued, resize, skip, unsupported, init_timeout, no_device;
  logic
      none_used, done_any, waiting_any, free_any, inflight_any, timeout, log_alone, setup_ok, last;
  logic
      held,
      sent,
      tx_busy,
      free_tx,
      may_send,
      overdue,
      drained,
      recovering,
      requeuing,
      not_blamed,
      retry;
  logic [1:0] srst;
  logic [4:0]
      slot, last_slot, done_slot, waiting_slot, free_slot, inflight_slot, timeout_slot, log_slot;
  logic [4:0] was_slot, rd_retries, new_retries;
  logic [11:0] words, moved;
  logic [15:0] now;
  logic unused;
  assign unused = ^{ident, cmd, init_cmd, log_rsp, d_index[11:7]};
  logic [23:0] rd_left, total;  // total: words of cmd

  // ---- which step means what ------------------------------------------------------------------
  logic
      link, restarted, signature, begin_init, init_valid, log_valid, frames_open, was_reg, refused;
  logic fault, blame_valid, may_issue, setup, begins;
  logic [ 6:0] init_index;
  logic [31:0] init_data;

  assign new_cmd = blk_cmd_t'(s_cmd.data);
  assign cmd = flags.internal ? init_cmd : rd_cmd;
  assign total = op_words(cmd_op, cmd.sectors);
  assign frames_open = fetch_open != '0;

  assign link = action == ACT_LINK_UP;
  assign signature = step == RX_FIS && effect.signature;
  assign begin_init = step == INIT_NEXT && init_step != INIT_DONE && !skip && may_send;
  assign setup = step == SETUP_END && setup_ok;
  assign begins = step == ISSUE && alone;
  // Data of internal commands, 128 words, possibly in several FISes.
  always_ff @(posedge clk) begin
    init_valid <= d_valid && flags.internal && phase.dir == PHASE_TO_HOST;
    init_data  <= d_data;
    init_index <= phase.offset[6:0] + d_index[6:0];
  end
  assign log_valid = !log_alone && known;

  assign was_reg = kind == JOB_REG;
  assign restarted = step == TX_END && was_reg && code == TX_OK && srst == 2'd2;
  // Data: the device reports the outcome itself.
  assign refused = step == TX_END && !was_reg && (code == TX_RERR || code == TX_ABORT);
  assign blame_valid = step == TX_END && !refused && code != TX_OK && !(was_reg
      && code == TX_YIELD);
  always_comb begin
    case (step)
      IDLE: fault = action == ACT_TIMEOUT;
      RX_FIS: fault = effect.protocol;
      SETUP_END: fault = !setup_ok;
      FINISH:
      fault = flags.internal && !ok && (init_step == INIT_READ_LOG || init_step == INIT_IDENTIFY);
      LOG_RESULT: fault = !log_valid;
      default: fault = 1'b0;
    endcase
  end

  always_comb begin
    case (step)
      ISSUE:   op = flags.internal ? SLOT_KEEP : SLOT_ISSUE;
      DONE:    op = SLOT_COMPLETE;
      RETRY_CHECK: op = retry ? SLOT_REQUEUE : SLOT_COMPLETE;
      REPLY:   op = SLOT_FREE;  // also while waiting for m_rsp.ready
      LOG_RESULT:   op = log_valid ? SLOT_REQUEUE_ALL : SLOT_KEEP;
      INIT_NEXT:    op = resize ? SLOT_DONE_ALL : SLOT_KEEP;  // a software reset completes all
      REQUEUE:    op = inflight_any && not_blamed ? SLOT_REQUEUE : SLOT_KEEP;
      default: op = SLOT_KEEP;
    endcase
  end

  kumi_sata_cmd_fsm u_steps (
      .clk,
      .rst,
      .chosen,
      .rec,
      .rec_ready,
      .effect,
      .phase,
      .last,
      .was_reg,
      .refused,
      .code,
      .srst,
      .held,
      .built,
      .was_slot,
      .running(dev_state == DEV_READY),
      .queued,
      .device_fua(ident.fua),
      .bad_range,
      .init_step,
      .init_op(init_cmd.op),
      .begin_init,
      .skip,
      .unsupported,
      .new_cmd,
      .rd_cmd,
      .nothing_left(rd_left == '0),
      .none_issued,
      .settled,
      .done_slot,
      .waiting_slot,
      .free_slot,
      .inflight_any,
      .inflight_slot,
      .rsp_ready(m_rsp.ready),
      .log_valid,
      .log_slot,
      .log_rsp,
      .log_lba_low(lba_low),
      .log_lba_high(lba_high),
      .log_lba(init_data[23:0]),
      .requeuing,
      .drained,
      .not_blamed,
      .retry,
      .blame_status,
      .step,
      .action,
      .slot,
      .op(cmd_op),
      .fua(cmd_fua),
      .rsp,
      .ok,
      .alone,
      .flags
  );

  // ---- parts ----------------------------------------------------------------------------------
  kumi_sata_dev_init u_prepare (
      .clk,
      .rst,
      .cfg,
      .up,
      .present,
      .stop(step == LINK_RESET),
      .link,
      .restarted,
      .signature,
      .disk(effect.disk),
      .log(action == ACT_READ_LOG),
      .next(step == INIT_NEXT),
      .over(step == FINISH && flags.internal),
      .ok,
      .d_valid(init_valid),
      .d_data(init_data),
      .d_index(init_index),
      .dev_state,
      .init_step,
      .init_cmd,
      .skip,
      .unsupported,
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
      .dev_state,
      .internal(flags.internal),
      .begins  (link || restarted || signature || begin_init),
      .now,
      .timeout (init_timeout),
      .no_device
  );
  kumi_sata_slot_table u_table (
      .clk,
      .rst,
      .op,
      .op_slot(step == REQUEUE ? inflight_slot : slot),
      .touch(step inside {ISSUE, DONE, RETRY_CHECK, REPLY, LOG_RESULT, INIT_NEXT, REQUEUE}),
      .bits(rec.bits),
      .bits_valid(step == RX_FIS && effect.done),
      .resize,
      .last(last_slot),
      .settled,
      .none_used,
      .none_issued,
      .stray,
      .done_any,
      .done_slot,
      .waiting_any,
      .waiting_slot,
      .free_any,
      .free_slot,
      .inflight_any,
      .inflight_slot,
      .slot,
      .known,
      .take(step == ACCEPT),
      .new_cmd,
      .rd_cmd,
      .wr_left(step inside {ISSUE, ADVANCE} && !flags.internal),
      .new_left(step == ISSUE ? total : rd_left - {12'd0, moved}),
      .rd_left,
      .wr_retries(step == RETRY_CHECK),
      .new_retries,
      .rd_retries,
      .now,
      .limit(cfg.limit),
      .timeout,
      .timeout_slot
  );
  kumi_sata_ncq_error_log u_log (
      .clk,
      .take(init_step == INIT_READ_LOG),
      .d_valid(init_valid),
      .d_data(init_data),
      .d_index(init_index),
      .lba_low,
      .lba_high,
      .alone(log_alone),
      .slot(log_slot),
      .rsp(log_rsp)
  );
  kumi_sata_range_check u_range (
      .clk,
      .cmd  (rd_cmd),
      .total(ident.sectors),
      .bad  (bad_range)
  );
  kumi_sata_fis_decode u_meaning (
      .clk,
      .rec,
      .dev_state,
      .srst(srst != 2'd0),
      .alone(flags.alone),
      .busy(flags.busy),
      .queued,
      .none_issued,
      .stray,
      .tx_busy,
      .phase,
      .op(cmd_op),
      .sectors(rd_cmd.sectors),
      .left(rd_left),
      .known,
      .effect,
      .setup_ok
  );
  kumi_sata_data_phase u_phase (
      .clk,
      .rst,
      .setup,
      .begins,
      .rec,
      .op(cmd_op),
      .internal(flags.internal),
      .slot,
      .tag(rd_cmd.tag),
      .total,
      .close((step == RX_FIS && effect.close) || refused || step == FINISH || step == LINK_RESET),
      .spoil(step == RX_FIS && effect.spoil),
      .activate(step == RX_FIS && effect.activate),
      .take(action == ACT_DATA),
      .sent(action == ACT_TX_END),
      .got(action == ACT_RX_FIS),
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
      .new_op(cmd_op),
      .new_fua(cmd_fua),
      .slot,
      .resend(action == ACT_RESEND),
      .data(action == ACT_DATA),
      .trim(phase.trim),
      .drop(action == ACT_DROP_FRAME || (step == DRAIN && free_tx && frames_open)),
      .hold(step == HOLD_SRST),
      .held,
      .srst_clear(restarted || step == LINK_RESET),
      .seen(action == ACT_TX_END || step == DRAIN),
      .rx_idle,
      .receiving,
      .job,
      .job_kind,
      .built,
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
      .op(tx_op),
      .fua(tx_fua),
      .srst
  );
  kumi_sata_error_recovery u_recover (
      .clk,
      .rst,
      .cfg,
      .fault,
      .blame_valid,
      .blame_known(!was_reg || !flags.internal),
      .blame_slot(was_reg ? was_slot : phase.slot),
      .bad_data(!was_reg && code == TX_BAD),
      .timeout,
      .timeout_slot,
      .overdue,
      .stop(step == LINK_RESET),
      .drain(step == DRAIN),
      .all_quiet(rx_idle && !rec_valid && free_tx && !frames_open && !fetch_busy),
      .drained,
      .settled(step == REQUEUE && !inflight_any),
      .inflight_slot,
      .recovering,
      .requeuing,
      .not_blamed,
      .blame_status,
      .rsp_status(rsp.status),
      .rd_retries,
      .retry,
      .new_retries
  );

  assign may_issue = dev_state == DEV_READY && may_send && !flags.busy && !flags.resend
      && !flags.internal
      && !flags.error && phase.dir == PHASE_NONE;
  kumi_sata_cmd_dispatch u_choose (
      .clk,
      .rst,
      .lost(recovering || (dev_state != DEV_OFF && (!up || !cfg.enable))),
      .linked(dev_state == DEV_OFF && up && cfg.enable),
      .sent,
      .flush(flags.flush),
      .frames_open,
      .fetch_busy,
      .rec_valid,
      .settled,
      .done_any,
      .init_timeout,
      .read_log(flags.error && !flags.internal),
      .next(flags.next),
      .resend(flags.resend),
      .free_tx,
      .may_send,
      .alone(flags.alone),
      .no_phase(phase.dir == PHASE_NONE),
      .activated(phase.activated),
      .no_device,
      .running(dev_state == DEV_READY),
      .may_issue,
      .waiting_any,
      // One at a time if the device, possibly exchanged, does not queue.
      .may_reissue(queued || none_issued),
      .new_valid(s_cmd.valid && !s_cmd.ready),
      .new_alone(runs_alone(new_cmd.op, queued)),
      .none_used,
      .free_any,
      .action(chosen)
  );

  // ---- outputs --------------------------------------------------------------------------------
  assign m_rsp.valid = step == REPLY;
  assign m_rsp.data = rsp;
  assign to_user = step == SEGMENT && phase.user;
  assign m_segment.valid = to_user;
  assign m_segment.data = {phase.tag, phase.offset, 2'b00};
  assign s_cmd.ready = step == ACCEPT;
  always_comb begin
    case (step)
      RX_FIS:
      rec_ready = rec.kind != FIS_SETUP && !(rec.kind == FIS_DATA_BEGIN
          && phase.dir == PHASE_TO_HOST);
      SEGMENT: rec_ready = !phase.user || m_segment.ready;
      SETUP_END, DRAIN: rec_ready = 1'b1;
      default: rec_ready = 1'b0;
    endcase
  end

  assign rx_limit = words;
  // Decoded one cycle late, while the FIS builder starts.
  sata_opcode_t opcode_q;
  always_ff @(posedge clk)
    opcode_q <= opcode_of(
        tx_op, tx_fua, queued && !flags.internal, ident.fua, srst != 2'd2
    );
  assign job_reg = register_of(opcode_q, cmd.feature, cmd.sectors[15:0], cmd.lba, was_slot);
  assign job_lba = rd_cmd.lba;
  assign job_sectors = rd_cmd.sectors;
  assign job_words = words;
  assign fetch_stop = flags.flush;
  assign fetch_consumed = drop_done || (tx_done && kind == JOB_DATA);
  assign fetch_tag = phase.tag;
  assign fetch_offset = phase.offset;
  assign fetch_words = phase.left;

  always_ff @(posedge clk) begin
    restart <= step inside {LINK_RESET, DRAIN} || !cfg.enable;
    ev <= '0;
    ev.cmd_timeout <= action == ACT_TIMEOUT || overdue;
    ev.ncq_log <= step == LOG_RESULT;
    ev.recovery <= step == LINK_RESET;
    ev.reissue <= action == ACT_REISSUE;
    ev.protocol_error <= (step == RX_FIS && effect.protocol) || (step == SETUP_END && !setup_ok);
    ev.unexpected <= step == RX_FIS && effect.stray;
    ev.data_in <= step == RX_FIS && effect.advance;
    ev.data_out <= step == TX_END && !was_reg && code == TX_OK;
    ev.identified    <= step == FINISH && flags.internal && init_step == INIT_IDENTIFY && ok
        && !unsupported;
    ev.rsp <= step == REPLY && m_rsp.ready;
    ev.rsp_status <= rsp.status;
    fetch_start <= step == SETUP_END ? setup_ok && !rec.to_host
                                     : step == ISSUE && alone && cmd_op == BLK_WRITE;
    if (rst) begin
      ev          <= '0;
      fetch_start <= 1'b0;
    end
  end
endmodule
