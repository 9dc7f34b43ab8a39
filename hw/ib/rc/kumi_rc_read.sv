// SPDX-License-Identifier: Apache-2.0
//
// Payload from memory to the wire, and notice of datagrams that have left memory.
//
// job_*: the payload of a packet; ud, qp and psn of a datagram come back on sent_*. A datagram
//   without payload comes as none_valid.
// m_axis: payloads in order; tuser with tlast: memory answered with an error.
// m_axi: its read half. Throughput: a beat a cycle, no idle cycle between packets of 2 beats or
//   more. Latency: 4 cycles to memory, 4 to 5 from it.
module kumi_rc_read #(
    parameter int QP_W = 6,
    parameter int BURST_BYTES = 1024,  // longest burst, a power of two up to 4096
    parameter int READ_BEATS = 512  // beats that may be on their way from memory
) (
    input logic clk,
    input logic rst,
    input logic job_valid,
    output logic job_ready,
    input logic [63:0] job_addr,
    input logic [12:0] job_length,
    input logic job_ud,
    input logic [QP_W-1:0] job_qp,
    input logic [23:0] job_psn,
    input logic none_valid,
    output logic sent_valid,
    input logic sent_ready,
    output logic [QP_W-1:0] sent_qp,
    output logic [23:0] sent_psn,
    kumi_axis_if.src m_axis,
    kumi_axi_if.mst_rd m_axi,
    output logic ev_mem_error
);
  localparam int DATA_W = m_axis.DATA_W;
  localparam int ADDR_W = m_axi.ADDR_W;
  localparam int TAG_W = 1 + QP_W + 24;

  if (m_axi.DATA_W != DATA_W) begin : gen_check
    $fatal(0, "m_axis and m_axi must have the same width (%m)");
  end

  logic [ADDR_W-1:0] addr;
  logic [12:0] length;
  logic [TAG_W-1:0] tag, done_tag, out_tag;
  logic valid, ready, job_room, done, done_bad, idle, sent_room, sent_push, bad;
  logic [3:0] job_depth, sent_depth;
  logic none_q;
  logic [QP_W+23:0] none_sent_q, sent;
  logic [ADDR_W:0] ar_addr;

  kumi_fifo #(
      .W(ADDR_W + 13 + TAG_W),
      .DEPTH(8)
  ) u_jobs (
      .clk,
      .rst,
      .s_data ({job_addr[ADDR_W-1:0], job_length, job_ud, job_qp, job_psn}),
      .s_valid(job_valid),
      .s_ready(job_room),
      .m_data ({addr, length, tag}),
      .m_valid(valid),
      .m_ready(ready),
      .depth  (job_depth)
  );

  kumi_ring_read #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W + 1),
      .RING_W(ADDR_W),
      .BURST_BYTES(BURST_BYTES),
      .BEATS(READ_BEATS),
      .JOBS(32),
      .TAG_W(TAG_W)
  ) u_read (
      .clk,
      .rst,
      .job_hi(1'b0),
      .job_off(addr),
      .job_len(16'(length)),
      .job_tag(tag),
      .job_valid(valid),
      .job_ready(ready),
      .ar_addr,
      .ar_len(m_axi.arlen),
      .ar_valid(m_axi.arvalid),
      .ar_ready(m_axi.arready),
      .r_data(m_axi.rdata),
      .r_bad(m_axi.rresp[1]),
      .r_valid(m_axi.rvalid),
      .r_ready(m_axi.rready),
      .m_data(m_axis.tdata),
      .m_keep(m_axis.tkeep),
      .m_last(m_axis.tlast),
      .m_bad(bad),
      .m_tag(out_tag),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready),
      .done,
      .done_tag,
      .done_bad,
      .done_ready(sent_room && !none_q),
      .idle
  );
  assign m_axi.arid = '0;
  assign m_axi.araddr = ar_addr[ADDR_W-1:0];
  assign m_axi.arsize = 3'($clog2(DATA_W / 8));
  assign m_axi.arburst = 2'b01;
  assign m_axis.tuser = {{m_axis.USER_W - 1{1'b0}}, bad && m_axis.tlast};
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;

  // Two places are kept for datagrams without payload: none_valid is not asked.
  always_ff @(posedge clk) begin
    none_q <= none_valid && !rst;
    none_sent_q <= {job_qp, job_psn};
  end
  assign sent_room = sent_depth < 4'd6;
  assign job_ready = job_room && sent_room;
  kumi_fifo #(
      .W(QP_W + 24),
      .DEPTH(8)
  ) u_sent (
      .clk,
      .rst,
      .s_data (none_q ? none_sent_q : done_tag[QP_W+23:0]),
      .s_valid(none_q || (done && done_tag[TAG_W-1])),
      .s_ready(sent_push),
      .m_data (sent),
      .m_valid(sent_valid),
      .m_ready(sent_ready),
      .depth  (sent_depth)
  );
  assign {sent_qp, sent_psn} = sent;

  always_ff @(posedge clk) ev_mem_error <= done && done_bad && !rst;

  logic unused;
  assign unused = ^{job_addr, sent_push, job_depth, sent_depth, out_tag, idle, ar_addr[ADDR_W],
                    m_axi.rid, m_axi.rresp[0], m_axi.rlast};
endmodule
