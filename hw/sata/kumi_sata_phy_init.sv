// SPDX-License-Identifier: Apache-2.0
//
// PHY initialisation of the host: COMRESET, COMINIT, COMWAKE, ALIGN (Serial ATA, host phy
// initialization state machine); the PHY generates and detects the OOB bursts.
//
// phy_ready: the PHY's clocks are running. tx_cominit, tx_comwake: send COMRESET or COMWAKE, held
//   until tx_oob_done has been high for one cycle. tx_idle: electrical idle. rx_cominit,
//   rx_comwake: high while the pattern is received. rx_idle: the line is electrically idle.
//   rx_invert: the pair is swapped, the PHY must invert received data.
// init_data, init_k: word to transmit while `up` is low. w_*: received words
//   (kumi_sata_prim_decode); ALIGN is detected in rx_* itself.
// up: link-layer words may flow. present: a device answered the last COMRESET.
// restart: a pulse restarts with COMRESET. Every wait has a time-out, after which initialisation
//   restarts, indefinitely; ev_retry pulses each time. ev_lost pulses when `up` falls by itself:
//   COMINIT from the device, LOST_CYCLES of idle line, or phy_ready low.
module kumi_sata_phy_init
  import kumi_sata_pkg::*;
#(
    parameter int RETRY_CYCLES = 1_500_000,  // time-out of a wait for the device, 10 ms at 150 MHz
    parameter int ALIGN_CYCLES = 131_000,    // time-out of the wait for ALIGN, 873 us
    parameter int LOST_CYCLES  = 64          // idle line until the link counts as lost
) (
    input  logic         clk,
    input  logic         rst,
    input  logic         restart,
    output logic         up,
    output logic         present,
    output logic         ev_retry,
    output logic         ev_lost,
    input  logic         phy_ready,
    output logic         tx_cominit,
    output logic         tx_comwake,
    input  logic         tx_oob_done,
    output logic         tx_idle,
    input  logic         rx_cominit,
    input  logic         rx_comwake,
    input  logic         rx_idle,
    output logic         rx_invert,
    input  logic  [31:0] rx_data,
    input  logic  [ 3:0] rx_k,
    input  logic         rx_valid,
    input  logic         w_valid,
    input  prim_e        w_prim,
    output logic  [31:0] init_data,
    output logic         init_k
);
  localparam int TIMER_MAX = RETRY_CYCLES > ALIGN_CYCLES ? RETRY_CYCLES : ALIGN_CYCLES;
  localparam int TIMER_W = $clog2(TIMER_MAX + 1);
  localparam int LOST_W = $clog2(LOST_CYCLES + 1);

  if (RETRY_CYCLES < 16 || ALIGN_CYCLES < 16 || LOST_CYCLES < 1) begin : gen_check_times
    $fatal(0, "RETRY_CYCLES and ALIGN_CYCLES must be 16 at least, LOST_CYCLES 1 (%m)");
  end

  typedef enum logic [3:0] {
    PHY,
    COMRESET,
    WAIT_COMINIT,
    END_COMINIT,
    COMWAKE,
    WAIT_COMWAKE,
    END_COMWAKE,
    WAIT_ALIGN,
    SEND_ALIGN,
    UP
  } state_e;

  state_e state_q, state_d;
  logic [TIMER_W-1:0] timer_q;
  logic [LOST_W-1:0] lost_q;
  logic [1:0] prims_q;  // consecutive primitives other than ALIGN
  logic align, align_inv, late_q, late, lost;
  logic moved_q;  // state_q is new; its timer starts in the next cycle

  // One cycle late, like w_*.
  always_ff @(posedge clk) begin
    align     <= rx_valid && rx_k == 4'b0001 && rx_data == W_ALIGN;
    align_inv <= rx_valid && rx_k == 4'b0001 && rx_data == W_ALIGN_INV;
  end
  assign lost = lost_q == LOST_W'(LOST_CYCLES) || !phy_ready;
  assign late = late_q && !moved_q;  // a state that has ended is not late

  always_comb begin
    state_d = state_q;
    case (state_q)
      PHY: if (phy_ready) state_d = COMRESET;
      COMRESET: if (tx_oob_done) state_d = WAIT_COMINIT;
      WAIT_COMINIT: if (rx_cominit) state_d = END_COMINIT;
      END_COMINIT: if (!rx_cominit) state_d = COMWAKE;
      COMWAKE: if (tx_oob_done) state_d = WAIT_COMWAKE;
      WAIT_COMWAKE: if (rx_comwake) state_d = END_COMWAKE;
      END_COMWAKE: if (!rx_comwake) state_d = WAIT_ALIGN;
      WAIT_ALIGN: if (!rx_idle && (align || align_inv)) state_d = SEND_ALIGN;
      SEND_ALIGN: if (prims_q == 2'd3) state_d = UP;
      UP: begin
        if (rx_cominit) state_d = END_COMINIT;
        else if (lost) state_d = PHY;
      end
      default: state_d = PHY;
    endcase
    if (late || restart) state_d = PHY;
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    moved_q <= state_q != state_d;
    timer_q <= moved_q || state_q == UP || late_q ? '0 : timer_q + 1'b1;
    // Registered: a state ends one cycle after its time-out. The timer started one cycle late.
    late_q <= state_q != UP && !moved_q
        && timer_q >= TIMER_W'(state_q == WAIT_ALIGN || state_q == SEND_ALIGN ? ALIGN_CYCLES - 2
                                                                              : RETRY_CYCLES - 2);
    if (state_q == COMRESET) present <= 1'b0;
    if (state_q == END_COMINIT) present <= 1'b1;
    if (state_q == UP && lost) present <= 1'b0;

    if (!rx_idle || state_q != UP) lost_q <= '0;
    else if (!lost) lost_q <= lost_q + 1'b1;

    if (state_q != SEND_ALIGN || align) prims_q <= '0;
    else if (w_valid && prims_q != 2'd3) begin
      prims_q <= w_prim == P_DATA || w_prim == P_BAD ? '0 : prims_q + 1'b1;
    end
    if (state_q == COMRESET) rx_invert <= 1'b0;
    if (state_q == WAIT_ALIGN && !rx_idle && align_inv) rx_invert <= 1'b1;

    ev_retry <= late && !rst;
    ev_lost  <= state_q == UP && state_d != UP && !restart && !rst;
    up       <= state_d == UP && !rst;
    if (rst) begin
      state_q   <= PHY;
      moved_q   <= 1'b0;
      timer_q   <= '0;
      lost_q    <= '0;
      prims_q   <= '0;
      late_q    <= 1'b0;
      present   <= 1'b0;
      rx_invert <= 1'b0;
    end
  end

  assign tx_cominit = state_q == COMRESET;
  assign tx_comwake = state_q == COMWAKE;
  assign tx_idle    = state_q < WAIT_ALIGN;
  assign init_data  = state_q == SEND_ALIGN ? W_ALIGN : W_D10_2;
  assign init_k     = state_q == SEND_ALIGN;
endmodule
