// SPDX-License-Identifier: Apache-2.0
//
// Transport engine of InfiniBand's reliable connections, for any wire (kumi_rc_pkg): SEND, RDMA
// WRITE and READ, atomics, both as requester and as responder (IBTA volume 1, clauses 9.2 to 9.8),
// and datagrams.
//
// s_setup: queue pairs and memory regions; accepted once it applies. s_wr: work requests; one that
//   is illegal or finds its queue full completes with an error. m_completion: in the order of
//   each queue.
// s_hdr, s_axis, m_hdr, m_axis: packets from and to the wire, see kumi_rc_pkg. Packets from the
//   wire wait for memory and for m_completion, never for the wire in the other direction. A packet
//   that memory failed to deliver leaves with tuser[0] on its last beat: the wire drops it.
// m_axi: payload, bursts up to BURST_BYTES; m_axi_atomic: 64-bit accesses of atomics.
// qp_error: queue pair in the error state. ev: pulses for counters.
// Latency: work request to packet 23 cycles and memory; SEND to completion 27 cycles and memory.
// Throughput: a beat a cycle while control keeps up: it takes 19 cycles for a request packet, 21
//   for an ACK; a packet is sent in 15.
// Bad input: dropped and counted, or refused with a NAK (rc_events_t).
module kumi_rc
  import kumi_rc_pkg::*;
  import kumi_rc_state_pkg::*;
#(
    parameter int QPS         = 64,    // queue pairs, a power of two from 2 on
    parameter int REGIONS     = 64,    // memory regions, a power of two from 2 on
    parameter int SQ          = 16,    // send requests per queue pair, a power of two, 2 to 128
    parameter int RQ          = 16,    // receive requests per queue pair, likewise
    parameter int WINDOW      = 128,   // packets under way per queue pair
    parameter int BURST_BYTES = 1024,  // longest burst, a power of two up to 4096
    parameter int READ_BEATS  = 512    // beats that may be on their way from memory
) (
    input logic clk,
    input logic rst,
    input logic tick, // a pulse every 1.024 us

    // software
    kumi_rec_if.snk s_setup,
    kumi_rec_if.snk s_wr,
    kumi_rec_if.src m_completion,

    // wire
    kumi_rec_if.snk  s_hdr,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src  m_hdr,
    kumi_axis_if.src m_axis,

    // memory
    kumi_axi_if.mst m_axi,
    kumi_axi_if.mst m_axi_atomic,

    output logic [QPS-1:0] qp_error,
    output rc_events_t ev
);
  localparam int QP_W = $clog2(QPS);
  localparam int BURSTS_W = $clog2(RC_MAX_MTU / BURST_BYTES + 2);

  if (s_setup.W != RC_SETUP_W || s_wr.W != RC_WR_W || m_completion.W != RC_COMPLETION_W ||
      s_hdr.W != RC_PKT_W || m_hdr.W != RC_PKT_W) begin : gen_check_records
    $fatal(0, "the record ports must have the widths of kumi_rc_pkg (%m)");
  end
  if (SQ < 2 || SQ > 128 || (SQ & (SQ - 1)) != 0 || RQ < 2 || RQ > 128 ||
      (RQ & (RQ - 1)) != 0) begin : gen_check_queues
    $fatal(0, "SQ and RQ must be powers of two, 2 to 128 (%m)");
  end

  logic exp_valid, exp_ready, exp_rnr, sent_valid, sent_ready, hold, held, idle, clear;
  logic [QP_W-1:0] exp_qp, sent_qp, qp, tx_qp, max_qp, job_qp;
  logic [23:0] sent_psn, sq_psn, ctl_max, max, job_psn;
  logic [QPS-1:0][4:0] ring_rd;
  logic [QPS-1:0] ready, waiting, ack_pending, ring_some;
  logic attr_we, store, kick, back, progress, rnr, sq_we, rq_we, max_we;
  rc_qp_attr_t attr_new, attr, tx_attr;
  rc_state_t store_state, state, tx_state;
  logic [4:0] rnr_timer;
  logic [7:0] sq_at, rq_at, tx_sq_at;
  rc_sq_entry_t sq_new, sq_entry, tx_sq_entry;
  rc_rq_entry_t rq_new, rq_entry;
  rc_events_t ctl_ev, tx_ev, ev_q;

  // ---- control ---------------------------------------------------------------------------------
  logic place_valid, place_ready, act_valid, act_ready, due_valid, due_ready, due_bad, empty;
  logic answer_idle, ack_take, read_pop, ev_write_bad, ev_read_bad;
  rc_job_t place;
  rc_action_t act, due;
  logic [BURSTS_W-1:0] act_bursts;
  rc_ack_t ack;
  rc_read_t read;

  kumi_rc_ctrl #(
      .QPS(QPS),
      .SQ(SQ),
      .RQ(RQ),
      .REGIONS(REGIONS),
      .BURST_BYTES(BURST_BYTES)
  ) u_ctrl (
      .clk,
      .rst,
      .s_setup,
      .s_wr,
      .s_hdr,
      .exp_valid,
      .exp_ready,
      .exp_qp,
      .exp_rnr,
      .sent_valid,
      .sent_ready,
      .sent_qp,
      .sent_psn,
      .hold,
      .held,
      .idle,
      .clear,
      .sq_psn,
      .max(ctl_max),
      .ring_rd,
      .qp,
      .attr_we,
      .attr_new,
      .attr,
      .store,
      .store_state,
      .state,
      .kick,
      .back,
      .progress,
      .rnr,
      .rnr_timer,
      .ready,
      .qp_error,
      .sq_we,
      .rq_we,
      .sq_at,
      .rq_at,
      .sq_new,
      .rq_new,
      .sq_entry,
      .rq_entry,
      .job_valid(place_valid),
      .job_ready(place_ready),
      .job(place),
      .act_valid,
      .act_ready,
      .act,
      .act_bursts,
      .ev(ctl_ev)
  );
  // Late by a cycle; who asks has waited for longer since its last action.
  always_ff @(posedge clk) idle <= empty && answer_idle;

  kumi_rc_context #(
      .QPS(QPS),
      .SQ (SQ),
      .RQ (RQ)
  ) u_context (
      .clk,
      .qp,
      .attr_we,
      .attr_new,
      .attr,
      .store,
      .store_state,
      .state,
      .sq_we,
      .rq_we,
      .sq_at,
      .rq_at,
      .sq_new,
      .rq_new,
      .sq_entry,
      .rq_entry,
      .tx_qp,
      .tx_attr,
      .tx_state,
      .tx_sq_at,
      .tx_sq_entry
  );

  kumi_rc_timers #(
      .QPS(QPS)
  ) u_timers (
      .clk,
      .rst,
      .tick,
      .store,
      .qp,
      .una(store_state.una),
      .progress,
      .rnr,
      .rnr_timer,
      .attr_we,
      .timeout(attr_new.timeout),
      .max_we,
      .max_qp,
      .max,
      .waiting,
      .exp_valid,
      .exp_ready,
      .exp_qp,
      .exp_rnr
  );

  kumi_axi_if #(
      .DATA_W(m_axi.DATA_W),
      .ADDR_W(m_axi.ADDR_W),
      .ID_W  (m_axi.ID_W)
  ) bus ();

  // ---- from the wire to memory -----------------------------------------------------------------
  kumi_rc_place #(
      .BURST_BYTES(BURST_BYTES)
  ) u_place (
      .clk,
      .rst,
      .s_axis,
      .job_valid(place_valid),
      .job_ready(place_ready),
      .job(place),
      .s_act_valid(act_valid),
      .s_act_ready(act_ready),
      .s_act(act),
      .s_bursts(act_bursts),
      .m_act_valid(due_valid),
      .m_act_ready(due_ready),
      .m_act(due),
      .m_bad(due_bad),
      .empty,
      .m_axi(bus)
  );

  kumi_rc_answer #(
      .QPS(QPS)
  ) u_answer (
      .clk,
      .rst,
      .s_act_valid(due_valid),
      .s_act_ready(due_ready),
      .s_act(due),
      .s_bad(due_bad),
      .m_completion,
      .m_axi(m_axi_atomic),
      .clear,
      .clear_qp(qp),
      .idle(answer_idle),
      .rd_qp(tx_qp),
      .ack_pending,
      .ring_some,
      .ack_take,
      .ack,
      .read,
      .read_pop,
      .ring_rd,
      .ev_mem_error(ev_write_bad)
  );

  // ---- from memory to the wire -----------------------------------------------------------------
  logic hdr_valid, hdr_ready, job_valid, job_ready, job_ud;
  rc_pkt_t hdr;
  logic [63:0] job_addr;
  logic [12:0] job_length;
  logic [4:0] hdr_depth;

  kumi_rc_transmit #(
      .QPS(QPS),
      .WINDOW(WINDOW)
  ) u_transmit (
      .clk,
      .rst,
      .ctl_qp(qp),
      .kick,
      .back,
      .clear,
      .sq_psn,
      .ctl_max,
      .hold,
      .held,
      .ready,
      .waiting,
      .tx_qp,
      .tx_attr,
      .tx_state,
      .tx_sq_at,
      .tx_sq_entry,
      .ack_pending,
      .ring_some,
      .ack_take,
      .ack,
      .read,
      .read_pop,
      .max_we,
      .max_qp,
      .max,
      .room(hdr_ready && job_ready),
      .hdr_valid,
      .hdr,
      .job_valid,
      .job_addr,
      .job_length,
      .job_ud,
      .job_qp,
      .job_psn,
      .ev(tx_ev)
  );

  kumi_fifo #(
      .W(RC_PKT_W),
      .DEPTH(16)
  ) u_hdr (
      .clk,
      .rst,
      .s_data (hdr),
      .s_valid(hdr_valid),
      .s_ready(hdr_ready),
      .m_data (m_hdr.data),
      .m_valid(m_hdr.valid),
      .m_ready(m_hdr.ready),
      .depth  (hdr_depth)
  );

  kumi_rc_read #(
      .QP_W(QP_W),
      .BURST_BYTES(BURST_BYTES),
      .READ_BEATS(READ_BEATS)
  ) u_read (
      .clk,
      .rst,
      .job_valid,
      .job_ready,
      .job_addr,
      .job_length,
      .job_ud,
      .job_qp,
      .job_psn,
      .none_valid(hdr_valid && job_ud && !job_valid),
      .sent_valid,
      .sent_ready,
      .sent_qp,
      .sent_psn,
      .m_axis,
      .m_axi(bus),
      .ev_mem_error(ev_read_bad)
  );

  kumi_axi_join u_join (
      .s_axi(bus),
      .m_axi
  );

  always_ff @(posedge clk) begin
    ev_q <= ctl_ev | tx_ev;
    ev_q.mem_error <= ev_write_bad || ev_read_bad;
    if (rst) ev_q <= '0;
  end
  assign ev = ev_q;

  logic unused;
  assign unused = ^hdr_depth;
endmodule
