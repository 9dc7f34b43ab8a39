// SPDX-License-Identifier: Apache-2.0
//
// Test top: kumi_mac_xgmii_flat with a counter for each event.
module kumi_tb_mac_xgmii
  import kumi_eth_pkg::*;
  import kumi_xgmii_pkg::*;
(
    input logic clk,
    input logic rst,

    input  logic [63:0] s_axis_tdata,
    input  logic [ 7:0] s_axis_tkeep,
    input  logic        s_axis_tvalid,
    output logic        s_axis_tready,
    input  logic        s_axis_tlast,
    input  logic        s_axis_tuser,

    output logic [63:0] m_axis_tdata,
    output logic [ 7:0] m_axis_tkeep,
    output logic        m_axis_tvalid,
    input  logic        m_axis_tready,
    output logic        m_axis_tlast,
    output logic        m_axis_tuser,

    output logic [63:0] xgmii_txd,
    output logic [ 7:0] xgmii_txc,
    input  logic [63:0] xgmii_rxd,
    input  logic [ 7:0] xgmii_rxc,

    input logic [13:0] cfg_max_frame,

    output logic local_fault,
    output logic remote_fault,

    output logic [31:0] n_tx_ok,
    output logic [31:0] n_tx_underrun,
    output logic [31:0] n_tx_bad,
    output logic [31:0] n_tx_fault,
    output logic [31:0] n_rx_ok,
    output logic [31:0] n_rx_bad_fcs,
    output logic [31:0] n_rx_err_char,
    output logic [31:0] n_rx_runt,
    output logic [31:0] n_rx_giant,
    output logic [31:0] n_rx_bad_preamble,
    output logic [31:0] n_rx_overrun,

    // Cycles, for latency: the last first beat in, start column out, and beat out.
    output logic [31:0] t_now,
    output logic [31:0] t_in,
    output logic [31:0] t_start,
    output logic [31:0] t_out
);

  mac_tx_events_t tx_ev;
  mac_rx_events_t rx_ev;

  kumi_mac_xgmii_flat dut (.*);

  logic in_frame_q, out_frame_q;

  always_ff @(posedge clk) begin
    t_now             <= t_now + 1;
    n_tx_ok           <= n_tx_ok + 32'(tx_ev.ok);
    n_tx_underrun     <= n_tx_underrun + 32'(tx_ev.underrun);
    n_tx_bad          <= n_tx_bad + 32'(tx_ev.bad);
    n_tx_fault        <= n_tx_fault + 32'(tx_ev.fault);
    n_rx_ok           <= n_rx_ok + 32'(rx_ev.ok);
    n_rx_bad_fcs      <= n_rx_bad_fcs + 32'(rx_ev.bad_fcs);
    n_rx_err_char     <= n_rx_err_char + 32'(rx_ev.err_char);
    n_rx_runt         <= n_rx_runt + 32'(rx_ev.runt);
    n_rx_giant        <= n_rx_giant + 32'(rx_ev.giant);
    n_rx_bad_preamble <= n_rx_bad_preamble + 32'(rx_ev.bad_preamble);
    n_rx_overrun      <= n_rx_overrun + 32'(rx_ev.overrun);
    if (s_axis_tvalid && s_axis_tready) begin
      in_frame_q <= !s_axis_tlast;
      if (!in_frame_q) t_in <= t_now;
    end
    if (xgmii_txc[0] && xgmii_txd[7:0] == XGMII_START) t_start <= t_now;
    if (m_axis_tvalid && m_axis_tready) begin
      out_frame_q <= !m_axis_tlast;
      if (!out_frame_q) t_out <= t_now;
    end
    if (rst) begin
      t_now             <= '0;
      t_in              <= '0;
      t_start           <= '0;
      t_out             <= '0;
      in_frame_q        <= 1'b0;
      out_frame_q       <= 1'b0;
      n_tx_ok           <= '0;
      n_tx_underrun     <= '0;
      n_tx_bad          <= '0;
      n_tx_fault        <= '0;
      n_rx_ok           <= '0;
      n_rx_bad_fcs      <= '0;
      n_rx_err_char     <= '0;
      n_rx_runt         <= '0;
      n_rx_giant        <= '0;
      n_rx_bad_preamble <= '0;
      n_rx_overrun      <= '0;
    end
  end

endmodule
