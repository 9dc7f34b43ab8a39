// SPDX-License-Identifier: Apache-2.0
//
// Association engine: three-way HELLO handshake from either or both sides, restart, time-out,
// close.
//
// A HELLO that does not belong to the current association is only answered, with a fresh tag. The
// old association ends and the new one starts when that tag comes back, so delayed HELLOs do no
// harm. The table of cases is in docs/blocks/eth-rtp.md.
//
// set_peer: rtp_peer_t. An entry that gets another address, or all ones, is closed first (RESET).
//   After reset the tables are cleared for PEERS cycles, during which ready is low.
// assoc_event: from the receiver. dead: peers whose transmit window has timed out. drained: the
//   delivery has finished an association. fail: discarded messages, forwarded to m_status.
// m_status: rtp_status_t. Back-pressure stalls associations and failing messages, nothing else.
// table_*: writes to the association tables. lookup_*: kumi_eth_rtp_addr_lookup.
// rx_*, clear_*, win_*, line_*: the other modules' entries are closed and opened in this order:
//   close: no new frames (tables), receiver and delivery, admission, frames in the framer, slots;
//   open: receiver, delivery, window, admission, tables.
// handshake: HELLO and RESET frames. ack_req: the answer to a HELLO without news.
// Latency: one event takes 4 to 12 cycles, a HELLO up to PEERS more for the lookup.
module kumi_eth_rtp_assoc
  import kumi_eth_rtp_pkg::*;
#(
    parameter int PEERS  = 64,
    parameter int PEER_W = 6
) (
    input logic clk,
    input logic rst,
    input rtp_cfg_t cfg,
    input logic [23:0] tick,

    kumi_rec_if.snk set_peer,
    kumi_rec_if.src m_status,

    input  rtp_assoc_event_t              assoc_event,
    input  logic                          assoc_event_valid,
    output logic                          assoc_event_ready,
    input  logic             [      11:0] dead_peer,
    input  logic             [      19:0] dead_gen,
    input  logic                          dead_valid,
    output logic                          dead_ready,
    input  logic             [PEER_W-1:0] drained,
    input  logic                          drained_valid,
    output logic                          drained_ready,
    input  logic             [      11:0] fail_peer,
    input  logic                          fail_valid,
    output logic                          fail_ready,

    output logic                   table_wr,
    output logic      [PEER_W-1:0] table_peer,
    output rtp_conn_t              table_conn,
    output rtp_tags_t              table_tags,

    output logic              addr_wr,
    output logic              addr_used,
    output logic [      47:0] addr,
    output logic [PEER_W-1:0] entry_addr_peer,
    input  logic [      47:0] entry_addr,
    output logic              lookup_start,
    output logic [PEER_W-1:0] lookup_hint,
    input  logic              lookup_found,
    input  logic              lookup_missing,
    input  logic [PEER_W-1:0] lookup_peer,

    output logic                          rx_valid,
    input  logic                          rx_ready,
    output rtp_deliver_cmd_e              rx_kind,
    output logic             [PEER_W-1:0] op_peer,      // of all ops
    input  logic                          init_done,
    output logic                          clear_valid,  // accepted at once
    output logic                          win_valid,
    output logic                          win_init,
    output logic             [       6:0] win_limit,
    input  logic                          win_done,
    input  logic                          line_idle,
    input  logic                          line_done,

    output rtp_handshake_t handshake,
    output logic           handshake_valid,
    input  logic           handshake_ready,
    output rtp_ack_req_t   ack_req,
    output logic           ack_req_valid,

    output logic waiting,     // a peer is being contacted
    output logic ev_known_peer,    // HELLO whose address is in the table
    output logic ev_unknown_peer,  // ... is not
    output logic ev_up,
    output logic ev_down_timeout,
    output logic ev_down_restart,
    output logic ev_down_closed
);
  typedef enum logic [1:0] {
    AS_OFF,      // not in the table
    AS_OPENING,
    AS_UP,
    AS_ENDING    // the delivery is still draining
  } as_e;

  typedef struct packed {
    as_e         state;
    logic [19:0] own;         // tags of the present association
    logic [31:0] peer_tag;
    logic        pend;        // a fresh tag has been offered
    logic [19:0] fresh;
    logic        offered;     // ... to the owner of this tag
    logic [31:0] offered_to;
    logic        echoed;      // ... which has been sent back
    logic [6:0]  limit;       // its first limit
    rtp_status_e code;        // why it ended
    logic        renew;       // a new association follows at once
    logic        removed;     // the peer is removed from the table
    logic [3:0]  tries;
    logic [23:0] expire;
  } rtp_assoc_entry_t;

  typedef enum logic [4:0] {
    ST_CLEAR,
    ST_IDLE,
    ST_FIND,
    ST_READ,
    ST_ACT,
    ST_END,        // closing an association
    ST_END_RX,
    ST_END_LINE,
    ST_END_WIN,
    ST_DOWN,
    ST_NEW_RX,     // opening an association
    ST_NEW_INIT,
    ST_NEW_WIN,
    ST_NEW_CLEAR,
    ST_HANDSHAKE,  // afterwards
    ST_STORE,
    ST_UP          // only once messages are accepted
  } rtp_assoc_state_e;

  typedef enum logic [2:0] {
    DO_SCAN,
    DO_SET,
    DO_EVENT,
    DO_DEAD,
    DO_DRAINED
  } do_e;

  localparam logic [2:0] FENCE = 3'd6;  // upper bound on frames between admission and line

  rtp_assoc_state_e state_q;
  do_e do_q;
  rtp_assoc_entry_t entry, e_q;
  logic [PEER_W-1:0] peer_q, scan_q, rd_peer;
  rtp_assoc_event_t event_q;
  rtp_peer_t set;
  logic [19:0] nonce_q, dead_gen_q;
  logic [PEER_W:0] fill_q;
  logic [2:0] fence_q;
  logic round_q, turn_q;
  logic [47:0] addr_q;
  logic drop_q;  // discard in-order data instead of delivering it
  logic handshake_q, reset_q, fresh_q;  // a frame is due; it carries the fresh tag
  logic [31:0] handshake_tag_q;
  logic up_q;  // to be reported

  assign set = set_peer.data;

  kumi_ram_sdp #(
      .W($bits(rtp_assoc_entry_t)),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_entry (
      .clk,
      .wr_en  (state_q == ST_STORE || state_q == ST_CLEAR),
      .wr_addr(table_peer),
      .wr_data(state_q == ST_CLEAR ? '0 : e_q),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(entry)
  );

  // ---- Event decoding ---------------------------------------------------------------------------
  logic [31:0] own, fresh;
  logic for_own, for_fresh, same, same_asker, expired, listed, leave, empty;
  logic [23:0] overdue, pause;
  logic [ 3:0] retry;
  logic [19:0] nonce_next;
  assign own = {12'(peer_q), e_q.own};
  assign fresh = {12'(peer_q), e_q.fresh};
  assign for_own = event_q.tag == own;
  assign for_fresh = e_q.pend && event_q.tag == fresh;
  assign same = event_q.own == e_q.peer_tag;
  assign same_asker = e_q.offered && e_q.offered_to == event_q.own;
  assign overdue = tick - e_q.expire;
  assign expired = !overdue[23];
  assign pause = 24'(cfg.hello_interval) << (e_q.tries > 4'd3 ? 2'd3 : 2'(e_q.tries));
  assign retry = cfg.max_timeouts == '0 ? 4'd1 : cfg.max_timeouts;
  assign nonce_next = &nonce_q ? 20'd1 : nonce_q + 20'd1;  // zero is no valid tag
  assign listed = 32'(set.number) < PEERS;
  assign empty = &set.addr;
  assign leave = listed && (e_q.state == AS_ENDING
      || (e_q.state == AS_UP && (empty || addr_q != set.addr)));

  // ---- Inputs -----------------------------------------------------------------------------------
  logic idle;
  assign idle = state_q == ST_IDLE && !fail_valid;
  assign drained_ready = idle;
  assign dead_ready = idle && !drained_valid;
  assign assoc_event_ready = idle && !drained_valid && !dead_valid;
  // A record is held until its peer is closed.
  assign set_peer.ready = state_q == ST_ACT && do_q == DO_SET && !leave;
  assign fail_ready = state_q == ST_IDLE && m_status.ready;

  always_comb begin
    rd_peer = peer_q;
    if (state_q == ST_IDLE) begin
      if (drained_valid) rd_peer = drained;
      else if (dead_valid) rd_peer = PEER_W'(dead_peer);
      else if (assoc_event_valid) rd_peer = PEER_W'(assoc_event.peer);
      else if (set_peer.valid && turn_q) rd_peer = PEER_W'(set.number);
      else rd_peer = scan_q;
    end else if (state_q == ST_FIND) begin
      rd_peer = lookup_peer;
    end
  end
  assign entry_addr_peer = rd_peer;
  assign lookup_start  = assoc_event_valid && assoc_event_ready
      && assoc_event.kind == RTP_EVENT_HELLO;
  assign lookup_hint = 32'(assoc_event.tag[31:20]) < PEERS ? assoc_event.tag[20+:PEER_W] : '0;

  // ---- Outputs ----------------------------------------------------------------------------------
  assign op_peer = peer_q;
  assign rx_valid = state_q == ST_END_RX || state_q == ST_NEW_RX;
  assign rx_kind     = state_q == ST_NEW_RX ? RTP_DELIVER_INIT
      : drop_q ? RTP_DELIVER_DROP : RTP_DELIVER_DRAIN;
  assign clear_valid = state_q == ST_NEW_CLEAR;
  assign win_valid = state_q == ST_END_WIN || state_q == ST_NEW_WIN;
  assign win_init = state_q == ST_NEW_WIN;
  assign win_limit = e_q.limit;

  assign table_wr = state_q == ST_END || state_q == ST_STORE || state_q == ST_CLEAR;
  assign table_peer = state_q == ST_CLEAR ? PEER_W'(fill_q) : peer_q;
  always_comb begin
    table_conn = '{up: e_q.state == AS_UP, gen: e_q.own, tag: e_q.peer_tag};
    table_tags = '{up: e_q.state == AS_UP, own: e_q.own, pend: e_q.pend, fresh: e_q.fresh};
    if (state_q != ST_STORE) begin
      table_conn.up   = 1'b0;
      table_tags.up   = 1'b0;
      table_tags.pend = 1'b0;
    end
  end

  assign addr_wr = state_q == ST_CLEAR || (set_peer.valid && set_peer.ready && listed);
  assign addr_used = state_q != ST_CLEAR && !empty;
  assign addr = set.addr;

  assign handshake = '{
          reset: reset_q,
          peer: 12'(peer_q),
          addr: addr_q,
          tag: handshake_tag_q,
          own: fresh_q ? fresh : own
      };
  assign handshake_valid = state_q == ST_HANDSHAKE && handshake_q;
  assign ack_req = '{peer: 12'(peer_q), ack_req: 1'b0, dup: 1'b0};

  rtp_status_t status;
  assign status.peer = state_q == ST_IDLE ? fail_peer : 12'(peer_q);
  assign status.code = state_q == ST_IDLE ? RTP_MSG_FAILED : state_q == ST_UP ? RTP_UP : e_q.code;
  assign m_status.data = status;
  assign m_status.valid = state_q == ST_IDLE ? fail_valid : state_q == ST_DOWN || state_q == ST_UP;

  if (m_status.W != $bits(rtp_status_t) || set_peer.W != $bits(rtp_peer_t)) begin : gen_check_if
    $fatal(0, "m_status carries a rtp_status_t, set_peer a rtp_peer_t (%m)");
  end

  always_ff @(posedge clk) begin
    ack_req_valid   <= 1'b0;
    ev_known_peer   <= state_q == ST_FIND && lookup_found;
    ev_unknown_peer <= state_q == ST_FIND && lookup_missing && !lookup_found;
    ev_up           <= state_q == ST_UP && m_status.ready;
    ev_down_timeout <= state_q == ST_DOWN && m_status.ready && e_q.code == RTP_DOWN_TIMEOUT;
    ev_down_restart <= state_q == ST_DOWN && m_status.ready && e_q.code == RTP_DOWN_RESTART;
    ev_down_closed  <= state_q == ST_DOWN && m_status.ready && e_q.code == RTP_DOWN_CLOSED;

    unique case (state_q)
      ST_CLEAR: begin
        nonce_q <= cfg.nonce == '0 ? 20'd1 : cfg.nonce;
        fill_q  <= fill_q + 1'b1;
        if (32'(fill_q) == (1 << PEER_W) - 1) state_q <= ST_IDLE;
      end

      ST_IDLE: begin
        peer_q      <= rd_peer;
        event_q     <= assoc_event;
        dead_gen_q  <= dead_gen;
        handshake_q <= 1'b0;
        reset_q     <= 1'b0;
        fresh_q     <= 1'b0;
        up_q        <= 1'b0;
        drop_q      <= 1'b0;
        if (idle) begin
          state_q <= ST_READ;
          turn_q  <= !turn_q;
          if (drained_valid) do_q <= DO_DRAINED;
          else if (dead_valid) do_q <= DO_DEAD;
          else if (assoc_event_valid) begin
            do_q <= DO_EVENT;
            if (assoc_event.kind == RTP_EVENT_HELLO) state_q <= ST_FIND;
          end else if (set_peer.valid && turn_q) do_q <= DO_SET;
          else begin
            do_q   <= DO_SCAN;
            scan_q <= 32'(scan_q) == PEERS - 1 ? '0 : scan_q + 1'b1;
            if (scan_q == '0) begin
              waiting <= round_q;
              round_q <= 1'b0;
            end
          end
        end
      end

      ST_FIND: begin
        peer_q <= lookup_peer;
        if (lookup_found) state_q <= ST_READ;
        else if (lookup_missing) state_q <= ST_IDLE;
      end

      ST_READ: begin
        e_q     <= entry;
        addr_q  <= do_q == DO_EVENT ? event_q.addr : entry_addr;
        state_q <= ST_ACT;
      end

      ST_ACT: begin
        state_q <= ST_IDLE;
        unique case (do_q)
          DO_DRAINED: if (e_q.state == AS_ENDING) state_q <= ST_DOWN;

          DO_DEAD:
          if (e_q.state == AS_UP && e_q.own == dead_gen_q) begin
            e_q.code <= RTP_DOWN_TIMEOUT;
            state_q  <= ST_END;
          end

          DO_SET: begin
            if (!listed) begin
              state_q <= ST_IDLE;
            end else if (leave) begin
              if (e_q.state == AS_UP) begin
                e_q.code        <= RTP_DOWN_CLOSED;
                e_q.removed     <= 1'b1;
                handshake_q     <= 1'b1;
                reset_q         <= 1'b1;
                handshake_tag_q <= e_q.peer_tag;
                state_q         <= ST_END;
              end
            end else if (empty) begin
              e_q     <= '0;
              state_q <= ST_STORE;
            end else if (e_q.state == AS_OFF || addr_q != set.addr) begin
              e_q        <= '0;
              e_q.state  <= AS_OPENING;
              e_q.pend   <= 1'b1;
              e_q.fresh  <= nonce_q;
              e_q.expire <= tick;
              nonce_q    <= nonce_next;
              state_q    <= ST_STORE;
            end
          end

          DO_SCAN: begin
            if (e_q.state == AS_OPENING || (e_q.state == AS_UP && e_q.pend)) begin
              round_q <= 1'b1;
              if (expired && e_q.state == AS_UP && e_q.tries + 4'd1 >= retry) begin
                e_q.pend <= 1'b0;
                state_q  <= ST_STORE;
              end else if (expired) begin
                handshake_q     <= 1'b1;
                fresh_q         <= 1'b1;
                handshake_tag_q <= e_q.offered ? e_q.offered_to : '0;
                e_q.echoed      <= e_q.offered;
                e_q.tries       <= &e_q.tries ? e_q.tries : e_q.tries + 4'd1;
                e_q.expire      <= tick + pause;
                state_q         <= ST_HANDSHAKE;
              end
            end
          end

          default: begin  // DO_EVENT
            if (event_q.kind == RTP_EVENT_RESET) begin
              if (e_q.state == AS_UP && for_own) begin
                e_q.code <= RTP_DOWN_CLOSED;
                state_q  <= ST_END;
              end
            end else if (e_q.state != AS_OPENING && e_q.state != AS_UP) begin
              state_q <= ST_IDLE;
            end else if (event_q.kind == RTP_EVENT_CONFIRM ? for_fresh && e_q.offered
                : for_fresh && !(e_q.state == AS_UP && same && for_own)) begin
              // The fresh tag has come back.
              if (event_q.kind == RTP_EVENT_HELLO) begin
                e_q.echoed <= e_q.echoed && same_asker;
                e_q.offered_to <= event_q.own;
                e_q.limit <= event_q.limit;
              end
              e_q.renew <= 1'b1;
              e_q.code  <= RTP_DOWN_RESTART;
              drop_q    <= 1'b1;
              state_q   <= e_q.state == AS_UP ? ST_END : ST_NEW_RX;
            end else if (event_q.kind == RTP_EVENT_CONFIRM) begin
              state_q <= ST_IDLE;
            end else if (e_q.state == AS_UP && same && for_own) begin
              ack_req_valid <= 1'b1;
            end else if (e_q.state == AS_UP && (same || (event_q.tag != '0 && !for_own))) begin
              // It does not know our tag, or answers an old HELLO.
              handshake_q     <= 1'b1;
              handshake_tag_q <= e_q.peer_tag;
              state_q         <= ST_HANDSHAKE;
            end else begin
              // Unknown instance: offer a fresh tag.
              if (!e_q.pend || (e_q.offered && !same_asker)) begin
                e_q.fresh <= nonce_q;
                nonce_q   <= nonce_next;
              end
              e_q.pend <= 1'b1;
              e_q.offered <= 1'b1;
              e_q.offered_to <= event_q.own;
              e_q.echoed <= 1'b1;
              e_q.limit <= event_q.limit;
              e_q.expire <= tick + 24'(cfg.hello_interval);
              if (!e_q.pend || !same_asker) e_q.tries <= '0;
              handshake_q     <= 1'b1;
              fresh_q         <= 1'b1;
              handshake_tag_q <= event_q.own;
              state_q         <= ST_HANDSHAKE;
            end
          end
        endcase
      end

      // ---- End
      ST_END: state_q <= ST_END_RX;
      ST_END_RX: begin
        fence_q <= '0;
        if (rx_ready) state_q <= ST_END_LINE;
      end
      ST_END_LINE: begin
        // The first cycles let frames that were admitted before ST_END reach the framer.
        if (fence_q < 3'd2 || line_done) fence_q <= fence_q + 3'd1;
        if ((fence_q >= 3'd2 && line_idle) || fence_q == FENCE + 3'd1) state_q <= ST_END_WIN;
      end
      ST_END_WIN:
      if (win_done) begin
        e_q.state <= AS_ENDING;
        if (!e_q.renew) e_q.pend <= 1'b0;
        state_q <= ST_HANDSHAKE;
      end
      ST_DOWN:
      if (m_status.ready) begin
        if (e_q.renew) begin
          state_q <= ST_NEW_RX;
        end else if (e_q.removed) begin
          e_q     <= '0;
          state_q <= ST_STORE;
        end else begin
          // Contact it again; later if it closed the association itself.
          e_q.state    <= AS_OPENING;
          e_q.pend   <= 1'b1;
          e_q.offered  <= 1'b0;
          e_q.echoed   <= 1'b0;
          e_q.fresh  <= nonce_q;
          nonce_q    <= nonce_next;
          e_q.tries  <= e_q.code == RTP_DOWN_CLOSED ? 4'd3 : '0;
          e_q.expire <= tick + 24'(cfg.hello_interval);
          state_q    <= ST_STORE;
        end
      end

      // ---- Begin
      ST_NEW_RX:   if (rx_ready) state_q <= ST_NEW_INIT;
      ST_NEW_INIT: if (init_done) state_q <= ST_NEW_WIN;
      ST_NEW_WIN:  if (win_done) state_q <= ST_NEW_CLEAR;
      ST_NEW_CLEAR: begin
        e_q.state       <= AS_UP;
        e_q.own         <= e_q.fresh;
        e_q.peer_tag    <= e_q.offered_to;
        e_q.pend        <= 1'b0;
        e_q.offered     <= 1'b0;
        e_q.renew       <= 1'b0;
        e_q.tries       <= '0;
        handshake_q     <= !e_q.echoed;
        handshake_tag_q <= e_q.offered_to;
        up_q            <= 1'b1;
        state_q         <= ST_HANDSHAKE;
      end

      // ---- Afterwards
      ST_HANDSHAKE: if (!handshake_q || handshake_ready) state_q <= ST_STORE;
      ST_STORE: state_q <= up_q ? ST_UP : ST_IDLE;
      default: if (m_status.ready) state_q <= ST_IDLE;  // ST_UP
    endcase

    if (rst) begin
      state_q         <= ST_CLEAR;
      fill_q          <= '0;
      scan_q          <= '0;
      turn_q          <= 1'b0;
      waiting         <= 1'b0;
      round_q         <= 1'b0;
      ack_req_valid   <= 1'b0;
      ev_known_peer   <= 1'b0;
      ev_unknown_peer <= 1'b0;
      ev_up           <= 1'b0;
      ev_down_timeout <= 1'b0;
      ev_down_restart <= 1'b0;
      ev_down_closed  <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{cfg, dead_peer, event_q, overdue};
endmodule
