// SPDX-License-Identifier: Apache-2.0
//
// Native InfiniBand transmit: records of the transport engine to packets for kumi_ib_link, from the
// LRH to the ICRC (IBTA volume 1, clauses 7.7, 7.8.1 and 9.2).
//
// s_pkt, s_axis: rc_pkt_t and payload of exactly the record's length (kumi_rc_pkg); path.addr[15:0]
//   is the peer's LID, path.flow[3:0] the service level. lid: of the port.
// m_axis: packets; the link writes their VL, by service level, and appends the VCRC. A payload
//   marked bad (tuser[0] with tlast) leaves marked, and the link drops it.
// Latency from record to first beat 6 to 8 cycles. A packet takes the cycles of its beats, with
//   headers, and one each for padding and for an ICRC that has no room in the last one.
module kumi_ib_wire_tx
  import kumi_rc_pkg::*;
  import kumi_roce_pkg::*;
  import kumi_ib_pkg::*;
(
    input  logic                   clk,
    input  logic                   rst,
    input  logic            [15:0] lid,
           kumi_rec_if.snk         s_pkt,
           kumi_axis_if.snk        s_axis,
           kumi_axis_if.src        m_axis,
    output logic                   busy,
    output logic                   ev_packet  // a packet was accepted
);
  localparam int DATA_W = 64;
  localparam int FRONT_WORDS = 2 + MAX_WORDS;  // LRH in front
  localparam int FRONT_BEATS = FRONT_WORDS / 2;

  if (s_axis.DATA_W != DATA_W || m_axis.DATA_W != DATA_W) begin : gen_check_data
    $fatal(0, "a stream is not 64 bits wide (%m)");
  end
  if (s_pkt.W != RC_PKT_W) begin : gen_check_pkt
    $fatal(0, "s_pkt has the wrong width (%m)");
  end

  // ---- 1: lengths -------------------------------------------------------------------------------
  rc_pkt_t pkt, pkt_1q;
  roce_layout_t layout_1q;
  logic valid_1q, valid_2q, ready_2;
  logic [12:0] padded;
  logic [10:0] words_1q;  // of payload and padding

  assign pkt = rc_pkt_t'(s_pkt.data);
  assign s_pkt.ready = !valid_1q || !valid_2q || ready_2;
  assign ev_packet = s_pkt.valid && s_pkt.ready;
  assign padded = pkt.hdr.length + 13'd3;

  always_ff @(posedge clk) begin
    if (s_pkt.ready) begin
      valid_1q  <= s_pkt.valid;
      pkt_1q    <= pkt;
      layout_1q <= roce_layout(pkt.hdr.opcode);
      words_1q  <= padded[12:2];
    end
    if (rst) valid_1q <= 1'b0;
  end

  // ---- 2: headers -------------------------------------------------------------------------------
  lrh_t lrh;
  logic [1:0] pad, pad_2q;
  logic [FRONT_WORDS-1:0][31:0] words;
  logic [FRONT_BEATS-1:0][DATA_W-1:0] front_2q;
  logic [6:0] head_2q;  // bytes of LRH and headers
  logic [12:0] left_2q;

  assign pad = 2'd0 - pkt_1q.hdr.length[1:0];
  always_comb begin
    lrh = '0;
    lrh.sl = pkt_1q.path.flow[3:0];
    lrh.lnh = LNH_LOCAL;
    lrh.dlid = pkt_1q.path.addr[15:0];
    lrh.pkt_len = words_1q + 11'(layout_1q.words) + 11'd3;
    lrh.slid = lid;
    words = {roce_headers(pkt_1q.hdr, layout_1q, pad, 8'h00), lrh[31:0], lrh[63:32]};
  end

  always_ff @(posedge clk) begin
    if (!valid_2q || ready_2) begin
      valid_2q <= valid_1q;
      for (int w = 0; w < FRONT_WORDS; w++) front_2q[w/2][32*(w%2)+:32] <= swap32(words[w]);
      head_2q <= {1'b0, layout_1q.words, 2'b00} + 7'd8;
      left_2q <= pkt_1q.hdr.length;
      pad_2q  <= pad;
    end
    if (rst) valid_2q <= 1'b0;
  end

  // ---- 3: whole beats, ICRC ---------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) whole ();

  kumi_roce_pack #(
      .DATA_W(DATA_W),
      .FRONT_BEATS(FRONT_BEATS)
  ) u_pack (
      .clk,
      .rst,
      .front (front_2q),
      .head  (head_2q),
      .left  (left_2q),
      .pad   (pad_2q),
      .valid (valid_2q),
      .ready (ready_2),
      .s_axis,
      .m_axis(whole)
  );
  kumi_ib_icrc_insert u_icrc (
      .clk,
      .rst,
      .s_axis(whole),
      .m_axis
  );

  assign busy = valid_1q || valid_2q || whole.tvalid || m_axis.tvalid;

  logic unused;
  assign unused = ^{padded[1:0], pkt_1q, layout_1q};
endmodule
