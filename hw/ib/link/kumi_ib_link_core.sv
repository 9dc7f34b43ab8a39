// SPDX-License-Identifier: Apache-2.0
//
// What the link of an endpoint (kumi_ib_link) and the port of a switch (kumi_ib_switch_port) share:
// lanes, packet check, credits, port state and events (IBTA volume 1, chapter 7).
//
// cfg, status, ev, lanes: see kumi_ib_link; own_cfg: cfg within what is built. link_up: packets may
//   pass.
// in_*: packets received and checked, see kumi_ib_rx_check; nothing while rx_run is low. What
//   became of them: commit_* charges the credits of a packet that is kept, `full` drops one for
//   lack of space on full_ring, rcvd counts one with its words. FC_DELAY: cycles from in_* to
//   commit_*; link packets wait so long, because they must not overtake a packet before them.
// tx_axis: packets to send, tdest their ring, tid their blocks, without a stall inside. take_*: one
//   is on its way; permit, room: see kumi_ib_credit_tx; credit_*: pulse, a limit of this VL has
//   come. tx_idle: no packet is on its way.
// xmit_wait, xmit_drop: seen by the user, for ev. Latency: see kumi_ib_phy, and 1 cycle to in_*.
module kumi_ib_link_core
  import kumi_ib_link_pkg::*;
#(
    parameter  int LANES        = 4,
    parameter  int WORDS        = 2,
    parameter  int DATA_VLS     = 4,
    parameter  int BLOCKS       = 128,                   // of 64 bytes per VL, receive
    parameter  int MTU_CAP      = 4,
    parameter  int SKIP_SYMBOLS = 4608,
    parameter  int FC_PERIOD    = 4096,
    parameter  int TRAIN        = 65536,
    parameter  int WATCHDOG     = 200000,
    parameter  int FC_DELAY     = 0,
    localparam int SYMBOLS      = 4 * WORDS / LANES,
    localparam int RING_W       = $clog2(DATA_VLS + 1),
    localparam int FREE_W       = $clog2(BLOCKS) + 1
) (
    input  logic            clk,
    input  logic            rst,
    input  ib_link_cfg_t    cfg,
    output ib_link_cfg_t    own_cfg,
    output ib_link_status_t status,
    output ib_link_events_t ev,
    output logic            link_up,

    // Packets received.
    output logic                            rx_run,
    output logic                            in_valid,
    output logic [   WORDS-1:0][      31:0] in_data,
    output logic                            in_half,
    output logic                            in_first,
    output logic                            in_last,
    output logic [  RING_W-1:0]             in_ring,
    output logic                            in_keep,
    output logic                            in_head_good,
    output logic                            in_good,
    input  logic                            commit_valid,
    input  logic [  RING_W-1:0]             commit_ring,
    input  logic [         6:0]             commit_blocks,
    input  logic                            full,
    input  logic [  RING_W-1:0]             full_ring,
    input  logic                            rcvd,
    input  logic [        10:0]             rcvd_words,
    input  logic [DATA_VLS-1:0][FREE_W-1:0] free,

    // Packets to send.
           kumi_axis_if.snk                     tx_axis,
    input  logic            [DATA_VLS-1:0][6:0] head_blocks,
    output logic            [DATA_VLS-1:0]      permit,
    output logic            [DATA_VLS-1:0][6:0] room,
    output logic                                credit_valid,
    output logic            [  RING_W-1:0]      credit_vl,
    input  logic                                take_valid,
    input  logic            [  RING_W-1:0]      take_ring,
    input  logic            [         6:0]      take_blocks,
    input  logic                                tx_idle,
    input  logic                                xmit_wait,
    input  logic                                xmit_drop,

    // Lanes.
    input  logic [LANES-1:0][SYMBOLS-1:0][7:0] s_data,
    input  logic [LANES-1:0][SYMBOLS-1:0]      s_k,
    input  logic [LANES-1:0][SYMBOLS-1:0]      s_err,
    input  logic [LANES-1:0]                   s_signal,
    output logic [LANES-1:0][SYMBOLS-1:0][7:0] m_data,
    output logic [LANES-1:0][SYMBOLS-1:0]      m_k,
    output logic                               m_quiet
);
  if (32'(vls_of(vls_code(DATA_VLS))) != DATA_VLS) begin : gen_check_vls
    $fatal(0, "DATA_VLS must be 1, 2, 4, 8 or 15 (%m)");
  end
  if (MTU_CAP < 1 || MTU_CAP > 5) begin : gen_check_mtu
    $fatal(0, "MTU_CAP must be 1..5 (%m)");
  end

  // Settings within what is built.
  always_comb begin
    own_cfg = cfg;
    if (cfg.mtu > 3'(MTU_CAP) || cfg.mtu == '0) own_cfg.mtu = 3'(MTU_CAP);
  end

  // ---- Line -------------------------------------------------------------------------------------
  logic retrain, down, init, ev_recovery, ev_downed;
  phys_state_e phys_state;
  port_state_e port_state;
  logic rx_valid, rx_half, rx_first, rx_last, rx_bad, rx_remote, fc_line_valid, ev_bad_crc_fc;
  logic [WORDS-1:0][31:0] rx_data;
  fc_pkt_t fc, fc_out;
  logic sent, fc_req, fc_ready, ev_underrun, ev_line_discard;
  logic fc_req_unused;  // of a lane that is not in operation: passed over
  logic [RING_W-1:0] fc_req_vl;
  logic [3:0] bad_symbols;

  kumi_ib_phy #(
      .LANES(LANES),
      .WORDS(WORDS),
      .SKIP_SYMBOLS(SKIP_SYMBOLS),
      .TRAIN(TRAIN)
  ) u_phy (
      .clk,
      .rst,
      .enable(cfg.enable),
      .retrain,
      .down,
      .phys_state,
      .link_up,
      .rx_run,
      .rx_valid,
      .rx_data,
      .rx_half,
      .rx_first,
      .rx_last,
      .rx_bad,
      .rx_remote,
      .rx_fc_valid(fc_line_valid),
      .rx_fc(fc),
      .tx_axis,
      .tx_sent(sent),
      .tx_fc_valid(fc_req && port_state != PORT_DOWN && !fc_req_unused),
      .tx_fc_ready(fc_ready),
      .tx_fc(fc_out),
      .ev_bad_fc(ev_bad_crc_fc),
      .ev_underrun,
      .ev_discard(ev_line_discard),
      .ev_recovery,
      .ev_downed,
      .bad_symbols,
      .s_data,
      .s_k,
      .s_err,
      .s_signal,
      .m_data,
      .m_k,
      .m_quiet
  );

  // Link packets: those of lanes that are not built or not in operation are errors.
  logic fc_valid, fc_right;
  assign fc_right = (fc.op == FC_NORMAL || fc.op == FC_INIT) && fc.vl < vls_of(
      cfg.oper_vls
  ) && 32'(fc.vl) < DATA_VLS;
  assign fc_valid = fc_line_valid && fc_right && port_state != PORT_DOWN;

  // ---- Packets received -------------------------------------------------------------------------
  ib_rx_drops_t drops;

  kumi_ib_rx_check #(
      .WORDS(WORDS),
      .DATA_VLS(DATA_VLS)
  ) u_rx_check (
      .clk,
      .rst,
      .cfg(own_cfg),
      .port_state,
      .in_valid(rx_valid),
      .in_data(rx_data),
      .in_half(rx_half),
      .in_first(rx_first),
      .in_last(rx_last),
      .in_bad(rx_bad),
      .in_remote(rx_remote),
      .out_valid(in_valid),
      .out_data(in_data),
      .out_half(in_half),
      .out_first(in_first),
      .out_last(in_last),
      .out_ring(in_ring),
      .out_keep(in_keep),
      .out_head_good(in_head_good),
      .out_good(in_good),
      .drops
  );

  // ---- Credits ----------------------------------------------------------------------------------
  logic [DATA_VLS-1:0][11:0] fctbs;
  logic [11:0] fc_req_fccl;

  assign credit_valid = fc_valid;
  assign credit_vl = fc.vl[RING_W-1:0];

  kumi_ib_credit_tx #(
      .DATA_VLS(DATA_VLS)
  ) u_credit_tx (
      .clk,
      .rst,
      .init,
      .fc_valid,
      .fc_vl(fc.vl[RING_W-1:0]),
      .fc_fccl(fc.fccl),
      .head_blocks,
      .permit,
      .room,
      .take_valid,
      .take_vl(take_ring),
      .take_blocks,
      .sent_valid(sent),
      .sent_vl(tx_axis.tdest),
      .sent_blocks(tx_axis.tid),
      .fctbs
  );

  logic fc_late_valid;
  fc_pkt_t fc_late;
  if (FC_DELAY == 0) begin : gen_now
    assign fc_late_valid = fc_valid;
    assign fc_late = fc;
  end else begin : gen_late
    logic [FC_DELAY-1:0] valid_q;
    fc_pkt_t [FC_DELAY-1:0] fc_q;
    always_ff @(posedge clk) begin
      valid_q <= {valid_q[FC_DELAY-2:0], fc_valid};
      fc_q    <= {fc_q[FC_DELAY-2:0], fc};
      if (rst || init) valid_q <= '0;
    end
    assign fc_late_valid = valid_q[FC_DELAY-1];
    assign fc_late = fc_q[FC_DELAY-1];
  end

  kumi_ib_credit_rx #(
      .DATA_VLS(DATA_VLS),
      .FREE_W(FREE_W),
      .STEP(BLOCKS / 4),
      .PERIOD(FC_PERIOD)
  ) u_credit_rx (
      .clk,
      .rst,
      .init,
      .commit_valid,
      .commit_vl(commit_ring),
      .commit_blocks,
      .fc_valid(fc_late_valid),
      .fc_vl(fc_late.vl[RING_W-1:0]),
      .fc_fctbs(fc_late.fctbs),
      .free,
      .req_valid(fc_req),
      .req_vl(fc_req_vl),
      .req_fccl(fc_req_fccl),
      .req_ready(fc_ready || fc_req_unused)
  );
  assign fc_req_unused = 4'(fc_req_vl) >= vls_of(cfg.oper_vls);

  always_comb begin
    fc_out.op    = port_state == PORT_INIT ? FC_INIT : FC_NORMAL;
    fc_out.fctbs = fctbs[fc_req_vl];
    fc_out.vl    = 4'(fc_req_vl);
    fc_out.fccl  = fc_req_fccl;
  end

  // ---- Port -------------------------------------------------------------------------------------
  logic bad_fc, ev_integrity, ev_overrun, full_q, full_mgmt_q;

  // A packet that was taken before the port went down is charged to the counts of before.
  logic [2:0] tx_idle_q;
  always_ff @(posedge clk) begin
    if (!tx_idle) tx_idle_q <= '0;
    else if (tx_idle_q != '1) tx_idle_q <= tx_idle_q + 1'b1;
    full_q      <= full && full_ring != RING_W'(DATA_VLS) && !rst;
    full_mgmt_q <= full && full_ring == RING_W'(DATA_VLS) && !rst;
    if (rst) tx_idle_q <= '0;
  end

  assign bad_fc = ev_bad_crc_fc || (fc_line_valid && !fc_right);

  kumi_ib_port_ctrl #(
      .PERIOD  (FC_PERIOD),
      .WATCHDOG(WATCHDOG)
  ) u_port_ctrl (
      .clk,
      .rst,
      .set_state(cfg.set_state),
      .phy_errors(cfg.phy_errors),
      .overrun_errors(cfg.overrun_errors),
      .link_up,
      .tx_idle(tx_idle_q == '1),
      .link_downed(ev_downed),
      .data_rcvd(commit_valid && commit_ring != RING_W'(DATA_VLS)),
      .good_rcvd(rcvd || fc_line_valid),
      .bad_rcvd(drops.bad_packet || ev_bad_crc_fc),
      .overrun(full_q),
      .fc_rcvd(fc_valid),
      .fc_init_rcvd(fc_valid && fc.op == FC_INIT),
      .port_state,
      .init,
      .down,
      .retrain,
      .ev_integrity,
      .ev_overrun
  );

  assign status.phys_state = phys_state;
  assign status.port_state = port_state;

  // ---- Events -----------------------------------------------------------------------------------
  logic [10:0] sent_count_q, sent_count;
  assign sent_count = sent_count_q + (&tx_axis.tkeep && WORDS == 2 ? 11'd2 : 11'd1);
  always_ff @(posedge clk) begin
    if (tx_axis.tvalid && tx_axis.tready) sent_count_q <= tx_axis.tlast ? '0 : sent_count;
    if (rst) sent_count_q <= '0;
  end

  always_comb begin
    ev = '0;
    ev.drops = drops;
    ev.drops.overrun = full_q;
    ev.drops.vl15_full = full_mgmt_q;
    ev.drops.bad_fc = bad_fc;
    ev.rcv_pkt = rcvd;
    ev.rcv_words = rcvd_words;
    ev.xmit_pkt = sent && !ev_line_discard;
    ev.xmit_words = sent_count;
    ev.xmit_wait = xmit_wait;
    ev.xmit_discard = xmit_drop || ev_line_discard;
    ev.symbol_errors = bad_symbols;
    ev.integrity = ev_integrity;
    ev.buffer_overrun = ev_overrun;
    ev.recovery = ev_recovery;
    ev.downed = ev_downed;
  end

  logic unused;
  assign unused = ^{ev_underrun, fc_late};
endmodule
