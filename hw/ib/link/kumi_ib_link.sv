// SPDX-License-Identifier: Apache-2.0
//
// InfiniBand link layer of an endpoint's port, 1x or 4x, from packets to symbols of the 8b/10b code
// (IBTA volume 1 chapter 7, volume 2 chapter 5): training, delimiters, VCRC, virtual lanes with
// credits, arbitration, port state, counters.
//
// s_axis: packets to send, LRH to ICRC, LRH.VL 15 for management (kumi_ib_tx_admit). m_axis:
//   packets received, whole and checked, tdest their VL; rx_ready[v]: packets of VL v may leave (a
//   lane that may not does not delay another). No lane waits inside a packet.
// s_*, m_* of the lanes: [lane][0] first on the wire; s_err: code violation; s_signal: a signal is
//   there. 4 * DATA_W / 32 symbols a cycle in all: 1x at 62.5 MHz and 32 bits is 2.5 Gb/s.
// Nothing is dropped for lack of space but on VL15, which has no flow control. Full rate on one VL
//   takes BLOCKS for three packets of the MTU in use.
// Latency: last beat in to first symbol 9 cycles; last symbol to first beat out 11 cycles (4x at 64
//   bits), 9 (1x): a packet is sent when it is whole, and given on when its VCRC is right.
module kumi_ib_link
  import kumi_ib_link_pkg::*;
#(
    parameter int LANES = 4,  // 1 (DATA_W 32) or 4
    parameter int DATA_W = 64,  // 32 or 64
    parameter int DATA_VLS = 4,  // 1, 2, 4, 8 or 15
    parameter int BLOCKS = 128,  // of 64 bytes per VL and direction, a power of two
    parameter int MTU_CAP = 4,  // largest MTU, code 1 to 5
    parameter int SKIP_SYMBOLS = 4608,  // symbols per lane between skip sets
    parameter int FC_PERIOD = 4096,  // cycles between link packets of a VL, at most
    parameter int TRAIN = 65536,  // cycles that training may take
    parameter int WATCHDOG = 200000,  // cycles without a link packet
    localparam int WORDS = DATA_W / 32,
    localparam int SYMBOLS = 4 * WORDS / LANES,
    localparam int FREE_W = $clog2(BLOCKS) + 1,
    localparam int RING_W = $clog2(DATA_VLS + 1)
) (
    input  logic            clk,
    input  logic            rst,
    input  ib_link_cfg_t    cfg,
    output ib_link_status_t status,
    output ib_link_events_t ev,

    // Packets.
          kumi_axis_if.snk        s_axis,
          kumi_axis_if.src        m_axis,
    input logic            [15:0] rx_ready,

    // Lanes.
    input  logic [LANES-1:0][SYMBOLS-1:0][7:0] s_data,
    input  logic [LANES-1:0][SYMBOLS-1:0]      s_k,
    input  logic [LANES-1:0][SYMBOLS-1:0]      s_err,
    input  logic [LANES-1:0]                   s_signal,
    output logic [LANES-1:0][SYMBOLS-1:0][7:0] m_data,
    output logic [LANES-1:0][SYMBOLS-1:0]      m_k,
    output logic                               m_quiet
);
  import kumi_ib_pkg::max_pkt_len;
  import kumi_ib_pkg::VL_MGMT;

  if (DATA_W != 32 && DATA_W != 64) begin : gen_check_w
    $fatal(0, "DATA_W must be 32 or 64 (%m)");
  end
  if (LANES != 4 && !(LANES == 1 && DATA_W == 32)) begin : gen_check_lanes
    $fatal(0, "LANES must be 4, or 1 with DATA_W 32 (%m)");
  end
  if (32'(vls_of(vls_code(DATA_VLS))) != DATA_VLS) begin : gen_check_vls
    $fatal(0, "DATA_VLS must be 1, 2, 4, 8 or 15 (%m)");
  end
  if (MTU_CAP < 1 || MTU_CAP > 5) begin : gen_check_mtu
    $fatal(0, "MTU_CAP must be 1..5 (%m)");
  end
  if (BLOCKS < 32'(blocks_of(max_pkt_len(3'(MTU_CAP)))) || BLOCKS > 1024) begin : gen_check_blocks
    $fatal(0, "BLOCKS must hold a packet of the largest MTU (%m)");
  end
  if (s_axis.DATA_W != DATA_W || m_axis.DATA_W != DATA_W || m_axis.DEST_W < 4) begin : gen_check_if
    $fatal(0, "s_axis and m_axis must have DATA_W, and tdest of m_axis 4 bits (%m)");
  end

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

  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (7),
      .DEST_W(RING_W)
  ) tx_axis ();

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

  // ---- Packets, receive -------------------------------------------------------------------------
  logic in_valid, in_half, in_first, in_last, in_keep, in_head_good, in_good, rx_full;
  logic [WORDS-1:0][31:0] in_data;
  logic [RING_W-1:0] in_ring;
  ib_rx_drops_t drops;
  logic commit_valid;
  logic [RING_W-1:0] commit_ring, rx_grant_ring;
  logic [6:0] commit_blocks;
  logic [DATA_VLS:0][FREE_W-1:0] rx_free;
  logic [DATA_VLS:0] rx_head, rx_may, rx_pick;
  logic [DATA_VLS:0][10:0] rx_head_len;
  logic rx_start, rx_rd_ready;

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

  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (7),
      .DEST_W(RING_W)
  ) rx_axis ();

  kumi_ib_vl_buf #(
      .WORDS (WORDS),
      .RINGS (DATA_VLS + 1),
      .BLOCKS(BLOCKS)
  ) u_rx_buf (
      .clk,
      .rst,
      .in_valid,
      .in_data,
      .in_half,
      .in_first,
      .in_last,
      .in_keep,
      .in_good,
      .in_ring,
      .ev_full(rx_full),
      .commit_valid,
      .commit_ring,
      .commit_blocks,
      .free(rx_free),
      .head_valid(rx_head),
      .head_len(rx_head_len),
      .rd_start(rx_start),
      .rd_ring(rx_grant_ring),
      .rd_ready(rx_rd_ready),
      .m_axis(rx_axis)
  );

  // The lanes take turns, packet by packet.
  for (genvar r = 0; r <= DATA_VLS; r++) begin : gen_may
    assign rx_may[r] = rx_head[r] && rx_ready[r==DATA_VLS?15 : r];
  end
  kumi_arbiter #(
      .N(DATA_VLS + 1)
  ) u_rx_arb (
      .clk,
      .rst,
      .req  (rx_may),
      .done (rx_start),
      .grant(rx_pick)
  );
  assign rx_start = rx_rd_ready && rx_may != '0;
  always_comb begin
    rx_grant_ring = '0;
    for (int r = 0; r <= DATA_VLS; r++) begin
      if (rx_pick[r]) rx_grant_ring |= RING_W'(r);
    end
  end

  assign m_axis.tdata = rx_axis.tdata;
  assign m_axis.tkeep = rx_axis.tkeep;
  assign m_axis.tvalid = rx_axis.tvalid;
  assign m_axis.tlast = rx_axis.tlast;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = rx_axis.tdest == RING_W'(DATA_VLS) ? (m_axis.DEST_W)'(VL_MGMT) :
      (m_axis.DEST_W)'(rx_axis.tdest);
  assign rx_axis.tready = m_axis.tready;

  // ---- Packets, transmit ------------------------------------------------------------------------
  logic ad_valid, ad_half, ad_first, ad_last, ad_keep, ad_good, ev_discard, tx_full, tx_commit;
  logic [WORDS-1:0][31:0] ad_data;
  logic [RING_W-1:0] ad_ring, tx_commit_ring, grant_ring;
  logic [6:0] tx_commit_blocks, grant_blocks;
  logic [DATA_VLS:0][FREE_W-1:0] tx_free;
  logic [DATA_VLS:0] tx_head;
  logic [DATA_VLS:0][10:0] tx_head_len;
  logic [DATA_VLS:0][6:0] tx_blocks;
  logic [DATA_VLS-1:0] permit, tx_req;
  logic tx_rd_ready, grant_valid, take, tx_mgmt;

  kumi_ib_tx_admit #(
      .WORDS(WORDS),
      .DATA_VLS(DATA_VLS),
      .FREE_W(FREE_W)
  ) u_tx_admit (
      .clk,
      .rst,
      .cfg(own_cfg),
      .port_state,
      .free(tx_free),
      .s_axis,
      .out_valid(ad_valid),
      .out_data(ad_data),
      .out_half(ad_half),
      .out_first(ad_first),
      .out_last(ad_last),
      .out_ring(ad_ring),
      .out_keep(ad_keep),
      .out_good(ad_good),
      .ev_discard
  );

  kumi_ib_vl_buf #(
      .WORDS (WORDS),
      .RINGS (DATA_VLS + 1),
      .BLOCKS(BLOCKS)
  ) u_tx_buf (
      .clk,
      .rst,
      .in_valid(ad_valid),
      .in_data(ad_data),
      .in_half(ad_half),
      .in_first(ad_first),
      .in_last(ad_last),
      .in_keep(ad_keep),
      .in_good(ad_good),
      .in_ring(ad_ring),
      .ev_full(tx_full),
      .commit_valid(tx_commit),
      .commit_ring(tx_commit_ring),
      .commit_blocks(tx_commit_blocks),
      .free(tx_free),
      .head_valid(tx_head),
      .head_len(tx_head_len),
      .rd_start(take),
      .rd_ring(grant_ring),
      .rd_ready(tx_rd_ready),
      .m_axis(tx_axis)
  );

  for (genvar r = 0; r <= DATA_VLS; r++) begin : gen_blocks
    assign tx_blocks[r] = blocks_of(tx_head_len[r]);
  end
  assign tx_mgmt = tx_head[DATA_VLS] && link_up && port_state != PORT_DOWN;
  assign tx_req  = link_up && port_state == PORT_ACTIVE ? tx_head[DATA_VLS-1:0] & permit : '0;

  kumi_ib_vl_arb #(
      .DATA_VLS(DATA_VLS)
  ) u_vl_arb (
      .clk,
      .rst,
      .high_limit(cfg.high_limit),
      .high(cfg.arb_high),
      .low(cfg.arb_low),
      .req(tx_req),
      .mgmt(tx_mgmt),
      .blocks(tx_blocks),
      .grant_valid,
      .grant_ring,
      .grant_blocks,
      .take,
      .cancel(1'b0)
  );
  assign take = grant_valid && tx_rd_ready;

  // ---- Credits ----------------------------------------------------------------------------------
  logic [DATA_VLS-1:0][11:0] fctbs;
  logic [DATA_VLS-1:0][6:0] head_blocks, tx_room;
  logic [11:0] fc_req_fccl;

  assign head_blocks = tx_blocks[DATA_VLS-1:0];

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
      .room(tx_room),
      .take_valid(take),
      .take_vl(grant_ring),
      .take_blocks(grant_blocks),
      .sent_valid(sent),
      .sent_vl(tx_axis.tdest),
      .sent_blocks(tx_axis.tid),
      .fctbs
  );

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
      .fc_valid,
      .fc_vl(fc.vl[RING_W-1:0]),
      .fc_fctbs(fc.fctbs),
      .free(rx_free[DATA_VLS-1:0]),
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
  logic bad_fc, ev_integrity, ev_overrun, full_q, full_mgmt_q, commit_q;
  logic [10:0] in_count_q;

  // A packet that was taken before the port went down is charged to the counts of before.
  logic [ 2:0] tx_idle_q;
  always_ff @(posedge clk) begin
    if (grant_valid || !tx_rd_ready || tx_axis.tvalid) tx_idle_q <= '0;
    else if (tx_idle_q != '1) tx_idle_q <= tx_idle_q + 1'b1;
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
      .good_rcvd(commit_valid || fc_line_valid),
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

  always_ff @(posedge clk) begin
    if (in_valid) begin
      in_count_q <= (in_first ? '0 : in_count_q) + (in_half || WORDS == 1 ? 11'd1 : 11'd2);
    end
    commit_q    <= commit_valid && !rst;
    full_q      <= rx_full && in_ring != RING_W'(DATA_VLS) && !rst;
    full_mgmt_q <= rx_full && in_ring == RING_W'(DATA_VLS) && !rst;
  end

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
    ev.rcv_pkt = commit_q;
    ev.rcv_words = in_count_q;
    ev.xmit_pkt = sent && !ev_line_discard;
    ev.xmit_words = sent_count;
    ev.xmit_wait       = !grant_valid && port_state == PORT_ACTIVE && tx_rd_ready &&
        (tx_head[DATA_VLS-1:0] & ~permit) != '0 && tx_req == '0;
    ev.xmit_discard = ev_discard || ev_line_discard;
    ev.symbol_errors = bad_symbols;
    ev.integrity = ev_integrity;
    ev.buffer_overrun = ev_overrun;
    ev.recovery = ev_recovery;
    ev.downed = ev_downed;
  end

  logic unused;
  assign unused = ^{rx_head_len, rx_free, tx_full, tx_commit, tx_commit_ring, tx_commit_blocks,
                    ev_underrun, tx_room, in_head_good, rx_run,
                    rx_axis.tid, rx_axis.tuser, own_cfg};
endmodule
