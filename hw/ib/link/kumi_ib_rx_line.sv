// SPDX-License-Identifier: Apache-2.0
//
// Receive side of the line: finds packets by their delimiters, checks and removes the VCRC, and
// checks link packets (packet receiver states of IBTA volume 1, clause 7.6).
//
// word*: received words, [1] only with [0]; nothing while `run` is low. A packet may begin in
//   either. Whatever stands between packets is ignored.
// out_*: packets from LRH to ICRC without back-pressure. out_half: only the first word of the beat
//   is there (with out_last). With out_last: out_bad, a wrong VCRC, a code violation, a stray
//   control symbol, or no end (neither checked further nor to be kept); out_remote, the packet was
//   marked bad by its sender (EBP). Latency from the packet's last word 2 cycles, 3 with out_half.
// fc_valid, fc_pkt: a link packet with a correct CRC, in order with out_*: 3 cycles after its last
//   word. ev_bad_fc: one that is broken.
// Bad input: a packet without an end is ended, marked bad, after the longest length that there is
//   (1055 words) or at the next start delimiter; the packet that begins there is lost too.
module kumi_ib_rx_line
  import kumi_ib_link_pkg::*;
  import kumi_ib_crc_pkg::*;
#(
    parameter int WORDS = 2  // words per cycle, 1 or 2
) (
    input  logic                       clk,
    input  logic                       rst,
    input  logic                       run,
    input  logic     [WORDS-1:0]       word_valid,
    input  ib_word_t [WORDS-1:0]       word,
    output logic                       out_valid,
    output logic     [WORDS-1:0][31:0] out_data,
    output logic                       out_half,
    output logic                       out_first,
    output logic                       out_last,
    output logic                       out_bad,
    output logic                       out_remote,
    output logic                       fc_valid,
    output fc_pkt_t                    fc_pkt,
    output logic                       ev_bad_fc
);
  // Counts up from here: the highest bit is set once a packet is longer than any may be.
  localparam logic [11:0] LENGTH_START = 12'd2048 - 12'd1055;

  if (WORDS < 1 || WORDS > 2) begin : gen_check_words
    $fatal(0, "WORDS must be 1 or 2 (%m)");
  end

  typedef enum logic [1:0] {
    RX_GAP,
    RX_DATA,
    RX_LINK,  // second word of a link packet
    RX_SKIP   // behind a packet without an end: up to the next end delimiter
  } rx_line_state_e;

  // What a word adds to a packet.
  typedef struct packed {
    logic        valid;
    logic        first;
    logic        last;
    logic        bad;
    logic        remote;
    logic [15:0] vcrc_diff;  // with last: of the VCRC received and that of the data
    logic [31:0] data;
  } rx_piece_t;

  // ---- 1: what a word is ------------------------------------------------------------------------
  typedef struct packed {
    logic            sdp;
    logic            slp;
    logic            remote;  // EBP at the end
    logic            ends;    // EBP or EGP
    logic            clean;   // data but for the last symbol
    logic            open;    // data behind the first symbol
    logic            last_k;  // the last symbol is a control symbol
    logic [3:0][7:0] data;
  } rx_word_t;

  logic [WORDS-1:0] valid_q;
  rx_word_t [WORDS-1:0] word_d, word_q;

  always_comb begin
    for (int i = 0; i < WORDS; i++) begin
      word_d[i].sdp = word[i].k[0] && !word[i].err[0] && word[i].data[0] == SYM_SDP;
      word_d[i].slp = word[i].k[0] && !word[i].err[0] && word[i].data[0] == SYM_SLP;
      word_d[i].remote = word[i].k[3] && !word[i].err[3] && word[i].data[3] == SYM_EBP;
      word_d[i].ends   = word[i].k[3] && !word[i].err[3] &&
          (word[i].data[3] == SYM_EBP || word[i].data[3] == SYM_EGP);
      word_d[i].clean = word[i].err == '0 && word[i].k[2:0] == '0;
      word_d[i].open = word[i].err == '0 && word[i].k[3:1] == '0;
      word_d[i].last_k = word[i].k[3];
      word_d[i].data = word[i].data;
    end
  end

  always_ff @(posedge clk) begin
    valid_q <= run && !rst ? word_valid : '0;
    word_q  <= word_d;
  end

  // ---- 2: what it adds to a packet --------------------------------------------------------------
  rx_line_state_e state_q, state_d;
  logic [23:0] carry_q, carry_d;  // the symbols behind the first of the last word
  logic [15:0] crc_q, crc_d;
  logic [11:0] count_q;
  logic [1:0] added;  // words that the packet at hand is longer by
  logic starts;
  logic bad_q, bad_d, first_q, first_d;
  rx_piece_t [WORDS-1:0] piece;
  logic fc_found, fc_broken;
  logic [15:0] fc_diff;
  fc_pkt_t fc_d;

  // Data of each word, and the VCRC behind it if all words so far were of the packet.
  logic [WORDS-1:0][31:0] shifted;
  logic [WORDS-1:0][15:0] crc_on;
  assign shifted[0] = {word_q[0].data[0], carry_q};
  assign crc_on[0]  = vcrc_step(crc_q, shifted[0]);
  if (WORDS == 2) begin : gen_second_word
    assign shifted[1] = {
      word_q[1].data[0], word_q[0].data[3], word_q[0].data[2], word_q[0].data[1]
    };
    assign crc_on[1] = vcrc_step2(crc_q, shifted[0], shifted[1]);
  end

  always_comb begin
    state_d   = state_q;
    carry_d   = carry_q;
    crc_d     = crc_q;
    added     = '0;
    starts    = 1'b0;
    bad_d     = bad_q;
    first_d   = first_q;
    piece     = '0;
    fc_found  = 1'b0;
    fc_broken = 1'b0;
    fc_diff   = '0;
    fc_d      = '0;
    for (int i = 0; i < WORDS; i++) begin
      rx_word_t w;
      logic [15:0] crc;
      w              = word_q[i];
      piece[i].data  = shifted[i];
      crc            = i == 1 && starts ? vcrc_step(VCRC_INIT, shifted[i]) : crc_on[i];
      piece[i].first = first_d;
      if (valid_q[i]) begin
        unique case (state_d)
          RX_DATA: begin
            crc_d          = crc;
            piece[i].valid = 1'b1;
            added          = added + 1'b1;
            first_d        = 1'b0;
            if (!w.clean) bad_d = 1'b1;
            if (w.ends) begin
              state_d         = RX_GAP;
              piece[i].last   = 1'b1;
              piece[i].remote = w.remote;
              piece[i].bad    = bad_d;
              if (!w.remote) piece[i].vcrc_diff = ~crc ^ w.data[2:1];
            end else begin
              if (w.last_k) bad_d = 1'b1;
              if (w.sdp || w.slp || (count_q[11] && !piece[i].first)) begin
                state_d       = RX_SKIP;
                piece[i].last = 1'b1;
                piece[i].bad  = 1'b1;
              end
            end
          end
          RX_LINK: begin
            fc_d = fc_pkt_t'({
              shifted[i][7:0], shifted[i][15:8], shifted[i][23:16], shifted[i][31:24]
            });
            fc_diff = ~vcrc_step(VCRC_INIT, shifted[i]) ^ w.data[2:1];
            if (w.ends && !w.remote && !bad_d && w.clean) begin
              fc_found = 1'b1;
            end else begin
              fc_broken = 1'b1;
            end
            state_d = w.ends ? RX_GAP : RX_SKIP;
          end
          default: begin
            if (w.ends) state_d = RX_GAP;
            if ((w.sdp || w.slp) && state_d == RX_GAP && !w.ends) begin
              state_d = w.sdp ? RX_DATA : RX_LINK;
              bad_d   = !w.open;
              crc_d   = VCRC_INIT;
              added   = '0;
              starts  = 1'b1;
              first_d = 1'b1;
            end
          end
        endcase
        carry_d = {w.data[3], w.data[2], w.data[1]};
      end
    end
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    carry_q <= carry_d;
    crc_q   <= crc_d;
    count_q <= (starts ? LENGTH_START : count_q) + 12'(added);
    bad_q   <= bad_d;
    first_q <= first_d;
    if (rst || !run) state_q <= RX_GAP;
  end

  // The VCRC is compared behind the register, which shortens the path through it.
  logic bad_end_q;
  logic [15:0] diff_q;
  assign out_bad = bad_end_q || diff_q != '0;

  // Pairs of words. An odd last word that would leave in the cycle of another beat leaves one
  // later; no beat can be due then, because the next packet begins with a word that adds nothing.
  if (WORDS == 1) begin : gen_single
    always_ff @(posedge clk) begin
      out_valid  <= piece[0].valid && run && !rst;
      out_data   <= piece[0].data;
      out_first  <= piece[0].first;
      out_last   <= piece[0].last;
      bad_end_q  <= piece[0].bad;
      diff_q     <= piece[0].vcrc_diff;
      out_remote <= piece[0].remote;
    end
    assign out_half = 1'b0;
  end else begin : gen_pair
    rx_piece_t held_q, held_d, late_q, late_d;
    rx_piece_t low, high;
    logic emit, single, unused;
    assign unused = ^{low, high};

    always_comb begin
      held_d = held_q;
      late_d = '0;
      low    = late_q;
      high   = '0;
      emit   = late_q.valid;
      single = late_q.valid;
      for (int i = 0; i < WORDS; i++) begin
        if (piece[i].valid) begin
          if (held_d.valid) begin
            emit         = 1'b1;
            single       = 1'b0;
            low          = held_d;
            high         = piece[i];
            held_d.valid = 1'b0;
          end else if (!piece[i].last) begin
            held_d = piece[i];
          end else if (emit) begin
            late_d = piece[i];
          end else begin
            emit   = 1'b1;
            single = 1'b1;
            low    = piece[i];
          end
        end
      end
    end

    always_ff @(posedge clk) begin
      held_q     <= held_d;
      late_q     <= late_d;
      out_valid  <= emit;
      out_data   <= {high.data, low.data};
      out_half   <= single;
      out_first  <= low.first;
      out_last   <= single || high.last;
      bad_end_q  <= single ? low.bad : high.bad;
      diff_q     <= single ? low.vcrc_diff : high.vcrc_diff;
      out_remote <= single ? low.remote : high.remote;
      if (rst || !run) begin
        held_q.valid <= 1'b0;
        late_q.valid <= 1'b0;
        out_valid    <= 1'b0;
      end
    end
  end

  logic fc_found_q, fc_broken_q;
  logic [15:0] fc_diff_q;
  fc_pkt_t fc_q;
  always_ff @(posedge clk) begin
    fc_found_q  <= fc_found;
    fc_broken_q <= fc_broken;
    fc_diff_q   <= fc_diff;
    fc_q        <= fc_d;
    fc_valid    <= fc_found_q && fc_diff_q == '0;
    fc_pkt      <= fc_q;
    ev_bad_fc   <= fc_broken_q || (fc_found_q && fc_diff_q != '0);
    if (rst || !run) begin
      fc_found_q  <= 1'b0;
      fc_broken_q <= 1'b0;
      fc_valid    <= 1'b0;
      ev_bad_fc   <= 1'b0;
    end
  end
endmodule
