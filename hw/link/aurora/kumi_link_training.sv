// SPDX-License-Identifier: Apache-2.0
//
// Link training: state machine that selects the lanes and brings the link up (lane and channel
// initialisation of Aurora 64B/66B, extended by lanes that may drop out).
//
// Each side reports by the "not ready" flag of its idle blocks, lane by lane, whether it receives
//   that lane. ALIGN: waits for lanes and bonding, and reports "not ready" on all. SETTLE: has
//   fixed the set of lanes that it receives and reports "ready" on those. The lanes that both sides
//   receive are used; both compute the same set, because each side's set is fixed while it is
//   reported. When that set has been stable for half of SETTLE_ROWS, rows are received, and after
//   all of them sent: the other side, which learns the set at most one flight and SKEW cycles
//   later, is then ready. UP ends when a used lane fails, when the other side reports "not ready"
//   on one, when rows are misaligned, or on retrain. Then both sides return to ALIGN. An unused
//   lane that is healthy in both directions for REJOIN cycles causes that too; whenever it then
//   fails to come up, the wait doubles, up to 128 times.
// Every wait is bounded except for a line or a partner: ALIGN continues without missing lanes TRAIN
//   cycles after the first (not with all_lanes), SETTLE returns to ALIGN after 4 * TRAIN cycles.
module kumi_link_training
  import kumi_link_pkg::*;
#(
    parameter int LANES  = 1,
    parameter int TRAIN  = 4096,  // cycles that ALIGN waits for missing lanes
    parameter int REJOIN = 4096   // cycles that a lane must be healthy before it rejoins
) (
    input logic clk,
    input logic rst,

    input logic [LANES-1:0] lane_ok,     // healthy
    input logic [LANES-1:0] peer_ok,     // the other side receives it
    input logic             bonded,
    input logic [LANES-1:0] found,       // lanes that are bonded
    input logic             misaligned,  // pulse: rows are misaligned
    input logic             retrain,     // pulse

    input logic [LANES-1:0] allowed,   // lanes that may be used
    input logic             all_lanes, // all or none

    output link_state_e             state,
    output logic        [LANES-1:0] used,   // lanes that rows are spread over
    output logic        [LANES-1:0] ready,  // lanes to report "ready" on
    output logic                    rx_on,  // rows are received
    output logic                    tx_on,  // rows are sent

    output logic             ev_up,
    output logic             ev_down,
    output logic [LANES-1:0] ev_lane_up,
    output logic [LANES-1:0] ev_lane_down
);
  localparam int SETTLE_ROWS = 128;
  localparam int SETTLE_W = $clog2(SETTLE_ROWS);
  localparam int TRAIN_W = $clog2(TRAIN) + 3;
  localparam int BACKOFF = 7;
  localparam int REJOIN_W = $clog2(REJOIN) + BACKOFF + 1;

  if (TRAIN < 16 || REJOIN < 16) begin : gen_check_times
    $fatal(0, "TRAIN and REJOIN must be at least 16 (%m)");
  end

  logic [LANES-1:0] want, mine_q, both, before_q;
  logic [ TRAIN_W-1:0] time_q;
  logic [SETTLE_W-1:0] rows_q;
  logic late, complete, failed, rejoin_due, try_q;  // try_q: down to take a lane back
  logic [REJOIN_W-1:0] rejoin_q;
  logic [2:0] backoff_q;
  logic [LANES-1:0] spare;

  assign want       = lane_ok & allowed;
  assign both       = mine_q & peer_ok;
  assign late       = time_q >= TRAIN_W'(TRAIN);
  assign complete   = bonded && found == allowed;

  // Another lane could be used; evaluated a cycle later.
  assign spare      = want & peer_ok & ~used;
  assign rejoin_due = rejoin_q[REJOIN_W-1];

  always_ff @(posedge clk) begin
    failed <= (used & ~want) != '0 || (used & ~peer_ok) != '0 || misaligned || retrain;
    if (state != LINK_UP || spare == '0) begin
      rejoin_q <= REJOIN_W'(2 ** (REJOIN_W - 1)) - (REJOIN_W'(REJOIN) << backoff_q);
    end else if (!rejoin_due) begin
      rejoin_q <= rejoin_q + 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    ev_up        <= 1'b0;
    ev_down      <= 1'b0;
    ev_lane_up   <= '0;
    ev_lane_down <= '0;
    if (time_q != '1) time_q <= time_q + 1'b1;
    unique case (state)
      LINK_ALIGN: begin
        used   <= '0;
        rx_on  <= 1'b0;
        tx_on  <= 1'b0;
        rows_q <= '0;
        if (want == '0) begin
          time_q <= '0;
        end else if (complete || (bonded && late && !all_lanes)) begin
          state  <= LINK_SETTLE;
          mine_q <= found;
          time_q <= '0;
        end
      end
      LINK_SETTLE: begin
        used <= both;
        if (both != used || both == '0 || (all_lanes && both != allowed)) begin
          rows_q <= '0;
          rx_on  <= 1'b0;
        end else begin
          rows_q <= rows_q + 1'b1;
          if (rows_q == SETTLE_W'(SETTLE_ROWS / 2 - 1)) rx_on <= 1'b1;
          if (rows_q == SETTLE_W'(SETTLE_ROWS - 1)) begin
            state        <= LINK_UP;
            tx_on        <= 1'b1;
            ev_up        <= 1'b1;
            ev_lane_up   <= used & ~before_q;
            ev_lane_down <= before_q & ~used;
            before_q     <= used;
            try_q        <= 1'b0;
            if ((used & ~before_q) != '0) backoff_q <= '0;
            else if (try_q && backoff_q != 3'(BACKOFF)) backoff_q <= backoff_q + 1'b1;
          end
        end
        if ((mine_q & ~want) != '0 || (used != '0 && both == '0)
            || time_q >= TRAIN_W'(4 * TRAIN) || retrain) begin
          state  <= LINK_ALIGN;
          time_q <= '0;
          rx_on  <= 1'b0;
          tx_on  <= 1'b0;
          ev_up  <= 1'b0;
        end
      end
      default: begin
        if (failed || rejoin_due) begin
          state   <= LINK_ALIGN;
          time_q  <= '0;
          rx_on   <= 1'b0;
          tx_on   <= 1'b0;
          ev_down <= 1'b1;
          try_q   <= rejoin_due;
        end
      end
    endcase
    if (rst) begin
      state     <= LINK_ALIGN;
      used      <= '0;
      rx_on     <= 1'b0;
      tx_on     <= 1'b0;
      time_q    <= '0;
      rows_q    <= '0;
      before_q  <= '0;
      backoff_q <= '0;
      try_q     <= 1'b0;
      mine_q    <= '0;
    end
  end

  // In UP an unused lane reports whether it could be used.
  always_comb begin
    unique case (state)
      LINK_ALIGN:  ready = '0;
      LINK_SETTLE: ready = mine_q;
      default:     ready = want;
    endcase
  end

endmodule
