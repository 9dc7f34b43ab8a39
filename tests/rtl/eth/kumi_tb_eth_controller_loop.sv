// SPDX-License-Identifier: Apache-2.0
//
// Test top: two controllers, A and B, joined by a wire; mac_clk is the clock of the wire. The kernel
// of A sends, the kernel of B receives.
module kumi_tb_eth_controller_loop #(
    parameter bit PAPER_FRAMING = 1'b0,
    parameter bit STORE         = 1'b1
) (
    input logic clk,
    input logic rst,
    input logic mac_clk,
    input logic mac_rst,

    kumi_rec_if.snk  set_dest_addr_count,
    kumi_axis_if.snk send_data,
    kumi_axis_if.src receive_data,
    kumi_rec_if.src  receive_info,

    input  logic [47:0] cfg_addr,
    input  logic [13:0] cfg_mtu,
    output logic        beat,      // mac_clk: a beat is on the wire
    output logic        unused
);
  kumi_axis_if #(.DATA_W(send_data.DATA_W)) joint ();
  kumi_axis_if #(.DATA_W(send_data.DATA_W)) idle_data ();
  kumi_axis_if #(.DATA_W(send_data.DATA_W)) idle_mac ();
  kumi_axis_if #(.DATA_W(send_data.DATA_W)) no_data ();
  kumi_axis_if #(.DATA_W(send_data.DATA_W)) no_mac ();
  kumi_rec_if #(.W(48)) source_a ();
  kumi_rec_if #(.W(48)) source_b ();
  kumi_rec_if #(.W(80)) dest_b ();
  kumi_rec_if #(.W(90)) info_a ();

  assign idle_data.tvalid = 1'b0;
  assign idle_mac.tvalid = 1'b0;
  assign {idle_data.tdata, idle_data.tkeep, idle_data.tlast, idle_data.tuser} = '0;
  assign {idle_data.tid, idle_data.tdest, idle_mac.tid, idle_mac.tdest} = '0;
  assign {idle_mac.tdata, idle_mac.tkeep, idle_mac.tlast, idle_mac.tuser} = '0;
  assign no_data.tready = 1'b1;
  assign no_mac.tready = 1'b1;
  assign {source_a.valid, source_b.valid, dest_b.valid} = '0;
  assign {source_a.data, source_b.data, dest_b.data} = '0;
  assign info_a.ready = 1'b1;
  assign beat = joint.tvalid && joint.tready;

  kumi_eth_controller_pkg::eth_controller_tx_events_t tx_a, tx_b;
  kumi_eth_controller_pkg::eth_controller_rx_events_t rx_a, rx_b;
  assign unused = ^{tx_a, tx_b, rx_a, rx_b};

  kumi_eth_controller #(
      .PAPER_FRAMING(PAPER_FRAMING),
      .TX_STORE(STORE)
  ) u_a (
      .clk,
      .rst,
      .tx_clk(mac_clk),
      .tx_rst(mac_rst),
      .rx_clk(mac_clk),
      .rx_rst(mac_rst),
      .set_source_addr(source_a),
      .set_dest_addr_count,
      .send_data,
      .receive_data(no_data),
      .receive_info(info_a),
      .m_mac(joint),
      .s_mac(idle_mac),
      .cfg_addr,
      .cfg_mtu,
      .cfg_broadcast(1'b0),
      .tx_ev(tx_a),
      .rx_ev(rx_a)
  );

  kumi_eth_controller #(
      .PAPER_FRAMING(PAPER_FRAMING),
      .RX_STORE(STORE)
  ) u_b (
      .clk,
      .rst,
      .tx_clk(mac_clk),
      .tx_rst(mac_rst),
      .rx_clk(mac_clk),
      .rx_rst(mac_rst),
      .set_source_addr(source_b),
      .set_dest_addr_count(dest_b),
      .send_data(idle_data),
      .receive_data,
      .receive_info,
      .m_mac(no_mac),
      .s_mac(joint),
      .cfg_addr,
      .cfg_mtu,
      .cfg_broadcast(1'b0),
      .tx_ev(tx_b),
      .rx_ev(rx_b)
  );
endmodule
