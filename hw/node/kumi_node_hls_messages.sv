// SPDX-License-Identifier: Apache-2.0
//
// The channels of the paper's Ethernet controller as messages of the reliable transport
// (docs/blocks/eth-rtp.md): a message for each record of address and count, whose words follow.
//
// s_peer: rtp_peer_t, as the transport takes it: numbers of addresses. s_dest: eth_dest_count_t,
//   count in words; s_data: words. m_data: words of received messages, those of several senders in
//   the order of their frames. m_msg, s_msg: to and from the transport; s_msg has 3 bits of tuser
//   {last, first, bad}. credit_peer, credit_up: see kumi_eth_rtp.
// A message waits until its peer is up, so none is discarded. One to an address that is no peer's
//   waits until it becomes one (ev_no_peer: a pulse). stop: the transport has lost words; nothing
//   is handed on from then on, in either direction, rather than the wrong words. lost: pulse, a
//   sender ended in the middle of a message.
// Latency: 6 cycles from the record to the first word, none for received words. One word per cycle.
module kumi_node_hls_messages
  import kumi_eth_controller_pkg::*;
  import kumi_eth_rtp_pkg::*;
#(
    parameter int PEERS = 16  // of the transport, at most 256
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.mon s_peer,
    kumi_rec_if.snk s_dest,
    kumi_axis_if.snk s_data,
    kumi_axis_if.src m_data,

    kumi_axis_if.src m_msg,
    kumi_axis_if.snk s_msg,
    output logic [$clog2(PEERS)-1:0] credit_peer,
    input logic credit_up,
    input logic stop,
    output logic lost,
    output logic busy,
    output logic ev_message,
    output logic ev_empty,
    output logic ev_no_peer
);
  localparam int PEER_W = $clog2(PEERS);
  localparam int ASK = 3;  // cycles until the transport has answered a query

  if (s_dest.W != $bits(eth_dest_count_t) || s_peer.W != $bits(rtp_peer_t)) begin : gen_check_rec
    $fatal(0, "s_dest carries an eth_dest_count_t, s_peer an rtp_peer_t (%m)");
  end
  if (s_data.DATA_W != m_msg.DATA_W || m_data.DATA_W != s_msg.DATA_W) begin : gen_check_w
    $fatal(0, "channels and messages differ in width (%m)");
  end

  typedef enum logic [1:0] {
    IDLE,
    FIND,  // number of the address
    WAIT,  // until the peer is up
    SEND
  } node_hls_messages_state_e;

  node_hls_messages_state_e state_q;
  eth_dest_count_t dest, dest_q;
  rtp_peer_t entry;
  logic [PEER_W-1:0] peer_q;
  logic [1:0] ask_q;
  logic [7:0] number;
  logic [47:0] unused_addr;
  logic found, told_q, unused_known;

  // ---- numbers of addresses ------------------------------------------------------------------
  kumi_rec_if #(.W(56)) enter ();
  assign entry = rtp_peer_t'(s_peer.data);
  assign enter.valid = s_peer.valid && s_peer.ready;
  assign enter.data = {entry.number[7:0], entry.addr};

  kumi_eth_peer_table #(
      .PEERS(PEERS)
  ) u_peers (
      .clk,
      .rst,
      .s_peer(enter),
      .number('0),
      .addr(unused_addr),
      .known(unused_known),
      .src(dest_q.addr),
      .peer(number),
      .found
  );

  // ---- out -----------------------------------------------------------------------------------
  logic send, take;
  assign dest = eth_dest_count_t'(s_dest.data);
  assign s_dest.ready = state_q == IDLE;
  assign credit_peer = peer_q;
  assign send = state_q == SEND && !stop;
  assign take = m_msg.tvalid && m_msg.tready;

  assign m_msg.tdata = s_data.tdata;
  assign m_msg.tkeep = '1;
  assign m_msg.tvalid = send && s_data.tvalid;
  assign m_msg.tlast = dest_q.count == 32'd1;
  assign m_msg.tuser = '0;
  assign m_msg.tid = '0;
  assign m_msg.tdest = (m_msg.DEST_W)'(peer_q);
  assign s_data.tready = send && m_msg.tready;

  always_ff @(posedge clk) begin
    ev_message <= take && m_msg.tlast && !rst;
    ev_empty   <= s_dest.valid && s_dest.ready && dest.count == '0 && !rst;
    ev_no_peer <= state_q == FIND && !found && !told_q && !rst;
    unique case (state_q)
      IDLE:
      if (s_dest.valid) begin
        dest_q <= dest;
        told_q <= 1'b0;
        if (dest.count != '0) state_q <= FIND;
      end
      FIND: begin
        told_q <= 1'b1;
        ask_q  <= 2'(ASK);
        peer_q <= PEER_W'(number);
        if (found) state_q <= WAIT;
      end
      WAIT:
      if (ask_q != '0) ask_q <= ask_q - 1'b1;
      else if (credit_up) state_q <= SEND;
      default:
      if (take) begin
        dest_q.count <= dest_q.count - 1'b1;
        if (m_msg.tlast) state_q <= IDLE;
      end
    endcase
    if (rst) state_q <= IDLE;
  end

  // ---- in ------------------------------------------------------------------------------------
  logic aborted;
  assign aborted = s_msg.tlast && s_msg.tuser[0];
  assign m_data.tdata = s_msg.tdata;
  assign m_data.tkeep = s_msg.tkeep;
  assign m_data.tvalid = s_msg.tvalid && !aborted && !stop;
  assign m_data.tlast = s_msg.tlast;
  assign m_data.tuser = '0;
  assign m_data.tid = '0;
  assign m_data.tdest = '0;
  assign s_msg.tready = m_data.tready || aborted || stop;
  assign lost = s_msg.tvalid && aborted;

  assign busy = state_q != IDLE || s_dest.valid || s_msg.tvalid;

  logic unused;
  assign unused = ^{unused_addr, unused_known, number};
endmodule
