// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_rc_respond with kumi_rc_regions: what one request packet may do, for any state
// of the queue pair, any packet, any region. No byte of a WRITE goes outside a region that permits
// it; a NAK for a gap is sent once and not again before the gap closes; a receive is consumed with
// exactly one completion; payload has exactly one job.
//
// Nothing is carried from one packet to the next but the state handed in, so a packet from any
// state is all packets. Bounded: a packet needs 13 cycles from reset on. BOUNDS 0: all but the
// first of these, 18 cycles, so that job and actions may be stalled. BOUNDS 1: that too, 14 cycles.
`include "kumi_assert.svh"
module rc_respond_formal
  import kumi_rc_pkg::*;
  import kumi_rc_state_pkg::*;
#(
    parameter int BOUNDS = 0
) (
    input logic clk,
    input logic rst,
    input logic start,
    input rc_pkt_t pkt,
    input rc_qp_attr_t attr,
    input rc_state_t state,
    input rc_rq_entry_t head,
    input logic [4:0] ring_rd,
    input rc_region_t region,
    input logic job_ready,
    input logic act_ready,
    input logic idle
);
  rc_op_info_t op;
  logic [12:0] mtu_bytes;
  assign op = rc_op_info(pkt.hdr.opcode);
  assign mtu_bytes = rc_mtu_bytes(attr.mtu);

  logic done, failed, too_long, write, read, atomic, ok, job_valid, act_valid;
  rc_state_t  next;
  rc_events_t ev;
  logic [31:0] key, length;
  logic [63:0] va;
  rc_job_t job;
  rc_action_t act;
  logic [2:0] act_bursts;

  logic set_q, busy_q;  // the region is set in the first cycle
  always_ff @(posedge clk) begin
    set_q <= 1'b1;
    if (start && set_q) busy_q <= 1'b1;
    if (done) busy_q <= 1'b0;
    if (rst) {set_q, busy_q} <= '0;
  end

  kumi_rc_regions #(
      .REGIONS(2)
  ) u_regions (
      .clk,
      .rst,
      .set_valid (!set_q),
      .set_region(region),
      .*
  );

  kumi_rc_respond u_respond (
      .start(start && set_q && !busy_q),
      .qp('0),
      .mtu(mtu_bytes),
      .*
  );

  // The first cycle is reset.
  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q ? !rst : rst);

  `KUMI_ASSUME(mtu, attr.mtu >= 3'd1 && attr.mtu <= 3'd5)

  // What control keeps still, from before the start on.
  `KUMI_ASSUME(still, !$past(set_q) || ($stable(pkt) && $stable(attr) && $stable(state) && $stable
               (head) && $stable(ring_rd)))
  `KUMI_ASSUME(same_region, $stable(region) || !set_q)
  `KUMI_ASSUME(known_region, region.key[31:9] == '0)

  // ---- no write outside ------------------------------------------------------------------------
  logic is_write;
  logic [64:0] low, high, region_low, region_high;
  rc_answer_t answer;
  assign is_write = op.write;
  assign low = {1'b0, job.addr};
  assign high = low + 65'(job.length);
  assign region_low = {1'b0, region.addr};
  assign region_high = region_low + 65'(region.length);
  assign answer = act.body;

  logic permitted;
  assign permitted = region.valid && region.remote_write && attr.remote_write &&
      low >= region_low && high <= region_high;
  `KUMI_ASSERT(in_bounds, BOUNDS == 0 || !(job_valid && !job.discard && is_write) || permitted)
  // Control hands responses to kumi_rc_complete.
  `KUMI_ASSUME(request, !op.response)
  `KUMI_ASSERT(only_writes, !(job_valid && !job.discard) || is_write || op.send)

  // ---- one NAK per gap -------------------------------------------------------------------------
  logic gap_nak;
  assign gap_nak = act_valid && act.kind == RC_ACT_ACK && answer.syndrome == RC_NAK_PSN;
  `KUMI_ASSERT(first_nak, !gap_nak || (!state.nak_sent && answer.psn == state.epsn))
  `KUMI_ASSERT(nak_kept, !(done && $past(act_valid && act_ready) && $past(gap_nak)
               ) || (next.nak_sent && next.epsn == state.epsn))
  `KUMI_ASSERT(gap_closed,
               !(done && !attr.ud && state.nak_sent && !next.nak_sent) || next.epsn != state.epsn)

  // ---- each once -------------------------------------------------------------------------------
  logic [1:0] completions_q, jobs_q, answers_q;
  always_ff @(posedge clk) begin
    if (act_valid && act_ready) begin
      completions_q <= completions_q + 2'(act.kind == RC_ACT_COMPLETION);
      answers_q <= answers_q + 2'(act.kind inside {RC_ACT_ACK, RC_ACT_READ, RC_ACT_ATOMIC,
          RC_ACT_REPLAY});
    end
    if (job_valid && job_ready) jobs_q <= jobs_q + 1'b1;
    if (rst || (start && set_q && !busy_q)) {completions_q, jobs_q, answers_q} <= '0;
  end
  `KUMI_ASSERT(one_completion, !done || 8'(next.rq_rd - state.rq_rd) == 8'(completions_q))
  `KUMI_ASSERT(at_most_one, completions_q <= 2'd1 && answers_q <= 2'd1)
  `KUMI_ASSERT(one_job, !done || jobs_q == 2'(pkt.hdr.length != '0))
  `KUMI_ASSERT(failed_nak, !(done && failed) || answers_q == 2'd1)

  `KUMI_COVER(writes, done && jobs_q == 2'd1 && is_write && !failed && next.epsn != state.epsn)
  `KUMI_COVER(receives, done && completions_q == 2'd1)
endmodule
