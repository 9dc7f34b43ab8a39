// SPDX-License-Identifier: Apache-2.0
//
// RoCEv2 receive: UDP datagrams to records of the transport engine (annex A17; clause 9.2).
//
// s_hdr, s_axis: udp_hdr_t and payload of datagrams whose ICRC and UDP checksum were found right,
//   as kumi_ip_stack with RX_STORE gives them behind kumi_roce_icrc_check.
// m_pkt, m_axis: rc_pkt_t and payload (kumi_rc_pkg), headers, padding and ICRC removed. The record
//   is offered no later than the first beat. path: address and UDP source port of the sender.
// ev_*: each datagram raises exactly one, at its first beat.
// Latency from beat to payload beat 5 cycles at 64 and 128 bits, 7 above; one beat a cycle.
//   s_axis.tready follows m_pkt.ready and m_axis.tready.
// Bad input: dropped and counted, by the length of the UDP header and the first 12 bytes alone.
module kumi_roce_rx
  import kumi_rc_pkg::*;
  import kumi_roce_pkg::*;
#(
    parameter int DATA_W = 64  // bits of a beat: 64, 128, 256, 512
) (
    input  logic                           clk,
    input  logic                           rst,
           kumi_rec_if.snk                 s_hdr,
           kumi_axis_if.snk                s_axis,
           kumi_rec_if.src                 m_pkt,
           kumi_axis_if.src                m_axis,
    output kumi_roce_pkg::roce_rx_events_t ev       // bad_icrc stays low
);
  localparam int B = DATA_W / 8;
  localparam int LANE_W = $clog2(B);
  localparam int HEAD_BEATS = (4 * MAX_WORDS + B - 1) / B;
  localparam int INDEX_W = $clog2(HEAD_BEATS + 1);

  if (s_axis.DATA_W != DATA_W || m_axis.DATA_W != DATA_W) begin : gen_check_data
    $fatal(0, "a stream is not DATA_W wide (%m)");
  end
  if (s_hdr.W != kumi_ip_pkg::UDP_HDR_W || m_pkt.W != RC_PKT_W) begin : gen_check_hdr
    $fatal(0, "a record stream has the wrong width (%m)");
  end
  if (DATA_W < 64 || DATA_W > 512 || (DATA_W & (DATA_W - 1)) != 0) begin : gen_check_w
    $fatal(0, "DATA_W must be 64, 128, 256 or 512 (%m)");
  end

  // ---- datagram record --------------------------------------------------------------------------
  typedef struct packed {
    logic        port_ok;
    logic [15:0] length;
    logic [31:0] peer_ip;
    logic [15:0] peer_port;
  } roce_datagram_t;

  kumi_ip_pkg::udp_hdr_t udp;
  roce_datagram_t gram;
  logic gram_valid, gram_take;

  assign udp = kumi_ip_pkg::udp_hdr_t'(s_hdr.data);

  kumi_slice #(
      .W($bits(roce_datagram_t)),
      .MODE(2)
  ) u_gram (
      .clk,
      .rst,
      .s_data ({udp.local_port == 16'(ROCE_UDP_PORT), udp.length, udp.peer_ip, udp.peer_port}),
      .s_valid(s_hdr.valid),
      .s_ready(s_hdr.ready),
      .m_data (gram),
      .m_valid(gram_valid),
      .m_ready(gram_take)
  );

  // ---- 1: the first beat's opcode ---------------------------------------------------------------
  // A datagram without payload has no beat: it takes the place of one.
  typedef struct packed {
    logic              start;
    logic              last;
    logic [DATA_W-1:0] data;
  } roce_rx_beat_t;

  roce_rx_beat_t beat_1q, beat_2q, beat_3q;
  logic valid_1q, valid_2q, valid_3q, step, first_q, empty, fetch;
  roce_datagram_t gram_1q, gram_2q, gram_3q;
  roce_layout_t layout, layout_1q, layout_2q, layout_3q;
  logic basic_1q, basic_2q;  // at least BTH and ICRC, and whole words
  logic version_1q, version_2q;
  logic [6:0] around_1q;  // bytes of headers, padding and ICRC

  assign empty = first_q && gram_valid && gram.length == '0;
  assign fetch = s_axis.tvalid && s_axis.tready;
  assign s_axis.tready = step && (!first_q || (gram_valid && !empty));
  assign gram_take = step && first_q && (empty || fetch);
  assign layout = roce_layout(s_axis.tdata[7:0]);

  always_ff @(posedge clk) begin
    if (fetch) first_q <= s_axis.tlast;
    if (step) begin
      valid_1q <= fetch || empty;
      beat_1q  <= '{start: first_q, last: empty || s_axis.tlast, data: s_axis.tdata};
      if (first_q) begin
        gram_1q <= gram;
        layout_1q <= layout;
        basic_1q <= gram.length[15:4] != '0 && gram.length[1:0] == '0;
        version_1q <= s_axis.tdata[11:8] == '0;
        around_1q <= {1'b0, layout.words, 2'b00} + 7'(s_axis.tdata[13:12]) + 7'd4;
      end
    end
    if (rst) begin
      first_q  <= 1'b1;
      valid_1q <= 1'b0;
    end
  end

  // ---- 2: length of the payload, verdict --------------------------------------------------------
  logic [16:0] rest, rest_2q;
  logic length_ok, good;

  assign rest = {1'b0, gram_1q.length} - 17'(around_1q);

  always_ff @(posedge clk) begin
    if (step) begin
      valid_2q <= valid_1q;
      beat_2q  <= beat_1q;
      if (beat_1q.start) begin
        gram_2q <= gram_1q;
        layout_2q <= layout_1q;
        basic_2q <= basic_1q;
        version_2q <= version_1q;
        rest_2q <= rest;
      end
    end
    if (rst) valid_2q <= 1'b0;
  end

  assign length_ok = !rest_2q[16] && rest_2q <= 17'(MAX_PAYLOAD) &&
      (layout_2q.payload || rest_2q == '0);
  assign good = gram_2q.port_ok && basic_2q && layout_2q.known && version_2q && length_ok;

  always_comb begin
    ev = '0;
    if (valid_2q && step && beat_2q.start) begin
      if (!gram_2q.port_ok) ev.drop_port = 1'b1;
      else if (!basic_2q) ev.drop_length = 1'b1;
      else if (!layout_2q.known) ev.drop_opcode = 1'b1;
      else if (!version_2q) ev.drop_version = 1'b1;
      else if (!length_ok) ev.drop_length = 1'b1;
      else ev.rx_packet = 1'b1;
    end
  end

  // ---- 3: headers to the record, payload to segments --------------------------------------------
  logic good_3q, begun_q, ends, segment, completes, in_head_q, rec_ready, seg_ready;
  logic [12:0] length_3q, left_q;
  logic [6:0] skip_q;  // bytes of header that are still to come, this beat included
  logic [6:0] head_left_q;  // the same, not below 0 after the header's end
  logic [INDEX_W-1:0] index_q;
  logic [LANE_W:0] avail;

  assign avail = skip_q >= 7'(B) ? '0 : (LANE_W + 1)'(B) - (LANE_W + 1)'(skip_q);
  assign ends = left_q <= 13'(avail);
  assign segment = valid_3q && good_3q && left_q != '0 && avail != '0;
  assign completes = valid_3q && good_3q && in_head_q && head_left_q <= 7'(B);
  assign step = !valid_3q || ((!completes || rec_ready) && (!segment || seg_ready));

  always_ff @(posedge clk) begin
    if (step) begin
      valid_3q <= valid_2q;
      beat_3q  <= beat_2q;
      if (beat_2q.start) begin
        good_3q <= good;
        gram_3q <= gram_2q;
        layout_3q <= layout_2q;
        length_3q <= rest_2q[12:0];
        left_q <= rest_2q[12:0];
        skip_q <= {1'b0, layout_2q.words, 2'b00};
        head_left_q <= {1'b0, layout_2q.words, 2'b00};
        in_head_q <= 1'b1;
        begun_q <= 1'b0;
        index_q <= '0;
      end else if (valid_3q) begin
        skip_q <= skip_q >= 7'(B) ? skip_q - 7'(B) : '0;
        head_left_q <= head_left_q - 7'(B);
        if (head_left_q <= 7'(B)) in_head_q <= 1'b0;
        if (index_q != INDEX_W'(HEAD_BEATS)) index_q <= index_q + 1'b1;
        left_q  <= ends ? '0 : left_q - 13'(avail);
        begun_q <= begun_q || segment;
      end
    end
    if (rst) valid_3q <= 1'b0;
  end

  // Words of the header: those of earlier beats from registers.
  logic [MAX_WORDS-1:0][31:0] head_q, head;

  always_comb begin
    head = head_q;
    for (int w = 0; w < MAX_WORDS; w++) begin
      if (index_q == INDEX_W'(4 * w / B)) begin
        for (int i = 0; i < 4; i++) head[w][31-8*i-:8] = beat_3q.data[8*((4*w+i)%B)+:8];
      end
    end
  end

  always_ff @(posedge clk) begin
    if (valid_3q && step) head_q <= head;
  end

  rc_pkt_t pkt;
  always_comb begin
    pkt = '0;
    pkt.path.addr = gram_3q.peer_ip;
    pkt.path.flow = gram_3q.peer_port;
    pkt.hdr.opcode = head[0][31:24];
    pkt.hdr.se = head[0][23];
    pkt.hdr.p_key = head[0][15:0];
    pkt.hdr.dest_qp = head[1][23:0];
    pkt.hdr.ack_req = head[2][31];
    pkt.hdr.psn = head[2][23:0];
    pkt.hdr.length = length_3q;
    if (layout_3q.deth) begin
      pkt.hdr.q_key  = head[3];
      pkt.hdr.src_qp = head[4][23:0];
    end
    if (layout_3q.reth || layout_3q.atomic) begin
      pkt.hdr.va = {head[3], head[4]};
      pkt.hdr.r_key = head[5];
    end
    if (layout_3q.reth) pkt.hdr.dma_len = head[6];
    if (layout_3q.atomic) begin
      pkt.hdr.swap_add = {head[6], head[7]};
      pkt.hdr.compare  = {head[8], head[9]};
    end
    if (layout_3q.aeth) begin
      pkt.hdr.syndrome = head[3][31:24];
      pkt.hdr.msn = head[3][23:0];
    end
    if (layout_3q.atomic_ack) pkt.hdr.swap_add = {head[4], head[5]};
    if (layout_3q.imm) pkt.hdr.imm = layout_3q.reth ? head[7] : layout_3q.deth ? head[5] : head[3];
  end

  kumi_slice #(
      .W(RC_PKT_W),
      .MODE(3)
  ) u_pkt (
      .clk,
      .rst,
      .s_data (pkt),
      .s_valid(completes && (!segment || seg_ready)),
      .s_ready(rec_ready),
      .m_data (m_pkt.data),
      .m_valid(m_pkt.valid),
      .m_ready(m_pkt.ready)
  );

  logic first_out, tag_out, user_out;
  kumi_byte_realign #(
      .DATA_W(DATA_W),
      .PIPE  (DATA_W >= 256)
  ) u_realign (
      .clk,
      .rst,
      .s_data (beat_3q.data),
      .s_lo   (LANE_W'(skip_q)),
      .s_count(ends ? (LANE_W + 1)'(left_q) : avail),
      .s_start(!begun_q),
      .s_lane ('0),
      .s_tag  (1'b0),
      .s_flush(ends),
      .s_user (1'b0),
      .s_valid(segment && (!completes || rec_ready)),
      .s_ready(seg_ready),
      .m_data (m_axis.tdata),
      .m_keep (m_axis.tkeep),
      .m_first(first_out),
      .m_last (m_axis.tlast),
      .m_tag  (tag_out),
      .m_user (user_out),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
  assign m_axis.tuser = '0;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;

  logic unused;
  assign unused = ^{first_out, tag_out, user_out, udp, beat_1q.last, beat_2q.last, beat_3q.last,
                    beat_3q.start, layout_3q, gram_3q.port_ok, gram_3q.length, gram_2q.length};
endmodule
