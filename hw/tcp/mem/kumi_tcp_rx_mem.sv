// SPDX-License-Identifier: Apache-2.0
//
// Receive memory of the TCP engine: writes received payload to the sessions' rings, notifies the
//   application, and serves its reads.
//
//   s_axis, s_cmd -> rx_write -> m_axi (AW W B)
//                       \-> rx_state -> notify_coalesce -> m_notify, s_read -> m_read
//                              \-> rx_read -> m_axi (AR R) -> m_axis, notify_coalesce -> m_done
//
// A byte of a session is at base + sid * RX_RING + (sequence number mod RX_RING); base is a
// multiple of RX_RING and stable.
// s_axis: payload frames, in the order of the commands with `frame`. s_cmd: tcp_rx_cmd_t. `opened`
//   sets the session's numbers with or without `notify`; `notify` decides whether the application
//   is notified. in_order_end counts with notify, opened, fin and ended. `discard` counts with or
//   after `ended`; it is ignored after `released`.
// m_notify: tcp_notify_t, once the bytes are in memory. Pending notifications of a session coalesce
//   (kumi_tcp_notify_coalesce): they block nothing but the reuse of its number. notify_skip:
//   another session's first.
// s_read, m_read, m_axis: reads are answered in order with the bytes available, which follow as one
//   frame.
// m_done: tcp_rx_done_t; pending reports of a session coalesce. seq is invalid with `released`.
//   m_fault: tcp_close_t with abort: a memory error of this session; no later byte is notified.
// Latency with kumi_axi_ram, EARLY and READ_BEATS 0: s_cmd to m_notify 8 cycles for a frame of one
//   beat, s_read to m_read 3 and to m_axis 7 (one more each if it spans two beats in memory).
//   Throughput: one beat of memory per cycle and direction; one read in 3 cycles.
module kumi_tcp_rx_mem
  import kumi_tcp_pkg::*;
  import kumi_tcp_mem_pkg::*;
#(
    parameter int DATA_W     = 64,     // bits of a beat
    parameter int SESSIONS   = 16,     // a power of two, 2 or more
    parameter int RX_RING    = 16384,  // bytes of a ring, a power of two, 4096 or more
    parameter int ADDR_W     = 32,     // bits of an address
    parameter int EARLY      = 0,      // 1: memory is ordered without B (kumi_axi_ram)
    parameter int OPEN       = 256,    // outstanding commands, a power of two
    parameter int READ_BEATS = 512     // beats of the read buffer, a power of two; 0: none
) (
    input logic clk,
    input logic rst,
    input logic [ADDR_W-1:0] base,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_done,
    kumi_rec_if.src m_notify,
    input logic notify_skip,
    kumi_rec_if.snk s_read,
    kumi_rec_if.src m_read,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src m_fault,
    kumi_axi_if.mst m_axi,
    output logic busy,
    output tcp_rx_mem_ev_t ev
);
  localparam int BURST_BYTES = 1024;
  // The read buffer holds at least two bursts.
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
  tcp_rx_cmd_t done_cmd;
  logic cmd_bad, cmd_valid, cmd_ready, write_idle, read_idle;
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
      .m_cmd(done_cmd),
      .m_bad(cmd_bad),
      .m_valid(cmd_valid),
      .m_ready(cmd_ready),
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
      .s_cmd(done_cmd),
      .cmd_bad,
      .cmd_valid(cmd_valid && (!cmd_bad || fault_room)),
      .cmd_ready,
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
      .fault_ready(fault_room && !(cmd_valid && cmd_bad)),
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
      .skip    (notify_skip),
      .s_done  (done),
      .m_done
  );

  // ---- memory errors --------------------------------------------------------------------------
  logic write_fault_valid;
  tcp_close_t fault;
  logic [4:0] depth;

  assign write_fault_valid = cmd_ready && cmd_bad;
  assign fault = '{sid: write_fault_valid ? done_cmd.sid : read_fault, abort: 1'b1};

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

  assign busy = s_cmd.valid || s_read.valid || !write_idle || !read_idle || note.valid ||
      m_notify.valid ||
      m_read.valid || m_done.valid || done.valid || m_fault.valid;

  logic unused;
  assign unused = ^depth;
endmodule
