// SPDX-License-Identifier: Apache-2.0
//
// UDP client of an iperf 2 server (`iperf -s -u`), from registers: asks kumi_iperf_udp_send for a
// stream, and keeps the report that the server answers the last datagram with.
//
// start: a pulse, ignored while running; the settings must be stable until then. bytes: to send; 0:
//   for time_us. stop: a pulse, the last datagram is next.
// s_back, m_req: iperf_reverse_t of clients that want a stream back, and both merged: those pass at
//   once, an own one when there is none.
// end_valid: a stream has ended; end_own: this client's.
// hdr_*: a received datagram begins; hdr_ours: to the port of the latest stream, with at least
//   IPERF_REPORT_BYTES. beat, data, last, bad: its payload, as it is taken.
// running falls when the stream has ended and a report that was arriving is complete.
// report: the server's figures, report_valid since the run began. Format: kumi_iperf_udp; the words
//   begin at byte 16, or with old servers 12.
// Bad input: an answer marked bad or shorter than its figures is no report.
module kumi_iperf_udp_client
  import kumi_iperf_pkg::*;
#(
    parameter int DATA_W = 64  // bits of a beat
) (
    input  logic                        clk,
    input  logic                        rst,
    // registers
    input  logic                        start,
    input  logic                        stop,
    input  logic           [      31:0] peer_ip,
    input  logic           [      15:0] peer_port,
    input  logic           [      15:0] length,
    input  logic           [      31:0] rate,
    input  logic           [      31:0] bytes,
    input  logic           [      31:0] time_us,
    output logic                        running,
    output logic                        report_valid,
    output iperf_report_t               report,
    // streams
           kumi_rec_if.snk              s_back,
           kumi_rec_if.src              m_req,
    output logic                        stop_stream,
    input  logic                        end_valid,
    input  logic                        end_own,
    // received datagrams
    input  logic                        hdr_take,
    input  logic                        hdr_ours,
    input  logic                        beat,
    input  logic           [DATA_W-1:0] data,
    input  logic                        last,
    input  logic                        bad
);
  localparam int SHORTEST = 64, LONGEST = 1470;  // datagrams, as streams back
  localparam int WORDS = 14;  // of the report, with the datagram's header
  localparam int KEPT = (32 * WORDS + DATA_W - 1) / DATA_W;  // beats

  // ---- requests --------------------------------------------------------------------------------
  iperf_reverse_t own_q;
  logic asking_q, over_q;  // to be asked for; ended
  logic ours_q, end_q;  // a report arrives; it has arrived

  assign m_req.valid  = s_back.valid || asking_q;
  assign m_req.data   = s_back.valid ? s_back.data : own_q;
  assign s_back.ready = m_req.ready;
  assign stop_stream  = stop && running;

  always_ff @(posedge clk) begin
    if (start && !running) begin
      running <= 1'b1;
      asking_q <= 1'b1;
      own_q.own <= 1'b1;
      own_q.ip <= peer_ip;
      own_q.port <= peer_port;
      own_q.length <= length < 16'(SHORTEST) ? 16'(SHORTEST)
          : length > 16'(LONGEST) ? 16'(LONGEST) : length;
      own_q.by_time <= bytes == '0;
      own_q.amount <= bytes == '0 ? time_us : bytes;
      own_q.rate <= rate;
    end
    if (asking_q && m_req.ready && !s_back.valid) asking_q <= 1'b0;
    if (end_valid && end_own) over_q <= 1'b1;
    if (over_q && !ours_q && !end_q) begin
      running <= 1'b0;
      over_q  <= 1'b0;
    end
    if (rst) begin
      running  <= 1'b0;
      asking_q <= 1'b0;
      over_q   <= 1'b0;
    end
  end

  // ---- report ----------------------------------------------------------------------------------
  logic whole, long;
  logic [$clog2(KEPT+1)-1:0] beats_q, beats;
  logic [KEPT*DATA_W-1:0] kept_q, kept;
  logic [WORDS-1:0][31:0] words;
  logic [9:0][31:0] figures;  // flags first

  always_comb begin
    kept  = kept_q;
    beats = beats_q;
    for (int i = 0; i < KEPT; i++) if (32'(beats_q) == i) kept[i*DATA_W+:DATA_W] = data;
    if (32'(beats_q) < KEPT) beats = beats_q + 1'b1;
    for (int i = 0; i < WORDS; i++) begin
      words[i] = {kept_q[32*i+:8], kept_q[32*i+8+:8], kept_q[32*i+16+:8], kept_q[32*i+24+:8]};
    end
    // The word before the figures of a new server is the upper half of a number, before those of an
    // old one its flags.
    long = words[4][31];
    for (int i = 0; i < 10; i++) figures[i] = long ? words[4+i] : words[3+i];
    whole = figures[0][31];
  end

  always_ff @(posedge clk) begin
    end_q <= 1'b0;
    if (hdr_take) begin
      ours_q  <= hdr_ours && running;
      beats_q <= '0;
    end
    if (beat && ours_q) begin
      kept_q  <= kept;
      beats_q <= beats;
      end_q   <= last && !bad && 32'(beats) == KEPT;
      if (last) ours_q <= 1'b0;
    end
    if (start && !running) report_valid <= 1'b0;
    if (end_q && whole) begin
      report_valid <= 1'b1;
      report.bytes <= {figures[1], figures[2]};
      report.seconds <= figures[3];
      report.us <= figures[4];
      report.lost <= figures[5];
      report.out_of_order <= figures[6];
      report.datagrams <= figures[7];
      report.jitter_us <= figures[9];
    end
    if (rst) begin
      ours_q <= 1'b0;
      end_q <= 1'b0;
      report_valid <= 1'b0;
      report <= '0;
    end
  end

  logic unused;
  assign unused = ^{words, figures};
endmodule
