// SPDX-License-Identifier: Apache-2.0
//
// Test top: kumi_tcp_rx_path, its wide records split in halves.
module kumi_t_tcp_rx_path
  import kumi_tcp_pkg::*;
  import kumi_tcp_path_pkg::*;
#(
    parameter int DATA_W            = 64,
    parameter int SESSIONS          = 16,
    parameter int PAYLOAD_BUF_BYTES = 16384,
    parameter int HIT_DEPTH         = 64,
    parameter int MISS_DEPTH        = 16,
    parameter bit DROP_FULL         = 1'b1
) (
    input logic clk,
    input logic rst,
    input logic enable,
    input logic [31:0] ip,
    input logic [127:0] secret,
    kumi_rec_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src hit,
    kumi_rec_if.src hit_high,
    kumi_rec_if.src miss,
    kumi_rec_if.src miss_high,
    kumi_axis_if.src m_axis,
    kumi_rec_if.snk s_table,
    kumi_rec_if.src m_table,
    output logic ready,
    output tcp_rx_ev_t ev
);
  tcp_cfg_t cfg;
  always_comb begin
    cfg = '0;
    cfg.enable = enable;
    cfg.ip = ip;
    cfg.secret = secret;
  end

  kumi_rec_if #(.W($bits(tcp_seg_lookup_t))) m_hit ();
  kumi_rec_if #(.W($bits(tcp_seg_lookup_t))) m_miss ();

  kumi_tcp_rx_path #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .PAYLOAD_BUF_BYTES(PAYLOAD_BUF_BYTES),
      .HIT_DEPTH(HIT_DEPTH),
      .MISS_DEPTH(MISS_DEPTH),
      .DROP_FULL(DROP_FULL)
  ) u_dut (
      .clk,
      .rst,
      .cfg,
      .s_hdr,
      .s_axis,
      .m_hit,
      .m_miss,
      .m_axis,
      .s_table,
      .m_table,
      .ready,
      .ev
  );

  kumi_t_tcp_halves u_hit (
      .s_hdr (m_hit),
      .m_low (hit),
      .m_high(hit_high)
  );
  kumi_t_tcp_halves u_miss (
      .s_hdr (m_miss),
      .m_low (miss),
      .m_high(miss_high)
  );
endmodule
