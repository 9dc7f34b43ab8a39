// SPDX-License-Identifier: Apache-2.0
//
// A router with a stream into each SW2 channel, and one out of all by tdest; hold[v]: channel v
// takes nothing from it.
module kumi_tb_ib_router
  import kumi_ib_router_pkg::*;
#(
    parameter  int PEERS  = 4,
    parameter  int WINDOW = 4,
    parameter  int BEATS  = 256,
    localparam int PEER_W = $clog2(PEERS)
) (
    input logic clk,
    input logic rst,
    input logic [15:0] lid,
    input logic [15:0] sl,
    input logic [11:0] timeout,
    input logic [11:0] rnr_wait,
    input logic [2:0] retries,
    kumi_rec_if.snk s_peer,  // {index, entry}
    input logic [3:0] hold,
    output logic [PEERS-1:0] dead,
    output logic unacked,
    output events_t ev,
    kumi_axis_if.snk s_axis_0,
    kumi_axis_if.snk s_axis_1,
    kumi_axis_if.snk s_axis_2,
    kumi_axis_if.snk s_axis_3,
    kumi_axis_if.src m_axis_sw2,
    kumi_axis_if.snk s_axis_ib,
    kumi_axis_if.src m_axis_ib
);
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) s_sw2[VCS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) m_sw2[VCS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) out[VCS] ();
  cfg_t cfg;

  assign cfg = '{lid: lid, sl: sl, timeout: timeout, rnr_wait: rnr_wait, retries: retries};

  kumi_tb_sw2_wire u_in_0 (
      .s_axis(s_axis_0),
      .m_axis(s_sw2[0])
  );
  kumi_tb_sw2_wire u_in_1 (
      .s_axis(s_axis_1),
      .m_axis(s_sw2[1])
  );
  kumi_tb_sw2_wire u_in_2 (
      .s_axis(s_axis_2),
      .m_axis(s_sw2[2])
  );
  kumi_tb_sw2_wire u_in_3 (
      .s_axis(s_axis_3),
      .m_axis(s_sw2[3])
  );

  kumi_ib_router #(
      .PEERS (PEERS),
      .WINDOW(WINDOW),
      .BEATS (BEATS)
  ) u_router (
      .clk,
      .rst,
      .cfg,
      .s_sw2,
      .m_sw2,
      .s_ib(s_axis_ib),
      .m_ib(m_axis_ib),
      .peer_valid(s_peer.valid),
      .peer_ready(s_peer.ready),
      .peer_index(s_peer.data[57+:PEER_W]),
      .peer_entry(router_peer_t'(s_peer.data[56:0])),
      .dead,
      .unacked,
      .ev
  );

  for (genvar v = 0; v < VCS; v++) begin : gen_hold
    assign out[v].tdata = m_sw2[v].tdata;
    assign out[v].tkeep = m_sw2[v].tkeep;
    assign out[v].tvalid = m_sw2[v].tvalid && !hold[v];
    assign out[v].tlast = m_sw2[v].tlast;
    assign out[v].tuser = m_sw2[v].tuser;
    assign out[v].tid = m_sw2[v].tid;
    assign out[v].tdest = m_sw2[v].tdest;
    assign m_sw2[v].tready = out[v].tready && !hold[v];
  end
  kumi_axis_mux #(
      .N(VCS)
  ) u_mux (
      .clk,
      .rst,
      .s_axis(out),
      .m_axis(m_axis_sw2)
  );
endmodule
