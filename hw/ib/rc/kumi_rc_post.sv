// SPDX-License-Identifier: Apache-2.0
//
// Work request to the entry of its queue, and whether it may enter.
//
// wr, attr, mtu (in bytes), state: request and its queue pair; all outputs belong to those two
//   cycles earlier, which are held. receive: it is one for the receive queue, else for the send
//   queue. full: that queue has no place. legal: an operation that the queue pair has, and a length
//   that it can send.
module kumi_rc_post
  import kumi_rc_pkg::*;
  import kumi_rc_state_pkg::*;
#(
    parameter int SQ = 16,
    parameter int RQ = 16
) (
    input logic clk,
    input rc_wr_t wr,
    input rc_qp_attr_t attr,
    input logic [12:0] mtu,
    input rc_state_t state,
    output logic receive,
    output logic full,
    output logic legal,
    output rc_sq_entry_t sq_new,
    output rc_rq_entry_t rq_new
);
  logic [32:0] up_q;
  logic [23:0] packets_q;
  logic full_q, legal_q, atomic;

  assign receive = wr.op == RC_WR_RECV;
  assign atomic  = wr.op inside {RC_WR_CMP_SWAP, RC_WR_FETCH_ADD};
  assign full    = full_q;
  assign legal   = legal_q;

  always_ff @(posedge clk) begin
    up_q <= rc_packets_up(wr.length, attr.mtu);
    packets_q <= rc_packets_of(up_q, attr.mtu);
    full_q <= receive ? 8'(state.rq_wr - state.rq_rd) == 8'(RQ)
        : 8'(state.sq_wr - state.sq_rd) == 8'(SQ);
    if (receive) legal_q <= 1'b1;
    else if (wr.op > RC_WR_RECV || wr.length > 32'h8000_0000) legal_q <= 1'b0;
    else if (attr.ud) legal_q <= wr.op inside {RC_WR_SEND, RC_WR_SEND_IMM} && wr.length <= 32'(mtu);
    else legal_q <= !rc_is_read(wr.op) || attr.max_rd_atomic != '0;
  end

  assign sq_new = '{
          id: wr.id,
          op: wr.op,
          signaled: wr.signaled,
          solicited: wr.solicited,
          fence: wr.fence,
          local_addr: wr.local_addr,
          length: atomic ? 32'd8 : wr.length,
          remote_addr: wr.remote_addr,
          r_key: wr.r_key,
          imm: wr.imm,
          compare: wr.compare,
          swap_add: wr.swap_add,
          packets: atomic ? 24'd1 : packets_q
      };
  assign rq_new = '{id: wr.id, addr: wr.local_addr, length: wr.length};

  logic unused;
  assign unused = ^{wr, attr, state};
endmodule
