// SPDX-License-Identifier: Apache-2.0
//
// Port state machine (IBTA volume 1, clause 7.2.7), local link integrity and buffer overrun errors
// (7.12.2, 7.12.3), and the watchdog of flow control (7.9.4.3).
//
// Down -> Init when the link is up and no packet of before is on its way; Init -> Armed -> Active
//   by command; Armed -> Active also with a data packet; Active -> Armed by command; Active -> Init
//   when the other side sends initialisation link packets; anything -> Down when the link goes
//   down, or by command. While the link retrains the state stays. A command that the state does not
//   know is ignored.
// Local link integrity: each bad packet counts up, each good one down; above cfg.phy_errors the
//   link retrains. Overrun: more than cfg.overrun_errors periods in a row with a packet dropped for
//   space. Watchdog: WATCHDOG cycles without a link packet make the link retrain.
// init: pulse, Down -> Init: all counts of credits start again.
module kumi_ib_port_ctrl
  import kumi_ib_link_pkg::*;
#(
    parameter int PERIOD   = 4096,   // cycles of an overrun period
    parameter int WATCHDOG = 200000  // cycles, IBTA: 400,000 symbol times
) (
    input  logic              clk,
    input  logic              rst,
    input  port_state_e       set_state,
    input  logic        [3:0] phy_errors,
    input  logic        [3:0] overrun_errors,
    input  logic              link_up,
    input  logic              tx_idle,         // nothing is on its way to the line
    input  logic              link_downed,
    input  logic              data_rcvd,       // data packet received
    input  logic              good_rcvd,       // good packet of any kind, link packets too
    input  logic              bad_rcvd,
    input  logic              overrun,
    input  logic              fc_rcvd,
    input  logic              fc_init_rcvd,
    output port_state_e       port_state,
    output logic              init,
    output logic              down,
    output logic              retrain,
    output logic              ev_integrity,
    output logic              ev_overrun
);
  localparam int PERIOD_W = $clog2(PERIOD + 1);
  localparam int WATCH_W = $clog2(WATCHDOG + 1);

  port_state_e state_q;
  logic [4:0] errors_q;
  logic [4:0] periods_q;
  logic overrun_q, limit;
  logic [PERIOD_W-1:0] period_q;
  logic [ WATCH_W-1:0] watch_q;

  assign port_state = state_q;
  assign limit = bad_rcvd && errors_q >= {1'b0, phy_errors};

  always_ff @(posedge clk) begin
    init <= 1'b0;
    down <= 1'b0;
    unique case (state_q)
      PORT_INIT:  if (set_state == PORT_ARMED) state_q <= PORT_ARMED;
      PORT_ARMED: if (set_state == PORT_ACTIVE || data_rcvd) state_q <= PORT_ACTIVE;
      PORT_ACTIVE: begin
        if (set_state == PORT_ARMED) state_q <= PORT_ARMED;
        if (fc_init_rcvd) state_q <= PORT_INIT;
      end
      default: begin
        if (link_up && tx_idle) begin
          state_q <= PORT_INIT;
          init    <= 1'b1;
        end
      end
    endcase
    if (state_q != PORT_DOWN && set_state == PORT_DOWN) begin
      state_q <= PORT_DOWN;
      down    <= 1'b1;
    end
    if (link_downed || down) begin
      state_q <= PORT_DOWN;
      init    <= 1'b0;
    end

    ev_integrity <= 1'b0;
    ev_overrun   <= 1'b0;
    retrain      <= 1'b0;
    if (limit) begin
      errors_q     <= '0;
      ev_integrity <= 1'b1;
      retrain      <= 1'b1;
    end else if (bad_rcvd) begin
      errors_q <= errors_q + 1'b1;
    end else if (good_rcvd && errors_q != '0) begin
      errors_q <= errors_q - 1'b1;
    end

    overrun_q <= overrun_q || overrun;
    period_q  <= period_q == '0 ? PERIOD_W'(PERIOD - 1) : period_q - 1'b1;
    if (period_q == '0) begin
      overrun_q <= overrun;
      periods_q <= overrun_q ? periods_q + 1'b1 : '0;
      if (overrun_q && periods_q >= {1'b0, overrun_errors}) begin
        periods_q  <= '0;
        ev_overrun <= 1'b1;
      end
    end

    if (fc_rcvd || !link_up) watch_q <= WATCH_W'(WATCHDOG);
    else if (watch_q != '0) watch_q <= watch_q - 1'b1;
    if (watch_q == WATCH_W'(1) && link_up && !fc_rcvd) retrain <= 1'b1;

    if (!link_up) errors_q <= '0;
    if (rst) begin
      state_q      <= PORT_DOWN;
      init         <= 1'b0;
      down         <= 1'b0;
      retrain      <= 1'b0;
      ev_integrity <= 1'b0;
      ev_overrun   <= 1'b0;
      errors_q     <= '0;
      overrun_q    <= 1'b0;
      periods_q    <= '0;
      period_q     <= PERIOD_W'(PERIOD - 1);
      watch_q      <= WATCH_W'(WATCHDOG);
    end
  end
endmodule
