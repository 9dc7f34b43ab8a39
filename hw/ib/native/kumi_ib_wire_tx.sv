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
  localparam int B = DATA_W / 8;
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
  logic [5:0] head_2q;  // bytes of LRH and headers
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
      head_2q <= {layout_1q.words, 2'b00} + 6'd8;
      left_2q <= pkt_1q.hdr.length;
      pad_2q  <= pad;
    end
    if (rst) valid_2q <= 1'b0;
  end

  // ---- 3: segments ------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    IB_TX_FRONT,
    IB_TX_PAYLOAD,
    IB_TX_PAD
  } ib_tx_state_e;

  ib_tx_state_e state_q;
  logic [2:0] index_q;
  logic [5:0] head_q, head_now;
  logic [12:0] left_q;
  logic bad_q, seg_valid, seg_ready, go, front_ends, payload_ends, flush;
  logic [DATA_W-1:0] seg_data;
  logic [3:0] seg_count;

  assign head_now = index_q == '0 ? head_2q : head_q;
  assign front_ends = head_now <= 6'(B);
  assign payload_ends = left_q <= 13'(B);

  always_comb begin
    seg_data = s_axis.tdata;
    seg_count = payload_ends ? 4'(left_q) : 4'(B);
    seg_valid = valid_2q;
    flush = 1'b0;
    unique case (state_q)
      IB_TX_FRONT: begin
        seg_data = front_2q[index_q];
        seg_count = front_ends ? 4'(head_now) : 4'(B);
        flush = front_ends && left_2q == '0;
      end
      IB_TX_PAYLOAD: begin
        seg_valid = s_axis.tvalid;
        flush = payload_ends && pad_2q == '0;
      end
      default: begin
        seg_data = '0;
        seg_count = 4'(pad_2q);
        flush = 1'b1;
      end
    endcase
  end

  assign go = seg_valid && seg_ready;
  assign ready_2 = go && flush;
  assign s_axis.tready = state_q == IB_TX_PAYLOAD && seg_ready;

  always_ff @(posedge clk) begin
    if (go) begin
      unique case (state_q)
        IB_TX_FRONT: begin
          index_q <= front_ends ? '0 : index_q + 1'b1;
          head_q  <= head_now - 6'(B);
          left_q  <= left_2q;
          bad_q   <= 1'b0;
          if (front_ends && left_2q != '0) state_q <= IB_TX_PAYLOAD;
        end
        IB_TX_PAYLOAD: begin
          left_q <= left_q - 13'(B);
          bad_q  <= s_axis.tuser[0] && s_axis.tlast;
          if (payload_ends) state_q <= pad_2q == '0 ? IB_TX_FRONT : IB_TX_PAD;
        end
        default: state_q <= IB_TX_FRONT;
      endcase
    end
    if (rst) begin
      state_q <= IB_TX_FRONT;
      index_q <= '0;
    end
  end

  // ---- whole beats, ICRC ------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) whole ();
  logic first_out, tag_out, user_out;

  kumi_byte_realign #(
      .DATA_W(DATA_W)
  ) u_realign (
      .clk,
      .rst,
      .s_data (seg_data),
      .s_lo   ('0),
      .s_count(seg_count),
      .s_start(state_q == IB_TX_FRONT && index_q == '0),
      .s_lane ('0),
      .s_tag  (1'b0),
      .s_flush(flush),
      .s_user (state_q == IB_TX_PAD ? bad_q : state_q == IB_TX_PAYLOAD && s_axis.tuser[0]),
      .s_valid(seg_valid),
      .s_ready(seg_ready),
      .m_data (whole.tdata),
      .m_keep (whole.tkeep),
      .m_first(first_out),
      .m_last (whole.tlast),
      .m_tag  (tag_out),
      .m_user (user_out),
      .m_valid(whole.tvalid),
      .m_ready(whole.tready)
  );
  assign whole.tuser = user_out && whole.tlast;
  assign whole.tid   = '0;
  assign whole.tdest = '0;

  kumi_ib_icrc_insert u_icrc (
      .clk,
      .rst,
      .s_axis(whole),
      .m_axis
  );

  assign busy = valid_1q || valid_2q || whole.tvalid || m_axis.tvalid;

  logic unused;
  assign unused = ^{first_out, tag_out, padded[1:0], pkt_1q, layout_1q};
endmodule
