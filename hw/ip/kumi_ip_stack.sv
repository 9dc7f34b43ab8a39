// SPDX-License-Identifier: Apache-2.0
//
// IP stack of one port: Ethernet, ARP (RFC 826, 5227), IPv4 (RFC 791, 1122), ICMP echo and port
//   unreachable (RFC 792), UDP (RFC 768), one beat per cycle.
//
// s_axis, m_axis: Ethernet frames without FCS, with or without 802.1Q tag; tuser[0] at tlast: bad.
// m_udp_hdr, m_udp: received datagrams: udp_hdr_t no later than the first payload beat. tuser[0] at
//   tlast: the payload proved bad after it had begun (never with RX_STORE). Length 0: no payload.
// s_udp_hdr, s_udp: datagrams to send; the payload has the record's length.
// m_ip_hdr, m_ip, s_ip_hdr, s_ip: the same with ip_hdr_t for all other protocols except ICMP; the
//   payload starts at the header of that protocol.
// cfg: settings, from registers. ev: events, to counters. busy: work is in progress. unresolved: a
//   next hop does not answer ARP requests, packets to it were dropped.
// Latency in cycles without stalls: eth beat to payload beat 8 / 8 / 7 / 7, record to eth beat 7 /
//   8 / 8 / 8 (64 / 128 / 256 / 512 bits). One beat per cycle, frames back to back. RX_STORE and
//   CKS_GENERATE add the length of the frame.
// Bad input: dropped or marked, and counted; one outcome per frame (ip_events_t). A kernel that
//   does not accept its payload stalls s_axis; ARP and ICMP never do.
module kumi_ip_stack
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W          = 64,     // bits of a beat: 64, 128, 256, 512
    parameter bit RX_STORE        = 0,      // 1: store and forward, deliver only verified packets
    parameter int RX_STORE_BYTES  = 16384,  // of payload buffered with RX_STORE, a power of two
    parameter int MTU             = 9000,   // longest IPv4 packet sent
    parameter int TX_FIFO_BYTES   = 16384,  // of UDP payload buffered, a power of two
    parameter int ICMP_FIFO_BYTES = 16384,  // of echo requests buffered, a power of two
    parameter int ARP_ENTRIES     = 512,    // of the cache, a power of two, 64..4096
    parameter int PENDING_SLOTS   = 4,      // frames waiting for ARP: 2, 4, 8, 16
    parameter int PENDING_BYTES   = 2048    // longest such frame, a power of two
) (
    input  logic            clk,
    input  logic            rst,
    input  ip_cfg_t         cfg,
    output ip_events_t      ev,
    output logic            busy,
    output ip_unresolved_t  unresolved,
           kumi_axis_if.snk s_axis,
           kumi_axis_if.src m_axis,
           kumi_rec_if.src  m_udp_hdr,
           kumi_axis_if.src m_udp,
           kumi_rec_if.snk  s_udp_hdr,
           kumi_axis_if.snk s_udp,
           kumi_rec_if.src  m_ip_hdr,
           kumi_axis_if.src m_ip,
           kumi_rec_if.snk  s_ip_hdr,
           kumi_axis_if.snk s_ip
);
  localparam int B = DATA_W / 8;

  if (s_axis.DATA_W != DATA_W || m_axis.DATA_W != DATA_W || m_udp.DATA_W != DATA_W
      || s_udp.DATA_W != DATA_W || m_ip.DATA_W != DATA_W || s_ip.DATA_W != DATA_W
      ) begin : gen_check_data
    $fatal(0, "a stream is not DATA_W wide (%m)");
  end
  if (m_udp_hdr.W != UDP_HDR_W || s_udp_hdr.W != UDP_HDR_W || m_ip_hdr.W != IP_HDR_W
      || s_ip_hdr.W != IP_HDR_W) begin : gen_check_hdr
    $fatal(0, "a header stream has the wrong width (%m)");
  end
  if (MTU < 68 || MTU > 65535) begin : gen_check_mtu
    $fatal(0, "MTU must be 68..65535 (%m)");
  end

  // ---- ticks ----------------------------------------------------------------------------------
  logic tick, tick_retry, tick_age;

  kumi_ip_tick_gen u_tick_gen (
      .clk,
      .rst,
      .cfg,
      .tick,
      .tick_retry,
      .tick_age
  );

  // ---- receive --------------------------------------------------------------------------------
  logic [DATA_W-1:0] o_data;
  logic [B-1:0] o_keep;
  logic o_valid, o_ready, o_last, o_bad, rec_valid, rec_ready;
  ip_kind_e o_kind;
  ip_rx_t rec;
  arp_rx_t arp_rx;
  ip_closed_t closed;
  logic closed_valid;
  logic arp_rx_valid, arp_rx_full, outcome_valid, rx_active;
  rx_outcome_e outcome;

  kumi_ip_rx #(
      .DATA_W(DATA_W),
      .MAX_PAYLOAD(RX_STORE ? RX_STORE_BYTES : 65535)
  ) u_rx (
      .clk,
      .rst,
      .cfg,
      .s_axis,
      .o_data,
      .o_keep,
      .o_valid,
      .o_ready,
      .o_last,
      .o_bad,
      .o_kind,
      .rec,
      .rec_valid,
      .rec_ready,
      .arp(arp_rx),
      .arp_valid(arp_rx_valid),
      .arp_full(arp_rx_full),
      .closed,
      .closed_valid,
      .outcome_valid,
      .outcome,
      .active(rx_active)
  );

  // ---- delivery to kernels, after verification with RX_STORE ----------------------------------
  logic [DATA_W-1:0] k_data;
  logic [B-1:0] k_keep;
  logic k_valid, k_ready, k_last, k_bad, k_raw, k_rec_valid, k_rec_ready, store_active;
  ip_rx_t k_rec;

  if (RX_STORE) begin : gen_rx_buf
    logic store_ready;

    kumi_ip_rx_buf #(
        .DATA_W(DATA_W),
        .FIFO_BYTES(RX_STORE_BYTES)
    ) u_rx_buf (
        .clk,
        .rst,
        .s_data(o_data),
        .s_keep(o_keep),
        .s_valid(o_valid && o_kind != KIND_ICMP),
        .s_ready(store_ready),
        .s_last(o_last),
        .s_bad(o_bad),
        .s_rec(rec),
        .s_rec_valid(rec_valid),
        .s_rec_ready(rec_ready),
        .m_data(k_data),
        .m_keep(k_keep),
        .m_valid(k_valid),
        .m_ready(k_ready),
        .m_last(k_last),
        .m_raw(k_raw),
        .m_rec(k_rec),
        .m_rec_valid(k_rec_valid),
        .m_rec_ready(k_rec_ready),
        .active(store_active)
    );
    assign k_bad   = 1'b0;
    assign o_ready = o_kind == KIND_ICMP || store_ready;
  end else begin : gen_cut_through
    assign k_data = o_data;
    assign k_keep = o_keep;
    assign k_valid = o_valid && o_kind != KIND_ICMP;
    assign k_last = o_last;
    assign k_bad = o_bad;
    assign k_raw = o_kind == KIND_RAW;
    assign o_ready = o_kind == KIND_ICMP || k_ready;
    assign k_rec = rec;
    assign k_rec_valid = rec_valid;
    assign rec_ready = k_rec_ready;
    assign store_active = 1'b0;
  end

  udp_hdr_t udp_rec;
  ip_hdr_t  ip_rec;

  always_comb begin
    udp_rec.peer_mac = k_rec.mac;
    udp_rec.peer_mac_valid = 1'b1;
    udp_rec.vlan_valid = k_rec.vlan_valid;
    udp_rec.vlan_tci = k_rec.vlan_tci;
    udp_rec.peer_ip = k_rec.ip;
    udp_rec.peer_port = k_rec.src_port;
    udp_rec.local_port = k_rec.dst_port;
    udp_rec.length = k_rec.length;
    udp_rec.checksum = k_rec.checksum;
    udp_rec.cks = k_rec.checksum == '0 ? CKS_NONE : CKS_GIVEN;
    ip_rec.peer_mac = k_rec.mac;
    ip_rec.peer_mac_valid = 1'b1;
    ip_rec.vlan_valid = k_rec.vlan_valid;
    ip_rec.vlan_tci = k_rec.vlan_tci;
    ip_rec.peer_ip = k_rec.ip;
    ip_rec.proto = k_rec.proto;
    ip_rec.ecn = k_rec.ecn;
    ip_rec.length = k_rec.length;
  end

  assign m_udp_hdr.data  = udp_rec;
  assign m_udp_hdr.valid = k_rec_valid && k_rec.kind == KIND_UDP;
  assign m_ip_hdr.data   = ip_rec;
  assign m_ip_hdr.valid  = k_rec_valid && k_rec.kind == KIND_RAW;
  assign k_rec_ready     = k_rec.kind == KIND_UDP ? m_udp_hdr.ready : m_ip_hdr.ready;

  assign m_udp.tdata     = k_data;
  assign m_udp.tkeep     = k_keep;
  assign m_udp.tvalid    = k_valid && !k_raw;
  assign m_udp.tlast     = k_last;
  assign m_udp.tuser     = m_udp.USER_W'(k_last && k_bad);
  assign m_udp.tid       = '0;
  assign m_udp.tdest     = '0;
  assign m_ip.tdata      = k_data;
  assign m_ip.tkeep      = k_keep;
  assign m_ip.tvalid     = k_valid && k_raw;
  assign m_ip.tlast      = k_last;
  assign m_ip.tuser      = m_ip.USER_W'(k_last && k_bad);
  assign m_ip.tid        = '0;
  assign m_ip.tdest      = '0;
  assign k_ready         = k_raw ? m_ip.tready : m_udp.tready;

  // ---- ICMP -----------------------------------------------------------------------------------
  ip_tx_t icmp, echo, error, udp, raw, arp;
  logic icmp_valid, icmp_ready, icmp_full, icmp_p_valid, icmp_p_ready, icmp_p_last, icmp_active;
  logic echo_valid, echo_ready, echo_p_valid, echo_p_ready, echo_p_last;
  logic error_valid, error_ready, error_p_valid, error_p_ready, error_p_last, error_active;
  logic ev_unreachable, ev_limited;
  logic [DATA_W-1:0] echo_p_data, error_p_data;
  logic [B-1:0] echo_p_keep, error_p_keep;
  logic [DATA_W-1:0] icmp_p_data;
  logic [B-1:0] icmp_p_keep;

  kumi_icmp_echo #(
      .DATA_W(DATA_W),
      .FIFO_BYTES(ICMP_FIFO_BYTES)
  ) u_icmp (
      .clk,
      .rst,
      .s_data(o_data),
      .s_keep(o_keep),
      .s_valid(o_valid && o_kind == KIND_ICMP),
      .s_last(o_last),
      .s_bad(o_bad),
      .rec,
      .full(icmp_full),
      .t(echo),
      .t_valid(echo_valid),
      .t_ready(echo_ready),
      .p_data(echo_p_data),
      .p_keep(echo_p_keep),
      .p_valid(echo_p_valid),
      .p_ready(echo_p_ready),
      .p_last(echo_p_last),
      .active(icmp_active)
  );

  kumi_icmp_unreachable #(
      .DATA_W(DATA_W)
  ) u_unreachable (
      .clk,
      .rst,
      .tick,
      .interval(cfg.error_ticks),
      .closed_valid,
      .closed,
      .t(error),
      .t_valid(error_valid),
      .t_ready(error_ready),
      .p_data(error_p_data),
      .p_keep(error_p_keep),
      .p_valid(error_p_valid),
      .p_ready(error_p_ready),
      .p_last(error_p_last),
      .ev_made(ev_unreachable),
      .ev_limited,
      .active(error_active)
  );

  kumi_icmp_merge #(
      .DATA_W(DATA_W)
  ) u_icmp_merge (
      .clk,
      .rst,
      .e(echo),
      .e_valid(echo_valid),
      .e_ready(echo_ready),
      .e_p_data(echo_p_data),
      .e_p_keep(echo_p_keep),
      .e_p_valid(echo_p_valid),
      .e_p_ready(echo_p_ready),
      .e_p_last(echo_p_last),
      .u(error),
      .u_valid(error_valid),
      .u_ready(error_ready),
      .u_p_data(error_p_data),
      .u_p_keep(error_p_keep),
      .u_p_valid(error_p_valid),
      .u_p_ready(error_p_ready),
      .u_p_last(error_p_last),
      .t(icmp),
      .t_valid(icmp_valid),
      .t_ready(icmp_ready),
      .p_data(icmp_p_data),
      .p_keep(icmp_p_keep),
      .p_valid(icmp_p_valid),
      .p_ready(icmp_p_ready),
      .p_last(icmp_p_last)
  );

  // ---- datagrams of kernels -------------------------------------------------------------------
  logic udp_valid, udp_ready, udp_p_valid, udp_p_ready, udp_p_last, udp_p_bad;
  logic [DATA_W-1:0] udp_p_data;
  logic [B-1:0] udp_p_keep;

  kumi_udp_tx #(
      .DATA_W(DATA_W),
      .FIFO_BYTES(TX_FIFO_BYTES)
  ) u_udp_tx (
      .clk,
      .rst,
      .cfg,
      .s_hdr(s_udp_hdr),
      .s_axis(s_udp),
      .t(udp),
      .t_valid(udp_valid),
      .t_ready(udp_ready),
      .p_data(udp_p_data),
      .p_keep(udp_p_keep),
      .p_valid(udp_p_valid),
      .p_ready(udp_p_ready),
      .p_last(udp_p_last),
      .p_bad(udp_p_bad)
  );

  ip_hdr_t raw_hdr;
  logic raw_ready;
  assign raw_hdr = ip_hdr_t'(s_ip_hdr.data);
  assign s_ip_hdr.ready = raw_ready;

  always_comb begin
    raw = '0;
    raw.kind = KIND_RAW;
    raw.mac = raw_hdr.peer_mac;
    raw.mac_valid = raw_hdr.peer_mac_valid;
    raw.vlan_valid = raw_hdr.vlan_valid;
    raw.vlan_tci = raw_hdr.vlan_tci;
    raw.ip = raw_hdr.peer_ip;
    raw.proto = raw_hdr.proto;
    raw.ecn = raw_hdr.ecn;
    raw.length = raw_hdr.length;
  end

  // ---- ARP ------------------------------------------------------------------------------------
  logic arp_valid, arp_ready, arp_active;
  logic look_en, look_hit, look_old, want;
  logic [31:0] look_ip, want_ip, poll_ip;
  logic [47:0] look_mac, poll_mac;
  logic
      any_pending,
      poll_valid,
      poll_vlan_valid,
      poll_due,
      poll_expired,
      poll_done,
      poll_hit,
      poll_asked;
  logic [15:0] poll_vlan_tci;
  logic ev_learn, ev_ignored, ev_conflict, ev_aged;

  kumi_arp #(
      .ENTRIES(ARP_ENTRIES)
  ) u_arp (
      .rx(arp_rx),
      .rx_valid(arp_rx_valid),
      .rx_full(arp_rx_full),
      .tx(arp),
      .tx_valid(arp_valid),
      .tx_ready(arp_ready),
      .active(arp_active),
      .*
  );

  // ---- transmit -------------------------------------------------------------------------------
  logic tx_active;
  logic ev_udp, ev_raw, ev_icmp, ev_arp_request, ev_arp_reply, ev_bad, ev_drop_length;
  logic ev_drop_pending_full, ev_drop_timeout, ev_pending, ev_resolved, ev_frame;

  kumi_ip_tx #(
      .DATA_W(DATA_W),
      .MTU(MTU),
      .SLOTS(PENDING_SLOTS),
      .SLOT_BYTES(PENDING_BYTES)
  ) u_tx (
      .raw_valid(s_ip_hdr.valid),
      .raw_p(s_ip),
      .learned(ev_learn),
      .active(tx_active),
      .*
  );

  // ---- events ---------------------------------------------------------------------------------
  always_comb begin
    ev = '0;
    ev.rx_frame = outcome_valid;
    if (outcome_valid) begin
      unique case (outcome)
        RX_UDP: ev.rx_udp = 1'b1;
        RX_RAW: ev.rx_raw = 1'b1;
        RX_ICMP: begin
          ev.rx_icmp = !icmp_full;
          ev.drop_icmp_busy = icmp_full;
        end
        RX_ARP: ev.rx_arp = 1'b1;
        DROP_RUNT: ev.drop_runt = 1'b1;
        DROP_MAC: ev.drop_mac = 1'b1;
        DROP_ETHERTYPE: ev.drop_ethertype = 1'b1;
        DROP_ARP: ev.drop_arp = 1'b1;
        DROP_ARP_BUSY: ev.drop_arp_busy = 1'b1;
        DROP_IP_VERSION: ev.drop_ip_version = 1'b1;
        DROP_IP_OPTIONS: ev.drop_ip_options = 1'b1;
        DROP_IP_LENGTH: ev.drop_ip_length = 1'b1;
        DROP_IP_FRAGMENT: ev.drop_ip_fragment = 1'b1;
        DROP_IP_TTL: ev.drop_ip_ttl = 1'b1;
        DROP_IP_CHECKSUM: ev.drop_ip_checksum = 1'b1;
        DROP_IP_SRC: ev.drop_ip_src = 1'b1;
        DROP_IP_DST: ev.drop_ip_dst = 1'b1;
        DROP_IP_PROTO: ev.drop_ip_proto = 1'b1;
        DROP_UDP_LENGTH: ev.drop_udp_length = 1'b1;
        DROP_UDP_CHECKSUM: ev.drop_udp_checksum = 1'b1;
        DROP_UDP_PORT: ev.drop_udp_port = 1'b1;
        DROP_ICMP_TYPE: ev.drop_icmp_type = 1'b1;
        DROP_ICMP_CHECKSUM: ev.drop_icmp_checksum = 1'b1;
        DROP_STORE: ev.drop_store = 1'b1;
        DROP_TCP_DST: ev.drop_tcp_dst = 1'b1;
        default: ev.drop_bad = 1'b1;
      endcase
    end
    ev.tx_udp = ev_udp;
    ev.tx_raw = ev_raw;
    ev.tx_icmp = ev_icmp;
    ev.tx_resolved = ev_resolved;
    ev.tx_bad = ev_bad;
    ev.tx_drop_length = ev_drop_length;
    ev.tx_drop_pending_full = ev_drop_pending_full;
    ev.tx_drop_timeout = ev_drop_timeout;
    ev.tx_frame = ev_frame;
    ev.tx_pending = ev_pending;
    ev.arp_request = ev_arp_request;
    ev.arp_reply = ev_arp_reply;
    ev.arp_learn = ev_learn;
    ev.arp_ignored = ev_ignored;
    ev.arp_conflict = ev_conflict;
    ev.arp_expired = ev_aged;
    ev.icmp_unreachable = ev_unreachable;
    ev.icmp_limited = ev_limited;
  end

  assign busy = rx_active || store_active || icmp_active || error_active || icmp_valid ||
      icmp_p_valid || arp_active || tx_active || udp_valid;
endmodule
