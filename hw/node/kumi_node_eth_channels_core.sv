// SPDX-License-Identifier: Apache-2.0
//
// Node: the Ethernet controller with its channels as ports, for software or an external kernel.
//
// clk: s_hdr_set_source_addr (48-bit addresses), s_hdr_set_dest_addr_count (eth_dest_count_t, one
//   per message, before its data), s_axis_send_data, m_axis_receive_data (one frame per message),
//   m_hdr_receive_info (eth_rx_info_t, one per message; it must be accepted before the message's
//   second beat is offered). See kumi_eth_controller.
// Other ports and registers as in kumi_node_eth_shell, without kernels. The source address is the
// last one received, from the channel or from the registers.
module kumi_node_eth_channels_core #(
    parameter int DATA_W = 256,  // bits of the data path: 64, 128, 256, 512
    parameter bit PAPER = 1'b0,  // paper framing; receive_data then has a message for each frame
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst, (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axis_eth0:m_axis_eth0" *)
    input logic eth_clk,
    input logic eth_rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil,

    input logic [47:0] s_hdr_set_source_addr_data,
    input logic s_hdr_set_source_addr_valid,
    output logic s_hdr_set_source_addr_ready,
    input kumi_eth_controller_pkg::eth_dest_count_t s_hdr_set_dest_addr_count_data,
    input logic s_hdr_set_dest_addr_count_valid,
    output logic s_hdr_set_dest_addr_count_ready,
    input logic [DATA_W-1:0] s_axis_send_data_tdata,
    input logic [DATA_W/8-1:0] s_axis_send_data_tkeep,
    input logic s_axis_send_data_tvalid,
    output logic s_axis_send_data_tready,
    input logic s_axis_send_data_tlast,
    input logic s_axis_send_data_tuser,
    output logic [DATA_W-1:0] m_axis_receive_data_tdata,
    output logic [DATA_W/8-1:0] m_axis_receive_data_tkeep,
    output logic m_axis_receive_data_tvalid,
    input logic m_axis_receive_data_tready,
    output logic m_axis_receive_data_tlast,
    output logic m_axis_receive_data_tuser,
    output kumi_eth_controller_pkg::eth_rx_info_t m_hdr_receive_info_data,
    output logic m_hdr_receive_info_valid,
    input logic m_hdr_receive_info_ready,

    output logic busy
);
  import kumi_eth_controller_pkg::*;

  kumi_axis_if #(.DATA_W(DATA_W)) to_mac ();
  kumi_axis_if #(.DATA_W(DATA_W)) from_mac ();
  kumi_rec_if #(.W(48)) reg_addr ();
  kumi_rec_if #(.W(48)) source_addr ();
  kumi_rec_if #(.W(64)) peer_addr ();
  kumi_axil_if axil[1] ();
  logic [63:0] now;
  logic [13:0] mtu;
  logic broadcast, kernel_busy;
  eth_controller_tx_events_t tx_ev;
  eth_controller_rx_events_t rx_ev;

  kumi_node_eth_shell #(
      .NAME  ("eth_channels"),
      .BLOCKS(1),
      .BUILD (BUILD),
      .DATA_W(DATA_W)
  ) u_shell (
      .m_mac(to_mac),
      .s_mac(from_mac),
      .set_source_addr(reg_addr),
      .set_peer(peer_addr),
      .m_axil(axil),
      .now,
      .mtu,
      .broadcast,
      .ev({2'b00, tx_ev.empty, tx_ev.long_, tx_ev.short_, tx_ev.message, tx_ev.frame}),
      .eth_ev({
        rx_ev.broken,
        rx_ev.orphan,
        rx_ev.no_room,
        rx_ev.malformed,
        rx_ev.foreign,
        rx_ev.not_ours,
        rx_ev.control,
        rx_ev.bad,
        rx_ev.ok
      }),
      .kernel_busy,
      .*  // clocks, resets, the MAC port, the register port, busy
  );

  kumi_axil_err_slv u_none (
      .clk,
      .rst,
      .s_axil(axil[0])
  );

  // Channels name their peer by its address: no table.
  assign peer_addr.ready = 1'b1;

  // ---- channels ------------------------------------------------------------------------------
  kumi_rec_if #(.W($bits(eth_dest_count_t))) dest ();
  kumi_axis_if #(.DATA_W(DATA_W)) send ();
  kumi_axis_if #(.DATA_W(DATA_W)) receive ();
  kumi_rec_if #(.W($bits(eth_rx_info_t))) info ();

  // The registers' record goes first; it comes from set-up or from a person.
  assign source_addr.valid = reg_addr.valid || s_hdr_set_source_addr_valid;
  assign source_addr.data = reg_addr.valid ? reg_addr.data : s_hdr_set_source_addr_data;
  assign reg_addr.ready = source_addr.ready;
  assign s_hdr_set_source_addr_ready = source_addr.ready && !reg_addr.valid;

  assign dest.valid = s_hdr_set_dest_addr_count_valid;
  assign dest.data = s_hdr_set_dest_addr_count_data;
  assign s_hdr_set_dest_addr_count_ready = dest.ready;

  assign send.tdata = s_axis_send_data_tdata;
  assign send.tkeep = s_axis_send_data_tkeep;
  assign send.tvalid = s_axis_send_data_tvalid;
  assign send.tlast = s_axis_send_data_tlast;
  assign send.tuser = s_axis_send_data_tuser;
  assign send.tid = '0;
  assign send.tdest = '0;
  assign s_axis_send_data_tready = send.tready;

  assign m_axis_receive_data_tdata = receive.tdata;
  assign m_axis_receive_data_tkeep = receive.tkeep;
  assign m_axis_receive_data_tvalid = receive.tvalid;
  assign m_axis_receive_data_tlast = receive.tlast;
  assign m_axis_receive_data_tuser = receive.tuser;
  assign receive.tready = m_axis_receive_data_tready;

  assign m_hdr_receive_info_data = eth_rx_info_t'(info.data);
  assign m_hdr_receive_info_valid = info.valid;
  assign info.ready = m_hdr_receive_info_ready;

  kumi_eth_controller #(
      .PAPER_FRAMING(PAPER)
  ) u_controller (
      .clk,
      .rst,
      .tx_clk(eth_clk),
      .tx_rst(eth_rst),
      .rx_clk(eth_clk),
      .rx_rst(eth_rst),
      .set_source_addr(source_addr),
      .set_dest_addr_count(dest),
      .send_data(send),
      .receive_data(receive),
      .receive_info(info),
      .m_mac(to_mac),
      .s_mac(from_mac),
      .cfg_addr(48'h0200_0000_0001),
      .cfg_mtu(mtu),
      .cfg_broadcast(broadcast),
      .tx_ev,
      .rx_ev
  );

  assign kernel_busy = send.tvalid || dest.valid || receive.tvalid || info.valid;

  logic unused;
  assign unused = ^{now, peer_addr.valid, peer_addr.data};
endmodule
