// SPDX-License-Identifier: Apache-2.0
//
// Received ICMPv6 messages (RFC 4443): without padding, with a right checksum, one after the other.
//
// s_head, s_axis: as kumi_ip6_rx gives them, of any length.
// m_head, m_axis: a record with every message, offered no later than its first beat; 64 bits.
// ev_bad: one was marked bad, shorter than its header says, or had a wrong checksum. ev_full: there
//   was no room for it.
// Stores and forwards: messages of up to BYTES, 8 of them.
module kumi_ip6_icmp_rx
  import kumi_ip6_pkg::*;
#(
    parameter int BYTES = 16384  // of messages that wait, a power of two
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_head,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_head,
    kumi_axis_if.src m_axis,
    output logic ev_bad,
    output logic ev_full,
    output logic busy
);
  localparam int DELAY = 3;  // cycles in which kumi_checksum is done
  localparam int MESSAGES = 8;

  // ---- 64 bits, without padding ---------------------------------------------------------------
  kumi_axis_if #(.DATA_W(64)) narrow ();
  kumi_axis_if #(.DATA_W(64)) message ();
  kumi_rec_if #(.W(16)) keep ();
  kumi_rec_if #(.W($bits(icmp6_rx_t))) waiting_in ();
  kumi_rec_if #(.W($bits(icmp6_rx_t))) waiting ();
  icmp6_rx_t given, head;
  logic [2:0] unused_waiting;
  logic unused_short;

  kumi_axis_width u_narrow (
      .clk,
      .rst,
      .s_axis,
      .m_axis(narrow)
  );

  assign given = icmp6_rx_t'(s_head.data);
  assign s_head.ready = keep.ready && waiting_in.ready;
  // One without a byte keeps one of padding, so that its record meets a frame, which is too short.
  assign keep.data = given.length == '0 ? 16'd1 : given.length;
  assign keep.valid = s_head.valid && waiting_in.ready;
  assign waiting_in.data = s_head.data;
  assign waiting_in.valid = s_head.valid && keep.ready;

  kumi_rec_fifo #(
      .DEPTH(4)
  ) u_waiting (
      .clk,
      .rst,
      .s_hdr(waiting_in),
      .m_hdr(waiting),
      .depth(unused_waiting)
  );

  kumi_axis_trim u_trim (
      .clk,
      .rst,
      .s_len(keep),
      .s_axis(narrow),
      .m_axis(message),
      .ev_short(unused_short)
  );

  // ---- the checksum is known when the last beat comes out of the delay --------------------------
  // A message begins when its record has come out of the FIFO, which the checksum needs.
  typedef struct packed {
    logic        valid;
    logic        last;
    logic        bad;
    logic [7:0]  keep;
    logic [63:0] data;
  } icmp6_beat_t;

  icmp6_beat_t [DELAY-1:0] delay_q;
  icmp6_beat_t coming, now;
  logic sum_valid, in_valid;
  logic [15:0] sum;

  assign head = icmp6_rx_t'(waiting.data);
  // One message at a time, so that the record in front is its own.
  logic under_way_q;
  assign message.tready = waiting.valid && !under_way_q;
  assign in_valid = message.tvalid && message.tready;

  kumi_checksum #(
      .DATA_W(64)
  ) u_sum (
      .clk,
      .rst,
      .in_valid,
      .in_last  (message.tlast),
      .in_data  (message.tdata),
      .in_keep  (message.tkeep),
      .in_seed  (head.seed),
      .out_valid(sum_valid),
      .out_sum  (sum)
  );

  assign coming = '{
          valid: in_valid,
          last: message.tlast,
          bad: message.tuser[0],
          keep: message.tkeep,
          data: message.tdata
      };

  always_ff @(posedge clk) begin
    delay_q <= {delay_q[DELAY-2:0], coming};
    if (in_valid && message.tlast) under_way_q <= 1'b1;  // until it is known what became of it
    if (waiting.ready) under_way_q <= 1'b0;
    if (rst) begin
      delay_q <= '0;
      under_way_q <= 1'b0;
    end
  end

  kumi_axis_if #(.DATA_W(64)) checked ();
  assign now = delay_q[DELAY-1];
  assign checked.tvalid = now.valid;
  assign checked.tdata = now.data;
  assign checked.tkeep = now.keep;
  assign checked.tlast = now.last;
  assign checked.tuser = now.last && (now.bad || !sum_valid || sum != '1);
  assign checked.tid = '0;
  assign checked.tdest = '0;

  // ---- those that are right -------------------------------------------------------------------
  kumi_rec_if #(.W(16)) length ();
  kumi_rec_if #(.W($bits(icmp6_rx_t))) good ();
  kumi_rec_if #(.W($bits(icmp6_rx_t))) heads ();
  logic ev_good, ev_no_room, ev_oversize;
  logic [$clog2(BYTES/8):0] unused_depth;
  logic [$clog2(2*MESSAGES):0] unused_heads;

  kumi_axis_frame_fifo #(
      .DEPTH(BYTES / 8),
      .LEN_DEPTH(MESSAGES)
  ) u_kept (
      .clk,
      .rst,
      .s_axis (checked),
      .m_axis,
      .m_len  (length),
      .depth  (unused_depth),
      .ev_good,
      .ev_bad,
      .ev_full(ev_no_room),
      .ev_oversize
  );

  assign ev_full = ev_no_room || ev_oversize;
  assign waiting.ready = ev_good || ev_bad || ev_full;
  assign good.valid = ev_good;
  assign good.data = waiting.data;

  // Twice as many records as the FIFO has messages: there is always room for one.
  kumi_rec_fifo #(
      .DEPTH(2 * MESSAGES)
  ) u_good (
      .clk,
      .rst,
      .s_hdr(good),
      .m_hdr(heads),
      .depth(unused_heads)
  );

  assign m_head.valid = heads.valid && length.valid;
  assign m_head.data = heads.data;
  assign heads.ready = m_head.ready && length.valid;
  assign length.ready = m_head.ready && heads.valid;

  assign busy = s_head.valid || waiting.valid || heads.valid || m_axis.tvalid;

  logic unused;
  assign unused = &{unused_waiting, unused_short, unused_depth, unused_heads, length.data, given,
                    head, good.ready, checked.tready};
endmodule
