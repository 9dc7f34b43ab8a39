// SPDX-License-Identifier: Apache-2.0
//
// Generates the descriptors of control frames (HELLO, RESET, ACK) and of retransmitted DATA frames.
//
// handshake: HELLO and RESET, highest priority; ack_req, rtx: alternating. Each with valid and
//   ready.
// Tables, one cycle after their address: conn, addr, ack (next expected number), sack (bitmap of
//   what arrived out of order) and delivered (low bits) at rd_peer; info at rd_slot. Requests for a
//   peer that is not up, or for an earlier association, are dropped.
// m_send: one descriptor every second cycle, 2 cycles after its request.
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

    input  rtp_handshake_t handshake,
    input  logic           handshake_valid,
    output logic           handshake_ready,
    input  rtp_ack_req_t   ack_req,
    input  logic           ack_req_valid,
    output logic           ack_req_ready,
    input  rtp_rtx_t       rtx,
    input  logic           rtx_valid,
    output logic           rtx_ready,

    output logic      [PEER_W-1:0] rd_peer,
    input  rtp_conn_t              conn,
    input  logic      [      47:0] addr,
    input  logic      [      31:0] ack,
    input  logic      [WINDOW-1:0] sack,
    input  logic      [       7:0] delivered,
    output logic      [SLOT_W-1:0] rd_slot,
    input  logic      [      15:0] info,       // {len, first, last}

    output rtp_tx_desc_t m_send,
    output logic         m_valid,
    input  logic         m_ready
);
  logic look_q;  // the tables answer
  logic turn_q;  // the last request served was an ACK
  logic pick_rtx, take;
  logic [ 7:0] held;
  logic [31:0] limit;
  logic is_handshake_q, is_rtx_q;
  rtp_handshake_t handshake_q;
  rtp_ack_req_t ack_req_q;
  rtp_rtx_t rtx_q;

  assign pick_rtx        = rtx_valid && (turn_q || !ack_req_valid);
  assign take            = !look_q && (!m_valid || m_ready);
  assign handshake_ready = take;
  assign rtx_ready       = take && !handshake_valid && pick_rtx;
  assign ack_req_ready   = take && !handshake_valid && !pick_rtx;
  assign rd_peer         = PEER_W'(pick_rtx ? rtx.peer : ack_req.peer);
  assign rd_slot         = SLOT_W'(rtx.slot);

  // Frames that the kernel has not taken yet occupy the window.
  assign held            = ack[7:0] - delivered;
  assign limit           = ack + 32'(8'(WINDOW) - held);

  always_ff @(posedge clk) begin
    look_q <= take && (handshake_valid || rtx_valid || ack_req_valid);
    if (take) begin
      handshake_q    <= handshake;
      ack_req_q   <= ack_req;
      rtx_q    <= rtx;
      is_handshake_q <= handshake_valid;
      is_rtx_q <= pick_rtx;
      if (!handshake_valid && (rtx_valid || ack_req_valid)) turn_q <= !pick_rtx;
    end
    if (m_ready) m_valid <= 1'b0;
    if (look_q) begin
      m_send.rtx  <= 1'b1;
      m_send.slot <= rtx_q.slot;
      m_send.base <= 32'(rtx_q.slot) * 32'(WORDS);
      m_send.ack  <= ack;
      if (is_handshake_q) begin
        m_valid      <= 1'b1;
        m_send.kind  <= handshake_q.reset ? RTP_RESET : RTP_HELLO;
        m_send.flags <= '0;
        m_send.peer  <= handshake_q.peer;
        m_send.addr  <= handshake_q.addr;
        m_send.tag   <= handshake_q.tag;
        m_send.seq   <= '0;
        m_send.ack   <= '0;
        m_send.len   <= handshake_q.reset ? '0 : 14'(RTP_ACK_BYTES);
        m_send.pay   <= {handshake_q.own, 32'(WINDOW), 32'd0};
      end else if (is_rtx_q) begin
        m_valid      <= conn.up && conn.gen == rtx_q.gen;
        m_send.kind  <= RTP_DATA;
        m_send.flags <= {1'b0, 1'b1, info[0], info[1]};
        m_send.peer  <= rtx_q.peer;
        m_send.addr  <= addr;
        m_send.tag   <= conn.tag;
        m_send.seq   <= rtx_q.seq;
        m_send.len   <= info[15:2];
      end else begin
        m_valid      <= conn.up;
        m_send.kind  <= RTP_ACK;
        m_send.flags <= {ack_req_q.dup, ack_req_q.ack_req, 2'b00};
        m_send.peer  <= ack_req_q.peer;
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
