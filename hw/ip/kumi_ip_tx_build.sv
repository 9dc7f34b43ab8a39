// SPDX-License-Identifier: Apache-2.0
//
// Frame builder: a record and its payload become an Ethernet frame without FCS, zero-padded to 60
//   bytes: Ethernet II, then ARP (RFC 826), or IPv4 (RFC 791) with UDP (RFC 768) or another
//   protocol.
//
// t_*: record with its MAC address, IPv4 total length and header sum (of at most 19 bits, folded
//   once); t_done accepts it. t_payload: it has some; t_one_beat: of one beat or less. t_drop:
//   consume the payload and send nothing.
// p_*: payload of the record (none with length 0 and with ARP).
// m_*: frame; m_bad with m_last: bad payload, or its length differs from the record.
// Latency 0, one beat per cycle, frames back to back.
module kumi_ip_tx_build
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W = 64  // bits of a beat
) (
    input  logic                   clk,
    input  logic                   rst,
    input  ip_cfg_t                cfg,
    input  ip_tx_t                 t,
    input  logic                   t_valid,
    input  logic                   t_drop,
    input  logic                   t_payload,
    input  logic                   t_one_beat,
    input  logic    [        15:0] t_total,
    input  logic    [        16:0] t_sum,
    output logic                   t_done,
    input  logic    [  DATA_W-1:0] p_data,
    input  logic    [DATA_W/8-1:0] p_keep,
    input  logic                   p_valid,
    output logic                   p_ready,
    input  logic                   p_last,
    input  logic                   p_bad,
    output logic    [  DATA_W-1:0] m_data,
    output logic    [DATA_W/8-1:0] m_keep,
    output logic                   m_valid,
    input  logic                   m_ready,
    output logic                   m_last,
    output logic                   m_bad
);
  localparam int B = DATA_W / 8;
  localparam int BW = $clog2(B);
  localparam int LONG_BEAT = 42 / B;  // first beat with payload after 42 bytes of headers
  localparam int SHORT_BEAT = 34 / B;  // after 34
  localparam int LONG_OFF = 42 % B;
  localparam int SHORT_OFF = 34 % B;
  localparam int PAD_BEAT = 59 / B;
  localparam int REST = LONG_OFF > SHORT_OFF ? LONG_OFF : SHORT_OFF;

  logic is_arp, is_long;
  assign is_arp  = t.kind == KIND_ARP;
  assign is_long = is_arp || t.kind == KIND_UDP;

  logic unused;
  assign unused = &{cfg, t};

  // ---- header bytes ---------------------------------------------------------------------------
  logic [15:0] ip_cks, ip_cks_now, udp_length;
  logic [41:0][7:0] hb;

  // With a carry the low bits are at most 6, so a second one cannot ripple beyond them.
  assign ip_cks_now = ~{t_sum[15:3], t_sum[2:0] +{2'b0, t_sum[16]}};
  assign udp_length = t_total - 16'd20;

  // Up to 128 bits the checksum is not in the first beat, so it gets a cycle of its own.
  if (B <= 16) begin : gen_cks_q
    always_ff @(posedge clk) ip_cks <= ip_cks_now;
  end else begin : gen_cks
    assign ip_cks = ip_cks_now;
  end

  // Byte 0 is the rightmost.
  function automatic logic [13:0][7:0] flip14(input logic [111:0] x);
    for (int i = 0; i < 14; i++) flip14[i] = x[8*(13-i)+:8];
  endfunction
  function automatic logic [27:0][7:0] flip28(input logic [223:0] x);
    for (int i = 0; i < 28; i++) flip28[i] = x[8*(27-i)+:8];
  endfunction

  assign hb[13:0] = flip14({t.mac, cfg.mac, is_arp ? 16'h0806 : 16'h0800});
  assign hb[41:14] = is_arp ? flip28(
      {
    48'h0001_0800_0604,
    14'd0,
    t.arp_reply,
    ~t.arp_reply,
    cfg.mac,
    cfg.ip,
    t.arp_reply ? t.mac : 48'd0,
    t.ip
  }
  ) : flip28(
      {
    {14'h1140, t.ecn},
    t_total,
    t.id,
    1'b0,
    cfg.dont_fragment,
    14'd0,
    cfg.ttl,
    t.proto,
    ip_cks,
    cfg.ip,
    t.ip,
    t.src_port,
    t.dst_port,
    udp_length,
    t.checksum
  }
  );

  // ---- beats ----------------------------------------------------------------------------------
  localparam int BEATS = PAD_BEAT + 1;  // those that are told apart
  logic [BEATS:0] from;  // from[i]: this is beat i or a later one
  logic [BEATS:1] from_q;
  logic in_body, first_body, want, fits, end_here, pay_fire, fire;
  logic pay_done_q, bad_q, bad_now;
  logic [15:0] left, left_q;  // payload bytes still expected
  logic one_beat, one_beat_q;  // these are one beat or less
  logic [BW-1:0] rest;  // payload bytes in its last beat, 0: all
  logic [REST-1:0][7:0] rest_q;
  logic [REST-1:0] rest_keep_q;
  logic [B-1:0][7:0] pay, out;
  logic [B-1:0] keep, fit;

  assign pay = p_data;
  assign from = {from_q, 1'b1};
  assign in_body = is_long ? from[LONG_BEAT] : from[SHORT_BEAT];
  assign first_body = in_body && !(is_long ? from[LONG_BEAT+1] : from[SHORT_BEAT+1]);
  assign want = t_payload && !pay_done_q && (in_body || t_drop);

  // The whole payload beat fits after the bytes before it.
  assign fits = is_long ? !p_keep[B-LONG_OFF] : !p_keep[B-SHORT_OFF];
  assign end_here = in_body && (!want || (p_last && fits));
  assign m_last = end_here && from[PAD_BEAT];

  always_comb begin
    for (int j = 0; j < B; j++) begin
      // Header bytes of the beat, ORed with the body.
      out[j]  = '0;
      keep[j] = 1'b1;
      for (int i = 0; i <= LONG_BEAT; i++) begin
        if (from[i] && !from[i+1] && i * B + j < 42) out[j] = hb[(i*B+j)%42];
      end
      if (in_body) begin
        if (is_long) begin
          if (j >= LONG_OFF) begin
            keep[j] = want && p_keep[(j+B-LONG_OFF)%B];
            out[j]  = pay[(j+B-LONG_OFF)%B];
          end else if (!first_body) begin
            keep[j] = rest_keep_q[j%REST];
            out[j]  = rest_q[j%REST];
          end
        end else begin
          if (j >= SHORT_OFF) begin
            keep[j] = want && p_keep[(j+B-SHORT_OFF)%B];
            out[j]  = pay[(j+B-SHORT_OFF)%B];
          end else if (!first_body) begin
            keep[j] = rest_keep_q[j%REST];
            out[j]  = rest_q[j%REST];
          end
        end
      end
      m_data[8*j+:8] = keep[j] ? out[j] : 8'h00;
      m_keep[j] = keep[j] || !from[PAD_BEAT] || (!from[PAD_BEAT+1] && PAD_BEAT * B + j < 60);
    end
  end

  // ---- handshakes -----------------------------------------------------------------------------
  assign m_valid = t_valid && !t_drop && (!want || p_valid);
  assign fire = m_valid && m_ready;
  assign p_ready = t_valid && want && (t_drop || m_ready);
  assign pay_fire = p_ready && p_valid;
  assign t_done   = (fire && m_last)
      || (t_valid && t_drop && (!t_payload || pay_done_q || (pay_fire && p_last)));

  // ---- length of the payload ------------------------------------------------------------------
  logic pay_first_q;
  assign left     = pay_first_q ? t.length : left_q;
  assign one_beat = pay_first_q ? t_one_beat : one_beat_q;
  assign rest     = t.length[BW-1:0];
  assign fit      = rest == '0 ? '1 : ~({B{1'b1}} << rest);
  assign bad_now  = pay_fire && (p_last ? p_bad || !one_beat || p_keep != fit : one_beat);
  assign m_bad    = bad_q || bad_now;

  always_ff @(posedge clk) begin
    if (fire) from_q <= BEATS'({from_q, 1'b1});
    if (fire) begin
      for (int j = 0; j < REST; j++) begin
        if (is_long) begin
          rest_q[j]      <= pay[(B-LONG_OFF+j)%B];
          rest_keep_q[j] <= want && p_keep[(B-LONG_OFF+j)%B] && j < LONG_OFF;
        end else begin
          rest_q[j]      <= pay[(B-SHORT_OFF+j)%B];
          rest_keep_q[j] <= want && p_keep[(B-SHORT_OFF+j)%B] && j < SHORT_OFF;
        end
      end
    end
    if (pay_fire) begin
      left_q      <= left - 16'(B);
      one_beat_q  <= left <= 16'(2 * B);
      pay_first_q <= 1'b0;
      if (p_last) pay_done_q <= 1'b1;
      if (bad_now) bad_q <= 1'b1;
    end
    if (t_done) begin
      from_q      <= '0;
      pay_done_q  <= 1'b0;
      pay_first_q <= 1'b1;
      bad_q       <= 1'b0;
    end
    if (rst) begin
      from_q      <= '0;
      pay_done_q  <= 1'b0;
      pay_first_q <= 1'b1;
      bad_q       <= 1'b0;
    end
  end
endmodule
