// SPDX-License-Identifier: Apache-2.0
//
// Link training and error recovery: the port's physical state (IBTA volume 2, clause 5.8,
// simplified: fixed width and rate, no sleep, no beacon).
//
// TS1 is sent until RUN training sets in a row have been received (Polling), then TS2 until RUN TS2
//   have been received and MIN_SENT were sent since the first of them, then idle data until idle
//   data has been received and was sent for at least two sets' time (Training, Config.Idle); then
//   the link is up. An end in Config.Idle waits for one that is still sending TS2. If it takes more
//   than TIMEOUT cycles, Polling again. A link that is up retrains (Recovery) on `retrain`, on RUN
//   TS1, or when the lanes lose alignment; without success for TIMEOUT cycles, or with no signal,
//   it is down.
// word*: received words with their valid flags; latency from the last symbol of a set 1 cycle.
// rx_run: packets may be received: the link is up, or the other end may already be.
// ts_sent: pulse, a training set was sent. ev_recovery, ev_downed: pulses for the port counters.
module kumi_ib_training
  import kumi_ib_link_pkg::*;
#(
    parameter int LANES   = 4,
    parameter int WORDS   = 2,     // words per cycle
    parameter int TIMEOUT = 65536  // cycles
) (
    input  logic                    clk,
    input  logic                    rst,
    input  logic                    enable,
    input  logic                    signal,       // there is a signal on all lanes
    input  logic                    aligned,      // the lanes are aligned (1x: constant 1)
    input  logic                    retrain,
    input  logic                    down,         // command: Polling again
    input  logic        [WORDS-1:0] word_valid,
    input  ib_word_t    [WORDS-1:0] word,
    input  logic                    ts_sent,
    output line_mode_e              mode,
    output phys_state_e             phys_state,
    output logic                    link_up,
    output logic                    rx_run,
    output logic                    ev_recovery,
    output logic                    ev_downed
);
  localparam int RUN = 8;
  localparam int MIN_SENT = 16;
  localparam int SET_WORDS = LANES == 4 ? TS_SYMBOLS : TS_SYMBOLS / 4;
  // Without the beginning of a set for two sets' time: idle data. Sent is first the set in work.
  localparam int IDLE_WORDS = 2 * SET_WORDS;
  localparam int IDLE_CYCLES = 3 * SET_WORDS / WORDS;
  localparam int IDLE_W = $clog2(IDLE_WORDS + 1);
  localparam int HOLD_W = $clog2(IDLE_CYCLES + 1);
  localparam int TIME_W = $clog2(TIMEOUT + 1);

  if (LANES != 1 && LANES != 4) begin : gen_check_lanes
    $fatal(0, "LANES must be 1 or 4 (%m)");
  end

  // ---- Training sets ----------------------------------------------------------------------------
  logic [3:0] pos_q, pos_d;  // words of a set that have come
  logic ts2_q, ts2_d;  // the set is a TS2
  logic last_ts2_q, last_ts2_d;
  logic [3:0] run_q, run_d;  // equal sets in a row
  logic [IDLE_W-1:0] idle_q, idle_d;  // words without an error or the beginning of a set

  // ---- What a word is ---------------------------------------------------------------------------
  typedef struct packed {
    logic bad;      // a code violation
    logic head;     // of a training set
    logic numbers;  // of the lanes
    logic ts1s;
    logic ts2s;
    logic ts2;      // its last symbol
  } train_word_t;

  train_word_t [WORDS-1:0] w_q;
  logic [WORDS-1:0] valid_q;

  always_ff @(posedge clk) begin
    valid_q <= rst ? '0 : word_valid;
    for (int i = 0; i < WORDS; i++) begin
      w_q[i].bad     <= word[i].err != '0;
      w_q[i].numbers <= word[i].k == '0 && word[i].data == {8'd3, 8'd2, 8'd1, 8'd0};
      w_q[i].ts1s    <= word[i].k == '0 && word[i].data == {4{SYM_TS1}};
      w_q[i].ts2s    <= word[i].k == '0 && word[i].data == {4{SYM_TS2}};
      w_q[i].ts2     <= word[i].data[3] == SYM_TS2;
      if (LANES == 4) begin
        w_q[i].head <= word[i].k == 4'hF && word[i].data == {4{SYM_COM}};
      end else begin
        w_q[i].head <= word[i].k == 4'h1 && (word[i].data == {{2{SYM_TS2}}, 8'd0, SYM_COM} ||
                                             word[i].data == {{2{SYM_TS1}}, 8'd0, SYM_COM});
      end
    end
  end

  // ---- Training sets in a row -------------------------------------------------------------------
  always_comb begin
    pos_d      = pos_q;
    ts2_d      = ts2_q;
    last_ts2_d = last_ts2_q;
    run_d      = run_q;
    idle_d     = idle_q;
    for (int i = 0; i < WORDS; i++) begin
      train_word_t w;
      logic is_fill;
      w = w_q[i];
      if (LANES == 4) begin
        is_fill = pos_d == 4'd1 ? w.numbers :
            (w.ts2s || w.ts1s) && (pos_d == 4'd2 || w.ts2 == ts2_d);
      end else begin
        is_fill = ts2_d ? w.ts2s : w.ts1s;
      end
      if (valid_q[i]) begin
        if (w.head || w.bad) idle_d = '0;
        else if (idle_d != IDLE_W'(IDLE_WORDS)) idle_d = idle_d + 1'b1;
        if (w.head && !w.bad) begin
          pos_d = 4'd1;
          ts2_d = w.ts2;
        end else if (pos_d != '0 && is_fill && !w.bad) begin
          ts2_d = w.ts2;
          pos_d = pos_d + 1'b1;
          if (pos_d == 4'(SET_WORDS)) begin
            run_d      = last_ts2_d != ts2_d ? 4'd1 : run_d == 4'(RUN) ? run_d : run_d + 1'b1;
            last_ts2_d = ts2_d;
            pos_d      = '0;
          end
        end else begin
          pos_d = '0;
          run_d = '0;
        end
      end
    end
  end

  always_ff @(posedge clk) begin
    pos_q      <= pos_d;
    ts2_q      <= ts2_d;
    last_ts2_q <= last_ts2_d;
    run_q      <= run_d;
    idle_q     <= idle_d;
    if (rst) begin
      pos_q      <= '0;
      run_q      <= '0;
      idle_q     <= '0;
      last_ts2_q <= 1'b0;
    end
  end

  // ---- States -----------------------------------------------------------------------------------
  typedef enum logic [2:0] {
    ST_OFF,
    ST_TS1,
    ST_TS2,
    ST_IDLE,
    ST_UP
  } training_state_e;

  training_state_e state_q;
  logic recovery_q;  // TS1 and TS2 are those of a link that was up
  logic [TIME_W-1:0] time_q;
  logic [4:0] sent_q;
  logic first_ts2_q, all_ts2_q;  // one TS2, RUN of them in a row have been received
  logic [HOLD_W-1:0] hold_q;
  logic run_any, run_ts1, run_ts2;

  assign run_any = run_q == 4'(RUN);
  assign run_ts1 = run_any && !last_ts2_q;
  assign run_ts2 = run_any && last_ts2_q;

  always_ff @(posedge clk) begin
    ev_recovery <= 1'b0;
    ev_downed   <= 1'b0;
    if (time_q != '0) time_q <= time_q - 1'b1;
    unique case (state_q)
      ST_OFF: begin
        recovery_q <= 1'b0;
        if (enable) state_q <= ST_TS1;
      end
      ST_TS1: begin
        sent_q      <= '0;
        first_ts2_q <= 1'b0;
        all_ts2_q   <= 1'b0;
        if (run_any && aligned) begin
          state_q <= ST_TS2;
          if (!recovery_q) time_q <= TIME_W'(TIMEOUT);
        end
      end
      ST_TS2: begin
        hold_q <= HOLD_W'(IDLE_CYCLES);
        if (last_ts2_q && run_q != '0) first_ts2_q <= 1'b1;
        if (run_ts2) all_ts2_q <= 1'b1;
        if (ts_sent && first_ts2_q && sent_q != 5'(MIN_SENT)) sent_q <= sent_q + 1'b1;
        if (all_ts2_q && sent_q == 5'(MIN_SENT)) state_q <= ST_IDLE;
        if (time_q == '0) state_q <= ST_TS1;
      end
      ST_IDLE: begin
        if (hold_q != '0) hold_q <= hold_q - 1'b1;
        if (hold_q == '0 && idle_q == IDLE_W'(IDLE_WORDS)) begin
          state_q    <= ST_UP;
          recovery_q <= 1'b0;
        end
        if (time_q == '0 || run_ts1 || !aligned) state_q <= ST_TS1;
      end
      default: begin
        time_q <= TIME_W'(TIMEOUT);
        if (retrain || run_ts1 || !aligned) begin
          state_q     <= ST_TS1;
          recovery_q  <= 1'b1;
          ev_recovery <= 1'b1;
        end
      end
    endcase
    if ((state_q == ST_UP || recovery_q) &&
        (!signal || down || (state_q != ST_UP && time_q == '0))) begin
      state_q     <= ST_TS1;
      recovery_q  <= 1'b0;
      ev_downed   <= 1'b1;
      ev_recovery <= 1'b0;
    end
    if (!enable) begin
      state_q   <= ST_OFF;
      ev_downed <= state_q == ST_UP || recovery_q;
    end
    if (rst) begin
      state_q     <= ST_OFF;
      recovery_q  <= 1'b0;
      ev_recovery <= 1'b0;
      ev_downed   <= 1'b0;
    end
  end

  always_comb begin
    unique case (state_q)
      ST_OFF: begin
        mode       = LINE_QUIET;
        phys_state = PHYS_DISABLED;
      end
      ST_TS1: begin
        mode       = LINE_TS1;
        phys_state = recovery_q ? PHYS_RECOVERY : PHYS_POLLING;
      end
      ST_TS2: begin
        mode       = LINE_TS2;
        phys_state = recovery_q ? PHYS_RECOVERY : PHYS_TRAINING;
      end
      ST_IDLE: begin
        mode       = LINE_DATA;
        phys_state = recovery_q ? PHYS_RECOVERY : PHYS_TRAINING;
      end
      default: begin
        mode       = LINE_DATA;
        phys_state = PHYS_LINK_UP;
      end
    endcase
  end
  assign link_up = state_q == ST_UP;
  assign rx_run  = state_q == ST_UP || state_q == ST_IDLE;
endmodule
