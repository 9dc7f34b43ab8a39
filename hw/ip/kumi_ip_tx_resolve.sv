// SPDX-License-Identifier: Apache-2.0
//
// Selects the next packet to send, finds its next hop (RFC 1122 3.3.1) and MAC address, and begins
// its IPv4 header checksum.
//
// Sources: ARP first, then UDP, raw and ICMP round robin. *_valid with *_ready, one record per
//   cycle.
// look: the ARP cache (kumi_arp_cache); query: kumi_arp_pending_queue.
// b_*: the record for the frame builder until b_done; b_payload: it has some, b_one_beat: of one
//   beat or less; b_pending: to slot b_slot; b_drop: not sent,
//   because it is longer than MTU (b_too_long), no slot is free, its next hop would be 0.0.0.0, or
//   this station has no address (then only broadcasts leave).
// Identification: with cfg.dont_fragment 0, else a count of the packets.
// Latency 4 cycles, one record per cycle, or per two without EVERY_CYCLE; 6 if the address is
// unknown. With EVERY_CYCLE the first and the last stage have a second register each, so b_done
// reaches no further than the last. A record whose address is in the cache while frames to it are
// pending waits for those, so the order is kept.
module kumi_ip_tx_resolve
  import kumi_ip_pkg::*;
#(
    parameter int MTU         = 9000,  // bytes of an IPv4 packet
    parameter int SLOT_BYTES  = 2048,  // bytes of a pending frame
    parameter int SLOT_W      = 2,     // bits of a slot number
    parameter int BEAT_BYTES  = 64,    // of the payload stream
    parameter bit EVERY_CYCLE = 1      // 0: one record in two cycles
) (
    input  logic                 clk,
    input  logic                 rst,
    input  ip_cfg_t              cfg,
    input  ip_tx_t               arp,
    input  logic                 arp_valid,
    output logic                 arp_ready,
    input  ip_tx_t               udp,
    input  logic                 udp_valid,
    output logic                 udp_ready,
    input  ip_tx_t               raw,
    input  logic                 raw_valid,
    output logic                 raw_ready,
    input  ip_tx_t               icmp,
    input  logic                 icmp_valid,
    output logic                 icmp_ready,
    output logic                 look_en,
    output logic    [      31:0] look_ip,
    input  logic                 look_hit,
    input  logic                 look_old,
    input  logic    [      47:0] look_mac,
    output logic                 want,
    output logic    [      31:0] want_ip,
    output logic                 q_en,
    output logic    [      31:0] q_ip,
    input  logic                 q_match,
    input  logic                 q_room,
    input  logic    [SLOT_W-1:0] q_slot,
    output logic                 q_take,
    output logic                 q_vlan_valid,
    output logic    [      15:0] q_vlan_tci,
    output ip_tx_t               b,
    output logic                 b_valid,
    output logic                 b_payload,
    output logic                 b_one_beat,
    output logic                 b_drop,
    output logic                 b_too_long,
    output logic                 b_pending,
    output logic    [SLOT_W-1:0] b_slot,
    output logic    [      15:0] b_total,
    output logic    [      16:0] b_sum,
    input  logic                 b_done,
    output logic                 active
);
  // ---- choice ---------------------------------------------------------------------------------
  ip_tx_t pick;
  ip_kind_e pick_kind, turn_q;
  logic pick_valid, t1_free;
  logic [8:0] raw_low, pick_low;  // protocol and ECN, in the low bytes of their words
  logic [15:0] id_q;

  assign raw_low = {1'b0, raw.proto} + {7'b0, raw.ecn};  // only packets of kernels have ECN

  always_comb begin
    pick_kind = KIND_UDP;
    unique case (turn_q)  // served last
      KIND_UDP: pick_kind = raw_valid ? KIND_RAW : icmp_valid ? KIND_ICMP : KIND_UDP;
      KIND_RAW: pick_kind = icmp_valid ? KIND_ICMP : udp_valid ? KIND_UDP : KIND_RAW;
      default:  pick_kind = udp_valid ? KIND_UDP : raw_valid ? KIND_RAW : KIND_ICMP;
    endcase
    if (arp_valid) pick_kind = KIND_ARP;
    unique case (pick_kind)
      KIND_UDP:  pick = udp;
      KIND_RAW:  pick = raw;
      KIND_ICMP: pick = icmp;
      default:   pick = arp;
    endcase
    // Fields of a single source need no multiplexer.
    pick.src_port  = udp.src_port;
    pick.dst_port  = udp.dst_port;
    pick.checksum  = udp.checksum;
    pick.arp_reply = arp.arp_reply;
    pick.kind      = pick_kind;
    pick.id        = cfg.dont_fragment ? '0 : id_q;
    pick_low       = pick_kind == KIND_RAW ? raw_low : {1'b0, pick.proto};
  end

  assign pick_valid = arp_valid || udp_valid || raw_valid || icmp_valid;
  assign arp_ready  = t1_free && pick_kind == KIND_ARP;
  assign udp_ready  = t1_free && pick_kind == KIND_UDP;
  assign raw_ready  = t1_free && pick_kind == KIND_RAW;
  assign icmp_ready = t1_free && pick_kind == KIND_ICMP;

  // ---- stage 1: record ------------------------------------------------------------------------
  localparam int SLICE = EVERY_CYCLE ? 2 : 3;  // kumi_slice's mode: with a second register

  ip_tx_t t1, t2_q, t3_q;
  logic t1_valid, t2_valid_q, t3_valid_q, t2_free, t3_free, t3_go;
  logic [8:0] t1_low;

  kumi_slice #(
      .W($bits(ip_tx_t) + 9),
      .MODE(SLICE)
  ) u_t1 (
      .clk,
      .rst,
      .s_data ({pick, pick_low}),
      .s_valid(pick_valid),
      .s_ready(t1_free),
      .m_data ({t1, t1_low}),
      .m_valid(t1_valid),
      .m_ready(t2_free)
  );

  always_ff @(posedge clk) begin
    if (t1_free && pick_valid && pick_kind != KIND_ARP) begin
      turn_q <= pick_kind;
      id_q   <= id_q + 1'b1;
    end
    if (rst) begin
      id_q   <= '0;
      turn_q <= KIND_UDP;
    end
  end

  // ---- stage 2: next hop, cache; length; parts of the header sum ------------------------------
  logic nameless_q;  // no address of our own
  logic on_link, t2_broadcast_q, t2_multicast_q;
  logic [31:0] t2_hop_q;
  logic [16:0] t2_dst_q, t2_total_q;
  logic [17:0] own_q;  // constant part of the header sum
  logic [18:0] t2_rest_q;

  assign on_link = ((t1.ip ^ cfg.ip) & cfg.netmask) == '0 || cfg.gateway == '0;
  assign look_ip = on_link ? t1.ip : cfg.gateway;
  assign look_en = t2_free;
  assign t2_free = !t2_valid_q || t3_free;

  always_ff @(posedge clk) begin
    own_q <= {2'b0, cfg.ip[31:16]} + {2'b0, cfg.ip[15:0]} + {2'b0, cfg.ttl, 8'h00} +
        (cfg.dont_fragment ? 18'h08500 : 18'h04500);
    nameless_q <= cfg.ip == '0;
    if (t2_free) begin
      t2_valid_q     <= t1_valid;
      t2_q           <= t1;
      t2_hop_q       <= look_ip;
      t2_broadcast_q <= t1.ip == '1 || t1.ip == (cfg.ip | ~cfg.netmask);
      t2_multicast_q <= t1.ip[31:28] == 4'he;
      t2_total_q     <= {1'b0, t1.length} + (t1.kind == KIND_UDP ? 17'd28 : 17'd20);
      t2_dst_q       <= {1'b0, t1.ip[31:16]} + {1'b0, t1.ip[15:0]};
      t2_rest_q      <= {1'b0, own_q} + {3'b0, t1.id} + {10'b0, t1_low};
    end
    if (rst) t2_valid_q <= 1'b0;
  end

  // ---- stage 3: MAC address, from the cache's memory ------------------------------------------
  logic [31:0] t3_hop_q;
  logic [15:0] t3_total_q;
  logic [18:0] t3_sum_q;
  logic t3_payload_q, t3_one_beat_q;
  logic t3_given_q, t3_hit_q, t3_old_q, t3_too_long_q, t3_no_pending_q;

  always_ff @(posedge clk) begin
    if (t3_free) begin
      t3_valid_q <= t2_valid_q;
      t3_q       <= t2_q;
      unique case ({
        t2_q.mac_valid, t2_broadcast_q, t2_multicast_q
      })
        3'b100, 3'b101, 3'b110, 3'b111: t3_q.mac <= t2_q.mac;
        3'b010, 3'b011: t3_q.mac <= '1;
        3'b001: t3_q.mac <= {24'h01005e, 1'b0, t2_q.ip[22:0]};
        default: t3_q.mac <= look_mac;
      endcase
      t3_hop_q        <= t2_hop_q;
      t3_total_q      <= t2_total_q[15:0];
      t3_given_q      <= t2_broadcast_q || ((t2_q.mac_valid || t2_multicast_q) && !nameless_q);
      t3_hit_q        <= look_hit && !nameless_q;
      t3_old_q        <= look_old;
      t3_too_long_q   <= t2_q.discard || (t2_q.kind != KIND_ARP && t2_total_q > 17'(MTU));
      // ARP never asks for 0.0.0.0, nor as that.
      t3_no_pending_q <= t2_total_q > 17'(SLOT_BYTES - 18) || t2_hop_q == '0 || nameless_q;
      t3_sum_q        <= t2_rest_q + {2'b0, t2_dst_q} + {2'b0, t2_total_q};
      t3_payload_q    <= t2_q.kind != KIND_ARP && t2_q.length != '0;
      t3_one_beat_q   <= t2_q.length <= 16'(BEAT_BYTES);
    end else if (t3_go) t3_valid_q <= 1'b0;
    if (rst) t3_valid_q <= 1'b0;
  end

  // ---- stage 4: decision ----------------------------------------------------------------------
  typedef struct packed {
    ip_tx_t            record;
    logic              payload;
    logic              one_beat;
    logic              drop;
    logic              too_long;
    logic              pending;
    logic [SLOT_W-1:0] slot;
    logic [15:0]       total;
    logic [16:0]       sum;
  } decided_t;

  decided_t t4_in, t4;
  logic t4_free, need, miss, room;
  // For a packet with unknown address: the pending queue has decided whether a slot is available.
  logic asked_q, decided_q, pending_q;
  logic [SLOT_W-1:0] slot_q;

  assign need         = !t3_given_q && !t3_too_long_q;
  assign miss         = need && !t3_hit_q;
  assign room         = q_room && !t3_no_pending_q;
  assign t3_go        = t4_free && (!need || (t3_hit_q && !q_match) || decided_q);
  // Every second cycle suffices for frames of two beats, and breaks the ready path.
  assign t3_free      = !t3_valid_q || (EVERY_CYCLE && t3_go);

  assign want_ip      = t3_hop_q;
  assign q_en         = t3_free;
  assign q_ip         = t2_hop_q;
  assign want         = t3_valid_q && need && t3_hit_q && t3_old_q;
  assign q_take       = t3_valid_q && miss && asked_q && room && !decided_q;
  assign q_vlan_valid = t3_q.vlan_valid;
  assign q_vlan_tci   = t3_q.vlan_tci;

  always_ff @(posedge clk) begin
    asked_q   <= t3_valid_q && miss && !t3_go;
    decided_q <= t3_valid_q && asked_q && !t3_go;
    if (!decided_q) begin
      pending_q <= room;
      slot_q <= q_slot;
    end
  end

  assign t4_in = '{
          record: t3_q,
          payload: t3_payload_q,
          one_beat: t3_one_beat_q,
          drop: t3_too_long_q || (miss && !pending_q),
          too_long: t3_too_long_q,
          pending: miss && pending_q,
          slot: slot_q,
          total: t3_total_q,
          sum: {1'b0, t3_sum_q[15:0]} + {14'b0, t3_sum_q[18:16]}
      };

  kumi_slice #(
      .W($bits(decided_t)),
      .MODE(SLICE)
  ) u_t4 (
      .clk,
      .rst,
      .s_data (t4_in),
      .s_valid(t3_valid_q && t3_go),
      .s_ready(t4_free),
      .m_data (t4),
      .m_valid(b_valid),
      .m_ready(b_done)
  );

  assign b          = t4.record;
  assign b_payload  = t4.payload;
  assign b_one_beat = t4.one_beat;
  assign b_drop     = t4.drop;
  assign b_too_long = t4.too_long;
  assign b_pending  = t4.pending;
  assign b_slot     = t4.slot;
  assign b_total    = t4.total;
  assign b_sum      = t4.sum;
  assign active     = t1_valid || t2_valid_q || t3_valid_q || b_valid;

  logic unused;
  assign unused = &{cfg, pick};
endmodule
