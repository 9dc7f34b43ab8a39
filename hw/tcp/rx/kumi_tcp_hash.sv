// SPDX-License-Identifier: Apache-2.0
//
// Keyed hashes (kumi_siphash) of connection tuples, two to a unit at a time, results in order: for
// initial sequence numbers (RFC 6528) and SYN cookies.
//
// s_*: a tuple, and a mark that returns with its result. m_*: the low 32 bits of the hash of local
//   address, peer address, peer port, local port (12 bytes in network order), and the mark; held
//   until m_ready. Latency 34 or 35 cycles; 2 * UNITS tuples every 36 cycles.
module kumi_tcp_hash
  import kumi_tcp_pkg::*;
#(
    parameter int UNITS = 1  // hash units, a power of two
) (
    input  logic               clk,
    input  logic               rst,
    input  logic       [127:0] secret,
    input  logic       [ 31:0] ip,
    input  logic               s_valid,
    output logic               s_ready,
    input  tcp_tuple_t         s_tuple,
    input  logic               s_mark,
    output logic               m_valid,
    input  logic               m_ready,
    output logic       [ 31:0] m_hash,
    output logic               m_mark
);
  localparam int PLACES = 2 * UNITS;
  localparam int W = $clog2(PLACES);

  if (UNITS < 1 || (UNITS & (UNITS - 1)) != 0) begin : gen_check_units
    $fatal(0, "UNITS must be a power of two (%m)");
  end

  logic [95:0] wire_order, message;
  logic [127:0] key;
  assign wire_order = {ip, s_tuple.peer_ip, s_tuple.peer_port, s_tuple.local_port};
  for (genvar i = 0; i < 12; i++) begin : gen_byte
    assign message[8*i+:8] = wire_order[8*(11-i)+:8];
  end
  assign key = secret;

  // A tuple has a place until its result is taken, and places are taken in turn; place i is hashed
  // in unit i modulo UNITS, which keeps the order of its two.
  logic [W-1:0] in_q, out_q;
  logic [PLACES-1:0] taken_q, done_q, mark_q;
  logic [PLACES-1:0][31:0] hash_q;
  logic [UNITS-1:0] ready;
  logic push, pop;

  if (UNITS == 1) begin : gen_one
    assign s_ready = !taken_q[in_q] && ready[0];
  end else begin : gen_many
    assign s_ready = !taken_q[in_q] && ready[in_q[W-2:0]];
  end
  assign push = s_valid && s_ready;
  assign m_valid = done_q[out_q];
  assign m_hash = hash_q[out_q];
  assign m_mark = mark_q[out_q];
  assign pop = m_valid && m_ready;

  always_ff @(posedge clk) begin
    if (push) in_q <= in_q + 1'b1;
    if (pop) out_q <= out_q + 1'b1;
    if (rst) begin
      in_q  <= '0;
      out_q <= '0;
    end
  end

  for (genvar i = 0; i < UNITS; i++) begin : gen_unit
    logic done, second_q;  // second: the next result is that of the second place
    logic [63:0] hash;

    kumi_siphash u_hash (
        .clk,
        .rst,
        .key,
        .start(push && in_q % W'(UNITS) == W'(i)),
        .ready(ready[i]),
        .message,
        .done,
        .hash
    );

    always_ff @(posedge clk) begin
      if (done) second_q <= !second_q;
      if (rst) second_q <= 1'b0;
    end

    for (genvar k = 0; k < 2; k++) begin : gen_place
      localparam int PLACE = k * UNITS + i;
      always_ff @(posedge clk) begin
        if (push && in_q == W'(PLACE)) begin
          taken_q[PLACE] <= 1'b1;
          mark_q[PLACE]  <= s_mark;
        end
        if (done && second_q == 1'(k)) begin
          done_q[PLACE] <= 1'b1;
          hash_q[PLACE] <= hash[31:0];
        end
        if (rst || (pop && out_q == W'(PLACE))) begin
          taken_q[PLACE] <= 1'b0;
          done_q[PLACE]  <= 1'b0;
        end
      end
    end

    logic unused;
    assign unused = ^hash[63:32];
  end
endmodule
