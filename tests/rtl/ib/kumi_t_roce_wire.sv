// SPDX-License-Identifier: Apache-2.0
//
// Test top: the three units of the RoCEv2 wire, each with ports of its own. Records are rc_pkt_t
//   without path.traffic, which fits a header port.
module kumi_t_roce_wire
  import kumi_ip_pkg::UDP_HDR_W;
  import kumi_rc_pkg::*;
  import kumi_roce_pkg::*;
#(
    parameter int DATA_W = 64
) (
    input logic clk,
    input logic rst,
    input logic [31:0] own_ip,
    output roce_rx_events_t ev,
    output logic ev_bad,
    output logic ev_sent,
    output logic busy,

    // receive
    input logic [UDP_HDR_W-1:0] s_hdr_udp_data,
    input logic s_hdr_udp_valid,
    output logic s_hdr_udp_ready,
    input logic [DATA_W-1:0] s_axis_udp_tdata,
    input logic [DATA_W/8-1:0] s_axis_udp_tkeep,
    input logic s_axis_udp_tvalid,
    output logic s_axis_udp_tready,
    input logic s_axis_udp_tlast,
    output logic [RC_PKT_W-9:0] m_hdr_pkt_data,
    output logic m_hdr_pkt_valid,
    input logic m_hdr_pkt_ready,
    output logic [DATA_W-1:0] m_axis_pay_tdata,
    output logic [DATA_W/8-1:0] m_axis_pay_tkeep,
    output logic m_axis_pay_tvalid,
    input logic m_axis_pay_tready,
    output logic m_axis_pay_tlast,

    // send
    input logic [RC_PKT_W-9:0] s_hdr_pkt_data,
    input logic s_hdr_pkt_valid,
    output logic s_hdr_pkt_ready,
    input logic [DATA_W-1:0] s_axis_pay_tdata,
    input logic [DATA_W/8-1:0] s_axis_pay_tkeep,
    input logic s_axis_pay_tvalid,
    output logic s_axis_pay_tready,
    input logic s_axis_pay_tlast,
    input logic s_axis_pay_tuser,
    output logic [UDP_HDR_W-1:0] m_hdr_udp_data,
    output logic m_hdr_udp_valid,
    input logic m_hdr_udp_ready,
    output logic [DATA_W-1:0] m_axis_udp_tdata,
    output logic [DATA_W/8-1:0] m_axis_udp_tkeep,
    output logic m_axis_udp_tvalid,
    input logic m_axis_udp_tready,
    output logic m_axis_udp_tlast,
    output logic m_axis_udp_tuser,

    // ICRC check
    input logic [DATA_W-1:0] s_axis_eth_tdata,
    input logic [DATA_W/8-1:0] s_axis_eth_tkeep,
    input logic s_axis_eth_tvalid,
    output logic s_axis_eth_tready,
    input logic s_axis_eth_tlast,
    input logic s_axis_eth_tuser,
    output logic [DATA_W-1:0] m_axis_eth_tdata,
    output logic [DATA_W/8-1:0] m_axis_eth_tkeep,
    output logic m_axis_eth_tvalid,
    input logic m_axis_eth_tready,
    output logic m_axis_eth_tlast,
    output logic m_axis_eth_tuser
);
  localparam int HDR_W = $bits(rc_hdr_t);

  // ---- receive ----------------------------------------------------------------------------------
  kumi_rec_if #(.W(UDP_HDR_W)) rx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) rx ();
  kumi_rec_if #(.W(RC_PKT_W)) rx_pkt ();
  kumi_axis_if #(.DATA_W(DATA_W)) rx_pay ();
  rc_pkt_t rx_rec;

  assign rx_hdr.data = s_hdr_udp_data;
  assign rx_hdr.valid = s_hdr_udp_valid;
  assign s_hdr_udp_ready = rx_hdr.ready;
  assign rx.tdata = s_axis_udp_tdata;
  assign rx.tkeep = s_axis_udp_tkeep;
  assign rx.tvalid = s_axis_udp_tvalid;
  assign s_axis_udp_tready = rx.tready;
  assign rx.tlast = s_axis_udp_tlast;
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

  kumi_roce_rx #(
      .DATA_W(DATA_W)
  ) u_rx (
      .clk,
      .rst,
      .s_hdr (rx_hdr),
      .s_axis(rx),
      .m_pkt (rx_pkt),
      .m_axis(rx_pay),
      .ev
  );

  // ---- send -------------------------------------------------------------------------------------
  kumi_rec_if #(.W(RC_PKT_W)) tx_pkt ();
  kumi_axis_if #(.DATA_W(DATA_W)) tx_pay ();
  kumi_rec_if #(.W(UDP_HDR_W)) tx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) tx ();
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
  assign m_hdr_udp_data = tx_hdr.data;
  assign m_hdr_udp_valid = tx_hdr.valid;
  assign tx_hdr.ready = m_hdr_udp_ready;
  assign m_axis_udp_tdata = tx.tdata;
  assign m_axis_udp_tkeep = tx.tkeep;
  assign m_axis_udp_tvalid = tx.tvalid;
  assign tx.tready = m_axis_udp_tready;
  assign m_axis_udp_tlast = tx.tlast;
  assign m_axis_udp_tuser = tx.tuser;

  kumi_roce_tx #(
      .DATA_W(DATA_W)
  ) u_tx (
      .clk,
      .rst,
      .own_ip,
      .s_pkt(tx_pkt),
      .s_axis(tx_pay),
      .m_hdr(tx_hdr),
      .m_axis(tx),
      .busy,
      .ev_packet(ev_sent)
  );

  // ---- ICRC check -------------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) s_eth ();
  kumi_axis_if #(.DATA_W(DATA_W)) m_eth ();

  assign s_eth.tdata = s_axis_eth_tdata;
  assign s_eth.tkeep = s_axis_eth_tkeep;
  assign s_eth.tvalid = s_axis_eth_tvalid;
  assign s_axis_eth_tready = s_eth.tready;
  assign s_eth.tlast = s_axis_eth_tlast;
  assign s_eth.tuser = s_axis_eth_tuser;
  assign s_eth.tid = '0;
  assign s_eth.tdest = '0;
  assign m_axis_eth_tdata = m_eth.tdata;
  assign m_axis_eth_tkeep = m_eth.tkeep;
  assign m_axis_eth_tvalid = m_eth.tvalid;
  assign m_eth.tready = m_axis_eth_tready;
  assign m_axis_eth_tlast = m_eth.tlast;
  assign m_axis_eth_tuser = m_eth.tuser;

  kumi_roce_icrc_check u_check (
      .clk,
      .rst,
      .s_axis(s_eth),
      .m_axis(m_eth),
      .ev_bad
  );
endmodule
