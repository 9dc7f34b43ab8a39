// SPDX-License-Identifier: Apache-2.0
//
// UDP stream to an iperf 2 client that requested one (-r, -d), or to a server (`own`): datagrams at
// a rate, for a time or a number of bytes, then the last one until it is answered.
//
// s_req: iperf_reverse_t. One stream at a time; QUEUE more may wait, further ones are refused
//   (s_req.ready low).
// m_hdr, m_axis: datagrams (format: kumi_iperf_udp; zeros behind the first 20 bytes). The k-th
//   stream since reset is sent from port 0xC000 + k modulo 256.
// answer_valid, answer_port: a datagram arrived at one of those ports: the client's report. port:
//   that of the latest stream, 0 before the first.
// A stream also ends when its address does not answer ARP requests (unresolved), or when nothing
// was heard from there (heard_valid, heard_ip) for quiet_s seconds; 0, or an own one: however long
// it lasts. stop: a pulse, an own stream goes on with its last datagram.
// end_valid: a stream has ended, end_own: an own one.
// ev_sent: one datagram. ev_dead: ATTEMPTS last datagrams without an answer, or one of these ends.
// Throughput: a beat a cycle, 2 cycles between datagrams, but at most one per microsecond.
module kumi_iperf_udp_send
  import kumi_ip_pkg::*;
  import kumi_iperf_pkg::*;
#(
    parameter int QUEUE = 4,  // streams that wait, a power of two
    parameter int ATTEMPTS = 10,  // last datagrams
    parameter int RETRY_US = 4000  // microseconds between them
) (
    input logic clk,
    input logic rst,
    input logic [31:0] now_us,
    kumi_rec_if.snk s_req,
    input logic [15:0] quiet_s,
    input ip_unresolved_t unresolved,
    input logic heard_valid,
    input logic [31:0] heard_ip,
    input logic stop,
    output logic end_valid,
    output logic end_own,
    input logic answer_valid,
    input logic [15:0] answer_port,
    output logic [15:0] port,
    kumi_rec_if.src m_hdr,
    kumi_axis_if.src m_axis,
    output logic ev_sent,
    output logic ev_dead,
    output logic busy
);
  localparam int DATA_W = m_axis.DATA_W;
  localparam int KEEP_W = DATA_W / 8;
  localparam int LOG_W = $clog2(KEEP_W);
  localparam int HEAD = 20;  // bytes
  localparam int HEAD_BEATS = (HEAD + KEEP_W - 1) / KEEP_W;

  iperf_reverse_t req;
  logic req_valid, begins;
  logic [$clog2(QUEUE):0] unused_depth;

  kumi_fifo #(
      .W(IPERF_REVERSE_W),
      .DEPTH(QUEUE),
      .STYLE(0)
  ) u_queue (
      .clk,
      .rst,
      .s_data (s_req.data),
      .s_valid(s_req.valid),
      .s_ready(s_req.ready),
      .m_data (req),
      .m_valid(req_valid),
      .m_ready(begins),
      .depth  (unused_depth)
  );

  // ---- when ------------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    REST,
    PREPARE,
    WAIT,
    SEND
  } state_e;

  state_e state_q;
  iperf_reverse_t req_q;
  logic [31:0] last_us_q, left_q, number_q, seconds_q;
  logic [19:0] us_q;  // of the second
  logic [15:0] port_q;
  logic [39:0] cost_q, credit_q;  // of a datagram, and what has come together: bits times 10^6
  logic [$clog2(ATTEMPTS+1)-1:0] attempts_q;
  logic [$clog2(RETRY_US+1)-1:0] retry_timer_q;
  logic active_q, tick, over, due, final_q, answered_q, done, gone_q;
  // Seconds since the client was heard; mark_q: when the last of them ended.
  logic [15:0] quiet_q;
  logic [31:0] mark_q, elapsed_q;
  logic marked_q;  // elapsed_q is outdated

  assign port = port_q;
  assign tick = now_us != last_us_q;
  assign over = left_q == '0;
  assign due = final_q ? retry_timer_q == '0 : credit_q >= cost_q;
  assign begins = state_q == REST && req_valid;
  assign end_valid = active_q && state_q == REST;
  assign end_own = req_q.own;

  always_ff @(posedge clk) begin
    last_us_q <= now_us;
    if (tick) begin
      us_q <= us_q + 1'b1;
      if (us_q == 20'd999999) begin
        us_q <= '0;
        seconds_q <= seconds_q + 1'b1;
      end
      // No more than one datagram needs: time in which the line stood still is not made up for.
      if (credit_q < cost_q) credit_q <= credit_q + 40'(req_q.rate);
      if (retry_timer_q != '0) retry_timer_q <= retry_timer_q - 1'b1;
      if (req_q.by_time && !over && state_q != PREPARE) left_q <= left_q - 1'b1;
    end
    if (answer_valid && answer_port == port_q && final_q) answered_q <= 1'b1;
    elapsed_q <= now_us - mark_q;
    marked_q  <= 1'b0;
    if (begins || (heard_valid && heard_ip == req_q.ip)) begin
      mark_q   <= now_us;
      marked_q <= 1'b1;
      quiet_q  <= '0;
    end else if (!marked_q && elapsed_q >= 32'd1_000_000) begin
      mark_q   <= mark_q + 32'd1_000_000;
      marked_q <= 1'b1;
      if (quiet_q != '1) quiet_q <= quiet_q + 1'b1;
    end
    gone_q <= state_q != REST && (gone_q || (unresolved.valid && unresolved.ip == req_q.ip)
        || (quiet_s != '0 && quiet_q >= quiet_s && !req_q.own));
    active_q <= state_q != REST;
    ev_dead <= 1'b0;
    ev_sent <= 1'b0;
    case (state_q)
      REST:
      if (req_valid) begin
        req_q <= req;
        port_q <= {8'hC0, port_q[7:0] + 8'd1};
        left_q <= req.amount;
        number_q <= 32'd1;
        final_q <= 1'b0;
        answered_q <= 1'b0;
        attempts_q <= '0;
        retry_timer_q <= '0;
        state_q <= PREPARE;
      end
      PREPARE: begin
        cost_q   <= 40'(req_q.length) * 40'd8_000_000;
        credit_q <= '1;
        state_q  <= WAIT;
      end
      WAIT: begin
        if (final_q && answered_q) state_q <= REST;
        else if (gone_q) begin
          ev_dead <= 1'b1;
          state_q <= REST;
        end else if (over && !final_q) final_q <= 1'b1;
        else if (due) begin
          credit_q <= credit_q == '1 ? '0 : credit_q - cost_q;
          state_q  <= SEND;
          if (32'(attempts_q) == ATTEMPTS) begin
            ev_dead <= 1'b1;
            state_q <= REST;
          end
        end
      end
      default:
      if (done) begin
        ev_sent <= 1'b1;
        state_q <= WAIT;
        if (final_q) begin
          attempts_q <= attempts_q + 1'b1;
          retry_timer_q <= ($clog2(RETRY_US + 1))'(RETRY_US);
        end else begin
          number_q <= number_q + 1'b1;
          if (!req_q.by_time)
            left_q <= left_q > 32'(req_q.length) ? left_q - 32'(req_q.length) : '0;
        end
      end
    endcase
    if (stop && req_q.own && state_q != REST) left_q <= '0;
    if (rst) begin
      state_q <= REST;
      active_q <= 1'b0;
      us_q <= '0;
      seconds_q <= '0;
      port_q <= '0;
      final_q <= 1'b0;
      gone_q <= 1'b0;
      ev_dead <= 1'b0;
      ev_sent <= 1'b0;
    end
  end

  // ---- what ------------------------------------------------------------------------------------
  logic [HEAD_BEATS*DATA_W-1:0] head_q;
  logic [8*HEAD-1:0] head;
  logic [15:0] bytes_q;  // left of the datagram
  logic sending_q;
  udp_hdr_t hdr;
  logic [31:0] id;

  assign id = final_q ? -number_q : number_q;
  always_comb begin
    logic [4:0][31:0] word;
    word = {32'd0, {32{final_q}}, {12'd0, us_q}, seconds_q, id};
    for (int i = 0; i < HEAD / 4; i++) begin
      head[32*i+:32] = {word[i][7:0], word[i][15:8], word[i][23:16], word[i][31:24]};
    end
    hdr = '0;
    hdr.peer_ip = req_q.ip;
    hdr.peer_port = req_q.port;
    hdr.local_port = port_q;
    hdr.length = req_q.length;
    hdr.cks = CKS_GENERATE;
  end

  assign done = sending_q && m_axis.tlast && m_axis.tready;

  always_ff @(posedge clk) begin
    if (m_hdr.ready) m_hdr.valid <= 1'b0;
    if (sending_q && m_axis.tready) begin
      head_q  <= head_q >> DATA_W;
      bytes_q <= bytes_q - 16'(KEEP_W);
      if (m_axis.tlast) sending_q <= 1'b0;
    end
    if (state_q == WAIT) begin
      head_q  <= (HEAD_BEATS * DATA_W)'(head);
      bytes_q <= req_q.length;
    end
    if (state_q == SEND && !sending_q) begin
      sending_q   <= 1'b1;
      m_hdr.valid <= 1'b1;
      m_hdr.data  <= hdr;
    end
    if (rst) begin
      sending_q   <= 1'b0;
      m_hdr.valid <= 1'b0;
    end
  end

  logic [LOG_W:0] count;
  assign count = m_axis.tlast ? bytes_q[LOG_W:0] : (LOG_W + 1)'(KEEP_W);
  kumi_count_to_keep #(
      .KEEP_W(KEEP_W)
  ) u_keep (
      .count,
      .keep(m_axis.tkeep)
  );

  assign m_axis.tvalid = sending_q;
  assign m_axis.tdata = head_q[DATA_W-1:0];
  assign m_axis.tlast = bytes_q <= 16'(KEEP_W);
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign busy = state_q != REST || req_valid || m_hdr.valid;

  logic unused;
  assign unused = ^{unused_depth, req_q.amount};
endmodule
