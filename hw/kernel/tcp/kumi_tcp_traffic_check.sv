// SPDX-License-Identifier: Apache-2.0
//
// Receiver of test streams over TCP: reads everything and compares every byte with the pattern
// (kumi_tcp_pattern). For benches.
//
// s_notify: all notifications of the engine; the bytes they announce are requested on m_read at
//   once. s_read, s_axis: responses and frames, never stalled; while `hold` is high no notification
//   is taken.
// m_close: closes a session whose peer has closed, if `follow`.
// Streams may arrive in any pieces of any sessions. Results: pulses and counts of each cycle.
//   got, bad: bytes of a beat, 3 cycles after it. One beat a cycle.
module kumi_tcp_traffic_check
  import kumi_tcp_pkg::*;
#(
    parameter int SESSIONS = 64,  // numbers of sessions, a power of two
    parameter int DATA_W   = 64   // bits of s_axis
) (
    input logic clk,
    input logic rst,
    input logic hold,
    input logic follow,
    kumi_rec_if.snk s_notify,
    kumi_rec_if.src m_close,
    kumi_rec_if.src m_read,
    kumi_rec_if.snk s_read,
    kumi_axis_if.snk s_axis,
    output logic [6:0] got,
    output logic [6:0] bad,
    output logic ev_opened,
    output logic ev_fin,
    output logic ev_ended,
    output logic ev_broken,
    output logic busy
);
  localparam int BYTES = DATA_W / 8;
  localparam int IDX_W = $clog2(SESSIONS);

  if (s_axis.DATA_W != DATA_W) begin : gen_check
    $fatal(0, "s_axis is not DATA_W wide (%m)");
  end

  // ---- notes ---------------------------------------------------------------------------------
  tcp_notify_t note;
  logic want_read, want_close, read_done_q, close_done_q, take;
  tcp_read_t  read;
  tcp_close_t close;

  assign note = tcp_notify_t'(s_notify.data);
  assign want_read = note.length != '0;
  assign want_close = note.fin && follow;
  assign read = '{sid: note.sid, length: note.length};
  assign close = '{sid: note.sid, abort: 1'b0};
  assign m_read.data = read;
  assign m_read.valid = s_notify.valid && want_read && !read_done_q && !hold;
  assign m_close.data = close;
  assign m_close.valid = s_notify.valid && want_close && !close_done_q && !hold;
  assign take = s_notify.valid && !hold && (!want_read || read_done_q || m_read.ready)
      && (!want_close || close_done_q || m_close.ready);
  assign s_notify.ready = take;
  assign s_read.ready = 1'b1;

  always_ff @(posedge clk) begin
    read_done_q <= !take && (read_done_q || (m_read.valid && m_read.ready));
    close_done_q <= !take && (close_done_q || (m_close.valid && m_close.ready));
    ev_opened <= take && note.opened;
    ev_fin <= take && note.fin;
    ev_ended <= take && note.ended;
    ev_broken <= take && note.ended && note.reason != TCP_CLOSED;
    if (rst) begin
      read_done_q <= 1'b0;
      close_done_q <= 1'b0;
      ev_opened <= 1'b0;
      ev_fin <= 1'b0;
      ev_ended <= 1'b0;
      ev_broken <= 1'b0;
    end
  end

  // ---- stage 1: the beat -----------------------------------------------------------------------
  logic valid1_q;
  logic [DATA_W-1:0] data1_q;
  logic [BYTES-1:0] keep1_q;
  logic [IDX_W-1:0] sid1_q;
  logic [SESSIONS-1:0] fresh_q;  // nothing of it came yet

  assign s_axis.tready = 1'b1;

  always_ff @(posedge clk) begin
    valid1_q <= s_axis.tvalid;
    data1_q  <= s_axis.tdata;
    keep1_q  <= s_axis.tkeep;
    sid1_q   <= IDX_W'(s_axis.tid);
    if (rst) valid1_q <= 1'b0;
  end

  // ---- stage 2: where in its stream it is ------------------------------------------------------
  typedef struct packed {
    logic [31:0] offset;
    logic [7:0]  salt;
  } check_position_t;

  check_position_t places[SESSIONS];
  check_position_t at, at2_q;
  logic valid2_q;
  logic [DATA_W-1:0] data2_q;
  logic [BYTES-1:0] keep2_q;
  logic [6:0] count1;

  always_comb begin
    count1 = '0;
    for (int i = 0; i < BYTES; ++i) count1 = count1 + 7'(keep1_q[i]);
    at = places[sid1_q];
    if (fresh_q[sid1_q]) at = '{offset: '0, salt: data1_q[7:0]};
  end

  always_ff @(posedge clk) begin
    if (valid1_q) begin
      places[sid1_q]  <= '{offset: at.offset + 32'(count1), salt: at.salt};
      fresh_q[sid1_q] <= 1'b0;
    end
    if (take && note.opened) fresh_q[IDX_W'(note.sid)] <= 1'b1;
    valid2_q <= valid1_q;
    data2_q  <= data1_q;
    keep2_q  <= keep1_q;
    at2_q    <= at;
    if (rst) begin
      valid2_q <= 1'b0;
      fresh_q  <= '1;
    end
  end

  // ---- stage 3: compare -----------------------------------------------------------------------
  logic [DATA_W-1:0] expected;
  logic [6:0] got_d, bad_d;

  kumi_tcp_pattern #(
      .DATA_W(DATA_W)
  ) u_pattern (
      .offset(at2_q.offset),
      .salt  (at2_q.salt),
      .data  (expected)
  );

  always_comb begin
    got_d = '0;
    bad_d = '0;
    for (int i = 0; i < BYTES; ++i) begin
      got_d = got_d + 7'(keep2_q[i]);
      bad_d = bad_d + 7'(keep2_q[i] && data2_q[8*i+:8] != expected[8*i+:8]);
    end
  end

  always_ff @(posedge clk) begin
    got <= valid2_q ? got_d : '0;
    bad <= valid2_q ? bad_d : '0;
    if (rst) begin
      got <= '0;
      bad <= '0;
    end
  end

  assign busy = valid1_q || valid2_q || s_notify.valid || s_axis.tvalid;

  logic unused;
  assign unused = ^{note.tuple, s_read.valid, s_read.data};
endmodule
