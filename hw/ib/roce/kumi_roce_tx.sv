// SPDX-License-Identifier: Apache-2.0
//
// RoCEv2 transmit: records of the transport engine to UDP datagrams with ICRC (annex A17; clauses
// 9.2 and 7.8.1).
//
// s_pkt, s_axis: rc_pkt_t and payload of exactly the record's length (kumi_rc_pkg).
// m_hdr, m_axis: udp_hdr_t and payload for kumi_ip_stack: UDP checksum 0, headers, payload, padding
//   to whole words, ICRC. The record is offered before the first beat.
// own_ip: the stack's address. The ICRC covers the IP header, so the stack must send identification
//   0 and DF (cfg.dont_fragment) and no other layout.
// A payload marked bad (tuser[0] with tlast) leaves marked and with an inverted ICRC.
// Latency from record to first beat: that of kumi_crc32 (4 at 64 bits, 9 at 512) and 14 to 16
//   cycles. A packet takes the cycles of its beats and those of 32 bytes more (64 at 512 bits), and
//   one each for padding and for a payload that spills into a further beat.
// path.traffic is not sent: the stack's type of service is 0.
//
// How: the CRC of kumi_axis_fcs_insert is the ICRC if the stream begins with the masked IP and UDP
//   headers and something that stands for the 8 bytes of ones. That prefix is whole beats, and is
//   taken away again behind the CRC.
module kumi_roce_tx
  import kumi_rc_pkg::*;
  import kumi_roce_pkg::*;
#(
    parameter int DATA_W = 64  // bits of a beat: 64, 128, 256, 512
) (
    input  logic                   clk,
    input  logic                   rst,
    input  logic            [31:0] own_ip,
           kumi_rec_if.snk         s_pkt,
           kumi_axis_if.snk        s_axis,
           kumi_rec_if.src         m_hdr,
           kumi_axis_if.src        m_axis,
    output logic                   busy,
    output logic                   ev_packet  // a packet was accepted
);
  localparam int B = DATA_W / 8;
  localparam int PREFIX = B > 32 ? B : 32;  // bytes
  localparam int FILL = PREFIX - 28;  // in front of the IP header
  localparam int HEAD = 4 * MAX_WORDS;
  localparam int FRONT_BEATS = (PREFIX + HEAD + B - 1) / B;
  localparam int PREFIX_BEATS = PREFIX / B;

  if (s_axis.DATA_W != DATA_W || m_axis.DATA_W != DATA_W) begin : gen_check_data
    $fatal(0, "a stream is not DATA_W wide (%m)");
  end
  if (m_hdr.W != kumi_ip_pkg::UDP_HDR_W || s_pkt.W != RC_PKT_W) begin : gen_check_hdr
    $fatal(0, "a record stream has the wrong width (%m)");
  end
  if (DATA_W < 64 || DATA_W > 512 || (DATA_W & (DATA_W - 1)) != 0) begin : gen_check_w
    $fatal(0, "DATA_W must be 64, 128, 256 or 512 (%m)");
  end

  // ---- 1: lengths -------------------------------------------------------------------------------
  rc_pkt_t pkt, pkt_1q;
  roce_layout_t layout_1q;
  logic valid_1q, ready_1, valid_2q, ready_2, hdr_ready;
  logic [12:0] padded;

  assign pkt = rc_pkt_t'(s_pkt.data);
  assign s_pkt.ready = !valid_1q || ready_1;
  assign ev_packet = s_pkt.valid && s_pkt.ready;
  assign padded = pkt.hdr.length + 13'd3;

  logic [12:0] words4_1q;  // bytes of payload with padding
  always_ff @(posedge clk) begin
    if (s_pkt.ready) begin
      valid_1q  <= s_pkt.valid;
      pkt_1q    <= pkt;
      layout_1q <= roce_layout(pkt.hdr.opcode);
      words4_1q <= {padded[12:2], 2'b00};
    end
    if (rst) valid_1q <= 1'b0;
  end

  // ---- 2: prefix and headers --------------------------------------------------------------------
  logic [12:0] udp_bytes;  // behind the UDP header, ICRC included
  logic [15:0] ip_bytes, udp_bytes_and_header;
  logic [1:0] pad;
  logic [7:0][31:0] ip;  // masked, with the UDP header; a word more than needed
  logic [MAX_WORDS-1:0][31:0] head;
  logic [PREFIX+HEAD-1:0][7:0] front, front_2q;
  logic [12:0] left_2q;
  logic [6:0] head_2q;
  logic [1:0] pad_2q;
  rc_hdr_t h;

  assign h = pkt_1q.hdr;
  assign udp_bytes = words4_1q + 13'({layout_1q.words, 2'b00}) + 13'd4;
  assign ip_bytes = 16'(udp_bytes) + 16'd28;
  assign udp_bytes_and_header = 16'(udp_bytes) + 16'd8;
  assign pad = 2'(words4_1q[1:0] - h.length[1:0]);

  always_comb begin
    ip = '0;
    ip[0] = {16'h45FF, ip_bytes};
    ip[1] = 32'h0000_4000;
    ip[2] = 32'hFF11_FFFF;
    ip[3] = own_ip;
    ip[4] = pkt_1q.path.addr;
    ip[5] = {pkt_1q.path.flow, 16'(ROCE_UDP_PORT)};
    ip[6] = {udp_bytes_and_header, 16'hFFFF};

    head = roce_headers(h, layout_1q, pad, 8'hFF);

    // 8 bytes of ones leave a CRC as 4 of zeros do, or 4 of ones, zeros, and 4 of ones.
    front = '0;
    if (FILL > 4) begin
      for (int i = 0; i < 4; i++) begin
        front[i] = '1;
        front[FILL-4+i] = '1;
      end
    end
    for (int w = 0; w < 7; w++) begin
      for (int i = 0; i < 4; i++) front[FILL+4*w+i] = ip[w][31-8*i-:8];
    end
    for (int w = 0; w < MAX_WORDS; w++) begin
      for (int i = 0; i < 4; i++) front[PREFIX+4*w+i] = head[w][31-8*i-:8];
    end
  end

  kumi_ip_pkg::udp_hdr_t udp;
  always_comb begin
    udp = '0;
    udp.peer_ip = pkt_1q.path.addr;
    udp.peer_port = 16'(ROCE_UDP_PORT);
    udp.local_port = pkt_1q.path.flow;
    udp.length = 16'(udp_bytes);
    udp.cks = kumi_ip_pkg::CKS_NONE;
  end

  kumi_slice #(
      .W(kumi_ip_pkg::UDP_HDR_W),
      .MODE(2)
  ) u_hdr (
      .clk,
      .rst,
      .s_data (udp),
      .s_valid(valid_1q && (!valid_2q || ready_2)),
      .s_ready(hdr_ready),
      .m_data (m_hdr.data),
      .m_valid(m_hdr.valid),
      .m_ready(m_hdr.ready)
  );
  assign ready_1 = hdr_ready && (!valid_2q || ready_2);

  always_ff @(posedge clk) begin
    if (!valid_2q || ready_2) begin
      valid_2q <= valid_1q && hdr_ready;
      front_2q <= front;
      head_2q  <= {1'b0, layout_1q.words, 2'b00};
      left_2q  <= h.length;
      pad_2q   <= pad;
    end
    if (rst) valid_2q <= 1'b0;
  end

  // ---- 3: whole beats ---------------------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) packed_axis ();
  logic [FRONT_BEATS-1:0][DATA_W-1:0] front_beats;
  assign front_beats = (8 * FRONT_BEATS * B)'(front_2q);

  kumi_roce_pack #(
      .DATA_W(DATA_W),
      .FRONT_BEATS(FRONT_BEATS),
      .PREFIX_BEATS(PREFIX_BEATS)
  ) u_pack (
      .clk,
      .rst,
      .front (front_beats),
      .head  (head_2q),
      .left  (left_2q),
      .pad   (pad_2q),
      .valid (valid_2q),
      .ready (ready_2),
      .s_axis,
      .m_axis(packed_axis)
  );

  // ---- ICRC, and the prefix away ----------------------------------------------------------------
  kumi_axis_if #(.DATA_W(DATA_W)) whole ();

  kumi_axis_fcs_insert u_icrc (
      .clk,
      .rst,
      .s_axis(packed_axis),
      .m_axis(whole)
  );

  localparam int SKIP_W = $clog2(PREFIX_BEATS + 2);
  logic [SKIP_W-1:0] skip_q;  // beats of this packet so far, saturating
  logic skipping, opens;
  assign skipping = skip_q < SKIP_W'(PREFIX_BEATS);
  assign opens = skip_q == SKIP_W'(PREFIX_BEATS);
  assign whole.tready = skipping || m_axis.tready;
  assign m_axis.tvalid = whole.tvalid && !skipping;
  assign m_axis.tkeep = whole.tkeep;
  assign m_axis.tlast = whole.tlast;
  assign m_axis.tuser = whole.tuser;
  assign m_axis.tid = '0;
  assign m_axis.tdest = '0;

  // The reserved byte of the BTH is ones for the ICRC alone.
  always_comb begin
    m_axis.tdata = whole.tdata;
    if (opens) m_axis.tdata[39:32] = '0;
  end

  always_ff @(posedge clk) begin
    if (whole.tvalid && whole.tready) begin
      if (whole.tlast) skip_q <= '0;
      else if (skipping || opens) skip_q <= skip_q + 1'b1;
    end
    if (rst) skip_q <= '0;
  end

  assign busy = valid_1q || valid_2q || packed_axis.tvalid || whole.tvalid || m_hdr.valid;

  logic unused;
  assign unused = ^{ip[7], padded[1:0], layout_1q};
endmodule
