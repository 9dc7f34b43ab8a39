// SPDX-License-Identifier: Apache-2.0
//
// ARP engine (RFC 826, RFC 5227, RFC 1122 2.3.2): answers requests, learns addresses, requests
//   those that pending packets need, and ages its cache.
//
// rx: ARP packets, one per cycle of rx_valid; rx_full refuses more (16 are queued).
// look: as in kumi_arp_cache, for the packet path. want: the packet path used an entry that is
//   about to expire; it is requested again while in use.
// any_pending: some packet is pending. poll: one of them: its address, whether a request is due,
//   whether it has expired; answered by one cycle of poll_done: poll_hit with
//   poll_mac, or poll_asked, or neither (with poll_expired: drop it).
// tx: an ARP packet to send (tx_valid, tx_ready).
// Learning: a request for our address creates or updates its sender's entry. Any ARP packet,
//   request or reply, updates an existing entry (with cfg.arp_strict a reply only when the entry is
//   ASKED or OLD). Nothing else creates an entry: unsolicited replies are ignored. A sender with a
//   group, broadcast or zero IP address, a group MAC address or our own IP address is never
//   learned; the last is a conflict, defended by one announcement per retry interval.
// Latency: 5 cycles per ARP packet; from request in to reply out see docs/blocks/ip.md.
module kumi_arp
  import kumi_ip_pkg::*;
#(
    parameter int ENTRIES = 512  // of the cache
) (
    input  logic           clk,
    input  logic           rst,
    input  ip_cfg_t        cfg,
    input  logic           tick_retry,
    input  logic           tick_age,
    input  arp_rx_t        rx,
    input  logic           rx_valid,
    output logic           rx_full,
    input  logic           look_en,
    input  logic    [31:0] look_ip,
    output logic           look_hit,
    output logic           look_old,
    output logic    [47:0] look_mac,
    input  logic           want,
    input  logic    [31:0] want_ip,
    input  logic           any_pending,
    input  logic           poll_valid,
    input  logic    [31:0] poll_ip,
    input  logic           poll_vlan_valid,
    input  logic    [15:0] poll_vlan_tci,
    input  logic           poll_due,
    input  logic           poll_expired,
    output logic           poll_done,
    output logic           poll_hit,
    output logic           poll_asked,
    output logic    [47:0] poll_mac,
    output ip_tx_t         tx,
    output logic           tx_valid,
    input  logic           tx_ready,
    output logic           ev_learn,
    output logic           ev_ignored,
    output logic           ev_conflict,
    output logic           ev_aged,
    output logic           active
);
  localparam int IW = $clog2(ENTRIES);
  localparam logic [1:0] FREE = 2'd0, ASKED = 2'd1, OLD = 2'd2, FRESH = 2'd3;

  typedef enum logic [2:0] {
    CLEAR,  // after reset
    IDLE,
    READ,
    CHECK,
    ACT,
    SEND
  } state_e;
  typedef enum logic [1:0] {
    OP_LEARN,
    OP_POLL,
    OP_AGE,
    OP_ASK  // no lookup: announcement or refresh
  } arp_op_e;

  state_e state_q;
  arp_op_e op_q;
  logic [31:0] key_q;
  logic [IW-1:0] walk_q, index, hash;
  logic reply_q;

  // ---- received packets -----------------------------------------------------------------------
  arp_rx_t in;
  logic in_valid, in_take, unused_ready;
  logic [4:0] depth;

  kumi_fifo #(
      .W($bits(arp_rx_t)),
      .DEPTH(16),
      .STYLE(0)
  ) u_in (
      .clk,
      .rst,
      .s_data (rx),
      .s_valid(rx_valid),
      .s_ready(unused_ready),
      .m_data (in),
      .m_valid(in_valid),
      .m_ready(in_take),
      .depth
  );
  assign rx_full = depth[4:1] == 4'd7 || depth[4];

  // ---- cache ----------------------------------------------------------------------------------
  logic match, write;
  logic [1:0] entry_state, new_state;

  assign index = op_q == OP_AGE ? walk_q : hash;

  kumi_arp_cache #(
      .ENTRIES(ENTRIES)
  ) u_cache (
      .clk,
      .look_en,
      .look_ip,
      .look_hit,
      .look_old,
      .look_mac,
      .work_index(index),
      .work_ip(key_q),
      .work_hash(hash),
      .work_match(match),
      .work_state(entry_state),
      .work_mac(poll_mac),
      .work_write(write),
      .work_keep(op_q == OP_AGE),
      .new_state,
      .new_mac(in.sha)
  );

  // ---- decisions ------------------------------------------------------------------------------
  logic act, from_us, sender_ok, believe, answer, ask, conflict;
  logic announce_q, was_announce_q, was_enable_q, want_q, walk_on_q, defended_q;
  logic want_send_q;
  logic addressed_q;  // without an address nothing is asked of this station, and nobody claims its
  logic [31:0] want_ip_q;

  assign act = state_q == ACT;
  assign from_us = in.spa == cfg.ip && addressed_q;
  assign sender_ok = in.spa[31:29] != '1 && in.spa != '0 && !from_us;
  assign believe = sender_ok && (match
      ? !(cfg.arp_strict && in.reply && entry_state == FRESH)
      : in.for_us && addressed_q && !in.reply);
  assign answer = in.for_us && addressed_q && !in.reply && !from_us;
  assign conflict = from_us && in.sha != cfg.mac;
  assign ask = poll_due && !poll_hit && !poll_expired;

  assign poll_hit = match && entry_state[1];
  assign poll_done = act && op_q == OP_POLL;
  assign poll_asked = ask;

  always_comb begin
    write = 1'b0;
    new_state = FREE;
    unique case (op_q)
      OP_LEARN: begin
        write = act && believe;
        new_state = FRESH;
      end
      OP_POLL: begin
        write = act && ask && !match;
        new_state = ASKED;
      end
      OP_AGE: begin
        // An entry is kept while a pending packet may still request its address.
        write = state_q == CLEAR
            || (act && entry_state != FREE && !(entry_state == ASKED && any_pending));
        new_state = state_q == ACT && entry_state == FRESH ? OLD : FREE;
      end
      default: ;
    endcase
  end

  assign in_take = (act && op_q == OP_LEARN && !answer)
      || (state_q == SEND && op_q == OP_LEARN && tx_ready);

  always_ff @(posedge clk) begin
    ev_learn       <= act && op_q == OP_LEARN && believe;
    ev_ignored     <= act && op_q == OP_LEARN && !believe && !answer && !conflict;
    ev_conflict    <= act && op_q == OP_LEARN && conflict;
    ev_aged        <= act && op_q == OP_AGE && entry_state == OLD;

    was_announce_q <= cfg.announce;
    was_enable_q   <= cfg.enable;
    addressed_q    <= cfg.ip != '0;
    if (want && !want_q) begin
      want_q      <= 1'b1;
      want_send_q <= 1'b1;
      want_ip_q   <= want_ip;
    end
    if (tick_age) walk_on_q <= 1'b1;
    if (tick_retry) defended_q <= 1'b0;
    if (act && op_q == OP_LEARN && conflict && !defended_q) begin
      defended_q <= 1'b1;
      announce_q <= 1'b1;
    end

    unique case (state_q)
      CLEAR: begin
        walk_q <= walk_q + 1'b1;
        if (&walk_q) state_q <= IDLE;
      end
      IDLE: begin
        reply_q <= 1'b0;
        op_q <= OP_ASK;
        if (in_valid) begin
          op_q <= OP_LEARN;
          key_q <= in.spa;
          state_q <= READ;
        end else if (announce_q) begin
          key_q <= cfg.ip;
          announce_q <= 1'b0;
          state_q <= SEND;
        end else if (poll_valid) begin
          op_q <= OP_POLL;
          key_q <= poll_ip;
          state_q <= READ;
        end else if (want_send_q) begin
          want_send_q <= 1'b0;
          key_q <= want_ip_q;
          state_q <= SEND;
        end else if (walk_on_q) begin
          op_q <= OP_AGE;
          state_q <= READ;
        end
      end
      READ: state_q <= CHECK;
      CHECK: state_q <= ACT;
      ACT: begin
        state_q <= IDLE;
        if (op_q == OP_LEARN && answer) begin
          reply_q <= 1'b1;
          state_q <= SEND;
        end
        if (op_q == OP_POLL && ask) state_q <= SEND;
        if (op_q == OP_AGE) begin
          walk_q <= walk_q + 1'b1;
          if (&walk_q) walk_on_q <= 1'b0;
        end
      end
      default:  // SEND
      if (tx_ready) state_q <= IDLE;
    endcase

    // An entry in use is refreshed at most once per retry interval.
    if (tick_retry) want_q <= 1'b0;
    if (((cfg.announce && !was_announce_q) || (cfg.enable && !was_enable_q)) && cfg.ip != '0) begin
      announce_q <= 1'b1;
    end

    if (rst) begin
      state_q <= CLEAR;
      op_q <= OP_AGE;
      walk_q <= '0;
      announce_q <= 1'b0;
      was_announce_q <= 1'b0;
      was_enable_q <= 1'b0;
      want_q <= 1'b0;
      want_send_q <= 1'b0;
      walk_on_q <= 1'b0;
      defended_q <= 1'b0;
    end
  end

  // ---- packet to send -------------------------------------------------------------------------
  logic vlan_valid_q;
  logic [15:0] vlan_tci_q;

  always_ff @(posedge clk) begin
    if (act) begin
      vlan_valid_q <= op_q == OP_LEARN ? in.vlan_valid : poll_vlan_valid;
      vlan_tci_q   <= op_q == OP_LEARN ? in.vlan_tci : poll_vlan_tci;
    end
  end

  always_comb begin
    tx = '0;
    tx.kind = KIND_ARP;
    tx.mac = reply_q ? in.sha : '1;
    tx.mac_valid = 1'b1;
    tx.vlan_valid = vlan_valid_q && op_q != OP_ASK;
    tx.vlan_tci = vlan_tci_q;
    tx.ip = key_q;
    tx.arp_reply = reply_q;
  end

  assign tx_valid = state_q == SEND;
  assign active   = in_valid || announce_q || (state_q != IDLE && op_q != OP_AGE) || depth != '0;

  logic unused;
  assign unused = &{cfg, unused_ready};
endmodule
