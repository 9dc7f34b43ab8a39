// SPDX-License-Identifier: Apache-2.0
//
// Transmit framer: prepends the header to the payload and streams the frame.
//
// a, b: descriptors, served alternately, b first. src: own address.
// start_*, d_*: reader of the retransmission buffer (kumi_eth_rtp_payload_buf).
// m_frame: Ethernet frames without FCS. A frame stalls only for m_frame.tready and, before its
//   first payload word, for the buffer.
// tick: current time. sent_*: transmission record of a slot, written at the start of its frame;
//   advertised_*: what the frame told the peer (low bits of the ack; in an ACK also the limit).
// order: per-peer counter of DATA frames; never reset, only differences matter.
// idle: no frame is inside. done: a frame has been sent.
// Latency: 2 cycles from valid to the first beat; frames follow back to back.
module kumi_eth_rtp_tx_framer
  import kumi_eth_rtp_pkg::*;
#(
    parameter int PEER_W = 6,
    parameter int SLOT_W = 5
) (
    input logic clk,
    input logic rst,

    input  rtp_tx_desc_t a,
    input  logic         a_valid,
    output logic         a_ready,
    input  rtp_tx_desc_t b,
    input  logic         b_valid,
    output logic         b_ready,

    input logic [47:0] src,
    input logic [23:0] tick,

    kumi_axis_if.src m_frame,

    output logic                      start,
    input  logic                      start_ready,
    output logic [              31:0] start_base,
    output logic [              13:0] start_words,
    input  logic [m_frame.DATA_W-1:0] d_data,
    input  logic                      d_valid,
    output logic                      d_ready,

    output logic                        sent_wr,
    output logic           [SLOT_W-1:0] sent_slot,
    output rtp_tx_record_t              sent_data,
    output logic                        advertised_wr,
    output logic                        advertised_full,  // ... and the limit
    output logic           [PEER_W-1:0] advertised_peer,
    output logic           [       7:0] advertised_ack,
    output logic           [       7:0] advertised_limit,

    output logic idle,
    output logic done,
    output logic ev_data,
    output logic ev_retransmit,
    output logic ev_ack,
    output logic ev_hello,
    output logic ev_reset
);
  localparam int DATA_W = m_frame.DATA_W;
  localparam int KEEP_W = m_frame.KEEP_W;
  localparam int LOG = $clog2(KEEP_W);
  localparam int HDR = RTP_HEADER;
  localparam int HEADS = HDR / KEEP_W;  // words that hold only header
  localparam int REST = HDR % KEEP_W;  // header bytes in front of the first payload
  localparam int COUNT_W = 15 - LOG;
  localparam int PAYS = KEEP_W < 16 ? 2 : 1;  // words of a payload that is not in the buffer

  if (KEEP_W < 8 || (KEEP_W & (KEEP_W - 1)) != 0) begin : gen_check_width
    $fatal(0, "the data width must be a power of two, at least 64 (%m)");
  end

  // ---- Next frame -------------------------------------------------------------------------------
  rtp_tx_desc_t in, next_q, cur_q;
  logic in_valid, load, next_valid_q, cur_valid_q, move, ends, pick_b, b_last_q;

  assign in          = pick_b ? b : a;
  assign in_valid    = a_valid || b_valid;
  assign load        = in_valid && start_ready && (!next_valid_q || move);
  assign pick_b      = b_valid && !(a_valid && b_last_q);
  assign b_ready     = start_ready && (!next_valid_q || move) && pick_b;
  assign a_ready     = start_ready && (!next_valid_q || move) && !pick_b;
  assign move        = next_valid_q && (!cur_valid_q || ends);

  assign start       = load && in.kind == RTP_DATA && in.len != '0;
  assign start_base  = in.base;
  assign start_words = (in.len + 14'(KEEP_W - 1)) >> LOG;

  // Transmission number. The table is read while the frame is loaded; the previous frame may have
  // changed it since.
  logic [15:0] order_read, order, last_order_q;
  logic [11:0] last_peer_q;
  logic last_valid_q, count;

  kumi_ram_sdp #(
      .W(16),
      .DEPTH(1 << PEER_W),
      .RDW(1),
      .STYLE(2)
  ) u_order (
      .clk,
      .wr_en  (count),
      .wr_addr(PEER_W'(next_q.peer)),
      .wr_data(order + 16'd1),
      .rd_en  (1'b1),
      .rd_addr(PEER_W'(load ? in.peer : next_q.peer)),
      .rd_data(order_read)
  );

  assign count = move && next_q.kind == RTP_DATA;
  assign order = last_valid_q && last_peer_q == next_q.peer ? last_order_q : order_read;

  assign sent_wr = count;
  assign sent_slot = SLOT_W'(next_q.slot);
  assign sent_data = '{
          order: order,
          at: tick,
          rtx: next_q.rtx,
          ack_req: next_q.flags[RTP_ACK_REQ],
          seq: next_q.seq[7:0]
      };
  assign advertised_wr = move && next_q.kind != RTP_RESET;
  assign advertised_full = next_q.kind != RTP_DATA;
  assign advertised_peer = PEER_W'(next_q.peer);
  assign advertised_ack = next_q.ack[7:0];
  // A HELLO advertises the initial limit.
  assign advertised_limit = next_q.kind == RTP_HELLO ? next_q.pay[39:32] : next_q.pay[71:64];

  // ---- Words ------------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    ST_HEAD,  // words of header only, if there are such
    ST_BODY,
    ST_TAIL   // the bytes that the last payload word has left over
  } rtp_tx_framer_state_e;
  localparam rtp_tx_framer_state_e ST_START = HEADS > 0 ? ST_HEAD : ST_BODY;

  rtp_tx_framer_state_e state_q;
  logic [1:0] head_q;
  logic [COUNT_W-1:0] left_q;  // payload words, with the next
  logic [LOG-1:0] last_q;  // bytes of the last of them, 0 for all
  logic begin_q;  // before the first payload word
  logic stored, final_word, tail, valid, last, go;
  logic [LOG-1:0] bytes;
  logic [DATA_W-1:0] word, body, data;
  logic [(HEADS+1)*DATA_W-1:0] header;
  logic [HDR*8-1:0] fields;  // first byte in the high bits
  logic [DATA_W-1:0] pay;
  logic none;  // no payload

  assign fields = {
    cur_q.addr,
    src,
    RTP_ETHERTYPE,
    RTP_VERSION,
    cur_q.kind,
    4'd0,
    cur_q.flags,
    cur_q.tag,
    cur_q.seq,
    cur_q.ack,
    2'b00,
    cur_q.len
  };
  always_comb begin
    header = '0;
    for (int i = 0; i < HDR; i++) header[8*i+:8] = fields[8*(HDR-1-i)+:8];
  end
  logic unused;
  assign unused = ^{header, cur_q};

  if (PAYS == 1) begin : gen_pay
    always_comb begin
      pay = '0;
      for (int i = 0; i < RTP_ACK_BYTES; i++) pay[8*i+:8] = cur_q.pay[8*(RTP_ACK_BYTES-1-i)+:8];
    end
  end else begin : gen_pays
    always_comb begin
      pay = '0;
      for (int i = 0; i < KEEP_W; i++) begin
        if (begin_q) pay[8*i+:8] = cur_q.pay[8*(RTP_ACK_BYTES-1-i)+:8];
        else if (i < RTP_ACK_BYTES - KEEP_W) begin
          pay[8*i+:8] = cur_q.pay[8*(RTP_ACK_BYTES-KEEP_W-1-i)+:8];
        end
      end
    end
  end

  assign stored = cur_q.kind == RTP_DATA;
  assign word = stored ? d_data : pay;
  assign none = left_q == '0;
  assign final_word = left_q <= COUNT_W'(1);
  // After R header bytes a last word of more than KEEP_W - R bytes spills into a tail.
  assign tail = final_word && !none && (last_q == '0 || last_q > LOG'(KEEP_W - REST));

  logic [REST*8-1:0] carry_q;
  always_ff @(posedge clk) begin
    if (go && state_q == ST_BODY) carry_q <= word[DATA_W-1:DATA_W-REST*8];
  end
  assign body = {word[DATA_W-REST*8-1:0], begin_q ? header[HEADS*DATA_W+:REST*8] : carry_q};

  always_comb begin
    valid = 1'b0;
    last  = 1'b0;
    data  = body;
    bytes = LOG'(REST) + last_q;  // valid in the tail too, modulo KEEP_W
    unique case (state_q)
      ST_HEAD: begin
        valid = cur_valid_q;
        data  = header[DATA_W-1:0];
        for (int i = 1; i < HEADS; i++) if (head_q == 2'(i)) data = header[i*DATA_W+:DATA_W];
      end
      ST_TAIL: begin
        valid = 1'b1;
        last  = 1'b1;
      end
      default: begin
        valid = cur_valid_q && (none || !stored || d_valid);
        last  = final_word && !tail;
      end
    endcase
  end

  assign go = valid && m_frame.tready;
  assign ends = go && last;
  assign d_ready = go && state_q == ST_BODY && stored && !none;
  assign m_frame.tvalid = valid;
  assign m_frame.tdata = data;
  assign m_frame.tlast = last;
  assign m_frame.tuser = '0;
  assign m_frame.tid = '0;
  assign m_frame.tdest = '0;
  assign idle = !next_valid_q && !cur_valid_q && !a_valid && !b_valid;
  assign done = ends;

  kumi_eth_last_count_to_keep #(
      .KEEP_W(KEEP_W)
  ) u_keep (
      .count(bytes),
      .last,
      .keep (m_frame.tkeep)
  );

  always_ff @(posedge clk) begin
    if (go) begin
      unique case (state_q)
        ST_HEAD: begin
          head_q <= head_q + 2'd1;
          if (head_q == 2'(HEADS - 1)) state_q <= ST_BODY;
        end
        ST_TAIL: state_q <= ST_START;
        default: begin
          begin_q <= 1'b0;
          left_q  <= left_q - 1'b1;
          if (last) state_q <= ST_START;
          else if (final_word) state_q <= ST_TAIL;
        end
      endcase
    end
    if (ends) cur_valid_q <= 1'b0;
    if (move) begin
      cur_q       <= next_q;
      cur_valid_q <= 1'b1;
      begin_q     <= 1'b1;
      head_q      <= '0;
      left_q      <= COUNT_W'((next_q.len + 14'(KEEP_W - 1)) >> LOG);
      last_q      <= LOG'(next_q.len);
    end
    if (move) next_valid_q <= 1'b0;
    if (load) begin
      b_last_q     <= pick_b;
      next_q       <= in;
      next_valid_q <= 1'b1;
    end
    // The table's answer lags behind the frames counted since.
    if (count) begin
      last_valid_q <= 1'b1;
      last_peer_q  <= next_q.peer;
      last_order_q <= order + 16'd1;
    end
    ev_data <= count && !next_q.rtx;
    ev_retransmit <= count && next_q.rtx;
    ev_ack <= move && next_q.kind == RTP_ACK;
    ev_hello <= move && next_q.kind == RTP_HELLO;
    ev_reset <= move && next_q.kind == RTP_RESET;
    if (rst) begin
      state_q       <= ST_START;
      cur_valid_q   <= 1'b0;
      next_valid_q  <= 1'b0;
      last_valid_q  <= 1'b0;
      ev_data       <= 1'b0;
      ev_retransmit <= 1'b0;
      ev_ack        <= 1'b0;
      ev_hello      <= 1'b0;
      ev_reset      <= 1'b0;
    end
  end
endmodule
