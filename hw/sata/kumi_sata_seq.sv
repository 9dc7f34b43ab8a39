// SPDX-License-Identifier: Apache-2.0
//
// Sequencer of the command layer: up to 32 requests, queued in the device (FPDMA) or one at a time;
// what each FIS means; and every way back from an error. One event at a time, a few cycles each.
//
// Place: OFF until the link is up, SIGN until the device has sent its signature, PREP while it is
//   identified and set up, RUN; SICK with a device that is no ATA disk.
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
module kumi_sata_seq
  import kumi_sata_pkg::*;
  import kumi_sata_cmd_pkg::*;
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
    kumi_hdr_if.snk s_cmd,
    kumi_hdr_if.src m_rsp,
    kumi_hdr_if.src m_piece,
    input logic rec_valid,
    output logic rec_ready,
    input sata_got_t rec,
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
  localparam int TICK_W = $clog2(TICK_CYCLES + 1);
  localparam int RESET_W = $clog2(RESET_CYCLES + 1);

  if (TICK_CYCLES < 1 || RESET_CYCLES < 1) begin : gen_check
    $fatal(0, "TICK_CYCLES and RESET_CYCLES must be positive (%m)");
  end

  typedef enum logic [2:0] {
    OFF,
    SIGN,
    PREP,
    RUN,
    SICK
  } place_e;

  typedef enum logic [4:0] {
    IDLE,
    SETTLE,    // what depends on the sets of slots becomes right
    SENT,      // a FIS of ours has ended
    GOT,       // a record of the device
    PIECE,     // data: where they belong is told to the user
    ADVANCE,   // bytes have moved
    LOAD,      // the request of a slot
    SETUP,     // DMA Setup
    ACCEPT,    // a new request
    CHECK,
    NEXT,      // of the commands that prepare the device
    ISSUE,
    HOLD_RST,  // SRST is set
    DONE,      // the device says so
    FINISH,    // of a command of our own
    JUDGE,     // the error log
    VERDICT,   // an error: again or not
    REPLY,
    STOP,
    DRAIN,
    MARK
  } state_e;

  typedef enum logic [2:0] {
    FOR_ISSUE,
    FOR_SETUP,
    FOR_DONE,
    FOR_VERDICT,
    FOR_REPLY
  } goal_e;

  typedef enum logic [2:0] {
    OWN_IDENTIFY,
    OWN_MODE,
    OWN_ACTIVATE,
    OWN_CACHE,
    OWN_END,
    OWN_LOG
  } own_e;

  typedef enum logic [1:0] {
    NO_PHASE,
    TO_HOST,
    TO_DEVICE,
    SPOILT  // data to the host that no longer have a place
  } phase_e;

  place_e place_q;
  state_e state_q;
  goal_e  goal_q;
  own_e   own_q;
  phase_e phase_q;

  logic [31:0] used_q, issued_q, todo_q, done_q, mask_q;
  logic [4:0] slot_q, alone_slot_q, phase_slot_q, reg_slot_q, blame_q;
  logic alone_q;  // a command that runs alone is in the device
  logic inner_q;  // it is our own
  logic busy_q;  // BSY: no command may be sent
  logic error_q;  // a queued command has failed, the log is to be read
  logic trouble_q;  // begin anew
  logic blamed_q, source_q;  // blame_q is to blame; its source is
  logic marking_q;
  logic next_q;  // a command of our own waits until the device is silent
  logic enabled_q;
  logic flush_q;  // frames of the user are to be thrown away
  logic pio_q, cmd_trim_q, activated_q, user_q, fua2_q, queued_q, gone_q;
  logic [1:0] srst_q;
  sata_cmd_t cmd_q, rd_cmd;
  sata_rsp_t rsp_q;
  sata_ident_t ident;
  logic [15:0] phase_tag_q;
  logic [24:0] offset_q;
  logic [25:0] left_q, moved_q, rd_left, new_left;
  logic [7:0] e_status_q;
  logic [15:0] epoch_q, now_q, since_q, gone_since_q;
  logic [ TICK_W-1:0] tick_q;
  logic [RESET_W-1:0] wait_q;
  logic [4:0] quiet_q, depth_q;
  logic [3:0] still_q;  // cycles without anything from the device, saturating
  logic resend_q;  // the command waits until the device, which was first, has no data phase open
  logic tx_busy_q, sent_q;
  sata_job_e kind_q;
  tx_code_e  code_q;
  sata_reg_t reg_q;

  // ---- sets of slots ----------------------------------------------------------------------------
  logic done_any, todo_any, free_any, mark_any, late;
  logic [4:0] done_low, todo_low, free_low, mark_low, late_slot;

  kumi_sata_lowest u_done (
      .clk,
      .rst,
      .bits (done_q),
      .any  (done_any),
      .index(done_low)
  );
  kumi_sata_lowest u_todo (
      .clk,
      .rst,
      .bits (todo_q),
      .any  (todo_any),
      .index(todo_low)
  );
  kumi_sata_lowest u_free (
      .clk,
      .rst,
      .bits (~used_q & mask_q),
      .any  (free_any),
      .index(free_low)
  );
  kumi_sata_lowest u_mark (
      .clk,
      .rst,
      .bits (issued_q & ~done_q),
      .any  (mark_any),
      .index(mark_low)
  );

  logic wr_cmd, wr_left, wr_tries, stamp;
  logic [4:0] rd_tries, new_tries;  // 1:0 of its own, 4:2 with all the others
  kumi_sata_slots u_slots (
      .clk,
      .rst,
      .slot(slot_q),
      .wr_cmd,
      .new_cmd(sata_cmd_t'(s_cmd.data)),
      .rd_cmd,
      .wr_left,
      .new_left,
      .rd_left,
      .wr_tries,
      .new_tries,
      .rd_tries,
      .stamp,
      .now(now_q),
      .issued(issued_q & ~done_q),
      .limit(cfg.limit),
      .late,
      .late_slot
  );

  // Data of our own commands, which may come in several FISes.
  logic own_data;
  logic [11:0] own_index;
  assign own_data  = inner_q && phase_q == TO_HOST;
  assign own_index = offset_q[13:2] + d_index;
  kumi_sata_ident u_ident (
      .clk,
      .clear(state_q == NEXT && own_q == OWN_IDENTIFY),
      .take(own_data && own_q == OWN_IDENTIFY),
      .d_valid,
      .d_data,
      .d_index(own_index),
      .ident
  );

  // The page of the error log (ACS, log 10h).
  logic log_alone_q;
  logic [4:0] log_slot_q;
  logic [7:0] log_status_q, log_error_q;
  logic [47:0] log_lba_q;
  always_ff @(posedge clk) begin
    if (own_data && own_q == OWN_LOG && d_valid) begin
      case (own_index)
        12'd0: begin
          log_alone_q  <= d_data[7];
          log_slot_q   <= d_data[4:0];
          log_status_q <= d_data[23:16];
          log_error_q  <= d_data[31:24];
        end
        12'd1:   log_lba_q[23:0] <= d_data[23:0];
        12'd2:   log_lba_q[47:24] <= d_data[23:0];
        default: ;
      endcase
    end
  end

  // ---- what can be done -------------------------------------------------------------------------
  logic lost, own_late, free_tx, may_send, may_issue, new_alone, may_accept;
  logic [15:0] waited;
  sata_cmd_t new_cmd;
  assign new_cmd = sata_cmd_t'(s_cmd.data);
  assign waited = now_q - since_q;
  assign lost = trouble_q || (place_q != OFF && (!up || !cfg.enable));
  assign free_tx = !tx_busy_q && tx_idle;
  assign new_alone = runs_alone(new_cmd.op, queued_q);
  assign may_send = free_tx && still_q[3];
  assign may_issue = place_q == RUN && may_send && !busy_q && !resend_q && !inner_q && !error_q
      && phase_q == NO_PHASE;
  assign may_accept = new_alone ? used_q == '0 : free_any;
  always_ff @(posedge clk) begin
    own_late <= !rst && (place_q == SIGN ? waited >= cfg.ready
                                         : (place_q == PREP || inner_q) && waited >= cfg.limit);
  end

  // A request that cannot be served as it stands.
  logic bad_range;
  logic [48:0] beyond;
  logic outside;
  assign beyond  = {1'b0, cmd_q.lba} + {32'd0, cmd_q.sectors};
  assign outside = beyond > {1'b0, ident.sectors};
  always_comb begin
    case (cmd_q.op)
      OP_READ, OP_WRITE, OP_TRIM:
      bad_range = cmd_q.sectors == '0 || cmd_q.sectors > 17'h10000 || outside;
      OP_LOG: bad_range = cmd_q.sectors == '0 || cmd_q.sectors > 17'h0ffff;
      OP_FLUSH, OP_IDENTIFY, OP_FEATURES, OP_RESET: bad_range = 1'b0;
      default: bad_range = 1'b1;
    endcase
  end

  logic [25:0] chunk;  // the next Data FIS
  assign chunk = left_q > 26'd8192 ? 26'd8192 : left_q;

  // The command of our own that comes next.
  sata_cmd_t own_cmd;
  logic own_skip;
  always_comb begin
    own_cmd    = '0;
    own_cmd.op = OP_FEATURES;
    own_skip   = 1'b0;
    case (own_q)
      OWN_IDENTIFY: own_cmd.op = OP_IDENTIFY;
      OWN_MODE: begin  // the fastest one; a matter of form with serial devices
        own_cmd.feature = 16'h0003;
        own_cmd.sectors = 17'h00046;
      end
      OWN_ACTIVATE: begin
        own_cmd.feature = 16'h0010;
        own_cmd.sectors = 17'h00002;
        own_skip        = !(ident.activate && cfg.activate);
      end
      OWN_CACHE: begin
        own_cmd.feature = cfg.cache == 2'd2 ? 16'h0082 : 16'h0002;
        own_skip        = cfg.cache != 2'd1 && cfg.cache != 2'd2;
      end
      default: begin  // LOG
        own_cmd.op      = OP_LOG;
        own_cmd.sectors = 17'd1;
        own_cmd.lba     = 48'h10;
      end
    endcase
  end

  // Is a failed request given again?
  logic again, together;
  assign together = marking_q && !blamed_q;
  assign again = rsp_q.reason inside {RSP_ICRC, RSP_TIMEOUT, RSP_SHORT}
      && (together ? rd_tries[4:2] != '1 : rd_tries[1:0] < cfg.retries);
  assign wr_tries = state_q == ACCEPT || state_q == VERDICT;
  always_comb begin
    if (state_q == ACCEPT) new_tries = '0;
    else if (!again) new_tries = rd_tries;
    else if (together) new_tries = {rd_tries[4:2] + 3'd1, rd_tries[1:0]};
    else new_tries = {rd_tries[4:2], rd_tries[1:0] + 2'd1};
  end

  logic [25:0] whole;  // bytes of the request
  assign whole = op_bytes(cmd_q.op, cmd_q.sectors);

  // ---- outputs ----------------------------------------------------------------------------------
  assign restart = state_q inside {STOP, DRAIN} || !cfg.enable;
  assign m_rsp.valid = state_q == REPLY;
  sata_rsp_t rsp;
  always_comb begin
    rsp     = rsp_q;
    rsp.tag = cmd_q.tag;
  end
  assign m_rsp.data = rsp;
  assign m_piece.valid = state_q == PIECE && user_q;
  assign m_piece.data = {phase_tag_q, offset_q};
  assign to_user = state_q == PIECE && user_q;
  assign rx_limit = chunk[14:2];
  assign s_cmd.ready = state_q == ACCEPT;
  assign wr_cmd = state_q == ACCEPT;
  assign stamp = state_q == ISSUE && !inner_q;
  assign wr_left = stamp || (state_q == ADVANCE && !inner_q);
  assign new_left = state_q == ISSUE ? whole : rd_left - moved_q;
  always_comb begin
    case (state_q)
      GOT: rec_ready = rec.kind != GOT_SETUP && !(rec.kind == GOT_DATA && phase_q == TO_HOST);
      PIECE: rec_ready = !user_q || m_piece.ready;
      SETUP, DRAIN: rec_ready = 1'b1;
      default: rec_ready = 1'b0;
    endcase
  end

  assign job_reg         = reg_q;
  assign job_sectors     = cmd_q.sectors;
  assign job_words       = chunk[13:2];
  assign fetch_stop      = flush_q;
  assign fetch_took      = drop_done || (tx_done && kind_q == JOB_DATA);

  assign status.present  = present;
  assign status.up       = up;
  assign status.ready    = place_q == RUN;
  assign status.foreign  = place_q == SICK;
  assign status.queued   = queued_q;
  assign status.depth    = queued_q ? {1'b0, depth_q} + 6'd1 : 6'd1;
  assign status.trim     = ident.trim;
  assign status.fua      = ident.fua;
  assign status.rotating = ident.rotating;
  assign status.sectors  = ident.sectors;
  assign status.epoch    = epoch_q;

  // ---- sequence ---------------------------------------------------------------------------------
  logic alone, setup_ok, all_quiet;
  assign alone = inner_q || runs_alone(cmd_q.op, queued_q);
  assign setup_ok = queued_q && !alone_q && phase_q != TO_HOST && phase_q != TO_DEVICE
      && issued_q[slot_q] && rec.bytes != '0 && rec.bytes[1:0] == '0 && rec.offset[1:0] == '0
      && rec.bytes <= rd_left && {2'b00, rec.offset} + {1'b0, rec.bytes} <= {1'b0, whole}
      && cmd_q.op == (rec.to_host ? OP_READ : OP_WRITE);
  assign all_quiet = rx_idle && !rec_valid && free_tx && fetch_open == '0 && !fetch_busy;

  always_ff @(posedge clk) begin
    ev          <= '0;
    job         <= 1'b0;
    fetch_start <= 1'b0;

    tick_q      <= tick_q + 1'b1;
    if (tick_q == TICK_W'(TICK_CYCLES - 1)) begin
      tick_q <= '0;
      now_q  <= now_q + 1'b1;
    end
    enabled_q <= cfg.enable;
    if (place_q == RUN || (cfg.enable && !enabled_q)) begin
      gone_q       <= 1'b0;
      gone_since_q <= now_q;
    end else if (place_q == SICK || !cfg.enable
                 || now_q - gone_since_q >= (present ? cfg.ready : cfg.absent)) begin
      gone_q <= 1'b1;
    end

    if (receiving || !rx_idle) still_q <= '0;
    else if (!still_q[3]) still_q <= still_q + 1'b1;
    if (tx_done) begin
      sent_q <= 1'b1;
      code_q <= tx_code;
    end
    if (tx_done || drop_done) tx_busy_q <= 1'b0;

    case (state_q)
      IDLE:
      if (lost) state_q <= STOP;
      else if (place_q == OFF && up && cfg.enable) begin
        place_q <= SIGN;
        since_q <= now_q;
      end else if (sent_q) begin
        sent_q  <= 1'b0;
        slot_q  <= phase_slot_q;
        moved_q <= chunk;
        state_q <= SENT;
      end else if (flush_q) begin
        if (free_tx && fetch_open != '0) begin
          job       <= 1'b1;
          job_kind  <= JOB_DROP;
          kind_q    <= JOB_DROP;
          tx_busy_q <= 1'b1;
        end else if (free_tx && !fetch_busy) begin
          flush_q <= 1'b0;
        end
      end else if (rec_valid) begin
        slot_q  <= rec.kind == GOT_SETUP ? rec.bits[4:0] : phase_slot_q;
        moved_q <= rec.bytes;
        goal_q  <= FOR_SETUP;
        state_q <= rec.kind == GOT_SETUP ? LOAD : GOT;
      end else if (done_any) begin
        slot_q  <= done_low;
        rsp_q   <= '0;
        goal_q  <= FOR_DONE;
        state_q <= LOAD;
      end else if (own_late) begin
        trouble_q <= 1'b1;
        ev.late   <= 1'b1;
      end else if (error_q && !inner_q) begin
        own_q    <= OWN_LOG;
        resend_q <= 1'b0;
        state_q  <= NEXT;
      end else if (next_q && may_send) begin
        next_q  <= 1'b0;
        state_q <= NEXT;
      end else if (resend_q && may_send && (alone_q || phase_q == NO_PHASE)) begin
        resend_q  <= 1'b0;
        job       <= 1'b1;
        job_kind  <= JOB_REG;
        kind_q    <= JOB_REG;
        tx_busy_q <= 1'b1;
        busy_q    <= 1'b1;
      end else if (activated_q && free_tx) begin
        activated_q <= 1'b0;
        job         <= 1'b1;
        job_kind    <= cmd_trim_q ? JOB_TRIM : JOB_DATA;
        kind_q      <= cmd_trim_q ? JOB_TRIM : JOB_DATA;
        tx_busy_q   <= 1'b1;
        // Otherwise reg_q may hold a command that waits.
        if (cmd_trim_q) reg_q.lba <= cmd_q.lba;
      end else if (place_q != RUN && gone_q && todo_any) begin
        slot_q       <= todo_low;
        rsp_q        <= '0;
        rsp_q.reason <= RSP_GONE;
        goal_q       <= FOR_REPLY;
        state_q      <= LOAD;
      end else if (may_issue && todo_any) begin
        // One at a time if the device, perhaps another one by now, does not queue.
        if (queued_q || issued_q == '0) begin
          slot_q     <= todo_low;
          goal_q     <= FOR_ISSUE;
          ev.reissue <= 1'b1;
          state_q    <= LOAD;
        end
      end else if (s_cmd.valid && (may_issue ? may_accept : place_q != RUN && gone_q && free_any))
      begin
        slot_q  <= free_low;
        state_q <= ACCEPT;
      end

      SETTLE: state_q <= marking_q ? MARK : IDLE;

      SENT:
      case (kind_q)
        JOB_REG: begin
          state_q <= SETTLE;
          if (code_q == TX_YIELD) begin
            resend_q <= 1'b1;
          end else if (code_q != TX_OK) begin
            trouble_q <= 1'b1;
            blamed_q  <= !inner_q;
            blame_q   <= reg_slot_q;
          end else if (srst_q == 2'd1) begin
            wait_q  <= '0;
            state_q <= HOLD_RST;
          end else if (srst_q == 2'd2) begin
            srst_q  <= 2'd0;
            place_q <= SIGN;
            since_q <= now_q;
          end
        end
        default: begin
          state_q <= SETTLE;
          case (code_q)
            TX_OK: begin
              ev.data_out <= 1'b1;
              state_q     <= ADVANCE;
            end
            // The device says itself what it makes of it.
            TX_RERR, TX_ABORT: begin
              phase_q <= NO_PHASE;
              flush_q <= 1'b1;
            end
            default: begin
              trouble_q <= 1'b1;
              blamed_q  <= 1'b1;
              blame_q   <= phase_slot_q;
              source_q  <= code_q == TX_BAD;
            end
          endcase
        end
      endcase

      GOT: begin
        state_q <= SETTLE;
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
        case (rec.kind)
          GOT_REG: begin
            if (rec.status[7] || srst_q != 2'd0) begin
              ev.stray <= 1'b1;
            end else if (place_q == SIGN) begin
              own_q   <= OWN_IDENTIFY;
              since_q <= now_q;
              place_q <= rec.lba == 48'h1 ? PREP : SICK;
              state_q <= rec.lba == 48'h1 ? NEXT : SETTLE;
            end else if (alone_q) begin
              state_q <= FINISH;
            end else if (rec.status[0] || rec.status[5]) begin
              error_q <= issued_q != '0;
              if (issued_q == '0) ev.stray <= 1'b1;
            end else if (!busy_q) begin
              ev.stray <= 1'b1;
            end
            busy_q <= 1'b0;
            if (alone_q || rec.status[0] || rec.status[5]) begin
              if (phase_q == TO_DEVICE) flush_q <= 1'b1;
              phase_q     <= NO_PHASE;
              activated_q <= 1'b0;
            end
          end
          GOT_ACTIVATE:
          if (phase_q == TO_DEVICE && !activated_q && !tx_busy_q) activated_q <= 1'b1;
          else begin
            trouble_q   <= 1'b1;
            ev.protocol <= 1'b1;
          end
          GOT_BITS: begin
            if (!alone_q) done_q <= done_q | (rec.bits & issued_q);
            if (alone_q || (rec.bits & ~issued_q) != '0) ev.stray <= 1'b1;
            if (!alone_q && (rec.status[0] || rec.status[5])) error_q <= issued_q != '0;
            if (!alone_q && (rec.bits[phase_slot_q] || rec.status[0] || rec.status[5])) begin
              if (phase_q == TO_DEVICE) flush_q <= 1'b1;
              phase_q     <= NO_PHASE;
              activated_q <= 1'b0;
            end
          end
          GOT_PIO:
          if (alone_q && pio_q) e_status_q <= rec.e_status;
          else begin
            trouble_q   <= 1'b1;
            ev.protocol <= 1'b1;
          end
          GOT_DATA:
          if (phase_q == TO_HOST) state_q <= PIECE;
          else if (phase_q != SPOILT) begin
            trouble_q   <= 1'b1;
            ev.protocol <= 1'b1;
          end
          default:  // GOT_DATA_END
          if (phase_q == TO_HOST && !rec.bad) begin
            ev.data_in <= 1'b1;
            state_q    <= ADVANCE;
          end else if (phase_q == TO_HOST) begin
            phase_q <= SPOILT;
          end
        endcase
      end

      PIECE: if (rec_ready) state_q <= SETTLE;

      ADVANCE: begin
        offset_q <= offset_q + moved_q[24:0];
        left_q   <= left_q - moved_q;
        state_q  <= SETTLE;
        if (left_q == moved_q) begin
          phase_q <= NO_PHASE;
          if (pio_q) begin
            rsp_q.reason <= reason_of(e_status_q[5], e_status_q[0], 1'b0, 1'b0, 1'b0, 1'b0);
            rsp_q.status <= e_status_q;
            rsp_q.error  <= '0;
            state_q      <= FINISH;
          end
        end
      end

      LOAD: begin
        cmd_q <= rd_cmd;
        case (goal_q)
          FOR_ISSUE: state_q <= ISSUE;
          FOR_SETUP: state_q <= SETUP;
          FOR_DONE: state_q <= DONE;
          FOR_VERDICT: state_q <= VERDICT;
          default: state_q <= REPLY;
        endcase
      end

      SETUP: begin
        state_q <= SETTLE;
        if (!setup_ok) begin
          trouble_q   <= 1'b1;
          ev.protocol <= 1'b1;
        end else begin
          phase_q      <= rec.to_host ? TO_HOST : TO_DEVICE;
          phase_slot_q <= slot_q;
          phase_tag_q  <= cmd_q.tag;
          offset_q     <= rec.offset;
          left_q       <= rec.bytes;
          activated_q  <= !rec.to_host && rec.activate;
          fetch_start  <= !rec.to_host;
          user_q       <= 1'b1;
          cmd_trim_q   <= 1'b0;
          pio_q        <= 1'b0;
        end
      end

      ACCEPT: begin
        cmd_q          <= new_cmd;
        used_q[slot_q] <= 1'b1;
        fua2_q         <= 1'b0;
        state_q        <= CHECK;
      end

      CHECK: begin
        rsp_q        <= '0;
        rsp_q.reason <= place_q != RUN ? RSP_GONE : RSP_RANGE;
        state_q      <= place_q != RUN || bad_range ? REPLY : ISSUE;
      end

      NEXT: begin
        next_q <= 1'b0;
        if (own_q == OWN_END) begin
          place_q <= RUN;
          queued_q <= ident.ncq && cfg.queued;
          depth_q <= ident.depth < cfg.depth ? ident.depth : cfg.depth;
          mask_q   <= ident.ncq && cfg.queued
              ? 32'hffff_ffff >> (5'd31 - (ident.depth < cfg.depth ? ident.depth : cfg.depth)) : '1;
          done_q <= issued_q;  // a software reset is done
          state_q <= SETTLE;
        end else if (own_skip) begin
          own_q <= own_e'(own_q + 3'd1);
        end else if (may_send) begin
          cmd_q   <= own_cmd;
          inner_q <= 1'b1;
          since_q <= now_q;
          state_q <= ISSUE;
        end else begin
          next_q  <= 1'b1;
          state_q <= SETTLE;
        end
      end

      ISSUE: begin
        reg_q <= command_of(
            cmd_q.op,
            cmd_q.fua,
            cmd_q.feature,
            cmd_q.sectors[15:0],
            cmd_q.lba,
            queued_q && !inner_q,
            slot_q,
            ident.fua
        );
        reg_slot_q <= slot_q;
        job <= 1'b1;
        job_kind <= JOB_REG;
        kind_q <= JOB_REG;
        tx_busy_q <= 1'b1;
        busy_q <= 1'b1;
        srst_q <= cmd_q.op == OP_RESET ? 2'd1 : 2'd0;
        if (!inner_q) begin
          issued_q[slot_q] <= 1'b1;
          todo_q[slot_q]   <= 1'b0;
        end
        if (alone) begin
          alone_q      <= 1'b1;
          alone_slot_q <= slot_q;
          pio_q        <= cmd_q.op == OP_IDENTIFY || cmd_q.op == OP_LOG;
          cmd_trim_q   <= cmd_q.op == OP_TRIM;
          phase_q      <= reads(cmd_q.op) ? TO_HOST : writes(cmd_q.op) ? TO_DEVICE : NO_PHASE;
          phase_slot_q <= slot_q;
          phase_tag_q  <= cmd_q.tag;
          offset_q     <= '0;
          left_q       <= whole;
          user_q       <= !inner_q;
          activated_q  <= 1'b0;
          fetch_start  <= cmd_q.op == OP_WRITE;
        end
        state_q <= SETTLE;
      end

      HOLD_RST: begin
        wait_q <= wait_q + 1'b1;
        if (wait_q == RESET_W'(RESET_CYCLES - 1)) begin
          reg_q.control <= '0;
          srst_q        <= 2'd2;
          job           <= 1'b1;
          tx_busy_q     <= 1'b1;
          state_q       <= SETTLE;
        end
      end

      DONE: begin
        issued_q[slot_q] <= 1'b0;
        done_q[slot_q]   <= 1'b0;
        state_q          <= REPLY;
        if (rd_left != '0) begin
          rsp_q.reason <= RSP_SHORT;
          state_q      <= VERDICT;
        end else if (cmd_q.op == OP_WRITE && cmd_q.fua && !queued_q && !ident.fua && !fua2_q) begin
          fua2_q   <= 1'b1;
          cmd_q.op <= OP_FLUSH;
          state_q  <= ISSUE;
        end
      end

      // A command that ran alone is over, as rsp_q says.
      FINISH: begin
        alone_q <= 1'b0;
        inner_q <= 1'b0;
        busy_q  <= 1'b0;
        phase_q <= NO_PHASE;
        slot_q  <= alone_slot_q;
        goal_q  <= rsp_q.reason == RSP_OK ? FOR_DONE : FOR_VERDICT;
        state_q <= LOAD;
        if (inner_q) begin
          state_q <= SETTLE;
          case (own_q)
            OWN_LOG:
            if (rsp_q.reason == RSP_OK) state_q <= JUDGE;
            else trouble_q <= 1'b1;
            OWN_IDENTIFY:
            if (rsp_q.reason != RSP_OK) begin
              trouble_q <= 1'b1;
            end else if (!ident.lba48 || ident.sectors == '0) begin
              place_q <= SICK;
            end else begin
              epoch_q  <= epoch_q + 1'b1;
              ev.ident <= 1'b1;
              own_q    <= OWN_MODE;
              state_q  <= NEXT;
            end
            default: begin  // a device may refuse a feature
              own_q   <= own_e'(own_q + 3'd1);
              state_q <= NEXT;
            end
          endcase
        end
      end

      JUDGE: begin
        error_q <= 1'b0;
        ev.log <= 1'b1;
        slot_q <= log_slot_q;
        goal_q <= FOR_VERDICT;
        state_q <= LOAD;
        rsp_q <= '{
            tag: '0,
            reason:
            reason_of
            (
                log_status_q[5],
                log_status_q[0],
                log_error_q[7],
                log_error_q[6],
                log_error_q[4],
                log_error_q[2]
            ),
            status: log_status_q,
            error: log_error_q,
            lba: log_lba_q
        };
        if (!(log_status_q[0] || log_status_q[5])) rsp_q.reason <= RSP_ERR;
        if (log_alone_q || !issued_q[log_slot_q]) begin
          trouble_q <= 1'b1;
          state_q   <= SETTLE;
        end else begin
          todo_q   <= todo_q | (issued_q & ~done_q);
          issued_q <= issued_q & done_q;
        end
      end

      VERDICT: begin
        issued_q[slot_q] <= 1'b0;
        todo_q[slot_q]   <= 1'b0;
        state_q          <= REPLY;
        if (again) begin
          todo_q[slot_q] <= 1'b1;
          fua2_q         <= 1'b0;
          state_q        <= SETTLE;
        end
      end

      REPLY:
      if (m_rsp.ready) begin
        ev.rsp[rsp_q.reason] <= 1'b1;
        used_q[slot_q]       <= 1'b0;
        issued_q[slot_q]     <= 1'b0;
        todo_q[slot_q]       <= 1'b0;
        state_q              <= SETTLE;
      end

      STOP: begin
        ev.recover  <= 1'b1;
        place_q     <= OFF;
        phase_q     <= NO_PHASE;
        activated_q <= 1'b0;
        alone_q     <= 1'b0;
        inner_q     <= 1'b0;
        busy_q      <= 1'b0;
        error_q     <= 1'b0;
        srst_q      <= 2'd0;
        resend_q    <= 1'b0;
        next_q      <= 1'b0;
        flush_q     <= 1'b1;
        quiet_q     <= '0;
        state_q     <= DRAIN;
      end

      DRAIN: begin
        sent_q  <= 1'b0;
        quiet_q <= all_quiet ? quiet_q + 1'b1 : '0;
        if (free_tx && fetch_open != '0) begin
          job       <= 1'b1;
          job_kind  <= JOB_DROP;
          kind_q    <= JOB_DROP;
          tx_busy_q <= 1'b1;
        end
        if (quiet_q == '1) begin
          flush_q   <= 1'b0;
          marking_q <= 1'b1;
          state_q   <= MARK;
        end
      end

      default:  // MARK
      if (!mark_any) begin
        marking_q <= 1'b0;
        trouble_q <= 1'b0;
        blamed_q  <= 1'b0;
        source_q  <= 1'b0;
        state_q   <= IDLE;
      end else begin
        slot_q       <= mark_low;
        rsp_q        <= '0;
        rsp_q.reason <= source_q && blame_q == mark_low ? RSP_SOURCE : RSP_TIMEOUT;
        goal_q       <= FOR_VERDICT;
        fua2_q       <= 1'b0;
        state_q      <= LOAD;
        if (blamed_q && blame_q != mark_low) begin
          todo_q[mark_low]   <= 1'b1;
          issued_q[mark_low] <= 1'b0;
          state_q            <= SETTLE;
        end
      end
    endcase

    if (late && !trouble_q && !marking_q && state_q != STOP && state_q != DRAIN) begin
      trouble_q <= 1'b1;
      blamed_q  <= 1'b1;
      blame_q   <= late_slot;
      ev.late   <= 1'b1;
    end
    if (cfg.restart && !trouble_q) trouble_q <= 1'b1;

    if (rst) begin
      place_q      <= OFF;
      state_q      <= IDLE;
      phase_q      <= NO_PHASE;
      used_q       <= '0;
      issued_q     <= '0;
      todo_q       <= '0;
      done_q       <= '0;
      mask_q       <= '1;
      alone_q      <= 1'b0;
      inner_q      <= 1'b0;
      busy_q       <= 1'b0;
      error_q      <= 1'b0;
      resend_q     <= 1'b0;
      next_q       <= 1'b0;
      enabled_q    <= 1'b0;
      still_q      <= '0;
      trouble_q    <= 1'b0;
      blamed_q     <= 1'b0;
      source_q     <= 1'b0;
      marking_q    <= 1'b0;
      flush_q      <= 1'b0;
      activated_q  <= 1'b0;
      queued_q     <= 1'b0;
      gone_q       <= 1'b0;
      srst_q       <= 2'd0;
      tick_q       <= '0;
      now_q        <= '0;
      gone_since_q <= '0;
      epoch_q      <= '0;
      tx_busy_q    <= 1'b0;
      sent_q       <= 1'b0;
      job          <= 1'b0;
      fetch_start  <= 1'b0;
      ev           <= '0;
    end
  end

  assign fetch_tag    = phase_tag_q;
  assign fetch_offset = offset_q;
  assign fetch_bytes  = left_q;
endmodule
