// SPDX-License-Identifier: Apache-2.0
//
// Mailbox of an InfiniBand port: software sends and receives whole packets through registers
// (kumi_mmio_fifo), ICRC inserted and checked.
//
// s_axil: registers (regs/mmio_fifo.rdl). What is pushed is LRH to padding, its PktLen counting the
//   ICRC; a packet leaves with the write of push_last. What is popped is LRH to ICRC, its VL in
//   pop_info.id.
// m_axis: to kumi_ib_link, packets without a gap; tdest: push_option.dest. s_axis: from it, tdest
//   the VL; never stalls. tdest of both: 8 bits.
// lid, lmc, lid_only: with lid_only packets for other unicast LIDs are dropped; the permissive LID
//   and multicast are not.
// Bad input: a wrong ICRC, another LID, no space for a received packet, no space for a pushed one:
//   the packet is dropped, a pulse of ev in this order, bit 0 first. Space: TX_BYTES, RX_BYTES, and
//   2 KiB each way in front.
// Latency, last beat: pushed to m_axis 5 cycles, s_axis to popped 8 cycles.
module kumi_node_ib_mailbox
  import kumi_ib_pkg::LID_MCAST;
#(
    parameter int DATA_W   = 64,
    parameter int TX_BYTES = 8192,
    parameter int RX_BYTES = 32768
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    input logic [15:0] lid,
    input logic [2:0] lmc,
    input logic lid_only,
    kumi_axis_if.src m_axis,
    kumi_axis_if.snk s_axis,
    output logic [3:0] ev
);
  if (m_axis.DATA_W != DATA_W || s_axis.DATA_W != DATA_W || s_axis.DEST_W != 8
      || m_axis.DEST_W != 8) begin : gen_check
    $fatal(0, "the streams must have DATA_W bits, and tdest 8 bits (%m)");
  end

  // ---- registers ----------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) pushed ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (4)
  ) received ();

  kumi_mmio_fifo #(
      .DATA_W(DATA_W),
      .DEPTH (512)
  ) u_fifo (
      .clk,
      .rst,
      .s_axil,
      .m_axis(pushed),
      .s_axis(received)
  );

  // ---- send ---------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) whole ();
  logic tx_full, tx_bad;

  kumi_node_buffer #(
      .BYTES(TX_BYTES)
  ) u_tx (
      .clk,
      .rst,
      .s_axis (pushed),
      .m_axis (whole),
      .ev_full(tx_full),
      .ev_bad (tx_bad)
  );
  kumi_ib_icrc_insert u_icrc_insert (
      .clk,
      .rst,
      .s_axis(whole),
      .m_axis
  );

  // ---- receive ------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) checked ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (4)
  ) own ();
  logic first_q, foreign_q, foreign, ev_icrc, ev_foreign_q, rx_full, rx_bad;
  logic [15:0] dlid;

  kumi_ib_icrc_check u_icrc_check (
      .clk,
      .rst,
      .s_axis,
      .m_axis(checked),
      .ev_bad(ev_icrc)
  );

  // The DLID is in the first beat.
  assign dlid = {checked.tdata[23:16], checked.tdata[31:24]};
  assign foreign = first_q ? lid_only && dlid < LID_MCAST && dlid >> lmc != lid >> lmc : foreign_q;
  always_ff @(posedge clk) begin
    if (checked.tvalid && checked.tready) begin
      first_q   <= checked.tlast;
      foreign_q <= foreign;
    end
    ev_foreign_q <= checked.tvalid && checked.tready && checked.tlast && foreign &&
        !checked.tuser[0];
    if (rst) begin
      first_q      <= 1'b1;
      ev_foreign_q <= 1'b0;
    end
  end

  assign own.tdata = checked.tdata;
  assign own.tkeep = checked.tkeep;
  assign own.tvalid = checked.tvalid;
  assign own.tlast = checked.tlast;
  assign own.tuser = checked.tuser | 1'(checked.tlast && foreign);
  assign own.tid = checked.tdest[3:0];
  assign own.tdest = '0;
  assign checked.tready = own.tready;

  kumi_node_buffer #(
      .BYTES(RX_BYTES),
      .DROP_FULL(1'b1)
  ) u_rx (
      .clk,
      .rst,
      .s_axis (own),
      .m_axis (received),
      .ev_full(rx_full),
      .ev_bad (rx_bad)
  );

  assign ev = {tx_bad, rx_full, ev_foreign_q, ev_icrc};

  logic unused;
  assign unused = ^{tx_full, rx_bad};
endmodule
