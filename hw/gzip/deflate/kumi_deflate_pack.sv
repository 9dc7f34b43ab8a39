// SPDX-License-Identifier: Apache-2.0
//
// Packs codes of up to 28 bits into words of 64, the first bit lowest (RFC 1951, 3.1.1).
//
// s_*: s_bits (0..28) bits of s_data, which is zero above them; s_last ends the stream.
// m_word: full words, and one with what is left (perhaps nothing) that says last.
// Throughput one code a cycle; the cycle after s_last is lost when it also completed a word.
// Latency 1 cycle from the code that completes a word.
module kumi_deflate_pack (
    input  logic                                   clk,
    input  logic                                   rst,
    input  logic                            [27:0] s_data,
    input  logic                            [ 4:0] s_bits,
    input  logic                                   s_last,
    input  logic                                   s_valid,
    output logic                                   s_ready,
    output kumi_deflate_pkg::deflate_word_t        m_word,
    output logic                                   m_valid,
    input  logic                                   m_ready
);
  logic [63:0] acc_q, out_q;
  logic [5:0] fill_q;
  logic [6:0] out_count_q;
  logic out_valid_q, out_last_q;
  logic rest_q;  // the stream has ended: acc_q goes next, as its last word

  logic [91:0] joined;
  logic [6:0] total;
  logic free;
  assign joined = {28'd0, acc_q} | ({64'd0, s_data} << fill_q);
  assign total = {1'b0, fill_q} + {2'b0, s_bits};
  assign free = !out_valid_q || m_ready;
  assign s_ready = free && !rest_q;

  always_ff @(posedge clk) begin
    if (free) out_valid_q <= 1'b0;
    if (free && rest_q) begin
      out_q <= acc_q;
      out_count_q <= {1'b0, fill_q};
      out_last_q <= 1'b1;
      out_valid_q <= 1'b1;
      acc_q <= '0;
      fill_q <= '0;
      rest_q <= 1'b0;
    end else if (s_valid && s_ready) begin
      out_q <= joined[63:0];
      out_count_q <= total[6] ? 7'd64 : total;
      out_last_q <= s_last && !total[6];
      out_valid_q <= s_last || total[6];
      acc_q <= total[6] ? {36'd0, joined[91:64]} : s_last ? '0 : joined[63:0];
      fill_q <= s_last && !total[6] ? '0 : total[5:0];
      rest_q <= s_last && total[6];
    end
    if (rst) begin
      out_valid_q <= 1'b0;
      rest_q <= 1'b0;
      acc_q <= '0;
      fill_q <= '0;
    end
  end

  assign m_word  = '{last: out_last_q, count: out_count_q, data: out_q};
  assign m_valid = out_valid_q;
endmodule
