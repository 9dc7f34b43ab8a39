// SPDX-License-Identifier: Apache-2.0
//
// The transport's message interface on the bare controller (kumi_eth_controller), so that the same
// kernels run on both: numbered peers, one message per frame of s_axis. No retransmission.
//
// clk: set_source_addr, set_peer as in kumi_eth_controller_stream; s_rec: msg_rec_t, one record per
//   message, before its data; s_axis: the messages; m_axis: one frame per Ethernet frame, tid its
//   sender, tuser = {last, first, bad}.
// tx_clk, rx_clk: m_mac, s_mac, as in kumi_eth_controller.
// Unlike kumi_eth_controller_stream it takes the length from the record: no message is stored to be
// measured. Latency 0 on top of the controller's, both ways.
// PAPER = 1: paper framing; messages are whole words, and the marks first and last are meaningless.
// Bad input: a message to a peer that is not in the table, and a frame of one, are dropped and
//   raise ev_no_peer, ev_unknown.
module kumi_node_eth_msg
  import kumi_msg_pkg::*;
  import kumi_eth_controller_pkg::*;
#(
    parameter int PEERS     = 16,     // entries of the table, up to 256
    parameter bit PAPER     = 1'b0,   // paper framing
    parameter bit TX_STORE  = 1'b1,   // 0: frames leave while the kernel makes them
    parameter bit RX_STORE  = 1'b1,   // 0: frames are shown while they come in
    parameter int TX_BYTES  = 16384,  // send buffer
    parameter int RX_BYTES  = 32768,  // receive buffer
    parameter int RX_FRAMES = 64      // frames in the receive buffer
) (
    input logic clk,
    input logic rst,
    input logic tx_clk,
    input logic tx_rst,
    input logic rx_clk,
    input logic rx_rst,

    kumi_rec_if.snk  set_source_addr,
    kumi_rec_if.snk  set_peer,
    kumi_rec_if.snk  s_rec,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,

    kumi_axis_if.src m_mac,
    kumi_axis_if.snk s_mac,

    input logic [47:0] cfg_addr,
    input logic [13:0] cfg_mtu,
    input logic        cfg_broadcast,

    output eth_controller_tx_events_t tx_ev,       // clk
    output eth_controller_rx_events_t rx_ev,       // rx_clk
    output logic                      ev_no_peer,  // clk
    output logic                      ev_unknown   // clk
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int LOG = $clog2(DATA_W / 8);

  if (m_axis.USER_W != 3 || m_axis.DATA_W != DATA_W) begin : gen_check
    $fatal(0, "m_axis has the width of s_axis and 3 bits of tuser (%m)");
  end
  if (s_rec.W != $bits(msg_rec_t)) begin : gen_check_rec
    $fatal(0, "s_rec carries a msg_rec_t (%m)");
  end

  msg_rec_t rec;
  eth_rx_info_t info;
  logic [47:0] addr;
  logic [7:0] peer;
  logic known, found;

  assign rec = msg_rec_t'(s_rec.data);

  kumi_eth_peer_table #(
      .PEERS(PEERS)
  ) u_peers (
      .clk,
      .rst,
      .s_peer(set_peer),
      .number(rec.peer[7:0]),
      .addr,
      .known,
      .src(info.addr),
      .peer,
      .found
  );

  // ---- Out ------------------------------------------------------------------------------------
  kumi_rec_if #(.W($bits(eth_dest_count_t))) dest ();
  kumi_axis_if #(.DATA_W(DATA_W)) data ();
  logic data_q, skip_q;  // within a message; it is dropped
  logic free, good, ends;
  logic [31:0] words;

  assign ends = s_axis.tvalid && s_axis.tready && s_axis.tlast;
  assign free = !data_q || ends;
  assign good = known && rec.peer[15:8] == '0;
  assign words = (rec.length >> LOG) + 32'(|rec.length[LOG-1:0]);
  assign dest.valid = s_rec.valid && free && good;
  assign dest.data = eth_dest_count_t'{addr: addr, count: PAPER ? words : rec.length};
  assign s_rec.ready = free && (!good || dest.ready);

  assign data.tvalid = data_q && !skip_q && s_axis.tvalid;
  assign data.tdata = s_axis.tdata;
  assign data.tkeep = s_axis.tkeep;
  assign data.tlast = s_axis.tlast;
  assign data.tuser = s_axis.tuser[0];
  assign data.tid = '0;
  assign data.tdest = '0;
  assign s_axis.tready = data_q && (skip_q || data.tready);

  always_ff @(posedge clk) begin
    if (ends) data_q <= 1'b0;
    if (s_rec.valid && s_rec.ready) begin
      data_q <= 1'b1;
      skip_q <= !good;
    end
    ev_no_peer <= ends && skip_q;
    if (rst) begin
      data_q <= 1'b0;
      ev_no_peer <= 1'b0;
    end
  end

  // ---- In: the record that comes with a frame's first beat tells its sender -------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(3)
  ) got ();
  kumi_rec_if #(.W($bits(eth_rx_info_t))) got_info ();
  logic [7:0] peer_q, from;
  logic found_q, hand_on;

  assign info = got_info.data;
  assign got_info.ready = 1'b1;
  assign from = got_info.valid ? peer : peer_q;
  assign hand_on = got_info.valid ? found : found_q;
  assign got.tready = !hand_on || m_axis.tready;
  assign m_axis.tvalid = got.tvalid && hand_on;
  assign m_axis.tdata = got.tdata;
  assign m_axis.tkeep = got.tkeep;
  assign m_axis.tlast = got.tlast;
  assign m_axis.tuser = got.tuser;
  assign m_axis.tid = (m_axis.ID_W)'(from);
  assign m_axis.tdest = '0;

  always_ff @(posedge clk) begin
    if (got_info.valid) begin
      peer_q  <= peer;
      found_q <= found;
    end
    ev_unknown <= got.tvalid && got.tready && got.tlast && !hand_on;
    if (rst) ev_unknown <= 1'b0;
  end

  kumi_eth_controller #(
      .PAPER_FRAMING(PAPER),
      .TX_STORE(TX_STORE),
      .RX_STORE(RX_STORE),
      .JOIN(1'b0),
      .TX_BYTES(TX_BYTES),
      .RX_BYTES(RX_BYTES),
      .RX_FRAMES(RX_FRAMES)
  ) u_controller (
      .clk,
      .rst,
      .tx_clk,
      .tx_rst,
      .rx_clk,
      .rx_rst,
      .set_source_addr,
      .set_dest_addr_count(dest),
      .send_data(data),
      .receive_data(got),
      .receive_info(got_info),
      .m_mac,
      .s_mac,
      .cfg_addr,
      .cfg_mtu,
      .cfg_broadcast,
      .tx_ev,
      .rx_ev
  );

  logic unused;
  assign unused = ^{info, from};
endmodule
