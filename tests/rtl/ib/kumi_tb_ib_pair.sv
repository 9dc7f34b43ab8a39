// SPDX-License-Identifier: Apache-2.0
//
// Two ends of an InfiniBand link joined by a cable: per lane a delay in cycles, code violations
// with a probability, and a plug.
//
// delay_*: cycles of the cable per lane, below 64. errors: probability of a bad symbol, in 2^-32.
// unplug: no signal, a bit per direction (a to b first).
module kumi_tb_ib_pair
  import kumi_ib_link_pkg::*;
#(
    parameter  int LANES    = 4,
    parameter  int DATA_W   = 64,
    parameter  int DATA_VLS = 4,
    parameter  int BLOCKS   = 64,
    parameter  int MTU_CAP  = 4,
    localparam int SYMBOLS  = DATA_W / 8 / LANES
) (
    input  logic                        clk,
    input  logic                        rst,
    input  ib_link_cfg_t                cfg_a,
    input  ib_link_cfg_t                cfg_b,
    output ib_link_status_t             status_a,
    output ib_link_status_t             status_b,
    output ib_link_events_t             ev_a,
    output ib_link_events_t             ev_b,
    output port_counters_t              counters_a,
    output port_counters_t              counters_b,
    input  logic            [15:0]      rx_ready_a,
    input  logic            [15:0]      rx_ready_b,
           kumi_axis_if.snk             s_axis_a,
           kumi_axis_if.snk             s_axis_b,
           kumi_axis_if.src             m_axis_a,
           kumi_axis_if.src             m_axis_b,
    input  logic            [ 3:0][5:0] delay_ab,
    input  logic            [ 3:0][5:0] delay_ba,
    input  logic            [31:0]      errors,
    input  logic            [ 1:0]      unplug,
    input  logic            [31:0]      seed
);
  typedef struct packed {
    logic [LANES-1:0][SYMBOLS-1:0][7:0] data;
    logic [LANES-1:0][SYMBOLS-1:0]      k;
    logic [LANES-1:0][SYMBOLS-1:0]      err;
  } line_t;

  line_t [1:0] tx, rx;
  logic [1:0] quiet;
  logic [1:0][LANES-1:0] present;

  for (genvar d = 0; d < 2; d++) begin : gen_way
    line_t [63:0] way_q;
    logic [63:0] quiet_q;
    logic [31:0] random_q;
    logic [LANES-1:0][SYMBOLS-1:0] hit;
    always_ff @(posedge clk) begin
      way_q    <= {way_q[62:0], tx[d]};
      quiet_q  <= {quiet_q[62:0], quiet[d]};
      random_q <= random_q * 32'd1664525 + 32'd1013904223;
      for (int l = 0; l < LANES; l++) begin
        for (int s = 0; s < SYMBOLS; s++) begin
          logic [31:0] draw;
          draw = {random_q[15:0], random_q[31:16]} * (32'(l * 4 + s) * 32'd2654435761 + 32'd1);
          hit[l][s] <= (draw ^ (draw >> 13)) < errors;
        end
      end
      if (rst) begin
        quiet_q  <= '1;
        random_q <= seed + 32'(d) * 32'd77;
      end
    end
    always_comb begin
      for (int l = 0; l < LANES; l++) begin
        logic [5:0] delay;
        delay = d == 0 ? delay_ab[l] : delay_ba[l];
        rx[d].data[l] = way_q[delay].data[l];
        rx[d].k[l]    = way_q[delay].k[l];
        rx[d].err[l]  = '0;
        present[d][l] = !unplug[d] && !quiet_q[delay];
        for (int s = 0; s < SYMBOLS; s++) begin
          if (hit[l][s] || !present[d][l]) begin
            rx[d].data[l][s] = way_q[delay].data[l][s] ^ 8'h24;
            rx[d].k[l][s]    = 1'b0;
            rx[d].err[l][s]  = 1'b1;
          end
        end
      end
    end
    assign tx[d].err = '0;
  end

  kumi_ib_link #(
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP),
      .TRAIN(8192),
      .FC_PERIOD(1024)
  ) u_a (
      .clk,
      .rst,
      .cfg(cfg_a),
      .status(status_a),
      .ev(ev_a),
      .s_axis(s_axis_a),
      .m_axis(m_axis_a),
      .rx_ready(rx_ready_a),
      .s_data(rx[1].data),
      .s_k(rx[1].k),
      .s_err(rx[1].err),
      .s_signal(present[1]),
      .m_data(tx[0].data),
      .m_k(tx[0].k),
      .m_quiet(quiet[0])
  );

  kumi_ib_link #(
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP),
      .TRAIN(8192),
      .FC_PERIOD(1024)
  ) u_b (
      .clk,
      .rst,
      .cfg(cfg_b),
      .status(status_b),
      .ev(ev_b),
      .s_axis(s_axis_b),
      .m_axis(m_axis_b),
      .rx_ready(rx_ready_b),
      .s_data(rx[0].data),
      .s_k(rx[0].k),
      .s_err(rx[0].err),
      .s_signal(present[0]),
      .m_data(tx[1].data),
      .m_k(tx[1].k),
      .m_quiet(quiet[1])
  );

  kumi_ib_port_counters u_counters_a (
      .clk,
      .rst,
      .ev(ev_a),
      .relay_error(1'b0),
      .relay_discard(1'b0),
      .xmit_constraint(1'b0),
      .rcv_constraint(1'b0),
      .clear('0),
      .counters(counters_a)
  );
  kumi_ib_port_counters u_counters_b (
      .clk,
      .rst,
      .ev(ev_b),
      .relay_error(1'b0),
      .relay_discard(1'b0),
      .xmit_constraint(1'b0),
      .rcv_constraint(1'b0),
      .clear('0),
      .counters(counters_b)
  );
endmodule
