// SPDX-License-Identifier: Apache-2.0
//
// What the receive side knows of the sessions: how far bytes are in order in the ring (end), and
//   how many of them the application has not asked for yet (avail).
//
// s_news: commands of the core (tcp_rx_cmd_t) whose bytes are in memory; news_bad: memory refused
//   them: from then on no more bytes of that session are shown. m_notify: what it says to the
//   application, in notes of 65535 bytes at most, a cycle each; news that say nothing make none.
//   m_notify.ready falls only with a note (kumi_tcp_notify_coalesce).
// s_read, m_read: a read takes what is there, up to what it asks for.
// job_*: bytes to read from the ring: job_seq and job_len (1 or more), job_last: the session is
//   over with them. over_*: a session is over whose last bytes were asked for earlier, or given up;
//   over_mark: number of jobs made before. Exactly one of the two comes after each `gone`.
// Latency: s_news to m_notify 1 cycle, s_read to m_read and job_* 2. Throughput: news and a read in
//   2 cycles each, beside one another. m_notify, m_read and job_* that wait hold up only their own
//   kind; over_* is never held up by anything but over_ready.
// Bad input: `upto` out of the ring is left out of account; a read for a session that is not there
//   is answered TCP_NO_SESSION and length 0.
// Reset ends all sessions, and is followed by SESSIONS cycles in which nothing is taken.
module kumi_tcp_rx_state
  import kumi_tcp_pkg::*;
#(
    parameter int SESSIONS = 16,     // a power of two, 2 or more
    parameter int RX_RING  = 16384,  // bytes of a ring, a power of two
    parameter int MARK_W   = 8       // bits of a number of jobs
) (
    input  logic                        clk,
    input  logic                        rst,
    input  tcp_rx_cmd_t                 s_news,
    input  logic                        news_bad,
    input  logic                        news_valid,
    output logic                        news_ready,
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
    logic            there;   // from `opened` until nothing is left after `gone`
    logic            over;    // `gone` was seen
    logic            forgot;  // `forget` was seen: with `over` nothing can be read
    logic            broken;  // memory failed: nothing more is shown
    logic [RING_W:0] avail;   // bytes before end that were not asked for
    logic [31:0]     last;    // end: number of the first byte that is not there yet
    logic [31:0]     first;   // last - avail, kept so that no adder stands behind another one
  } rx_session_t;

  // ---- one operation a cycle -------------------------------------------------------------------
  logic clearing, pick_news, pick_read, news_q, read_q;
  logic [IDX_W-1:0] at;
  logic note_room, rsp_room, job_room;
  tcp_read_t asked, asked_q;

  assign asked = s_read.data;
  assign pick_news = news_valid && !news_q && note_room && over_ready && !over_valid && !clearing;
  assign pick_read = s_read.valid && !pick_news && !read_q && rsp_room && job_room && !clearing;
  assign s_read.ready = !pick_news && !read_q && rsp_room && job_room && !clearing;
  assign at = pick_news ? s_news.sid[IDX_W-1:0] : asked.sid[IDX_W-1:0];

  rx_session_t now, next;
  kumi_ram_rmw #(
      .W($bits(rx_session_t)),
      .DEPTH(SESSIONS)
  ) u_mem (
      .clk,
      .rst,
      .at,
      .now,
      .op(news_q || read_q),
      .next,
      .clearing
  );

  always_ff @(posedge clk) begin
    news_q  <= pick_news;
    read_q  <= pick_read;
    asked_q <= asked;
    if (rst) begin
      news_q <= 1'b0;
      read_q <= 1'b0;
    end
  end

  // ---- news ------------------------------------------------------------------------------------
  logic [31:0] delta, sum;  // new bytes; bytes to be read then
  logic known, fits, more, ends;
  logic [15:0] step;
  logic over_now, forgot_now, given_up, none_left, is_over, made;
  rx_session_t told;

  assign delta = s_news.in_order_end - now.last;
  assign sum = s_news.in_order_end - now.first;
  assign fits = delta[31:RING_W+1] == '0 && sum <= 32'(RX_RING);
  assign known = now.there && !now.over && !now.broken && !news_bad && !s_news.opened && fits &&
      (s_news.notify || s_news.fin || s_news.ended);
  if (RING_W >= 16) begin : gen_more
    assign more = known && delta[RING_W:16] != '0;
  end else begin : gen_no_more
    assign more = 1'b0;
  end
  assign step = !known ? '0 : more ? 16'hFFFF : 16'(delta);
  assign ends = s_news.ended && !more;  // ends with this step
  assign news_ready = news_q && !more;

  assign over_now = (now.over && !s_news.opened) || (s_news.ended && !more);
  assign forgot_now = (now.forgot && !s_news.opened) || (s_news.discard && !more);
  assign given_up = over_now && forgot_now;
  assign none_left  = s_news.opened || given_up ||
      (now.avail == '0 && (!known || s_news.in_order_end == now.last));
  // Once: a number that is over already is not over again by what comes late.
  assign is_over = news_q && !more && over_now && none_left &&
      (now.there || s_news.opened || (s_news.ended && !now.over));

  always_comb begin
    told.there = (now.there || s_news.opened || (s_news.ended && !more)) && !(over_now && none_left);
    told.over = over_now;
    told.forgot = forgot_now;
    told.broken = (now.broken && !s_news.opened) || news_bad;
    told.avail = now.avail;
    told.last = now.last;
    told.first = now.first;
    if (more) begin
      told.avail = now.avail + (RING_W + 1)'(16'hFFFF);
      told.last  = now.last + 32'h0000_FFFF;
    end else if (known) begin
      told.avail = sum[RING_W:0];
      told.last  = s_news.in_order_end;
    end
    if (s_news.opened || given_up) told.avail = '0;
    if (given_up) told.first = told.last;
    if (s_news.opened) begin
      told.last  = s_news.in_order_end;
      told.first = s_news.in_order_end;
    end
  end

  logic [MARK_W-1:0] made_q;  // jobs so far
  always_ff @(posedge clk) begin
    over_valid <= is_over;
    over_sid   <= s_news.sid;
    over_mark  <= made_q;
    made_q     <= made_q + MARK_W'(made);
    if (rst) begin
      over_valid <= 1'b0;
      made_q     <= '0;
    end
  end

  // ---- reads -----------------------------------------------------------------------------------
  logic [15:0] take;
  logic [RING_W:0] rest;
  logic all;
  rx_session_t readed;

  assign all  = now.avail <= (RING_W + 1)'(asked_q.length) || 32'(asked_q.length) >= 32'(RX_RING);
  assign rest = !now.there || all ? '0 : now.avail - (RING_W + 1)'(asked_q.length);
  assign take = !now.there ? '0 : all ? 16'(now.avail) : asked_q.length;
  assign made = read_q && take != '0;

  always_comb begin
    readed = now;
    readed.avail = rest;
    if (now.there) readed.first = all ? now.last : now.first + 32'(asked_q.length);
    if (now.over && all) readed.there = 1'b0;
  end

  // ---- what comes of it ------------------------------------------------------------------------
  assign next = news_q ? told : readed;


  always_ff @(posedge clk) begin
    ev_no_session <= read_q && !now.there;
    if (rst) ev_no_session <= 1'b0;
  end

  tcp_notify_t note;
  assign note = '{
          sid: s_news.sid,
          length: step,
          opened: s_news.opened,
          fin: s_news.fin && !more && !now.broken && !news_bad,
          ended: ends,
          reason: s_news.reason,
          tuple: s_news.tuple
      };

  assign m_notify.data = note;
  assign m_notify.valid = news_q && s_news.notify &&
      (step != '0 || note.opened || note.fin || note.ended);
  assign note_room = m_notify.ready;

  tcp_read_rsp_t rsp;
  assign rsp = '{sid: asked_q.sid, length: take, reason: now.there ? TCP_OK : TCP_NO_SESSION};

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
      .s_data ({asked_q.sid, now.first, take, now.over && all}),
      .s_valid(made),
      .s_ready(job_room),
      .m_data ({job_sid, job_seq, job_len, job_last}),
      .m_valid(job_valid),
      .m_ready(job_ready)
  );

  logic unused;
  assign unused = ^{s_news, delta};
endmodule
