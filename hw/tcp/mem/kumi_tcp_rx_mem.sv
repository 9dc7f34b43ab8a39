// SPDX-License-Identifier: Apache-2.0
//
// Receive side of the TCP engine: received payload into the sessions' rings, notes to the
// application, and reads out of the rings.
//
//   s_axis, s_cmd -> rx_write -> m_axi (AW W B)
//                       \-> rx_state -> notes -> m_notify, s_read -> m_read
//                              \-> rx_read -> m_axi (AR R) -> m_axis, notes -> m_done
//
// A byte of a session is at base + sid * RX_RING + (sequence number mod RX_RING); base is a
//   multiple of RX_RING and steady.
// s_axis: frames of payload, in the order of the commands with `frame`. s_cmd: tcp_rx_cmd_t.
//   `opened` sets the session's numbers whether or not `note` is set; `note` decides whether the
//   application is told. `upto` counts with note, opened, fin and gone. `forget` counts with or
//   after `gone`; after `released` it is left out of account.
// m_notify: tcp_notify_t, when the bytes are in memory. Notes of a session that wait become one
//   (kumi_tcp_notify_coalesce): they hold up nothing but the session's number.
// s_read, m_read, m_axis: a read is answered in order, with what is there; data follow as one
//   frame.
// m_done: tcp_rx_done_t; while it waits, reports of one session become one. With `released` its seq
//   says nothing. m_fault: tcp_close_t with abort: memory failed for this session; no later byte is
//   shown.
// Latency with kumi_axi_ram, EARLY and READ_BEATS 0: s_cmd to m_notify 4 cycles for a frame of one
//   beat, s_read to m_read 2 and to m_axis 6 (one more each if it makes two beats in memory).
//   Throughput: a beat of memory a cycle each way; a read in 2 cycles.
module kumi_tcp_rx_mem
  import kumi_tcp_pkg::*;
  import kumi_tcp_mem_pkg::*;
#(
    parameter int DATA_W     = 64,     // bits of a beat
    parameter int SESSIONS   = 16,     // a power of two, 2 or more
    parameter int RX_RING    = 16384,  // bytes of a ring, a power of two, 4096 or more
    parameter int ADDR_W     = 32,     // bits of an address
    parameter int EARLY      = 0,      // 1: memory keeps order without B (kumi_axi_ram)
    parameter int OPEN       = 256,    // commands that may wait for memory, a power of two
    parameter int READ_BEATS = 512     // beats of the read buffer, a power of two; 0: none
) (
    input logic clk,
    input logic rst,
    input logic [ADDR_W-1:0] base,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_done,
    kumi_rec_if.src m_notify,
    kumi_rec_if.snk s_read,
    kumi_rec_if.src m_read,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src m_fault,
    kumi_axi_if.mst m_axi,
    output logic busy,
    output tcp_rx_mem_ev_t ev
);
  localparam int BURST_BYTES = 1024;
  // The read buffer holds two bursts at least.
  localparam int READ_BURST = READ_BEATS == 0 || READ_BEATS * DATA_W / 16 > BURST_BYTES ?
      BURST_BYTES : READ_BEATS * DATA_W / 16;
  localparam int JOBS = READ_BEATS > 64 ? 256 : 64;
  localparam int MARK_W = $clog2(JOBS) + 3;

  if (s_axis.DATA_W != DATA_W || m_axis.DATA_W != DATA_W || m_axi.DATA_W != DATA_W
      || m_axi.ADDR_W != ADDR_W) begin : gen_check_width
    $fatal(0, "s_axis, m_axis and m_axi must have DATA_W, m_axi ADDR_W (%m)");
  end

  kumi_rec_if #(.W(NOTIFY_W)) note ();
  kumi_rec_if #(.W($bits(tcp_rx_done_t))) done ();
  tcp_rx_cmd_t news;
  logic news_bad, news_valid, news_ready, write_idle, read_idle;
  logic [SID_W-1:0] job_sid, over_sid, read_fault;
  logic [31:0] job_seq;
  logic [15:0] job_len;
  logic job_last, job_valid, job_ready, over_valid, over_ready;
  logic [MARK_W-1:0] over_mark;
  logic read_fault_valid, fault_room;

  kumi_axi_if #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .ID_W  (m_axi.ID_W)
  ) axi ();
  kumi_axi_join u_join (
      .s_axi(axi),
      .m_axi
  );

  kumi_tcp_rx_write #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .RX_RING(RX_RING),
      .BURST_BYTES(BURST_BYTES),
      .OPEN(OPEN),
      .EARLY(EARLY)
  ) u_write (
      .clk,
      .rst,
      .base,
      .s_axis,
      .s_cmd,
      .m_axi(axi),
      .m_news(news),
      .m_bad(news_bad),
      .m_valid(news_valid),
      .m_ready(news_ready),
      .idle(write_idle),
      .ev_short(ev.short_frame),
      .ev_error(ev.write_error)
  );

  kumi_tcp_rx_state #(
      .SESSIONS(SESSIONS),
      .RX_RING (RX_RING),
      .MARK_W  (MARK_W)
  ) u_state (
      .clk,
      .rst,
      .s_news(news),
      .news_bad,
      .news_valid(news_valid && (!news_bad || fault_room)),
      .news_ready,
      .m_notify(note),
      .s_read,
      .m_read,
      .job_sid,
      .job_seq,
      .job_len,
      .job_last,
      .job_valid,
      .job_ready,
      .over_sid,
      .over_mark,
      .over_valid,
      .over_ready,
      .ev_no_session(ev.no_session)
  );

  kumi_tcp_rx_read #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .ADDR_W(ADDR_W),
      .RX_RING(RX_RING),
      .BURST_BYTES(READ_BURST),
      .BEATS(READ_BEATS),
      .JOBS(JOBS),
      .MARK_W(MARK_W)
  ) u_read (
      .clk,
      .rst,
      .base,
      .job_sid,
      .job_seq,
      .job_len,
      .job_last,
      .job_valid,
      .job_ready,
      .over_sid,
      .over_mark,
      .over_valid,
      .over_ready,
      .m_axis,
      .m_done(done),
      .fault_sid(read_fault),
      .fault_valid(read_fault_valid),
      .fault_ready(fault_room && !(news_valid && news_bad)),
      .m_axi(axi),
      .idle(read_idle),
      .ev_error(ev.read_error)
  );

  kumi_tcp_notify_coalesce #(
      .SESSIONS(SESSIONS)
  ) u_notes (
      .clk,
      .rst,
      .s_notify(note),
      .m_notify,
      .s_done  (done),
      .m_done
  );

  // ---- memory errors ---------------------------------------------------------------------------
  logic write_fault_valid;
  tcp_close_t fault;
  logic [4:0] depth;

  assign write_fault_valid = news_ready && news_bad;
  assign fault = '{sid: write_fault_valid ? news.sid : read_fault, abort: 1'b1};

  kumi_fifo #(
      .W(CLOSE_W),
      .DEPTH(16)
  ) u_fault (
      .clk,
      .rst,
      .s_data (fault),
      .s_valid(write_fault_valid || read_fault_valid),
      .s_ready(fault_room),
      .m_data (m_fault.data),
      .m_valid(m_fault.valid),
      .m_ready(m_fault.ready),
      .depth
  );

  assign busy = s_cmd.valid || s_read.valid || !write_idle || !read_idle || m_notify.valid ||
      m_read.valid || m_done.valid || done.valid || m_fault.valid;

  logic unused;
  assign unused = ^depth;
endmodule
