// SPDX-License-Identifier: Apache-2.0
//
// kumi_mac_gmii with flat ports and one clock, for tools that take no interfaces at a top.
module kumi_mac_gmii_flat
  import kumi_eth_pkg::*;
(
    input logic clk,
    input logic rst,

    input  logic [7:0] s_axis_tdata,
    input  logic       s_axis_tvalid,
    output logic       s_axis_tready,
    input  logic       s_axis_tlast,
    input  logic       s_axis_tuser,

    output logic [7:0] m_axis_tdata,
    output logic       m_axis_tvalid,
    input  logic       m_axis_tready,
    output logic       m_axis_tlast,
    output logic       m_axis_tuser,

    output logic [7:0] gmii_txd,
    output logic       gmii_tx_en,
    output logic       gmii_tx_er,
    input  logic [7:0] gmii_rxd,
    input  logic       gmii_rx_dv,
    input  logic       gmii_rx_er,

    input logic [13:0] cfg_max_frame,  // longest frame received, bytes with FCS

    output mac_tx_events_t tx_ev,
    output mac_rx_events_t rx_ev
);

  kumi_axis_if #(.DATA_W(8)) s ();
  kumi_axis_if #(.DATA_W(8)) m ();

  assign s.tdata       = s_axis_tdata;
  assign s.tkeep       = 1'b1;
  assign s.tvalid      = s_axis_tvalid;
  assign s_axis_tready = s.tready;
  assign s.tlast       = s_axis_tlast;
  assign s.tuser       = s_axis_tuser;
  assign s.tid         = '0;
  assign s.tdest       = '0;

  assign m_axis_tdata  = m.tdata;
  assign m_axis_tvalid = m.tvalid;
  assign m.tready      = m_axis_tready;
  assign m_axis_tlast  = m.tlast;
  assign m_axis_tuser  = m.tuser;

  kumi_mac_gmii mac (
      .tx_clk(clk),
      .tx_rst(rst),
      .rx_clk(clk),
      .rx_rst(rst),
      .s_axis(s),
      .m_axis(m),
      .gmii_txd,
      .gmii_tx_en,
      .gmii_tx_er,
      .gmii_rxd,
      .gmii_rx_dv,
      .gmii_rx_er,
      .cfg_max_frame,
      .tx_ev,
      .rx_ev
  );

endmodule
