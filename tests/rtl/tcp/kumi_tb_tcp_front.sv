// SPDX-License-Identifier: Apache-2.0
//
// Test top: kumi_tcp_front, its wide records cut in halves.
module kumi_tb_tcp_front
  import kumi_tcp_pkg::*;
  import kumi_tcp_front_pkg::*;
#(
    parameter int DATA_W      = 64,
    parameter int SESSIONS    = 16,
    parameter int STORE_BYTES = 16384,
    parameter int FOUND_DEPTH = 64,
    parameter int MISS_DEPTH  = 16,
    parameter bit DROP_FULL   = 1'b1
) (
    input logic clk,
    input logic rst,
    input logic enable,
    input logic [31:0] ip,
    input logic [127:0] secret,
    kumi_rec_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src found,
    kumi_rec_if.src found_high,
    kumi_rec_if.src miss,
    kumi_rec_if.src miss_high,
    kumi_axis_if.src m_axis,
    kumi_rec_if.snk s_table,
    kumi_rec_if.src m_table,
    output logic ready,
    output tcp_front_ev_t ev
);
  tcp_cfg_t cfg;
  always_comb begin
    cfg = '0;
    cfg.enable = enable;
    cfg.ip = ip;
    cfg.secret = secret;
  end

  kumi_rec_if #(.W($bits(tcp_found_t))) m_found ();
  kumi_rec_if #(.W($bits(tcp_found_t))) m_miss ();

  kumi_tcp_front #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .STORE_BYTES(STORE_BYTES),
      .FOUND_DEPTH(FOUND_DEPTH),
      .MISS_DEPTH(MISS_DEPTH),
      .DROP_FULL(DROP_FULL)
  ) u_front (
      .clk,
      .rst,
      .cfg,
      .s_hdr,
      .s_axis,
      .m_found,
      .m_miss,
      .m_axis,
      .s_table,
      .m_table,
      .ready,
      .ev
  );

  kumi_tb_tcp_halves u_found (
      .s_hdr (m_found),
      .m_low (found),
      .m_high(found_high)
  );
  kumi_tb_tcp_halves u_miss (
      .s_hdr (m_miss),
      .m_low (miss),
      .m_high(miss_high)
  );
endmodule
