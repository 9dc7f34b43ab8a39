// SPDX-License-Identifier: Apache-2.0
//
// Test top: every kernel with flat streams, and their registers side by side.
module kumi_t_kernels #(
    parameter int DATA_W = 64
) (
    input logic clk,
    input logic rst,
    output logic [DATA_W-1:0] m_axis_gen_tdata,
    output logic [DATA_W/8-1:0] m_axis_gen_tkeep,
    output logic m_axis_gen_tvalid,
    input logic m_axis_gen_tready,
    output logic m_axis_gen_tlast,
    output logic m_axis_gen_tuser,
    output logic [163:0] m_hdr_gen_data,
    output logic m_hdr_gen_valid,
    input logic m_hdr_gen_ready,
    input logic [DATA_W-1:0] s_axis_check_tdata,
    input logic [DATA_W/8-1:0] s_axis_check_tkeep,
    input logic s_axis_check_tvalid,
    output logic s_axis_check_tready,
    input logic s_axis_check_tlast,
    input logic s_axis_check_tuser,
    input logic [163:0] s_hdr_check_data,
    input logic s_hdr_check_valid,
    output logic s_hdr_check_ready,
    input logic [DATA_W-1:0] s_axis_ping_tdata,
    input logic [DATA_W/8-1:0] s_axis_ping_tkeep,
    input logic s_axis_ping_tvalid,
    output logic s_axis_ping_tready,
    input logic s_axis_ping_tlast,
    input logic s_axis_ping_tuser,
    input logic [163:0] s_hdr_ping_data,
    input logic s_hdr_ping_valid,
    output logic s_hdr_ping_ready,
    output logic [DATA_W-1:0] m_axis_ping_tdata,
    output logic [DATA_W/8-1:0] m_axis_ping_tkeep,
    output logic m_axis_ping_tvalid,
    input logic m_axis_ping_tready,
    output logic m_axis_ping_tlast,
    output logic m_axis_ping_tuser,
    output logic [163:0] m_hdr_ping_data,
    output logic m_hdr_ping_valid,
    input logic m_hdr_ping_ready,
    input logic [DATA_W-1:0] s_axis_echo_tdata,
    input logic [DATA_W/8-1:0] s_axis_echo_tkeep,
    input logic s_axis_echo_tvalid,
    output logic s_axis_echo_tready,
    input logic s_axis_echo_tlast,
    input logic s_axis_echo_tuser,
    input logic [163:0] s_hdr_echo_data,
    input logic s_hdr_echo_valid,
    output logic s_hdr_echo_ready,
    output logic [DATA_W-1:0] m_axis_echo_tdata,
    output logic [DATA_W/8-1:0] m_axis_echo_tkeep,
    output logic m_axis_echo_tvalid,
    input logic m_axis_echo_tready,
    output logic m_axis_echo_tlast,
    output logic m_axis_echo_tuser,
    output logic [163:0] m_hdr_echo_data,
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
    output logic [3:0] kernel_busy,
    output logic [63:0] now
);
  kumi_axis_if #(.DATA_W(DATA_W)) m_gen ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) m_gen_hdr ();
  assign m_axis_gen_tdata = m_gen.tdata;
  assign m_axis_gen_tkeep = m_gen.tkeep;
  assign m_axis_gen_tvalid = m_gen.tvalid;
  assign m_axis_gen_tlast = m_gen.tlast;
  assign m_axis_gen_tuser = m_gen.tuser;
  assign m_gen.tready = m_axis_gen_tready;
  assign m_hdr_gen_data = m_gen_hdr.data;
  assign m_hdr_gen_valid = m_gen_hdr.valid;
  assign m_gen_hdr.ready = m_hdr_gen_ready;
  kumi_axis_if #(.DATA_W(DATA_W)) s_check ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) s_check_hdr ();
  assign s_check.tdata = s_axis_check_tdata;
  assign s_check.tkeep = s_axis_check_tkeep;
  assign s_check.tvalid = s_axis_check_tvalid;
  assign s_check.tlast = s_axis_check_tlast;
  assign s_check.tuser = s_axis_check_tuser;
  assign s_check.tid = '0;
  assign s_check.tdest = '0;
  assign s_axis_check_tready = s_check.tready;
  assign s_check_hdr.data = s_hdr_check_data;
  assign s_check_hdr.valid = s_hdr_check_valid;
  assign s_hdr_check_ready = s_check_hdr.ready;
  kumi_axis_if #(.DATA_W(DATA_W)) s_ping ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) s_ping_hdr ();
  assign s_ping.tdata = s_axis_ping_tdata;
  assign s_ping.tkeep = s_axis_ping_tkeep;
  assign s_ping.tvalid = s_axis_ping_tvalid;
  assign s_ping.tlast = s_axis_ping_tlast;
  assign s_ping.tuser = s_axis_ping_tuser;
  assign s_ping.tid = '0;
  assign s_ping.tdest = '0;
  assign s_axis_ping_tready = s_ping.tready;
  assign s_ping_hdr.data = s_hdr_ping_data;
  assign s_ping_hdr.valid = s_hdr_ping_valid;
  assign s_hdr_ping_ready = s_ping_hdr.ready;
  kumi_axis_if #(.DATA_W(DATA_W)) m_ping ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) m_ping_hdr ();
  assign m_axis_ping_tdata = m_ping.tdata;
  assign m_axis_ping_tkeep = m_ping.tkeep;
  assign m_axis_ping_tvalid = m_ping.tvalid;
  assign m_axis_ping_tlast = m_ping.tlast;
  assign m_axis_ping_tuser = m_ping.tuser;
  assign m_ping.tready = m_axis_ping_tready;
  assign m_hdr_ping_data = m_ping_hdr.data;
  assign m_hdr_ping_valid = m_ping_hdr.valid;
  assign m_ping_hdr.ready = m_hdr_ping_ready;
  kumi_axis_if #(.DATA_W(DATA_W)) s_echo ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) s_echo_hdr ();
  assign s_echo.tdata = s_axis_echo_tdata;
  assign s_echo.tkeep = s_axis_echo_tkeep;
  assign s_echo.tvalid = s_axis_echo_tvalid;
  assign s_echo.tlast = s_axis_echo_tlast;
  assign s_echo.tuser = s_axis_echo_tuser;
  assign s_echo.tid = '0;
  assign s_echo.tdest = '0;
  assign s_axis_echo_tready = s_echo.tready;
  assign s_echo_hdr.data = s_hdr_echo_data;
  assign s_echo_hdr.valid = s_hdr_echo_valid;
  assign s_hdr_echo_ready = s_echo_hdr.ready;
  kumi_axis_if #(.DATA_W(DATA_W)) m_echo ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) m_echo_hdr ();
  assign m_axis_echo_tdata = m_echo.tdata;
  assign m_axis_echo_tkeep = m_echo.tkeep;
  assign m_axis_echo_tvalid = m_echo.tvalid;
  assign m_axis_echo_tlast = m_echo.tlast;
  assign m_axis_echo_tuser = m_echo.tuser;
  assign m_echo.tready = m_axis_echo_tready;
  assign m_hdr_echo_data = m_echo_hdr.data;
  assign m_hdr_echo_valid = m_echo_hdr.valid;
  assign m_echo_hdr.ready = m_hdr_echo_ready;

  kumi_axil_if host ();
  kumi_axil_if axil[4] ();
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

  kumi_axil_demux #(
      .N(4)
  ) u_demux (
      .clk,
      .rst,
      .s_axil(host),
      .m_axil(axil)
  );

  always_ff @(posedge clk) now <= rst ? '0 : now + 1'b1;

  kumi_traffic_gen u_gen (
      .clk,
      .rst,
      .now,
      .s_axil(axil[0]),
      .m_hdr (m_gen_hdr),
      .m_axis(m_gen),
      .busy  (kernel_busy[0])
  );
  kumi_ip_pkg::udp_listen_t check_listen, echo_listen;
  kumi_traffic_check u_check (
      .clk,
      .rst,
      .now,
      .s_axil(axil[1]),
      .s_hdr (s_check_hdr),
      .s_axis(s_check),
      .listen(check_listen),
      .busy  (kernel_busy[1])
  );
  logic [15:0] own_port;
  logic unused;
  assign unused = ^{own_port, check_listen, echo_listen};
  kumi_pingpong u_ping (
      .clk,
      .rst,
      .now,
      .s_axil(axil[2]),
      .s_hdr (s_ping_hdr),
      .s_axis(s_ping),
      .m_hdr (m_ping_hdr),
      .m_axis(m_ping),
      .own_port,
      .busy  (kernel_busy[2])
  );
  kumi_udp_echo u_echo (
      .clk,
      .rst,
      .s_axil(axil[3]),
      .s_hdr (s_echo_hdr),
      .s_axis(s_echo),
      .m_hdr (m_echo_hdr),
      .m_axis(m_echo),
      .listen(echo_listen),
      .busy  (kernel_busy[3])
  );
endmodule
