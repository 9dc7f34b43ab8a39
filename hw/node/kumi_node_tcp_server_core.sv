// SPDX-License-Identifier: Apache-2.0
//
// Node: TCP server. Ordinary clients find what a small server has: echo, discard and character
// generator (RFC 862, 863, 864: ports 7, 9, 19), iperf 2 (port 5001, TCP and UDP) and HTTP/1.1
// (port 80), beside ARP and ping.
//
//   eth0 <-> kumi_node_tcp_shell <-> kumi_tcp_app_mux <-> kernels 0 .. 4
//
// Ports as in kumi_node_tcp_shell; the kernels' registers follow the TCP engine's from 0x3000 on:
//   echo, discard, character generator, iperf, HTTP.
// Any of up to SESSIONS connections may be of any service; a service that stands still stops only
//   its own (kumi_tcp_app_mux says for how long at most).
module kumi_node_tcp_server_core
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of the data path: 64, 128, 256, 512
    parameter int SESSIONS = 64,  // connections at a time, a power of two, 4..16384
    parameter int RING = 65536,  // bytes that wait, each way and connection, a power of two
    parameter int MTU = 9000,  // longest IP packet either way
    parameter bit ON_CHIP = 1'b0,  // 1: they wait in the chip, 0: in memory at m_axi_rx, m_axi_tx
    parameter bit CUBIC = 1'b0,  // 1: build CUBIC in
    parameter int RX_BYTES = 0,  // receive buffer that drops when full, a power of two; 0: none
    parameter bit TX_STORE = 1'b1,  // 1: hold each frame to send until it is complete
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
  logic [CLIENTS-1:0] kernel_busy;

  // ---- engine ---------------------------------------------------------------------------------
  kumi_rec_if #(.W(LISTEN_W)) listen ();
  kumi_rec_if #(.W(LISTEN_RSP_W)) listened ();
  kumi_rec_if #(.W(OPEN_W)) open ();
  kumi_rec_if #(.W(OPEN_RSP_W)) opened ();
  kumi_rec_if #(.W(CLOSE_W)) close ();
  kumi_rec_if #(.W(NOTIFY_W)) note ();
  kumi_rec_if #(.W(READ_W)) read ();
  kumi_rec_if #(.W(READ_RSP_W)) read_rsp ();
  kumi_rec_if #(.W(WRITE_W)) write ();
  kumi_rec_if #(.W(WRITE_RSP_W)) write_rsp ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (SID_W)
  ) rx ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (SID_W)
  ) tx ();

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
      .TX_STORE(TX_STORE)
  ) u_shell (
      .m_udp_hdr(udp_rx_hdr),
      .m_udp(udp_rx),
      .s_udp_hdr(udp_tx_hdr),
      .s_udp(udp_tx),
      .s_listen(listen),
      .m_listen_rsp(listened),
      .s_open(open),
      .m_open_rsp(opened),
      .s_close(close),
      .m_notify(note),
      .s_read(read),
      .m_read(read_rsp),
      .m_axis(rx),
      .s_write(write),
      .m_write(write_rsp),
      .s_axis(tx),
      .m_axil(axil),
      .now,
      .now_us,
      .kernel_busy(share_busy || kernel_busy != '0),
      .*  // clk, rst, the Ethernet port, the register port, the memory ports, busy
  );

  // ---- one engine, several kernels ------------------------------------------------------------
  kumi_rec_if #(.W(LISTEN_W)) k_listen[CLIENTS] ();
  kumi_rec_if #(.W(LISTEN_RSP_W)) k_listened[CLIENTS] ();
  kumi_rec_if #(.W(OPEN_W)) k_open[CLIENTS] ();
  kumi_rec_if #(.W(OPEN_RSP_W)) k_opened[CLIENTS] ();
  kumi_rec_if #(.W(CLOSE_W)) k_close[CLIENTS] ();
  kumi_rec_if #(.W(NOTIFY_W)) k_note[CLIENTS] ();
  kumi_rec_if #(.W(READ_W)) k_read[CLIENTS] ();
  kumi_rec_if #(.W(READ_RSP_W)) k_read_rsp[CLIENTS] ();
  kumi_rec_if #(.W(WRITE_W)) k_write[CLIENTS] ();
  kumi_rec_if #(.W(WRITE_RSP_W)) k_write_rsp[CLIENTS] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (SID_W)
  ) k_rx[CLIENTS] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (SID_W)
  ) k_tx[CLIENTS] ();

  kumi_tcp_app_mux #(
      .CLIENTS (CLIENTS),
      .SESSIONS(SESSIONS)
  ) u_share (
      .clk,
      .rst,
      .s_listen(k_listen),
      .m_listen_rsp(k_listened),
      .s_open(k_open),
      .m_open_rsp(k_opened),
      .s_close(k_close),
      .m_notify(k_note),
      .s_read(k_read),
      .m_read(k_read_rsp),
      .m_axis(k_rx),
      .s_write(k_write),
      .m_write(k_write_rsp),
      .s_axis(k_tx),
      .m_eng_listen(listen),
      .s_eng_listen_rsp(listened),
      .m_eng_open(open),
      .s_eng_open_rsp(opened),
      .m_eng_close(close),
      .s_eng_notify(note),
      .m_eng_read(read),
      .s_eng_read(read_rsp),
      .s_eng_axis(rx),
      .m_eng_write(write),
      .s_eng_write(write_rsp),
      .m_eng_axis(tx),
      .busy(share_busy)
  );

  // ---- kernels --------------------------------------------------------------------------------
  localparam logic [15:0] PORTS[3] = '{16'd7, 16'd9, 16'd19};

  for (genvar k = 0; k < 3; ++k) begin : gen_echo
    kumi_tcp_echo #(
        .SESSIONS(SESSIONS),
        .CHUNK(CHUNK),
        .PORT(PORTS[k]),
        .MODE(k)
    ) u_echo (
        .clk,
        .rst,
        .s_axil(axil[k]),
        .m_listen(k_listen[k]),
        .s_listen_rsp(k_listened[k]),
        .m_open(k_open[k]),
        .s_open_rsp(k_opened[k]),
        .m_close(k_close[k]),
        .s_notify(k_note[k]),
        .m_read(k_read[k]),
        .s_read(k_read_rsp[k]),
        .s_axis(k_rx[k]),
        .m_write(k_write[k]),
        .s_write(k_write_rsp[k]),
        .m_axis(k_tx[k]),
        .busy(kernel_busy[k])
    );
  end

  kumi_iperf_server #(
      .SESSIONS(SESSIONS),
      .CHUNK(CHUNK)
  ) u_iperf (
      .clk,
      .rst,
      .now_us,
      .s_udp_hdr(udp_rx_hdr),
      .s_udp(udp_rx),
      .m_udp_hdr(udp_tx_hdr),
      .m_udp(udp_tx),
      .s_axil(axil[3]),
      .m_listen(k_listen[3]),
      .s_listen_rsp(k_listened[3]),
      .m_open(k_open[3]),
      .s_open_rsp(k_opened[3]),
      .m_close(k_close[3]),
      .s_notify(k_note[3]),
      .m_read(k_read[3]),
      .s_read(k_read_rsp[3]),
      .s_axis(k_rx[3]),
      .m_write(k_write[3]),
      .s_write(k_write_rsp[3]),
      .m_axis(k_tx[3]),
      .busy(kernel_busy[3])
  );

  kumi_http #(
      .SESSIONS(SESSIONS)
  ) u_http (
      .clk,
      .rst,
      .now_us,
      .s_axil(axil[4]),
      .m_listen(k_listen[4]),
      .s_listen_rsp(k_listened[4]),
      .m_open(k_open[4]),
      .s_open_rsp(k_opened[4]),
      .m_close(k_close[4]),
      .s_notify(k_note[4]),
      .m_read(k_read[4]),
      .s_read(k_read_rsp[4]),
      .s_axis(k_rx[4]),
      .m_write(k_write[4]),
      .s_write(k_write_rsp[4]),
      .m_axis(k_tx[4]),
      .busy(kernel_busy[4])
  );

  logic unused;
  assign unused = ^now;
endmodule
