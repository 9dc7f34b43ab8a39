// SPDX-License-Identifier: Apache-2.0
//
// A SYN cookie (kumi_tcp_cookie_pkg) made or checked in a few cycles, for the connection manager.
//   kumi_tcp_syn_responder makes one per cycle.
//
// start: loads hash (keyed hash of addresses and ports), the peer's initial sequence number and, to
//   make a cookie, its MSS; or, to check one, the acknowledged number. Five cycles later done
//   rises, until the next start, with cookie, or with good, fresh and mss. fresh: the time in it is
//   that of a cookie that still holds, whoever it was made for.
module kumi_tcp_syn_cookie
  import kumi_tcp_cookie_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic [4:0] slot,  // of time
    input logic start,
    input logic check,
    input logic [31:0] hash,
    input logic [63:0] key,
    input logic [31:0] isn,
    input logic [15:0] mss_in,
    input logic [31:0] given,
    output logic done,
    output logic [31:0] cookie,
    output logic good,
    output logic fresh,
    output logic [15:0] mss
);
  logic [2:0] round_q;
  logic [31:0] given_q;
  cookie_mix_t mix_q;
  logic [4:0] age;

  always_ff @(posedge clk) begin
    if (start) begin
      given_q <= given;
      mix_q   <= cookie_seed(hash, key, isn, check ? given[31:24] : {slot, cookie_size(mss_in)});
      round_q <= 3'(ROUNDS);
    end else if (round_q != '0) begin
      mix_q   <= cookie_round(mix_q);
      round_q <= round_q - 1'b1;
    end
    done <= !start && (done || round_q == 3'd1);
    if (rst) begin
      round_q <= '0;
      done    <= 1'b0;
    end
  end

  assign cookie = cookie_of(mix_q);
  assign age    = slot - mix_q.head[7:3];
  assign fresh  = age <= 5'd1;
  assign good   = fresh && cookie == given_q;
  assign mss    = SIZES[mix_q.head[2:0]];
endmodule
