// SPDX-License-Identifier: Apache-2.0
//
// The place at the kernel of kumi_http: one session has it, others wait in the order of asking.
//
// sid: whose turn it is; place: how it stands with it (http_place_t).
// order: while place.ready is high, one of ask: it wants the place; leave: it does not any more (or
//   its number is new); take: it has it, while place.next is high; its body goes to `dest`. At any
//   time let_go: it needs it no more, the rest of its response is dropped; put, data: a byte of the
//   body; eaten: that was all of it (with take: there is none); begun: a part of the response is
//   sent. A request whose session lets go before it was eaten ends with tuser.
// turn_ticks: place.over when it was held for that long while others wait; 0: never.
// sending: a piece of the response is on its way; the place is free after that. out_valid,
//   out_data, take_out, m_body, s_body: as kumi_http_body has them.
`include "kumi_assert.svh"
module kumi_http_place
  import kumi_tcp_pkg::*;
  import kumi_http_pkg::*;
#(
    parameter int SESSIONS = 64,  // session numbers, a power of two
    parameter int DEPTH = 4096  // bytes that wait in each direction, a power of two
) (
    input logic clk,
    input logic rst,
    input logic [19:0] now_ticks,
    input logic [19:0] turn_ticks,
    input logic [SID_W-1:0] sid,
    input http_order_t order,
    output http_place_t place,
    input logic sending,
    output logic out_valid,
    output logic [7:0] out_data,
    input logic take_out,
    kumi_axis_if.src m_body,
    kumi_axis_if.snk s_body
);
  localparam int ID_W = $clog2(SESSIONS);

  // ---- who waits -----------------------------------------------------------------------------
  logic queue_idle, head_valid;
  logic [ID_W-1:0] head;
  logic [  ID_W:0] waiting;

  kumi_http_queue #(
      .SESSIONS(SESSIONS)
  ) u_queue (
      .clk,
      .rst,
      .ask  (order.ask),
      .leave(order.leave),
      .take (order.take),
      .id   (sid[ID_W-1:0]),
      .idle (queue_idle),
      .head_valid,
      .head,
      .waiting
  );

  // ---- who has it ----------------------------------------------------------------------------
  logic owned_q, let_go_q, clear_q, end_q, idle, next_q, over_q, read_q, begun_q, all, bad;
  logic [SID_W-1:0] owner_q;
  logic [19:0] began_q;
  logic [3:0] dest_q;
  logic [15:0] have, room;

  assign place = '{
          ready: queue_idle,
          next: next_q,
          mine: owned_q && owner_q == sid,
          over: over_q,
          read: read_q,
          begun: begun_q,
          encoded: dest_q[3],
          sending: sending,
          all: all,
          bad: bad,
          have: have,
          room: room
      };

  always_ff @(posedge clk) begin
    next_q <= head_valid && head == sid[ID_W-1:0] && idle && !owned_q && !let_go_q && !clear_q
        && !order.take;
    over_q <= owned_q && waiting != '0 && turn_ticks != '0 && now_ticks - began_q >= turn_ticks;
    end_q <= order.eaten;
    clear_q <= 1'b0;
    if (order.eaten) read_q <= 1'b1;
    if (order.begun) begun_q <= 1'b1;
    if (order.take) begin
      owned_q <= 1'b1;
      owner_q <= sid;
      began_q <= now_ticks;
      dest_q  <= order.dest;
      read_q  <= order.eaten;
      begun_q <= 1'b0;
    end
    if (order.let_go) begin
      owned_q  <= 1'b0;
      let_go_q <= 1'b1;
      end_q    <= !read_q;
    end
    if (let_go_q && !sending) begin
      let_go_q <= 1'b0;
      clear_q  <= 1'b1;
    end
    if (rst) begin
      owned_q  <= 1'b0;
      let_go_q <= 1'b0;
      end_q    <= 1'b0;
      clear_q  <= 1'b0;
    end
  end

  kumi_http_body #(
      .DEPTH(DEPTH)
  ) u_body (
      .clk,
      .rst,
      .put(order.put),
      .put_byte(order.data),
      .put_end(end_q),
      .put_bad(!read_q),
      .dest(dest_q),
      .room,
      .m_body,
      .s_body,
      .have,
      .all,
      .bad,
      .out_valid,
      .out_data,
      .take(take_out),
      .clear(clear_q),
      .idle
  );

  `KUMI_ASSERT(a_take, !order.take || (next_q && !owned_q))
  `KUMI_ASSERT(a_mine,
               !(order.put || order.eaten || order.let_go || order.begun) || order.take || owned_q)
  `KUMI_ASSERT(a_put, !order.put || !read_q)
endmodule
