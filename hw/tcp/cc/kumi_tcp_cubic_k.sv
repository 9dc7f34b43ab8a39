// SPDX-License-Identifier: Apache-2.0
//
// K of CUBIC (RFC 9438, equation 2): the cube root of gap / mss / C, C = 0.4, in ticks of 1.024 ms,
//   rounded down. One request at a time, one bit or digit per cycle.
//
// K ticks = cbrt(gap * TICKS / mss), TICKS = (1 s / 1.024 ms)^3 / 0.4, in three steps: product and
// quotient bit by bit, most significant first; root digit by digit, two cycles each.
// s_*: request, accepted when idle (s_ready). m_*: response, held until accepted. A root that
//   exceeds K_W bits, or mss = 0, yields the largest number.
// Latency 131 cycles.
module kumi_tcp_cubic_k
  import kumi_tcp_core_pkg::*;
  import kumi_tcp_cubic_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic s_valid,
    output logic s_ready,
    input tcp_cubic_k_req_t s_req,
    output logic m_valid,
    input logic m_ready,
    output tcp_cubic_k_rsp_t m_rsp
);
  localparam logic [31:0] TICKS = 32'd2_328_306_437;
  localparam int N_W = WND_W + 32;
  localparam int REST_W = 2 * K_W + 4;
  localparam int ROOT_W = 3 * K_W;  // radicand

  typedef enum logic [2:0] {
    R_IDLE,
    R_TIMES,
    R_OVER,
    R_ODD,
    R_DIGIT,
    R_DONE
  } state_e;

  state_e state_q;
  tcp_cubic_k_req_t req_q;
  logic [5:0] count_q;
  logic [31:0] ticks_q;
  logic [N_W-1:0] n_q;  // product, then dividend and quotient, then remaining digits
  logic [16:0] part;
  logic [15:0] left_q;  // remainder of the division
  logic [K_W-1:0] y_q;
  logic [2*K_W-1:0] square_q;  // y * y
  logic [REST_W-1:0] rest_q, more, odd_q;
  logic fits;

  assign s_ready = state_q == R_IDLE;
  assign m_valid = state_q == R_DONE;
  assign m_rsp = '{sid: req_q.sid, epoch_start: req_q.epoch_start, k: y_q};
  assign part = {left_q, n_q[N_W-1]};
  assign fits = part >= {1'b0, req_q.mss};
  // (2y + 1)^3 - (2y)^3, and the remainder with three more bits.
  assign more = REST_W'({rest_q, n_q[ROOT_W-1-:3]});

  always_ff @(posedge clk) begin
    unique case (state_q)
      R_IDLE: begin
        req_q   <= s_req;
        ticks_q <= TICKS;
        n_q     <= '0;
        count_q <= '0;
        if (s_valid) state_q <= R_TIMES;
      end
      R_TIMES: begin
        n_q <= {n_q[N_W-2:0], 1'b0} + (ticks_q[31] ? N_W'(req_q.gap) : '0);
        ticks_q <= {ticks_q[30:0], 1'b0};
        left_q <= '0;
        count_q <= count_q + 1'b1;
        if (count_q == 6'd31) begin
          count_q <= '0;
          state_q <= R_OVER;
        end
      end
      R_OVER: begin
        n_q <= {n_q[N_W-2:0], fits};
        left_q <= fits ? 16'(part - {1'b0, req_q.mss}) : part[15:0];
        y_q <= '0;
        square_q <= '0;
        rest_q <= '0;
        count_q <= count_q + 1'b1;
        if (count_q == 6'(N_W - 1)) begin
          count_q <= '0;
          state_q <= R_ODD;
        end
      end
      R_ODD: begin
        odd_q <= REST_W'({square_q, 3'd0}) + REST_W'({square_q, 2'd0}) + REST_W'({y_q, 2'd0}) +
            REST_W'({y_q, 1'b0}) + 1'b1;
        state_q <= R_DIGIT;
        if (n_q[N_W-1:ROOT_W] != '0) begin
          y_q <= '1;
          state_q <= R_DONE;
        end
      end
      R_DIGIT: begin
        n_q[ROOT_W-1:0] <= {n_q[ROOT_W-4:0], 3'd0};
        y_q <= {y_q[K_W-2:0], more >= odd_q};
        if (more >= odd_q) begin
          rest_q   <= more - odd_q;
          square_q <= {square_q[2*K_W-3:0], 2'd0} + (2 * K_W)'({y_q, 2'd0}) + 1'b1;
        end else begin
          rest_q   <= more;
          square_q <= {square_q[2*K_W-3:0], 2'd0};
        end
        count_q <= count_q + 1'b1;
        state_q <= count_q == 6'(K_W - 1) ? R_DONE : R_ODD;
      end
      R_DONE:  if (m_ready) state_q <= R_IDLE;
      default: state_q <= R_IDLE;
    endcase
    if (rst) state_q <= R_IDLE;
  end
endmodule
