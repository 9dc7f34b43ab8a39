// SPDX-License-Identifier: Apache-2.0
//
// SW2 side of a node with a router: network interface, both ends of an SW2 link, and the router, as
// the pair of boards of the source paper (DIMMnet-1 and its router; Hamada et al., "bDais") on one.
//
// s_axi: stores of processes, m_axi: memory, write, node, window_busy: kumi_sw2_ni. s_ib, m_ib:
//   packets from LRH to ICRC to and from the port; s_ib never stalls for a channel. cfg, peer_*,
//   dead: kumi_ib_router. sending: packets of this node are on their way, or were HOLD cycles ago,
//   or wait for an answer; arriving: packets of peers are on their way to memory, or were; moving:
//   either.
// The SW2 link is wires on the board: 20 bits a cycle, 2.5 Gb/s at 125 MHz.
module kumi_node_ib_router_sw2
  import kumi_sw2_pkg::table_write_t, kumi_sw2_pkg::link_events_t, kumi_sw2_pkg::tx_events_t,
      kumi_sw2_pkg::rx_events_t, kumi_sw2_pkg::VCS, kumi_sw2_pkg::WORD_W;
  import kumi_ib_router_pkg::cfg_t, kumi_ib_router_pkg::router_peer_t, kumi_ib_router_pkg::events_t;
#(
    parameter  int PEERS   = 64,
    parameter  int WINDOW  = 4,
    parameter  int KICKS   = 16,
    parameter  int WINDOWS = 16,
    parameter  int REGIONS = 16,
    localparam int PEER_W  = $clog2(PEERS)
) (
    input  logic                            clk,
    input  logic                            rst,
    input  cfg_t                            cfg,
    input  logic                            peer_valid,
    output logic                            peer_ready,
    input  logic              [ PEER_W-1:0] peer_index,
    input  router_peer_t                    peer_entry,
    output logic              [  PEERS-1:0] dead,
    output logic                            sending,
    output logic                            arriving,
    input  logic              [       15:0] node,
    input  table_write_t                    write,
    output logic              [WINDOWS-1:0] window_busy,
    output logic                            moving,
    output events_t                         router_ev,
    output tx_events_t                      tx_ev,
    output rx_events_t                      rx_ev,
    output link_events_t                    up_ev,
    output link_events_t                    down_ev,
           kumi_axi_if.slv_wr               s_axi,
           kumi_axi_if.mst                  m_axi,
           kumi_axis_if.snk                 s_ib,
           kumi_axis_if.src                 m_ib
);
  localparam int HOLD = 63;
  localparam int HOLD_W = $clog2(HOLD + 1);

  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) ni_tx[VCS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) ni_rx[VCS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) router_tx[VCS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) router_rx[VCS] ();
  logic [WORD_W-1:0] up, down;
  logic up_frame, down_frame;
  logic [VCS-1:0] going, coming;
  logic unacked;
  logic [HOLD_W-1:0] going_hold_q, coming_hold_q;

  kumi_sw2_ni #(
      .KICKS  (KICKS),
      .WINDOWS(WINDOWS),
      .REGIONS(REGIONS)
  ) u_ni (
      .clk,
      .rst,
      .write,
      .node,
      .s_axi,
      .m_axi,
      .m_axis(ni_tx),
      .s_axis(ni_rx),
      .window_busy,
      .tx_ev,
      .rx_ev
  );
  kumi_sw2_link u_ni_link (
      .clk,
      .rst,
      .s_axis(ni_tx),
      .m_axis(ni_rx),
      .m_data(up),
      .m_frame(up_frame),
      .s_data(down),
      .s_frame(down_frame),
      .ev(down_ev)
  );
  kumi_sw2_link u_router_link (
      .clk,
      .rst,
      .s_axis(router_tx),
      .m_axis(router_rx),
      .m_data(down),
      .m_frame(down_frame),
      .s_data(up),
      .s_frame(up_frame),
      .ev(up_ev)
  );
  kumi_ib_router #(
      .PEERS (PEERS),
      .WINDOW(WINDOW)
  ) u_router (
      .clk,
      .rst,
      .cfg,
      .s_sw2(router_rx),
      .m_sw2(router_tx),
      .s_ib,
      .m_ib,
      .peer_valid,
      .peer_ready,
      .peer_index,
      .peer_entry,
      .dead,
      .unacked,
      .ev(router_ev)
  );

  // Between two streams a beat is in the link for less than HOLD cycles.
  for (genvar v = 0; v < VCS; v++) begin : gen_vc
    assign going[v]  = ni_tx[v].tvalid || router_rx[v].tvalid;
    assign coming[v] = ni_rx[v].tvalid || router_tx[v].tvalid;
  end
  always_ff @(posedge clk) begin
    if (going != '0 || unacked || window_busy != '0) going_hold_q <= HOLD_W'(HOLD);
    else if (going_hold_q != '0) going_hold_q <= going_hold_q - 1'b1;
    if (coming != '0) coming_hold_q <= HOLD_W'(HOLD);
    else if (coming_hold_q != '0) coming_hold_q <= coming_hold_q - 1'b1;
    if (rst) begin
      going_hold_q  <= '0;
      coming_hold_q <= '0;
    end
  end
  assign sending  = going_hold_q != '0;
  assign arriving = coming_hold_q != '0;
  assign moving   = sending || arriving || s_ib.tvalid || m_ib.tvalid;
endmodule
