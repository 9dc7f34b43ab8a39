// SPDX-License-Identifier: Apache-2.0
//
// Streams of the management agent: ICRC and width of both directions around kumi_ib_mad_rx and
// kumi_ib_mad_tx, whose ports these are.
module kumi_ib_mad_io
  import kumi_ib_mgmt_pkg::*;
#(
    parameter int PRODUCER = 2  // node type in a trap
) (
    input  logic                   clk,
    input  logic                   rst,
           kumi_axis_if.snk        s_mgmt,
           kumi_axis_if.src        m_mgmt,
    // datagram received
    output logic                   wr_en,
    output logic            [ 6:0] wr_addr,
    output logic            [31:0] wr_data,
    output mad_req_t               req,
    output logic                   req_valid,
    input  logic                   req_ready,
    output logic                   ev_bad_icrc,
    output logic                   ev_bad_packet,
    // packet to send
    input  mad_tx_t                tx_record,
    input  logic                   tx_start,
    output logic                   tx_done,
    output logic                   rd_en,
    output logic            [ 6:0] rd_addr,
    input  logic            [31:0] rd_data
);
  kumi_axis_if #(
      .DATA_W(32),
      .USER_W(s_mgmt.USER_W),
      .ID_W  (s_mgmt.ID_W),
      .DEST_W(8)
  )
      narrow (), rx ();
  kumi_axis_if #(
      .DATA_W(32),
      .USER_W(m_mgmt.USER_W),
      .ID_W  (m_mgmt.ID_W),
      .DEST_W(8)
  )
      tx (), tx_reg (), tx_crc ();
  logic icrc_wrong;

  kumi_axis_width u_rx_width (
      .clk,
      .rst,
      .s_axis(s_mgmt),
      .m_axis(narrow)
  );
  kumi_ib_icrc_check u_icrc_check (
      .clk,
      .rst,
      .s_axis(narrow),
      .m_axis(rx),
      .ev_bad(icrc_wrong)
  );
  kumi_axis_reg u_tx_reg (
      .clk,
      .rst,
      .s_axis(tx),
      .m_axis(tx_reg)
  );
  kumi_ib_icrc_insert u_icrc_insert (
      .clk,
      .rst,
      .s_axis(tx_reg),
      .m_axis(tx_crc)
  );
  kumi_axis_width u_tx_width (
      .clk,
      .rst,
      .s_axis(tx_crc),
      .m_axis(m_mgmt)
  );

  logic unused;
  assign unused = icrc_wrong;  // seen by the receiver as tuser

  kumi_ib_mad_rx u_rx (
      .clk,
      .rst,
      .s_axis(rx),
      .wr_en,
      .wr_addr,
      .wr_data,
      .req,
      .req_valid,
      .req_ready,
      .ev_bad_icrc,
      .ev_bad_packet
  );
  kumi_ib_mad_tx #(
      .PRODUCER(PRODUCER)
  ) u_tx (
      .clk,
      .rst,
      .tx(tx_record),
      .start(tx_start),
      .done(tx_done),
      .rd_en,
      .rd_addr,
      .rd_data,
      .m_axis(tx)
  );
endmodule
