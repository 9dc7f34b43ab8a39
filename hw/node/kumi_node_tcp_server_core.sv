// SPDX-License-Identifier: Apache-2.0
//
// Node: TCP server for ordinary clients: echo, discard and character generator (RFC 862, 863, 864:
// ports 7, 9, 19), iperf 2 (port 5001, TCP and UDP) and HTTP/1.1 (port 80), beside ARP and ping.
// With GZIP the HTTP server compresses and decompresses, and so does a port of raw framing (5101;
// kumi_http).
//
//   eth0 <-> kumi_node_tcp_shell <-> kumi_tcp_app_mux <-> kernels 0 .. 4
//
// Ports as in kumi_node_tcp_shell; the kernels' registers follow the TCP engine's from 0x3000 on:
//   echo, discard, character generator, iperf, HTTP.
// Any of up to SESSIONS connections may use any service; a stalled service stalls only its own
//   (kumi_tcp_app_mux states for how long at most).
module kumi_node_tcp_server_core
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter int SESSIONS = 64,  // connections at a time, a power of two, 4..16384
    parameter int RING = 65536,  // bytes that wait, each way and connection, a power of two
    parameter int MTU = 9000,  // longest IP packet either way
    parameter bit ON_CHIP = 1'b0,  // 1: they wait in the chip, 0: in memory at m_axi_rx, m_axi_tx
    parameter bit CUBIC = 1'b0,  // 1: build CUBIC in
    parameter bit GZIP = 1'b0,  // 1: /gzip, /gunzip, /echo over HTTP; messages on port 5101
    parameter int RX_BYTES = 0,  // receive buffer that drops when full, a power of two; 0: none
    parameter bit TX_STORE = 1'b1,  // 1: hold each frame to send until it is complete
    parameter bit DHCP = 1'b0,  // 1: a DHCP client, off until its register says otherwise
    parameter bit IPV6 = 1'b0,  // 1: IPv6 beside IPv4
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil,

    kumi_axi_if.mst m_axi_rx,
    kumi_axi_if.mst m_axi_tx,

    output logic busy
);
  localparam int CLIENTS = 5;  // echo, discard, character generator, iperf, HTTP
  localparam int CHUNK = 4096;  // longest write of a kernel

  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) udp_rx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_rx ();
  kumi_rec_if #(.W(kumi_ip_pkg::UDP_HDR_W)) udp_tx_hdr ();
  kumi_axis_if #(.DATA_W(DATA_W)) udp_tx ();
  kumi_axil_if axil[CLIENTS] ();
  logic [63:0] now;
  logic [31:0] now_us;
  logic share_busy;
  kumi_ip_pkg::ip_unresolved_t unresolved;
  kumi_ip_pkg::udp_listen_t udp_listen;
  logic notify_skip;
  logic [CLIENTS-1:0] kernel_busy;

  // ---- engine ---------------------------------------------------------------------------------
  kumi_tcp_app_if #(.DATA_W(DATA_W)) app ();

  kumi_node_tcp_shell #(
      .DATA_W(DATA_W),
      .NAME("tcp_server"),
      .BLOCKS(CLIENTS),
      .KINDS({
        kumi_regs_pkg::BLOCK_HTTP,
        kumi_regs_pkg::BLOCK_IPERF_SERVER,
        kumi_regs_pkg::BLOCK_TCP_ECHO,
        kumi_regs_pkg::BLOCK_TCP_ECHO,
        kumi_regs_pkg::BLOCK_TCP_ECHO
      }),
      .BUILD(BUILD),
      .SESSIONS(SESSIONS),
      .TX_RING(RING),
      .RX_RING(RING),
      .CUBIC(CUBIC),
      .ON_CHIP(ON_CHIP),
      .MTU(MTU),
      .RX_BYTES(RX_BYTES),
      .TX_STORE(TX_STORE),
      .DHCP(DHCP),
      .IPV6(IPV6)
  ) u_shell (
      .m_udp_hdr(udp_rx_hdr),
      .m_udp(udp_rx),
      .s_udp_hdr(udp_tx_hdr),
      .s_udp(udp_tx),
      .s_app(app),
      .m_axil(axil),
      .now,
      .now_us,
      .unresolved,
      .udp_listen,
      .notify_skip,
      .kernel_busy(share_busy || kernel_busy != '0),
      .*  // clk, rst, the Ethernet port, the register port, the memory ports, busy
  );

  // ---- one engine, several kernels ------------------------------------------------------------
  kumi_tcp_app_if #(.DATA_W(DATA_W)) k_app[CLIENTS] ();

  kumi_tcp_app_mux #(
      .DATA_W  (DATA_W),
      .CLIENTS (CLIENTS),
      .SESSIONS(SESSIONS)
  ) u_share (
      .clk,
      .rst,
      .s_app(k_app),
      .m_eng(app),
      .notify_skip,
      .busy (share_busy)
  );

  // ---- kernels --------------------------------------------------------------------------------
  localparam logic [15:0] PORTS[3] = '{16'd7, 16'd9, 16'd19};

  for (genvar k = 0; k < 3; ++k) begin : gen_echo
    kumi_tcp_app_if #(.DATA_W(DATA_W)) echo ();
    kumi_tcp_app_join u_join (
        .s_app(echo),
        .m_app(k_app[k])
    );
    kumi_tcp_echo #(
        .SESSIONS(SESSIONS),
        .CHUNK(CHUNK),
        .PORT(PORTS[k]),
        .MODE(k)
    ) u_echo (
        .clk,
        .rst,
        .now_us,
        .s_axil(axil[k]),
        .m_app (echo),
        .busy  (kernel_busy[k])
    );
  end

  kumi_tcp_app_if #(.DATA_W(DATA_W)) iperf ();
  kumi_tcp_app_join u_join_iperf (
      .s_app(iperf),
      .m_app(k_app[3])
  );

  kumi_iperf_server #(
      .SESSIONS(SESSIONS),
      .CHUNK(CHUNK)
  ) u_iperf (
      .clk,
      .rst,
      .now_us,
      .unresolved,
      .s_udp_hdr(udp_rx_hdr),
      .s_udp(udp_rx),
      .m_udp_hdr(udp_tx_hdr),
      .m_udp(udp_tx),
      .udp_listen,
      .s_axil(axil[3]),
      .m_app(iperf),
      .busy(kernel_busy[3])
  );

  kumi_tcp_app_if #(.DATA_W(DATA_W)) http ();
  kumi_tcp_app_join u_join_http (
      .s_app(http),
      .m_app(k_app[4])
  );

  kumi_axis_if #(
      .DATA_W(8),
      .DEST_W(4)
  ) request_body ();
  kumi_axis_if #(.DATA_W(8)) response_body ();
  logic http_busy, gzip_busy;

  kumi_http #(
      .SESSIONS(SESSIONS),
      .ROUTES(GZIP ? 3 : 0),
      .ROUTE_PATHS({{"/echo", 104'd0}, {"/gzip", 104'd0}, {"/gunzip", 88'd0}}),
      .ROUTE_DECODES(3'b111),
      .ROUTE_ENCODES(3'b101)
  ) u_http (
      .clk,
      .rst,
      .now_us,
      .s_axil(axil[4]),
      .m_app (http),
      .m_body(request_body),
      .s_body(response_body),
      .busy  (http_busy)
  );

  if (GZIP) begin : gen_gzip
    kumi_http_gzip u_gzip (
        .clk,
        .rst,
        .s_body(request_body),
        .m_body(response_body),
        .busy  (gzip_busy)
    );
  end else begin : gen_no_gzip
    assign request_body.tready = 1'b1;
    assign response_body.tdata = '0;
    assign response_body.tkeep = '0;
    assign response_body.tvalid = 1'b0;
    assign response_body.tlast = 1'b0;
    assign response_body.tuser = '0;
    assign response_body.tid = '0;
    assign response_body.tdest = '0;
    assign gzip_busy = 1'b0;
  end
  assign kernel_busy[4] = http_busy || gzip_busy;

  logic unused;
  assign unused = ^now;
endmodule
