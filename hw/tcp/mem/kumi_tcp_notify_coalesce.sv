// SPDX-License-Identifier: Apache-2.0
//
// Coalesces notifications for a slow application: the pending ones of a session become one, so
//   there are never more than SESSIONS and they never stall the engine.
//
// s_notify, m_notify: tcp_notify_t. s_notify is accepted in every cycle except after reset. With
//   `skip` instead of m_notify.ready the notification returns to the pending ones, and the next
//   session's is offered: so an application that several share need not wait for one. Pending
//   notifications accumulate: lengths add up (modulo 2^32); opened, fin and ended stay set. A
//   notification carries at most 65535 bytes; the rest follows in another one, fin and ended with
//   the last. Pending sessions take turns. The notifications of a session keep their order.
// s_done, m_done: tcp_rx_done_t. `released` is delayed while a notification with `ended` is
//   pending, so a session number is not reused before the application has seen its end.
// Latency: s_notify to m_notify 1 cycle if none is pending, 4 if m_notify was stalled; s_done to
//   m_done 1, `released` 2 or more; a skipped notification is offered again after 4 or more.
//   Throughput: one notification per cycle in, one in 2 cycles out of the pending ones.
// After reset nothing is accepted for SESSIONS cycles.
`include "kumi_assert.svh"

module kumi_tcp_notify_coalesce
  import kumi_tcp_pkg::*;
#(
    parameter int SESSIONS = 16  // a power of two, 2 or more
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_notify,
    kumi_rec_if.src m_notify,
    input logic skip,
    kumi_rec_if.snk s_done,
    kumi_rec_if.src m_done
);
  localparam int IDX_W = $clog2(SESSIONS);

  if (SESSIONS < 2 || (SESSIONS & (SESSIONS - 1)) != 0 || IDX_W > SID_W) begin : gen_check_sessions
    $fatal(0, "SESSIONS must be a power of two, 2 to 65536 (%m)");
  end

  typedef struct packed {
    logic        waits;     // the session is in the queue
    logic        released;  // reported once `ended` has been accepted
    logic        opened;
    logic        fin;
    logic        ended;
    tcp_reason_e reason;
    tcp_tuple_t  tuple;
    logic [31:0] length;    // meaningless unless it waits
  } notify_state_t;

  // ---- one operation per cycle: store a notification, offer one, release a session ------------
  tcp_notify_t in, in_q, out, out_q;
  tcp_rx_done_t done, done_q, freed;
  logic store, put, show, ask, store_q, put_q, show_q, ask_q, clearing;
  logic direct, out_valid_q, out_back_q, out_released_q, out_take, out_free, none_waits;
  logic queue_valid, queue_fits, queue_push, more;
  logic done_valid_q, asked_q, freed_valid_q;
  logic [IDX_W-1:0] at, at_q, queue_idx;
  logic [SID_W-1:0] freed_q;
  logic [IDX_W:0] count_q, unused_depth;
  logic [31:0] change_q, sum;  // of the pending bytes
  notify_state_t now, next;

  assign in = s_notify.data;
  assign done = s_done.data;
  assign s_notify.ready = !clearing;
  assign none_waits = count_q == '0 && !store_q && !put_q && !show_q;
  assign out_take = m_notify.valid && m_notify.ready;
  assign out_free = !out_valid_q || out_take;
  assign direct = s_notify.valid && s_notify.ready && none_waits && out_free;
  assign store = s_notify.valid && s_notify.ready && !direct;
  assign put = !store && out_valid_q && out_back_q;
  assign show = !store && !put && queue_valid && out_free && !show_q && !freed_valid_q &&
      !(out_valid_q && out_released_q);
  // The end of this session may be on its way out.
  assign ask = !store && !put && !show && !show_q && done_valid_q && done_q.released && !asked_q &&
      !ask_q && !clearing && !(out_valid_q && out_q.ended && out_q.sid == done_q.sid);

  always_comb begin
    at = done_q.sid[IDX_W-1:0];
    if (store) at = in.sid[IDX_W-1:0];
    else if (put) at = out_q.sid[IDX_W-1:0];
    else if (show) at = queue_idx;
  end

  kumi_ram_rmw #(
      .W($bits(notify_state_t)),
      .DEPTH(SESSIONS)
  ) u_mem (
      .clk,
      .rst,
      .at,
      .now,
      .op(store_q || put_q || show_q || ask_q),
      .next,
      .clearing
  );

  // Holds each session at most once.
  kumi_fifo #(
      .W(IDX_W),
      .DEPTH(SESSIONS)
  ) u_queue (
      .clk,
      .rst,
      .s_data (at_q),
      .s_valid(queue_push),
      .s_ready(queue_fits),
      .m_data (queue_idx),
      .m_valid(queue_valid),
      .m_ready(show),
      .depth  (unused_depth)
  );

  assign more = now.length[31:16] != '0;
  assign sum = (now.waits ? now.length : '0) + change_q;
  assign queue_push = ((store_q || put_q) && !now.waits) || (show_q && more);

  always_comb begin
    next = now;
    if (store_q) begin
      next.waits = 1'b1;
      next.opened = now.opened || in_q.opened;
      next.fin = now.fin || in_q.fin;
      next.ended = now.ended || in_q.ended;
      if (!now.opened) next.tuple = in_q.tuple;
      if (in_q.ended) next.reason = in_q.reason;
    end else if (put_q) begin
      // Older than what came meanwhile.
      next.waits = 1'b1;
      next.opened = now.opened || out_q.opened;
      next.fin = now.fin || out_q.fin;
      next.ended = now.ended || out_q.ended;
      next.released = now.released || out_released_q;
      if (!now.waits) next.tuple = out_q.tuple;
      if (out_q.ended) next.reason = out_q.reason;
    end else if (show_q) begin
      next = '0;
      if (more) begin
        next = now;
        next.opened = 1'b0;
      end
    end else if (now.ended) begin
      next.released = 1'b1;
    end
    next.length = sum;

    out = '{
        sid: SID_W'(at_q),
        length: more ? 16'hFFFF : now.length[15:0],
        opened: now.opened,
        fin: now.fin && !more,
        ended: now.ended && !more,
        reason: now.reason,
        tuple: now.tuple
    };
  end

  always_ff @(posedge clk) begin
    store_q <= store;
    put_q <= put;
    show_q <= show;
    ask_q <= ask;
    at_q <= at;
    in_q <= in;
    change_q <= store ? 32'(in.length) : put ? 32'(out_q.length) : show ? -32'h0000_FFFF : '0;
    count_q <= count_q + (IDX_W + 1)'(queue_push) - (IDX_W + 1)'(show);
    if (out_take || put) out_valid_q <= 1'b0;
    if (put) out_back_q <= 1'b0;
    if (m_notify.valid && !m_notify.ready && skip) out_back_q <= 1'b1;
    if (direct) begin
      out_q <= in;
      out_valid_q <= 1'b1;
      out_released_q <= 1'b0;
    end
    if (show_q) begin
      out_q <= out;
      out_valid_q <= 1'b1;
      out_released_q <= now.released && !more;
    end
    if (rst) begin
      store_q <= 1'b0;
      put_q <= 1'b0;
      show_q <= 1'b0;
      ask_q <= 1'b0;
      count_q <= '0;
      out_valid_q <= 1'b0;
      out_back_q <= 1'b0;
      out_released_q <= 1'b0;
    end
  end

  assign m_notify.data  = out_q;
  assign m_notify.valid = out_valid_q && !out_back_q;

  // ---- freed space and released numbers -------------------------------------------------------
  logic own, own_q, held_q;  // m_done carries a delayed release, not yet accepted
  assign own = held_q ? own_q : freed_valid_q;
  assign s_done.ready = !done_valid_q && !clearing;
  assign m_done.valid = own || (done_valid_q && (!done_q.released || asked_q));
  assign freed = '{sid: freed_q, seq: '0, released: 1'b1};
  assign m_done.data = own ? freed : done_q;

  always_ff @(posedge clk) begin
    own_q  <= own;
    held_q <= m_done.valid && !m_done.ready;
    if (s_done.valid && s_done.ready) begin
      done_q <= done;
      done_valid_q <= 1'b1;
      asked_q <= 1'b0;
    end else if (m_done.valid && m_done.ready && !own) begin
      done_valid_q <= 1'b0;
    end
    if (ask_q) begin
      asked_q <= 1'b1;
      if (now.ended) done_valid_q <= 1'b0;
    end
    if (own && m_done.ready) freed_valid_q <= 1'b0;
    if (out_take && out_released_q) begin
      freed_valid_q <= 1'b1;
      freed_q <= out_q.sid;
    end
    if (rst) begin
      held_q        <= 1'b0;
      done_valid_q  <= 1'b0;
      asked_q       <= 1'b0;
      freed_valid_q <= 1'b0;
    end
  end

  `KUMI_ASSERT(a_queue_fits, !queue_push || queue_fits)
  `KUMI_ASSERT(a_one_end, !(store_q && now.ended))

  logic unused;
  assign unused = ^{queue_fits, unused_depth, in, in_q.sid, in_q.length, done};
endmodule
