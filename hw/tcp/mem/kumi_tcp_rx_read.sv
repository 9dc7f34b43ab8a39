// SPDX-License-Identifier: Apache-2.0
//
// Read side of the receive memory: reads the requested bytes from the rings, reports freed space
//   and released sessions to the core.
//
// job_*, over_*: from kumi_tcp_rx_state. m_axis: one frame per job, tid: the session; tuser[0] with
//   tlast: memory error (with fault_valid and the session).
// m_done: tcp_rx_done_t, see kumi_tcp_report_coalesce; it may be stalled indefinitely. seq counts
//   only without `released`. A session is released once the bytes of its last job have been read
//   from memory.
// m_axi: one burst per 1 KiB page of the ring at most. Throughput: one beat of memory or m_axis per
//   cycle. Latency: 1 cycle to AR, 2 from R to m_axis (more with a buffer: kumi_ring_read).
module kumi_tcp_rx_read
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W      = 64,     // bits of a beat
    parameter int SESSIONS    = 16,     // a power of two, 2 or more
    parameter int ADDR_W      = 32,     // bits of an address
    parameter int RX_RING     = 16384,  // bytes of a ring, a power of two
    parameter int BURST_BYTES = 1024,   // longest burst, a power of two up to 4096, 2 to 256 beats
    parameter int BEATS       = 512,    // beats of the buffer, 0: none
    parameter int JOBS        = 64,     // outstanding jobs, a power of two
    parameter int MARK_W      = 8       // bits of a job count, log2(JOBS) + 3 at least
) (
    input logic clk,
    input logic rst,
    input logic [ADDR_W-1:0] base,
    input logic [SID_W-1:0] job_sid,
    input logic [31:0] job_seq,
    input logic [15:0] job_len,
    input logic job_last,
    input logic job_valid,
    output logic job_ready,
    input logic [SID_W-1:0] over_sid,
    input logic [MARK_W-1:0] over_mark,
    input logic over_valid,
    output logic over_ready,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src m_done,
    output logic [SID_W-1:0] fault_sid,
    output logic fault_valid,
    input logic fault_ready,
    kumi_axi_if.mst_rd m_axi,
    output logic idle,
    output logic ev_error
);
  localparam int BYTES = DATA_W / 8;
  localparam int IDX_W = $clog2(SESSIONS);
  localparam int RING_W = $clog2(RX_RING);

  typedef struct packed {
    logic [SID_W-1:0] sid;
    logic [31:0]      after;  // one past the job's last byte
    logic             last;
  } tag_t;

  // ---- data -----------------------------------------------------------------------------------
  tag_t tag, done_tag, out_tag;
  logic done, done_bad, done_ready, read_idle, out_bad;

  assign tag = '{sid: job_sid, after: job_seq + 32'(job_len), last: job_last};

  kumi_ring_read #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .RING_W(RING_W),
      .BURST_BYTES(BURST_BYTES),
      .BEATS(BEATS),
      .JOBS(JOBS),
      .TAG_W($bits(tag_t))
  ) u_read (
      .clk,
      .rst,
      .job_hi(base[ADDR_W-1:RING_W] + (ADDR_W - RING_W)'(job_sid)),
      .job_off(job_seq[RING_W-1:0]),
      .job_len,
      .job_tag(tag),
      .job_valid,
      .job_ready,
      .ar_addr(m_axi.araddr),
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
      .m_bad(out_bad),
      .m_tag(out_tag),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready),
      .done,
      .done_tag,
      .done_bad,
      .done_ready,
      .idle(read_idle)
  );

  assign m_axis.tuser = (m_axis.USER_W)'(out_bad && m_axis.tlast);
  assign m_axis.tid = (m_axis.ID_W)'(out_tag.sid);
  assign m_axis.tdest = '0;

  assign m_axi.arid = '0;
  assign m_axi.arsize = 3'($clog2(BYTES));
  assign m_axi.arburst = 2'b01;

  // ---- sessions that have ended ---------------------------------------------------------------
  // One entry per session, which ends only once, so the FIFO never overflows. An entry waits for
  // the jobs issued before it; then at most one later job completes, so the marks stay comparable.
  logic [SID_W-1:0] wait_sid;
  logic [IDX_W-1:0] wait_idx;
  logic [MARK_W-1:0] wait_mark, done_q, ahead;
  logic wait_valid, wait_pop, due_q;
  logic [IDX_W:0] depth;

  kumi_fifo #(
      .W(IDX_W + MARK_W),
      .DEPTH(SESSIONS)
  ) u_over (
      .clk,
      .rst,
      .s_data ({over_sid[IDX_W-1:0], over_mark}),
      .s_valid(over_valid),
      .s_ready(over_ready),
      .m_data ({wait_idx, wait_mark}),
      .m_valid(wait_valid),
      .m_ready(wait_pop),
      .depth
  );

  assign wait_sid = SID_W'(wait_idx);
  assign ahead = done_q - wait_mark;

  always_ff @(posedge clk) begin
    done_q <= done_q + MARK_W'(done);
    due_q  <= wait_valid && !ahead[MARK_W-1] && !wait_pop;
    if (rst) begin
      done_q <= '0;
      due_q  <= 1'b0;
    end
  end

  // ---- to the core ----------------------------------------------------------------------------
  logic latest_ready, latest_idle, kill_ready, released;
  logic [31:0] seq;
  logic [SID_W-1:0] sid;
  tcp_rx_done_t report;

  assign done_ready = latest_ready && !due_q && (!done_bad || fault_ready);
  assign wait_pop   = due_q && latest_ready;

  kumi_tcp_report_coalesce #(
      .SESSIONS(SESSIONS),
      .VALUE_W (32),
      .FLAG_W  (1)
  ) u_latest (
      .clk,
      .rst,
      .s_sid(due_q ? wait_sid : done_tag.sid),
      .s_value(due_q ? '0 : done_tag.after),
      .s_set(!due_q),
      .s_flags(due_q || done_tag.last),
      .s_valid(due_q || done),
      .s_ready(latest_ready),
      .kill_sid('0),
      .kill_valid(1'b0),
      .kill_ready,
      .m_sid(sid),
      .m_value(seq),
      .m_flags(released),
      .m_valid(m_done.valid),
      .m_ready(m_done.ready),
      .idle(latest_idle)
  );

  assign report = '{sid: sid, seq: seq, released: released};
  assign m_done.data = report;
  assign fault_sid = done_tag.sid;
  assign fault_valid = done && done_bad;
  assign idle = read_idle && latest_idle && !wait_valid && depth == '0 && !job_valid;

  always_ff @(posedge clk) begin
    ev_error <= done && done_bad;
    if (rst) ev_error <= 1'b0;
  end

  logic unused;
  assign unused = ^{base, over_sid, out_tag, kill_ready, m_axi.rid, m_axi.rlast, m_axi.rresp[0]};
endmodule
