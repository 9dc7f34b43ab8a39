// SPDX-License-Identifier: Apache-2.0
//
// Transmit memory of the TCP engine: writes the application's data to the sessions' rings.
//
//   s_write, s_close -> tx_space_ctrl -> m_write
//                          \-> tx_ring_write, s_axis -> m_axi (AW W B)
//                                  \-> report_coalesce -> m_data
//
// A byte of a session is at base + sid * TX_RING + (sequence number mod TX_RING); base is a
// multiple of TX_RING and stable.
// s_tx_space: tcp_tx_space_t, accepted in every cycle except for SESSIONS cycles after reset.
// s_write, m_write: see kumi_tcp_tx_space_ctrl; s_axis: one frame for each write answered TCP_OK,
//   in that order. A longer frame is truncated; of a shorter one the bytes received count, of a bad
//   one none.
// s_close: FIN or RST after the writes accepted before. s_fault: the same, from other units.
// m_data: tcp_tx_data_t, once the data are in memory; pending reports of a session coalesce. seq is
//   invalid with `abort`. A memory error aborts the session. A record on offer when its session
//   ends is not withdrawn: the core ignores it.
// An application that stalls in the middle of a frame blocks all writes and closes after it,
// nothing else.
// Latency: s_write to m_write 3 cycles; with kumi_axi_ram and EARLY 5 from a frame of one beat to
//   m_data (6 if it spans two beats in memory). Throughput: one write per cycle, one beat of memory
//   or s_axis per cycle.
module kumi_tcp_tx_mem
  import kumi_tcp_pkg::*;
  import kumi_tcp_mem_pkg::*;
#(
    parameter int DATA_W   = 64,     // bits of a beat
    parameter int SESSIONS = 16,     // a power of two, 2 or more
    parameter int TX_RING  = 16384,  // bytes of a ring, a power of two, 4096 or more
    parameter int ADDR_W   = 32,     // bits of an address
    parameter int EARLY    = 0,      // 1: memory is ordered without B (kumi_axi_ram)
    parameter int OPEN     = 256     // outstanding frames, a power of two
) (
    input logic clk,
    input logic rst,
    input logic [ADDR_W-1:0] base,
    kumi_rec_if.snk s_tx_space,
    kumi_rec_if.src m_data,
    kumi_rec_if.snk s_write,
    kumi_rec_if.src m_write,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.snk s_close,
    kumi_rec_if.snk s_fault,
    kumi_axi_if.mst_wr m_axi,
    output logic busy,
    output tcp_tx_mem_ev_t ev
);
  localparam int BURST_BYTES = 1024;
  localparam int GEN_W = 8;

  if (s_axis.DATA_W != DATA_W || m_axi.DATA_W != DATA_W || m_axi.ADDR_W != ADDR_W) begin : gen_check
    $fatal(0, "s_axis and m_axi must have DATA_W, m_axi ADDR_W (%m)");
  end

  logic [SID_W-1:0] credit_sid, fresh_sid, job_sid, sid, data_sid;
  logic [GEN_W-1:0] credit_gen, fresh_gen, job_gen;
  logic [15:0] credit_bytes, job_length;
  logic [31:0] fresh_una, seq, data_seq;
  logic credit_valid, credit_ready, fresh_valid, job_fin, job_abort, job_valid, job_room;
  logic fin, abort, push, bad, valid, ready, place_idle, latest_idle, kill_ready;
  logic data_fin, data_abort, data_push;
  tcp_tx_data_t data;

  kumi_tcp_tx_space_ctrl #(
      .SESSIONS(SESSIONS),
      .TX_RING(TX_RING),
      .GEN_W(GEN_W)
  ) u_ledger (
      .clk,
      .rst,
      .s_tx_space,
      .s_write,
      .m_write,
      .s_close,
      .s_fault,
      .credit_sid,
      .credit_gen,
      .credit_bytes,
      .credit_valid,
      .credit_ready,
      .fresh_sid,
      .fresh_gen,
      .fresh_una,
      .fresh_valid,
      .job_sid,
      .job_gen,
      .job_length,
      .job_fin,
      .job_abort,
      .job_valid,
      .job_room,
      .ev_refused(ev.refused)
  );

  kumi_tcp_tx_ring_write #(
      .DATA_W(DATA_W),
      .SESSIONS(SESSIONS),
      .ADDR_W(ADDR_W),
      .TX_RING(TX_RING),
      .BURST_BYTES(BURST_BYTES),
      .OPEN(OPEN),
      .EARLY(EARLY),
      .GEN_W(GEN_W)
  ) u_place (
      .clk,
      .rst,
      .base,
      .job_sid,
      .job_gen,
      .job_length,
      .job_fin,
      .job_abort,
      .job_valid,
      .job_room,
      .fresh_sid,
      .fresh_gen,
      .fresh_una,
      .fresh_valid,
      .s_axis,
      .credit_sid,
      .credit_gen,
      .credit_bytes,
      .credit_valid,
      .credit_ready,
      .m_axi,
      .m_sid(sid),
      .m_seq(seq),
      .m_fin(fin),
      .m_abort(abort),
      .m_push(push),
      .m_bad(bad),
      .m_valid(valid),
      .m_ready(ready),
      .idle(place_idle),
      .ev_written(ev.written),
      .ev_short(ev.short_frame),
      .ev_long(ev.long_frame),
      .ev_bad(ev.bad_frame),
      .ev_stale(ev.stale),
      .ev_error(ev.write_error)
  );

  // Data of a failed write are not reported: the session ends.
  kumi_tcp_report_coalesce #(
      .SESSIONS(SESSIONS),
      .VALUE_W (32),
      .FLAG_W  (3)
  ) u_latest (
      .clk,
      .rst,
      .s_sid(sid),
      .s_value(seq),
      .s_set(!bad),
      .s_flags({fin && !bad, abort || bad, push && !bad}),
      .s_valid(valid),
      .s_ready(ready),
      .kill_sid(fresh_sid),
      .kill_valid(fresh_valid),
      .kill_ready,
      .m_sid(data_sid),
      .m_value(data_seq),
      .m_flags({data_fin, data_abort, data_push}),
      .m_valid(m_data.valid),
      .m_ready(m_data.ready),
      .idle(latest_idle)
  );

  assign data = '{
          sid: data_sid,
          seq: data_seq,
          fin: data_fin,
          abort: data_abort,
          push: data_push
      };
  assign m_data.data = data;
  assign busy = s_write.valid || s_close.valid || s_fault.valid || s_tx_space.valid ||
      m_write.valid ||
      !place_idle || !latest_idle;

  logic unused;
  assign unused = kill_ready;
endmodule
