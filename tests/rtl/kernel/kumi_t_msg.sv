// SPDX-License-Identifier: Apache-2.0
//
// Test top: the message kernels with flat streams, their registers side by side. Right replies at
// the checker go to the generator; a bit of `rooms` for each peer.
module kumi_t_msg #(
    parameter int DATA_W = 256
) (
    input logic clk,
    input logic rst,
    output logic [DATA_W-1:0] m_axis_gen_tdata,
    output logic [DATA_W/8-1:0] m_axis_gen_tkeep,
    output logic m_axis_gen_tvalid,
    input logic m_axis_gen_tready,
    output logic m_axis_gen_tlast,
    output logic m_axis_gen_tuser,
    output logic [3:0] m_axis_gen_tdest,
    output kumi_msg_pkg::msg_rec_t m_hdr_gen_data,
    output logic m_hdr_gen_valid,
    input logic m_hdr_gen_ready,
    input logic [DATA_W-1:0] s_axis_check_tdata,
    input logic [DATA_W/8-1:0] s_axis_check_tkeep,
    input logic s_axis_check_tvalid,
    output logic s_axis_check_tready,
    input logic s_axis_check_tlast,
    input logic [2:0] s_axis_check_tuser,
    input logic [3:0] s_axis_check_tid,
    input logic [DATA_W-1:0] s_axis_echo_tdata,
    input logic [DATA_W/8-1:0] s_axis_echo_tkeep,
    input logic s_axis_echo_tvalid,
    output logic s_axis_echo_tready,
    input logic s_axis_echo_tlast,
    input logic [2:0] s_axis_echo_tuser,
    input logic [3:0] s_axis_echo_tid,
    output logic [DATA_W-1:0] m_axis_echo_tdata,
    output logic [DATA_W/8-1:0] m_axis_echo_tkeep,
    output logic m_axis_echo_tvalid,
    input logic m_axis_echo_tready,
    output logic m_axis_echo_tlast,
    output logic m_axis_echo_tuser,
    output logic [3:0] m_axis_echo_tdest,
    output kumi_msg_pkg::msg_rec_t m_hdr_echo_data,
    output logic m_hdr_echo_valid,
    input logic m_hdr_echo_ready,
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
    input logic [15:0] rooms,
    output logic [2:0] kernel_busy,
    output logic echo_on
);
  import kumi_msg_pkg::*;
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(4)
  ) gen ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(4)
  ) echo ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(3),
      .ID_W  (4)
  ) to_check ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .USER_W(3),
      .ID_W  (4)
  ) to_echo ();
  kumi_rec_if #(.W($bits(msg_rec_t))) gen_rec ();
  kumi_rec_if #(.W($bits(msg_rec_t))) echo_rec ();
  kumi_axil_if host ();
  kumi_axil_if axil[3] ();

  assign m_axis_gen_tdata = gen.tdata;
  assign m_axis_gen_tkeep = gen.tkeep;
  assign m_axis_gen_tvalid = gen.tvalid;
  assign m_axis_gen_tlast = gen.tlast;
  assign m_axis_gen_tuser = gen.tuser;
  assign m_axis_gen_tdest = gen.tdest;
  assign gen.tready = m_axis_gen_tready;
  assign m_hdr_gen_data = kumi_msg_pkg::msg_rec_t'(gen_rec.data);
  assign m_hdr_gen_valid = gen_rec.valid;
  assign gen_rec.ready = m_hdr_gen_ready;
  assign to_check.tdata = s_axis_check_tdata;
  assign to_check.tkeep = s_axis_check_tkeep;
  assign to_check.tvalid = s_axis_check_tvalid;
  assign to_check.tlast = s_axis_check_tlast;
  assign to_check.tuser = s_axis_check_tuser;
  assign to_check.tid = s_axis_check_tid;
  assign to_check.tdest = '0;
  assign s_axis_check_tready = to_check.tready;
  assign to_echo.tdata = s_axis_echo_tdata;
  assign to_echo.tkeep = s_axis_echo_tkeep;
  assign to_echo.tvalid = s_axis_echo_tvalid;
  assign to_echo.tlast = s_axis_echo_tlast;
  assign to_echo.tuser = s_axis_echo_tuser;
  assign to_echo.tid = s_axis_echo_tid;
  assign to_echo.tdest = '0;
  assign s_axis_echo_tready = to_echo.tready;
  assign m_axis_echo_tdata = echo.tdata;
  assign m_axis_echo_tkeep = echo.tkeep;
  assign m_axis_echo_tvalid = echo.tvalid;
  assign m_axis_echo_tlast = echo.tlast;
  assign m_axis_echo_tuser = echo.tuser;
  assign m_axis_echo_tdest = echo.tdest;
  assign echo.tready = m_axis_echo_tready;
  assign m_hdr_echo_data = kumi_msg_pkg::msg_rec_t'(echo_rec.data);
  assign m_hdr_echo_valid = echo_rec.valid;
  assign echo_rec.ready = m_hdr_echo_ready;
  assign host.awaddr = s_axil_awaddr;
  assign host.awprot = s_axil_awprot;
  assign host.awvalid = s_axil_awvalid;
  assign s_axil_awready = host.awready;
  assign host.wdata = s_axil_wdata;
  assign host.wstrb = s_axil_wstrb;
  assign host.wvalid = s_axil_wvalid;
  assign s_axil_wready = host.wready;
  assign s_axil_bresp = host.bresp;
  assign s_axil_bvalid = host.bvalid;
  assign host.bready = s_axil_bready;
  assign host.araddr = s_axil_araddr;
  assign host.arprot = s_axil_arprot;
  assign host.arvalid = s_axil_arvalid;
  assign s_axil_arready = host.arready;
  assign s_axil_rdata = host.rdata;
  assign s_axil_rresp = host.rresp;
  assign s_axil_rvalid = host.rvalid;
  assign host.rready = s_axil_rready;

  logic [63:0] now;
  logic [15:0] credit_peer, source;
  logic [31:0] reply_number;
  logic reply, room_1_q, room_2_q;

  always_ff @(posedge clk) begin
    now <= rst ? '0 : now + 1'b1;
    room_1_q <= rooms[credit_peer[3:0]];
    room_2_q <= room_1_q;
  end

  kumi_axil_demux #(
      .N(3)
  ) u_demux (
      .clk,
      .rst,
      .s_axil(host),
      .m_axil(axil)
  );

  kumi_msg_gen #(
      .PEERS(16)
  ) u_gen (
      .clk,
      .rst,
      .now,
      .s_axil(axil[0]),
      .m_rec (gen_rec),
      .m_axis(gen),
      .credit_peer,
      .room  (room_2_q),
      .reply,
      .reply_number,
      .source,
      .busy  (kernel_busy[0])
  );

  kumi_msg_check #(
      .SOURCES(16)
  ) u_check (
      .clk,
      .rst,
      .now,
      .own   (source),
      .s_axil(axil[1]),
      .s_axis(to_check),
      .reply,
      .reply_number,
      .busy  (kernel_busy[1])
  );

  kumi_msg_echo u_echo (
      .clk,
      .rst,
      .s_axil(axil[2]),
      .s_axis(to_echo),
      .m_rec (echo_rec),
      .m_axis(echo),
      .enable(echo_on),
      .busy  (kernel_busy[2])
  );

  logic unused;
  assign unused = ^credit_peer;
endmodule
