// SPDX-License-Identifier: Apache-2.0
//
// Proof of kumi_parity_coef with P and Q: for any one or two lost chunks of K + 2, the sum of its
// factors times the chunks it names equals the lost chunk; parity chunks included.
//
// SUMS = 0: which chunks are named, and what is refused, for any sequence of requests, by
// induction. SUMS = 1: the sums, for one request after reset (a request does not depend on earlier
// ones), bounded. At most one data bit is set: sums and definition are linear in the data, and
// linear functions that agree on every unit vector agree everywhere. P and Q follow the definition.
// Requests are arbitrary, legal or not. Assumed: the response is taken at once (the unit only holds
// it meanwhile).
`include "kumi_assert.svh"
module parity_coef_formal
  import kumi_storage_pkg::*;
#(
    parameter int K    = 3,    // data chunks
    parameter bit SUMS = 1'b0  // the sums
) (
    input logic              clk,
    input logic              rst,
    input logic              req_valid,
    input logic [ 19:0]      req,
    input logic [K-1:0][7:0] start_data
);
  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  function automatic logic [7:0] mul(input logic [7:0] x, input logic [7:0] y);
    logic [14:0] product;
    product = '0;
    for (int i = 0; i < 8; i++) begin
      if (y[i]) product ^= 15'(x) << i;
    end
    for (int i = 14; i >= 8; i--) begin
      if (product[i]) product ^= 15'h11d << (i - 8);
    end
    return product[7:0];
  endfunction

  // The stripe: data that stay as they were at first, and what is made of them.
  logic [K-1:0][7:0] data_q;
  logic [ 31:0][7:0] chunk;
  always_ff @(posedge clk) begin
    if (!started_q) data_q <= start_data;
  end
  always_comb begin
    chunk = '0;
    for (int j = K - 1; j >= 0; j--) begin
      chunk[j]   = data_q[j];
      chunk[K]   = chunk[K] ^ data_q[j];
      chunk[K+1] = mul(chunk[K+1], 8'd2) ^ data_q[j];
    end
  end

  kumi_rec_if #(.W($bits(coef_req_t))) s_req ();
  kumi_rec_if #(.W($bits(coef_t))) m_coef ();
  coef_req_t asked, asked_q;
  coef_t coef;
  assign asked = req;
  assign coef = m_coef.data;
  assign s_req.data = req;
  assign s_req.valid = req_valid;
  assign m_coef.ready = 1'b1;
  always_comb assume (asked.k == 5'(K) && asked.p == 2'd2);

  kumi_parity_coef u_dut (
      .clk,
      .rst,
      .s_req,
      .m_coef
  );

  logic [7:0] sum0_q, sum1_q, sum0, sum1;
  logic [4:0] given_q;
  logic open_q, legal;
  assign sum0 = sum0_q ^ mul(coef.a, chunk[coef.position]);
  assign sum1 = sum1_q ^ mul(coef.b, chunk[coef.position]);
  assign legal = asked_q.lost0 < 5'(K + 2) && asked_q.want != 0 && (asked_q.two ?
      asked_q.lost1 < 5'(K + 2) && asked_q.lost0 < asked_q.lost1 : !asked_q.want[1]);

  always_ff @(posedge clk) begin
    if (s_req.valid && s_req.ready) begin
      asked_q <= asked;
      open_q  <= 1'b1;
      sum0_q  <= '0;
      sum1_q  <= '0;
      given_q <= '0;
    end else if (m_coef.valid) begin
      sum0_q  <= sum0;
      sum1_q  <= sum1;
      given_q <= given_q + 1'b1;
      if (coef.last) open_q <= 1'b0;
    end
    if (rst) open_q <= 1'b0;
  end

  logic good, ends;
  assign good = m_coef.valid && !coef.bad;
  assign ends = good && coef.last;
  `KUMI_ASSERT(a_bad, !m_coef.valid || coef.bad == !legal)
  `KUMI_ASSERT(a_bad_last, !m_coef.valid || !coef.bad || coef.last)
  `KUMI_ASSERT(a_there, !good || coef.position < 5'(K + 2))
  `KUMI_ASSERT(a_not_lost0, !good || coef.position != asked_q.lost0)
  `KUMI_ASSERT(a_not_lost1, !good || !asked_q.two || coef.position != asked_q.lost1)

  if (SUMS) begin : gen_sums
    logic asked_once_q;
    always_ff @(posedge clk) asked_once_q <= !rst && (asked_once_q || s_req.valid);
    `KUMI_ASSUME(one_request, !(asked_once_q && s_req.valid))
    `KUMI_ASSUME(one_bit, (data_q & (data_q - 1'b1)) == 0)
    `KUMI_ASSERT(a_alone, !m_coef.valid || !coef.bad || (coef.last && given_q == 0))
    `KUMI_ASSERT(a_first, !ends || sum0 == chunk[asked_q.lost0])
    `KUMI_ASSERT(a_second, !ends || !asked_q.two || sum1 == chunk[asked_q.lost1])
    `KUMI_ASSERT(a_no_more, !good || given_q < 5'(K))
    `KUMI_COVER(c_two, ends && asked_q.two && asked_q.lost1 == 5'(K - 1) && chunk[0] == 8'h10)
  end else begin : gen_induction
    // States of u_dut: 2 INVERT, 3 SUM, 4 MUL, 5 SHOW.
    logic working, shows, more, flags;
    logic [5:0] last, shown;
    assign working = u_dut.state_q >= 3'd2 && u_dut.state_q <= 3'd4;
    assign shows = u_dut.state_q == 3'd5 && !coef.bad;
    assign more = u_dut.x_lost && (u_dut.y_lost || u_dut.p_lost);
    assign last = !u_dut.x_lost ? 6'(K - 1) : more ? 6'(K + 1) : 6'(K);
    assign shown = 6'(coef.position);
    assign flags = u_dut.use_p_q == (u_dut.x_lost && !u_dut.p_lost) && u_dut.use_q_q == more
        && u_dut.last_pos_q == last;
    `KUMI_ASSERT(i_open, open_q == !s_req.ready)
    `KUMI_ASSERT(i_stripe, !open_q || (asked_q.k == 5'(K) && asked_q.p == 2'd2))
    `KUMI_ASSERT(i_state, u_dut.state_q <= 3'd5)
    `KUMI_ASSERT(i_asked, !open_q || u_dut.req_q == asked_q)
    `KUMI_ASSERT(i_legal, !working || legal)
    `KUMI_ASSERT(i_flags, !(working || shows) || flags)
    `KUMI_ASSERT(i_position, !working || u_dut.pos_q <= last)
    `KUMI_ASSERT(i_named, u_dut.state_q != 3'd4 || !u_dut.skip)
    `KUMI_ASSERT(i_shown, !shows || (u_dut.pos_q == shown + 1'b1 && shown <= last))
    `KUMI_ASSERT(i_ends, !shows || coef.last == (shown == last))
    `KUMI_COVER(c_again, good && s_req.valid)
  end
endmodule
