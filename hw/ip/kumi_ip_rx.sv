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
// Cut-through: first beat in to first payload beat out 8 cycles at 64 and 128 bits, 7 above. One
//   beat per cycle, one frame per cycle if they are that short. Backpressure on o or rec stalls
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
  localparam int BW = $clog2(B);
  // Registers between VLAN stripping and the realigner, and the stage that masks checksum bytes.
  localparam int D = B == 8 ? 0 : B < 64 ? 3 : 4;
  localparam int R = D + 1;
  localparam int MS = B == 8 ? 0 : 1;
  // Beats with: the last byte a decision needs; where the count of remaining bytes starts.
  localparam int DECIDE_BEAT = 39 / B;
  localparam int ANCHOR = B == 8 ? 4 : 17 / B;

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
  logic [B-1:0] mask;  // bytes up to the end of the IP packet
  logic [ 16:0] rem_q;  // bytes up to there from the start of the beat in the mask stage
  logic [ 17:0] rem_first;
  logic rem_load, is_udp;

  assign is_udp = h_q[23] == PROTO_UDP;

  // Counted from beat ANCHOR on, as soon as the IP length is there.
  if (MS == 0) begin : gen_rem_early
    assign rem_load  = u_index == 3'(ANCHOR - 1);
    assign rem_first = {2'b0, h_q[16], h_q[17]} + 18'd14 - 18'(ANCHOR * B);
  end else begin : gen_rem
    assign rem_load  = u_index == 3'(ANCHOR);
    assign rem_first = {2'b0, u_data[16%B], u_data[17%B]} + 18'd14 - 18'(ANCHOR * B);
  end

  always_ff @(posedge clk) begin
    if (en && u_valid) begin
      if (rem_load) rem_q <= rem_first[17] ? '0 : rem_first[16:0];
      else rem_q <= rem_q < 17'(B) ? '0 : rem_q - 17'(B);
    end
  end

  // Before beat COUNTED there are only headers.
  localparam int COUNTED = MS == 0 ? ANCHOR + 1 : ANCHOR;
  logic counted;
  if (COUNTED == 0) begin : gen_counted_all
    assign counted = 1'b1;
  end else begin : gen_counted
    assign counted = st[MS].index >= 3'(COUNTED);
  end
  assign mask = !counted || rem_q[16:BW] != '0 ? '1 : ~({B{1'b1}} << rem_q[BW-1:0]);

  assign m_trunc = rem_q > 17'(B) || |(mask & ~m_keep);
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

  // ---- header checks, and fields beside them, pipelined to the realigner ----------------------
  ip_rx_check_t chk;
  logic [41:0][7:0] h;
  logic vlan_valid;
  logic [15:0] vlan_tci;

  if (D == 0) begin : gen_here
    kumi_ip_rx_check #(
        .BEAT_BYTES (B),
        .MAX_PAYLOAD(MAX_PAYLOAD),
        .PIPELINED  (0)
    ) u_check (
        .clk,
        .cfg,
        .en,
        .step('0),
        .h(h_q),
        .chk
    );
    assign h = h_q;
    assign vlan_valid = vlan_valid_q;
    assign vlan_tci = vlan_tci_q;
  end else begin : gen_carry
    localparam int CHECKED = 3;  // registers of the checks
    localparam int CARRY_W = 42 * 8 + 17;
    logic [D:0][CARRY_W-1:0] carry;
    ip_rx_check_t [D:CHECKED] checked;
    logic [D:1] step;

    assign carry[0] = {h_q, vlan_valid_q, vlan_tci_q};
    for (genvar k = 1; k <= D; k++) begin : gen_carry_stage
      logic [CARRY_W-1:0] carry_q;
      assign step[k] = en && st[k].valid && st[k].index == 3'(DECIDE_BEAT);
      always_ff @(posedge clk) if (step[k]) carry_q <= carry[k-1];
      assign carry[k] = carry_q;
      if (k > CHECKED) begin : gen_checked
        ip_rx_check_t checked_q;
        always_ff @(posedge clk) if (step[k]) checked_q <= checked[k-1];
        assign checked[k] = checked_q;
      end
    end

    kumi_ip_rx_check #(
        .BEAT_BYTES (B),
        .MAX_PAYLOAD(MAX_PAYLOAD),
        .PIPELINED  (1)
    ) u_check (
        .clk,
        .cfg,
        .en,
        .step(step[CHECKED:1]),
        .h(h_q),
        .chk(checked[CHECKED])
    );
    assign chk = checked[D];
    assign {h, vlan_valid, vlan_tci} = carry[D];
  end

  logic unused;
  assign unused = &{unused_ip_total, unused_l4_total, cfg, h};

  // ---- payload and record ---------------------------------------------------------------------
  stage_t r;
  logic r_go, hdr_ok, frame_bad, l4_bad, delivering;

  assign r = st[R];
  assign r_go = en && r.valid && (r.last || st[R-1].valid);
  assign hdr_ok = chk.good && ip_zero && cfg.enable;
  assign l4_bad = chk.summed && !l4_zero;
  assign frame_bad = r.last && (r.bad || runt[R] || trunc[R] || l4_bad || !cfg.enable);

  kumi_ip_rx_deliver #(
      .DATA_W(DATA_W)
  ) u_deliver (
      .clk,
      .rst,
      .beat(r.data),
      .next(st[R-1].data),
      .index(r.index),
      .last(r.last),
      .bad(frame_bad),
      .go(r_go),
      .hdr_ok,
      .chk,
      .h,
      .vlan_valid,
      .vlan_tci,
      .free(en),
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
      .active(delivering)
  );

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

  assign active = st[0].valid || r.valid || delivering;
endmodule
