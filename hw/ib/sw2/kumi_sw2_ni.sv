// SPDX-License-Identifier: Apache-2.0
//
// Network interface of an SW2 link (source paper, section 2: DIMMnet-1): processes write into
// remote memory by stores (AOTF), out of windows (BOTF), or from local memory (RDMA write); others
// write into the regions of this node.
//
// s_axi: stores of processes (kumi_sw2_store has the address map). m_axi: this node's memory.
// m_axis[v], s_axis[v]: packets to and from kumi_sw2_link, a channel each.
// write: entries of the tables, by the operating system; all are disabled after reset. node: of
//   this node. window_busy[w]: from the kick of a window until its last packet is on its way.
// Bad input: see kumi_sw2_store, kumi_sw2_window, kumi_sw2_remote_write; each is counted.
// Latency: W of an 8-byte store to the first beat 5 cycles, from the first beat received to the
//   write of 8 bytes 5. A packet that its channel cannot take holds up later ones of other
//   channels.
module kumi_sw2_ni
  import kumi_sw2_pkg::*;
#(
    parameter int KICKS   = 16,  // pages of stores, 2 to 128
    parameter int WINDOWS = 16,  // 2 to 128
    parameter int REGIONS = 16   // 2 to 128
) (
    input  logic                            clk,
    input  logic                            rst,
    input  table_write_t                    write,
    input  logic              [       15:0] node,
           kumi_axi_if.slv_wr               s_axi,
           kumi_axi_if.mst                  m_axi,
           kumi_axis_if.src                 m_axis     [VCS],
           kumi_axis_if.snk                 s_axis     [VCS],
    output logic              [WINDOWS-1:0] window_busy,
    output tx_events_t                      tx_ev,
    output rx_events_t                      rx_ev
);
  localparam int WIN_W = $clog2(WINDOWS);

  kumi_axi_if #(
      .DATA_W(64),
      .ADDR_W(m_axi.ADDR_W),
      .ID_W  (m_axi.ID_W)
  ) memory ();
  kumi_axi_join u_memory (
      .s_axi(memory),
      .m_axi
  );

  logic w_we, kick_valid, no_drop;
  logic [WIN_W+5:0] w_addr;
  logic [63:0] w_data;
  logic [WIN_W-1:0] kick_window;
  logic [WINDOWS-1:0] window_enabled;

  // ---- transmit --------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) made[2] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) tx ();

  kumi_sw2_store #(
      .KICKS  (KICKS),
      .WINDOWS(WINDOWS)
  ) u_store (
      .clk,
      .rst,
      .write,
      .node,
      .s_axi,
      .m_axis(made[0]),
      .w_we,
      .w_addr,
      .w_data,
      .kick_valid,
      .kick_window,
      .busy(window_busy),
      .window_enabled,
      .ev_store(tx_ev.store_refused),
      .ev_window(tx_ev.window_refused)
  );
  kumi_sw2_window #(
      .WINDOWS(WINDOWS)
  ) u_window (
      .clk,
      .rst,
      .write,
      .node,
      .w_we,
      .w_addr,
      .w_data,
      .kick_valid,
      .kick_window,
      .busy(window_busy),
      .window_enabled,
      .m_axi(memory),
      .m_axis(made[1]),
      .ev_refused(tx_ev.kick_refused),
      .ev_read_error(tx_ev.read_error)
  );
  kumi_axis_mux #(
      .N(2)
  ) u_mux (
      .clk,
      .rst,
      .s_axis(made),
      .m_axis(tx)
  );
  kumi_axis_demux #(
      .N(VCS),
      .USE_DEST(1'b1)
  ) u_demux (
      .clk,
      .rst,
      .select (1'b0),
      .s_axis (tx),
      .m_axis,
      .ev_drop(no_drop)
  );

  // ---- receive ---------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(2)
  ) rx ();

  kumi_axis_mux #(
      .N(VCS)
  ) u_rx_mux (
      .clk,
      .rst,
      .s_axis,
      .m_axis(rx)
  );
  kumi_sw2_remote_write #(
      .REGIONS(REGIONS)
  ) u_remote_write (
      .clk,
      .rst,
      .write,
      .node,
      .s_axis(rx),
      .m_axi(memory),
      .ev(rx_ev)
  );

  logic unused;
  assign unused = no_drop;
endmodule
