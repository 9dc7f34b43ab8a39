// SPDX-License-Identifier: Apache-2.0
//
// Frame parser: separates header and payload, and aligns the payload to whole words.
//
// s_frame: frames without FCS, tuser[0] with tlast: bad. hold: do not start a frame.
// peek_peer: peer number, from the beat that carries it on: address for tables that answer a cycle
//   later.
// head: the header is complete in h (one cycle, after its last beat).
// p_wr, p_data: payload words; bytes after the end of the payload are undefined.
// fin: end of frame; short_: incomplete header; truncated: less payload than the header says; bad:
//   marked bad. They and h are stable until next_ok, at least one cycle.
// Latency: two cycles per frame beyond its beats, one more if the end of the payload shares a beat.
module kumi_eth_rtp_rx_parser
  import kumi_eth_rtp_pkg::*;
(
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_frame,
    input logic hold,

    output logic         idle,       // between frames
    output logic [ 11:0] peek_peer,
    output logic [239:0] h,          // first byte in the high bits
    output logic         head,

    output logic                      p_wr,
    output logic [s_frame.DATA_W-1:0] p_data,

    output logic fin,
    output logic short_,
    output logic truncated,
    output logic bad,
    input  logic next_ok
);
  localparam int DATA_W = s_frame.DATA_W;
  localparam int KEEP_W = s_frame.KEEP_W;
  localparam int LOG = $clog2(KEEP_W);
  localparam int HDR = RTP_HEADER;
  localparam int HEAD = (HDR - 1) / KEEP_W;  // beat that completes the header
  localparam int REST = HDR % KEEP_W;  // header bytes in that beat
  localparam int KEPT = KEEP_W - REST;
  localparam int TAG = 16;  // first byte of the tag
  localparam int TAG_BEAT = TAG / KEEP_W;
  localparam int TAG_AT = TAG % KEEP_W;

  if (KEEP_W < 8 || (KEEP_W & (KEEP_W - 1)) != 0) begin : gen_check_width
    $fatal(0, "the data width must be a power of two, at least 64 (%m)");
  end

  typedef enum logic [2:0] {
    ST_HEAD,
    ST_LOOK,   // header lookup
    ST_PAY,
    ST_FLUSH,  // payload in the header's beat, or after the last whole word
    ST_END
  } rtp_rx_parser_state_e;

  rtp_rx_parser_state_e state_q;
  logic [1:0] index_q;
  logic [LOG:0] bytes, kept_bytes_q;
  logic [KEPT*8-1:0] kept_q;
  logic [13:0] left_q;  // payload not written yet
  logic beat, last_head, complete, ended_q, more;
  logic [239:0] fields;
  logic [13:0] len, room;

  kumi_keep_to_count #(
      .KEEP_W(KEEP_W)
  ) u_count (
      .keep (s_frame.tkeep),
      .count(bytes)
  );

  assign s_frame.tready = (state_q == ST_HEAD && !(hold && index_q == '0)) || state_q == ST_PAY;
  assign idle           = state_q == ST_HEAD && index_q == '0;
  assign beat           = s_frame.tvalid && s_frame.tready;
  assign last_head      = state_q == ST_HEAD && index_q == 2'(HEAD);
  assign complete       = bytes >= (LOG + 1)'(REST);

  // Header bytes of this beat merged with earlier ones.
  always_comb begin
    fields = h;
    for (int i = 0; i < HDR; i++) begin
      if (index_q == 2'(i / KEEP_W)) fields[8*(HDR-1-i)+:8] = s_frame.tdata[8*(i%KEEP_W)+:8];
    end
  end
  logic [11:0] tag_in;
  assign tag_in    = {s_frame.tdata[8*TAG_AT+:8], s_frame.tdata[8*TAG_AT+12+:4]};
  assign peek_peer = state_q == ST_HEAD && index_q == 2'(TAG_BEAT) ? tag_in : h[8*(HDR-TAG)-1-:12];
  assign head      = state_q == ST_LOOK;
  assign len       = h[13:0];

  // Payload up to and including this beat.
  assign room      = 14'(KEPT) + 14'(bytes);
  assign more      = left_q > 14'(KEEP_W);
  assign p_data    = state_q == ST_FLUSH ? DATA_W'(kept_q) : {s_frame.tdata[REST*8-1:0], kept_q};
  assign p_wr      = state_q == ST_FLUSH || (state_q == ST_PAY && beat && left_q != '0);
  assign fin       = state_q == ST_END;

  always_ff @(posedge clk) begin
    if (beat) begin
      if (state_q == ST_HEAD) h <= fields;
      kept_q       <= s_frame.tdata[DATA_W-1:REST*8];
      kept_bytes_q <= bytes - (LOG + 1)'(REST);
      ended_q      <= s_frame.tlast;
      bad          <= s_frame.tlast && s_frame.tuser[0];
    end
    unique case (state_q)
      ST_HEAD:
      if (beat) begin
        index_q   <= index_q + 2'd1;
        short_    <= !last_head || !complete;
        truncated <= 1'b0;
        if (last_head && (complete || !s_frame.tlast)) state_q <= ST_LOOK;
        else if (s_frame.tlast) state_q <= ST_END;
      end
      ST_LOOK: begin
        left_q <= len;
        truncated    <= ended_q && len > 14'(kept_bytes_q);
        if (!ended_q) state_q <= ST_PAY;
        else if (len == '0 || len > 14'(kept_bytes_q)) state_q <= ST_END;
        else state_q <= ST_FLUSH;
      end
      ST_PAY:
      if (beat) begin
        left_q <= more ? left_q - 14'(KEEP_W) : '0;
        if (s_frame.tlast) begin
          truncated <= left_q > room;
          state_q   <= more && left_q <= room ? ST_FLUSH : ST_END;
        end
      end
      ST_FLUSH: state_q <= ST_END;
      default:
      if (next_ok) begin
        state_q <= ST_HEAD;
        index_q <= '0;
      end
    endcase
    if (rst) begin
      state_q <= ST_HEAD;
      index_q <= '0;
    end
  end
endmodule
