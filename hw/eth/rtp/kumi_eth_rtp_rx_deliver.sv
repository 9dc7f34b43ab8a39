// SPDX-License-Identifier: Apache-2.0
//
// Delivery: hands in-order frames to the kernel, round-robin over the peers, one frame at a time.
//
// deliver: commands of the receiver, accepted within a few cycles whatever the kernel does. FRAMES
//   adds frames of a peer; a peer with frames is in the round-robin queue once. DRAIN and DROP end
//   an association: an unfinished message is terminated by a beat of one byte with tuser[0], then
//   `drained` names the peer. INIT clears a peer's entries, init_done answers.
// m_msg: one AXI frame per transport frame; tid: peer; tuser: {last, first, bad} on every beat.
// Tables: info (contents of a window slot) one cycle after info_rd. Owns `delivered` (frames handed
//   over, low bits) and `open` (a message is partly delivered). advertised: the limit that the peer
//   knows, low bits, one cycle after advertised_rd.
// r_*: reader of the window buffer. A slot is released when its last word has left.
// ack_req: the limit has advanced by half a window since it was advertised; dropped if not
//   accepted.
// Latency: 2 cycles from deliver to m_msg.tvalid when idle. One frame every 5 cycles.
module kumi_eth_rtp_rx_deliver
  import kumi_eth_rtp_pkg::*;
#(
    parameter int WINDOW = 16,
    parameter int WORDS  = 288,  // words of a slot
    parameter int PEER_W = 6
) (
    input logic clk,
    input logic rst,

    input  rtp_deliver_cmd_t deliver,
    input  logic    deliver_valid,
    output logic    deliver_ready,

    output logic [PEER_W+$clog2(WINDOW)-1:0] info_rd,
    input  logic [                     15:0] info,           // {len, first, last}
    output logic [               PEER_W-1:0] advertised_rd,
    input  logic [                      7:0] advertised,

    output logic              delivered_wr,
    output logic [PEER_W-1:0] delivered_peer,
    output logic [       7:0] delivered_data,
    output logic              open_wr,
    output logic [PEER_W-1:0] open_peer,
    output logic              open_data,

    kumi_axis_if.src m_msg,

    output logic                    r_start,
    input  logic                    r_start_ready,
    output logic [            31:0] r_base,
    output logic [            13:0] r_words,
    input  logic [m_msg.DATA_W-1:0] r_data,
    input  logic                    r_valid,
    output logic                    r_ready,

    output rtp_ack_req_t              ack_req,
    output logic                      ack_req_valid,
    output logic         [PEER_W-1:0] drained,
    output logic                      drained_valid,
    input  logic                      drained_ready,
    output logic                      init_done
);
  localparam int KEEP_W = m_msg.KEEP_W;
  localparam int LOG = $clog2(KEEP_W);
  localparam int WIN_W = $clog2(WINDOW);
  localparam int COUNT_W = 15 - LOG;

  if (m_msg.USER_W != 3) begin : gen_check_user
    $fatal(0, "m_msg needs 3 bits of tuser (%m)");
  end

  typedef struct packed {
    logic [PEER_W-1:0] peer;
    logic              ends;   // not a frame: end of the association
    logic [31:0]       base;
    logic [13:0]       len;
    logic              first;
    logic              last;
  } rtp_rx_deliver_job_t;

  typedef struct packed {
    logic       listed;  // is in the queue
    logic       ends;    // the association has ended
    logic [6:0] count;   // frames in order
  } rtp_rx_deliver_entry_t;

  // ---- Round-robin scheduling -------------------------------------------------------------------
  typedef enum logic [1:0] {
    ST_IDLE,
    ST_CMD,    // the entry of the command's peer is read
    ST_SERVE,  // ... of the peer to serve
    ST_INFO    // contents of its next slot
  } rtp_rx_deliver_state_e;

  rtp_rx_deliver_state_e state_q;
  rtp_rx_deliver_entry_t entry, entry_wr_data;
  logic entry_wr;
  logic [PEER_W-1:0] entry_peer, rd_peer, turn_q, turn, list_in;
  logic turn_valid, turn_take, list, list_room;
  logic [PEER_W:0] depth;
  logic [7:0] delivered_book, delivered_read;
  rtp_rx_deliver_job_t job_q, fast, in;
  logic job_valid_q, in_valid, in_take, quick, serve, accept;
  logic cur_valid_q, ready_q;
  rtp_rx_deliver_job_t cur_q;
  logic [WIN_W-1:0] index;

  kumi_ram_sdp #(
      .W($bits(rtp_rx_deliver_entry_t)),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_entry (
      .clk,
      .wr_en  (entry_wr),
      .wr_addr(entry_peer),
      .wr_data(entry_wr_data),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(entry)
  );

  kumi_ram_sdp #(
      .W(8),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_delivered_book (
      .clk,
      .wr_en  (delivered_wr),
      .wr_addr(delivered_peer),
      .wr_data(delivered_data),
      .rd_en  (1'b1),
      .rd_addr(rd_peer),
      .rd_data(delivered_book)
  );

  // Each peer is in the queue at most once.
  kumi_fifo #(
      .W(PEER_W),
      .DEPTH(1 << PEER_W)
  ) u_round (
      .clk,
      .rst,
      .s_data (list_in),
      .s_valid(list),
      .s_ready(list_room),
      .m_data (turn),
      .m_valid(turn_valid),
      .m_ready(turn_take),
      .depth
  );

  // With an empty queue no peer has frames, so a single one bypasses it.
  logic [PEER_W:0] listed_q;  // peers in the round
  logic init;  // clear the entries, but not in a cycle in which a frame completes
  logic finish, shown;
  assign quick = state_q == ST_IDLE && deliver_valid && deliver.kind == RTP_DELIVER_FRAMES
      && deliver.count == 7'd1 && listed_q == '0 && !job_valid_q;
  assign accept = state_q == ST_IDLE && deliver_valid && !quick;
  // Not while the delivered count is written: the table would return the old value.
  assign serve = state_q == ST_IDLE && !deliver_valid && turn_valid && !job_valid_q && !finish;
  assign init = state_q == ST_CMD && deliver.kind == RTP_DELIVER_INIT && !finish;
  assign deliver_ready = quick || (state_q == ST_CMD && (deliver.kind != RTP_DELIVER_INIT || init));
  assign init_done = init;
  assign turn_take = serve;
  assign rd_peer = serve ? turn : PEER_W'(deliver.peer);
  // The frame on the stream is not counted yet.
  assign index = WIN_W'(delivered_book)
      + WIN_W'(cur_valid_q && !cur_q.ends && cur_q.peer == turn_q);
  assign info_rd = {turn_q, index};

  always_comb begin
    entry_wr      = 1'b0;
    entry_peer    = turn_q;
    entry_wr_data = entry;
    list          = 1'b0;
    list_in       = turn_q;
    unique case (state_q)
      ST_CMD: begin
        entry_wr   = deliver_ready;
        entry_peer = PEER_W'(deliver.peer);
        list_in    = PEER_W'(deliver.peer);
        unique case (deliver.kind)
          RTP_DELIVER_FRAMES: entry_wr_data.count = entry.count + deliver.count;
          RTP_DELIVER_DRAIN:  entry_wr_data.ends = 1'b1;
          RTP_DELIVER_DROP: begin
            entry_wr_data.ends  = 1'b1;
            entry_wr_data.count = '0;
          end
          default:            entry_wr_data = '0;
        endcase
        if (deliver.kind != RTP_DELIVER_INIT) begin
          list = !entry.listed;
          entry_wr_data.listed = 1'b1;
        end
      end
      ST_SERVE: begin
        entry_wr             = 1'b1;
        list                 = entry.count > 7'd1 || (entry.count != '0 && entry.ends);
        entry_wr_data.listed = list;
        if (entry.count != '0) entry_wr_data.count = entry.count - 7'd1;
        else entry_wr_data.ends = 1'b0;
      end
      default: ;
    endcase
  end

  assign fast = '{
          peer: PEER_W'(deliver.peer),
          ends: 1'b0,
          base: deliver.base,
          len: deliver.len,
          first: deliver.first,
          last: deliver.last
      };
  assign in = job_valid_q ? job_q : fast;
  assign in_valid = job_valid_q || quick;

  always_ff @(posedge clk) begin
    unique case (state_q)
      ST_IDLE: begin
        turn_q <= turn;
        if (accept) state_q <= ST_CMD;
        else if (serve) state_q <= ST_SERVE;
      end
      ST_CMD:   if (deliver_ready) state_q <= ST_IDLE;
      ST_SERVE: state_q <= entry.count != '0 ? ST_INFO : ST_IDLE;
      default:  state_q <= ST_IDLE;
    endcase
    if (list != serve) listed_q <= list ? listed_q + 1'b1 : listed_q - 1'b1;
    // The job after the one on the stream.
    if (in_take) job_valid_q <= 1'b0;
    if (quick) begin
      job_q       <= fast;
      job_valid_q <= !in_take;
    end
    if (state_q == ST_SERVE) begin
      job_q.peer  <= turn_q;
      job_q.ends  <= entry.count == '0;
      job_q.base  <= 32'({turn_q, index}) * 32'(WORDS);
      job_valid_q <= entry.count == '0 && entry.ends;
    end
    if (state_q == ST_INFO) begin
      job_q.len   <= info[15:2];
      job_q.first <= info[1];
      job_q.last  <= info[0];
      job_valid_q <= 1'b1;
    end
    if (rst) begin
      state_q     <= ST_IDLE;
      listed_q    <= '0;
      job_valid_q <= 1'b0;
    end
  end

  // ---- The stream -------------------------------------------------------------------------------
  logic [COUNT_W-1:0] left_q;
  logic [LOG-1:0] last_q;  // bytes of the last word, 0 for all
  logic open_read, broken, broke_q, beat;
  logic [KEEP_W-1:0] keep;
  logic [7:0] moved;

  kumi_ram_sdp #(
      .W(8),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_delivered (
      .clk,
      .wr_en  (delivered_wr),
      .wr_addr(delivered_peer),
      .wr_data(delivered_data),
      .rd_en  (1'b1),
      .rd_addr(cur_q.peer),
      .rd_data(delivered_read)
  );

  kumi_ram_sdp #(
      .W(1),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_open (
      .clk,
      .wr_en  (open_wr),
      .wr_addr(open_peer),
      .wr_data(open_data),
      .rd_en  (1'b1),
      .rd_addr(cur_q.peer),
      .rd_data(open_read)
  );

  assign advertised_rd = cur_q.peer;
  assign in_take = (!cur_valid_q || finish) && (in.ends || in.len == '0 || r_start_ready);
  assign r_start = in_valid && in_take && !in.ends && in.len != '0;
  assign r_base = in.base;
  assign r_words = (in.len + 14'(KEEP_W - 1)) >> LOG;

  // One byte, marked bad, terminates an incomplete message: the sender's kernel aborted it, or
  // the association ended.
  assign broken = cur_q.ends || cur_q.len == '0;
  assign shown  = cur_valid_q && ready_q && (cur_q.ends ? open_read && !broke_q
      : cur_q.len == '0 || r_valid);
  assign beat = shown && m_msg.tready;
  assign m_msg.tvalid = shown;
  assign m_msg.tdata = broken ? '0 : r_data;  // r_data is held only while r_valid
  assign m_msg.tlast = broken || left_q == COUNT_W'(1);
  assign m_msg.tkeep = broken ? KEEP_W'(1) : keep;
  assign m_msg.tuser = {broken || cur_q.last, !broken && cur_q.first, broken};
  assign m_msg.tid = (m_msg.ID_W)'(cur_q.peer);
  assign m_msg.tdest = '0;
  assign r_ready = beat && !broken;

  kumi_eth_last_count_to_keep #(
      .KEEP_W(KEEP_W)
  ) u_keep (
      .count(last_q),
      .last (m_msg.tlast),
      .keep
  );

  assign drained        = cur_q.peer;
  assign drained_valid  = cur_valid_q && ready_q && cur_q.ends && (!open_read || broke_q);
  assign finish         = cur_q.ends ? drained_valid && drained_ready : beat && m_msg.tlast;
  assign delivered_wr   = init || (finish && !cur_q.ends);
  assign delivered_peer = init ? PEER_W'(deliver.peer) : cur_q.peer;
  assign delivered_data = init ? '0 : delivered_read + 8'd1;
  assign open_wr        = init || finish;
  assign open_peer      = delivered_peer;
  assign open_data      = !init && !broken && !cur_q.last;
  // The limit after this frame minus the advertised one.
  assign moved          = delivered_read + 8'd1 + 8'(WINDOW) - advertised;

  always_ff @(posedge clk) begin
    ready_q <= cur_valid_q && !finish;
    if (beat) begin
      left_q  <= left_q - 1'b1;
      broke_q <= 1'b1;
    end
    if (finish) cur_valid_q <= 1'b0;
    if (in_valid && in_take) begin
      cur_valid_q <= 1'b1;
      ready_q     <= 1'b0;
      broke_q     <= 1'b0;
      cur_q       <= in;
      left_q      <= COUNT_W'((in.len + 14'(KEEP_W - 1)) >> LOG);
      last_q      <= LOG'(in.len);
    end
    ack_req       <= '{peer: 12'(cur_q.peer), ack_req: 1'b0, dup: 1'b0};
    ack_req_valid <= finish && !cur_q.ends && moved >= 8'(WINDOW / 2);
    if (rst) begin
      cur_valid_q   <= 1'b0;
      ready_q       <= 1'b0;
      ack_req_valid <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{list_room, depth, delivered_book, cur_q};
endmodule
