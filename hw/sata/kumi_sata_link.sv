// SPDX-License-Identifier: Apache-2.0
//
// Link layer of the Serial ATA host: primitive handshake, CRC-32, scrambling, HOLD and CONT in both
// directions, ALIGN, and SYNC escape out of every wait.
//
// s_axis: FISes to send, 32-bit words without CRC. tx_done pulses once per FIS, after its last word
//   has been taken and the device has answered or timed out; tx_code is its status. A frame with
//   tuser[0] at tlast is aborted by SYNC escape (TX_BAD). HOLD is sent while the stream pauses.
//   Without a link FISes are consumed and dropped (TX_LINK_DOWN).
// m_axis: received FISes as they arrive; tuser[0] with tlast: bad (kumi_sata_rx_frame). While the
//   FIFO is nearly full the device is held and may not start a FIS.
// X_RDY follows two SYNCs, or one after a received FIS; the device need not have answered them with
//   SYNC. On a collision the host yields; a non-data FIS is then returned (TX_YIELD), also one
//   offered while the device is sending: what arrives may forbid it. receiving: the device is
//   sending, or the FIFO is not empty. DMAT is ignored, as the standard permits; power management
//   requests are refused with PMNAK.
// WAIT_CYCLES: time-out of every wait, counted while nothing progresses and the local reader is not
//   the cause. Then SYNC is sent until the device sends SYNC or X_RDY; if that times out too,
//   `ev.dead` pulses and the owner should send COMRESET.
// up: from kumi_sata_phy_init; while low, its words are sent.
// Latency: 3 cycles from rx_* to the answering primitive in tx_*, up to 3 more for ALIGN and the
// end of a CONT. One word per cycle out, at most one in.
module kumi_sata_link
  import kumi_sata_pkg::*;
#(
    parameter int DEPTH       = 128,        // words of the receive FIFO, a power of two
    parameter int SLACK       = 64,         // words that may arrive after HOLD
    parameter int WAIT_CYCLES = 1_500_000,  // 10 ms at 150 MHz
    parameter bit CONT        = 1'b1        // send CONT
) (
    input logic clk,
    input logic rst,
    input logic up,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic tx_done,
    output tx_status_e tx_code,
    output logic receiving,
    output link_ev_t ev,
    input logic [31:0] init_data,
    input logic init_k,
    output logic [31:0] tx_data,
    output logic [3:0] tx_k,
    input logic w_valid,
    input prim_e w_prim,
    input logic [31:0] w_data
);
  localparam int WAIT_W = $clog2(WAIT_CYCLES + 1);

  if (s_axis.DATA_W != 32 || m_axis.DATA_W != 32 || m_axis.USER_W != 1) begin : gen_check_w
    $fatal(0, "s_axis and m_axis must have 32 bits, m_axis one bit of tuser (%m)");
  end
  if (WAIT_CYCLES < 64) begin : gen_check_wait
    $fatal(0, "WAIT_CYCLES must be 64 at least (%m)");
  end

  typedef enum logic [3:0] {
    IDLE,
    XRDY,
    SOF,
    BODY,
    HELD,  // the device sends HOLD
    EOF,
    WTRM,
    RRDY,
    RBODY,
    RVERDICT,
    ROK,
    RERR,
    ESCAPE
  } state_e;

  state_e state_q, state_d, last_state_q;
  tx_status_e code_q, code_d;
  logic tx_end, tx_end_q;  // the transmission ends with code_d
  logic end_pending_q;  // tx_done is pending
  logic drop_q;  // the rest of the FIS is discarded
  link_ev_t ev_q;
  logic timeout_q, pm_req_q, dev_hold_q;
  logic dev_xrdy_q;  // the device wants to send and waits for FIFO space
  logic [1:0] sync_count_q;  // consecutive SYNCs sent, and one after a received FIS
  logic [WAIT_W-1:0] wait_q;

  // Received primitives.
  logic rx_sync, rx_xrdy, rx_hold, rx_data_word, rx_prim;
  assign rx_sync = w_valid && w_prim == P_SYNC;
  assign rx_xrdy = w_valid && w_prim == P_XRDY;
  assign rx_hold = w_valid && w_prim == P_HOLD;
  assign rx_data_word = w_valid && w_prim == P_DATA;
  assign rx_prim = w_valid && w_prim != P_DATA && w_prim != P_BAD;

  // Transmit.
  prim_e t_prim;
  logic
      t_take,
      t_free,
      t_data_free,
      f_avail,
      f_crc,
      f_bad,
      f_take,
      f_start,
      f_run,
      last_moved,
      tx_request,
      idle_sent;
  logic [31:0] f_word;

  // Both directions.
  logic f_load, tx_crc_step, rx_crc_init, rx_crc_step, r_start, r_word;
  logic [31:0] f_data, crc, scramble;

  assign tx_request = s_axis.tvalid && !end_pending_q && !tx_end_q;
  // Two SYNCs end the device's R_OK even if one arrives corrupted. After a received FIS the device
  // is idle already.
  assign idle_sent = sync_count_q == 2'd2 || (sync_count_q == 2'd1 && t_free);
  assign f_start = state_q == IDLE && !end_pending_q && !tx_end_q;
  assign f_run = state_q inside {SOF, BODY, HELD};
  assign f_take = state_q == BODY && t_data_free && f_avail;

  kumi_sata_frame_code u_code (
      .clk,
      .rst,
      .send(f_run),
      .load(f_load),
      .tx_data(s_axis.tdata),
      .rx_data(w_data),
      .data(f_data),
      .scr_init(f_start || r_start),
      .scr_step(f_take || r_word),
      .scramble,
      .crc_init(f_start || rx_crc_init),
      .crc_step(tx_crc_step || rx_crc_step),
      .crc
  );

  kumi_sata_tx_frame u_tx_frame (
      .clk,
      .rst,
      .s_axis,
      .start(f_start),
      .run(f_run),
      .drop(drop_q),
      .take(f_take),
      .load(f_load),
      .data(f_data),
      .crc,
      .scramble,
      .crc_step(tx_crc_step),
      .avail(f_avail),
      .crc_word(f_crc),
      .bad_word(f_bad),
      .word(f_word),
      .last_moved
  );

  kumi_sata_prim_encode #(
      .CONT(CONT)
  ) u_tx_words (
      .clk,
      .rst,
      .up,
      .init_data,
      .init_k,
      .t_prim,
      .t_data(f_word),
      .t_take,
      .t_free,
      .t_data_free,
      .tx_data,
      .tx_k
  );

  // Receive.
  logic r_error, r_end, r_abort, v_done, v_good, hold, room;
  logic overrun;

  kumi_sata_rx_frame #(
      .DEPTH(DEPTH),
      .SLACK(SLACK)
  ) u_rx_frame (
      .clk,
      .rst,
      .f_start(r_start),
      .f_word(r_word),
      .f_error(r_error),
      .f_end(r_end),
      .f_abort(r_abort),
      .data(f_data),
      .crc,
      .crc_init(rx_crc_init),
      .crc_step(rx_crc_step),
      .v_done,
      .v_good,
      .hold,
      .room,
      .ev_overrun(overrun),
      .m_axis
  );

  assign r_start = state_q == RRDY && w_valid && w_prim == P_SOF;
  assign r_word  = state_q == RBODY && state_d == RBODY && rx_data_word;
  assign r_error = state_q == RBODY && w_valid && (w_prim == P_BAD || w_prim == P_SOF);
  assign r_end   = state_q == RBODY && state_d == RVERDICT;
  assign r_abort = state_q == RBODY && state_d != RBODY && state_d != RVERDICT;

  always_comb begin
    t_prim  = P_SYNC;
    state_d = state_q;
    tx_end  = 1'b0;
    code_d  = TX_ABORT;
    case (state_q)
      IDLE: begin
        if (pm_req_q) t_prim = P_PMNAK;
        if (rx_xrdy) begin
          if (room) state_d = RRDY;
        end else if (tx_request && idle_sent && !pm_req_q && !dev_xrdy_q) state_d = XRDY;
      end
      XRDY: begin
        t_prim = P_XRDY;
        if (rx_xrdy) state_d = IDLE;
        else if (w_valid && w_prim == P_RRDY) state_d = SOF;
      end
      SOF: begin
        t_prim = P_SOF;
        if (t_free) state_d = BODY;
      end
      BODY: begin
        t_prim = f_avail ? P_DATA : P_HOLD;
        if (f_take && f_crc) state_d = EOF;
        else if (rx_hold) state_d = HELD;
        if (f_take && f_bad) begin
          state_d = ESCAPE;
          tx_end  = 1'b1;
          code_d  = TX_BAD;
        end
      end
      HELD: begin
        t_prim = P_HOLDA;
        if (rx_prim && w_prim != P_HOLD && w_prim != P_DMAT) state_d = BODY;
      end
      EOF: begin
        t_prim = P_EOF;
        if (t_free) state_d = WTRM;
      end
      WTRM: begin
        t_prim = P_WTRM;
        if (w_valid && (w_prim == P_ROK || w_prim == P_RERR)) begin
          state_d = IDLE;
          tx_end  = 1'b1;
          code_d  = w_prim == P_ROK ? TX_OK : TX_RERR;
        end
      end
      RRDY: begin
        t_prim = P_RRDY;
        if (r_start) state_d = RBODY;
        else if (rx_prim && w_prim != P_XRDY) state_d = IDLE;
      end
      RBODY: begin
        t_prim = hold ? P_HOLD : dev_hold_q ? P_HOLDA : P_RIP;
        if (rx_sync || rx_xrdy) state_d = IDLE;
        else if (w_valid && w_prim == P_EOF) state_d = RVERDICT;
        else if (w_valid && w_prim == P_WTRM) state_d = RERR;
      end
      RVERDICT: begin
        t_prim = P_RIP;
        if (v_done) state_d = v_good ? ROK : RERR;
      end
      ROK: begin
        t_prim = P_ROK;
        if (rx_sync) state_d = IDLE;
      end
      RERR: begin
        t_prim = P_RERR;
        if (rx_sync) state_d = IDLE;
      end
      default: if (rx_sync || rx_xrdy || timeout_q) state_d = IDLE;  // ESCAPE
    endcase
    // SYNC during a transmission: the device aborts it.
    if (rx_sync && state_q inside {BODY, HELD, EOF, WTRM}) begin
      state_d = IDLE;
      tx_end  = 1'b1;
      code_d  = TX_ABORT;
    end
    // Collision: a non-data FIS is returned.
    if (tx_request && s_axis.tdata[7:0] != FIS_DATA
        && (((state_q == IDLE || state_q == XRDY) && rx_xrdy)
            || state_q inside {RRDY, RBODY, RVERDICT, ROK, RERR})) begin
      tx_end = 1'b1;
      code_d = TX_YIELD;
    end
    if (timeout_q) begin
      state_d = state_q == ESCAPE ? IDLE : ESCAPE;
      tx_end = state_q inside {XRDY, SOF, BODY, HELD, EOF, WTRM} || (state_q == IDLE && tx_request);
      code_d = TX_TIMEOUT;
    end
    if (!up) begin
      state_d = IDLE;
      tx_end  = state_q inside {XRDY, SOF, BODY, HELD, EOF, WTRM} || tx_request;
      code_d  = TX_LINK_DOWN;
    end
  end

  assign receiving = state_q inside {RRDY, RBODY, RVERDICT, ROK, RERR} || m_axis.tvalid;

  // Progress, or a stall caused by the local reader.
  logic progress, progress_q;
  assign progress = state_q != last_state_q || f_take || r_word || (state_q == RBODY && hold)
      || (state_q == IDLE && !tx_request) || !up;

  always_ff @(posedge clk) begin
    state_q <= state_d;
    if (w_valid) begin
      dev_hold_q <= w_prim == P_HOLD;
      pm_req_q   <= w_prim == P_PMREQP || w_prim == P_PMREQS;
      dev_xrdy_q <= w_prim == P_XRDY;
    end
    if (state_q != IDLE || t_prim != P_SYNC)
      sync_count_q <= {1'b0, state_q == ROK || state_q == RERR};
    else if (t_free && sync_count_q != 2'd2) sync_count_q <= sync_count_q + 1'b1;
    last_state_q <= state_q;
    progress_q <= progress;
    wait_q <= progress_q || timeout_q ? '0 : wait_q + 1'b1;
    timeout_q <= !progress_q && !timeout_q && wait_q == WAIT_W'(WAIT_CYCLES - 1);

    tx_done <= 1'b0;
    tx_end_q <= tx_end && !tx_end_q && !end_pending_q;
    if (tx_end && !tx_end_q && !end_pending_q) code_q <= code_d;
    if (tx_end_q) begin
      end_pending_q <= 1'b1;
      drop_q <= !last_moved && !(s_axis.tvalid && s_axis.tready && s_axis.tlast);
    end else if (end_pending_q && !drop_q) begin
      end_pending_q <= 1'b0;
      tx_done <= 1'b1;
    end
    if (drop_q && s_axis.tvalid && s_axis.tlast) drop_q <= 1'b0;

    ev_q.rx_good    <= v_done && v_good && !rst;
    ev_q.rx_bad     <= v_done && !v_good && !rst;
    ev_q.rx_abort   <= r_abort && !rst;
    ev_q.rx_overrun <= 1'b0;
    ev_q.bad_word   <= up && w_valid && w_prim == P_BAD && !rst;
    ev_q.timeout    <= timeout_q && state_q != ESCAPE && !rst;
    ev_q.dead       <= timeout_q && state_q == ESCAPE && !rst;
    if (rst) begin
      state_q <= IDLE;
      dev_hold_q <= 1'b0;
      pm_req_q <= 1'b0;
      dev_xrdy_q <= 1'b0;
      sync_count_q <= '0;
      wait_q <= '0;
      timeout_q <= 1'b0;
      progress_q <= 1'b0;
      tx_end_q <= 1'b0;
      end_pending_q <= 1'b0;
      drop_q <= 1'b0;
      tx_done <= 1'b0;
    end
  end
  assign tx_code = code_q;
  logic unused;
  assign unused = t_take;
  always_comb begin
    ev = ev_q;
    ev.rx_overrun = overrun;
  end
endmodule
