// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_tcp_table with two buckets of two entries per half and one stash entry: no
// entry is lost, duplicated, or given another session than the last insertion of its tuple.
//
// One freely chosen tuple is observed; requests and lookups are arbitrary. Its entry exists exactly
// once if it was inserted and not deleted since, else not at all; requests about it are answered
// accordingly, and so is a lookup, unless its age tells that the tables have changed. Assumed: no
// lookup while the tables are cleared after reset (those of dropped segments have no effect). Six
// bits of the tuples vary, the others are zero; the secret makes the hashes short: the XOR of two
// bits, and one bit.
module tcp_table_formal
  import kumi_tcp_pkg::*;
  import kumi_tcp_path_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic key_valid,
    input logic [5:0] key_bits,
    input tcp_table_op_e req_op,
    input logic [5:0] req_bits,
    input logic [1:0] req_sid,
    input logic req_valid,
    input logic rsp_ready,
    input logic hash_req_ready,
    input logic hash_rsp_valid,
    input logic [31:0] hash_rsp
);
  // The matrix of kumi_tcp_table is this exclusive or what its source says: bits 0, 1 and 50.
  localparam logic [127:0] SECRET = 128'h8f1bbcdc_5a827999_ca62c1d6_6ed9eba1
      ^ 128'h00000000_00000000_00040000_00000003;

  kumi_rec_if #(.W($bits(tcp_table_req_t))) s_table ();
  kumi_rec_if #(.W($bits(tcp_table_rsp_t))) m_table ();
  logic key_ready, look_valid, hash_req_valid, change_valid, change_port, ready;
  tcp_lookup_t look;
  tcp_tuple_t hash_req_tuple, change_tuple;

  tcp_tuple_t key;
  assign key = tcp_tuple_t'(key_bits);
  assign s_table.data = {req_op, 58'd0, req_bits, 14'd0, req_sid};
  assign s_table.valid = req_valid;
  assign m_table.ready = rsp_ready;

  logic first_q = 1'b1;
  always_ff @(posedge clk) first_q <= 1'b0;
  assume property (@(posedge clk) rst == first_q);
  assume property (@(posedge clk) ready || !key_valid);

  kumi_tcp_table #(
      .SESSIONS(4),
      .WAYS(2),
      .STASH(1),
      .PORT_W(6)
  ) u_table (
      .clk,
      .rst,
      .secret(SECRET),
      .key_valid,
      .key_ready,
      .key,
      .look_valid,
      .look,
      .s_table,
      .m_table,
      .hash_req_valid,
      .hash_req_ready,
      .hash_req_tuple,
      .hash_rsp_valid,
      .hash_rsp,
      .change_valid,
      .change_port,
      .change_tuple,
      .ready
  );
endmodule
