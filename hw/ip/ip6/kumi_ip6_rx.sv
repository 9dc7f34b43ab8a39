// SPDX-License-Identifier: Apache-2.0
//
// Received IPv6 packets: to the IPv4 stack as IPv4 packets of the peer's handle, to kumi_ip6_nd if
// they are ICMPv6, or away.
//
// s_head, s_axis: as kumi_ip6_split gives them.
// m_axis: Ethernet frames with IPv4 (RFC 7915, section 5.1): TTL is the hop limit, DF is set, the
//   checksum of TCP or UDP is brought in line with the other pseudo-header (RFC 1624) and not
//   checked here. UDP without a checksum (RFC 8200, section 8.1) leaves marked bad.
// m_icmp_head, m_icmp: ICMPv6 to one of our addresses or a group, padding included.
// own: our addresses. learn_*: kumi_ip6_peers.
// A packet in 19 cycles, one beat a cycle; latency: see kumi_ip6. Bad input: dropped, one event.
module kumi_ip6_rx
  import kumi_ip6_pkg::*;
#(
    parameter int DATA_W = 64  // bits of a beat
) (
    input logic clk,
    input logic rst,
    input ip6_cfg_t cfg,
    input ip6_own_t [OWNS-1:0] own,
    kumi_rec_if.snk s_head,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src m_icmp_head,
    kumi_axis_if.src m_icmp,
    output logic learn_valid,
    input logic learn_ready,
    output logic [127:0] learn_address,
    output logic [1:0] learn_own,
    output logic [47:0] learn_mac,
    input logic learn_done,
    input logic learn_full,
    input logic [31:0] learn_handle,
    output logic ev_packet,
    output logic ev_mac,
    output logic ev_source,
    output logic ev_address,
    output logic ev_next,
    output logic ev_peers,
    output logic busy
);
  typedef enum logic [1:0] {
    DROP,
    ICMP,
    PACKET
  } ip6_route_e;

  // What becomes of the frame that is next in the stream.
  typedef struct packed {
    ip6_route_e  route;
    logic        udp;
    logic [1:0]  ecn;
    logic [15:0] total;
    logic [7:0]  ttl;
    logic [31:0] handle;
    logic [15:0] header;  // IPv4's checksum
    logic [15:0] delta;   // to add to that of TCP or UDP
  } ip6_rx_verdict_t;

  // ---- a few packets wait ---------------------------------------------------------------------
  kumi_rec_if #(.W($bits(ip6_head_t))) head_in ();
  kumi_axis_if #(.DATA_W(DATA_W)) body ();
  logic [1:0] unused_heads;
  logic [5:0] unused_beats;

  kumi_rec_fifo #(
      .DEPTH(2)
  ) u_heads (
      .clk,
      .rst,
      .s_hdr(s_head),
      .m_hdr(head_in),
      .depth(unused_heads)
  );

  kumi_axis_fifo #(
      .DEPTH(32)
  ) u_body (
      .clk,
      .rst,
      .s_axis,
      .m_axis(body),
      .depth (unused_beats)
  );

  // ---- verdict --------------------------------------------------------------------------------
  typedef enum logic [2:0] {
    IDLE,
    CHECK,
    JUDGE,
    LEARN,
    LEARNING,
    ADD,
    TELL
  } state_e;

  state_e state_q;
  ip6_head_t h_q;
  logic mac_ok_q, mac_group_q, src_ok_q, group_q, all_nodes_q;
  logic [OWNS-1:0] own_q, solicited_q;
  logic is_icmp_q, is_udp_q, is_packet_q, room_q, from_own_q;
  ip6_rx_verdict_t verdict_q, verdict;
  logic verdict_ready, verdict_valid, verdict_move;
  logic sum_go_q, add_go_q, six_valid, add_valid, unused_valid;
  logic [15:0] six, delta, header;

  assign head_in.ready = state_q == IDLE;

  // Of IPv6's addresses, then with what takes their place, or with the rest of ICMPv6's
  // pseudo-header; and of IPv4's header. Numbers have their last byte where a frame has its first,
  // which a one's complement sum shows by its own two bytes (RFC 1071, section 2B).
  kumi_checksum #(
      .DATA_W(256)
  ) u_six (
      .clk,
      .rst,
      .in_valid (sum_go_q),
      .in_last  (1'b1),
      .in_data  ({h_q.src, h_q.dst}),
      .in_keep  ('1),
      .in_seed  ('0),
      .out_valid(six_valid),
      .out_sum  (six)
  );

  kumi_checksum #(
      .DATA_W(64)
  ) u_delta (
      .clk,
      .rst,
      .in_valid (add_go_q),
      .in_last  (1'b1),
      .in_data  (is_icmp_q ? {40'b0, NEXT_ICMP6, h_q.length} : {~verdict_q.handle, ~cfg.ip}),
      .in_keep  ('1),
      .in_seed  (six),
      .out_valid(unused_valid),
      .out_sum  (delta)
  );

  kumi_checksum #(
      .DATA_W(128)
  ) u_header (
      .clk,
      .rst,
      .in_valid(add_go_q),
      .in_last(1'b1),
      .in_data({
        8'h45,
        6'b0,
        h_q.ecn,
        verdict_q.total,
        16'h4000,
        h_q.hops,
        h_q.next,
        verdict_q.handle,
        cfg.ip
      }),
      .in_keep('1),
      .in_seed('0),
      .out_valid(add_valid),
      .out_sum(header)
  );

  always_ff @(posedge clk) begin
    {ev_packet, ev_mac, ev_source, ev_address, ev_next, ev_peers} <= '0;
    sum_go_q <= 1'b0;
    add_go_q <= 1'b0;

    unique case (state_q)
      IDLE: begin
        if (head_in.valid) begin
          h_q <= ip6_head_t'(head_in.data);
          state_q <= CHECK;
        end
      end

      CHECK: begin
        mac_ok_q <= h_q.dst_mac == cfg.mac;
        mac_group_q <= h_q.dst_mac[47:32] == 16'h3333;
        // Neither a group, nor ::1 or an address mapped from IPv4; "no address" only for ICMPv6.
        src_ok_q <= h_q.src[127:120] != 8'hff && !h_q.mac[40] && h_q.mac[47:32] != HANDLE_OUI
            && (h_q.src[127:32] != '0 || (h_q.src[31:0] == '0 && h_q.next == NEXT_ICMP6))
            && h_q.src[127:32] != 96'hffff;
        group_q <= h_q.dst[127:120] == 8'hff;
        all_nodes_q <= h_q.dst == ALL_NODES;
        // Of ICMPv6 it means that another station has our address.
        from_own_q <= 1'b0;
        for (int i = 0; i < OWNS; i++) begin
          if (own[i].valid && h_q.src == own[i].address) from_own_q <= h_q.next != NEXT_ICMP6;
          own_q[i] <= own[i].valid && h_q.dst == own[i].address;
          // Also while an address is being probed (RFC 4862, section 5.4).
          solicited_q[i] <= h_q.dst == {SOLICITED_NET, own[i].address[23:0]};
        end
        is_icmp_q <= h_q.next == NEXT_ICMP6;
        is_udp_q <= h_q.next == NEXT_UDP;
        is_packet_q <= h_q.next == NEXT_TCP || h_q.next == NEXT_UDP;
        room_q <= h_q.length <= 16'd65515;  // as IPv4's total length
        state_q <= JUDGE;
      end

      JUDGE: begin
        verdict_q <= '0;
        verdict_q.route <= DROP;
        verdict_q.udp <= is_udp_q;
        verdict_q.ecn <= h_q.ecn;
        verdict_q.total <= h_q.length + 16'd20;
        verdict_q.ttl <= h_q.hops;
        state_q <= TELL;
        if (!cfg.enable || !(mac_ok_q || mac_group_q)) ev_mac <= 1'b1;
        else if (!src_ok_q || from_own_q || h_q.version != 4'd6) ev_source <= 1'b1;
        else if (!(own_q != '0 || (is_icmp_q && (all_nodes_q || solicited_q != '0)))
            || mac_group_q != group_q)
          ev_address <= 1'b1;
        else if (is_icmp_q) begin
          verdict_q.route <= ICMP;
          sum_go_q <= 1'b1;
          state_q <= LEARNING;
        end else if (!is_packet_q || !room_q) ev_next <= 1'b1;
        else begin
          sum_go_q <= 1'b1;
          state_q  <= LEARN;
        end
      end

      LEARN: if (learn_ready) state_q <= LEARNING;

      // The sum of the addresses takes 5 cycles and then stays; to learn takes longer.
      LEARNING: begin
        if (is_icmp_q) begin
          if (six_valid) state_q <= ADD;
        end else if (learn_full) begin
          ev_peers <= 1'b1;
          state_q  <= TELL;
        end else if (learn_done) begin
          verdict_q.route <= PACKET;
          verdict_q.handle <= learn_handle;
          ev_packet <= 1'b1;
          state_q <= ADD;
        end
        add_go_q <= is_icmp_q ? six_valid : learn_done;
      end

      ADD: begin
        if (add_valid) begin
          verdict_q.header <= ~{header[7:0], header[15:8]};
          verdict_q.delta <= {delta[7:0], delta[15:8]};
          state_q <= TELL;
        end
      end

      TELL: if (verdict_ready && (verdict_q.route != ICMP || m_icmp_head.ready)) state_q <= IDLE;

      default: state_q <= IDLE;
    endcase
    if (rst) begin
      state_q  <= IDLE;
      sum_go_q <= 1'b0;
      add_go_q <= 1'b0;
    end
  end

  assign learn_valid = state_q == LEARN;
  assign learn_address = h_q.src;
  assign learn_mac = h_q.mac;
  assign learn_own = own_q[OWN_GIVEN] ? 2'(OWN_GIVEN)
      : own_q[OWN_AUTO] ? 2'(OWN_AUTO) : 2'(OWN_LINK);

  icmp6_rx_t message;
  assign message = '{
          mac: h_q.mac,
          hops: h_q.hops,
          src: h_q.src,
          dst: h_q.dst,
          length: h_q.length,
          seed: verdict_q.delta
      };
  assign m_icmp_head.valid = state_q == TELL && verdict_q.route == ICMP && verdict_ready;
  assign m_icmp_head.data = message;

  logic tell;
  assign tell = state_q == TELL && (verdict_q.route != ICMP || m_icmp_head.ready);

  logic [2:0] unused_verdicts;
  kumi_fifo #(
      .W($bits(ip6_rx_verdict_t)),
      .DEPTH(4)
  ) u_verdicts (
      .clk,
      .rst,
      .s_data (verdict_q),
      .s_valid(tell),
      .s_ready(verdict_ready),
      .m_data (verdict),
      .m_valid(verdict_valid),
      .m_ready(verdict_move),
      .depth  (unused_verdicts)
  );

  // ---- the frames -----------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) patched ();
  logic go, to_packet, to_icmp, gone, ready;

  assign to_packet = verdict.route == PACKET;
  assign to_icmp = verdict.route == ICMP;
  assign ready = to_packet ? patched.tready : to_icmp ? m_icmp.tready : 1'b1;
  assign body.tready = verdict_valid && ready;
  assign go = body.tvalid && verdict_valid;
  assign gone = go && ready;
  assign verdict_move = gone && body.tlast;

  assign m_icmp.tvalid = go && to_icmp;
  assign m_icmp.tdata = body.tdata;
  assign m_icmp.tkeep = body.tkeep;
  assign m_icmp.tlast = body.tlast;
  assign m_icmp.tuser = body.tuser;
  assign m_icmp.tid = '0;
  assign m_icmp.tdest = '0;

  logic no_checksum;

  kumi_ip6_patch #(
      .DATA_W(DATA_W)
  ) u_patch (
      .clk,
      .rst,
      .take(gone),
      .last(body.tlast),
      .udp(verdict.udp),
      .delta(verdict.delta),
      .in_data(body.tdata),
      .out_data(patched.tdata),
      .no_checksum
  );

  assign patched.tvalid = go && to_packet;
  assign patched.tkeep = body.tkeep;
  assign patched.tlast = body.tlast;
  assign patched.tuser = body.tuser | 1'(body.tlast && no_checksum);
  assign patched.tid = '0;
  assign patched.tdest = '0;

  // Headers in the order of the wire: Ethernet, IPv4.
  logic [33:0][7:0] frame;
  logic [271:0] wire_order;
  assign wire_order = {
    cfg.mac,
    HANDLE_OUI,
    verdict.handle,
    16'h0800,
    8'h45,
    6'b0,
    verdict.ecn,
    verdict.total,
    32'h0000_4000,
    verdict.ttl,
    verdict.udp ? NEXT_UDP : NEXT_TCP,
    verdict.header,
    verdict.handle,
    cfg.ip
  };
  for (genvar n = 0; n < 34; n++) begin : gen_frame
    assign frame[n] = wire_order[8*(33-n)+:8];
  end

  kumi_axis_prepend #(
      .BYTES(34)
  ) u_headers (
      .clk,
      .rst,
      .head  (frame),
      .s_axis(patched),
      .m_axis
  );

  assign busy = s_head.valid || head_in.valid || state_q != IDLE || verdict_valid || body.tvalid;

  logic unused;
  assign unused = &{unused_heads, unused_beats, unused_verdicts, unused_valid, own, cfg};
endmodule
