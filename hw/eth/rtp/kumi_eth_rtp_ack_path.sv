// SPDX-License-Identifier: Apache-2.0
//
// Acknowledgement path of the RTP core: kumi_eth_rtp_ack_sched and the tables that it scans.
//
// rx, window_update, probe, handshake, m_req, waiting: see kumi_eth_rtp_ack_sched.
// conn_w, rcv_w, delivered_w, advertised_w: writes to the tables.
// Latency: that of kumi_eth_rtp_ack_sched.
module kumi_eth_rtp_ack_path
  import kumi_eth_rtp_pkg::*;
#(
    parameter int WINDOW = 16,
    parameter int PEERS  = 64,
    parameter int PEER_W = 6
) (
    input logic clk,
    input logic rst,

    input logic [15:0] tick,
    input logic [15:0] cfg_delay,

    input rtp_ack_req_t rx,
    input logic         rx_valid,
    input rtp_ack_req_t window_update,
    input logic         window_update_valid,
    input rtp_ack_req_t probe,
    input logic         probe_valid,
    input rtp_ack_req_t handshake,
    input logic         handshake_valid,

    input rtp_conn_wr_t       conn_w,
    input rtp_rcv_wr_t        rcv_w,
    input rtp_delivered_wr_t  delivered_w,
    input rtp_advertised_wr_t advertised_w,

    output logic         waiting,
    output rtp_ack_req_t m_req,
    output logic         m_valid,
    input  logic         m_ready
);
  logic [PEER_W-1:0] rd_peer;
  logic up;
  logic [7:0] rcv_nxt, delivered, advertised_ack, advertised_limit;

  kumi_eth_rtp_ack_sched #(
      .WINDOW(WINDOW),
      .PEERS (PEERS),
      .PEER_W(PEER_W)
  ) u_ack_sched (
      .clk,
      .rst,
      .tick,
      .cfg_delay,
      .rx,
      .rx_valid,
      .window_update,
      .window_update_valid,
      .probe,
      .probe_valid,
      .handshake,
      .handshake_valid,
      .rd_peer,
      .up,
      .rcv_nxt,
      .delivered,
      .advertised_ack,
      .advertised_limit,
      .waiting,
      .m_req,
      .m_valid,
      .m_ready
  );

  kumi_ram_sdp #(
      .W(1),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_up (
      .clk,
      .wr_en  (conn_w.en),
      .wr_addr(PEER_W'(conn_w.peer)),
      .wr_data(conn_w.conn.up),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(up)
  );

  kumi_ram_sdp #(
      .W(8),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_rcv_nxt (
      .clk,
      .wr_en  (rcv_w.en),
      .wr_addr(PEER_W'(rcv_w.peer)),
      .wr_data(rcv_w.nxt[7:0]),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(rcv_nxt)
  );

  kumi_ram_sdp #(
      .W(8),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_delivered (
      .clk,
      .wr_en  (delivered_w.en),
      .wr_addr(PEER_W'(delivered_w.peer)),
      .wr_data(delivered_w.count),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(delivered)
  );

  kumi_ram_sdp #(
      .W(8),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_advertised_ack (
      .clk,
      .wr_en  (advertised_w.en),
      .wr_addr(PEER_W'(advertised_w.peer)),
      .wr_data(advertised_w.ack),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(advertised_ack)
  );

  kumi_ram_sdp #(
      .W(8),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_advertised_limit (
      .clk,
      .wr_en  (advertised_w.en && advertised_w.full),
      .wr_addr(PEER_W'(advertised_w.peer)),
      .wr_data(advertised_w.limit),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(advertised_limit)
  );

  logic unused;
  assign unused = ^{conn_w, rcv_w, delivered_w, advertised_w};
endmodule
