// SPDX-License-Identifier: Apache-2.0
//
// What a node has around its own packets on an InfiniBand port: the port with its agent, and a
// mailbox for the programs of a host (opensm, infiniband-diags), the agent's local manager.
//
// s_ib, m_ib, node_guid, node_description: kumi_node_ib_shell. s_axil_port, s_axil_mail: registers
//   of the port (regs/ib_port.rdl) and of the mailbox (regs/mmio_fifo.rdl).
// s_axis, m_axis: the node's packets; those that the agent delivers are the mailbox's.
// lid, lmc: of the port. active: the node's own part is at work. busy: that, or a packet passed,
//   less than IDLE cycles ago; or the link trains or the port comes up.
module kumi_node_ib_host #(
    parameter int LANES = 4,  // 1 (DATA_W 32) or 4
    parameter int DATA_W = 64,  // 32 or 64
    parameter int DATA_VLS = 4,  // 1, 2, 4, 8 or 15
    parameter int BLOCKS = 128,  // of 64 bytes per VL and direction
    parameter int MTU_CAP = 4,  // largest MTU, code 1 to 5
    parameter int RX_BYTES = 8192,  // receive buffer of the mailbox
    parameter int TICK = 512  // of the agent: cycles of 4.096 us
) (
    input logic clk,
    input logic rst,

    output logic [DATA_W-1:0] m_ib_data,
    output logic [DATA_W/8-1:0] m_ib_k,
    output logic m_ib_quiet,
    input logic [DATA_W-1:0] s_ib_data,
    input logic [DATA_W/8-1:0] s_ib_k,
    input logic [DATA_W/8-1:0] s_ib_err,
    input logic [LANES-1:0] s_ib_signal,

    kumi_axil_if.slv s_axil_port,
    kumi_axil_if.slv s_axil_mail,
    input logic [63:0] node_guid,
    input logic [511:0] node_description,

    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic [15:0] lid,
    output logic [2:0] lmc,
    input logic active,
    output logic busy
);
  localparam int IDLE = 1023;  // cycles
  localparam int IDLE_W = $clog2(IDLE + 1);
  localparam logic [7:0] VL15 = 8'd15;  // tdest of what the agent delivers

  // ---- [0] the node's packets, [1] the mailbox's ------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) host_tx ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) host_rx ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) to_port[2] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) from_port[2] ();
  logic [3:0] mail_ev;
  logic lid_only, settling, passing, no_drop;

  assign to_port[0].tdata = s_axis.tdata;
  assign to_port[0].tkeep = s_axis.tkeep;
  assign to_port[0].tvalid = s_axis.tvalid;
  assign to_port[0].tlast = s_axis.tlast;
  assign to_port[0].tuser = s_axis.tuser;
  assign to_port[0].tid = s_axis.tid;
  assign to_port[0].tdest = s_axis.tdest;
  assign s_axis.tready = to_port[0].tready;
  assign m_axis.tdata = from_port[0].tdata;
  assign m_axis.tkeep = from_port[0].tkeep;
  assign m_axis.tvalid = from_port[0].tvalid;
  assign m_axis.tlast = from_port[0].tlast;
  assign m_axis.tuser = from_port[0].tuser;
  assign m_axis.tid = from_port[0].tid;
  assign m_axis.tdest = from_port[0].tdest;
  assign from_port[0].tready = m_axis.tready;

  kumi_node_ib_shell #(
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP),
      .TICK(TICK)
  ) u_shell (
      .clk,
      .rst,
      .m_ib_data,
      .m_ib_k,
      .m_ib_quiet,
      .s_ib_data,
      .s_ib_k,
      .s_ib_err,
      .s_ib_signal,
      .s_axil(s_axil_port),
      .node_guid,
      .node_description,
      .s_host(host_tx),
      .m_host(host_rx),
      .mail_ev,
      .lid,
      .lmc,
      .lid_only,
      .settling,
      .moving(passing)
  );
  kumi_axis_mux #(
      .N(2)
  ) u_mux (
      .clk,
      .rst,
      .s_axis(to_port),
      .m_axis(host_tx)
  );
  kumi_axis_demux #(
      .N(2)
  ) u_demux (
      .clk,
      .rst,
      .select (host_rx.tdest == VL15),
      .s_axis (host_rx),
      .m_axis (from_port),
      .ev_drop(no_drop)
  );
  kumi_node_ib_mailbox #(
      .DATA_W  (DATA_W),
      .RX_BYTES(RX_BYTES)
  ) u_mailbox (
      .clk,
      .rst,
      .s_axil(s_axil_mail),
      .lid,
      .lmc,
      .lid_only,
      .m_axis(to_port[1]),
      .s_axis(from_port[1]),
      .ev(mail_ev)
  );

  // ---- busy -------------------------------------------------------------------------------------
  logic [IDLE_W-1:0] idle_q;
  assign busy = settling || idle_q != '0;
  always_ff @(posedge clk) begin
    if (passing || active) idle_q <= IDLE_W'(IDLE);
    else if (idle_q != '0) idle_q <= idle_q - 1'b1;
    if (rst) idle_q <= '0;
  end

  logic unused;
  assign unused = no_drop;
endmodule
