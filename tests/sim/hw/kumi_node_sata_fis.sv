// SPDX-License-Identifier: Apache-2.0
//
// A test node with one Serial ATA port and no command layer: FISes of both ways as frames of 32-bit
// words, and the outcome of each that was sent.
//
// busy is high while the link starts or a FIS is under way.
module kumi_node_sata_fis
  import kumi_sata_pkg::*;
#(
    parameter bit CONT = 1'b1,
    parameter int DEPTH = 128,
    parameter int WAIT_CYCLES = 20_000,
    parameter int RETRY_CYCLES = 15_000
) (
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axis_fis:m_axis_fis:m_hdr_done:s_sata_s0:m_sata_s0" *)
    input  logic        clk,
    input  logic        rst,
    input  logic        restart,
    output logic        up,
    output logic        busy,
    input  logic [31:0] s_axis_fis_tdata,
    input  logic        s_axis_fis_tvalid,
    output logic        s_axis_fis_tready,
    input  logic        s_axis_fis_tlast,
    output logic [31:0] m_axis_fis_tdata,
    output logic        m_axis_fis_tvalid,
    input  logic        m_axis_fis_tready,
    output logic        m_axis_fis_tlast,
    output logic        m_axis_fis_tuser,
    output logic [ 2:0] m_hdr_done_data,
    output logic        m_hdr_done_valid,
    input  logic        m_hdr_done_ready,
    output logic [31:0] m_sata_s0_data,
    output logic [ 3:0] m_sata_s0_k,
    output logic        m_sata_s0_cominit,
    output logic        m_sata_s0_comwake,
    output logic        m_sata_s0_idle,
    output logic        m_sata_s0_invert,
    input  logic [31:0] s_sata_s0_data,
    input  logic [ 3:0] s_sata_s0_k,
    input  logic        s_sata_s0_valid,
    input  logic        s_sata_s0_error,
    input  logic        s_sata_s0_cominit,
    input  logic        s_sata_s0_comwake,
    input  logic        s_sata_s0_idle,
    input  logic        s_sata_s0_oob_done,
    input  logic        s_sata_s0_ready
);
  kumi_axis_if #(.DATA_W(32)) fis_tx ();
  kumi_axis_if #(.DATA_W(32)) fis_rx ();

  assign fis_tx.tdata = s_axis_fis_tdata;
  assign fis_tx.tkeep = '1;
  assign fis_tx.tvalid = s_axis_fis_tvalid;
  assign fis_tx.tlast = s_axis_fis_tlast;
  assign fis_tx.tuser = '0;
  assign fis_tx.tid = '0;
  assign fis_tx.tdest = '0;
  assign s_axis_fis_tready = fis_tx.tready;

  assign m_axis_fis_tdata = fis_rx.tdata;
  assign m_axis_fis_tvalid = fis_rx.tvalid;
  assign m_axis_fis_tlast = fis_rx.tlast;
  assign m_axis_fis_tuser = fis_rx.tuser;
  assign fis_rx.tready = m_axis_fis_tready;

  logic done;
  tx_status_e code;
  link_ev_t ev;
  logic present, receiving, ev_retry, ev_drop, ev_init_retry, ev_lost;

  kumi_sata_host #(
      .DEPTH(DEPTH),
      .WAIT_CYCLES(WAIT_CYCLES),
      .CONT(CONT),
      .RETRY_CYCLES(RETRY_CYCLES)
  ) u_host (
      .clk,
      .rst,
      .restart,
      .up,
      .present,
      .s_axis(fis_tx),
      .m_axis(fis_rx),
      .done,
      .code,
      .receiving,
      .ev,
      .ev_retry,
      .ev_drop,
      .ev_init_retry,
      .ev_lost,
      .phy_ready(s_sata_s0_ready),
      .tx_cominit(m_sata_s0_cominit),
      .tx_comwake(m_sata_s0_comwake),
      .tx_oob_done(s_sata_s0_oob_done),
      .tx_idle(m_sata_s0_idle),
      .tx_data(m_sata_s0_data),
      .tx_k(m_sata_s0_k),
      .rx_cominit(s_sata_s0_cominit),
      .rx_comwake(s_sata_s0_comwake),
      .rx_idle(s_sata_s0_idle),
      .rx_invert(m_sata_s0_invert),
      .rx_data(s_sata_s0_data),
      .rx_k(s_sata_s0_k),
      .rx_valid(s_sata_s0_valid),
      .rx_error(s_sata_s0_error)
  );

  // Outcomes wait here for whoever counts them.
  logic done_q;
  tx_status_e code_q;
  always_ff @(posedge clk) begin
    if (done) begin
      done_q <= 1'b1;
      code_q <= code;
    end else if (m_hdr_done_ready) begin
      done_q <= 1'b0;
    end
    if (rst) done_q <= 1'b0;
  end
  assign m_hdr_done_valid = done_q;
  assign m_hdr_done_data  = 3'(code_q);

  // From its first word to its outcome a FIS is under way.
  logic sending_q;
  always_ff @(posedge clk) begin
    if (fis_tx.tvalid) sending_q <= 1'b1;
    else if (done) sending_q <= 1'b0;
    if (rst) sending_q <= 1'b0;
  end
  assign busy = !up || sending_q || fis_rx.tvalid;
endmodule
