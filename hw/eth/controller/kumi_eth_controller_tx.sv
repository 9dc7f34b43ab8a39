// SPDX-License-Identifier: Apache-2.0
//
// Framer of the Ethernet controller: cuts messages into frames and writes them, with their headers,
// to a kumi_eth_async_frame_fifo.
//
// s_dest: eth_dest_count_t, one record per message, before its data. s_axis: the data; all words
//   but the last of a message are full. With USE_LAST a message must end with tlast; without it
//   tlast is ignored and the next message starts in the next word.
// w_*: see kumi_eth_async_frame_fifo. src, cfg_mtu: constant during a message. cfg_mtu counts a
//   frame without FCS and is clamped to the header plus one word and to MAX_MTU. All frames of a
//   message but the last carry the same whole number of words, so the header shifts the data by a
//   constant number of bytes.
// Latency: 0 from a word to w_en. Throughput: one word per cycle, one extra cycle per frame.
// Bad input: data that ends before the count, or is marked bad (tuser[0] with tlast), aborts its
//   message: the current frame is rolled back (w_bad) and nothing more is sent. Excess data is
//   discarded up to tlast. A count of 0 is ignored; it must not be followed by data.
module kumi_eth_controller_tx
  import kumi_eth_controller_pkg::*;
#(
    parameter bit PAPER    = 1'b0,  // the paper's framing: addresses in a whole first word
    parameter bit STORE    = 1'b1,  // store and forward: a header may wait for data
    parameter bit USE_LAST = 1'b1   // tlast ends a message
) (
    input logic clk,
    input logic rst,

    kumi_rec_if.snk  s_dest,
    kumi_axis_if.snk s_axis,

    input logic [47:0] src,
    input logic [13:0] cfg_mtu,

    output logic                             w_en,
    input  logic                             w_ready,
    output logic [        s_axis.DATA_W-1:0] w_data,
    output logic [$clog2(s_axis.KEEP_W)-1:0] w_count,
    output logic                             w_last,
    output logic                             w_commit,
    output logic                             w_bad,

    output eth_controller_tx_events_t ev
);
  localparam int KEEP_W = s_axis.KEEP_W;
  localparam int DATA_W = s_axis.DATA_W;
  localparam int LOG = $clog2(KEEP_W);
  localparam int HDR = !PAPER ? 24 : KEEP_W > 16 ? KEEP_W : 16;  // bytes of the header
  localparam int HEADS = HDR / KEEP_W;  // words that hold only header
  localparam int REST = HDR % KEEP_W;  // header bytes in front of the first data
  localparam int BEAT_W = 15 - LOG;  // counts words of a frame

  if (KEEP_W < 8 || (KEEP_W & (KEEP_W - 1)) != 0) begin : gen_check_width
    $fatal(0, "the data width must be a power of two, at least 64 (%m)");
  end
  if (s_dest.W != $bits(eth_dest_count_t)) begin : gen_check_dest
    $fatal(0, "s_dest carries a eth_dest_count_t (%m)");
  end

  // ---- Words of a frame, from the MTU -----------------------------------------------------------
  logic [13:0] mtu;
  logic [BEAT_W-1:0] quota_q;
  logic [31:0] quota;  // in units of `left`
  always_comb begin
    mtu = cfg_mtu;
    if (mtu > 14'(MAX_MTU)) mtu = 14'(MAX_MTU);
    if (mtu < 14'(HDR + KEEP_W)) mtu = 14'(HDR + KEEP_W);
  end
  always_ff @(posedge clk) quota_q <= BEAT_W'((mtu - 14'(HDR)) >> LOG);
  assign quota = PAPER ? 32'(quota_q) : 32'(quota_q) << LOG;

  // ---- The message ------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    ST_HEAD,  // words of header only, if there are such
    ST_BODY,
    ST_TAIL,  // bytes carried over from the last data word
    ST_SKIP   // excess data
  } eth_controller_tx_state_e;
  localparam eth_controller_tx_state_e ST_START = HEADS > 0 ? ST_HEAD : ST_BODY;

  eth_dest_count_t rec;
  eth_controller_tx_state_e state_q;
  logic have_q;  // a message is in progress
  logic [47:0] addr_q;
  logic [31:0] left_q;  // of the message, with this frame: bytes (words with PAPER)
  logic [7:0] number_q;
  logic [BEAT_W-1:0] beats_q;  // data words of this frame still to come, with the next
  logic final_q;  // this is the last frame of its message
  logic first_q;  // ... and the first
  logic begin_q;  // the next data word is the first of its frame
  logic [1:0] head_q;
  logic surplus_q;  // excess data follows the tail

  logic load, take, ends_frame, ends_message, abort, over, last_beat, tail;
  logic [LOG:0] in_bytes;  // of the message in this data word
  // Length of the next frame, ready in the second cycle of this one: only a last one is shorter.
  logic [31:0] after_left_q;
  logic [BEAT_W-1:0] after_beats_q;
  logic after_final_q, after_final;

  function automatic logic [BEAT_W-1:0] beats_for(input logic [31:0] left);
    return PAPER ? BEAT_W'(left) : BEAT_W'(left >> LOG) + BEAT_W'(|left[LOG-1:0]);
  endfunction

  assign after_final = left_q <= (quota << 1);
  assign rec = s_dest.data;
  assign s_dest.ready = !have_q || ends_message;
  assign load = s_dest.valid && s_dest.ready && rec.count != '0;

  assign last_beat = beats_q == BEAT_W'(1);
  assign in_bytes     = PAPER || !last_beat || !final_q || left_q[LOG-1:0] == '0 ? (LOG+1)'(KEEP_W)
                        : {1'b0, left_q[LOG-1:0]};
  assign tail = REST != 0 && last_beat && in_bytes > (LOG + 1)'(KEEP_W - REST);

  if (USE_LAST) begin : gen_last
    logic [LOG-1:0] last_lane;
    logic whole, more;
    assign last_lane = LOG'(in_bytes - 1'b1);
    assign whole = last_beat && final_q && (PAPER || s_axis.tkeep[last_lane]);
    assign abort = s_axis.tlast && (!whole || s_axis.tuser[0]);
    // More bytes in the last word, or more words.
    assign more = !PAPER && !(&last_lane) && s_axis.tkeep[LOG'(in_bytes)];
    assign over = last_beat && final_q && (!s_axis.tlast || more);
  end else begin : gen_count
    logic unused;
    assign unused = ^{s_axis.tlast, s_axis.tkeep, s_axis.tuser};
    assign abort  = 1'b0;
    assign over   = 1'b0;
  end

  // ---- The header -------------------------------------------------------------------------------
  logic [(HEADS+1)*DATA_W-1:0] header;
  logic [15:0] bytes;
  logic unused_header;
  assign unused_header = ^header;
  assign bytes = final_q ? 16'(left_q) : 16'(quota);

  logic [HDR*8-1:0] fields;  // first byte on top
  if (PAPER) begin : gen_paper
    logic unused;
    assign unused = ^{bytes, number_q, first_q};
    assign fields = {addr_q, src, CTL_ETHERTYPE, {(HDR * 8 - 112) {1'b0}}};
  end else begin : gen_fields
    logic [7:0] flags;
    assign flags  = {CTL_VERSION, 2'b00, final_q, first_q};
    assign fields = {addr_q, src, CTL_ETHERTYPE, flags, number_q, bytes, 16'd0, left_q};
  end

  always_comb begin
    header = '0;
    for (int i = 0; i < HDR; i++) header[8*i+:8] = fields[8*(HDR-1-i)+:8];
  end

  // ---- Words ------------------------------------------------------------------------------------
  logic [DATA_W-1:0] body;
  if (REST == 0) begin : gen_aligned
    logic unused;
    assign unused = begin_q;
    assign body   = s_axis.tdata;
  end else begin : gen_shift
    logic [REST*8-1:0] carry_q;
    always_ff @(posedge clk) begin
      if (take) carry_q <= s_axis.tdata[DATA_W-1:DATA_W-REST*8];
    end
    assign body = {
      s_axis.tdata[DATA_W-REST*8-1:0], begin_q ? header[HEADS*DATA_W+:REST*8] : carry_q
    };
  end

  assign s_axis.tready = (state_q == ST_BODY && have_q && w_ready) || state_q == ST_SKIP;
  assign take          = s_axis.tvalid && s_axis.tready && state_q == ST_BODY;

  always_comb begin
    w_en = 1'b0;
    w_data = body;
    w_last = 1'b0;
    w_bad = 1'b0;
    w_count = LOG'(REST) + LOG'(in_bytes);  // valid in the tail too, modulo KEEP_W
    unique case (state_q)
      ST_HEAD: begin
        w_en   = have_q && (STORE || s_axis.tvalid);
        w_data = header[DATA_W-1:0];
        for (int i = 1; i < HEADS; i++) begin
          if (head_q == 2'(i)) w_data = header[i*DATA_W+:DATA_W];
        end
      end
      ST_BODY: begin
        w_en   = have_q && s_axis.tvalid;
        w_bad  = abort;
        w_last = (last_beat && !tail) || abort;
      end
      ST_TAIL: begin
        w_en   = 1'b1;  // of body only what is carried over
        w_last = 1'b1;
      end
      default: ;
    endcase
    if (abort && state_q == ST_BODY) w_count = '0;
  end
  assign w_commit     = w_en && w_last;
  assign ends_frame   = w_en && w_ready && w_last;
  assign ends_message = ends_frame && (final_q || w_bad);

  always_ff @(posedge clk) begin
    // State.
    unique case (state_q)
      ST_HEAD:
      if (w_en && w_ready) begin
        head_q <= head_q + 2'd1;
        if (head_q == 2'(HEADS - 1)) state_q <= ST_BODY;
      end
      ST_BODY:
      if (take) begin
        if (!last_beat) beats_q <= beats_q - 1'b1;
        begin_q   <= 1'b0;
        surplus_q <= over && !s_axis.tlast;
        if (w_last) state_q <= over && !s_axis.tlast ? ST_SKIP : ST_START;
        else if (last_beat) state_q <= ST_TAIL;
      end
      ST_TAIL: if (w_ready) state_q <= surplus_q ? ST_SKIP : ST_START;
      default: if (s_axis.tvalid && s_axis.tlast) state_q <= ST_START;
    endcase
    // Message and frame.
    if (ends_message) begin
      have_q   <= 1'b0;
      number_q <= number_q + 8'd1;
    end
    if (load) begin
      have_q <= 1'b1;
      addr_q <= rec.addr;
    end
    after_left_q  <= left_q - quota;
    after_final_q <= after_final;
    after_beats_q <= after_final ? beats_for(left_q) - quota_q : quota_q;
    if (load) begin
      left_q  <= rec.count;
      final_q <= rec.count <= quota;
      beats_q <= rec.count <= quota ? beats_for(rec.count) : quota_q;
    end else if (ends_frame) begin
      left_q  <= after_left_q;
      final_q <= after_final_q;
      beats_q <= after_beats_q;
    end
    if (load || ends_frame) begin
      first_q <= load;
      begin_q <= 1'b1;
      head_q  <= '0;
    end
    // Events.
    ev.frame   <= ends_frame && !w_bad;
    ev.message <= ends_message && !w_bad;
    ev.short_  <= ends_message && w_bad;
    ev.long_   <= take && over && !abort;
    ev.empty   <= s_dest.valid && s_dest.ready && rec.count == '0;
    if (rst) begin
      state_q  <= ST_START;
      have_q   <= 1'b0;
      number_q <= '0;
      ev       <= '0;
    end
  end
endmodule
