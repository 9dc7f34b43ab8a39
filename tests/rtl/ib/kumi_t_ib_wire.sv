// SPDX-License-Identifier: Apache-2.0
//
// Test top: both ways of the native wire, each with ports of its own. Records are rc_pkt_t without
//   path.traffic, which fits a header port.
module kumi_t_ib_wire
  import kumi_rc_pkg::*;
  import kumi_roce_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic [15:0] lid,
    input logic [2:0] lmc,
    output roce_rx_events_t ev,
    output logic ev_sent,
    output logic rx_busy,
    output logic tx_busy,

    // receive
    input logic [63:0] s_axis_ib_tdata,
    input logic [7:0] s_axis_ib_tkeep,
    input logic s_axis_ib_tvalid,
    output logic s_axis_ib_tready,
    input logic s_axis_ib_tlast,
    output logic [RC_PKT_W-9:0] m_hdr_pkt_data,
    output logic m_hdr_pkt_valid,
    input logic m_hdr_pkt_ready,
    output logic [63:0] m_axis_pay_tdata,
    output logic [7:0] m_axis_pay_tkeep,
    output logic m_axis_pay_tvalid,
    input logic m_axis_pay_tready,
    output logic m_axis_pay_tlast,

    // send
    input logic [RC_PKT_W-9:0] s_hdr_pkt_data,
    input logic s_hdr_pkt_valid,
    output logic s_hdr_pkt_ready,
    input logic [63:0] s_axis_pay_tdata,
    input logic [7:0] s_axis_pay_tkeep,
    input logic s_axis_pay_tvalid,
    output logic s_axis_pay_tready,
    input logic s_axis_pay_tlast,
    input logic s_axis_pay_tuser,
    output logic [63:0] m_axis_ib_tdata,
    output logic [7:0] m_axis_ib_tkeep,
    output logic m_axis_ib_tvalid,
    input logic m_axis_ib_tready,
    output logic m_axis_ib_tlast,
    output logic m_axis_ib_tuser
);
  localparam int HDR_W = $bits(rc_hdr_t);

  // ---- receive ----------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) rx ();
  kumi_rec_if #(.W(RC_PKT_W)) rx_pkt ();
  kumi_axis_if #(.DATA_W(64)) rx_pay ();
  rc_pkt_t rx_rec;

  assign rx.tdata = s_axis_ib_tdata;
  assign rx.tkeep = s_axis_ib_tkeep;
  assign rx.tvalid = s_axis_ib_tvalid;
  assign s_axis_ib_tready = rx.tready;
  assign rx.tlast = s_axis_ib_tlast;
  assign rx.tuser = '0;
  assign rx.tid = '0;
  assign rx.tdest = '0;
  assign rx_rec = rc_pkt_t'(rx_pkt.data);
  assign m_hdr_pkt_data = {rx_rec.path.addr, rx_rec.path.flow, rx_rec.hdr};
  assign m_hdr_pkt_valid = rx_pkt.valid;
  assign rx_pkt.ready = m_hdr_pkt_ready;
  assign m_axis_pay_tdata = rx_pay.tdata;
  assign m_axis_pay_tkeep = rx_pay.tkeep;
  assign m_axis_pay_tvalid = rx_pay.tvalid;
  assign rx_pay.tready = m_axis_pay_tready;
  assign m_axis_pay_tlast = rx_pay.tlast;

  kumi_ib_wire_rx u_rx (
      .clk,
      .rst,
      .lid,
      .lmc,
      .s_axis(rx),
      .m_pkt (rx_pkt),
      .m_axis(rx_pay),
      .ev,
      .busy  (rx_busy)
  );

  // ---- send -------------------------------------------------------------------------------------
  kumi_rec_if #(.W(RC_PKT_W)) tx_pkt ();
  kumi_axis_if #(.DATA_W(64)) tx_pay ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) tx ();
  rc_pkt_t tx_rec;

  assign tx_rec = '{
          path: '{
              addr: s_hdr_pkt_data[HDR_W+16+:32],
              flow : s_hdr_pkt_data[HDR_W+:16],
              traffic: '0
          },
          hdr: rc_hdr_t'(s_hdr_pkt_data[HDR_W-1:0])
      };
  assign tx_pkt.data = tx_rec;
  assign tx_pkt.valid = s_hdr_pkt_valid;
  assign s_hdr_pkt_ready = tx_pkt.ready;
  assign tx_pay.tdata = s_axis_pay_tdata;
  assign tx_pay.tkeep = s_axis_pay_tkeep;
  assign tx_pay.tvalid = s_axis_pay_tvalid;
  assign s_axis_pay_tready = tx_pay.tready;
  assign tx_pay.tlast = s_axis_pay_tlast;
  assign tx_pay.tuser = s_axis_pay_tuser;
  assign tx_pay.tid = '0;
  assign tx_pay.tdest = '0;
  assign m_axis_ib_tdata = tx.tdata;
  assign m_axis_ib_tkeep = tx.tkeep;
  assign m_axis_ib_tvalid = tx.tvalid;
  assign tx.tready = m_axis_ib_tready;
  assign m_axis_ib_tlast = tx.tlast;
  assign m_axis_ib_tuser = tx.tuser;

  kumi_ib_wire_tx u_tx (
      .clk,
      .rst,
      .lid,
      .s_pkt(tx_pkt),
      .s_axis(tx_pay),
      .m_axis(tx),
      .busy(tx_busy),
      .ev_packet(ev_sent)
  );

  logic unused;
  assign unused = ^{tx.tid, tx.tdest};
endmodule
