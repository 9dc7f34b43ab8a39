// SPDX-License-Identifier: Apache-2.0
//
// Channels that kernels of other boards read: their words become messages (kumi_hls_remote_pkg).
//
// s_data, s_valid, s_ready: a channel each. dest: where they lead. credit_*: a report of words that
//   were read has arrived for channel credit_to. report: reports to be sent; report_sent: the one
//   of receive channel `report_index` has gone. m_msg: messages, tdest: their peer. ask_peer, up:
//   whether a peer is up, answered two cycles later (kumi_eth_rtp). stop: nothing leaves any more.
// Channels take turns, message by message; one ends when its channel is empty, its credit is used
//   up, or at REMOTE_BURST words.
// Latency: 10 cycles to the first word of a message, its header a cycle before, when its channel
//   has the turn; a cycle for each channel that has it before and sends nothing. One word per
//   cycle; at least 5 idle cycles between two messages.
module kumi_hls_remote_tx
  import kumi_hls_remote_pkg::*;
#(
    parameter int SENDS = 1,  // channels out, 1..16
    parameter int RECEIVES = 1,  // channels in, 1..16
    parameter int PEER_W = 4  // bits of a peer's number
) (
    input logic clk,
    input logic rst,

    input  logic [SENDS-1:0][REMOTE_W-1:0] s_data,
    input  logic [SENDS-1:0]               s_valid,
    output logic [SENDS-1:0]               s_ready,

    input remote_dest_t [SENDS-1:0] dest,
    input logic credit_valid,
    input logic [7:0] credit_to,
    input logic [15:0] credit_count,
    input remote_report_t [RECEIVES-1:0] report,
    output logic report_sent,
    output logic [7:0] report_index,

    kumi_axis_if.src m_msg,
    output logic [PEER_W-1:0] ask_peer,
    input logic up,
    input logic stop,
    output logic busy
);
  localparam int ALL = SENDS + RECEIVES;
  localparam int ASK = 3;  // cycles until the transport has answered
  localparam int DEPTH_W = $clog2(REMOTE_BURST);

  if (SENDS < 1 || SENDS > 16 || RECEIVES < 1 || RECEIVES > 16) begin : gen_check_n
    $fatal(0, "SENDS and RECEIVES must be 1..16 (%m)");
  end
  if (m_msg.DATA_W != REMOTE_W) begin : gen_check_w
    $fatal(0, "m_msg has REMOTE_W bits (%m)");
  end

  typedef enum logic [1:0] {
    PICK,
    ASKING,
    HEAD,
    WORDS
  } hls_remote_state_e;

  hls_remote_state_e state_q;

  // ---- words that wait, and credit -----------------------------------------------------------
  logic [SENDS-1:0][REMOTE_W-1:0] word;
  logic [SENDS-1:0] some, more, take;  // a word waits; another one behind it
  logic [SENDS-1:0][15:0] sent_q, limit_q;  // words sent, and that may be sent, since reset
  logic [SENDS-1:0][15:0] room;

  for (genvar i = 0; i < SENDS; ++i) begin : gen_send
    logic [DEPTH_W:0] depth;

    kumi_fifo #(
        .W(REMOTE_W),
        .DEPTH(REMOTE_BURST)
    ) u_words (
        .clk,
        .rst,
        .s_data (s_data[i]),
        .s_valid(s_valid[i]),
        .s_ready(s_ready[i]),
        .m_data (word[i]),
        .m_valid(some[i]),
        .m_ready(take[i]),
        .depth
    );
    assign more[i] = depth != '0;
    assign room[i] = limit_q[i] - sent_q[i];

    always_ff @(posedge clk) begin
      if (take[i]) sent_q[i] <= sent_q[i] + 1'b1;
      if (credit_valid && credit_to == 8'(i)) limit_q[i] <= credit_count + 16'(REMOTE_WINDOW);
      if (rst) begin
        sent_q[i]  <= '0;
        limit_q[i] <= 16'(REMOTE_WINDOW);
      end
    end
  end

  // ---- turns: first the channels out, then the reports ------------------------------------------
  logic [4:0] turn_q;
  logic is_report;
  remote_report_t [ALL-1:0] wants;
  logic [ALL-1:0] pending;

  for (genvar i = 0; i < ALL; ++i) begin : gen_wants
    if (i < SENDS) begin : gen_words
      assign wants[i].pending = some[i] && dest[i].connected && room[i] != '0;
      assign wants[i].peer = dest[i].peer;
      assign wants[i].to = dest[i].to;
      assign wants[i].count = '0;
    end else begin : gen_report
      assign wants[i] = report[i-SENDS];
    end
    assign pending[i] = wants[i].pending;
  end
  assign is_report = 32'(turn_q) >= SENDS;
  assign report_index = 8'(turn_q) - 8'(SENDS);

  // ---- message -------------------------------------------------------------------------------
  remote_header_t head;
  logic [1:0] ask_q;
  logic [DEPTH_W-1:0] count_q;  // words of the message before the next one
  logic [15:0] turn_room, room_q;  // credit; of the message's beginning, less these
  logic free, pass, last, here, behind;  // a word of the channel whose turn it is; one behind it
  logic [REMOTE_W-1:0] next_word;
  remote_report_t turn;  // what its turn would send, of either kind

  assign free = !m_msg.tvalid || m_msg.tready;
  assign head.kind = is_report ? REMOTE_CREDIT : REMOTE_DATA;
  assign head.to = turn.to;
  assign head.from = 8'(turn_q);
  assign head.count = turn.count;
  assign pass = state_q == WORDS && free && here;
  assign last = !behind || room_q == 16'd1 || count_q == '1;
  assign report_sent = state_q == HEAD && free && is_report;

  always_comb begin
    turn = '0;
    turn_room = '0;
    next_word = '0;
    here = 1'b0;
    behind = 1'b0;
    for (int i = 0; i < ALL; i++) if (turn_q == 5'(i)) turn |= wants[i];
    for (int i = 0; i < SENDS; i++) begin
      if (turn_q == 5'(i)) begin
        turn_room |= room[i];
        next_word |= word[i];
        here |= some[i];
        behind |= more[i];
      end
    end
  end

  for (genvar i = 0; i < SENDS; ++i) begin : gen_take
    assign take[i] = pass && turn_q == 5'(i);
  end

  logic [4:0] after;  // the turn after this one
  assign after = turn_q == 5'(ALL - 1) ? '0 : turn_q + 1'b1;

  always_ff @(posedge clk) begin
    if (free) m_msg.tvalid <= 1'b0;
    unique case (state_q)
      PICK: begin
        ask_q <= 2'(ASK);
        ask_peer <= PEER_W'(turn.peer);
        if (turn.pending && !stop) state_q <= ASKING;
        else turn_q <= after;
      end
      ASKING:
      if (ask_q != '0) ask_q <= ask_q - 1'b1;
      else if (up) state_q <= HEAD;
      else begin
        state_q <= PICK;
        turn_q  <= after;
      end
      HEAD:
      if (free) begin
        m_msg.tvalid <= 1'b1;
        m_msg.tdata <= REMOTE_W'(head);
        m_msg.tlast <= is_report;
        m_msg.tdest <= (m_msg.DEST_W)'(ask_peer);
        count_q <= '0;
        room_q <= is_report ? '0 : turn_room;
        state_q <= is_report ? PICK : WORDS;
        if (is_report) turn_q <= after;
      end
      default:
      if (pass) begin
        m_msg.tvalid <= 1'b1;
        m_msg.tdata <= next_word;
        m_msg.tlast <= last;
        count_q <= count_q + 1'b1;
        room_q <= room_q - 1'b1;
        if (last) begin
          state_q <= PICK;
          turn_q  <= after;
        end
      end
    endcase
    if (rst) begin
      state_q <= PICK;
      turn_q <= '0;
      m_msg.tvalid <= 1'b0;
    end
  end

  assign m_msg.tkeep = '1;
  assign m_msg.tuser = '0;
  assign m_msg.tid = '0;

  assign busy = state_q != PICK || m_msg.tvalid || |pending;
endmodule
