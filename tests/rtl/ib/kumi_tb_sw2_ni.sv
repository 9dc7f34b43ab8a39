// SPDX-License-Identifier: Apache-2.0
//
// Network interface of SW2 with its stores as a stream: a frame is a word {strobes [39:32], address
// [19:0]} and the beats of a burst; m_axis_resp has the response of each. Channels are joined into
// m_axis_tx and come from s_axis_rx by tdest.
module kumi_tb_sw2_ni
  import kumi_sw2_pkg::*;
#(
    parameter int KICKS   = 4,
    parameter int WINDOWS = 4,
    parameter int REGIONS = 4
) (
    input logic clk,
    input logic rst,
    input logic write_valid,
    input logic [1:0] write_sel,
    input logic [6:0] write_index,
    input logic [95:0] write_entry,
    output logic [WINDOWS-1:0] window_busy,
    output tx_events_t tx_ev,
    output rx_events_t rx_ev,
    kumi_axis_if.snk s_axis_store,
    kumi_axis_if.src m_axis_resp,
    kumi_axis_if.src m_axis_tx,
    kumi_axis_if.snk s_axis_rx,
    kumi_axi_if.mst m_axi
);
  kumi_axi_if #(
      .DATA_W(64),
      .ADDR_W(20)
  ) stores ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) tx[VCS] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) rx[VCS] ();

  // ---- stores ----------------------------------------------------------------------------------
  kumi_tb_sw2_stores u_stores (
      .clk,
      .rst,
      .s_axis(s_axis_store),
      .m_axis(m_axis_resp),
      .m_axi (stores)
  );

  assign stores.arready = 1'b0;
  assign stores.rvalid = 1'b0;
  assign stores.rdata = '0;
  assign stores.rid = '0;
  assign stores.rresp = '0;
  assign stores.rlast = 1'b0;

  kumi_sw2_ni #(
      .KICKS  (KICKS),
      .WINDOWS(WINDOWS),
      .REGIONS(REGIONS)
  ) u_ni (
      .clk,
      .rst,
      .write(
      '{valid: write_valid, sel: table_e'(write_sel), index: write_index, entry: write_entry}
      ),
      .node(16'd5),
      .s_axi(stores),
      .m_axi,
      .m_axis(tx),
      .s_axis(rx),
      .window_busy,
      .tx_ev,
      .rx_ev
  );

  logic no_drop;
  kumi_axis_mux #(
      .N(VCS)
  ) u_mux (
      .clk,
      .rst,
      .s_axis(tx),
      .m_axis(m_axis_tx)
  );
  kumi_axis_demux #(
      .N(VCS),
      .USE_DEST(1'b1)
  ) u_demux (
      .clk,
      .rst,
      .select (1'b0),
      .s_axis (s_axis_rx),
      .m_axis (rx),
      .ev_drop(no_drop)
  );
  logic unused;
  assign unused = no_drop;
endmodule
