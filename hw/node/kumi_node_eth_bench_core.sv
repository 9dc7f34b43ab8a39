// SPDX-License-Identifier: Apache-2.0
//
// Node: message kernels (generator, checker, echo) on the bare Ethernet controller or on the
// transport (RTP). The device under test of `kumi bench eth-*`.
//
// Ports and registers as in kumi_node_eth_shell; generator at 0x2000, checker at 0x3000, echo at
// 0x4000, with TRANSPORT the transport at 0x5000. Received messages go to the checker, or to the
// echo while it is enabled; generator and echo alternate in sending.
module kumi_node_eth_bench_core #(
    parameter int DATA_W = 256,  // bits of the data path: 128, 256, 512
    parameter bit TRANSPORT = 1'b0,  // 1: kumi_eth_rtp_port, 0: kumi_eth_controller
    parameter int PEERS = 16,  // entries of the peer table, a power of two
    parameter bit PAPER = 1'b0,  // controller: paper framing
    parameter bit TX_STORE = 1'b1,  // controller: a frame leaves when it is complete
    parameter bit RX_STORE = 1'b1,  // controller: a frame is shown when it is complete and good
    parameter int WINDOW = 16,  // transport: receive window of each peer in frames
    parameter int TX_WINDOW = 16,  // transport: frames in flight to one peer
    parameter int TX_SLOTS = 64,  // transport: frames that wait for acknowledgement
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst, (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axis_eth0:m_axis_eth0" *)
    input logic eth_clk,
    input logic eth_rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil,

    output logic busy
);
  import kumi_msg_pkg::*;

  localparam int PEER_W = $clog2(PEERS);
  localparam int BLOCKS = TRANSPORT ? 4 : 3;
  localparam kumi_regs_pkg::block_t [3:0] KINDS = {
    kumi_regs_pkg::BLOCK_ETH_RTP,
    kumi_regs_pkg::BLOCK_ETH_ECHO,
    kumi_regs_pkg::BLOCK_ETH_CHECK,
    kumi_regs_pkg::BLOCK_ETH_GEN
  };

  kumi_axis_if #(.DATA_W(DATA_W)) to_mac ();
  kumi_axis_if #(.DATA_W(DATA_W)) from_mac ();
  kumi_rec_if #(.W(48)) source_addr ();
  kumi_rec_if #(.W(64)) peer_addr ();
  kumi_axil_if axil[BLOCKS] ();
  logic [63:0] now;
  logic [13:0] mtu;
  logic [ 6:0] ev;
  logic [ 8:0] eth_ev;
  logic broadcast, kernel_busy, port_busy;

  kumi_node_eth_shell #(
      .NAME  ("eth_bench"),
      .BLOCKS(BLOCKS),
      .KINDS (KINDS[BLOCKS-1:0]),
      .BUILD (BUILD),
      .DATA_W(DATA_W)
  ) u_shell (
      .m_mac(to_mac),
      .s_mac(from_mac),
      .set_source_addr(source_addr),
      .set_peer(peer_addr),
      .m_axil(axil),
      .now,
      .mtu,
      .broadcast,
      .ev,
      .eth_ev,
      .kernel_busy,
      .*  // clocks, resets, the MAC port, the register port, busy
  );

  // ---- kernels -------------------------------------------------------------------------------
  kumi_rec_if #(.W($bits(msg_rec_t))) rec[2] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(PEER_W)
  ) out[2] ();
  kumi_rec_if #(.W($bits(msg_rec_t))) tx_rec ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(PEER_W)
  ) tx ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(3),
      .ID_W  (PEER_W)
  ) rx ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(3),
      .ID_W  (PEER_W)
  ) to_check ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(3),
      .ID_W  (PEER_W)
  ) to_echo ();
  logic [15:0] credit_peer, source;
  logic [31:0] reply_number;
  logic room, reply, echo_on, gen_busy, check_busy, echo_busy;

  kumi_msg_gen #(
      .PEERS(PEERS)
  ) u_gen (
      .clk,
      .rst,
      .now,
      .s_axil(axil[0]),
      .m_rec (rec[0]),
      .m_axis(out[0]),
      .credit_peer,
      .room,
      .reply,
      .reply_number,
      .source,
      .busy  (gen_busy)
  );

  kumi_msg_check #(
      .SOURCES(PEERS)
  ) u_check (
      .clk,
      .rst,
      .now,
      .own   (source),
      .s_axil(axil[1]),
      .s_axis(to_check),
      .reply,
      .reply_number,
      .busy  (check_busy)
  );

  kumi_msg_echo u_echo (
      .clk,
      .rst,
      .s_axil(axil[2]),
      .s_axis(to_echo),
      .m_rec (rec[1]),
      .m_axis(out[1]),
      .enable(echo_on),
      .busy  (echo_busy)
  );

  kumi_msg_arb u_merge (
      .clk,
      .rst,
      .s_rec (rec),
      .s_axis(out),
      .m_rec (tx_rec),
      .m_axis(tx)
  );

  assign to_check.tvalid = rx.tvalid && !echo_on;
  assign to_echo.tvalid = rx.tvalid && echo_on;
  assign rx.tready = echo_on ? to_echo.tready : to_check.tready;
  assign {to_check.tdata, to_check.tkeep, to_check.tlast} = {rx.tdata, rx.tkeep, rx.tlast};
  assign {to_check.tuser, to_check.tid, to_check.tdest} = {rx.tuser, rx.tid, rx.tdest};
  assign {to_echo.tdata, to_echo.tkeep, to_echo.tlast} = {rx.tdata, rx.tkeep, rx.tlast};
  assign {to_echo.tuser, to_echo.tid, to_echo.tdest} = {rx.tuser, rx.tid, rx.tdest};

  assign kernel_busy = gen_busy || check_busy || echo_busy || port_busy || rx.tvalid;

  // ---- controller or transport ---------------------------------------------------------------
  if (TRANSPORT) begin : gen_transport
    import kumi_eth_rtp_pkg::*;
    kumi_rec_if #(.W(60)) peer ();
    kumi_rec_if #(.W(16)) status ();
    rtp_cfg_t cfg;
    rtp_events_t tp_ev;
    rtp_filter_events_t filter_ev;
    logic credit_up;

    assign peer.valid = peer_addr.valid;
    assign peer.data = {peer_addr.data[59:48], peer_addr.data[47:0]};
    assign peer_addr.ready = peer.ready;
    assign tx_rec.ready = 1'b1;  // the transport needs no length
    assign ev = '0;
    assign eth_ev = {
      2'b00,
      filter_ev.no_room,
      1'b0,
      filter_ev.foreign,
      filter_ev.not_ours,
      1'b0,
      1'b0,
      filter_ev.ok
    };

    kumi_eth_rtp_port #(
        .PEERS(PEERS),
        .WINDOW(WINDOW),
        .TX_WINDOW(TX_WINDOW),
        .TX_SLOTS(TX_SLOTS)
    ) u_transport (
        .clk,
        .rst,
        .tx_clk(eth_clk),
        .tx_rst(eth_rst),
        .rx_clk(eth_clk),
        .rx_rst(eth_rst),
        .set_source_addr(source_addr),
        .set_peer(peer),
        .s_msg(tx),
        .m_msg(rx),
        .m_status(status),
        .m_frame(to_mac),
        .s_frame(from_mac),
        .cfg_addr(48'h0200_0000_0001),
        .cfg,
        .credit_peer(credit_peer[PEER_W-1:0]),
        .credit_up,
        .credit(room),
        .busy(port_busy),
        .ev(tp_ev),
        .rx_ev(filter_ev)
    );

    kumi_node_eth_rtp_regs u_tp_regs (
        .clk,
        .rst,
        .s_axil(axil[3]),
        .s_status(status),
        .mtu,
        .cfg,
        .ev(tp_ev)
    );

    logic unused;
    assign unused = ^{credit_up, credit_peer, broadcast, peer_addr.data};
  end else begin : gen_controller
    import kumi_eth_controller_pkg::*;
    kumi_rec_if #(.W(56)) peer ();
    eth_controller_tx_events_t tx_ev;
    eth_controller_rx_events_t rx_ev;
    logic no_peer, unknown;

    assign peer.valid = peer_addr.valid;
    assign peer.data = peer_addr.data[55:0];
    assign peer_addr.ready = peer.ready;
    assign room = 1'b1;
    assign port_busy = 1'b0;
    assign ev = {
      unknown, no_peer, tx_ev.empty, tx_ev.long_, tx_ev.short_, tx_ev.message, tx_ev.frame
    };
    assign eth_ev = {
      rx_ev.broken,
      rx_ev.orphan,
      rx_ev.no_room,
      rx_ev.malformed,
      rx_ev.foreign,
      rx_ev.not_ours,
      rx_ev.control,
      rx_ev.bad,
      rx_ev.ok
    };

    kumi_node_eth_msg #(
        .PEERS(PEERS),
        .PAPER(PAPER),
        .TX_STORE(TX_STORE),
        .RX_STORE(RX_STORE)
    ) u_controller (
        .clk,
        .rst,
        .tx_clk(eth_clk),
        .tx_rst(eth_rst),
        .rx_clk(eth_clk),
        .rx_rst(eth_rst),
        .set_source_addr(source_addr),
        .set_peer(peer),
        .s_rec(tx_rec),
        .s_axis(tx),
        .m_axis(rx),
        .m_mac(to_mac),
        .s_mac(from_mac),
        .cfg_addr(48'h0200_0000_0001),
        .cfg_mtu(mtu),
        .cfg_broadcast(broadcast),
        .tx_ev,
        .rx_ev,
        .ev_no_peer(no_peer),
        .ev_unknown(unknown)
    );

    logic unused;
    assign unused = ^{credit_peer, peer_addr.data};
  end
endmodule
