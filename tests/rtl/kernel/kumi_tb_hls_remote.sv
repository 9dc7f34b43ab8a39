// SPDX-License-Identifier: Apache-2.0
//
// Both ends of remote channels in one node: what kumi_hls_remote_tx sends comes to kumi_hls_remote_rx
// of the same, frame by frame. spoil: the next header is 1: of no kind, 2: a message of a channel that
// there is not, 3: a report of one. The words of channel K enter at s_hdr_inK and leave at
// m_hdr_outK. up: the peer is up.
module kumi_tb_hls_remote
  import kumi_hls_remote_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic up,
    input logic [1:0] spoil,
    output logic ev_drop,
    output logic m_valid_first,  // a header is offered
    input logic [255:0] s_hdr_in0_data,
    input logic s_hdr_in0_valid,
    output logic s_hdr_in0_ready,
    input logic [255:0] s_hdr_in1_data,
    input logic s_hdr_in1_valid,
    output logic s_hdr_in1_ready,
    output logic [255:0] m_hdr_out0_data,
    output logic m_hdr_out0_valid,
    input logic m_hdr_out0_ready,
    output logic [255:0] m_hdr_out1_data,
    output logic m_hdr_out1_valid,
    input logic m_hdr_out1_ready
);
  kumi_axis_if #(
      .DATA_W(256),
      .DEST_W(4)
  ) tx ();
  kumi_axis_if #(
      .DATA_W(256),
      .USER_W(3),
      .ID_W  (4)
  ) rx ();
  remote_dest_t   [1:0] dest;
  remote_report_t [1:0] report;
  logic report_sent, credit_valid, lost, tx_busy, rx_busy, inside_q;
  logic [7:0] report_index, credit_to;
  logic [15:0] credit_count;
  logic [3:0] ask_peer;
  remote_header_t head;

  assign dest[0] = '{connected: 1'b1, peer: 8'd3, to: 8'd0};
  assign dest[1] = '{connected: 1'b1, peer: 8'd3, to: 8'd1};

  kumi_hls_remote_tx #(
      .SENDS(2),
      .RECEIVES(2),
      .PEER_W(4)
  ) u_tx (
      .clk,
      .rst,
      .s_data({s_hdr_in1_data, s_hdr_in0_data}),
      .s_valid({s_hdr_in1_valid, s_hdr_in0_valid}),
      .s_ready({s_hdr_in1_ready, s_hdr_in0_ready}),
      .dest,
      .credit_valid,
      .credit_to,
      .credit_count,
      .report,
      .report_sent,
      .report_index,
      .m_msg(tx),
      .ask_peer,
      .up(up && ask_peer == 4'd3),
      .stop(1'b0),
      .busy(tx_busy)
  );

  always_ff @(posedge clk) begin
    if (tx.tvalid && tx.tready) inside_q <= !tx.tlast;
    if (rst) inside_q <= 1'b0;
  end
  assign m_valid_first = tx.tvalid && !inside_q;
  assign rx.tvalid = tx.tvalid;
  always_comb begin
    head = remote_header_t'(tx.tdata[$bits(remote_header_t)-1:0]);
    if (spoil == 2'd1) head.kind = remote_kind_e'(8'hFF);
    if (spoil == 2'd3) head.kind = REMOTE_CREDIT;
    if (spoil[1]) head.to = 8'd2;
  end
  assign rx.tdata  = inside_q ? tx.tdata : {tx.tdata[255:$bits(head)], head};
  assign rx.tkeep  = tx.tkeep;
  assign rx.tlast  = tx.tlast;
  assign rx.tuser  = 3'b110;
  assign rx.tid    = tx.tdest;
  assign rx.tdest  = '0;
  assign tx.tready = rx.tready;

  kumi_hls_remote_rx #(
      .RECEIVES(2),
      .SENDS   (2),
      .PEER_W  (4)
  ) u_rx (
      .clk,
      .rst,
      .s_msg(rx),
      .m_data({m_hdr_out1_data, m_hdr_out0_data}),
      .m_valid({m_hdr_out1_valid, m_hdr_out0_valid}),
      .m_ready({m_hdr_out1_ready, m_hdr_out0_ready}),
      .report,
      .report_sent,
      .report_index,
      .credit_valid,
      .credit_to,
      .credit_count,
      .stop(1'b0),
      .lost,
      .ev_drop,
      .busy(rx_busy)
  );

  logic unused;
  assign unused = ^{lost, tx_busy, rx_busy};
endmodule
