// SPDX-License-Identifier: Apache-2.0
//
// Peers of a router: LID, P_Key and queue pair of each, for its send and its receive side.
//
// write_*: an entry; taken when both sides have begun the peer's connections again (clear_*).
// tx_peer, rx_peer: the entry of tx_index, rx_index one cycle later. enabled: all disabled at
//   reset.
module kumi_ib_router_peers
  import kumi_ib_router_pkg::*;
#(
    parameter  int PEERS  = 64,
    localparam int PEER_W = $clog2(PEERS)
) (
    input logic clk,
    input logic rst,
    input logic write_valid,
    output logic write_ready,
    input logic [PEER_W-1:0] write_index,
    input router_peer_t write_entry,
    output logic clear_valid[2],
    input logic clear_ready[2],
    output logic [PEER_W-1:0] clear_peer,

    input logic [PEER_W-1:0] tx_index,
    output router_peer_t tx_peer,
    input logic [PEER_W-1:0] rx_index,
    output router_peer_t rx_peer,
    output logic [PEERS-1:0] enabled
);
  // Disable, clear both sides, then the new entry.
  logic [1:0] cleared_q;
  logic off_q, store;

  assign clear_peer = write_index;
  assign clear_valid[0] = off_q && !cleared_q[0];
  assign clear_valid[1] = off_q && !cleared_q[1];
  assign store = off_q && (&cleared_q);
  assign write_ready = store;
  always_ff @(posedge clk) begin
    off_q <= write_valid && !store;
    if (write_valid) enabled[write_index] <= store && write_entry.enable;
    for (int i = 0; i < 2; i++) begin
      if (store) cleared_q[i] <= 1'b0;
      else if (clear_valid[i] && clear_ready[i]) cleared_q[i] <= 1'b1;
    end
    if (rst) begin
      enabled   <= '0;
      off_q     <= 1'b0;
      cleared_q <= '0;
    end
  end

  kumi_ram_sdp #(
      .W($bits(router_peer_t)),
      .DEPTH(PEERS)
  ) u_tx (
      .clk,
      .wr_en  (store),
      .wr_addr(write_index),
      .wr_data(write_entry),
      .rd_en  (1'b1),
      .rd_addr(tx_index),
      .rd_data(tx_peer)
  );
  kumi_ram_sdp #(
      .W($bits(router_peer_t)),
      .DEPTH(PEERS)
  ) u_rx (
      .clk,
      .wr_en  (store),
      .wr_addr(write_index),
      .wr_data(write_entry),
      .rd_en  (1'b1),
      .rd_addr(rx_index),
      .rd_data(rx_peer)
  );
endmodule
