// SPDX-License-Identifier: Apache-2.0
//
// The reliable-connection engine of a node, with its registers and its way to memory.
//
// s_axil: registers (regs/rdma.rdl). s_hdr, s_axis, m_hdr, m_axis: packets from and to a wire
//   (kumi_rc_pkg). ev_wire, ev_sent: events of the wire, which the registers count.
// m_axi: the memory; addresses of work requests and regions are addresses there.
// active: a packet or an access is under way, or a request waits for its answer or its time-out.
module kumi_node_rdma
  import kumi_rc_pkg::*;
#(
    parameter int QPS = 64,  // queue pairs
    parameter int REGIONS = 64,  // memory regions
    parameter int SQ = 16,  // send requests per queue pair
    parameter int RQ = 16,  // receive requests per queue pair
    parameter int WINDOW = 128  // packets under way per queue pair
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    kumi_rec_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_hdr,
    kumi_axis_if.src m_axis,
    kumi_axi_if.mst m_axi,
    input kumi_roce_pkg::roce_rx_events_t ev_wire,
    input logic ev_sent,
    output logic active
);
  localparam int BURST_BYTES = 1024;

  kumi_rec_if #(.W(RC_SETUP_W)) setup ();
  kumi_rec_if #(.W(RC_WR_W)) wr ();
  kumi_rec_if #(.W(RC_COMPLETION_W)) completion ();
  kumi_axi_if #(
      .DATA_W(m_axi.DATA_W),
      .ADDR_W(64)
  ) mem[2] ();
  logic tick, under_way;
  logic [QPS-1:0] qp_error;
  rc_events_t ev;

  kumi_node_rdma_regs #(
      .QPS(QPS),
      .REGIONS(REGIONS),
      .SQ(SQ),
      .RQ(RQ),
      .WINDOW(WINDOW)
  ) u_regs (
      .clk,
      .rst,
      .s_axil,
      .m_setup(setup),
      .m_wr(wr),
      .s_completion(completion),
      .tick,
      .under_way,
      .qp_error,
      .ev,
      .ev_wire,
      .ev_sent
  );

  kumi_rc #(
      .QPS(QPS),
      .REGIONS(REGIONS),
      .SQ(SQ),
      .RQ(RQ),
      .WINDOW(WINDOW),
      .BURST_BYTES(BURST_BYTES)
  ) u_rc (
      .clk,
      .rst,
      .tick,
      .s_setup(setup),
      .s_wr(wr),
      .m_completion(completion),
      .s_hdr,
      .s_axis,
      .m_hdr,
      .m_axis,
      .m_axi(mem[0]),
      .m_axi_atomic(mem[1]),
      .qp_error,
      .ev
  );

  kumi_axi_mux #(
      .N(2),
      .BURST_BYTES(BURST_BYTES)
  ) u_mem (
      .clk,
      .rst,
      .s_axi(mem),
      .m_axi
  );

  assign active = under_way || setup.valid || wr.valid || s_hdr.valid || s_axis.tvalid ||
      m_hdr.valid || m_axis.tvalid || m_axi.awvalid || m_axi.arvalid || m_axi.bvalid ||
      m_axi.rvalid;
endmodule
