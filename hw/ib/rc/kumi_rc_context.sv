// SPDX-License-Identifier: Apache-2.0
//
// Memories of the queue pairs: attributes, state, and the queues of work requests. Control writes
// all of them; control and transmission each have read ports.
//
// Entry n of a queue is at place n modulo its depth. Latency of a read: 1 cycle, 2 for an entry
// that control reads; a read of attributes or a state that is written in the same cycle gives the
// old one. An entry is not read in the cycle in which it is written: the state, which says that it
// is there, is stored behind it.
module kumi_rc_context
  import kumi_rc_pkg::*;
  import kumi_rc_state_pkg::*;
#(
    parameter  int QPS  = 64,
    parameter  int SQ   = 16,
    parameter  int RQ   = 16,
    localparam int QP_W = $clog2(QPS)
) (
    input logic clk,

    // control
    input logic [QP_W-1:0] qp,
    input logic attr_we,
    input rc_qp_attr_t attr_new,
    output rc_qp_attr_t attr,
    input logic store,
    input rc_state_t store_state,
    output rc_state_t state,
    input logic sq_we,
    input logic rq_we,
    input logic [7:0] sq_at,
    input logic [7:0] rq_at,
    input rc_sq_entry_t sq_new,
    input rc_rq_entry_t rq_new,
    output rc_sq_entry_t sq_entry,
    output rc_rq_entry_t rq_entry,

    // transmission
    input logic [QP_W-1:0] tx_qp,
    output rc_qp_attr_t tx_attr,
    output rc_state_t tx_state,
    input logic [7:0] tx_sq_at,
    output rc_sq_entry_t tx_sq_entry
);
  localparam int SQ_W = $clog2(SQ);
  localparam int RQ_W = $clog2(RQ);

  logic [QP_W+SQ_W-1:0] sq_wr;
  logic [QP_W+RQ_W-1:0] rq_wr;
  assign sq_wr = {qp, store_state.sq_wr[SQ_W-1:0]};
  assign rq_wr = {qp, store_state.rq_wr[RQ_W-1:0]};

  logic [1:0][QP_W-1:0] at;
  logic [1:0][SQ_W+QP_W-1:0] sq_rd;
  logic [1:0][$bits(rc_qp_attr_t)-1:0] attrs;
  logic [1:0][$bits(rc_state_t)-1:0] states;
  logic [1:0][$bits(rc_sq_entry_t)-1:0] entries;
  logic [$bits(rc_rq_entry_t)-1:0] rq_bits;

  assign at = {tx_qp, qp};
  assign sq_rd = {tx_qp, tx_sq_at[SQ_W-1:0], qp, sq_at[SQ_W-1:0]};
  assign {tx_attr, attr} = attrs;
  assign {tx_state, state} = states;
  assign tx_sq_entry = entries[1];
  // Control decides by these at once; transmission has a register of its own.
  always_ff @(posedge clk) {sq_entry, rq_entry} <= {entries[0], rq_bits};

  for (genvar i = 0; i < 2; ++i) begin : gen_port
    kumi_ram_sdp #(
        .W($bits(rc_qp_attr_t)),
        .DEPTH(QPS),
        .STYLE(2),
        .RDW(1)
    ) u_attr (
        .clk,
        .wr_en  (attr_we),
        .wr_addr(qp),
        .wr_data(attr_new),
        .rd_en  (1'b1),
        .rd_addr(at[i]),
        .rd_data(attrs[i])
    );
    kumi_ram_sdp #(
        .W($bits(rc_state_t)),
        .DEPTH(QPS),
        .STYLE(2),
        .RDW(1)
    ) u_state (
        .clk,
        .wr_en  (store),
        .wr_addr(qp),
        .wr_data(store_state),
        .rd_en  (1'b1),
        .rd_addr(at[i]),
        .rd_data(states[i])
    );
    kumi_ram_sdp #(
        .W($bits(rc_sq_entry_t)),
        .DEPTH(QPS * SQ)
    ) u_sq (
        .clk,
        .wr_en  (sq_we),
        .wr_addr(sq_wr),
        .wr_data(sq_new),
        .rd_en  (1'b1),
        .rd_addr(sq_rd[i]),
        .rd_data(entries[i])
    );
  end

  kumi_ram_sdp #(
      .W($bits(rc_rq_entry_t)),
      .DEPTH(QPS * RQ)
  ) u_rq (
      .clk,
      .wr_en  (rq_we),
      .wr_addr(rq_wr),
      .wr_data(rq_new),
      .rd_en  (1'b1),
      .rd_addr({qp, rq_at[RQ_W-1:0]}),
      .rd_data(rq_bits)
  );

  logic unused;
  assign unused = ^{sq_at, rq_at, tx_sq_at};
endmodule
