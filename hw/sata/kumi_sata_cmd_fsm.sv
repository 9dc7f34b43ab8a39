// SPDX-License-Identifier: Apache-2.0
//
// State machine of kumi_sata_cmd_seq: the steps of handling one event, from IDLE, where `action`
// selects it, back to IDLE. A step takes one cycle, or waits for a partner; IDLE takes at least
// two, one to select and one to start.
//
// step: the current state. slot, op, fua, rsp: subject of the event; ok: rsp is a success. alone:
//   op runs exclusively. flags: state kept between events.
// The other inputs come from the parts of kumi_sata_cmd_seq and are named as there. Only the order
// of steps, request and response are decided here; each part performs its share of a step.
module kumi_sata_cmd_fsm
  import kumi_sata_pkg::*;
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_pkg::*;
  import kumi_sata_cmd_seq_pkg::*;
(
    input logic clk,
    input logic rst,
    input seq_action_e chosen,  // of kumi_sata_cmd_dispatch
    // Received FIS and its data.
    input sata_fis_info_t rec,
    input logic rec_ready,
    input fis_effect_t effect,
    input data_phase_t phase,
    input logic last,
    // Transmission.
    input logic was_reg,
    input logic refused,
    input tx_status_e code,
    input logic [1:0] srst,
    input logic held,
    input logic built,
    input logic [4:0] was_slot,
    // The device.
    input logic running,
    input logic queued,
    input logic device_fua,
    input logic bad_range,
    input init_step_e init_step,
    input blk_op_e init_op,
    input logic begin_init,
    input logic skip,
    input logic unsupported,
    // Requests.
    input blk_cmd_t new_cmd,
    input blk_cmd_t rd_cmd,
    input logic nothing_left,
    input logic none_issued,
    input logic settled,
    input logic [4:0] done_slot,
    input logic [4:0] waiting_slot,
    input logic [4:0] free_slot,
    input logic inflight_any,
    input logic [4:0] inflight_slot,
    input logic rsp_ready,
    // Errors.
    input logic log_valid,
    input logic [4:0] log_slot,
    input blk_rsp_t log_rsp,
    input logic log_lba_low,
    input logic log_lba_high,
    input logic [23:0] log_lba,
    input logic requeuing,
    input logic drained,
    input logic not_blamed,
    input logic retry,
    input blk_status_e blame_status,
    output seq_step_e step,
    output seq_action_e action,
    output logic [4:0] slot,
    output blk_op_e op,
    output logic fua,
    output blk_rsp_t rsp,
    output logic ok,
    output logic alone,
    output seq_flags_t flags
);
  seq_step_e state_q, after_load_q;  // after_load_q: the state after LOAD
  seq_flags_t flags_q;
  logic [4:0] slot_q, alone_slot_q;
  logic fua_flush_q;  // the FLUSH that completes a write with FUA
  logic [7:0] pio_status_q;  // device status at the end of PIO data
  blk_op_e op_q;
  logic fua_q;
  blk_rsp_t rsp_q;
  seq_action_e action_q;
  logic acted_q;
  logic [4:0] action_slot_q;  // of action_q, selected with it
  logic unused;
  assign unused = ^{rec, effect, phase, new_cmd, rd_cmd, log_rsp};

  assign step  = state_q;
  assign action   = action_q;
  assign slot  = slot_q;
  assign op    = op_q;
  assign fua   = fua_q;
  assign flags  = flags_q;
  assign ok    = rsp_q.status == BLK_OK;
  assign alone = flags_q.internal || runs_alone(op_q, queued);
  always_comb begin
    rsp     = rsp_q;
    rsp.tag = rd_cmd.tag;
  end

  always_ff @(posedge clk) begin
    // An action must have started, and its effect be seen, before the next one is selected.
    action_q <= state_q == IDLE && action_q == ACT_NONE && !acted_q ? chosen : ACT_NONE;
    acted_q  <= action_q != ACT_NONE;
    case (chosen)
      ACT_TX_END: action_slot_q <= phase.slot;
      // An exclusive command keeps its slot: its data may not be built yet.
      ACT_RX_FIS:
      action_slot_q <= rec.kind == FIS_SETUP && !flags_q.alone ? rec.bits[4:0] : phase.slot;
      ACT_DONE: action_slot_q <= done_slot;
      ACT_RESEND: action_slot_q <= was_slot;
      ACT_ACCEPT: action_slot_q <= free_slot;
      default: action_slot_q <= waiting_slot;
    endcase
    case (state_q)
      IDLE:
      case (action_q)
        ACT_RECOVER:   state_q <= LINK_RESET;
        ACT_TX_END: begin
          slot_q  <= action_slot_q;
          state_q <= TX_END;
        end
        ACT_DROP_END:  flags_q.flush <= 1'b0;
        ACT_RX_FIS: begin
          slot_q <= action_slot_q;
          after_load_q <= SETUP;
          state_q <= rec.kind == FIS_SETUP ? LOAD : RX_FIS;
        end
        ACT_DONE: begin
          slot_q <= action_slot_q;
          rsp_q <= '0;
          after_load_q <= DONE;
          state_q <= LOAD;
        end
        ACT_READ_LOG: begin
          flags_q.resend <= 1'b0;
          state_q <= INIT_NEXT;
        end
        ACT_INIT_STEP: state_q <= INIT_NEXT;
        ACT_RESEND: begin
          flags_q.resend <= 1'b0;
          flags_q.busy   <= 1'b1;
          slot_q         <= action_slot_q;
          state_q        <= SEND;
        end
        ACT_NO_DEVICE: begin
          slot_q       <= action_slot_q;
          rsp_q        <= '0;
          rsp_q.status <= BLK_NO_DEVICE;
          after_load_q <= REPLY;
          state_q      <= LOAD;
        end
        ACT_REISSUE: begin
          slot_q <= action_slot_q;
          fua_flush_q <= 1'b0;
          after_load_q <= ISSUE;
          state_q <= LOAD;
        end
        ACT_ACCEPT: begin
          slot_q  <= action_slot_q;
          state_q <= ACCEPT;
        end
        default:       ;
      endcase

      SETTLE:
      if (!requeuing) state_q <= IDLE;
      else if (settled) state_q <= REQUEUE;

      TX_END: begin
        state_q <= SETTLE;
        if (refused) flags_q.flush <= 1'b1;
        else if (was_reg && code == TX_YIELD) flags_q.resend <= 1'b1;
        else if (was_reg && code == TX_OK && srst == 2'd1) state_q <= HOLD_SRST;
        else if (!was_reg && code == TX_OK) state_q <= ADVANCE;
      end

      RX_FIS: begin
        state_q <= SETTLE;
        if (effect.signature && effect.disk) state_q <= INIT_NEXT;
        if (effect.finish) state_q <= FINISH;
        if (effect.segment) state_q <= SEGMENT;
        if (effect.advance) state_q <= ADVANCE;
        if (effect.failed) flags_q.error <= !none_issued;
        if (effect.unbusy) flags_q.busy <= 1'b0;
        if (effect.flush) flags_q.flush <= 1'b1;
        if (effect.status) pio_status_q <= rec.e_status;
        if (rec.kind == FIS_REG) begin  // the only one that ends a command
          rsp_q <= '{
              tag: '0,
              status:
              status_of
              (
                  rec.status[5],
                  rec.status[0],
                  rec.error[7],
                  rec.error[6],
                  rec.error[4],
                  rec.error[2]
              ),
              ata_status: rec.status,
              ata_error: rec.error,
              lba: rec.lba
          };
        end
      end

      SEGMENT: if (rec_ready) state_q <= SETTLE;

      ADVANCE: begin
        state_q <= SETTLE;
        if (last && phase.pio) begin
          rsp_q.status     <= status_of(pio_status_q[5], pio_status_q[0], 1'b0, 1'b0, 1'b0, 1'b0);
          rsp_q.ata_status <= pio_status_q;
          rsp_q.ata_error  <= '0;
          if (!flags_q.internal) rsp_q.lba <= '0;
          state_q <= FINISH;
        end
      end

      LOAD: begin
        op_q    <= rd_cmd.op;
        fua_q   <= rd_cmd.fua;
        state_q <= after_load_q;
      end

      SETUP:     state_q <= SETUP_END;
      SETUP_END: state_q <= SETTLE;

      ACCEPT: begin
        op_q        <= new_cmd.op;
        fua_q       <= new_cmd.fua;
        fua_flush_q <= 1'b0;
        state_q     <= RANGE_LOW;
      end

      RANGE_LOW:  state_q <= RANGE_HIGH;
      RANGE_HIGH: state_q <= CHECK;

      CHECK: begin
        rsp_q        <= '0;
        rsp_q.status <= !running ? BLK_NO_DEVICE : BLK_RANGE;
        state_q      <= !running || bad_range ? REPLY : ISSUE;
      end

      INIT_NEXT: begin
        flags_q.next <= 1'b0;
        if (begin_init) begin
          op_q <= init_op;
          fua_q <= 1'b0;
          flags_q.internal <= 1'b1;
          state_q <= ISSUE;
        end else if (init_step == INIT_DONE) begin
          state_q <= SETTLE;
        end else if (!skip) begin
          flags_q.next <= 1'b1;
          state_q <= SETTLE;
        end
      end

      ISSUE: begin
        flags_q.busy <= 1'b1;
        state_q <= SEND;
        if (alone) begin
          flags_q.alone <= 1'b1;
          alone_slot_q  <= slot_q;
        end
      end

      SEND: if (built) state_q <= SETTLE;

      HOLD_SRST: if (held) state_q <= SETTLE;

      DONE: begin
        state_q <= REPLY;
        if (!nothing_left) begin
          rsp_q.status <= BLK_SHORT;
          state_q      <= RETRY_CHECK;
        end else if (op_q == BLK_WRITE && fua_q && !queued && !device_fua && !fua_flush_q) begin
          fua_flush_q <= 1'b1;
          op_q <= BLK_FLUSH;
          state_q <= ISSUE;
        end
      end

      // rsp_q holds the result.
      FINISH: begin
        flags_q.alone <= 1'b0;
        flags_q.internal <= 1'b0;
        flags_q.busy <= 1'b0;
        slot_q <= flags_q.internal ? log_slot : alone_slot_q;
        after_load_q <= ok ? DONE : RETRY_CHECK;
        if (!flags_q.internal) state_q <= LOAD;
        else if (init_step == INIT_READ_LOG) begin
          after_load_q <= LOG_RESULT;
          state_q <= ok ? LOAD : SETTLE;
        end else if (init_step == INIT_IDENTIFY) state_q <= ok && !unsupported ? INIT_NEXT : SETTLE;
        else state_q <= INIT_NEXT;
      end

      LOG_RESULT: begin
        flags_q.error <= 1'b0;
        rsp_q.status <= log_rsp.status;
        rsp_q.ata_status <= log_rsp.ata_status;
        rsp_q.ata_error <= log_rsp.ata_error;
        state_q <= log_valid ? RETRY_CHECK : SETTLE;
      end

      RETRY_CHECK: begin
        state_q <= retry ? SETTLE : REPLY;
        if (retry) fua_flush_q <= 1'b0;
      end

      REPLY: if (rsp_ready) state_q <= SETTLE;

      LINK_RESET: begin
        flags_q       <= '0;
        flags_q.flush <= 1'b1;
        state_q       <= DRAIN;
      end

      DRAIN:
      if (drained) begin
        flags_q.flush <= 1'b0;
        state_q <= REQUEUE;
      end

      default:  // REQUEUE
      if (!inflight_any) begin
        state_q <= IDLE;
      end else begin
        slot_q       <= inflight_slot;
        rsp_q        <= '0;
        rsp_q.status <= blame_status;
        after_load_q <= RETRY_CHECK;
        fua_flush_q  <= 1'b0;
        state_q      <= not_blamed ? SETTLE : LOAD;
      end
    endcase
    if (log_lba_low) rsp_q.lba[23:0] <= log_lba;
    if (log_lba_high) rsp_q.lba[47:24] <= log_lba;

    if (rst) begin
      action_q <= ACT_NONE;
      state_q  <= IDLE;
      flags_q  <= '0;
    end
  end
endmodule
