// SPDX-License-Identifier: Apache-2.0
//
// Management port of a switch (port 0): between the crossbar and the agent.
//
// s_mgmt: packets from the agent, LRH to ICRC, tdest the port to leave by or 0xFF: by the
//   forwarding tables. They go on as in_* and direct_*, see kumi_ib_switch_route; wrong ones (LVer,
//   PktLen, VL other than 0 and 15, tuser[0]) are dropped, `dropped`.
// s_axis: packets from the crossbar (tuser: number of the input, bad). m_mgmt: the same for the
//   agent, whole and good, tdest the port that they came from. space: two more of 380 bytes fit.
//   ev_bad: one that ended bad is dropped.
module kumi_ib_switch_mgmt
  import kumi_ib_link_pkg::*;
#(
    parameter  int WORDS    = 2,
    parameter  int DATA_VLS = 4,
    parameter  int BLOCKS   = 64,
    localparam int RINGS    = DATA_VLS + 1,
    localparam int RING_W   = $clog2(RINGS),
    localparam int FREE_W   = $clog2(BLOCKS) + 1
) (
    input logic clk,
    input logic rst,
    input logic ready,  // the input is initialised
    kumi_axis_if.snk s_mgmt,
    kumi_axis_if.src m_mgmt,

    // To the input.
    output logic                          in_valid,
    output logic [ WORDS-1:0][      31:0] in_data,
    output logic                          in_half,
    output logic                          in_first,
    output logic                          in_last,
    output logic [RING_W-1:0]             in_ring,
    output logic                          in_head_good,
    output logic                          in_good,
    output logic                          direct_valid,
    output logic [       7:0]             direct_port,
    input  logic [ RINGS-1:0][FREE_W-1:0] free,
    output logic                          dropped,

    // From the output.
    kumi_axis_if.snk s_axis,
    output logic space,
    output logic ev_bad
);
  localparam int DATA_W = 32 * WORDS;
  localparam int DEPTH = 512 / WORDS;  // beats: five packets
  localparam int MARGIN = 2 * 96 / WORDS;
  localparam logic [2:0] MTU = 3'd1;  // 256 bytes
  localparam int SETTLE = 15;  // cycles until `free` knows of a packet

  // ---- From the agent ---------------------------------------------------------------------------
  logic first_q, moves, may_q;
  logic [3:0] settle_q;
  logic ck_keep;
  ib_rx_drops_t drops;
  ib_link_cfg_t cfg;
  logic [WORDS-1:0][31:0] beat;

  assign beat = s_mgmt.tdata;
  assign s_mgmt.tready = !first_q || may_q;
  assign moves = s_mgmt.tvalid && s_mgmt.tready;

  always_comb begin
    cfg = '0;
    cfg.mtu = MTU;
    cfg.oper_vls = 3'd1;
  end

  always_ff @(posedge clk) begin
    may_q <= ready && settle_q == '0 && !moves;
    for (int r = 0; r < RINGS; r++) begin
      if ((r == 0 || r == DATA_VLS) && free[r] < FREE_W'(8)) may_q <= 1'b0;
    end
    if (moves) begin
      first_q <= s_mgmt.tlast;
      settle_q <= '1;
      direct_valid <= s_mgmt.tdest[7:0] != 8'hFF;
      direct_port <= s_mgmt.tdest[7:0];
    end else if (first_q && settle_q != '0) begin
      settle_q <= settle_q - 1'b1;
    end
    dropped <= drops != '0;
    if (rst) begin
      first_q  <= 1'b1;
      may_q    <= 1'b0;
      settle_q <= 4'(SETTLE);
      dropped  <= 1'b0;
    end
  end

  kumi_ib_rx_check #(
      .WORDS(WORDS),
      .DATA_VLS(DATA_VLS)
  ) u_check (
      .clk,
      .rst,
      .cfg,
      .port_state(PORT_ACTIVE),
      .in_valid(moves),
      .in_data(beat),
      .in_half(WORDS == 2 && s_mgmt.tlast && !s_mgmt.tkeep[4*(WORDS-1)]),
      .in_first(first_q),
      .in_last(s_mgmt.tlast),
      .in_bad(1'b0),
      .in_remote(s_mgmt.tlast && s_mgmt.tuser[0]),
      .out_valid(in_valid),
      .out_data(in_data),
      .out_half(in_half),
      .out_first(in_first),
      .out_last(in_last),
      .out_ring(in_ring),
      .out_keep(ck_keep),
      .out_head_good(in_head_good),
      .out_good(in_good),
      .drops
  );

  // ---- To the agent -----------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) whole ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) stored ();
  kumi_rec_if #(.W(16)) no_len ();
  logic [$clog2(DEPTH):0] depth;
  logic ev_good, ev_full, ev_oversize;

  assign whole.tdata = s_axis.tdata;
  assign whole.tkeep = s_axis.tkeep;
  assign whole.tvalid = s_axis.tvalid;
  assign whole.tlast = s_axis.tlast;
  assign whole.tuser = s_axis.tuser[0];
  assign whole.tid = '0;
  assign whole.tdest = 8'(s_axis.tuser[6:1]);
  assign s_axis.tready = whole.tready;

  kumi_axis_frame_fifo #(
      .DEPTH(DEPTH),
      .DROP_FULL(1'b0)
  ) u_fifo (
      .clk,
      .rst,
      .s_axis(whole),
      .m_axis(stored),
      .m_len (no_len),
      .depth,
      .ev_good,
      .ev_bad,
      .ev_full,
      .ev_oversize
  );
  assign no_len.ready = 1'b1;

  assign m_mgmt.tdata = stored.tdata;
  assign m_mgmt.tkeep = stored.tkeep;
  assign m_mgmt.tvalid = stored.tvalid;
  assign m_mgmt.tlast = stored.tlast;
  assign m_mgmt.tuser = '0;
  assign m_mgmt.tid = '0;
  assign m_mgmt.tdest = (m_mgmt.DEST_W)'(stored.tdest);
  assign stored.tready = m_mgmt.tready;

  always_ff @(posedge clk) space <= 32'(depth) + MARGIN <= DEPTH && !rst;

  logic unused;
  assign unused = ^{ck_keep, free, ev_good, ev_full, ev_oversize};
endmodule
