// SPDX-License-Identifier: Apache-2.0
//
// A node behind a router: network interface, its SW2 link, the router's SW2 link, router,
// InfiniBand link. The tables are written for a pair of stations: NODE 0 has LID 100 and peer 1,
//   and back.
//
// s_axis_store: a word of address {strobes [39:32], address [19:0]}, then the beats of a burst.
// events: {AXI write of a store, first beat of the interface taken by its SW2 link, first beat of
//   the SW2 link's receive side at the router, of the router's InfiniBand side, of the link's
//   receive side, of the router's SW2 side, of the SW2 link's receive side at the interface, write
//   to memory}.
// sw2_flip: inverts a bit of the SW2 words in both directions in this cycle.
module kumi_tb_sw2_station
  import kumi_ib_link_pkg::*;
#(
    parameter int NODE = 0,
    parameter int LANES = 4,
    parameter int DATA_W = 64,
    localparam int SYMBOLS = DATA_W / 8 / LANES
) (
    input logic clk,
    input logic rst,
    input logic start,
    input ib_link_cfg_t cfg,
    output ib_link_status_t status,
    input logic sw2_flip,
    output kumi_ib_router_pkg::events_t router_ev,
    output kumi_sw2_pkg::link_events_t sw2_ev,
    output kumi_sw2_pkg::rx_events_t rx_ev,
    output logic [7:0] events,
    kumi_axis_if.snk s_axis_store,
    kumi_axi_if.mst m_axi,
    input logic [LANES-1:0][SYMBOLS-1:0][7:0] s_data,
    input logic [LANES-1:0][SYMBOLS-1:0] s_k,
    input logic [LANES-1:0][SYMBOLS-1:0] s_err,
    input logic [LANES-1:0] s_signal,
    output logic [LANES-1:0][SYMBOLS-1:0][7:0] m_data,
    output logic [LANES-1:0][SYMBOLS-1:0] m_k,
    output logic m_quiet
);
  import kumi_sw2_pkg::VCS;
  import kumi_sw2_pkg::WORD_W;
  import kumi_sw2_pkg::table_write_t;
  import kumi_sw2_pkg::kick_t;
  import kumi_sw2_pkg::region_t;
  import kumi_sw2_pkg::TABLE_KICK;
  import kumi_sw2_pkg::TABLE_REGION;
  import kumi_ib_router_pkg::router_peer_t;
  import kumi_ib_router_pkg::QP_BASE;

  localparam int PEERS = 64;
  localparam logic [15:0] OTHER = 16'(1 - NODE);
  localparam logic [15:0] GROUP = 16'h0ABC;

  kumi_axi_if #(
      .DATA_W(64),
      .ADDR_W(20)
  ) stores ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) ni_tx[VCS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) ni_rx[VCS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) rt_tx[VCS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) rt_rx[VCS] ();

  // ---- tables: three writes after start --------------------------------------------------------
  table_write_t write;
  kick_t kick;
  region_t region;
  router_peer_t peer;
  logic peer_ready, peer_q;
  logic [1:0] step_q;
  assign kick = '{enable: 1'b1, limit: 13'd4096, dst: OTHER, pgid: GROUP, default: '0};
  assign region = '{enable: 1'b1, pgid: GROUP, base: 32'h1000, limit: 32'h1000};
  assign write = '{
          valid: step_q == 2'd1 || step_q == 2'd2,
          sel: step_q == 2'd1 ? TABLE_KICK : TABLE_REGION,
          index: '0,
          entry: step_q == 2'd1 ? 96'(kick) : 96'(region)
      };
  assign peer = '{
          enable: 1'b1,
          lid: 16'd100 + OTHER,
          p_key: 16'hFFFF,
          qpn: QP_BASE + 24'(4 * NODE)
      };
  always_ff @(posedge clk) begin
    if (start && step_q == '0) begin
      step_q <= 2'd1;
      peer_q <= 1'b1;
    end else if (step_q != '0 && step_q != '1) begin
      step_q <= step_q + 1'b1;
    end
    if (peer_ready) peer_q <= 1'b0;
    if (rst) begin
      step_q <= '0;
      peer_q <= 1'b0;
    end
  end

  // ---- stores ----------------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(64)) responses ();
  assign responses.tready = 1'b1;
  kumi_tb_sw2_stores u_stores (
      .clk,
      .rst,
      .s_axis(s_axis_store),
      .m_axis(responses),
      .m_axi (stores)
  );

  assign stores.arready = 1'b0;
  assign stores.rvalid = 1'b0;
  assign stores.rdata = '0;
  assign stores.rid = '0;
  assign stores.rresp = '0;
  assign stores.rlast = 1'b0;

  // ---- interface and its link ------------------------------------------------------------------
  logic [15:0] busy;
  kumi_sw2_pkg::tx_events_t tx_ev;
  kumi_sw2_pkg::link_events_t ni_ev;
  logic [WORD_W-1:0] up, down;
  logic up_frame, down_frame;

  kumi_sw2_ni u_ni (
      .clk,
      .rst,
      .write,
      .node(16'(NODE)),
      .s_axi(stores),
      .m_axi,
      .m_axis(ni_tx),
      .s_axis(ni_rx),
      .window_busy(busy),
      .tx_ev,
      .rx_ev
  );
  kumi_sw2_link u_ni_link (
      .clk,
      .rst,
      .s_axis(ni_tx),
      .m_axis(ni_rx),
      .m_data(up),
      .m_frame(up_frame),
      .s_data(down ^ WORD_W'(sw2_flip)),
      .s_frame(down_frame),
      .ev(ni_ev)
  );

  // ---- router ----------------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(64)) ib_tx ();
  kumi_axis_if #(.DATA_W(64)) ib_rx ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) line_rx ();
  kumi_axis_if #(.DATA_W(DATA_W)) line_tx ();
  kumi_axis_if #(.DATA_W(DATA_W)) narrow_rx ();
  logic [PEERS-1:0] dead;
  logic unacked;

  kumi_sw2_link u_router_link (
      .clk,
      .rst,
      .s_axis(rt_tx),
      .m_axis(rt_rx),
      .m_data(down),
      .m_frame(down_frame),
      .s_data(up ^ WORD_W'(sw2_flip)),
      .s_frame(up_frame),
      .ev(sw2_ev)
  );
  kumi_ib_router #(
      .PEERS(PEERS)
  ) u_router (
      .clk,
      .rst,
      .cfg(
      '{
          lid: 16'd100 + 16'(NODE),
          sl: 16'h3210,
          timeout: 12'd128,
          rnr_wait: 12'd20,
          retries: 3'd7
      }
      ),
      .s_sw2(rt_rx),
      .m_sw2(rt_tx),
      .s_ib(ib_rx),
      .m_ib(ib_tx),
      .peer_valid(peer_q),
      .peer_ready,
      .peer_index(6'(OTHER)),
      .peer_entry(peer),
      .dead,
      .unacked,
      .ev(router_ev)
  );
  kumi_axis_width u_widen (
      .clk,
      .rst,
      .s_axis(narrow_rx),
      .m_axis(ib_rx)
  );
  kumi_axis_width u_narrow (
      .clk,
      .rst,
      .s_axis(ib_tx),
      .m_axis(line_tx)
  );
  assign narrow_rx.tdata = line_rx.tdata;
  assign narrow_rx.tkeep = line_rx.tkeep;
  assign narrow_rx.tvalid = line_rx.tvalid;
  assign narrow_rx.tlast = line_rx.tlast;
  assign narrow_rx.tuser = line_rx.tuser;
  assign narrow_rx.tid = line_rx.tid;
  assign narrow_rx.tdest = '0;
  assign line_rx.tready = narrow_rx.tready;

  // ---- InfiniBand link -------------------------------------------------------------------------
  ib_link_events_t link_ev;
  kumi_ib_link #(
      .LANES (LANES),
      .DATA_W(DATA_W)
  ) u_link (
      .clk,
      .rst,
      .cfg,
      .status,
      .ev(link_ev),
      .s_axis(line_tx),
      .m_axis(line_rx),
      .rx_ready('1),
      .s_data,
      .s_k,
      .s_err,
      .s_signal,
      .m_data,
      .m_k,
      .m_quiet
  );

  assign events = {
    m_axi.wvalid && m_axi.wready,
    ni_rx[0].tvalid,
    rt_tx[0].tvalid,
    line_rx.tvalid,
    ib_tx.tvalid,
    rt_rx[0].tvalid,
    ni_tx[0].tvalid && ni_tx[0].tready,
    stores.wvalid && stores.wready
  };
  logic unused;
  assign unused = ^{busy, tx_ev, ni_ev, dead, unacked, link_ev, line_rx.tdest};
endmodule
