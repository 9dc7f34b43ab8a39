// SPDX-License-Identifier: Apache-2.0
//
// Decides what a session of kumi_http does in its turn.
//
// work, session, place: of the session, held from `look` on; two cycles later action, and how many
//   bytes a reading one reads (length, mode).
// cfg, now_ticks: settings and clock.
// Order of precedence: a session that is idle or over; one that has been at the kernel for too
//   long; a response that is owed; a request that waits for the kernel; a piece of the kernel's
//   response; bytes in the buffer; bytes at the engine; the client's FIN.
module kumi_http_plan
  import kumi_tcp_app_pkg::*;
  import kumi_http_pkg::*;
#(
    parameter int CHUNK = 2048  // bytes of a body per turn, at most; a power of two
) (
    input  logic                 clk,
    input  http_cfg_t            cfg,
    input  logic          [19:0] now_ticks,
    input  tcp_app_work_t        work,
    input  http_session_t        session,
    input  http_place_t          place,
    output http_action_e         action,
    output logic          [15:0] length,
    output http_read_e           mode
);
  localparam int DROP = 4096;  // bytes discarded per turn

  logic in_body, plain, chunk, raw;
  assign in_body = session.parse.at == AT_BODY;
  assign plain = http_body_state_e'(session.parse.index) == BODY_PLAIN;
  assign chunk = http_body_state_e'(session.parse.index) == BODY_CHUNK;
  assign raw = session.parse.raw;

  // ---- first cycle -----------------------------------------------------------------------------
  logic idle_q, over_q, no_write_q, bytes_q, held_q, piece_q, waited_q, room_some_q, room_chunk_q;
  logic pass_q;
  logic [12:0] drop_q;
  logic [6:0] keep_q;
  logic [11:0] chunk_q;

  always_ff @(posedge clk) begin
    idle_q <= work.idle && !work.ended && !session.asks;
    over_q <= session.owns && place.over;
    no_write_q <= work.ended || session.drain;
    bytes_q <= work.bytes != '0;
    held_q <= 32'(session.pos) != 32'(session.count);
    piece_q <= session.owns && !place.sending && (place.all || place.have >= 16'(CHUNK));
    waited_q <= cfg.wait_ticks != '0 && now_ticks - session.since >= cfg.wait_ticks;
    room_some_q <= place.room >= 16'(REQUEST_BYTES);
    room_chunk_q <= place.room >= 16'(CHUNK);
    pass_q <= in_body && session.owns && (plain || chunk);
    drop_q <= work.bytes < 32'(DROP) ? work.bytes[12:0] : 13'(DROP);
    keep_q <= work.bytes < 32'(REQUEST_BYTES) ? work.bytes[6:0] : 7'(REQUEST_BYTES);
    chunk_q <= work.bytes < 32'(CHUNK) ? work.bytes[11:0] : 12'(CHUNK);
    if (session.parse.length < 32'(CHUNK) && session.parse.length < work.bytes)
      chunk_q <= session.parse.length[11:0];
  end

  // ---- second cycle ----------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    mode   <= no_write_q ? READ_DROP : pass_q ? READ_PASS : READ_KEEP;
    length <= no_write_q ? 16'(drop_q) : pass_q ? 16'(chunk_q) : 16'(keep_q);
    if (idle_q) begin
      action <= ACT_END_IDLE;
    end else if (no_write_q) begin
      if (bytes_q) action <= ACT_DROP;
      else action <= !work.ended && !session.closed ? ACT_CLOSE : ACT_OVER;
    end else if (over_q) begin
      action <= place.begun || session.waiting || raw ? ACT_EXPEL : ACT_SEND_AWAY;
    end else if (session.waiting) begin
      action <= ACT_PAGE;
    end else if (session.asks) begin
      if (place.next) action <= ACT_TAKE;
      else if (waited_q) action <= raw ? ACT_EXPEL : ACT_SEND_AWAY;
      else action <= ACT_LATER;
    end else if (piece_q) begin
      action <= ACT_PIECE;
    end else if (held_q && (in_body || !session.owns)) begin
      if (in_body && plain && !session.owns) action <= ACT_SKIP;
      else action <= in_body && session.owns && !room_some_q ? ACT_LATER : ACT_PARSE;
    end else if (bytes_q && (in_body || !session.owns)) begin
      action <= pass_q && !room_chunk_q ? ACT_LATER : ACT_READ;
    end else if (session.owns && !(work.fin && in_body)) begin
      action <= ACT_LATER;
    end else begin
      action <= work.fin ? ACT_FIN : ACT_REST;
    end
  end

  logic unused;
  assign unused = ^{work, session, place, cfg};
endmodule
