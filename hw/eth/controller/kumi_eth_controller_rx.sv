// SPDX-License-Identifier: Apache-2.0
//
// Receive filter of the Ethernet controller: checks and strips the header, and writes accepted
// payload to a kumi_eth_async_frame_fifo.
//
// s_axis: from the MAC; tready is always high. w_*: see kumi_eth_async_frame_fifo with DROP = 1.
// w_meta: {begins, ends, eth_rx_info_t}. With JOIN, `begins`: the frame starts a message while
//   another was open, which must be terminated first; `ends`: its last byte ends a message.
// JOIN: tracks one message at a time: a frame must start a message or continue the open one (same
//   source and number, no byte missing). Without it every frame is passed as it is.
// own: own address, constant while frames arrive. cfg_broadcast: accept broadcasts.
// Latency: one cycle from a beat to its word, one more if the last bytes of a frame need a word of
//   their own. Throughput: one beat per cycle, frames back to back.
// Bad input: dropped with one pulse of ev per frame. Bytes after the payload are padding.
module kumi_eth_controller_rx
  import kumi_eth_controller_pkg::*;
#(
    parameter bit PAPER = 1'b0,  // the paper's framing: addresses in a whole first word
    parameter bit STORE = 1'b1,  // the buffer rolls bad frames back
    parameter bit JOIN  = 1'b1   // join frames to messages
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis,

    input logic [47:0] own,
    input logic        cfg_broadcast,

    output logic                              w_en,
    output logic [         s_axis.DATA_W-1:0] w_data,
    output logic [ $clog2(s_axis.KEEP_W)-1:0] w_count,
    output logic                              w_last,
    output logic                              w_commit,
    output logic                              w_bad,
    output logic [$bits(eth_rx_info_t)+2-1:0] w_meta,
    input  logic                              w_lost,

    output eth_controller_rx_events_t ev
);
  localparam int KEEP_W = s_axis.KEEP_W;
  localparam int DATA_W = s_axis.DATA_W;
  localparam int LOG = $clog2(KEEP_W);
  localparam int HDR = !PAPER ? 24 : KEEP_W > 16 ? KEEP_W : 16;  // bytes of the header
  localparam int REST = HDR % KEEP_W;  // header bytes in front of the first data
  localparam int HEAD = (HDR - 1) / KEEP_W;  // beat that completes the header
  localparam int LOOK = PAPER ? 14 : HDR;  // bytes of the header that are checked

  if (KEEP_W < 8 || (KEEP_W & (KEEP_W - 1)) != 0) begin : gen_check_width
    $fatal(0, "the data width must be a power of two, at least 64 (%m)");
  end

  typedef logic [15:0] len_t;

  // ---- One beat in a register -------------------------------------------------------------------
  logic [DATA_W-1:0] r_data_q;
  logic r_valid_q, r_last_q, r_bad_q;
  logic [LOG:0] r_bytes_q, in_bytes;
  logic [1:0] r_index_q, index_q;  // number of the beat, saturates at 3

  kumi_keep_to_count #(
      .KEEP_W(KEEP_W)
  ) u_count (
      .keep (s_axis.tkeep),
      .count(in_bytes)
  );

  assign s_axis.tready = 1'b1;

  always_ff @(posedge clk) begin
    r_valid_q <= s_axis.tvalid;
    if (s_axis.tvalid) begin
      r_data_q  <= s_axis.tdata;
      r_last_q  <= s_axis.tlast;
      r_bad_q   <= s_axis.tlast && s_axis.tuser[0];
      r_bytes_q <= in_bytes;
      r_index_q <= index_q;
      index_q   <= s_axis.tlast ? 2'd0 : index_q == 2'd3 ? 2'd3 : index_q + 2'd1;
    end
    if (rst) begin
      r_valid_q <= 1'b0;
      index_q   <= 2'd0;
    end
  end

  // ---- Header: valid in h_* from the cycle after the beat that completes it ---------------------
  logic [8*LOOK-1:0] now;  // header, first byte on top; meaningful where `here` is high
  logic [  LOOK-1:0] here;  // byte i of the header is in this beat
  logic at_head, body, early;
  eth_rx_info_t h;
  logic [47:0] da;
  logic [15:0] kind;
  logic [47:0] addr_q;
  logic da_q, da_ok, type_q, type_ok, ctrl_q, ctrl;
  logic h_ours_q, h_type_q, h_ctrl_q, h_sane_q;
  logic word;  // a word of payload is at w_data
  logic early_q;  // the frame that is flushed ended within its header
  len_t left_q;  // payload of the frame that is not written yet

  for (genvar i = 0; i < LOOK; i++) begin : gen_byte
    assign now[8*(LOOK-1-i)+:8] = r_data_q[8*(i%KEEP_W)+:8];
    assign here[i] = r_index_q == 2'(i / KEEP_W);
  end
  assign at_head = r_valid_q && r_index_q == 2'(HEAD);
  assign body = r_valid_q && r_index_q > 2'(HEAD);
  assign early   = r_valid_q && r_last_q && !body
      && (!at_head || r_bytes_q < (LOG + 1)'(HDR - HEAD * KEEP_W));
  assign da = now[8*(LOOK-6)+:48];
  assign kind = now[8*(LOOK-14)+:16];
  // Fields of earlier beats are kept.
  assign da_ok = here[0] ? da == own || (cfg_broadcast && (&da)) : da_q;
  assign type_ok = here[12] ? kind == CTL_ETHERTYPE : type_q;
  assign ctrl = here[12] ? kind == MAC_CONTROL : ctrl_q;

  always_ff @(posedge clk) begin
    if (r_valid_q) begin
      da_q   <= da_ok;
      type_q <= type_ok;
      ctrl_q <= ctrl;
      for (int i = 0; i < 6; i++) if (here[6+i]) addr_q[8*(5-i)+:8] <= now[8*(LOOK-7-i)+:8];
    end
    if (at_head) begin
      h_ours_q <= da_ok;
      h_ctrl_q <= ctrl;
    end
  end

  if (PAPER) begin : gen_paper
    always_ff @(posedge clk) begin
      if (at_head) h_type_q <= type_ok;
    end
    assign h = '{addr: addr_q, default: '0};
    assign left_q = '0;
    logic unused;
    assign unused   = ^left_q;
    assign h_sane_q = 1'b1;
  end else begin : gen_header
    logic [7:0] flags_q, flags, number_q;
    len_t size;
    logic [31:0] left, rest_q;
    logic last_q, first_q;
    assign h     = '{addr: addr_q, left: rest_q, number: number_q, last: last_q, first: first_q};
    assign flags = here[14] ? now[8*(LOOK-15)+:8] : flags_q;
    assign size  = now[8*(LOOK-18)+:16];
    assign left  = now[31:0];

    always_ff @(posedge clk) begin
      if (r_valid_q) begin
        flags_q <= flags;
        if (here[15]) number_q <= now[8*(LOOK-16)+:8];
      end
      if (at_head) begin
        h_type_q <= type_ok && flags[7:4] == CTL_VERSION;
        h_sane_q <= size != '0 && (flags[1] ? left == 32'(size) : left > 32'(size));
        rest_q   <= left;
        last_q   <= flags[1];
        first_q  <= flags[0];
        left_q   <= size;
      end else if (word) begin
        left_q <= left_q - len_t'(KEEP_W);
      end
    end
  end

  // ---- The open message -------------------------------------------------------------------------
  logic fits, begins, ends, keep, done;
  if (JOIN && !PAPER) begin : gen_join
    logic open_q;
    len_t bytes_q;  // payload of the frame
    logic [47:0] o_addr_q;
    logic [31:0] o_left_q;
    logic [7:0] o_number_q;
    logic next;
    assign next   = h.addr == o_addr_q && h.number == o_number_q && h.left == o_left_q;
    assign fits   = h.first || (open_q && next);
    assign begins = h.first && open_q;
    assign ends   = h.last;

    always_ff @(posedge clk) begin
      if (at_head) bytes_q <= now[8*(LOOK-18)+:16];
      if (done) begin
        // A published but truncated or bad frame ends its message.
        open_q <= !h.last && !w_bad && !w_lost;
        o_addr_q <= h.addr;
        o_number_q <= h.number;
        o_left_q <= h.left - 32'(bytes_q);
      end
      if (rst) open_q <= 1'b0;
    end
  end else begin : gen_single
    assign fits   = 1'b1;
    assign begins = 1'b0;
    assign ends   = 1'b1;
  end
  assign keep   = !early_q && h_ours_q && h_type_q && h_sane_q && fits && !h_ctrl_q;
  assign w_meta = {begins, ends, h};

  // ---- Words and classification -----------------------------------------------------------------
  logic trunc, bad, extra, verdict, shown_q;
  logic started_q;  // words of this frame are in the buffer
  logic flush_q, flush_bad_q;  // the frame has ended; bytes of its last beat may make one more word

  if (PAPER) begin : gen_words
    assign w_data  = r_data_q;
    assign w_count = LOG'(r_bytes_q);
    assign w_last  = r_last_q;
    assign word    = body;
    assign trunc   = flush_q;  // header only
    assign extra   = 1'b0;
  end else if (REST == 0) begin : gen_aligned
    logic fin;
    assign w_data  = r_data_q;
    assign w_count = LOG'(left_q);
    assign fin     = left_q <= len_t'(KEEP_W);
    assign trunc   = flush_q || left_q > len_t'(r_bytes_q);
    assign extra   = 1'b0;
    assign w_last  = fin || r_last_q;
    assign word    = body && !shown_q;
  end else begin : gen_shift
    localparam int KEPT = KEEP_W - REST;
    len_t room;  // bytes of the frame from this word on
    logic fin;
    logic [KEPT*8-1:0] kept_q;
    logic [LOG:0] flush_bytes_q;  // of the last beat for the word that is flushed
    always_ff @(posedge clk) begin
      if (r_valid_q) kept_q <= r_data_q[DATA_W-1:REST*8];
      flush_bytes_q <= r_bytes_q > (LOG + 1)'(REST) ? r_bytes_q - (LOG + 1)'(REST) : '0;
    end
    assign w_data  = {r_data_q[REST*8-1:0], kept_q};
    assign w_count = LOG'(left_q);
    assign fin     = left_q <= len_t'(KEEP_W);
    assign room    = flush_q ? len_t'(flush_bytes_q) : len_t'(r_bytes_q) + len_t'(KEPT);
    assign trunc   = left_q > room;
    assign extra   = body && r_last_q && !fin && !trunc;
    assign w_last  = fin || flush_q || (r_last_q && !extra);
    assign word    = (flush_q ? !trunc : body) && !shown_q;
  end

  // shown_q: the last word of the payload is written, what follows is padding.
  assign verdict  = flush_q || (body && r_last_q && !extra);
  assign bad      = (flush_q ? flush_bad_q : r_bad_q) || (trunc && !shown_q);
  assign w_commit = verdict && keep;
  assign w_bad    = bad;
  assign w_en     = keep && word;
  // The frame has been published, at least in part.
  assign done     = w_commit && (STORE ? !bad && !w_lost : started_q || (w_en && !w_lost));

  always_ff @(posedge clk) begin
    flush_q     <= r_valid_q && r_last_q && (early || at_head || extra);
    flush_bad_q <= r_bad_q;
    early_q     <= early;
    if (verdict || at_head) shown_q <= 1'b0;
    else if (word && w_last) shown_q <= 1'b1;
    if (verdict || at_head) started_q <= 1'b0;
    else if (w_en && !w_lost) started_q <= 1'b1;
    if (rst) begin
      flush_q   <= 1'b0;
      early_q   <= 1'b0;
      shown_q   <= 1'b0;
      started_q <= 1'b0;
    end
  end

  // ---- Events -----------------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    ev <= '0;
    if (verdict) begin
      if (flush_q ? flush_bad_q : r_bad_q) ev.bad <= 1'b1;
      else if (early_q) ev.malformed <= 1'b1;
      else if (h_ctrl_q) ev.control <= 1'b1;
      else if (!h_ours_q) ev.not_ours <= 1'b1;
      else if (!h_type_q) ev.foreign <= 1'b1;
      else if (!h_sane_q || (trunc && !shown_q)) ev.malformed <= 1'b1;
      else if (!fits) ev.orphan <= 1'b1;
      else if (w_lost) ev.no_room <= 1'b1;
      else ev.ok <= 1'b1;
    end
    ev.broken <= done && begins;
    if (rst) ev <= '0;
  end
endmodule
