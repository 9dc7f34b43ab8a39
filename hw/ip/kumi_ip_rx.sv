// SPDX-License-Identifier: Apache-2.0
//
// Receive side: Ethernet II (IEEE 802.3, 802.1Q), ARP (RFC 826), IPv4 (RFC 791, RFC 1122), UDP (RFC
//   768) and ICMP echo requests (RFC 792): checks and strips all headers, trims Ethernet padding,
//   outputs payload and record.
//
// s_axis: frames without FCS, tuser[0] with tlast: bad.
// o_*: payload beats (o_valid, o_ready), keep/last as in kumi_axis_if; o_bad with o_last: the frame
//   proved bad after its first beat was sent.
// rec: the record of a packet (rec_valid, rec_ready), no later than its first payload beat. Omitted
//   for a bad packet without payload, and for one known to be bad before its first beat. For ICMP
//   rec_valid stays low; rec is stable with the beats of the packet.
// arp: ARP packets, one cycle of arp_valid each; arp_full refuses them.
// closed: datagrams that deserve an ICMP port unreachable (RFC 1122, 3.2.2), one cycle of
//   closed_valid each: correct, from a host's address to this station's own MAC and IP addresses,
//   and to a port not in cfg.udp_ports.
// outcome: one cycle of outcome_valid per frame, at its end.
// Cut-through: first beat in to first payload beat out 8, 7, 7, 7 cycles at 64, 128, 256, 512 bits;
//   one beat per cycle, one frame per cycle if they are that short. Backpressure on o or rec stalls
//   s_axis.
// Bad input never stalls: each frame ends in exactly one outcome at its last beat.
module kumi_ip_rx
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W      = 64,    // bits of a beat
    parameter int MAX_PAYLOAD = 65535  // longest UDP or raw payload delivered
) (
    input  logic                           clk,
    input  logic                           rst,
    input  ip_cfg_t                        cfg,
           kumi_axis_if.snk                s_axis,
    output logic            [  DATA_W-1:0] o_data,
    output logic            [DATA_W/8-1:0] o_keep,
    output logic                           o_valid,
    input  logic                           o_ready,
    output logic                           o_last,
    output logic                           o_bad,
    output ip_kind_e                       o_kind,
    output ip_rx_t                         rec,
    output logic                           rec_valid,
    input  logic                           rec_ready,
    output arp_rx_t                        arp,
    output logic                           arp_valid,
    input  logic                           arp_full,
    output ip_closed_t                     closed,
    output logic                           closed_valid,
    output logic                           outcome_valid,
    output rx_outcome_e                    outcome,
    output logic                           active
);
  localparam int B = DATA_W / 8;
  // Registers between VLAN stripping and the realigner, and the stage that masks checksum bytes.
  localparam int D = B == 8 ? 0 : B == 16 ? 2 : B == 32 ? 3 : 4;
  localparam int R = D + 1;
  localparam int MS = B == 8 ? 0 : 1;
  // Beats with: the last byte a decision needs, the start of the payload, byte 42; where the
  // remaining-byte count starts.
  localparam int DECIDE_BEAT = 39 / B;
  localparam int UDP_BEAT = 42 / B;
  localparam int RAW_BEAT = 34 / B;
  localparam int UDP_OFF = 42 % B;
  localparam int RAW_OFF = 34 % B;
  localparam int ANCHOR = B == 8 ? 4 : 17 / B;
  localparam int ANCHOR_NEXT = ANCHOR * B + B - 34;  // IP payload bytes before the next beat

  typedef struct packed {
    logic        udp;
    logic        icmp;
    logic        early;    // the reason precedes a wrong IP checksum
    logic        good;     // no reason to drop
    logic        closed;   // a datagram to a closed port, which is told so
    rx_outcome_e reason;
    logic [15:0] pay_len;
  } check_t;

  typedef struct packed {
    logic [B-1:0][7:0] data;
    logic              valid;
    logic              last;
    logic              bad;
    logic [2:0]        index;
  } stage_t;

  logic en;

  // ---- VLAN tag -------------------------------------------------------------------------------
  logic [B-1:0][7:0] u_data;
  logic [B-1:0] u_keep;
  logic u_valid, u_last, u_bad, u_tagged;
  logic [ 2:0] u_index;
  logic [15:0] u_tci;

  kumi_vlan_strip #(
      .DATA_W(DATA_W)
  ) u_untag (
      .clk,
      .rst,
      .s_axis,
      .u_data,
      .u_keep,
      .u_valid,
      .u_ready(en),
      .u_last,
      .u_bad,
      .u_index,
      .u_tagged,
      .u_tci
  );

  // ---- header bytes and the beat pipeline -----------------------------------------------------
  // h_q[n]: byte n of the frame, valid when its beat is in stage 1.
  logic [41:0][7:0] h_q;
  logic vlan_valid_q;
  logic [15:0] vlan_tci_q;

  for (genvar n = 0; n < 42; n++) begin : gen_header
    always_ff @(posedge clk) begin
      if (en && u_valid && u_index == 3'(n / B)) h_q[n] <= u_data[n%B];
    end
  end

  always_ff @(posedge clk) begin
    if (en && u_valid && u_index == 3'(12 / B)) begin
      vlan_valid_q <= u_tagged;
      vlan_tci_q   <= u_tci;
    end
  end

  stage_t st[R+1];  // st[0] is combinational, st[R] the older beat of the realigner
  logic [B-1:0] m_keep;
  logic m_runt, m_trunc;

  always_comb begin
    st[0].data  = u_data;
    st[0].valid = u_valid;
    st[0].last  = u_last;
    st[0].bad   = u_bad;
    st[0].index = u_index;
  end

  // Runt and truncated are known at the mask stage and pipelined from there.
  logic [R:MS] runt, trunc;
  assign runt[MS]  = m_runt;
  assign trunc[MS] = m_trunc;

  for (genvar k = 1; k <= R; k++) begin : gen_stage
    stage_t st_q;
    logic   move;
    assign move = en && (k != R || st[k-1].valid);
    always_ff @(posedge clk) begin
      if (move) st_q <= st[k-1];
      else if (en && k == R && st_q.last) st_q.valid <= 1'b0;
      if (rst) st_q.valid <= 1'b0;
    end
    assign st[k] = st_q;

    if (k > MS) begin : gen_flags
      logic runt_q, trunc_q;
      always_ff @(posedge clk) begin
        if (move) begin
          runt_q  <= runt[k-1];
          trunc_q <= trunc[k-1];
        end
      end
      assign runt[k]  = runt_q;
      assign trunc[k] = trunc_q;
    end
  end

  if (MS == 0) begin : gen_keep_now
    assign m_keep = u_keep;
  end else begin : gen_keep_q
    logic [B-1:0] keep_q;
    always_ff @(posedge clk) if (en) keep_q <= u_keep;
    assign m_keep = keep_q;
  end

  // ---- lengths at the mask stage --------------------------------------------------------------
  logic [16:0] l4_sub, l4_len;  // IP payload bytes, bit 16: negative
  logic [ 15:0] rem_q;  // of these, before the beat in the mask stage
  logic [ 17:0] rem_next;
  logic [B-1:0] mask;  // bytes up to the end of the IP packet
  logic         is_udp;

  assign l4_sub = {1'b0, h_q[16], h_q[17]} - 17'd20;
  assign is_udp = h_q[23] == PROTO_UDP;

  if (B == 8) begin : gen_l4_q
    always_ff @(posedge clk) if (en) l4_len <= l4_sub;
  end else begin : gen_l4
    assign l4_len = l4_sub;
  end

  always_comb begin
    if (st[MS].index == 3'(ANCHOR)) begin
      rem_next = 18'($signed(l4_len)) - 18'(ANCHOR_NEXT);
    end else begin
      rem_next = {2'b00, rem_q} - 18'(B);
    end
    for (int j = 0; j < B; j++) begin
      if (st[MS].index <= 3'(ANCHOR)) begin
        mask[j] = ANCHOR * B + j < 42 || $signed(l4_len) > $signed(17'(ANCHOR * B + j - 34));
      end else begin
        mask[j] = rem_q > 16'(j);
      end
    end
  end

  always_ff @(posedge clk) begin
    if (en && st[MS].valid) rem_q <= rem_next[17] ? '0 : rem_next[15:0];
  end

  assign m_trunc = (!rem_next[17] && rem_next[16:0] != '0) || |(mask & ~m_keep);
  assign m_runt  = 4'(st[MS].index) + 4'd1 < 4'(41 / B + 1)
      || (st[MS].index == 3'(41 / B) && !m_keep[41%B]);

  // ---- checksums ------------------------------------------------------------------------------
  logic [B-1:0][7:0] ip_bytes, l4_bytes;
  logic ip_zero, l4_zero;

  always_comb begin
    ip_bytes = '0;
    for (int j = 0; j < B; j++) l4_bytes[j] = mask[j] ? st[MS].data[j] : 8'h00;
    for (int i = 0; i <= DECIDE_BEAT; i++) begin
      if (st[MS].index == 3'(i)) begin
        for (int j = 0; j < B; j++) begin
          if (i * B + j >= 14 && i * B + j < 34) ip_bytes[j] = st[MS].data[j];
          // Pseudo header: the addresses as received, and in place of the header checksum the
          // packet length; minus 3, that is UDP length plus protocol (the sum starts at -3).
          if (i * B + j < 24 || (i * B + j < 34 && i * B + j >= 26 && !is_udp)) begin
            l4_bytes[j] = '0;
          end
          if (i * B + j == 24) l4_bytes[j] = is_udp ? h_q[16] : 8'd0;
          if (i * B + j == 25) l4_bytes[j] = is_udp ? h_q[17] : 8'd3;
        end
      end
    end
  end

  logic [23:0] unused_ip_total;
  logic [31:0] unused_l4_total;

  kumi_ip_checksum #(
      .DATA_W(DATA_W),
      .STAGES(R - MS),
      .SUM_W (24)
  ) u_ip_sum (
      .clk,
      .rst,
      .en,
      .valid(st[MS].valid),
      .first(st[MS].index == '0),
      .data (ip_bytes),
      .total(unused_ip_total),
      .zero (ip_zero)
  );

  kumi_ip_checksum #(
      .DATA_W(DATA_W),
      .STAGES(R - MS),
      .INIT  (65532)
  ) u_l4_sum (
      .clk,
      .rst,
      .en,
      .valid(st[MS].valid),
      .first(st[MS].index == '0),
      .data (l4_bytes),
      .total(unused_l4_total),
      .zero (l4_zero)
  );

  logic unused;
  assign unused = &{unused_ip_total, unused_l4_total, cfg};

  // ---- header checks, combinational on stage 1 ------------------------------------------------
  logic [47:0] h_dst_mac;
  logic [31:0] h_src_ip, h_dst_ip;
  logic mac_ok, own_ip, src_ok, dst_ok, arp_ok, port_listed, too_big;
  check_t chk1;

  assign h_dst_mac = {h_q[0], h_q[1], h_q[2], h_q[3], h_q[4], h_q[5]};
  assign h_src_ip = {h_q[26], h_q[27], h_q[28], h_q[29]};
  assign h_dst_ip = {h_q[30], h_q[31], h_q[32], h_q[33]};

  assign mac_ok = !h_q[6][0] && (cfg.promiscuous || h_dst_mac == cfg.mac || h_dst_mac == '1
      || (cfg.multicast && h_dst_mac[47:24] == 24'h01005e && !h_dst_mac[23]));
  assign own_ip = h_dst_ip == cfg.ip;
  assign dst_ok = own_ip || h_dst_ip == '1 || h_dst_ip == (cfg.ip | ~cfg.netmask)
      || (cfg.multicast && h_dst_ip[31:28] == 4'he);
  // RFC 1122, 3.2.1.3; the last address of a link is a broadcast, but not with a netmask of 31 bits
  // or more (RFC 3021).
  assign src_ok = (h_src_ip[31:29] != '1 || (h_src_ip[28] && cfg.handles))
      && h_src_ip[31:24] != 8'd0 && h_src_ip[31:24] != 8'd127 && h_src_ip != cfg.ip
      && (cfg.netmask[1] || h_src_ip != (cfg.ip | ~cfg.netmask));
  assign arp_ok = {h_q[14], h_q[15], h_q[16], h_q[17], h_q[18], h_q[19]} == 48'h0001_0800_0604
      && h_q[20] == 8'd0 && (h_q[21] == 8'd1 || h_q[21] == 8'd2) && !h_q[22][0];

  assign too_big = {1'b0, l4_len[15:0]} > 17'(MAX_PAYLOAD);

  always_comb begin
    port_listed = 1'b0;
    for (int i = 0; i < UDP_OPEN_PORTS; i++) begin
      if (cfg.udp_ports[i].valid && cfg.udp_ports[i].port == {h_q[36], h_q[37]}) port_listed = 1'b1;
    end
  end

  always_comb begin
    chk1 = '0;
    chk1.udp = is_udp;
    chk1.icmp = h_q[23] == PROTO_ICMP;
    chk1.pay_len = is_udp ? {l4_len[15:3] - 1'b1, l4_len[2:0]} : l4_len[15:0];
    chk1.early = 1'b1;
    if (!mac_ok) chk1.reason = DROP_MAC;
    else if ({h_q[12], h_q[13]} == 16'h0806) chk1.reason = arp_ok ? RX_ARP : DROP_ARP;
    else if ({h_q[12], h_q[13]} != 16'h0800) chk1.reason = DROP_ETHERTYPE;
    else if (h_q[14][7:4] != 4'd4 || h_q[14][3:0] < 4'd5) chk1.reason = DROP_IP_VERSION;
    else if (h_q[14][3:0] != 4'd5) chk1.reason = DROP_IP_OPTIONS;
    else begin
      chk1.early = 1'b0;
      if (l4_len[16]) chk1.reason = DROP_IP_LENGTH;
      else if (h_q[20][5:0] != '0 || h_q[21] != '0) chk1.reason = DROP_IP_FRAGMENT;
      else if (h_q[22] == '0 && cfg.drop_ttl0) chk1.reason = DROP_IP_TTL;
      else if (!src_ok) chk1.reason = DROP_IP_SRC;
      else if (!dst_ok) chk1.reason = DROP_IP_DST;
      else if (is_udp) begin
        chk1.closed = cfg.unreachable && !port_listed && own_ip && h_dst_mac == cfg.mac;
        if ({h_q[38], h_q[39]} != l4_len[15:0] || l4_len[15:3] == '0) begin
          chk1.reason = DROP_UDP_LENGTH;
          chk1.closed = 1'b0;
        end else if (!cfg.udp_any && !port_listed) chk1.reason = DROP_UDP_PORT;
        else if (too_big) chk1.reason = DROP_STORE;
        else begin
          chk1.reason = RX_UDP;
          chk1.good   = 1'b1;
        end
      end else if (chk1.icmp) begin
        if (!own_ip) chk1.reason = DROP_IP_DST;
        else if (h_q[34] != 8'd8 || h_q[35] != 8'd0 || l4_len[15:3] == '0 || !cfg.ping)
          chk1.reason = DROP_ICMP_TYPE;
        else begin
          chk1.reason = RX_ICMP;
          chk1.good   = 1'b1;
        end
      end else if (!cfg.raw) chk1.reason = DROP_IP_PROTO;
      else if (h_q[23] == PROTO_TCP && !own_ip) chk1.reason = DROP_TCP_DST;
      else if (too_big) chk1.reason = DROP_STORE;
      else begin
        chk1.reason = RX_RAW;
        chk1.good   = 1'b1;
      end
    end
  end

  // ---- checks and fields, pipelined to the realigner ------------------------------------------
  check_t chk;
  logic [41:0][7:0] h;
  logic vlan_valid;
  logic [15:0] vlan_tci;

  if (D == 0) begin : gen_here
    assign chk = chk1;
    assign h = h_q;
    assign vlan_valid = vlan_valid_q;
    assign vlan_tci = vlan_tci_q;
  end else begin : gen_carry
    localparam int CARRY_W = $bits(check_t) + 42 * 8 + 17;
    logic [D:0][CARRY_W-1:0] carry;
    assign carry[0] = {chk1, h_q, vlan_valid_q, vlan_tci_q};
    for (genvar k = 1; k <= D; k++) begin : gen_carry_stage
      logic [CARRY_W-1:0] carry_q;
      always_ff @(posedge clk) begin
        if (en && st[k].valid && st[k].index == 3'(DECIDE_BEAT)) carry_q <= carry[k-1];
      end
      assign carry[k] = carry_q;
    end
    assign {chk, h, vlan_valid, vlan_tci} = carry[D];
  end

  logic unused_h;
  assign unused_h = &h;

  // ---- realigner ------------------------------------------------------------------------------
  stage_t r;
  logic r_go, started, first, hdr_ok, move, emit, final_beat, frame_bad, l4_bad;
  logic [15:0] pay_left, pay_left_q;
  logic pend_q, o_valid_q, rec_valid_q;
  logic [2*B-1:0][7:0] pair;

  assign r = st[R];
  assign pair = {st[R-1].data, r.data};

  assign r_go = en && r.valid && (r.last || st[R-1].valid);
  assign hdr_ok = chk.good && ip_zero && cfg.enable;
  assign started = 4'(r.index) + 4'd1 > (chk.udp ? 4'(UDP_BEAT) : 4'(RAW_BEAT));
  assign first = r.index == (chk.udp ? 3'(UDP_BEAT) : 3'(RAW_BEAT));
  assign l4_bad = !l4_zero && ((chk.udp && {h[40], h[41]} != '0) || chk.icmp);
  assign frame_bad = r.last && (r.bad || runt[R] || trunc[R] || l4_bad || !cfg.enable);
  assign pay_left = first ? chk.pay_len : pay_left_q;
  assign final_beat = r.last || pay_left <= 16'(B);
  // Registers advance without waiting for the checks; a failed packet is never valid.
  assign move = r_go && started && pay_left != '0;
  assign emit = move && hdr_ok && !(first && frame_bad);

  always_ff @(posedge clk) begin
    if (r_go && started) pay_left_q <= pay_left <= 16'(B) ? '0 : pay_left - 16'(B);
    if (o_ready) o_valid_q <= 1'b0;
    if (move) begin
      for (int j = 0; j < B; j++) begin
        o_data[8*j+:8] <= chk.udp ? pair[j+UDP_OFF] : pair[j+RAW_OFF];
        o_keep[j] <= pay_left > 16'(j);
      end
      o_last <= final_beat;
      o_kind <= chk.udp ? KIND_UDP : chk.icmp ? KIND_ICMP : KIND_RAW;
      o_bad  <= frame_bad;
    end
    if (emit) begin
      o_valid_q <= !final_beat || r.last;
      pend_q    <= final_beat && !r.last;
    end else if (r_go && r.last && pend_q) begin
      // The padding after the last payload byte has ended.
      o_valid_q <= 1'b1;
      o_bad     <= frame_bad;
      pend_q    <= 1'b0;
    end
    if (rst) begin
      o_valid_q <= 1'b0;
      pend_q    <= 1'b0;
    end
  end

  assign o_valid   = o_valid_q;
  assign rec_valid = rec_valid_q;
  assign en        = (!o_valid_q || o_ready) && (!rec_valid_q || rec_ready);

  // ---- record ---------------------------------------------------------------------------------
  logic rec_load;
  assign rec_load = r_go && started && hdr_ok
      && (chk.pay_len == '0 ? r.last && !frame_bad : first && !frame_bad);

  always_ff @(posedge clk) begin
    if (rec_ready) rec_valid_q <= 1'b0;
    if (rec_load) rec_valid_q <= !chk.icmp;
    if (r_go && started && (first || chk.pay_len == '0)) begin
      rec.kind       <= chk.udp ? KIND_UDP : chk.icmp ? KIND_ICMP : KIND_RAW;
      rec.mac        <= {h[6], h[7], h[8], h[9], h[10], h[11]};
      rec.vlan_valid <= vlan_valid;
      rec.vlan_tci   <= vlan_tci;
      rec.ip         <= {h[26], h[27], h[28], h[29]};
      rec.proto      <= h[23];
      rec.ecn        <= h[15][1:0];
      rec.length     <= chk.pay_len;
      rec.src_port   <= {h[34], h[35]};
      rec.dst_port   <= {h[36], h[37]};
      rec.checksum   <= {h[40], h[41]};
    end
    if (rst) rec_valid_q <= 1'b0;
  end

  // ---- ARP and outcome ------------------------------------------------------------------------
  logic frame_end;
  rx_outcome_e result;
  assign frame_end = r_go && r.last;

  always_comb begin
    result = chk.reason;
    if (r.bad || !cfg.enable) result = DROP_BAD;
    else if (runt[R]) result = DROP_RUNT;
    else if (chk.early) begin
      if (chk.reason == RX_ARP && arp_full) result = DROP_ARP_BUSY;
    end else if (!ip_zero) result = DROP_IP_CHECKSUM;
    else if (chk.good && trunc[R]) result = DROP_IP_LENGTH;
    else if (chk.good && l4_bad) result = chk.udp ? DROP_UDP_CHECKSUM : DROP_ICMP_CHECKSUM;
  end

  always_ff @(posedge clk) begin
    outcome_valid <= frame_end;
    outcome       <= result;
    arp_valid     <= frame_end && result == RX_ARP;
    closed_valid  <= frame_end && chk.closed && ip_zero && !frame_bad;
    if (frame_end) begin
      arp.sha           <= {h[22], h[23], h[24], h[25], h[26], h[27]};
      arp.spa           <= {h[28], h[29], h[30], h[31]};
      arp.for_us        <= {h[38], h[39], h[40], h[41]} == cfg.ip;
      arp.reply         <= h[21][1];
      arp.vlan_valid    <= vlan_valid;
      arp.vlan_tci      <= vlan_tci;
      closed.mac        <= {h[6], h[7], h[8], h[9], h[10], h[11]};
      closed.vlan_valid <= vlan_valid;
      closed.vlan_tci   <= vlan_tci;
      closed.header     <= h[41:14];
    end
    if (rst) begin
      outcome_valid <= 1'b0;
      arp_valid     <= 1'b0;
      closed_valid  <= 1'b0;
    end
  end

  assign active = st[0].valid || r.valid || o_valid_q || rec_valid_q || pend_q;
endmodule
