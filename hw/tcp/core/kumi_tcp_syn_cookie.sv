// SPDX-License-Identifier: Apache-2.0
//
// SYN cookies (RFC 4987, 3.6): an initial sequence number that carries the state of a half-open
//   connection. 5 bits of time (67 s each), 3 bits of MSS, 24 bits of a keyed hash.
//
// start: loads hash (keyed hash of addresses and ports), the peer's initial sequence number and, to
//   make a cookie, its MSS; or, to check one, the acknowledged number. Five cycles later done
//   rises, until the next start, with cookie, or with good and mss. The mixing is by additions,
//   rotations and XOR, with a key of its own: a client knows the hash of its own addresses from the
//   initial sequence numbers that it is given, but that of forged ones it never sees.
module kumi_tcp_syn_cookie (
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
    output logic [15:0] mss
);
  localparam logic [7:0][15:0] SIZES = {
    16'd8960, 16'd8192, 16'd4312, 16'd1460, 16'd1440, 16'd1220, 16'd536, 16'd88
  };

  logic [2:0] index, round_q;
  logic [31:0] a_q, b_q, given_q;
  logic [7:0] head_q;
  logic [4:0] age;

  always_comb begin
    index = '0;
    for (int i = 0; i < 8; i++) if (mss_in >= SIZES[i]) index = 3'(i);
  end

  always_ff @(posedge clk) begin
    if (start) begin
      head_q  <= check ? given[31:24] : {slot, index};
      given_q <= given;
      a_q     <= hash + key[63:32];
      b_q     <= isn ^ key[31:0];
      round_q <= 3'd4;
    end else if (round_q != '0) begin
      a_q <= (a_q + {b_q[18:0], b_q[31:19]}) ^ {24'd0, head_q};
      b_q <= b_q ^ ({a_q[24:0], a_q[31:25]} + {a_q[8:0], a_q[31:9]});
      round_q <= round_q - 1'b1;
    end
    done <= !start && (done || round_q == 3'd1);
    if (rst) begin
      round_q <= '0;
      done    <= 1'b0;
    end
  end

  assign cookie = {head_q, a_q[23:0] ^ b_q[31:8]};
  assign age    = slot - head_q[7:3];
  assign good   = age <= 5'd1 && cookie == given_q;
  assign mss    = SIZES[head_q[2:0]];
endmodule
