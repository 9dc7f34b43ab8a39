// SPDX-License-Identifier: Apache-2.0
//
// kumi_rc under test, with both memory ports on one memory. Packet records are without
// path.traffic, so that they have 511 bits: {path.addr, path.flow, hdr}.
module kumi_t_rc
  import kumi_rc_pkg::*;
#(
    parameter int QPS = 4,
    parameter int WINDOW = 32
) (
    input logic clk,
    input logic rst,
    input logic tick,
    kumi_rec_if.snk s_setup,
    kumi_rec_if.snk s_wr,
    kumi_rec_if.src m_completion,
    kumi_rec_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_hdr,
    kumi_axis_if.src m_axis,
    kumi_axi_if.mst m_axi,
    output logic [QPS-1:0] qp_error,
    output rc_events_t ev
);
  kumi_axi_if #(
      .DATA_W(m_axi.DATA_W),
      .ADDR_W(m_axi.ADDR_W)
  ) bus[2] ();

  localparam int HDR_W = $bits(rc_hdr_t);
  kumi_rec_if #(.W(RC_PKT_W)) rx ();
  kumi_rec_if #(.W(RC_PKT_W)) tx ();

  assign rx.data = {s_hdr.data[HDR_W+:48], 8'h0, s_hdr.data[HDR_W-1:0]};
  assign rx.valid = s_hdr.valid;
  assign s_hdr.ready = rx.ready;
  assign m_hdr.data = {tx.data[HDR_W+8+:48], tx.data[HDR_W-1:0]};
  assign m_hdr.valid = tx.valid;
  assign tx.ready = m_hdr.ready;

  kumi_rc #(
      .QPS(QPS),
      .REGIONS(16),
      .WINDOW(WINDOW)
  ) u_rc (
      .s_hdr(rx),
      .m_hdr(tx),
      .m_axi(bus[0]),
      .m_axi_atomic(bus[1]),
      .*
  );

  kumi_axi_mux #(
      .N(2),
      .BURST_BYTES(1024)
  ) u_mux (
      .clk,
      .rst,
      .s_axi(bus),
      .m_axi
  );
endmodule
