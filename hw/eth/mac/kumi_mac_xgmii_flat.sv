// SPDX-License-Identifier: Apache-2.0
//
// kumi_mac_xgmii with flat ports and one clock, for tools that take no interfaces at a top.
// Handshakes, latency and bad input: see kumi_mac_xgmii.
module kumi_mac_xgmii_flat
  import kumi_eth_pkg::*;
#(
    parameter bit DIC     = 1,  // deficit idle count
    parameter bit OUT_REG = 0   // register on m_axis, one cycle more
) (
    input logic clk,
    input logic rst,

    input  logic [63:0] s_axis_tdata,
    input  logic [ 7:0] s_axis_tkeep,
    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,
    input  logic        s_axis_tlast,
    input  logic        s_axis_tuser,

    output logic [63:0] m_axis_tdata,
    output logic [ 7:0] m_axis_tkeep,
    output logic        m_axis_tvalid,
    input  logic        m_axis_tready,
    output logic        m_axis_tlast,
    output logic        m_axis_tuser,

    output logic [63:0] xgmii_txd,
    output logic [ 7:0] xgmii_txc,
    input  logic [63:0] xgmii_rxd,
    input  logic [ 7:0] xgmii_rxc,

    input logic [13:0] cfg_max_frame,  // longest frame received, bytes with FCS

    output logic           local_fault,
    output logic           remote_fault,
    output mac_tx_events_t tx_ev,
    output mac_rx_events_t rx_ev
);

  kumi_axis_if s ();
  kumi_axis_if m ();

  assign s.tdata       = s_axis_tdata;
  assign s.tkeep       = s_axis_tkeep;
  assign s.tvalid      = s_axis_tvalid;
  assign s_axis_tready = s.tready;
  assign s.tlast       = s_axis_tlast;
  assign s.tuser       = s_axis_tuser;
  assign s.tid         = '0;
  assign s.tdest       = '0;

  assign m_axis_tdata  = m.tdata;
  assign m_axis_tkeep  = m.tkeep;
  assign m_axis_tvalid = m.tvalid;
  assign m.tready      = m_axis_tready;
  assign m_axis_tlast  = m.tlast;
  assign m_axis_tuser  = m.tuser;

  kumi_mac_xgmii #(
      .DIC(DIC),
      .OUT_REG(OUT_REG),
      .CDC(0)
  ) mac (
      .tx_clk(clk),
      .tx_rst(rst),
      .rx_clk(clk),
      .rx_rst(rst),
      .s_axis(s),
      .m_axis(m),
      .xgmii_txd,
      .xgmii_txc,
      .xgmii_rxd,
      .xgmii_rxc,
      .cfg_max_frame,
      .local_fault,
      .remote_fault,
      .tx_ev,
      .rx_ev
  );

endmodule
