// SPDX-License-Identifier: Apache-2.0
//
// The steps of kumi_sata_cmd_seq: what follows what while an event is dealt with, from IDLE, where act
// says what is next, back to IDLE. A step takes a cycle, or as long as somebody is waited for; IDLE
// at least two: one to choose, one to begin, for there is much to look at.
//
// step: where it is. slot, cmd, rsp: what the event is about; ok: rsp says so. alone: cmd runs
//   alone. memo: what is remembered between events.
// Everything else is an answer of a part of kumi_sata_cmd_seq, named as there. Which step leads where,
// and with which request and response, is all that is here; what else a step does is in the part
// that does it.
module kumi_sata_cmd_fsm
  import kumi_sata_pkg::*;
  import kumi_sata_cmd_pkg::*;
  import kumi_sata_cmd_seq_pkg::*;
(
    input logic clk,
    input logic rst,
    input act_e chosen,  // of kumi_sata_cmd_dispatch
    // What has come, and its data.
    input sata_fis_info_t rec,
    input logic rec_ready,
    input meaning_t means,
    input data_phase_t phase,
    input logic last,
    // What was sent.
    input logic was_reg,
    input logic refused,
    input tx_code_e code,
    input logic [1:0] srst,
    input logic held,
    // The device.
    input logic running,
    input logic queued,
    input logic device_fua,
    input logic [47:0] sectors,
    input own_e own,
    input blk_cmd_t own_cmd,
    input logic begin_own,
    input logic skip,
    input logic foreign,
    // Requests.
    input blk_cmd_t new_cmd,
    input blk_cmd_t rd_cmd,
    input logic [25:0] rd_left,
    input logic any_issued,
    input logic [4:0] done_slot,
    input logic [4:0] todo_slot,
    input logic [4:0] free_slot,
    input logic mark_any,
    input logic [4:0] mark_slot,
    input logic rsp_ready,
    // Errors.
    input logic judged,
    input logic [4:0] log_slot,
    input blk_rsp_t log_rsp,
    input logic marking,
    input logic drained,
    input logic spared,
    input logic again,
    input blk_status_e verdict,
    output step_e step,
    output act_e act,
    output logic [4:0] slot,
    output blk_cmd_t cmd,
    output blk_rsp_t rsp,
    output logic ok,
    output logic alone,
    output memo_t memo
);
  step_e state_q, goal_q;  // goal_q: behind LOAD
  memo_t memo_q;
  logic [4:0] slot_q, alone_slot_q;
  logic fua2_q;  // a write with FUA now is the flush behind it
  logic [7:0] e_status_q;  // at the end of PIO data
  blk_cmd_t cmd_q;
  blk_rsp_t rsp_q;
  act_e act_q;
  logic unused;
  assign unused = ^{rec, means, phase};

  assign step  = state_q;
  assign act   = act_q;
  assign slot  = slot_q;
  assign cmd   = cmd_q;
  assign memo  = memo_q;
  assign ok    = rsp_q.reason == RSP_OK;
  assign alone = memo_q.inner || runs_alone(cmd_q.op, queued);
  always_comb begin
    rsp     = rsp_q;
    rsp.tag = cmd_q.tag;
  end

  // A request that cannot be served as it stands.
  logic bad_range, outside;
  logic [48:0] beyond;
  assign beyond  = {1'b0, cmd_q.lba} + {32'd0, cmd_q.sectors};
  assign outside = beyond > {1'b0, sectors};
  always_comb begin
    case (cmd_q.op)
      OP_READ, OP_WRITE, OP_TRIM:
      bad_range = cmd_q.sectors == '0 || cmd_q.sectors > 17'h10000 || outside;
      OP_LOG: bad_range = cmd_q.sectors == '0 || cmd_q.sectors > 17'h0ffff;
      OP_FLUSH, OP_IDENTIFY, OP_FEATURES, OP_RESET: bad_range = 1'b0;
      default: bad_range = 1'b1;
    endcase
  end

  always_ff @(posedge clk) begin
    // What was chosen must have begun before there is a new choice.
    act_q <= state_q == IDLE && act_q == ACT_NONE ? chosen : ACT_NONE;
    case (state_q)
      IDLE:
      case (act_q)
        ACT_STOP:    state_q <= STOP;
        ACT_SENT: begin
          slot_q  <= phase.slot;
          state_q <= SENT;
        end
        ACT_FLUSHED: memo_q.flush <= 1'b0;
        ACT_GOT: begin
          slot_q  <= rec.kind == GOT_SETUP ? rec.bits[4:0] : phase.slot;
          goal_q  <= SETUP;
          state_q <= rec.kind == GOT_SETUP ? LOAD : GOT;
        end
        ACT_DONE: begin
          slot_q  <= done_slot;
          rsp_q   <= '0;
          goal_q  <= DONE;
          state_q <= LOAD;
        end
        ACT_LOG: begin
          memo_q.resend <= 1'b0;
          state_q <= NEXT;
        end
        ACT_NEXT:    state_q <= NEXT;
        ACT_RESEND: begin
          memo_q.resend <= 1'b0;
          memo_q.busy   <= 1'b1;
        end
        ACT_GONE: begin
          slot_q       <= todo_slot;
          rsp_q        <= '0;
          rsp_q.reason <= RSP_GONE;
          goal_q       <= REPLY;
          state_q      <= LOAD;
        end
        ACT_AGAIN: begin
          slot_q  <= todo_slot;
          goal_q  <= ISSUE;
          state_q <= LOAD;
        end
        ACT_ACCEPT: begin
          slot_q  <= free_slot;
          state_q <= ACCEPT;
        end
        default:     ;
      endcase

      SETTLE: state_q <= marking ? MARK : IDLE;

      SENT: begin
        state_q <= SETTLE;
        if (refused) memo_q.flush <= 1'b1;
        else if (was_reg && code == TX_YIELD) memo_q.resend <= 1'b1;
        else if (was_reg && code == TX_OK && srst == 2'd1) state_q <= HOLD_RST;
        else if (!was_reg && code == TX_OK) state_q <= ADVANCE;
      end

      GOT: begin
        state_q <= SETTLE;
        if (means.signature && means.disk) state_q <= NEXT;
        if (means.finish) state_q <= FINISH;
        if (means.piece) state_q <= PIECE;
        if (means.advance) state_q <= ADVANCE;
        if (means.failed) memo_q.error <= any_issued;
        if (means.unbusy) memo_q.busy <= 1'b0;
        if (means.flush) memo_q.flush <= 1'b1;
        if (means.status) e_status_q <= rec.e_status;
        rsp_q <= '{
            tag: '0,
            reason:
            reason_of
            (
                rec.status[5], rec.status[0], rec.error[7], rec.error[6], rec.error[4], rec.error[2]
            ),
            status: rec.status,
            error: rec.error,
            lba: rec.lba
        };
      end

      PIECE: if (rec_ready) state_q <= SETTLE;

      ADVANCE: begin
        state_q <= SETTLE;
        if (last && phase.pio) begin
          rsp_q.reason <= reason_of(e_status_q[5], e_status_q[0], 1'b0, 1'b0, 1'b0, 1'b0);
          rsp_q.status <= e_status_q;
          rsp_q.error  <= '0;
          state_q      <= FINISH;
        end
      end

      LOAD: begin
        cmd_q   <= rd_cmd;
        state_q <= goal_q;
      end

      SETUP: state_q <= SETTLE;

      ACCEPT: begin
        cmd_q   <= new_cmd;
        fua2_q  <= 1'b0;
        state_q <= CHECK;
      end

      CHECK: begin
        rsp_q        <= '0;
        rsp_q.reason <= !running ? RSP_GONE : RSP_RANGE;
        state_q      <= !running || bad_range ? REPLY : ISSUE;
      end

      NEXT: begin
        memo_q.next <= 1'b0;
        if (begin_own) begin
          cmd_q <= own_cmd;
          memo_q.inner <= 1'b1;
          state_q <= ISSUE;
        end else if (own == OWN_END) begin
          state_q <= SETTLE;
        end else if (!skip) begin
          memo_q.next <= 1'b1;
          state_q <= SETTLE;
        end
      end

      ISSUE: begin
        memo_q.busy <= 1'b1;
        state_q <= SETTLE;
        if (alone) begin
          memo_q.alone <= 1'b1;
          alone_slot_q <= slot_q;
        end
      end

      HOLD_RST: if (held) state_q <= SETTLE;

      DONE: begin
        state_q <= REPLY;
        if (rd_left != '0) begin
          rsp_q.reason <= RSP_SHORT;
          state_q      <= VERDICT;
        end else if (cmd_q.op == OP_WRITE && cmd_q.fua && !queued && !device_fua && !fua2_q) begin
          fua2_q   <= 1'b1;
          cmd_q.op <= OP_FLUSH;
          state_q  <= ISSUE;
        end
      end

      // As rsp_q says.
      FINISH: begin
        memo_q.alone <= 1'b0;
        memo_q.inner <= 1'b0;
        memo_q.busy <= 1'b0;
        slot_q <= alone_slot_q;
        goal_q <= ok ? DONE : VERDICT;
        if (!memo_q.inner) state_q <= LOAD;
        else if (own == OWN_LOG) state_q <= ok ? JUDGE : SETTLE;
        else if (own == OWN_IDENTIFY) state_q <= ok && !foreign ? NEXT : SETTLE;
        else state_q <= NEXT;
      end

      JUDGE: begin
        memo_q.error <= 1'b0;
        slot_q <= log_slot;
        rsp_q <= log_rsp;
        goal_q <= VERDICT;
        state_q <= judged ? LOAD : SETTLE;
      end

      VERDICT: begin
        state_q <= again ? SETTLE : REPLY;
        if (again) fua2_q <= 1'b0;
      end

      REPLY: if (rsp_ready) state_q <= SETTLE;

      STOP: begin
        memo_q       <= '0;
        memo_q.flush <= 1'b1;
        state_q      <= DRAIN;
      end

      DRAIN:
      if (drained) begin
        memo_q.flush <= 1'b0;
        state_q <= MARK;
      end

      default:  // MARK
      if (!mark_any) begin
        state_q <= IDLE;
      end else begin
        slot_q       <= mark_slot;
        rsp_q        <= '0;
        rsp_q.reason <= verdict;
        goal_q       <= VERDICT;
        fua2_q       <= 1'b0;
        state_q      <= spared ? SETTLE : LOAD;
      end
    endcase

    if (rst) begin
      act_q   <= ACT_NONE;
      state_q <= IDLE;
      memo_q  <= '0;
    end
  end
endmodule
