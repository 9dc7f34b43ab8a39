// SPDX-License-Identifier: Apache-2.0
//
// Peer address table: peer number to address, and lookup of the number by address.
//
// wr_*: an entry; used = 0 clears it. Read ports a and b answer one cycle after their number.
// start, start_addr, hint: checks entry `hint` first, then all entries in turn from the one after
//   the last match (peers tend to come in table order), one per cycle. found or missing pulses at
//   the end, at most PEERS + 3 cycles later; peer is valid with it. No write may come in between.
module kumi_eth_rtp_addr_lookup #(
    parameter int PEERS  = 64,
    parameter int PEER_W = 6
) (
    input  logic              clk,
    input  logic              rst,
    input  logic              wr_en,
    input  logic [PEER_W-1:0] wr_peer,
    input  logic              wr_used,
    input  logic [      47:0] wr_addr,
    input  logic [PEER_W-1:0] a_peer,
    output logic [      47:0] a_addr,
    input  logic [PEER_W-1:0] b_peer,
    output logic [      47:0] b_addr,
    input  logic [PEER_W-1:0] entry_addr_peer,  // while no lookup is active: entry to read
    output logic [      47:0] entry_addr,
    input  logic              start,
    input  logic [      47:0] start_addr,
    input  logic [PEER_W-1:0] hint,
    output logic              found,
    output logic              missing,
    output logic [PEER_W-1:0] peer
);
  logic run_q, valid_q, hint_q;
  logic [PEER_W-1:0] at_q, seen_q, rd, next;
  logic [PEER_W:0] left_q;
  logic [47:0] want_q;
  logic hit, look_used;

  assign rd   = run_q ? at_q : start ? hint : entry_addr_peer;
  assign next = 32'(at_q) == PEERS - 1 ? '0 : at_q + 1'b1;
  assign hit  = look_used && entry_addr == want_q;

  kumi_ram_sdp #(
      .W(49),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_look (
      .clk,
      .wr_en,
      .wr_addr(wr_peer),
      .wr_data({wr_used, wr_addr}),
      .rd_en  (1'b1),
      .rd_addr(rd),
      .rd_data({look_used, entry_addr})
  );

  kumi_ram_sdp #(
      .W(48),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_a (
      .clk,
      .wr_en,
      .wr_addr(wr_peer),
      .wr_data(wr_addr),
      .rd_en  (1'b1),
      .rd_addr(a_peer),
      .rd_data(a_addr)
  );

  kumi_ram_sdp #(
      .W(48),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_b (
      .clk,
      .wr_en,
      .wr_addr(wr_peer),
      .wr_data(wr_addr),
      .rd_en  (1'b1),
      .rd_addr(b_peer),
      .rd_data(b_addr)
  );

  assign peer    = seen_q;
  assign found   = run_q && valid_q && hit;
  assign missing = run_q && valid_q && !hit && left_q == '0 && !hint_q;

  always_ff @(posedge clk) begin
    seen_q  <= rd;
    valid_q <= start || (run_q && left_q != '0);
    hint_q  <= start;
    if (start) begin
      run_q  <= 1'b1;
      want_q <= start_addr;
      left_q <= (PEER_W + 1)'(PEERS);
    end else if (run_q) begin
      if (left_q != '0) begin
        at_q   <= next;
        left_q <= left_q - 1'b1;
      end
      if (found) begin
        run_q <= 1'b0;
        at_q  <= 32'(seen_q) == PEERS - 1 ? '0 : seen_q + 1'b1;
      end
      if (missing) run_q <= 1'b0;
    end
    if (rst) begin
      run_q   <= 1'b0;
      valid_q <= 1'b0;
      at_q    <= '0;
    end
  end
endmodule
