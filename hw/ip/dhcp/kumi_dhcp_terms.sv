// SPDX-License-Identifier: Apache-2.0
//
// Completes what a DHCP server gave (RFC 2131, 4.4.5): T1 is half of the lease and T2 seven eighths
// unless the server gave others that are in order; without a netmask the address's class decides
// (RFC 1122, 3.2.1.3).
//
// terms stay until the next ones. Latency 2 cycles, one answer a cycle.
module kumi_dhcp_terms
  import kumi_dhcp_pkg::*;
(
    input  logic         clk,
    input  logic         rst,
    input  dhcp_answer_t answer,
    input  logic         answer_valid,
    output dhcp_answer_t terms,
    output logic         terms_valid
);
  dhcp_answer_t answer_q;
  logic valid_q, t1_ok_q, t2_ok_q;
  logic [31:0] late_q;  // seven eighths

  always_ff @(posedge clk) begin
    answer_q    <= answer;
    valid_q     <= answer_valid;
    late_q      <= answer.lease - (answer.lease >> 3);
    t1_ok_q     <= answer.t1 != '0 && answer.t1 < answer.t2;
    t2_ok_q     <= answer.t2 < answer.lease;

    terms_valid <= valid_q;
    if (valid_q) begin
      terms <= answer_q;
      if (!(t1_ok_q && t2_ok_q)) begin
        terms.t1 <= answer_q.lease >> 1;
        terms.t2 <= late_q;
      end
      if (answer_q.netmask == '0) begin
        unique casez (answer_q.ip[31:30])
          2'b0?:   terms.netmask <= 32'hFF00_0000;
          2'b10:   terms.netmask <= 32'hFFFF_0000;
          default: terms.netmask <= 32'hFFFF_FF00;
        endcase
      end
    end
    if (rst) begin
      valid_q     <= 1'b0;
      terms_valid <= 1'b0;
    end
  end
endmodule
