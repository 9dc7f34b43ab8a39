// SPDX-License-Identifier: Apache-2.0
//
// Session state of the receive memory: end of the in-order bytes in the ring, and how many of them
//   the application has not requested yet (avail).
//
// s_cmd: commands of the core (tcp_rx_cmd_t) whose bytes are in memory; cmd_bad: their write
//   failed, so no further bytes of the session are notified. m_notify: notifications of up to 65535
//   bytes each; none for a command without news.
// s_read, m_read: a read takes the bytes available, up to the requested length.
// job_*: bytes to read from the ring: job_seq and job_len (1 or more); job_last: the session is
//   finished with them. over_*: a session is finished whose last bytes were requested earlier or
//   discarded; over_mark: number of jobs issued before. Exactly one of the two follows each
//   `ended`.
// An operation takes three cycles, with one carry chain each: it is picked and its session read;
//   its sums are formed; it is judged and the session written.
// Latency: s_cmd to m_notify 3 cycles, s_read to m_read and job_* 3. Throughput: one operation in 2
//   cycles, commands and reads in turn; one command in 4 or one read in 3. m_notify, m_read and
//   job_* stall only their own kind; over_* is stalled only by over_ready.
// Bad input: in_order_end outside the ring is ignored; a read for an unknown session is answered
//   TCP_NO_SESSION with length 0.
// Reset ends all sessions; after it nothing is accepted for SESSIONS cycles.
module kumi_tcp_rx_state
  import kumi_tcp_pkg::*;
#(
    parameter int SESSIONS = 16,     // a power of two, 2 or more
    parameter int RX_RING  = 16384,  // bytes of a ring, a power of two
    parameter int MARK_W   = 8       // bits of a number of jobs
) (
    input  logic                        clk,
    input  logic                        rst,
    input  tcp_rx_cmd_t                 s_cmd,
    input  logic                        cmd_bad,
    input  logic                        cmd_valid,
    output logic                        cmd_ready,
           kumi_rec_if.src              m_notify,
           kumi_rec_if.snk              s_read,
           kumi_rec_if.src              m_read,
    output logic           [ SID_W-1:0] job_sid,
    output logic           [      31:0] job_seq,
    output logic           [      15:0] job_len,
    output logic                        job_last,
    output logic                        job_valid,
    input  logic                        job_ready,
    output logic           [ SID_W-1:0] over_sid,
    output logic           [MARK_W-1:0] over_mark,
    output logic                        over_valid,
    input  logic                        over_ready,
    output logic                        ev_no_session
);
  localparam int IDX_W = $clog2(SESSIONS);
  localparam int RING_W = $clog2(RX_RING);

  if (SESSIONS < 2 || (SESSIONS & (SESSIONS - 1)) != 0 || IDX_W > SID_W) begin : gen_check_sessions
    $fatal(0, "SESSIONS must be a power of two, 2 to 65536 (%m)");
  end
  if ((RX_RING & (RX_RING - 1)) != 0 || RING_W < 12 || RING_W > 30) begin : gen_check_ring
    $fatal(0, "RX_RING must be a power of two, 4096 to 2^30 (%m)");
  end

  typedef struct packed {
    logic            active;     // from `opened` until no bytes are left after `ended`
    logic            over;       // `ended` was received
    logic            discarded;  // `discard` was received: with `over` nothing can be read
    logic            broken;     // memory error: no more bytes are notified
    logic [RING_W:0] avail;      // bytes before the end that were not requested
    logic [31:0]     last;       // end: sequence number of the first missing byte
    logic [31:0]     first;      // last - avail, stored to avoid two adders in series
  } rx_session_t;

  // ---- pick, and read the session -------------------------------------------------------------
  // sums_q: the operation picked a cycle ago; cmd_q, read_q: the one that is judged now. While one
  // is judged, only the other kind is picked, so its results have left their registers by then.
  logic clearing, pick_cmd, pick_read, sums_q, sums_cmd_q, cmd_q, read_q;
  logic [IDX_W-1:0] at, at_q;
  logic note_valid_q, rsp_room, job_room;
  tcp_read_t asked, asked_q;

  assign asked = s_read.data;
  assign pick_cmd = cmd_valid && !cmd_q && !sums_q && !note_valid_q && over_ready && !over_valid &&
      !clearing;
  assign s_read.ready = !pick_cmd && !read_q && !sums_q && rsp_room && job_room && !clearing;
  assign pick_read = s_read.valid && s_read.ready;

  always_comb begin
    at = asked.sid[IDX_W-1:0];
    if (sums_q) at = at_q;
    else if (pick_cmd) at = s_cmd.sid[IDX_W-1:0];
  end

  rx_session_t now, next;
  kumi_ram_rmw #(
      .W($bits(rx_session_t)),
      .DEPTH(SESSIONS)
  ) u_mem (
      .clk,
      .rst,
      .at,
      .now,
      .op(cmd_q || read_q),
      .next,
      .clearing
  );

  always_ff @(posedge clk) begin
    at_q <= at;
    sums_q <= pick_cmd || pick_read;
    sums_cmd_q <= pick_cmd;
    cmd_q <= sums_q && sums_cmd_q;
    read_q <= sums_q && !sums_cmd_q;
    if (!sums_q) asked_q <= asked;
    if (rst) begin
      sums_q <= 1'b0;
      cmd_q  <= 1'b0;
      read_q <= 1'b0;
    end
  end

  // ---- sums -----------------------------------------------------------------------------------
  rx_session_t was_q;  // the session
  logic [31:0] delta_q, sum_q;  // new bytes; readable bytes then
  logic [31:0] past_q;  // end of what is requested
  logic [RING_W:0] rest_q;  // readable bytes after that
  logic all_q;  // what is readable is requested
  logic [RING_W:0] avail_more_q;  // after the most that one notification tells
  logic [31:0] last_more_q;

  always_ff @(posedge clk) begin
    was_q <= now;
    delta_q <= s_cmd.in_order_end - now.last;
    sum_q <= s_cmd.in_order_end - now.first;
    avail_more_q <= now.avail + (RING_W + 1)'(16'hFFFF);
    last_more_q <= now.last + 32'h0000_FFFF;
    past_q <= now.first + 32'(asked_q.length);
    rest_q <= now.avail - (RING_W + 1)'(asked_q.length);
    all_q <= now.avail <= (RING_W + 1)'(asked_q.length) || 32'(asked_q.length) >= 32'(RX_RING);
  end

  // ---- commands -------------------------------------------------------------------------------
  logic known, fits, more, ends;
  logic [15:0] step;
  logic over_now, discard_now, discarding, none_left, is_over, made;
  rx_session_t after_cmd;

  assign fits = delta_q[31:RING_W+1] == '0 && sum_q <= 32'(RX_RING);
  assign known = was_q.active && !was_q.over && !was_q.broken && !cmd_bad && !s_cmd.opened &&
      fits && (s_cmd.notify || s_cmd.fin || s_cmd.ended);
  if (RING_W >= 16) begin : gen_more
    assign more = known && delta_q[RING_W:16] != '0;
  end else begin : gen_no_more
    assign more = 1'b0;
  end
  assign step = !known ? '0 : more ? 16'hFFFF : 16'(delta_q);
  assign ends = s_cmd.ended && !more;  // ends with this step
  assign cmd_ready = cmd_q && !more;

  assign over_now = (was_q.over && !s_cmd.opened) || (s_cmd.ended && !more);
  assign discard_now = (was_q.discarded && !s_cmd.opened) || (s_cmd.discard && !more);
  assign discarding = over_now && discard_now;
  assign none_left = s_cmd.opened || discarding || (was_q.avail == '0 && (!known || delta_q == '0));
  // Once per session: a late command does not end it again.
  assign is_over = cmd_q && !more && over_now && none_left &&
      (was_q.active || s_cmd.opened || (s_cmd.ended && !was_q.over));

  always_comb begin
    after_cmd.active = (was_q.active || s_cmd.opened || (s_cmd.ended && !more)) &&
        !(over_now && none_left);
    after_cmd.over = over_now;
    after_cmd.discarded = discard_now;
    after_cmd.broken = (was_q.broken && !s_cmd.opened) || cmd_bad;
    after_cmd.avail = was_q.avail;
    after_cmd.last = was_q.last;
    after_cmd.first = was_q.first;
    if (more) begin
      after_cmd.avail = avail_more_q;
      after_cmd.last  = last_more_q;
    end else if (known) begin
      after_cmd.avail = sum_q[RING_W:0];
      after_cmd.last  = s_cmd.in_order_end;
    end
    if (s_cmd.opened || discarding) after_cmd.avail = '0;
    if (discarding) after_cmd.first = after_cmd.last;
    if (s_cmd.opened) begin
      after_cmd.last  = s_cmd.in_order_end;
      after_cmd.first = s_cmd.in_order_end;
    end
  end

  logic [MARK_W-1:0] made_q;  // jobs issued so far
  always_ff @(posedge clk) begin
    over_valid <= is_over;
    over_sid   <= s_cmd.sid;
    over_mark  <= made_q;
    made_q     <= made_q + MARK_W'(made);
    if (rst) begin
      over_valid <= 1'b0;
      made_q     <= '0;
    end
  end

  // ---- reads ----------------------------------------------------------------------------------
  logic [15:0] take;
  rx_session_t after_read;

  assign take = !was_q.active ? '0 : all_q ? 16'(was_q.avail) : asked_q.length;
  assign made = read_q && take != '0;

  always_comb begin
    after_read = was_q;
    after_read.avail = !was_q.active || all_q ? '0 : rest_q;
    if (was_q.active) after_read.first = all_q ? was_q.last : past_q;
    if (was_q.over && all_q) after_read.active = 1'b0;
  end

  // ---- results --------------------------------------------------------------------------------
  assign next = cmd_q ? after_cmd : after_read;

  always_ff @(posedge clk) begin
    ev_no_session <= read_q && !was_q.active;
    if (rst) ev_no_session <= 1'b0;
  end

  tcp_notify_t note;
  assign note = '{
          sid: s_cmd.sid,
          length: step,
          opened: s_cmd.opened,
          fin: s_cmd.fin && !more && !was_q.broken && !cmd_bad,
          ended: ends,
          reason: s_cmd.reason,
          tuple: s_cmd.tuple
      };

  tcp_notify_t note_q;
  assign m_notify.data  = note_q;
  assign m_notify.valid = note_valid_q;

  always_ff @(posedge clk) begin
    if (m_notify.ready) note_valid_q <= 1'b0;
    if (cmd_q) begin
      note_q <= note;
      note_valid_q <= s_cmd.notify && (step != '0 || note.opened || note.fin || note.ended);
    end
    if (rst) note_valid_q <= 1'b0;
  end

  tcp_read_rsp_t rsp;
  assign rsp = '{sid: asked_q.sid, length: take, reason: was_q.active ? TCP_OK : TCP_NO_SESSION};

  kumi_slice #(
      .W(READ_RSP_W),
      .MODE(2)
  ) u_rsp (
      .clk,
      .rst,
      .s_data (rsp),
      .s_valid(read_q),
      .s_ready(rsp_room),
      .m_data (m_read.data),
      .m_valid(m_read.valid),
      .m_ready(m_read.ready)
  );

  kumi_slice #(
      .W(SID_W + 32 + 16 + 1),
      .MODE(2)
  ) u_job (
      .clk,
      .rst,
      .s_data ({asked_q.sid, was_q.first, take, was_q.over && all_q}),
      .s_valid(made),
      .s_ready(job_room),
      .m_data ({job_sid, job_seq, job_len, job_last}),
      .m_valid(job_valid),
      .m_ready(job_ready)
  );

  logic unused;
  assign unused = ^s_cmd;
endmodule
