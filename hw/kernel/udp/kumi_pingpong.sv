// SPDX-License-Identifier: Apache-2.0
//
// Ping-pong initiator: sends a probe (kumi_probe_pkg) to a peer that echoes it, waits for it, and
// measures the round trip in cycles; one probe in flight. The peer is kumi_udp_echo, or any UDP
// echo server.
//
// s_hdr, s_axis: received records and payloads; never asserts back-pressure. m_hdr, m_axis: to
// send. Round trip: from the cycle in which the first payload beat is offered to the stack to the
//   cycle in which the last one returns.
// Lost reply: after `timeout` cycles the round counts as lost and the next one starts; a reply that
//   arrives later counts as late. Sequence numbers continue from run to run, so an old reply never
//   completes a new round.
// Bad input: replies marked bad or damaged are counted and do not end the round.
module kumi_pingpong
  import kumi_ip_pkg::*;
  import kumi_probe_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic [63:0] now,  // common cycle counter
    kumi_axil_if.slv s_axil,
    kumi_rec_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_hdr,
    kumi_axis_if.src m_axis,
    output logic [15:0] own_port,  // where replies must be brought
    output logic busy
);
  localparam int EVENTS = 4;

  if (s_axis.DATA_W != m_axis.DATA_W) begin : gen_check_width
    $fatal(0, "s_axis and m_axis differ in width (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_pingpong_regs_pkg::kumi_pingpong_regs__in_t  hwif_in;
  kumi_pingpong_regs_pkg::kumi_pingpong_regs__out_t hwif_out;

  kumi_pingpong_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  logic [EVENTS-1:0] ev;
  kumi_event_counters #(
      .N(EVENTS)
  ) u_counters (
      .clk,
      .rst,
      .ev,
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(6'(hwif_out.counters.addr[3:2])),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  logic start, stop;
  logic [15:0] length;
  assign start = hwif_out.ctrl.start.value;
  assign stop = hwif_out.ctrl.stop.value;
  assign own_port = hwif_out.ports.own.value;
  assign length = probe_length(hwif_out.length.size.value);

  // ---- replies -------------------------------------------------------------------------------
  logic res_valid, drop_port, empty, rx_busy;
  probe_res_t res;

  kumi_probe_rx u_rx (
      .clk,
      .rst,
      .now,
      .port(own_port),
      .s_hdr,
      .s_axis,
      .res_valid,
      .res,
      .drop_port,
      .empty,
      .busy(rx_busy)
  );

  // ---- rounds --------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    OFF,
    SEND,
    WAIT,
    GAP
  } state_e;

  state_e state_q;
  logic [31:0] seq_q, left_q, timer_q;
  logic endless_q, stop_q;
  logic launch, good, reply, expired, round_end, last_round;
  logic gen_ready, gen_busy;

  assign launch = state_q == SEND && gen_ready && (!m_hdr.valid || m_hdr.ready);
  assign good = res_valid && !res.bad && !res.wrong;
  assign reply = good && state_q == WAIT && res.hdr.seq == seq_q && res.length == length;
  assign expired = state_q == WAIT && timer_q == hwif_out.timeout.value.value &&
      hwif_out.timeout.value.value != '0;
  assign round_end = reply || expired;
  assign last_round = stop_q || stop || (left_q == 32'd1 && !endless_q);

  logic [31:0] last_q, min_q, max_q, sent_q, received_q, lost_q;
  logic [63:0] sum_q;

  always_ff @(posedge clk) begin
    if (stop) stop_q <= 1'b1;
    timer_q <= timer_q + 1'b1;
    case (state_q)
      SEND:
      if (launch) begin
        state_q <= WAIT;
        timer_q <= 32'd1;
        sent_q  <= sent_q + 1'b1;
      end
      WAIT:
      if (round_end) begin
        timer_q <= 32'd1;
        seq_q   <= seq_q + 1'b1;
        left_q  <= left_q - 1'b1;
        state_q <= last_round ? OFF : (hwif_out.gap.value.value == '0) ? SEND : GAP;
      end
      GAP: begin
        if (timer_q == hwif_out.gap.value.value) state_q <= SEND;
        if (stop) state_q <= OFF;
      end
      default: ;
    endcase
    if (reply) begin
      received_q <= received_q + 1'b1;
      last_q <= res.latency;
      sum_q <= sum_q + 64'(res.latency);
      if (res.latency < min_q) min_q <= res.latency;
      if (res.latency > max_q) max_q <= res.latency;
    end else if (expired) begin
      lost_q <= lost_q + 1'b1;
    end
    if (start) begin
      // A running run restarts; the sequence number distinguishes its open round from the next.
      state_q <= SEND;
      if (state_q == WAIT || launch) seq_q <= seq_q + 1'b1;
      stop_q <= 1'b0;
      endless_q <= hwif_out.rounds.value.value == '0;
      left_q <= hwif_out.rounds.value.value;
    end
    if (start || rst) begin
      last_q <= '0;
      min_q <= '1;
      max_q <= '0;
      sum_q <= '0;
      sent_q <= '0;
      received_q <= '0;
      lost_q <= '0;
    end
    if (rst) begin
      state_q <= OFF;
      seq_q   <= '0;
    end
  end

  udp_hdr_t hdr;
  always_comb begin
    hdr = '0;
    hdr.peer_ip = hwif_out.peer_ip.value.value;
    hdr.peer_port = hwif_out.ports.peer.value;
    hdr.local_port = hwif_out.ports.own.value;
    hdr.length = length;
    hdr.cks = hwif_out.option.checksum.value ? CKS_GENERATE : CKS_NONE;
  end

  always_ff @(posedge clk) begin
    if (m_hdr.ready) m_hdr.valid <= 1'b0;
    if (launch) begin
      m_hdr.valid <= 1'b1;
      m_hdr.data  <= hdr;
    end
    if (rst) m_hdr.valid <= 1'b0;
  end

  kumi_probe_gen u_gen (
      .clk,
      .rst,
      .now,
      .req_valid(launch),
      .req_ready(gen_ready),
      .req_length(length),
      .req_flow(hwif_out.ports.own.value),
      .req_seq(seq_q),
      .m_axis,
      .busy(gen_busy)
  );

  kumi_log2_hist u_hist (
      .clk,
      .rst,
      .clear(start),
      .valid(reply && !start),
      .value(res.latency),
      .req(hwif_out.rtt_hist.req),
      .req_is_wr(hwif_out.rtt_hist.req_is_wr),
      .req_index(hwif_out.rtt_hist.addr[6:2]),
      .rd_ack(hwif_in.rtt_hist.rd_ack),
      .rd_data(hwif_in.rtt_hist.rd_data),
      .wr_ack(hwif_in.rtt_hist.wr_ack)
  );

  assign busy = state_q != OFF || gen_busy || m_hdr.valid || rx_busy;

  // In the order of regs/pingpong.rdl.
  assign ev = {
    drop_port,  // drop_port
    res_valid && res.bad,  // bad_payload
    (res_valid && !res.bad && res.wrong) || empty,  // corrupt
    good && !reply  // late
  };

  assign hwif_in.status.running.next = state_q != OFF;
  assign hwif_in.rtt_last.value.next = last_q;
  assign hwif_in.rtt_min.value.next = min_q;
  assign hwif_in.rtt_max.value.next = max_q;
  assign hwif_in.rtt_sum_lo.value.next = sum_q[31:0];
  assign hwif_in.rtt_sum_hi.value.next = sum_q[63:32];
  assign hwif_in.sent.value.next = sent_q;
  assign hwif_in.received.value.next = received_q;
  assign hwif_in.lost.value.next = lost_q;

  logic unused;
  assign unused = ^res;
endmodule
