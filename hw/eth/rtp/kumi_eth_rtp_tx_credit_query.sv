// SPDX-License-Identifier: Apache-2.0
//
// Credit query: would a single-frame message to a given peer be sent immediately?
//
// peer -> up, credit two cycles later. up: the association is open; credit: a slot is free and the
//   peer has credit beyond the `pending` frames, of any peer, that are on the way to the admission.
// conn_*, tx_win_*, snd_nxt_*: writes to the tables that the admission reads.
module kumi_eth_rtp_tx_credit_query
  import kumi_eth_rtp_pkg::*;
#(
    parameter int TX_WINDOW = 16,
    parameter int PEER_W    = 6
) (
    input  logic              clk,
    input  logic              conn_wr,
    input  logic [PEER_W-1:0] conn_peer,
    input  logic              conn_up,
    input  logic              tx_win_wr,
    input  logic [PEER_W-1:0] tx_win_peer,
    input  logic [       7:0] tx_win_una,
    input  logic [       7:0] tx_win_limit,
    input  logic              snd_nxt_wr,
    input  logic [PEER_W-1:0] snd_nxt_peer,
    input  logic [       7:0] snd_nxt_data,
    input  logic              slot,          // one is free
    input  logic [       1:0] pending,
    input  logic [PEER_W-1:0] peer,
    output logic              up,
    output logic              credit
);
  // Low bits suffice: the numbers are within a window of each other.
  logic is_up;
  logic [7:0] snd_una, limit, snd_nxt, used, window_left;
  logic [1:0] pending_q, waiting;

  kumi_ram_sdp #(
      .W(1),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_conn (
      .clk,
      .wr_en  (conn_wr),
      .wr_addr(conn_peer),
      .wr_data(conn_up),
      .rd_en  (1'b1),
      .rd_addr(peer),
      .rd_data(is_up)
  );

  kumi_ram_sdp #(
      .W(16),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_edge (
      .clk,
      .wr_en  (tx_win_wr),
      .wr_addr(tx_win_peer),
      .wr_data({tx_win_una, tx_win_limit}),
      .rd_en  (1'b1),
      .rd_addr(peer),
      .rd_data({snd_una, limit})
  );

  kumi_ram_sdp #(
      .W(8),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_next (
      .clk,
      .wr_en  (snd_nxt_wr),
      .wr_addr(snd_nxt_peer),
      .wr_data(snd_nxt_data),
      .rd_en  (1'b1),
      .rd_addr(peer),
      .rd_data(snd_nxt)
  );

  assign used = snd_nxt - snd_una + 8'(waiting);
  assign window_left = limit - snd_nxt;
  // A frame that is admitted in the cycle of the read is not in `next` yet and no longer pending.
  assign waiting = (pending > pending_q) ? pending : pending_q;

  always_ff @(posedge clk) begin
    pending_q <= pending;
    up        <= is_up;
    credit    <= is_up && slot && used < 8'(TX_WINDOW) && window_left > 8'(waiting);
  end
endmodule
