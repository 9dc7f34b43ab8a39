// SPDX-License-Identifier: Apache-2.0
//
// UDP side of an iperf 2 server: counts the datagrams of each client and answers the last one with
// the server report that the client prints.
//
// Format (big-endian): a datagram begins with its number (4 bytes; negative: the last one, sent
//   until it is answered), the time it was sent (seconds, microseconds), and in newer clients the
//   upper half of the number and, at byte 16, flags. The report is the first 12 or 16 bytes of the
//   datagram (16 when the flags have 0x08000000), then ten words: flags 0x80000000, bytes (upper,
//   lower), duration (s, us), lost, out of order, datagrams, jitter (s, us); 128 bytes with zeros
//   at the end. Durations and jitter are given in microseconds alone.
// A client's header may request a stream back (-r: after its last datagram, -d: with its first):
//   m_back, iperf_reverse_t. Its words begin at byte 16, in old clients 12: flags, threads, port,
//   length of a datagram, bandwidth, amount as for TCP (kumi_iperf_tcp); a rate is at byte 64 with
//   flag 0x40000000. A request that is not accepted at once is dropped (ev_full).
// heard_*: a datagram arrived, to any port. answer_*: a datagram to one of the ports 0xC000 to
// 0xC0FF, from which streams back are sent.
// Counting: a number above the next one counts those between as lost; one below it is out of order
//   and is subtracted from lost. Jitter is that of RFC 3550, section 6.4.1.
// s_hdr, s_axis: received datagrams; m_hdr, m_axis: reports. One beat a cycle; after the last beat
//   6 cycles in which the next datagram waits, longer while an earlier report is being sent.
// FLOWS clients at once, distinguished by address and port; a further one replaces the oldest. A
//   client that restarts from the same port starts at zero after its report.
// Bad input: datagrams marked bad or shorter than 12 bytes are dropped (ev_bad), those of another
//   port or while `enable` is low as well (ev_port).
module kumi_iperf_udp
  import kumi_ip_pkg::*;
  import kumi_iperf_pkg::*;
#(
    parameter int FLOWS = 8  // clients at once, a power of two
) (
    input logic clk,
    input logic rst,
    input logic enable,
    input logic back,  // streams back may be asked for
    input logic [15:0] port,  // 0: every port
    input logic [31:0] now_us,
    kumi_rec_if.snk s_hdr,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_hdr,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src m_back,
    output logic heard_valid,
    output logic [31:0] heard_ip,
    output logic answer_valid,
    output logic [15:0] answer_port,
    output logic [63:0] bytes,
    output logic ev_datagram,
    output logic ev_report,
    output logic ev_bad,
    output logic ev_port,
    output logic ev_back,
    output logic ev_full,
    output logic busy
);
  localparam int FLOW_W = $clog2(FLOWS);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int HEAD = 72;  // bytes that matter
  localparam int HEAD_BEATS = (8 * HEAD + DATA_W - 1) / DATA_W;
  localparam int REPORT = 128;  // bytes
  localparam int REPORT_BEATS = 8 * REPORT / DATA_W;

  if (DATA_W != m_axis.DATA_W || DATA_W > 512) begin : gen_check_width
    $fatal(0, "s_axis and m_axis must be of one width, 64 to 512 bits (%m)");
  end
  if (FLOWS < 2 || (FLOWS & (FLOWS - 1)) != 0) begin : gen_check_flows
    $fatal(0, "FLOWS must be a power of two, at least 2 (%m)");
  end

  // ---- datagram in -----------------------------------------------------------------------------
  udp_hdr_t hdr, in_hdr_q, own_hdr_q;
  logic active_q, pass_q, take, beat, last, next_free, empty, ours, answer;
  logic [HEAD_BEATS*DATA_W-1:0] head_q, head_d;
  logic [$clog2(HEAD_BEATS+1)-1:0] beat_q;

  typedef enum logic [2:0] {
    REST,
    MATCH,
    FETCH,
    TIMES,
    CALC,
    STORE,
    TELL
  } state_e;
  state_e state_q;

  assign hdr = udp_hdr_t'(s_hdr.data);
  assign answer = hdr.local_port[15:8] == 8'hC0;
  assign ours = enable && (port == '0 || hdr.local_port == port) && !answer;
  assign empty = hdr.length < 16'd12;
  assign s_hdr.ready = !active_q;
  assign take = s_hdr.valid && s_hdr.ready;
  assign next_free = state_q == REST;
  // The first bytes of a datagram are kept until it has been counted and answered.
  assign s_axis.tready = active_q && (!pass_q || next_free
      || (!s_axis.tlast && 32'(beat_q) == HEAD_BEATS));
  assign beat = s_axis.tvalid && s_axis.tready;
  assign last = beat && s_axis.tlast;

  always_comb begin
    head_d = head_q;
    for (int i = 0; i < HEAD_BEATS; i++) begin
      if (32'(beat_q) == i) head_d[i*DATA_W+:DATA_W] = s_axis.tdata;
    end
  end

  always_ff @(posedge clk) begin
    if (take) begin
      active_q <= hdr.length != '0;
      pass_q   <= ours && !empty;
      in_hdr_q <= hdr;
      beat_q   <= '0;
    end
    if (beat) begin
      if (pass_q) head_q <= head_d;
      if (32'(beat_q) < HEAD_BEATS) beat_q <= beat_q + 1'b1;
      if (s_axis.tlast) active_q <= 1'b0;
    end
    ev_port <= take && !ours && !answer;
    answer_valid <= take && answer;
    answer_port <= hdr.local_port;
    heard_valid <= take;
    heard_ip <= hdr.peer_ip;
    ev_bad <= (take && ours && empty) || (last && pass_q && s_axis.tuser[0]);
    if (rst) begin
      active_q <= 1'b0;
      answer_valid <= 1'b0;
      ev_port <= 1'b0;
      ev_bad <= 1'b0;
    end
  end

  // ---- flows ---------------------------------------------------------------------------------
  typedef struct packed {
    logic        ended;    // its report was made
    logic [31:0] start;    // us
    logic [31:0] stop;
    logic [31:0] highest;  // number
    logic [31:0] lost;
    logic [31:0] late;     // out of order
    logic [63:0] bytes;
    logic [31:0] transit;  // of the latest datagram, us
    logic [31:0] jitter;   // us, times 16
  } iperf_flow_t;

  logic [FLOWS-1:0] known_q, same;
  logic [47:0] key_q[FLOWS];
  (* ram_style = "distributed", no_rw_check *) iperf_flow_t flow_mem[FLOWS];
  logic [FLOW_W-1:0] flow_q, victim_q, hit;
  iperf_flow_t f_q, f;
  logic found_q, hit_any, final_q, long_q, begins;
  logic [31:0] number_q, seconds_q, sent_q, transit_q, time_q, id, ahead;
  logic [31:0] word[HEAD/4];

  always_comb begin
    for (int i = 0; i < HEAD / 4; i++) begin
      word[i] = {head_q[32*i+:8], head_q[32*i+8+:8], head_q[32*i+16+:8], head_q[32*i+24+:8]};
    end
    same = '0;
    hit  = '0;
    for (int i = 0; i < FLOWS; i++) begin
      same[i] = known_q[i] && key_q[i] == {own_hdr_q.peer_ip, own_hdr_q.peer_port};
      if (same[i]) hit |= FLOW_W'(i);
    end
    hit_any = |same;
  end

  assign id = word[0];
  assign ahead = number_q - f_q.highest;
  assign begins = !found_q || (f_q.ended && !final_q);

  always_comb begin
    logic [31:0] delta;
    f = f_q;
    delta = transit_q - f_q.transit;
    if (delta[31]) delta = -delta;
    if (begins) begin
      f = '0;
      f.start = time_q;
      f.highest = number_q;
      // Those before the first one that came are lost as well; numbers begin at 1 or 0.
      f.lost = number_q > 32'd1 ? number_q - 32'd1 : '0;
      f.bytes = 64'(own_hdr_q.length);
    end else if (!f_q.ended) begin
      f.bytes  = f_q.bytes + 64'(own_hdr_q.length);
      f.jitter = f_q.jitter + delta - (f_q.jitter >> 4);
      if (ahead[31] || ahead == '0) begin
        f.late = f_q.late + 1'b1;
        if (f_q.lost != '0) f.lost = f_q.lost - 1'b1;
      end else begin
        f.highest = number_q;
        f.lost = f_q.lost + ahead - 1'b1;
      end
    end
    f.transit = transit_q;
    if (!f_q.ended || begins) f.stop = time_q;
    if (final_q) f.ended = 1'b1;
  end

  // ---- stream back -----------------------------------------------------------------------------
  logic [5:0][31:0] ask;  // flags, threads, port, length, bandwidth, amount
  logic wants_q, at_once_q, asks;
  logic [31:0] time_left_q;  // 10 ms
  iperf_reverse_t back_q;

  always_comb for (int i = 0; i < 6; i++) ask[i] = long_q ? word[4+i] : word[3+i];
  assign asks = wants_q && (at_once_q ? begins : final_q && (begins || !f_q.ended));

  always_ff @(posedge clk) begin
    // While FETCH: the header's fields; TIMES: the amount of a stream by time.
    if (state_q == FETCH) begin
      wants_q <= back && ask[0][31] && own_hdr_q.length >= (long_q ? 16'd40 : 16'd36);
      at_once_q <= ask[0][0];
      back_q.own <= 1'b0;
      back_q.ip <= own_hdr_q.peer_ip;
      back_q.port <= ask[2][15:0];
      back_q.length <= ask[3] == '0 || ask[3] > 32'd1470 ? 16'd1470
          : ask[3] < 32'd64 ? 16'd64 : ask[3][15:0];
      back_q.by_time <= ask[5][31];
      back_q.amount <= ask[5];
      time_left_q <= -ask[5];
      back_q.rate <= ask[4] == '0 ? 32'h0010_0000 : ask[4];
      if (long_q && ask[0][30] && own_hdr_q.length >= 16'(HEAD)) begin
        back_q.rate <= word[17] != '0 ? '1 : word[16] == '0 ? 32'h0010_0000 : word[16];
      end
    end
    if (state_q == TIMES && back_q.by_time) begin
      back_q.amount <= (time_left_q > 32'd200_000 ? 32'd200_000 : time_left_q) * 32'd10_000;
    end
    m_back.valid <= state_q == CALC && asks;
    ev_back <= m_back.valid && m_back.ready;
    ev_full <= m_back.valid && !m_back.ready;
    if (rst) begin
      m_back.valid <= 1'b0;
      ev_back <= 1'b0;
      ev_full <= 1'b0;
    end
  end
  assign m_back.data = back_q;

  // ---- report --------------------------------------------------------------------------------
  logic [8*REPORT-1:0] report_q, report_d;
  logic [$clog2(REPORT_BEATS+1)-1:0] left_q;
  logic [31:0] words[REPORT/4];
  logic start_report;

  always_comb begin
    logic [9:0][31:0] read_rsp;
    read_rsp = {
      {4'd0, f_q.jitter[31:4]},
      32'd0,
      f_q.highest,
      f_q.late,
      f_q.lost,
      f_q.stop - f_q.start,
      32'd0,
      f_q.bytes[31:0],
      f_q.bytes[63:32],
      32'h8000_0000
    };
    for (int i = 0; i < REPORT / 4; i++) begin
      words[i] = '0;
      if (i < 3 || (i == 3 && long_q)) words[i] = word[i%4];
      if (long_q && i >= 4 && i < 14) words[i] = read_rsp[i-4];
      if (!long_q && i >= 3 && i < 13) words[i] = read_rsp[i-3];
      report_d[32*i+:32] = {words[i][7:0], words[i][15:8], words[i][23:16], words[i][31:24]};
    end
  end

  assign start_report = state_q == TELL && left_q == '0 && !m_axis.tvalid && !m_hdr.valid;

  // ---- one datagram after the other ------------------------------------------------------------
  always_ff @(posedge clk) begin
    ev_datagram <= 1'b0;
    case (state_q)
      REST:
      if (last && pass_q && !s_axis.tuser[0]) begin
        own_hdr_q <= in_hdr_q;
        time_q <= now_us;
        state_q <= MATCH;
        ev_datagram <= 1'b1;
        bytes <= bytes + 64'(in_hdr_q.length);
      end
      MATCH: begin
        found_q <= hit_any;
        flow_q <= hit_any ? hit : victim_q;
        final_q <= id[31];
        number_q <= id[31] ? -id : id;
        seconds_q <= word[1] * 32'd1000000;
        sent_q <= word[2];
        long_q <= own_hdr_q.length >= 16'd20 && word[4][27];
        state_q <= FETCH;
      end
      FETCH: begin
        f_q <= flow_mem[flow_q];
        sent_q <= sent_q + seconds_q;
        state_q <= TIMES;
      end
      TIMES: begin
        transit_q <= time_q - sent_q;
        state_q   <= CALC;
      end
      CALC: begin
        f_q <= f;
        if (!found_q) begin
          known_q[flow_q] <= 1'b1;
          key_q[flow_q] <= {own_hdr_q.peer_ip, own_hdr_q.peer_port};
          victim_q <= victim_q + 1'b1;
        end
        state_q <= STORE;
      end
      STORE:   state_q <= final_q ? TELL : REST;
      default: if (start_report) state_q <= REST;
    endcase
    if (rst) begin
      state_q <= REST;
      known_q <= '0;
      victim_q <= '0;
      ev_datagram <= 1'b0;
      bytes <= '0;
    end
  end

  always_ff @(posedge clk) if (state_q == STORE) flow_mem[flow_q] <= f_q;

  udp_hdr_t reply;
  always_comb begin
    reply = own_hdr_q;
    reply.peer_mac_valid = 1'b1;
    reply.length = 16'(REPORT);
    reply.cks = CKS_GENERATE;
  end

  always_ff @(posedge clk) begin
    if (m_hdr.ready) m_hdr.valid <= 1'b0;
    if (!m_axis.tvalid || m_axis.tready) begin
      m_axis.tvalid <= left_q != '0;
      m_axis.tdata  <= report_q[DATA_W-1:0];
      m_axis.tlast  <= 32'(left_q) == 1;
      if (left_q != '0) begin
        left_q   <= left_q - 1'b1;
        report_q <= report_q >> DATA_W;
      end
    end
    if (start_report) begin
      report_q <= report_d;
      left_q <= ($clog2(REPORT_BEATS + 1))'(REPORT_BEATS);
      m_hdr.valid <= 1'b1;
      m_hdr.data <= reply;
    end
    ev_report <= start_report;
    if (rst) begin
      left_q <= '0;
      m_hdr.valid <= 1'b0;
      m_axis.tvalid <= 1'b0;
      ev_report <= 1'b0;
    end
  end

  assign m_axis.tkeep = '1;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign busy = active_q || state_q != REST || m_hdr.valid || m_axis.tvalid || left_q != '0;

  logic unused;
  assign unused = ^{hdr, head_q, ask, s_axis.tkeep, s_axis.tid, s_axis.tdest, s_axis.tuser,
                    f_q.transit};
endmodule
