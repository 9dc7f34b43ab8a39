// SPDX-License-Identifier: Apache-2.0
//
// Test top: kumi_tcp_rx_mem with its rings in a kumi_axi_ram.
module kumi_t_tcp_rx_chip #(
    parameter int DATA_W     = 64,
    parameter int SESSIONS   = 16,
    parameter int RX_RING    = 4096,
    parameter int READ_BEATS = 0
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_done,
    kumi_rec_if.src m_notify,
    kumi_rec_if.snk s_read,
    kumi_rec_if.src m_read,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src m_fault,
    output logic busy,
    output kumi_tcp_mem_pkg::tcp_rx_mem_ev_t ev
);
  kumi_axi_if #(.DATA_W(DATA_W)) axi ();

  kumi_tcp_rx_mem #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .RX_RING(RX_RING),
      .EARLY(1),
      .OPEN(16),
      .READ_BEATS(READ_BEATS)
  ) u_mem (
      .clk,
      .rst,
      .base('0),
      .s_axis,
      .s_cmd,
      .m_done,
      .m_notify,
      .notify_skip(1'b0),
      .s_read,
      .m_read,
      .m_axis,
      .m_fault,
      .m_axi(axi),
      .busy,
      .ev
  );

  kumi_axi_ram #(
      .BYTES(SESSIONS * RX_RING)
  ) u_ram (
      .clk,
      .rst,
      .s_axi(axi)
  );
endmodule
