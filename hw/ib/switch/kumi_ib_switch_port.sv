// SPDX-License-Identifier: Apache-2.0
//
// Link layer of a switch port: kumi_ib_link_core with the switch's input and output in place of
// buffers of its own. Packets go to the input while they still come in, and come from the
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
  // ---- Line, credits, port ----------------------------------------------------------------------
  ib_link_cfg_t port_cfg, own_cfg;
  logic link_up, rx_run, credit_valid;
  logic ck_valid, ck_half, ck_first, ck_last, ck_keep, ck_head_good, ck_good;
  logic [WORDS-1:0][31:0] ck_data;
  logic [RING_W-1:0] ck_ring, credit_vl;
  logic [DATA_VLS-1:0][6:0] data_room;
  logic [DATA_VLS-1:0] permit;

  always_comb begin
    port_cfg = cfg;
    port_cfg.enable = cfg.enable && ready;
  end

  kumi_ib_link_core #(
      .LANES(LANES),
      .WORDS(WORDS),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP),
      .SKIP_SYMBOLS(SKIP_SYMBOLS),
      .FC_PERIOD(FC_PERIOD),
      .TRAIN(TRAIN),
      .WATCHDOG(WATCHDOG),
      .FC_DELAY(route_delay(WORDS))
  ) u_core (
      .clk,
      .rst,
      .cfg(port_cfg),
      .own_cfg,
      .status,
      .ev,
      .link_up,
      .rx_run,
      .in_valid(ck_valid),
      .in_data(ck_data),
      .in_half(ck_half),
      .in_first(ck_first),
      .in_last(ck_last),
      .in_ring(ck_ring),
      .in_keep(ck_keep),
      .in_head_good(ck_head_good),
      .in_good(ck_good),
      .commit_valid,
      .commit_ring,
      .commit_blocks,
      .full,
      .full_ring,
      .rcvd,
      .rcvd_words,
      .free(free[DATA_VLS-1:0]),
      .tx_axis(s_axis),
      .head_blocks('0),
      .permit,
      .room(data_room),
      .credit_valid,
      .credit_vl,
      .take_valid,
      .take_ring,
      .take_blocks,
      .tx_idle(idle),
      .xmit_wait(waits),
      .xmit_drop(1'b0),
      .s_data,
      .s_k,
      .s_err,
      .s_signal,
      .m_data,
      .m_k,
      .m_quiet
  );

  // ---- To the input -----------------------------------------------------------------------------
  // The end of a packet that the line has cut off.
  logic within_q, cut;
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

  // ---- To the output ----------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    room          <= {7'h7F, data_room};
    more_room     <= credit_valid && !rst;
    more_ring     <= credit_vl;
    info.data_ok  <= link_up && status.port_state == PORT_ACTIVE && !rst;
    info.mgmt_ok  <= link_up && status.port_state != PORT_DOWN && !rst;
    info.mtu      <= own_cfg.mtu;
    info.oper_vls <= cfg.oper_vls;
    info.hoq_life <= hoq_life;
  end

  logic unused;
  assign unused = ^{ck_keep, permit, own_cfg, free};
endmodule
