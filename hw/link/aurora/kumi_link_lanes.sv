// SPDX-License-Identifier: Apache-2.0
//
// Lanes of a serial link: 64b/66b blocks as in Aurora 64B/66B (SP011, PG074) over 1 to 4 lanes,
// with block lock, channel bonding, clock compensation, and lanes that may drop out.
//
// A row is what all lanes carry in one cycle: LANES blocks, block 0 first. With lanes dropped out
//   the first status.count blocks of a row are sent; the others must be idle and arrive as idle.
// m_lane_*, s_lane_*: scrambled blocks, one per cycle and lane; bit 63 and head[1] are first.
//   s_lane_slip: a pulse moves the block boundary by a bit, effective within SLIP_WAIT cycles.
// tx_*: the row offered in a cycle with tx_take high is sent. tx_take is a register; it is low
//   while the link is down and while clock compensation (CC) is sent.
// rx_*: one row per cycle; CC rows, and all rows while the link is down, are idle. KIND_ERROR is a
//   block without a valid sync header.
// CC: CC_BLOCKS rows every CC_PERIOD cycles. With cfg.cc_manual they start in the cycle after
//   cc_start instead, or on their own 2 * CC_PERIOD cycles after the last one.
// retrain: a pulse takes the link down and retrains it.
// Latency: tx_* to m_lane_* 1 cycle with one lane, else 2; s_lane_* to rx_* 2 cycles with one lane,
//   else 4 plus the skew that the lane makes up. Constant while the link is up.
// Bad input: see kumi_link_lane_rx, kumi_link_bond and kumi_link_training; each event has a pulse.
module kumi_link_lanes
  import kumi_link_pkg::*;
#(
    parameter int LANES     = 1,     // 1..4
    parameter int CC_PERIOD = 4992,  // cycles from one clock compensation to the next
    parameter int CC_BLOCKS = 7,     // rows of a clock compensation, 1..15
    parameter int SLIP_WAIT = 32,    // cycles until a slip has taken effect
    parameter int TRAIN     = 4096,  // cycles that bonding waits for missing lanes
    parameter int REJOIN    = 4096   // cycles that a lane must be healthy before it rejoins
) (
    input logic clk,
    input logic rst,

    output logic [LANES-1:0][63:0] m_lane_data,
    output logic [LANES-1:0][ 1:0] m_lane_head,
    input  logic [LANES-1:0][63:0] s_lane_data,
    input  logic [LANES-1:0][ 1:0] s_lane_head,
    output logic [LANES-1:0]       s_lane_slip,

    output logic                   tx_take,
    input  logic [LANES-1:0][ 1:0] tx_kind,
    input  logic [LANES-1:0][63:0] tx_data,

    output logic [LANES-1:0][ 1:0] rx_kind,
    output logic [LANES-1:0][63:0] rx_data,

    input  logic          cc_start,
    input  logic          retrain,
    input  lanes_cfg_t    cfg,
    output lanes_status_t status,
    output lanes_events_t ev
);
  if (LANES < 1 || LANES > MAX_LANES) begin : gen_check_lanes
    $fatal(0, "LANES must be 1 to 4 (%m)");
  end
  if (CC_BLOCKS < 1 || CC_BLOCKS > 15 || CC_PERIOD < 64) begin : gen_check_cc
    $fatal(0, "CC_BLOCKS must be 1 to 15, CC_PERIOD at least 64 (%m)");
  end

  localparam int IDX_W = LANES == 1 ? 1 : $clog2(LANES);

  link_state_e state;
  logic [LANES-1:0] used, ready, lane_ok, peer_ok, found;
  logic bonded, misaligned, rx_on, tx_on;

  // ---- Receive ----------------------------------------------------------------------------------
  link_block_kind_e [LANES-1:0] kind;
  logic [LANES-1:0][63:0] data;
  logic [LANES-1:0] cc, cb, locked;

  for (genvar i = 0; i < LANES; i++) begin : gen_rx
    kumi_link_lane_rx #(
        .SLIP_WAIT(SLIP_WAIT)
    ) u_rx (
        .clk,
        .rst,
        .s_data(s_lane_data[i]),
        .s_head(s_lane_head[i]),
        .s_slip(s_lane_slip[i]),
        .kind(kind[i]),
        .data(data[i]),
        .cc(cc[i]),
        .cb(cb[i]),
        .locked(locked[i]),
        .ok(lane_ok[i]),
        .peer_ok(peer_ok[i]),
        .ev_bad_sync_header(ev.bad_sync_header[i]),
        .ev_lock_lost(ev.lock_lost[i])
    );
  end

  link_block_kind_e [LANES-1:0] row_kind;
  logic [LANES-1:0][63:0] row_data;
  logic [LANES-1:0] row_cc;

  if (LANES == 1) begin : gen_one
    // Bonding idles show that the other side has lock; a partner that does not send any with one
    // lane gets TRAIN cycles.
    localparam int WAIT_W = $clog2(TRAIN + 1);
    logic [WAIT_W-1:0] wait_q;
    logic [2:0] seen_q;
    assign row_kind     = kind;
    assign row_data     = data;
    assign row_cc       = cc;
    assign found        = lane_ok;
    assign ev.bond_fail = 1'b0;
    always_ff @(posedge clk) begin
      if (wait_q != WAIT_W'(TRAIN)) wait_q <= wait_q + 1'b1;
      if (cb[0] && !seen_q[2]) seen_q <= seen_q + 1'b1;
      bonded <= seen_q[2] || wait_q == WAIT_W'(TRAIN);
      if (rst || !lane_ok[0] || state != LINK_ALIGN) begin
        wait_q <= '0;
        seen_q <= '0;
        bonded <= 1'b0;
      end
    end
  end else begin : gen_many
    logic [LANES-1:0][2:0] side_in, side_out;
    for (genvar i = 0; i < LANES; i++) begin : gen_side
      assign side_in[i]  = {cc[i], kind[i]};
      assign row_cc[i]   = side_out[i][2];
      assign row_kind[i] = link_block_kind_e'(side_out[i][1:0]);
    end

    kumi_link_bond #(
        .LANES (LANES),
        .SIDE_W(3)
    ) u_bond (
        .clk,
        .rst,
        .in_data(data),
        .in_side(side_in),
        .in_cb(cb),
        .out_data(row_data),
        .out_side(side_out),
        .want(lane_ok & cfg.lanes[LANES-1:0]),
        .hold(state != LINK_ALIGN),
        .bonded,
        .found,
        .ev_fail(ev.bond_fail)
    );
  end

  // Block n of a row comes from the n-th used lane.
  logic [LANES-1:0][IDX_W-1:0] from_q;
  logic [LANES-1:0] there_q;

  always_ff @(posedge clk) begin
    for (int n = 0; n < LANES; n++) begin
      automatic int number;
      number = 0;
      from_q[n]  <= '0;
      there_q[n] <= 1'b0;
      for (int i = 0; i < LANES; i++) begin
        if (used[i]) begin
          if (number == n) begin
            from_q[n]  <= IDX_W'(i);
            there_q[n] <= 1'b1;
          end
          number++;
        end
      end
    end
    if (rst) there_q <= '0;
  end

  always_ff @(posedge clk) begin
    for (int n = 0; n < LANES; n++) begin
      rx_data[n] <= row_data[from_q[n]];
      rx_kind[n] <= (there_q[n] && rx_on) ? row_kind[from_q[n]] : KIND_IDLE;
    end
  end

  // The first row of clock compensation must coincide on all used lanes.
  logic any_cc_q, all_cc_q, was_cc_q;
  logic [2:0] wrong_q;
  logic [3:0] since_q;  // rows without CC

  always_ff @(posedge clk) begin
    any_cc_q   <= (row_cc & used) != '0;
    all_cc_q   <= (row_cc & used) == used;
    was_cc_q   <= any_cc_q;
    misaligned <= 1'b0;
    ev.cc_seen <= 1'b0;
    if (any_cc_q) since_q <= '0;
    else if (since_q != '1) since_q <= since_q + 1'b1;
    if (any_cc_q && !was_cc_q && since_q == '1) begin
      ev.cc_seen <= 1'b1;
      if (all_cc_q) begin
        wrong_q <= '0;
      end else begin
        wrong_q    <= wrong_q + 1'b1;
        misaligned <= wrong_q == 3'd3;
      end
    end
    if (rst || state != LINK_UP) begin
      wrong_q    <= '0;
      any_cc_q   <= 1'b0;
      since_q    <= '0;
      misaligned <= 1'b0;
      ev.cc_seen <= 1'b0;
    end
  end

  // ---- Training ---------------------------------------------------------------------------------
  logic [LANES-1:0] ev_lane_up, ev_lane_down;

  kumi_link_training #(
      .LANES (LANES),
      .TRAIN (TRAIN),
      .REJOIN(REJOIN)
  ) u_train (
      .clk,
      .rst,
      .lane_ok,
      .peer_ok,
      .bonded,
      .found,
      .misaligned,
      .retrain,
      .allowed(cfg.lanes[LANES-1:0]),
      .all_lanes(cfg.all_lanes),
      .state,
      .used,
      .ready,
      .rx_on,
      .tx_on,
      .ev_up(ev.link_up),
      .ev_down(ev.link_down),
      .ev_lane_up,
      .ev_lane_down
  );

  // ---- Clock compensation -----------------------------------------------------------------------
  localparam int CC_W = $clog2(2 * CC_PERIOD + 1);
  logic [CC_W-1:0] cc_time_q;
  logic [3:0] cc_left_q;
  logic cc_go, cc_next;

  assign cc_go = cfg.cc_manual && tx_on ? cc_start || cc_time_q >= CC_W'(2 * CC_PERIOD - 1)
                                        : cc_time_q >= CC_W'(CC_PERIOD - 1);
  assign cc_next = cc_go || cc_left_q > 4'd1;

  always_ff @(posedge clk) begin
    cc_time_q  <= cc_go ? '0 : cc_time_q + 1'b1;
    cc_left_q  <= cc_go ? 4'(CC_BLOCKS) : cc_left_q - 4'(cc_left_q != '0);
    ev.cc_sent <= cc_go;
    tx_take    <= tx_on && !cc_next;
    if (rst) begin
      cc_time_q  <= '0;
      cc_left_q  <= '0;
      ev.cc_sent <= 1'b0;
      tx_take    <= 1'b0;
    end
  end

  // ---- Transmit ---------------------------------------------------------------------------------
  localparam int CB_PERIOD = 128;
  logic [$clog2(CB_PERIOD)-1:0] cb_time_q;
  logic cb_now_q;

  always_ff @(posedge clk) begin
    cb_time_q <= cb_time_q + 1'b1;
    cb_now_q  <= cb_time_q == '0 && state != LINK_UP && lane_ok != '0;
    if (rst) cb_time_q <= '0;
  end

  for (genvar i = 0; i < LANES; i++) begin : gen_tx
    link_block_kind_e kind_d, own_kind;
    logic [63:0] data_d, own_data;

    if (LANES == 1) begin : gen_direct
      assign own_kind = tx_take ? link_block_kind_e'(tx_kind[0]) : KIND_IDLE;
      assign own_data = tx_data[0];
    end else begin : gen_map
      logic [IDX_W-1:0] block_q;  // number of this lane's block in a row

      always_ff @(posedge clk) begin
        automatic logic [IDX_W-1:0] number;
        number = '0;
        for (int k = 0; k < i; k++) number += IDX_W'(used[k]);
        block_q  <= number;
        own_kind <= tx_take && used[i] ? link_block_kind_e'(tx_kind[block_q]) : KIND_IDLE;
        own_data <= tx_data[block_q];
      end
    end

    // The other signals of the row, as old as own_kind.
    logic cc_here, cb_here, ready_here;
    if (LANES == 1) begin : gen_same
      assign cc_here    = cc_left_q != '0;
      assign cb_here    = cb_now_q;
      assign ready_here = ready[i];
    end else begin : gen_late
      always_ff @(posedge clk) begin
        cc_here    <= cc_left_q != '0;
        cb_here    <= cb_now_q;
        ready_here <= ready[i];
      end
    end

    always_comb begin
      kind_d = own_kind;
      data_d = own_data;
      if (own_kind == KIND_IDLE || own_kind == KIND_ERROR) begin
        kind_d = KIND_IDLE;
        if (cc_here) data_d = IDLE_CC;
        else if (cb_here) data_d = IDLE_CB;
        else if (ready_here) data_d = IDLE_SA;
        else data_d = IDLE_NR;
      end
    end

    logic [63:0] first_low, scrambled;
    for (genvar b = 0; b < 64; b++) begin : gen_turn
      assign first_low[b] = data_d[63-b];
      always_ff @(posedge clk) m_lane_data[i][63-b] <= scrambled[b];
    end

    kumi_64b66b_scrambler #(
        .W(64)
    ) u_scrambler (
        .clk,
        .rst,
        .en(1'b1),
        .d (first_low),
        .q (scrambled)
    );

    always_ff @(posedge clk) begin
      m_lane_head[i] <= kind_d == KIND_DATA ? HEAD_DATA : HEAD_CTRL;
    end
  end

  // ---- Status -----------------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    status        <= '0;
    status.up     <= tx_on;
    status.rx_up  <= rx_on;
    status.state  <= state;
    status.used   <= MAX_LANES'(used);
    status.locked <= MAX_LANES'(locked);
    status.count  <= 3'($countones(used));
    if (rst) status <= '0;
  end

  assign ev.slip      = MAX_LANES'(s_lane_slip);
  assign ev.lane_up   = MAX_LANES'(ev_lane_up);
  assign ev.lane_down = MAX_LANES'(ev_lane_down);
  if (LANES < MAX_LANES) begin : gen_no_lanes
    assign ev.bad_sync_header[MAX_LANES-1:LANES] = '0;
    assign ev.lock_lost[MAX_LANES-1:LANES] = '0;
  end

endmodule
