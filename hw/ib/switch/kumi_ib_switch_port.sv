// SPDX-License-Identifier: Apache-2.0
//
// Link layer of a switch port: the parts of kumi_ib_link, with the switch's input and output in
// place of buffers of its own. Packets go to the input while they still come in, and come from the
// output to the line without being stored.
//
// in_*: packets received, see kumi_ib_switch_route; a packet that the line cuts off ends bad. rcvd,
//   commit_*, full, free: from the input. s_axis, room, more_*, take_*, data_ok, mgmt_ok: see
//   kumi_ib_switch_output. Lanes and settings: see kumi_ib_link.
module kumi_ib_switch_port
  import kumi_ib_link_pkg::*;
  import kumi_ib_switch_pkg::*;
#(
    parameter  int LANES        = 4,
    parameter  int WORDS        = 2,
    parameter  int DATA_VLS     = 4,
    parameter  int BLOCKS       = 64,
    parameter  int MTU_CAP      = 4,
    parameter  int SKIP_SYMBOLS = 4608,
    parameter  int FC_PERIOD    = 4096,
    parameter  int TRAIN        = 65536,
    parameter  int WATCHDOG     = 200000,
    localparam int SYMBOLS      = 4 * WORDS / LANES,
    localparam int RINGS        = DATA_VLS + 1,
    localparam int RING_W       = $clog2(RINGS),
    localparam int FREE_W       = $clog2(BLOCKS) + 1
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic                  ready,     // the input is initialised
    input  ib_link_cfg_t          cfg,
    input  logic            [4:0] hoq_life,
    output ib_link_status_t       status,
    output ib_link_events_t       ev,
    output ib_out_info_t          info,

    // To the input.
    output logic                          in_valid,
    output logic [ WORDS-1:0][      31:0] in_data,
    output logic                          in_half,
    output logic                          in_first,
    output logic                          in_last,
    output logic [RING_W-1:0]             in_ring,
    output logic                          in_head_good,
    output logic                          in_good,
    input  logic                          rcvd,
    input  logic [      10:0]             rcvd_words,
    input  logic                          commit_valid,
    input  logic [RING_W-1:0]             commit_ring,
    input  logic [       6:0]             commit_blocks,
    input  logic                          full,
    input  logic [RING_W-1:0]             full_ring,
    input  logic [ RINGS-1:0][FREE_W-1:0] free,

    // From the output.
           kumi_axis_if.snk                   s_axis,
    output logic            [ RINGS-1:0][6:0] room,
    output logic                              more_room,
    output logic            [RING_W-1:0]      more_ring,
    input  logic                              take_valid,
    input  logic            [RING_W-1:0]      take_ring,
    input  logic            [       6:0]      take_blocks,
    input  logic                              idle,
    input  logic                              waits,

    // Lanes.
    input  logic [LANES-1:0][SYMBOLS-1:0][7:0] s_data,
    input  logic [LANES-1:0][SYMBOLS-1:0]      s_k,
    input  logic [LANES-1:0][SYMBOLS-1:0]      s_err,
    input  logic [LANES-1:0]                   s_signal,
    output logic [LANES-1:0][SYMBOLS-1:0][7:0] m_data,
    output logic [LANES-1:0][SYMBOLS-1:0]      m_k,
    output logic                               m_quiet
);
  localparam int DELAY = route_delay(WORDS);

  // Settings within what is built.
  ib_link_cfg_t own_cfg;
  always_comb begin
    own_cfg = cfg;
    if (cfg.mtu > 3'(MTU_CAP) || cfg.mtu == '0) own_cfg.mtu = 3'(MTU_CAP);
  end

  // ---- Line -------------------------------------------------------------------------------------
  logic link_up, rx_run, retrain, down, init, ev_recovery, ev_downed;
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
      .enable(cfg.enable && ready),
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
      .tx_axis(s_axis),
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

  logic fc_valid, fc_right;
  assign fc_right = (fc.op == FC_NORMAL || fc.op == FC_INIT) && fc.vl < vls_of(
      cfg.oper_vls
  ) && 32'(fc.vl) < DATA_VLS;
  assign fc_valid = fc_line_valid && fc_right && port_state != PORT_DOWN;

  // ---- Packets received -------------------------------------------------------------------------
  logic ck_valid, ck_half, ck_first, ck_last, ck_keep, ck_head_good, ck_good, within_q, cut;
  logic [WORDS-1:0][31:0] ck_data;
  logic [RING_W-1:0] ck_ring;
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
      .out_valid(ck_valid),
      .out_data(ck_data),
      .out_half(ck_half),
      .out_first(ck_first),
      .out_last(ck_last),
      .out_ring(ck_ring),
      .out_keep(ck_keep),
      .out_head_good(ck_head_good),
      .out_good(ck_good),
      .drops
  );

  // The end of a packet that the line has cut off.
  assign cut = within_q && !rx_run && !ck_valid;
  always_ff @(posedge clk) begin
    if (ck_valid || cut) within_q <= !ck_last && !cut;
    if (rst) within_q <= 1'b0;
  end

  assign in_valid = ck_valid || cut;
  assign in_data = ck_data;
  assign in_half = ck_half && !cut;
  assign in_first = ck_first && !cut;
  assign in_last = ck_last || cut;
  assign in_ring = ck_ring;
  assign in_head_good = ck_head_good;
  assign in_good = ck_good && !cut;

  // ---- Credits ----------------------------------------------------------------------------------
  logic [DATA_VLS-1:0][11:0] fctbs;
  logic [DATA_VLS-1:0][6:0] data_room;
  logic [DATA_VLS-1:0] permit;
  logic [11:0] fc_req_fccl;

  kumi_ib_credit_tx #(
      .DATA_VLS(DATA_VLS)
  ) u_credit_tx (
      .clk,
      .rst,
      .init,
      .fc_valid,
      .fc_vl(fc.vl[RING_W-1:0]),
      .fc_fccl(fc.fccl),
      .head_blocks('0),
      .permit,
      .room(data_room),
      .take_valid,
      .take_vl(take_ring),
      .take_blocks,
      .sent_valid(sent),
      .sent_vl(s_axis.tdest),
      .sent_blocks(s_axis.tid),
      .fctbs
  );

  always_ff @(posedge clk) begin
    room      <= {7'h7F, data_room};
    more_room <= fc_valid && !rst;
    more_ring <= fc.vl[RING_W-1:0];
  end

  // Packets count when they leave the route, so link packets behind them must not come earlier.
  logic [DELAY-1:0] fc_valid_q;
  fc_pkt_t [DELAY-1:0] fc_q;
  always_ff @(posedge clk) begin
    fc_valid_q <= {fc_valid_q[DELAY-2:0], fc_valid};
    fc_q       <= {fc_q[DELAY-2:0], fc};
    if (rst || init) fc_valid_q <= '0;
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
      .fc_valid(fc_valid_q[DELAY-1]),
      .fc_vl(fc_q[DELAY-1].vl[RING_W-1:0]),
      .fc_fctbs(fc_q[DELAY-1].fctbs),
      .free(free[DATA_VLS-1:0]),
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
    if (!idle) tx_idle_q <= '0;
    else if (tx_idle_q != '1) tx_idle_q <= tx_idle_q + 1'b1;
    full_q        <= full && full_ring != RING_W'(DATA_VLS) && !rst;
    full_mgmt_q   <= full && full_ring == RING_W'(DATA_VLS) && !rst;
    info.data_ok  <= link_up && port_state == PORT_ACTIVE && !rst;
    info.mgmt_ok  <= link_up && port_state != PORT_DOWN && !rst;
    info.mtu      <= own_cfg.mtu;
    info.oper_vls <= cfg.oper_vls;
    info.hoq_life <= hoq_life;
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

  logic [10:0] sent_count_q, sent_count;
  assign sent_count = sent_count_q + (&s_axis.tkeep && WORDS == 2 ? 11'd2 : 11'd1);
  always_ff @(posedge clk) begin
    if (s_axis.tvalid && s_axis.tready) sent_count_q <= s_axis.tlast ? '0 : sent_count;
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
    ev.xmit_wait = waits;
    ev.xmit_discard = ev_line_discard;
    ev.symbol_errors = bad_symbols;
    ev.integrity = ev_integrity;
    ev.buffer_overrun = ev_overrun;
    ev.recovery = ev_recovery;
    ev.downed = ev_downed;
  end

  logic unused;
  assign unused = ^{ck_keep, permit, ev_underrun, own_cfg, fc_q, free};
endmodule
