// SPDX-License-Identifier: Apache-2.0
//
// Gets together what a HELLO, RESET, ACK or repeated DATA frame needs.
//
// greet: HELLO and RESET, first; ackreq, again: in turn. Each with valid and ready.
// Tables, one cycle after their address: conn, addr, ack (next number expected), sack (what came
//   behind it) and gone (frames handed to the kernel, low bits) at rd_peer; info at rd_slot.
// A request for a peer that is not up, or of an earlier association, is dropped.
// m_send: one frame every second cycle, 2 cycles behind its request.
module kumi_eth_rtp_ctrl_frame_gen
  import kumi_eth_rtp_pkg::*;
#(
    parameter int WINDOW = 16,   // receive window
    parameter int WORDS  = 287,  // words of a slot
    parameter int PEER_W = 6,
    parameter int SLOT_W = 5
) (
    input logic clk,
    input logic rst,

    input  rtp_handshake_t  greet,
    input  logic       greet_valid,
    output logic       greet_ready,
    input  rtp_ack_req_t ackreq,
    input  logic       ackreq_valid,
    output logic       ackreq_ready,
    input  rtp_rtx_t  again,
    input  logic       again_valid,
    output logic       again_ready,

    output logic     [PEER_W-1:0] rd_peer,
    input  rtp_conn_t              conn,
    input  logic     [      47:0] addr,
    input  logic     [      31:0] ack,
    input  logic     [WINDOW-1:0] sack,
    input  logic     [       7:0] gone,
    output logic     [SLOT_W-1:0] rd_slot,
    input  logic     [      15:0] info,     // {len, first, last}

    output rtp_tx_desc_t m_send,
    output logic     m_valid,
    input  logic     m_ready
);
  logic look_q;  // the tables answer
  logic turn_q;  // the last one was an ACK
  logic pick_again, take;
  logic [ 7:0] held;
  logic [31:0] limit;
  logic is_greet_q, is_again_q;
  rtp_handshake_t  greet_q;
  rtp_ack_req_t ackreq_q;
  rtp_rtx_t  again_q;

  assign pick_again   = again_valid && (turn_q || !ackreq_valid);
  assign take         = !look_q && (!m_valid || m_ready);
  assign greet_ready  = take;
  assign again_ready  = take && !greet_valid && pick_again;
  assign ackreq_ready = take && !greet_valid && !pick_again;
  assign rd_peer      = PEER_W'(pick_again ? again.peer : ackreq.peer);
  assign rd_slot      = SLOT_W'(again.slot);

  // What the kernel has not taken yet is not free.
  assign held         = ack[7:0] - gone;
  assign limit        = ack + 32'(8'(WINDOW) - held);

  always_ff @(posedge clk) begin
    look_q <= take && (greet_valid || again_valid || ackreq_valid);
    if (take) begin
      greet_q    <= greet;
      ackreq_q   <= ackreq;
      again_q    <= again;
      is_greet_q <= greet_valid;
      is_again_q <= pick_again;
      if (!greet_valid && (again_valid || ackreq_valid)) turn_q <= !pick_again;
    end
    if (m_ready) m_valid <= 1'b0;
    if (look_q) begin
      m_send.again <= 1'b1;
      m_send.slot  <= again_q.slot;
      m_send.base  <= 32'(again_q.slot) * 32'(WORDS);
      m_send.ack   <= ack;
      if (is_greet_q) begin
        m_valid      <= 1'b1;
        m_send.kind  <= greet_q.reset ? RTP_RESET : RTP_HELLO;
        m_send.flags <= '0;
        m_send.peer  <= greet_q.peer;
        m_send.addr  <= greet_q.addr;
        m_send.tag   <= greet_q.tag;
        m_send.seq   <= '0;
        m_send.ack   <= '0;
        m_send.len   <= greet_q.reset ? '0 : 14'(RTP_ACK_BYTES);
        m_send.pay   <= {greet_q.own, 32'(WINDOW), 32'd0};
      end else if (is_again_q) begin
        m_valid      <= conn.up && conn.gen == again_q.gen;
        m_send.kind  <= RTP_DATA;
        m_send.flags <= {1'b0, 1'b1, info[0], info[1]};
        m_send.peer  <= again_q.peer;
        m_send.addr  <= addr;
        m_send.tag   <= conn.tag;
        m_send.seq   <= again_q.seq;
        m_send.len   <= info[15:2];
      end else begin
        m_valid      <= conn.up;
        m_send.kind  <= RTP_ACK;
        m_send.flags <= {ackreq_q.dup, ackreq_q.want, 2'b00};
        m_send.peer  <= ackreq_q.peer;
        m_send.addr  <= addr;
        m_send.tag   <= conn.tag;
        m_send.seq   <= '0;
        m_send.len   <= 14'(RTP_ACK_BYTES);
        m_send.pay   <= {limit, 64'(sack)};
      end
    end
    if (rst) begin
      look_q  <= 1'b0;
      turn_q  <= 1'b0;
      m_valid <= 1'b0;
    end
  end
endmodule
