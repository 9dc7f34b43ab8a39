// SPDX-License-Identifier: Apache-2.0
//
// Node: an InfiniBand endpoint with one port, 1x or 4x, and a mailbox: software sends and receives
// whole packets on every lane, and sets the port by registers.
//
// s_ib, m_ib: port p1; clocks and rates, AGENT, node_guid, node_description: kumi_node_ib_shell.
//   With an agent the mailbox is its local manager (push_option.dest 0x81).
// s_axil: registers; port at 0x1000 (regs/ib_port.rdl), mailbox at 0x2000 (regs/mmio_fifo.rdl).
// busy: the link trains, the port comes up, or a packet passed less than IDLE cycles ago.
module kumi_node_ib_endpoint_core #(
    parameter int LANES = 4,  // 1 (DATA_W 32) or 4
    parameter int DATA_W = 64,  // 32 or 64: 4 or 8 symbols per cycle, all lanes together
    parameter int DATA_VLS = 4,  // 1, 2, 4, 8 or 15
    parameter int BLOCKS = 128,  // of 64 bytes per VL and direction
    parameter int MTU_CAP = 4,  // largest MTU, code 1 to 5
    parameter int RX_BYTES = 32768,  // receive buffer of the mailbox
    parameter bit AGENT = 1'b0,  // 1: with a management agent
    parameter int TICK = 512,  // of the agent: cycles of 4.096 us
    parameter logic [63:0] BUILD = '0  // build hash
) (
    input logic clk,
    input logic rst,

    output logic [DATA_W-1:0] m_ib_p1_data,
    output logic [DATA_W/8-1:0] m_ib_p1_k,
    output logic m_ib_p1_quiet,
    input logic [DATA_W-1:0] s_ib_p1_data,
    input logic [DATA_W/8-1:0] s_ib_p1_k,
    input logic [DATA_W/8-1:0] s_ib_p1_err,
    input logic [LANES-1:0] s_ib_p1_signal,

    kumi_axil_if.slv s_axil,

    input logic [63:0] node_guid,
    input logic [511:0] node_description,
    output logic busy
);
  localparam int IDLE = 1023;  // cycles
  localparam int IDLE_W = $clog2(IDLE + 1);

  kumi_axil_if axil[2] ();
  logic [63:0] now;

  kumi_node_reg_bus #(
      .DATA_W(DATA_W),
      .NAME  ("ib_endpoint"),
      .BLOCKS(2),
      .KINDS ({kumi_regs_pkg::BLOCK_MMIO_FIFO, kumi_regs_pkg::BLOCK_IB_PORT}),
      .BUILD (BUILD)
  ) u_bus (
      .clk,
      .rst,
      .s_axil,
      .m_axil(axil),
      .now
  );

  // ---- port and mailbox ---------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) mail_tx ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) mail_rx ();
  logic [15:0] lid;
  logic [ 2:0] lmc;
  logic [ 3:0] mail_ev;
  logic lid_only, settling, moving;

  kumi_node_ib_shell #(
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP),
      .AGENT(AGENT),
      .TICK(TICK)
  ) u_shell (
      .clk,
      .rst,
      .m_ib_data(m_ib_p1_data),
      .m_ib_k(m_ib_p1_k),
      .m_ib_quiet(m_ib_p1_quiet),
      .s_ib_data(s_ib_p1_data),
      .s_ib_k(s_ib_p1_k),
      .s_ib_err(s_ib_p1_err),
      .s_ib_signal(s_ib_p1_signal),
      .s_axil(axil[0]),
      .node_guid,
      .node_description,
      .s_host(mail_tx),
      .m_host(mail_rx),
      .mail_ev,
      .lid,
      .lmc,
      .lid_only,
      .settling,
      .moving
  );

  kumi_node_ib_mailbox #(
      .DATA_W  (DATA_W),
      .RX_BYTES(RX_BYTES)
  ) u_mailbox (
      .clk,
      .rst,
      .s_axil(axil[1]),
      .lid,
      .lmc,
      .lid_only,
      .m_axis(mail_tx),
      .s_axis(mail_rx),
      .ev(mail_ev)
  );

  // ---- busy ---------------------------------------------------------------------------------
  logic [IDLE_W-1:0] idle_q;

  assign busy = settling || idle_q != '0;
  always_ff @(posedge clk) begin
    if (moving) idle_q <= IDLE_W'(IDLE);
    else if (idle_q != '0) idle_q <= idle_q - 1'b1;
    if (rst) idle_q <= '0;
  end

  logic unused;
  assign unused = ^now;
endmodule
