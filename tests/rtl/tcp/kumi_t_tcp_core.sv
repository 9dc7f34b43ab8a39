// SPDX-License-Identifier: Apache-2.0
//
// Test top: the TCP core; records wider than a port of the bench move in two halves, the low one
//   first.
module kumi_t_tcp_core
  import kumi_tcp_pkg::*;
  import kumi_tcp_core_pkg::*;
#(
    parameter int SESSIONS = 4,
    parameter int TX_RING = 4096,
    parameter int RX_RING = 4096,
    parameter int OOO_RANGES = 4,
    parameter bit CUBIC = 1'b0
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_hit,
    kumi_rec_if.snk s_miss,
    kumi_rec_if.src m_table,
    kumi_rec_if.snk s_table,
    kumi_rec_if.src m_rx_cmd,
    kumi_rec_if.snk s_rx_done,
    kumi_rec_if.src m_tx_space,
    kumi_rec_if.snk s_tx_data,
    kumi_rec_if.src m_tx,
    kumi_rec_if.snk s_listen,
    kumi_rec_if.src m_listen_rsp,
    kumi_rec_if.snk s_open,
    kumi_rec_if.src m_open_rsp,
    input tcp_cfg_t cfg,
    input logic [31:0] now_us,
    input logic [31:0] cycles_per_us,  // 0: now_us is taken as it is, else added to
    output tcp_seg_lookup_t spare_found,  // so that the bench knows the records
    output tcp_tx_t spare_tx,
    output logic [15:0] sessions,
    output logic [15:0] time_wait,
    output logic busy,
    output tcp_core_ev_t ev
);
  localparam int FOUND_W = $bits(tcp_seg_lookup_t);
  localparam int TX_W = $bits(tcp_tx_t);
  localparam int FOUND_HALF = 288;
  localparam int TX_HALF = 272;

  kumi_rec_if #(.W(FOUND_W)) found ();
  kumi_rec_if #(.W(FOUND_W)) miss ();
  kumi_rec_if #(.W(TX_W)) tx ();

  logic [FOUND_HALF-1:0] found_low_q, miss_low_q;
  logic found_have_q, miss_have_q, tx_second_q;

  assign found.data = FOUND_W'({s_hit.data, found_low_q});
  assign found.valid = s_hit.valid && found_have_q;
  assign s_hit.ready = found.ready || !found_have_q;
  assign miss.data = FOUND_W'({s_miss.data, miss_low_q});
  assign miss.valid = s_miss.valid && miss_have_q;
  assign s_miss.ready = miss.ready || !miss_have_q;
  assign m_tx.data = TX_HALF'(tx_second_q ? tx.data >> TX_HALF : tx.data);
  assign m_tx.valid = tx.valid;
  assign tx.ready = m_tx.ready && tx_second_q;

  logic [31:0] own_us_q, count_q;
  always_ff @(posedge clk) begin
    if (s_hit.valid && s_hit.ready) begin
      found_have_q <= !found_have_q;
      if (!found_have_q) found_low_q <= s_hit.data;
    end
    if (s_miss.valid && s_miss.ready) begin
      miss_have_q <= !miss_have_q;
      if (!miss_have_q) miss_low_q <= s_miss.data;
    end
    if (m_tx.valid && m_tx.ready) tx_second_q <= !tx_second_q;
    count_q <= count_q + 1'b1;
    if (count_q + 1'b1 >= cycles_per_us) begin
      count_q <= '0;
      if (cycles_per_us != '0) own_us_q <= own_us_q + 1'b1;
    end
    if (rst) begin
      found_have_q <= 1'b0;
      miss_have_q <= 1'b0;
      tx_second_q <= 1'b0;
      own_us_q <= '0;
      count_q <= '0;
    end
  end

  kumi_tcp_core #(
      .SESSIONS(SESSIONS),
      .TX_RING(TX_RING),
      .RX_RING(RX_RING),
      .OOO_RANGES(OOO_RANGES),
      .CUBIC(CUBIC)
  ) u_core (
      .clk,
      .rst,
      .s_hit (found),
      .s_miss(miss),
      .m_table,
      .s_table,
      .m_rx_cmd,
      .s_rx_done,
      .m_tx_space,
      .s_tx_data,
      .m_tx  (tx),
      .s_listen,
      .m_listen_rsp,
      .s_open,
      .m_open_rsp,
      .cfg,
      .now_us(now_us + own_us_q),
      .sessions,
      .time_wait,
      .busy,
      .ev
  );

  assign spare_found = '0;
  assign spare_tx = '0;
endmodule
