// SPDX-License-Identifier: Apache-2.0
//
// Register block of an Ethernet port for kernels (regs/eth_port.rdl): addresses, peers, counters,
// and time stamps at the MAC.
//
// clk: s_axil; set_source_addr (48 bits), set_peer ({number, address}, 64 bits): a record for each
//   write of mac_lo and peer; ev: pulses.
// eth_clk: eth_ev: pulses; tx_beat, rx_beat: the first beat of a frame is sent, received.
module kumi_node_eth_port_regs (
    input logic clk,
    input logic rst,
    input logic eth_clk,
    input logic eth_rst,
    kumi_axil_if.slv s_axil,
    kumi_rec_if.src set_source_addr,
    kumi_rec_if.src set_peer,
    output logic [13:0] mtu,
    output logic broadcast,
    input logic [6:0] ev,  // in the order of the counters, the first in bit 0
    input logic [8:0] eth_ev,
    input logic tx_beat,
    input logic rx_beat
);
  if (set_source_addr.W != 48 || set_peer.W != 64) begin : gen_check
    $fatal(0, "set_source_addr has 48 bits, set_peer 64 (%m)");
  end

  kumi_eth_port_regs_pkg::kumi_eth_port_regs__in_t  hwif_in;
  kumi_eth_port_regs_pkg::kumi_eth_port_regs__out_t hwif_out;

  kumi_eth_port_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  assign mtu = hwif_out.option.mtu.value;
  assign broadcast = hwif_out.option.broadcast.value;

  // ---- records -------------------------------------------------------------------------------
  // swmod is a cycle ahead of the value. A write that comes before the last record was taken
  // replaces it.
  logic mac_written_q, peer_written_q;

  always_ff @(posedge clk) begin
    mac_written_q  <= hwif_out.mac_lo.value.swmod;
    peer_written_q <= hwif_out.peer.value.swmod;
    if (set_source_addr.ready) set_source_addr.valid <= 1'b0;
    if (mac_written_q && (!set_source_addr.valid || set_source_addr.ready)) begin
      set_source_addr.valid <= 1'b1;
      set_source_addr.data  <= {hwif_out.mac_hi.value.value, hwif_out.mac_lo.value.value};
    end else if (mac_written_q) begin
      mac_written_q <= 1'b1;
    end
    if (set_peer.ready) set_peer.valid <= 1'b0;
    if (peer_written_q && (!set_peer.valid || set_peer.ready)) begin
      set_peer.valid <= 1'b1;
      set_peer.data <= {
        hwif_out.peer.value.value, hwif_out.peer_hi.value.value, hwif_out.peer_lo.value.value
      };
    end else if (peer_written_q) begin
      peer_written_q <= 1'b1;
    end
    if (rst) begin
      mac_written_q <= 1'b0;
      peer_written_q <= 1'b0;
      set_source_addr.valid <= 1'b0;
      set_peer.valid <= 1'b0;
    end
  end

  // ---- counters ------------------------------------------------------------------------------
  kumi_event_counters #(
      .N(7)
  ) u_counters (
      .clk,
      .rst,
      .ev,
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(6'(hwif_out.counters.addr[4:2])),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  logic req, req_is_wr, rd_ack, wr_ack;
  logic [ 5:0] req_index;
  logic [31:0] rd_data;

  kumi_cdc_counter_read u_cross (
      .clk,
      .rst,
      .req(hwif_out.rx_counters.req),
      .req_is_wr(hwif_out.rx_counters.req_is_wr),
      .req_index(6'(hwif_out.rx_counters.addr[5:2])),
      .rd_ack(hwif_in.rx_counters.rd_ack),
      .rd_data(hwif_in.rx_counters.rd_data),
      .wr_ack(hwif_in.rx_counters.wr_ack),
      .m_clk(eth_clk),
      .m_rst(eth_rst),
      .m_req(req),
      .m_req_is_wr(req_is_wr),
      .m_req_index(req_index),
      .m_rd_ack(rd_ack),
      .m_rd_data(rd_data),
      .m_wr_ack(wr_ack)
  );

  kumi_event_counters #(
      .N(9)
  ) u_eth_counters (
      .clk(eth_clk),
      .rst(eth_rst),
      .ev (eth_ev),
      .req,
      .req_is_wr,
      .req_index,
      .rd_ack,
      .rd_data,
      .wr_ack
  );

  // ---- time stamps ---------------------------------------------------------------------------
  logic [31:0] eth_now_q, tx_first_q, rx_first_q;

  always_ff @(posedge eth_clk) begin
    eth_now_q <= eth_now_q + 1'b1;
    if (tx_beat) tx_first_q <= eth_now_q;
    if (rx_beat) rx_first_q <= eth_now_q;
    if (eth_rst) begin
      eth_now_q  <= '0;
      tx_first_q <= '0;
      rx_first_q <= '0;
    end
  end

  // They are read at rest, when they have long arrived.
  kumi_cdc_sync #(
      .W(64)
  ) u_stamps (
      .clk,
      .d({tx_first_q, rx_first_q}),
      .q({hwif_in.tx_first.value.next, hwif_in.rx_first.value.next})
  );
endmodule
