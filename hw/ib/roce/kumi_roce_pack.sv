// SPDX-License-Identifier: Apache-2.0
//
// Packs a packet: headers, payload, padding, in whole beats.
//
// front: a prefix of PREFIX_BEATS whole beats, then `head` bytes (1 or more) of headers. left:
//   bytes of payload on s_axis, 0 if there is none. pad: bytes of zeros behind it. All must remain
//   stable while valid is high, until ready: the packet has been taken.
// m_axis: a packet; tuser with its last beat, if the payload's last beat was marked (tuser[0]).
// Latency 1 cycle (2 from 256 bits on); a packet takes the cycles of its beats, and one each for
//   padding and for headers that push its end into a further beat.
module kumi_roce_pack #(
    parameter int DATA_W       = 64,  // bits of a beat: 64, 128, 256, 512
    parameter int FRONT_BEATS  = 6,   // of prefix and headers, at most
    parameter int PREFIX_BEATS = 0
) (
    input logic clk,
    input logic rst,
    input logic [FRONT_BEATS-1:0][DATA_W-1:0] front,
    input logic [6:0] head,
    input logic [12:0] left,
    input logic [1:0] pad,
    input logic valid,
    output logic ready,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis
);
  localparam int B = DATA_W / 8;
  localparam int LANE_W = $clog2(B);
  localparam int INDEX_W = $clog2(FRONT_BEATS + 1);

  typedef enum logic [1:0] {
    PACK_FRONT,
    PACK_PAYLOAD,
    PACK_PAD
  } roce_pack_state_e;

  roce_pack_state_e state_q;
  logic [INDEX_W-1:0] index_q;
  logic [6:0] head_q, head_now;  // bytes of header to come; the prefix comes first
  logic [12:0] left_q;
  logic bad_q, seg_valid, seg_ready, go, front_ends, payload_ends, flush, in_prefix;
  logic [DATA_W-1:0] seg_data;
  logic [  LANE_W:0] seg_count;

  assign in_prefix = int'(index_q) < PREFIX_BEATS;
  assign head_now = index_q == INDEX_W'(PREFIX_BEATS) ? head : head_q;
  assign front_ends = !in_prefix && head_now <= 7'(B);
  assign payload_ends = left_q <= 13'(B);

  always_comb begin
    seg_data = s_axis.tdata;
    seg_count = payload_ends ? (LANE_W + 1)'(left_q) : (LANE_W + 1)'(B);
    seg_valid = valid;
    flush = 1'b0;
    unique case (state_q)
      PACK_FRONT: begin
        seg_data = front[index_q];
        seg_count = front_ends ? (LANE_W + 1)'(head_now) : (LANE_W + 1)'(B);
        flush = front_ends && left == '0;
      end
      PACK_PAYLOAD: begin
        seg_valid = s_axis.tvalid;
        flush = payload_ends && pad == '0;
      end
      default: begin
        seg_data = '0;
        seg_count = (LANE_W + 1)'(pad);
        flush = 1'b1;
      end
    endcase
  end

  assign go = seg_valid && seg_ready;
  assign ready = go && flush;
  assign s_axis.tready = state_q == PACK_PAYLOAD && seg_ready;

  always_ff @(posedge clk) begin
    if (go) begin
      unique case (state_q)
        PACK_FRONT: begin
          index_q <= front_ends ? '0 : index_q + 1'b1;
          head_q  <= head_now - 7'(B);
          left_q  <= left;
          bad_q   <= 1'b0;
          if (front_ends && left != '0) state_q <= PACK_PAYLOAD;
        end
        PACK_PAYLOAD: begin
          left_q <= left_q - 13'(B);
          bad_q  <= s_axis.tuser[0] && s_axis.tlast;
          if (payload_ends) state_q <= pad == '0 ? PACK_FRONT : PACK_PAD;
        end
        default: state_q <= PACK_FRONT;
      endcase
    end
    if (rst) begin
      state_q <= PACK_FRONT;
      index_q <= '0;
    end
  end

  logic first_out, tag_out, user_out;
  kumi_byte_realign #(
      .DATA_W(DATA_W),
      .PIPE  (DATA_W >= 256)
  ) u_realign (
      .clk,
      .rst,
      .s_data (seg_data),
      .s_lo   ('0),
      .s_count(seg_count),
      .s_start(state_q == PACK_FRONT && index_q == '0),
      .s_lane ('0),
      .s_tag  (1'b0),
      .s_flush(flush),
      .s_user (state_q == PACK_PAD ? bad_q : state_q == PACK_PAYLOAD && s_axis.tuser[0]),
      .s_valid(seg_valid),
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
  assign m_axis.tuser = user_out && m_axis.tlast;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;

  logic unused;
  assign unused = ^{first_out, tag_out, s_axis.tkeep, s_axis.tid, s_axis.tdest};
endmodule
