// SPDX-License-Identifier: Apache-2.0
//
// Receiver: checks each frame, stores accepted payload in the receive window, and tracks arrivals.
//
// s_frame: frames without FCS. w_*: payload to the window buffer, at the slot of peer and number. A
//   frame counts only after a good end, so a corrupt one leaves no trace.
// Tables, one cycle after rd_peer: tags (association), delivered (frames handed to the kernel, low
//   bits), snd_nxt (acknowledging this number or more is invalid). Owns `rcv` (next expected number
//   and the bitmap of out-of-order arrivals) and `info` (contents of a window slot).
// op: from the association engine: the peer is down; clears its entry and forwards `op_kind` to the
//   delivery, between two frames.
// deliver: frames that are now in order. acked: acknowledgements received. The receiver stalls for
//   both, so they must be accepted in bounded time whatever the line does.
// assoc_event: HELLO, RESET, and confirmation of the fresh tag; ack_req: an immediate ACK. Neither
//   stalls the receiver: what is not accepted is dropped.
// Latency: two to three cycles beyond the beats of a frame, one more per frame that becomes in
//   order.
// Bad input: one rx_* event per frame.
module kumi_eth_rtp_rx
  import kumi_eth_rtp_pkg::*;
#(
    parameter int PEERS  = 64,
    parameter int WINDOW = 16,
    parameter int WORDS  = 288,   // words of a slot of the window
    parameter int BYTES  = 9186,  // maximum payload of a frame
    parameter int DEPTH  = 1024,  // words of the window store
    parameter int PEER_W = 6
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_frame,

    output logic      [PEER_W-1:0] rd_peer,
    input  rtp_tags_t              tags,
    input  logic      [       7:0] delivered,
    input  logic      [      31:0] snd_nxt,

    output logic                             rcv_wr,
    output logic [               PEER_W-1:0] rcv_peer,
    output logic [                     31:0] rcv_nxt,
    output logic [               WINDOW-1:0] rcv_sack,
    output logic                             info_wr,
    output logic [PEER_W+$clog2(WINDOW)-1:0] info_addr,
    output logic [                     15:0] info_data,  // {len, first, last}
    output logic                             w_en,
    output logic [        $clog2(DEPTH)-1:0] w_addr,
    output logic [       s_frame.DATA_W-1:0] w_data,

    input  logic                          op_valid,
    output logic                          op_ready,
    input  rtp_deliver_cmd_e              op_kind,
    input  logic             [PEER_W-1:0] op_peer,

    output rtp_deliver_cmd_t deliver,
    output logic             deliver_valid,
    input  logic             deliver_ready,
    output rtp_rx_ack_t      acked,
    output logic             acked_valid,
    input  logic             acked_ready,
    output rtp_assoc_event_t assoc_event,
    output logic             assoc_event_valid,
    input  logic             assoc_event_ready,
    output rtp_ack_req_t     ack_req,
    output logic             ack_req_valid,

    output rtp_events_t ev  // only rx_*
);
  localparam int WIN_W = $clog2(WINDOW);

  // ---- Header -----------------------------------------------------------------------------------
  typedef struct packed {
    logic [47:0] dst;
    logic [47:0] src;
    logic [15:0] etype;
    logic [3:0]  version;
    logic [3:0]  kind;
    logic [7:0]  flags;
    logic [31:0] tag;
    logic [31:0] seq;
    logic [31:0] ack;
    logic [15:0] len;
  } header_t;

  header_t h;
  logic [239:0] h_bits;
  logic [11:0] peek_peer;
  logic idle, head, p_wr, fin, short_, truncated, bad, next_ok;
  logic [s_frame.DATA_W-1:0] p_data;

  kumi_eth_rtp_rx_parser u_rx_parser (
      .clk,
      .rst,
      .s_frame,
      .hold(op_valid),
      .idle,
      .peek_peer,
      .h(h_bits),
      .head,
      .p_wr,
      .p_data,
      .fin,
      .short_,
      .truncated,
      .bad,
      .next_ok
  );
  assign h = h_bits;

  logic unused;
  assign unused = ^{h, peek_peer};

  // ---- Classification, in the cycle of `head` ---------------------------------------------------
  typedef enum logic [3:0] {
    V_NEW,
    V_DUP,
    V_ACK,
    V_HELLO,
    V_RESET,
    V_CONFIRM,
    V_MALFORMED,
    V_STALE_TAG,
    V_OUT_OF_WINDOW
  } verdict_e;

  verdict_e verdict, verdict_q;
  logic [31:0] next_read, offset;
  logic [WINDOW-1:0] map_read;
  logic [6:0] room;
  logic listed, ours, fresh, sane, seen, fits;

  kumi_ram_sdp #(
      .W(32 + WINDOW),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_rcv (
      .clk,
      .wr_en  (rcv_wr),
      .wr_addr(rcv_peer),
      .wr_data({rcv_nxt, rcv_sack}),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data({next_read, map_read})
  );

  assign rd_peer = PEER_W'(peek_peer);
  assign listed  = 32'(h.tag[31:20]) < PEERS;
  assign ours    = listed && tags.up && tags.own == h.tag[19:0];
  assign fresh   = listed && tags.pend && tags.fresh == h.tag[19:0];
  assign offset  = h.seq - next_read;
  assign room    = 7'(WINDOW) - 7'(next_read[7:0] - delivered);
  assign fits    = offset[31:7] == '0 && offset[6:0] < room;
  // Bit i of the map is number next + 1 + i.
  assign seen    = offset != '0 && map_read[WIN_W'(offset[WIN_W-1:0]-1'b1)];

  always_comb begin
    unique case (h.kind)
      RTP_DATA:
      sane = h.len <= 16'(BYTES) && (h.len != '0 || (h.flags[RTP_LAST] && !h.flags[RTP_FIRST]));
      RTP_ACK, RTP_HELLO: sane = h.len == 16'(RTP_ACK_BYTES);
      RTP_RESET: sane = h.len == '0;
      default: sane = 1'b0;
    endcase
    if (h.version != RTP_VERSION || h.etype != RTP_ETHERTYPE) sane = 1'b0;

    if (!sane) verdict = V_MALFORMED;
    else if (h.kind == RTP_HELLO) verdict = V_HELLO;
    else if (!ours) verdict = fresh && h.kind != RTP_RESET ? V_CONFIRM : V_STALE_TAG;
    else if (h.kind == RTP_RESET) verdict = V_RESET;
    else if (h.kind == RTP_ACK) verdict = V_ACK;
    else if (offset[31]) verdict = V_DUP;
    else if (!fits) verdict = V_OUT_OF_WINDOW;
    else verdict = seen ? V_DUP : V_NEW;
  end

  // ---- Payload ----------------------------------------------------------------------------------
  logic [$clog2(DEPTH)-1:0] base_q, addr_q;
  logic [95:0] pay_q, pay_in;  // first 12 bytes, first byte in the high bits
  logic [1:0] words_q;
  localparam int PAYS = s_frame.KEEP_W < 16 ? 2 : 1;  // words that hold them

  assign w_en   = p_wr && verdict_q == V_NEW;
  assign w_addr = addr_q;
  assign w_data = p_data;
  if (PAYS == 1) begin : gen_pay
    always_comb for (int i = 0; i < 12; i++) pay_in[8*(11-i)+:8] = p_data[8*i+:8];
  end else begin : gen_pays
    always_comb begin
      pay_in = pay_q;
      for (int i = 0; i < 8; i++) begin
        if (words_q == '0) pay_in[8*(11-i)+:8] = p_data[8*i+:8];
        else if (i < 4) pay_in[8*(3-i)+:8] = p_data[8*i+:8];
      end
    end
  end

  // ---- Results ----------------------------------------------------------------------------------
  logic more_q;  // counting buffered frames that are now in order
  logic arrived_q;  // number next_q has arrived
  logic [31:0] next_q;
  logic [WINDOW-1:0] map_q;
  logic [6:0] offset_q, count_q;
  logic [19:0] own_q;
  logic can, good, ends, take, advance, first_step, finish, urgent;
  logic sane_limit, sane_ack, early_sack;
  logic [31:0] limit, ahead_q;

  assign limit = pay_q[95:64];
  // The limit is at most a window above the ack; a HELLO acknowledges nothing.
  assign sane_limit = h.kind == RTP_HELLO ? pay_q[63:32] <= 32'(RTP_MAX_WINDOW)
      && pay_q[63:32] != '0 : limit - h.ack <= 32'(RTP_MAX_WINDOW);

  // An ack may be old, but not beyond snd_nxt. Bit i of the bitmap is number ack + 1 + i.
  assign sane_ack = !ahead_q[31] && !(verdict_q == V_ACK && early_sack);
  always_comb begin
    early_sack = 1'b0;
    for (int i = 0; i < 64; i++) begin
      if (pay_q[i] && ahead_q <= 32'(i + 1)) early_sack = 1'b1;
    end
  end

  assign good = !short_ && !truncated && !bad;
  assign can = deliver_ready && acked_ready;
  assign ends = fin && !more_q && can;
  assign take = ends && good && sane_ack && verdict_q == V_NEW;
  assign advance = take && offset_q == '0;
  assign first_step = advance && map_q[0];
  assign finish = more_q && !arrived_q && can;
  assign next_ok = (ends && !first_step) || finish;
  assign op_ready = op_valid && idle && deliver_ready;

  always_comb begin
    rcv_wr   = finish || (take && !first_step);
    rcv_peer = PEER_W'(h.tag[31:20]);
    rcv_nxt  = next_q;
    rcv_sack = map_q;
    if (op_valid && idle) begin
      rcv_wr   = op_ready;
      rcv_peer = op_peer;
      rcv_nxt  = '0;
      rcv_sack = '0;
    end else if (advance) begin
      rcv_nxt  = next_q + 32'd1;
      rcv_sack = map_q >> 1;
    end else if (!more_q) begin
      rcv_sack = map_q | WINDOW'(1) << WIN_W'(offset_q - 7'd1);
    end
  end

  assign info_wr   = take;
  assign info_addr = {PEER_W'(h.tag[31:20]), h.seq[WIN_W-1:0]};
  assign info_data = {h.len[13:0], h.flags[RTP_FIRST], h.flags[RTP_LAST]};

  always_comb begin
    deliver.kind  = RTP_DELIVER_FRAMES;
    deliver.peer  = h.tag[31:20];
    deliver.count = more_q ? count_q : 7'd1;
    deliver.base  = 32'(base_q);
    deliver.len   = h.len[13:0];
    deliver.first = h.flags[RTP_FIRST];
    deliver.last  = h.flags[RTP_LAST];
    deliver_valid = finish || (advance && !first_step);
    if (op_valid && idle) begin
      deliver.kind  = op_kind;
      deliver.peer  = 12'(op_peer);
      deliver_valid = op_ready;
    end
  end

  assign acked = '{
          peer: h.tag[31:20],
          gen: own_q,
          ack: h.ack,
          full: h.kind == RTP_ACK,
          limit: limit,
          sack: pay_q[63:0],
          dup: h.flags[RTP_DUP]
      };
  assign acked_valid = ends && good && sane_ack && (verdict_q == V_NEW || verdict_q == V_DUP
      || (verdict_q == V_ACK && sane_limit));

  always_comb begin
    assoc_event.kind  = verdict_q == V_HELLO ? RTP_EVENT_HELLO
        : verdict_q == V_RESET ? RTP_EVENT_RESET : RTP_EVENT_CONFIRM;
    assoc_event.peer = h.tag[31:20];
    assoc_event.addr = h.src;
    assoc_event.tag = h.tag;
    assoc_event.own = pay_q[95:64];
    assoc_event.limit = pay_q[38:32];
    assoc_event_valid = ends && good && ((verdict_q == V_HELLO && sane_limit)
        || verdict_q == V_RESET || verdict_q == V_CONFIRM);
  end

  // Immediate ACK: requested, after a gap, a duplicate, or a gap that has been filled.
  assign urgent = h.flags[RTP_ACK_REQ] || verdict_q == V_DUP
      || (verdict_q == V_NEW && (offset_q != '0 || map_q != '0));
  assign ack_req = '{peer: h.tag[31:20], ack_req: 1'b0, dup: verdict_q == V_DUP};
  assign ack_req_valid = next_ok && good && sane_ack && urgent
      && (verdict_q == V_NEW || verdict_q == V_DUP || (verdict_q == V_ACK && sane_limit));

  always_ff @(posedge clk) begin
    if (head) begin
      verdict_q <= verdict;
      base_q    <= $clog2(DEPTH)'(32'({h.tag[20+:PEER_W], h.seq[WIN_W-1:0]}) * 32'(WORDS));
      addr_q    <= $clog2(DEPTH)'(32'({h.tag[20+:PEER_W], h.seq[WIN_W-1:0]}) * 32'(WORDS));
      own_q     <= tags.own;
      ahead_q   <= snd_nxt - h.ack;
      next_q    <= next_read;
      map_q     <= map_read;
      offset_q  <= offset[6:0];
      words_q   <= '0;
      more_q    <= 1'b0;
    end
    if (p_wr) begin
      addr_q <= addr_q + 1'b1;
      if (32'(words_q) < PAYS) begin
        pay_q   <= pay_in;
        words_q <= words_q + 2'd1;
      end
    end
    if (first_step || (more_q && arrived_q)) begin
      more_q    <= 1'b1;
      next_q    <= next_q + 32'd1;
      map_q     <= map_q >> 1;
      arrived_q <= map_q[0];
      count_q   <= first_step ? 7'd1 : count_q + 7'd1;
    end
    if (finish) more_q <= 1'b0;

    ev <= '0;
    if (ends) begin
      if (bad) ev.rx_bad <= 1'b1;
      else if (!good || verdict_q == V_MALFORMED) ev.rx_malformed <= 1'b1;
      else begin
        unique case (verdict_q)
          V_NEW: begin
            ev.rx_data <= sane_ack;
            ev.rx_bad_ack <= !sane_ack;
          end
          V_DUP: begin
            ev.rx_dup    <= sane_ack;
            ev.rx_bad_ack <= !sane_ack;
          end
          V_OUT_OF_WINDOW: ev.rx_out_of_window <= 1'b1;
          V_ACK: begin
            ev.rx_ack    <= sane_limit && sane_ack;
            ev.rx_bad_ack <= !sane_limit || !sane_ack;
          end
          V_HELLO: begin
            ev.rx_hello_overflow   <= sane_limit && !assoc_event_ready;
            ev.rx_bad_ack <= !sane_limit;
          end
          V_RESET:   ev.rx_reset <= 1'b1;
          default:   ev.rx_stale_tag <= 1'b1;
        endcase
      end
    end
    if (rst) begin
      more_q <= 1'b0;
      ev     <= '0;
    end
  end
endmodule
