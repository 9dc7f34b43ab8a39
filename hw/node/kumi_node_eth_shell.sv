// SPDX-License-Identifier: Apache-2.0
//
// Shell of nodes whose kernels use Ethernet without IP: MAC port in its own clock, register bus,
// identity, addresses and counters of the port.
//
//   s_axil -> identity at 0x0000, port (eth_port) at 0x1000, kernel block k (m_axil[k]) at
//             0x2000 + 4096 k
//
// eth_clk: s_axis_eth0, m_axis_eth0: Ethernet frames without FCS, tuser with tlast: bad frame;
//   m_mac, s_mac: the same for the controller or transport. s_axis_eth0 never asserts
//   back-pressure.
// clk: everything else. now: cycles since reset. busy: a beat moved within the last IDLE_CYCLES, or
//   kernel_busy.
module kumi_node_eth_shell #(
    parameter logic [255:0] NAME = "node",  // of the design, at most 32 characters
    parameter int BLOCKS = 1,  // register blocks of the kernels, 1..6
    parameter kumi_regs_pkg::block_t [BLOCKS-1:0] KINDS = '0,  // what they are, block 0 in KINDS[0]
    parameter logic [63:0] BUILD = '0,  // build hash shown in the identity block
    parameter int DATA_W = 256,  // bits of the data path
    parameter int IDLE_CYCLES = 63  // cycles without a beat until the node counts as idle
) (
    input logic clk,
    input logic rst,
    input logic eth_clk,
    input logic eth_rst,

    kumi_axis_if.snk s_axis_eth0,
    kumi_axis_if.src m_axis_eth0,
    kumi_axil_if.slv s_axil,

    output logic busy,

    // controller or transport, and kernels
    kumi_axis_if.snk m_mac,
    kumi_axis_if.src s_mac,
    kumi_rec_if.src set_source_addr,
    kumi_rec_if.src set_peer,
    kumi_axil_if.mst m_axil[BLOCKS],
    output logic [63:0] now,
    output logic [13:0] mtu,
    output logic broadcast,
    input logic [6:0] ev,  // pulses in clk and in eth_clk, see kumi_node_eth_port_regs
    input logic [8:0] eth_ev,
    input logic kernel_busy
);
  if (BLOCKS < 1 || BLOCKS > 14) begin : gen_check_blocks
    $fatal(0, "BLOCKS must be 1..14 (%m)");
  end

  // ---- MAC port ------------------------------------------------------------------------------
  assign s_mac.tdata = s_axis_eth0.tdata;
  assign s_mac.tkeep = s_axis_eth0.tkeep;
  assign s_mac.tvalid = s_axis_eth0.tvalid;
  assign s_mac.tlast = s_axis_eth0.tlast;
  assign s_mac.tuser = (s_mac.USER_W)'(s_axis_eth0.tuser);
  assign s_mac.tid = '0;
  assign s_mac.tdest = '0;
  assign s_axis_eth0.tready = s_mac.tready;

  assign m_axis_eth0.tdata = m_mac.tdata;
  assign m_axis_eth0.tkeep = m_mac.tkeep;
  assign m_axis_eth0.tvalid = m_mac.tvalid;
  assign m_axis_eth0.tlast = m_mac.tlast;
  assign m_axis_eth0.tuser = m_mac.tuser[0];
  assign m_mac.tready = m_axis_eth0.tready;

  logic rx_inside_q, tx_inside_q, rx_beat, tx_beat;
  assign rx_beat = s_axis_eth0.tvalid && s_axis_eth0.tready;
  assign tx_beat = m_axis_eth0.tvalid && m_axis_eth0.tready;

  always_ff @(posedge eth_clk) begin
    if (rx_beat) rx_inside_q <= !s_axis_eth0.tlast;
    if (tx_beat) tx_inside_q <= !m_axis_eth0.tlast;
    if (eth_rst) begin
      rx_inside_q <= 1'b0;
      tx_inside_q <= 1'b0;
    end
  end

  // ---- register bus --------------------------------------------------------------------------
  kumi_axil_if axil[BLOCKS+1] ();

  kumi_node_reg_bus #(
      .DATA_W(DATA_W),
      .NAME  (NAME),
      .BLOCKS(BLOCKS + 1),
      .KINDS ({KINDS, kumi_regs_pkg::BLOCK_ETH_PORT}),
      .BUILD (BUILD)
  ) u_bus (
      .clk,
      .rst,
      .s_axil,
      .m_axil(axil),
      .now
  );

  kumi_node_eth_port_regs u_port (
      .clk,
      .rst,
      .eth_clk,
      .eth_rst,
      .s_axil (axil[0]),
      .set_source_addr,
      .set_peer,
      .mtu,
      .broadcast,
      .ev,
      .eth_ev,
      .tx_beat(tx_beat && !tx_inside_q),
      .rx_beat(rx_beat && !rx_inside_q)
  );

  for (genvar k = 0; k < BLOCKS; ++k) begin : gen_kernel_block
    kumi_axil_join u_join (
        .s_axil(axil[k+1]),
        .m_axil(m_axil[k])
    );
  end

  // ---- busy ----------------------------------------------------------------------------------
  // Beats at the MAC are seen as a toggle, so that none is missed between the clocks.
  localparam int IDLE_W = $clog2(IDLE_CYCLES + 1);
  logic [IDLE_W-1:0] idle_q;
  logic moved_q, moved, moved_before_q, active;

  always_ff @(posedge eth_clk) begin
    if (rx_beat || tx_beat) moved_q <= !moved_q;
    if (eth_rst) moved_q <= 1'b0;
  end

  kumi_cdc_sync u_moved (
      .clk,
      .d(moved_q),
      .q(moved)
  );

  assign active = kernel_busy || moved != moved_before_q;

  always_ff @(posedge clk) begin
    moved_before_q <= moved;
    if (active) idle_q <= IDLE_W'(IDLE_CYCLES);
    else if (idle_q != '0) idle_q <= idle_q - 1'b1;
    if (rst) idle_q <= '0;
  end

  assign busy = active || idle_q != '0;
endmodule
