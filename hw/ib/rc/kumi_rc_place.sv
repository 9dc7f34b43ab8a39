// SPDX-License-Identifier: Apache-2.0
//
// Payload to memory, and the actions that wait for it.
//
// job_*: one per packet with payload, in the order of s_axis, and one per immediate value.
// s_act, s_bursts: an action and the bursts of the job before it that nothing has waited for yet.
// m_act: actions whose bursts, and all earlier ones, are in memory; m_bad: one of them failed.
// m_axi: its write half.
// Throughput: a beat a cycle. Latency: 5 cycles from a beat to memory.
module kumi_rc_place
  import kumi_rc_pkg::RC_MAX_MTU;
  import kumi_rc_state_pkg::*;
#(
    parameter int BURST_BYTES = 1024,  // longest burst, a power of two up to 4096 and 256 beats
    localparam int BURSTS_W = $clog2(RC_MAX_MTU / BURST_BYTES + 2)
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,

    input  logic    job_valid,
    output logic    job_ready,
    input  rc_job_t job,

    input logic s_act_valid,
    output logic s_act_ready,
    input rc_action_t s_act,
    input logic [BURSTS_W-1:0] s_bursts,

    output logic m_act_valid,
    input logic m_act_ready,
    output rc_action_t m_act,
    output logic m_bad,
    output logic empty,
    kumi_axi_if.mst_wr m_axi
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int ADDR_W = m_axi.ADDR_W;
  localparam int BYTES = DATA_W / 8;

  if (DATA_W < 64 || m_axi.DATA_W != DATA_W) begin : gen_check
    $fatal(0, "s_axis and m_axi must have the same width, 64 bits or more (%m)");
  end

  // ---- payload ---------------------------------------------------------------------------------
  logic [DATA_W-1:0] in_data;
  logic in_last, in_valid, in_ready;
  logic [6:0] in_depth;

  kumi_fifo #(
      .W(DATA_W + 1),
      .DEPTH(64)
  ) u_in (
      .clk,
      .rst,
      .s_data ({s_axis.tlast, s_axis.tdata}),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data ({in_last, in_data}),
      .m_valid(in_valid),
      .m_ready(in_ready),
      .depth  (in_depth)
  );

  logic cur_valid, cur_ready;
  logic [$bits(rc_job_t)-1:0] cur_bits;
  rc_job_t job_in, cur;
  logic [4:0] job_depth;

  kumi_fifo #(
      .W($bits(rc_job_t)),
      .DEPTH(16)
  ) u_jobs (
      .clk,
      .rst,
      .s_data (job_in),
      .s_valid(job_valid),
      .s_ready(job_ready),
      .m_data (cur_bits),
      .m_valid(cur_valid),
      .m_ready(cur_ready),
      .depth  (job_depth)
  );
  assign cur = cur_bits;
  always_comb begin
    job_in = job;
    if (job.discard) job_in.length = '0;
  end

  logic beat_ready, start, took, end_full, end_long;
  logic [$clog2(BYTES):0] gain;
  logic [16-$clog2(BURST_BYTES):0] bursts;
  logic [ADDR_W:0] aw_addr;

  assign in_ready = beat_ready && cur_valid && !cur.immediate;

  kumi_ring_write #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W + 1),
      .RING_W(ADDR_W),
      .BURST_BYTES(BURST_BYTES)
  ) u_write (
      .clk,
      .rst,
      .job_hi(1'b0),
      .job_off(cur.addr[ADDR_W-1:0]),
      .job_skip('0),
      .job_len(16'(cur.length)),
      .job_valid(cur_valid),
      .job_ready(cur_ready),
      .start,
      .may_start(1'b1),
      .job_bursts(bursts),
      .may_end(1'b1),
      .took,
      .gain,
      .end_full,
      .end_long,
      .s_data(cur.immediate ? DATA_W'(cur.value) : in_data),
      .s_bytes(($clog2(BYTES) + 1)'(BYTES)),
      .s_last(cur.immediate || in_last),
      .s_valid(cur_valid && (cur.immediate || in_valid)),
      .s_ready(beat_ready),
      .aw_addr,
      .aw_len(m_axi.awlen),
      .aw_valid(m_axi.awvalid),
      .aw_ready(m_axi.awready),
      .w_data(m_axi.wdata),
      .w_strb(m_axi.wstrb),
      .w_last(m_axi.wlast),
      .w_valid(m_axi.wvalid),
      .w_ready(m_axi.wready)
  );
  assign m_axi.awid = '0;
  assign m_axi.awaddr = aw_addr[ADDR_W-1:0];
  assign m_axi.awsize = 3'($clog2(BYTES));
  assign m_axi.awburst = 2'b01;
  assign m_axi.bready = 1'b1;

  // ---- what follows ----------------------------------------------------------------------------
  // A register between the state machines and the queue of actions.
  localparam int ACT_W = BURSTS_W + $bits(rc_action_t);
  logic [ACT_W-1:0] held_bits;
  logic [$bits(rc_action_t)-1:0] act_bits;
  logic held_valid, held_ready, none_waits;

  kumi_slice #(
      .W(ACT_W),
      .MODE(2)
  ) u_act (
      .clk,
      .rst,
      .s_data ({s_bursts, s_act}),
      .s_valid(s_act_valid),
      .s_ready(s_act_ready),
      .m_data (held_bits),
      .m_valid(held_valid),
      .m_ready(held_ready)
  );
  assign empty = none_waits && !held_valid;

  kumi_write_fence #(
      .W($bits(rc_action_t)),
      .BURST_W(BURSTS_W),
      .DEPTH(64)
  ) u_fence (
      .clk,
      .rst,
      .s_data(held_bits[$bits(rc_action_t)-1:0]),
      .s_bursts(held_bits[ACT_W-1:$bits(rc_action_t)]),
      .s_valid(held_valid),
      .s_ready(held_ready),
      .b_valid(m_axi.bvalid),
      .b_bad(m_axi.bresp[1]),
      .m_data(act_bits),
      .m_bad,
      .m_valid(m_act_valid),
      .m_ready(m_act_ready),
      .empty(none_waits)
  );
  assign m_act = act_bits;

  logic unused;
  assign unused = ^{cur.discard, in_depth, job_depth, start, took, gain, end_full, end_long, bursts,
                    cur.addr, aw_addr[ADDR_W], m_axi.bid, m_axi.bresp[0]};
endmodule
