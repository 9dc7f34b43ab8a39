// SPDX-License-Identifier: Apache-2.0
//
// Checks of the headers of a received frame, and the verdict on it as far as headers allow: what
//   kumi_ip_rx asks before it delivers anything.
//
// h: the first 42 bytes of the frame without its tag. chk: the verdict.
// PIPELINED 0: chk in the cycle of h; h must hold the IP length one `en` before the rest. 1: three
//   registers, so that each is few gates behind the one before: the comparisons, the verdict, the
//   comparisons of the payload's length. step[k] moves register k.
module kumi_ip_rx_check
  import kumi_ip_pkg::*;
#(
    parameter int BEAT_BYTES  = 64,     // of the payload stream
    parameter int MAX_PAYLOAD = 65535,  // longest UDP or raw payload delivered
    parameter bit PIPELINED   = 1
) (
    input  logic                     clk,
    input  ip_cfg_t                  cfg,
    input  logic                     en,
    input  logic         [ 3:1]      step,
    input  logic         [41:0][7:0] h,
    output ip_rx_check_t             chk
);
  typedef struct packed {
    logic        mac_ok;
    logic        is_arp;
    logic        arp_ok;
    logic        is_ip;
    logic        version_ok;
    logic        plain;        // no options
    logic        fragment;
    logic        ttl0;
    logic        src_ok;
    logic        dst_ok;
    logic        own_ip;
    logic        own_mac;
    logic        udp;
    logic        icmp;
    logic        tcp;
    logic        echo;         // an echo request
    logic        eight;        // IP payload of 8 bytes or more
    logic        port_listed;
    logic        too_big;
    logic        sum_given;    // UDP: the checksum is not 0
    logic [16:0] l4_len;       // IP payload bytes, bit 16: negative
    logic [15:0] udp_len;      // as UDP has it
  } flags_t;

  logic [47:0] dst_mac;
  logic [31:0] src_ip, dst_ip, link_broadcast_q;
  logic [15:0] total;
  logic [16:0] l4_len;
  flags_t f, f_now;

  assign dst_mac = {h[0], h[1], h[2], h[3], h[4], h[5]};
  assign src_ip  = {h[26], h[27], h[28], h[29]};
  assign dst_ip  = {h[30], h[31], h[32], h[33]};
  assign total   = {h[16], h[17]};
  assign l4_len  = {1'b0, total} - 17'd20;

  always_ff @(posedge clk) link_broadcast_q <= cfg.ip | ~cfg.netmask;

  // ---- 1: comparisons -------------------------------------------------------------------------
  always_comb begin
    f_now.own_mac = dst_mac == cfg.mac;
    f_now.mac_ok = !h[6][0] && (cfg.promiscuous || f_now.own_mac || dst_mac == '1
        || (cfg.multicast && dst_mac[47:24] == 24'h01005e && !dst_mac[23]));
    f_now.is_arp = {h[12], h[13]} == 16'h0806;
    f_now.arp_ok = {h[14], h[15], h[16], h[17], h[18], h[19]} == 48'h0001_0800_0604
        && h[20] == 8'd0 && (h[21] == 8'd1 || h[21] == 8'd2) && !h[22][0];
    f_now.is_ip = {h[12], h[13]} == 16'h0800;
    f_now.version_ok = h[14][7:4] == 4'd4 && h[14][3:0] >= 4'd5;
    f_now.plain = h[14][3:0] == 4'd5;
    f_now.fragment = h[20][5:0] != '0 || h[21] != '0;
    f_now.ttl0 = h[22] == '0 && cfg.drop_ttl0;
    // RFC 1122, 3.2.1.3; the last address of a link is a broadcast, but not with a netmask of 31
    // bits or more (RFC 3021).
    f_now.src_ok = (src_ip[31:29] != '1 || (src_ip[28] && cfg.handles))
        && src_ip[31:24] != 8'd0 && src_ip[31:24] != 8'd127
        && src_ip != cfg.ip && (cfg.netmask[1] || src_ip != link_broadcast_q);
    f_now.own_ip = dst_ip == cfg.ip;
    f_now.dst_ok = f_now.own_ip || dst_ip == '1 || dst_ip == link_broadcast_q
        || (cfg.multicast && dst_ip[31:28] == 4'he);
    f_now.udp = h[23] == PROTO_UDP;
    f_now.icmp = h[23] == PROTO_ICMP;
    f_now.tcp = h[23] == PROTO_TCP;
    f_now.echo = h[34] == 8'd8 && h[35] == 8'd0;
    f_now.eight = total[15:5] != '0 || total[4:2] == 3'd7;  // 28 bytes in all
    f_now.too_big = {1'b0, total} > 17'(MAX_PAYLOAD + 20);
    f_now.sum_given = {h[40], h[41]} != '0;
    f_now.udp_len = {h[38], h[39]};
    f_now.port_listed = 1'b0;
    for (int i = 0; i < UDP_OPEN_PORTS; i++) begin
      if (cfg.udp_ports[i].valid && cfg.udp_ports[i].port == {h[36], h[37]}) begin
        f_now.port_listed = 1'b1;
      end
    end
  end

  if (PIPELINED) begin : gen_flags_q
    assign f_now.l4_len = l4_len;
    always_ff @(posedge clk) if (step[1]) f <= f_now;
  end else begin : gen_flags
    logic [16:0] l4_len_q;
    always_ff @(posedge clk) if (en) l4_len_q <= l4_len;
    assign f_now.l4_len = l4_len_q;
    assign f = f_now;
  end

  // ---- 2: verdict -----------------------------------------------------------------------------
  ip_rx_check_t v, v_now;

  always_comb begin
    v_now = '0;
    v_now.udp = f.udp;
    v_now.icmp = f.icmp;
    v_now.summed = f.icmp || (f.udp && f.sum_given);
    v_now.pay_len = f.udp ? {f.l4_len[15:3] - 1'b1, f.l4_len[2:0]} : f.l4_len[15:0];
    v_now.early = 1'b1;
    if (!f.mac_ok) v_now.reason = DROP_MAC;
    else if (f.is_arp) v_now.reason = f.arp_ok ? RX_ARP : DROP_ARP;
    else if (!f.is_ip) v_now.reason = DROP_ETHERTYPE;
    else if (!f.version_ok) v_now.reason = DROP_IP_VERSION;
    else if (!f.plain) v_now.reason = DROP_IP_OPTIONS;
    else begin
      v_now.early = 1'b0;
      if (f.l4_len[16]) v_now.reason = DROP_IP_LENGTH;
      else if (f.fragment) v_now.reason = DROP_IP_FRAGMENT;
      else if (f.ttl0) v_now.reason = DROP_IP_TTL;
      else if (!f.src_ok) v_now.reason = DROP_IP_SRC;
      else if (!f.dst_ok) v_now.reason = DROP_IP_DST;
      else if (f.udp) begin
        v_now.closed = cfg.unreachable && !f.port_listed && f.own_ip && f.own_mac;
        if (f.udp_len != f.l4_len[15:0] || !f.eight) begin
          v_now.reason = DROP_UDP_LENGTH;
          v_now.closed = 1'b0;
        end else if (!cfg.udp_any && !f.port_listed) v_now.reason = DROP_UDP_PORT;
        else if (f.too_big) v_now.reason = DROP_STORE;
        else begin
          v_now.reason = RX_UDP;
          v_now.good   = 1'b1;
        end
      end else if (f.icmp) begin
        if (!f.own_ip) v_now.reason = DROP_IP_DST;
        else if (!f.echo || !f.eight || !cfg.ping) v_now.reason = DROP_ICMP_TYPE;
        else begin
          v_now.reason = RX_ICMP;
          v_now.good   = 1'b1;
        end
      end else if (!cfg.raw) v_now.reason = DROP_IP_PROTO;
      else if (f.tcp && !f.own_ip) v_now.reason = DROP_TCP_DST;
      else if (f.too_big) v_now.reason = DROP_STORE;
      else begin
        v_now.reason = RX_RAW;
        v_now.good   = 1'b1;
      end
    end
  end

  // ---- 3: the payload's length ----------------------------------------------------------------
  ip_rx_check_t chk_now;
  always_comb begin
    chk_now = v;
    chk_now.pay_none = v.pay_len == '0;
    chk_now.pay_fits = v.pay_len <= 16'(BEAT_BYTES);
  end

  if (PIPELINED) begin : gen_verdict_q
    always_ff @(posedge clk) begin
      if (step[2]) v <= v_now;
      if (step[3]) chk <= chk_now;
    end
    logic unused;
    assign unused = en;
  end else begin : gen_verdict
    assign v   = v_now;
    assign chk = chk_now;
    logic unused;
    assign unused = &step;
  end

  logic unused_cfg;
  assign unused_cfg = &{cfg, h, chk_now.pay_none, v.pay_none, v.pay_fits};
endmodule
