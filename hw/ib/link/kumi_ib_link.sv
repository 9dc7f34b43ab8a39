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
  if (BLOCKS < 32'(blocks_of(max_pkt_len(3'(MTU_CAP)))) || BLOCKS > 1024) begin : gen_check_blocks
    $fatal(0, "BLOCKS must hold a packet of the largest MTU (%m)");
  end
  if (s_axis.DATA_W != DATA_W || m_axis.DATA_W != DATA_W || m_axis.DEST_W < 4) begin : gen_check_if
    $fatal(0, "s_axis and m_axis must have DATA_W, and tdest of m_axis 4 bits (%m)");
  end

  // ---- Line, credits, port ----------------------------------------------------------------------
  ib_link_cfg_t own_cfg;
  port_state_e  port_state;
  logic link_up, rx_run;
  logic in_valid, in_half, in_first, in_last, in_keep, in_head_good, in_good, rx_full;
  logic [WORDS-1:0][31:0] in_data;
  logic [RING_W-1:0] in_ring, commit_ring, rx_grant_ring, grant_ring, credit_vl;
  logic commit_valid, commit_q, take, grant_valid, tx_rd_ready, ev_discard, wait_room, credit_valid;
  logic [6:0] commit_blocks, grant_blocks;
  logic [10:0] in_count_q;
  logic [DATA_VLS:0][FREE_W-1:0] rx_free;
  logic [DATA_VLS:0] rx_head, rx_may, rx_pick;
  logic [DATA_VLS:0][10:0] rx_head_len;
  logic [DATA_VLS:0][ 6:0] tx_blocks;
  logic [DATA_VLS-1:0] permit, tx_req;
  logic [DATA_VLS-1:0][6:0] tx_room;
  logic rx_start, rx_rd_ready;

  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (7),
      .DEST_W(RING_W)
  )
      tx_axis (), rx_axis ();

  kumi_ib_link_core #(
      .LANES(LANES),
      .WORDS(WORDS),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP),
      .SKIP_SYMBOLS(SKIP_SYMBOLS),
      .FC_PERIOD(FC_PERIOD),
      .TRAIN(TRAIN),
      .WATCHDOG(WATCHDOG)
  ) u_core (
      .clk,
      .rst,
      .cfg,
      .own_cfg,
      .status,
      .ev,
      .link_up,
      .rx_run,
      .in_valid,
      .in_data,
      .in_half,
      .in_first,
      .in_last,
      .in_ring,
      .in_keep,
      .in_head_good,
      .in_good,
      .commit_valid,
      .commit_ring,
      .commit_blocks,
      .full(rx_full),
      .full_ring(in_ring),
      .rcvd(commit_q),
      .rcvd_words(in_count_q),
      .free(rx_free[DATA_VLS-1:0]),
      .tx_axis,
      .head_blocks(tx_blocks[DATA_VLS-1:0]),
      .permit,
      .room(tx_room),
      .credit_valid,
      .credit_vl,
      .take_valid(take),
      .take_ring(grant_ring),
      .take_blocks(grant_blocks),
      .tx_idle(!grant_valid && tx_rd_ready && !tx_axis.tvalid),
      .xmit_wait(wait_room),
      .xmit_drop(ev_discard),
      .s_data,
      .s_k,
      .s_err,
      .s_signal,
      .m_data,
      .m_k,
      .m_quiet
  );
  assign port_state = status.port_state;

  // ---- Packets, receive -------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    if (in_valid) begin
      in_count_q <= (in_first ? '0 : in_count_q) + (in_half || WORDS == 1 ? 11'd1 : 11'd2);
    end
    commit_q <= commit_valid && !rst;
  end

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
  logic ad_valid, ad_half, ad_first, ad_last, ad_keep, ad_good, tx_full, tx_commit, tx_mgmt;
  logic [WORDS-1:0][31:0] ad_data;
  logic [RING_W-1:0] ad_ring, tx_commit_ring;
  logic [6:0] tx_commit_blocks;
  logic [DATA_VLS:0][FREE_W-1:0] tx_free;
  logic [DATA_VLS:0] tx_head;
  logic [DATA_VLS:0][10:0] tx_head_len;
  logic [3:0] grant_share;  // packets are chosen one by one

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
      .grant_share,
      .take,
      .done(take)
  );
  assign take = grant_valid && tx_rd_ready;

  assign wait_room = !grant_valid && port_state == PORT_ACTIVE && tx_rd_ready &&
      (tx_head[DATA_VLS-1:0] & ~permit) != '0 && tx_req == '0;

  logic unused;
  assign unused = ^{rx_head_len, rx_free, tx_full, tx_commit, tx_commit_ring, tx_commit_blocks,
                    tx_room, grant_share, in_head_good, rx_run, credit_valid, credit_vl,
                    rx_axis.tid, rx_axis.tuser, own_cfg};
endmodule
