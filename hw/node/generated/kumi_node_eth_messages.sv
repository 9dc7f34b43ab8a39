// SPDX-License-Identifier: Apache-2.0
// Generated from hw/node/kumi_node_eth_messages_core.sv by `python -m kumihimo.dev nodes`; do not edit.
//
// Node: the Ethernet transport with its messages as ports, for software or an external kernel.
//
// clk: s_hdr_send_to: number of a peer, one per message, before its data; s_axis_send_data:
//   messages. m_axis_receive_data: one frame per received frame, tuser with tlast: its message was
//   aborted; m_hdr_receive_info: msg_source_t, one per frame, before its data. m_hdr_status:
//   rtp_status_t.
// Other ports and registers as in kumi_node_eth_shell, the transport's at 0x2000. Frames of one
// peer are in order; those of others may interleave.
// One cycle more than the transport for a message out, and for a frame in.
module kumi_node_eth_messages #(
    parameter int DATA_W = 256,  // bits of the data path: 64, 128, 256, 512
    parameter int PEERS = 16,  // entries of the peer table, a power of two
    parameter int WINDOW = 16,  // receive window of each peer in frames
    parameter int TX_WINDOW = 16,  // frames in flight to one peer
    parameter int TX_SLOTS = 64,  // frames that wait for acknowledgement
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst, (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axis_eth0:m_axis_eth0" *)
    input logic eth_clk,
    input logic eth_rst,

    input logic [DATA_W-1:0] s_axis_eth0_tdata,
    input logic [DATA_W/8-1:0] s_axis_eth0_tkeep,
    input logic s_axis_eth0_tvalid,
    output logic s_axis_eth0_tready,
    input logic s_axis_eth0_tlast,
    input logic s_axis_eth0_tuser,
    output logic [DATA_W-1:0] m_axis_eth0_tdata,
    output logic [DATA_W/8-1:0] m_axis_eth0_tkeep,
    output logic m_axis_eth0_tvalid,
    input logic m_axis_eth0_tready,
    output logic m_axis_eth0_tlast,
    output logic m_axis_eth0_tuser,
    input logic [31:0] s_axil_awaddr,
    input logic [2:0] s_axil_awprot,
    input logic s_axil_awvalid,
    output logic s_axil_awready,
    input logic [31:0] s_axil_wdata,
    input logic [3:0] s_axil_wstrb,
    input logic s_axil_wvalid,
    output logic s_axil_wready,
    output logic [1:0] s_axil_bresp,
    output logic s_axil_bvalid,
    input logic s_axil_bready,
    input logic [31:0] s_axil_araddr,
    input logic [2:0] s_axil_arprot,
    input logic s_axil_arvalid,
    output logic s_axil_arready,
    output logic [31:0] s_axil_rdata,
    output logic [1:0] s_axil_rresp,
    output logic s_axil_rvalid,
    input logic s_axil_rready,

    input logic [15:0] s_hdr_send_to_data,
    input logic s_hdr_send_to_valid,
    output logic s_hdr_send_to_ready,
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
    output kumi_msg_pkg::msg_source_t m_hdr_receive_info_data,
    output logic m_hdr_receive_info_valid,
    input logic m_hdr_receive_info_ready,
    output kumi_eth_rtp_pkg::rtp_status_t m_hdr_status_data,
    output logic m_hdr_status_valid,
    input logic m_hdr_status_ready,

    output logic busy
);
  kumi_axis_if #(.DATA_W(DATA_W)) s_axis_eth0 ();
  assign s_axis_eth0.tdata = s_axis_eth0_tdata;
  assign s_axis_eth0.tkeep = s_axis_eth0_tkeep;
  assign s_axis_eth0.tvalid = s_axis_eth0_tvalid;
  assign s_axis_eth0_tready = s_axis_eth0.tready;
  assign s_axis_eth0.tlast = s_axis_eth0_tlast;
  assign s_axis_eth0.tuser = s_axis_eth0_tuser;
  assign s_axis_eth0.tid = '0;
  assign s_axis_eth0.tdest = '0;

  kumi_axis_if #(.DATA_W(DATA_W)) m_axis_eth0 ();
  assign m_axis_eth0_tdata = m_axis_eth0.tdata;
  assign m_axis_eth0_tkeep = m_axis_eth0.tkeep;
  assign m_axis_eth0_tvalid = m_axis_eth0.tvalid;
  assign m_axis_eth0.tready = m_axis_eth0_tready;
  assign m_axis_eth0_tlast = m_axis_eth0.tlast;
  assign m_axis_eth0_tuser = m_axis_eth0.tuser;

  kumi_axil_if s_axil ();
  assign s_axil.awaddr = s_axil_awaddr;
  assign s_axil.awprot = s_axil_awprot;
  assign s_axil.awvalid = s_axil_awvalid;
  assign s_axil_awready = s_axil.awready;
  assign s_axil.wdata = s_axil_wdata;
  assign s_axil.wstrb = s_axil_wstrb;
  assign s_axil.wvalid = s_axil_wvalid;
  assign s_axil_wready = s_axil.wready;
  assign s_axil_bresp = s_axil.bresp;
  assign s_axil_bvalid = s_axil.bvalid;
  assign s_axil.bready = s_axil_bready;
  assign s_axil.araddr = s_axil_araddr;
  assign s_axil.arprot = s_axil_arprot;
  assign s_axil.arvalid = s_axil_arvalid;
  assign s_axil_arready = s_axil.arready;
  assign s_axil_rdata = s_axil.rdata;
  assign s_axil_rresp = s_axil.rresp;
  assign s_axil_rvalid = s_axil.rvalid;
  assign s_axil.rready = s_axil_rready;

  kumi_node_eth_messages_core #(
      .DATA_W(DATA_W),
      .PEERS(PEERS),
      .WINDOW(WINDOW),
      .TX_WINDOW(TX_WINDOW),
      .TX_SLOTS(TX_SLOTS),
      .BUILD(BUILD)
  ) u_core (
      .clk,
      .rst,
      .eth_clk,
      .eth_rst,
      .s_axis_eth0,
      .m_axis_eth0,
      .s_axil,
      .s_hdr_send_to_data,
      .s_hdr_send_to_valid,
      .s_hdr_send_to_ready,
      .s_axis_send_data_tdata,
      .s_axis_send_data_tkeep,
      .s_axis_send_data_tvalid,
      .s_axis_send_data_tready,
      .s_axis_send_data_tlast,
      .s_axis_send_data_tuser,
      .m_axis_receive_data_tdata,
      .m_axis_receive_data_tkeep,
      .m_axis_receive_data_tvalid,
      .m_axis_receive_data_tready,
      .m_axis_receive_data_tlast,
      .m_axis_receive_data_tuser,
      .m_hdr_receive_info_data,
      .m_hdr_receive_info_valid,
      .m_hdr_receive_info_ready,
      .m_hdr_status_data,
      .m_hdr_status_valid,
      .m_hdr_status_ready,
      .busy
  );
endmodule
