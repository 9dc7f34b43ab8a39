// SPDX-License-Identifier: Apache-2.0
//
// Peer address table of the stream form: peer number to address and back.
//
// s_peer: records {number (8 bits), address (48 bits)}, one per cycle; the address of all ones
//   clears the entry. After reset the table is empty. No address may be in two entries. number ->
//   addr, known; src -> peer, found. Combinational.
module kumi_eth_peer_table #(
    parameter int PEERS = 16  // entries, up to 256
) (
    input  logic                  clk,
    input  logic                  rst,
           kumi_rec_if.snk        s_peer,
    input  logic           [ 7:0] number,
    output logic           [47:0] addr,
    output logic                  known,
    input  logic           [47:0] src,
    output logic           [ 7:0] peer,
    output logic                  found
);
  if (PEERS < 1 || PEERS > 256 || s_peer.W != 56) begin : gen_check
    $fatal(0, "PEERS must be 1..256, s_peer carries 56 bits (%m)");
  end

  logic [PEERS-1:0][47:0] addr_q;
  logic [PEERS-1:0] valid_q;

  assign s_peer.ready = 1'b1;

  for (genvar i = 0; i < PEERS; i++) begin : gen_entry
    always_ff @(posedge clk) begin
      if (s_peer.valid && s_peer.data[55:48] == 8'(i)) begin
        addr_q[i]  <= s_peer.data[47:0];
        valid_q[i] <= !(&s_peer.data[47:0]);
      end
      if (rst) valid_q[i] <= 1'b0;
    end
  end

  always_comb begin
    addr  = '0;
    known = 1'b0;
    peer  = '0;
    found = 1'b0;
    for (int i = 0; i < PEERS; i++) begin
      if (number == 8'(i)) begin
        addr |= addr_q[i];
        known |= valid_q[i];
      end
      if (valid_q[i] && src == addr_q[i]) begin
        peer |= 8'(i);
        found = 1'b1;
      end
    end
  end
endmodule
