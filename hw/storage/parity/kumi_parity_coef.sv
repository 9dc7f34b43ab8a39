// SPDX-License-Identifier: Apache-2.0
//
// Coefficients for parity and reconstruction: which chunks of a stripe yield the lost ones, and
// with which factors (H. P. Anvin, "The mathematics of RAID-6"): P = sum of D_j, Q = sum of g^j D_j
// in GF(2^8), solved for one or two positions. Computing parity is the same with P and Q as the
// lost chunks.
//
// s_req: coef_req_t. m_coef: coef_t, one record per chunk to read, by position. Chunks that are not
//   needed are omitted (Q, where P suffices).
// Latency: first record 12 cycles after a request that needs an inverse, otherwise 4; then one per
// 3 cycles.
// Bad input: a request that cannot be met (more lost than p, positions out of order or range,
// nothing wanted) yields a single record with `bad`.
//
// With x, y lost data positions, c and m as below, v = (g^j + c) * m for data chunk j:
//   x, y:  c = g^y, m = 1 / (g^x + g^y):  a = v, b = v + 1; P as if g^j = 0; Q: a = b = m
//   x, P:  c = 0,   m = 1 / g^x:          a = v, b = v + 1;                  Q: a = b = m
//   x, Q:  c = g^x, m = 1:                a = 1, b = v;     P as if g^j = 0
//   x:     a = 1, P too.    P: a = 1.    P, Q: c = 0, m = 1: a = 1, b = v.    Q: a = v
module kumi_parity_coef
  import kumi_gf_pkg::*;
  import kumi_storage_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_req,
    kumi_rec_if.src m_coef
);
  if (s_req.W != $bits(coef_req_t) || m_coef.W != $bits(coef_t)) begin : gen_check_if
    $fatal(0, "s_req must be as wide as coef_req_t, m_coef as coef_t (%m)");
  end

  typedef enum logic [2:0] {
    IDLE,
    LOOK,
    INVERT,
    SUM,
    MUL,
    OUTPUT
  } state_e;
  state_e state_q;

  coef_req_t req_q;
  logic [5:0] width, pos_q, last_pos_q;
  logic x_lost, y_lost, p_lost, q_lost, legal;
  logic [5:0] p_at, q_at;

  assign width = 6'(req_q.k) + 6'(req_q.p);
  assign p_at = 6'(req_q.k);
  assign q_at = 6'(req_q.k) + 1'b1;
  assign x_lost = req_q.lost0 < req_q.k;
  assign y_lost = req_q.two && req_q.lost1 < req_q.k;
  assign p_lost = 6'(req_q.lost0) == p_at || (req_q.two && 6'(req_q.lost1) == p_at);
  assign q_lost = 6'(req_q.lost0) == q_at || (req_q.two && 6'(req_q.lost1) == q_at);

  assign legal = req_q.k != 0 && req_q.p != 2'd3 && width <= 6'd30 && req_q.p != 0
      && 6'(req_q.lost0) < width && (!req_q.two || (req_q.p == 2'd2 && req_q.lost0 < req_q.lost1
      && 6'(req_q.lost1) < width)) && req_q.want != 0 && (req_q.two || !req_q.want[1]);

  // Results of LOOK.
  logic a_one_q, b_plus_q, use_p_q, use_q_q;
  logic [7:0] c_q, m_q, num_q;
  logic [7:0] gen_x, gen_y, inverse;
  logic inverted;
  assign gen_x = GF_POWER[req_q.lost0];
  assign gen_y = GF_POWER[req_q.lost1];

  kumi_gf_inv u_inv (
      .clk,
      .rst,
      .start(state_q == LOOK),
      .a    (y_lost ? gen_x ^ gen_y : gen_x),
      .done (inverted),
      .y    (inverse)
  );

  logic at_p, at_q, skip;
  assign at_p = pos_q == p_at;
  assign at_q = pos_q == q_at;
  assign skip = pos_q == 6'(req_q.lost0) || (req_q.two && pos_q == 6'(req_q.lost1))
      || (at_p && !use_p_q) || (at_q && !use_q_q);

  coef_t out_q;
  logic ready;
  logic [7:0] product;
  assign product = gf_mul(num_q, m_q);

  assign s_req.ready = state_q == IDLE;

  always_ff @(posedge clk) begin
    case (state_q)
      IDLE: begin
        req_q <= s_req.data;
        if (s_req.valid) state_q <= LOOK;
      end
      LOOK: begin
        pos_q      <= '0;
        a_one_q    <= !(x_lost && (y_lost || p_lost)) && !(q_lost && !x_lost && !p_lost);
        b_plus_q   <= x_lost && (y_lost || p_lost);
        use_p_q    <= x_lost && !p_lost;
        use_q_q    <= x_lost && (y_lost || p_lost);
        last_pos_q <= x_lost ? (y_lost || p_lost ? q_at : p_at) : p_at - 1'b1;
        c_q        <= y_lost ? gen_y : x_lost && q_lost ? gen_x : 8'd0;
        m_q        <= 8'd1;
        out_q      <= '{bad: 1'b1, last: 1'b1, default: '0};
        state_q    <= !legal ? OUTPUT : x_lost && (y_lost || p_lost) ? INVERT : SUM;
      end
      INVERT: begin
        m_q <= inverse;
        if (inverted) state_q <= SUM;
      end
      SUM: begin
        num_q <= at_q ? 8'd1 : at_p ? c_q : GF_POWER[pos_q[4:0]] ^ c_q;
        if (skip) pos_q <= pos_q + 1'b1;
        else state_q <= MUL;
      end
      MUL: begin
        out_q.bad      <= 1'b0;
        out_q.last     <= pos_q == last_pos_q;
        out_q.want     <= req_q.want;
        out_q.position <= pos_q[4:0];
        out_q.a        <= a_one_q ? 8'd1 : product;
        out_q.b        <= !req_q.two ? 8'd0 : product ^ {7'd0, b_plus_q && !at_q};
        pos_q          <= pos_q + 1'b1;
        state_q        <= OUTPUT;
      end
      default: if (ready) state_q <= out_q.last ? IDLE : SUM;
    endcase
    if (rst) state_q <= IDLE;
  end


  assign m_coef.data  = out_q;
  assign m_coef.valid = state_q == OUTPUT;
  assign ready        = m_coef.ready;
endmodule
