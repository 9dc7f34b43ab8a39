// SPDX-License-Identifier: Apache-2.0
//
// A node for tests of the InfiniBand port: symbols go in and out by pins, p1 and p2 with four
// lanes, p3 with one. An 8b/10b encoder and a decoder beside them, as a reference.
module kumi_node_ib_wires (
    input logic clk,
    input logic rst,

    output logic [63:0] m_ib_p1_data,
    output logic [ 7:0] m_ib_p1_k,
    output logic        m_ib_p1_quiet,
    input  logic [63:0] s_ib_p1_data,
    input  logic [ 7:0] s_ib_p1_k,
    input  logic [ 7:0] s_ib_p1_err,
    input  logic [ 3:0] s_ib_p1_signal,
    output logic [63:0] m_ib_p2_data,
    output logic [ 7:0] m_ib_p2_k,
    output logic        m_ib_p2_quiet,
    input  logic [63:0] s_ib_p2_data,
    input  logic [ 7:0] s_ib_p2_k,
    input  logic [ 7:0] s_ib_p2_err,
    input  logic [ 3:0] s_ib_p2_signal,
    output logic [31:0] m_ib_p3_data,
    output logic [ 3:0] m_ib_p3_k,
    output logic        m_ib_p3_quiet,
    input  logic [31:0] s_ib_p3_data,
    input  logic [ 3:0] s_ib_p3_k,
    input  logic [ 3:0] s_ib_p3_err,
    input  logic        s_ib_p3_signal,

    input  logic [63:0] data,       // what all ports send
    input  logic [ 7:0] k,
    input  logic        quiet,
    output logic [63:0] p2_data,    // what p2 shows
    output logic [ 7:0] p2_k,
    output logic [ 7:0] p2_err,
    output logic [ 3:0] p2_signal,
    output logic [31:0] p3_data,
    output logic [ 3:0] p3_k,
    output logic [ 3:0] p3_err,
    output logic        p3_signal,

    input  logic [7:0] enc_data,
    input  logic       enc_k,
    input  logic       enc_rd,
    output logic [9:0] enc_code,
    output logic       enc_rd_out,
    input  logic [9:0] dec_code,
    input  logic       dec_rd,
    output logic [7:0] dec_data,
    output logic       dec_k,
    output logic       dec_bad_code,
    output logic       dec_bad_rd,
    output logic       dec_rd_out
);
  assign m_ib_p1_data = data;
  assign m_ib_p1_k = k;
  assign m_ib_p1_quiet = quiet;
  assign m_ib_p2_data = data;
  assign m_ib_p2_k = k;
  assign m_ib_p2_quiet = quiet;
  assign m_ib_p3_data = data[31:0];
  assign m_ib_p3_k = k[3:0];
  assign m_ib_p3_quiet = quiet;
  assign p2_data = s_ib_p2_data;
  assign p2_k = s_ib_p2_k;
  assign p2_err = s_ib_p2_err;
  assign p2_signal = s_ib_p2_signal;
  assign p3_data = s_ib_p3_data;
  assign p3_k = s_ib_p3_k;
  assign p3_err = s_ib_p3_err;
  assign p3_signal = s_ib_p3_signal;

  kumi_8b10b_enc u_enc (
      .data(enc_data),
      .k(enc_k),
      .rd(enc_rd),
      .code(enc_code),
      .rd_next(enc_rd_out)
  );
  kumi_8b10b_dec u_dec (
      .code(dec_code),
      .rd(dec_rd),
      .data(dec_data),
      .k(dec_k),
      .bad_code(dec_bad_code),
      .bad_rd(dec_bad_rd),
      .rd_out(dec_rd_out)
  );
endmodule
