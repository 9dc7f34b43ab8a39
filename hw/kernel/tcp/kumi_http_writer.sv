// SPDX-License-Identifier: Apache-2.0
//
// Writes responses of kumi_http to the TCP engine: pages and heads whole, and pieces of the
// kernel's response.
//
// start: write for session `sid`: with `piece` the next `count` bytes of the kernel's response
//   (kumi_http_framer, of which framing, last, s_valid, s_data and take are), else `answer`
//   (kumi_http_pages, of which answer, request, encoded, page, good and what the status page tells
//   are). All are held until `done`; outcome, with it: WRITE_DONE, WRITE_FULL (no space: nothing is
//   written), WRITE_DEAD (the session takes no more).
// A piece is done when it begins to go out; `busy` is high until it has gone. The next write may be
//   started before.
// m_write, s_write_rsp, m_axis: the engine's.
module kumi_http_writer
  import kumi_tcp_pkg::*;
  import kumi_http_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic start,
    input logic piece,
    input logic [SID_W-1:0] sid,
    output logic done,
    output http_outcome_e outcome,
    output logic busy,

    // pages
    input logic [31:0] now_us,
    input logic ev_opened,
    input logic [15:0] open_count,
    input logic ev_sent,
    input http_response_t answer,
    input http_parser_t request,
    input logic encoded,
    output http_page_e page,
    output logic good,

    // the kernel's response
    input http_framing_e framing,
    input logic [11:0] count,
    input logic last,
    input logic s_valid,
    input logic [7:0] s_data,
    output logic take,

    kumi_rec_if.src  m_write,
    kumi_rec_if.snk  s_write_rsp,
    kumi_axis_if.src m_axis
);
  typedef enum logic [2:0] {
    REST,
    LENGTH,
    BUILD,
    WRITE,
    WRITE_RSP,
    SEND,
    DONE
  } state_e;

  state_e state_q;
  logic [15:0] page_length, piece_length, length_q;
  logic page_ready, send_page, send_piece, page_sent;
  tcp_write_rsp_t rsp;

  kumi_axis_if #(
      .DATA_W(m_axis.DATA_W),
      .ID_W  (m_axis.ID_W),
      .USER_W(m_axis.USER_W),
      .DEST_W(m_axis.DEST_W)
  )
      pages (), pieces ();

  assign rsp = tcp_write_rsp_t'(s_write_rsp.data);
  assign m_write.valid = state_q == WRITE;
  assign m_write.data = {sid, length_q};
  assign s_write_rsp.ready = state_q == WRITE_RSP;
  assign send_page = state_q == SEND && !piece && !busy;
  assign send_piece = state_q == SEND && piece && !busy;
  assign page_sent = send_page && m_axis.tvalid && m_axis.tready && m_axis.tlast;
  assign done = state_q == DONE;

  always_ff @(posedge clk) begin
    case (state_q)
      REST:
      if (start) begin
        outcome <= WRITE_DONE;
        state_q <= piece ? LENGTH : BUILD;
      end
      LENGTH: begin
        length_q <= piece_length;
        state_q  <= piece_length == '0 ? DONE : WRITE;
      end
      BUILD: begin
        length_q <= page_length;
        if (page_ready) state_q <= WRITE;
      end
      WRITE: if (m_write.ready) state_q <= WRITE_RSP;
      WRITE_RSP:
      if (s_write_rsp.valid) begin
        outcome <= rsp.reason == TCP_NO_SPACE ? WRITE_FULL : WRITE_DEAD;
        state_q <= DONE;
        if (rsp.reason == TCP_OK) begin
          outcome <= WRITE_DONE;
          state_q <= SEND;
        end
      end
      SEND: if (send_piece || page_sent) state_q <= DONE;
      default: state_q <= REST;
    endcase
    if (rst) state_q <= REST;
  end

  kumi_http_pages u_pages (
      .clk,
      .rst,
      .now_us,
      .ev_opened,
      .open_count,
      .ev_sent,
      .answer,
      .request,
      .encoded,
      .start (state_q == REST && start && !piece),
      .send  (send_page),
      .clear (state_q == DONE),
      .page,
      .good,
      .ready (page_ready),
      .length(page_length),
      .m_axis(pages)
  );

  kumi_http_framer u_framer (
      .clk,
      .rst,
      .framing,
      .count,
      .last,
      .length(piece_length),
      .send  (send_piece),
      .busy,
      .s_valid,
      .s_data,
      .take,
      .m_axis(pieces)
  );

  assign m_axis.tdata = busy ? pieces.tdata : pages.tdata;
  assign m_axis.tkeep = busy ? pieces.tkeep : pages.tkeep;
  assign m_axis.tvalid = busy ? pieces.tvalid : pages.tvalid;
  assign m_axis.tlast = busy ? pieces.tlast : pages.tlast;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;
  assign pieces.tready = busy && m_axis.tready;
  assign pages.tready = !busy && m_axis.tready;

  logic unused;
  assign unused = ^{rsp, pieces.tuser, pieces.tid, pieces.tdest, pages.tuser, pages.tid,
      pages.tdest};
endmodule
