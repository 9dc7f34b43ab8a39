// SPDX-License-Identifier: Apache-2.0
//
// Transmit side of the line: delimiters, VCRC, link packets, skip sets and training sets (IBTA
// volume 1 clauses 7.6 to 7.9, volume 2 clauses 5.5 and 5.6).
//
// s_axis: packets from LRH to ICRC, multiples of 4 bytes, at least 8. Once a packet has begun the
//   line cannot wait: if no beat is offered (ev_underrun) the packet ends with EBP and an inverted
//   VCRC, as does one with tuser[0] at its last beat, and the rest of it is discarded. While mode
//   is not LINE_DATA all packets are discarded (ev_discard), also one that has begun.
// fc_*: a link packet, sent before the next packet; only while mode is LINE_DATA.
// sent: pulse with the last beat of a packet, also of a discarded one.
// m_*: [lane][0] first on the wire; in each cycle LANES * SYMBOLS = 4 * WORDS symbols. m_quiet: the
//   transmitters are off. Latency 1 cycle from the beat. A packet begins with the first word of a
//   cycle and leaves at full rate; with 8 symbols a cycle it may take half a cycle more than its
//   symbols. Skip sets: every SKIP_SYMBOLS symbols per lane, or behind the packet that is going
// out. A change of mode cuts short packets, but neither training sets, link packets nor skip sets.
module kumi_ib_tx_line
  import kumi_ib_pkg::swap32;
  import kumi_ib_link_pkg::*;
  import kumi_ib_crc_pkg::*;
#(
    parameter  int LANES        = 4,
    parameter  int WORDS        = 2,                 // words per cycle: 1, or 2 with 4 lanes
    parameter  int SKIP_SYMBOLS = 4608,              // symbols per lane between skip sets
    localparam int SYMBOLS      = 4 * WORDS / LANES  // per lane and cycle
) (
    input logic clk,
    input logic rst,
    input line_mode_e mode,
    kumi_axis_if.snk s_axis,
    output logic sent,
    output logic ev_underrun,
    output logic ev_discard,
    input logic fc_valid,
    output logic fc_ready,
    input fc_pkt_t fc_pkt,
    output logic ts_sent,
    output logic [LANES-1:0][SYMBOLS-1:0][7:0] m_data,
    output logic [LANES-1:0][SYMBOLS-1:0] m_k,
    output logic m_quiet
);
  if (!(LANES == 4 && (WORDS == 1 || WORDS == 2)) && !(LANES == 1 && WORDS == 1)) begin : gen_check
    $fatal(0, "LANES, WORDS must be 1, 1 or 4, 1 or 4, 2 (%m)");
  end
  if (s_axis.DATA_W != 32 * WORDS) begin : gen_check_w
    $fatal(0, "DATA_W of s_axis must be 32 * WORDS (%m)");
  end

  localparam int TS_CYCLES = TS_SYMBOLS / SYMBOLS;
  localparam int SKIP_CYCLES = SYMBOLS >= 4 ? 1 : 4 / SYMBOLS;
  localparam int INTERVAL = SKIP_SYMBOLS / SYMBOLS;
  localparam int TIME_W = $clog2(INTERVAL + 1);
  localparam int FC_WORDS = 2;

  typedef struct packed {
    logic [3:0]      k;
    logic [3:0][7:0] data;
  } tx_word_t;

  typedef enum logic [2:0] {
    TX_GAP,   // between packets
    TX_TS,
    TX_SKIP,
    TX_FC,    // second word of a link packet
    TX_BODY,
    TX_TAIL   // the word with the VCRC
  } tx_line_state_e;

  tx_line_state_e state_q, state_d;
  logic [3:0] step_q, step_d;
  logic [TIME_W-1:0] skip_time_q;
  logic skip_due_q, skip_now;
  logic [7:0] carry_q, carry_d;
  logic [15:0] crc_q, crc_d;
  logic bad_q, bad_d;
  fc_pkt_t fc_q;
  logic fc_take, ts2_q, ts_start;
  logic discard_q;  // the rest of a packet that was cut short
  tx_word_t [WORDS-1:0] word;

  // One beat of a packet, its words shifted by one symbol.
  logic [WORDS-1:0][31:0] beat;
  logic half;  // only the first word of the beat is there
  logic begins, moves;
  logic [15:0] vcrc_beat;

  assign beat = s_axis.tdata;
  assign half = WORDS == 2 && s_axis.tlast && !s_axis.tkeep[4*(WORDS-1)];
  assign begins = state_q == TX_GAP && mode == LINE_DATA && !skip_due_q && !fc_valid && !discard_q;
  assign s_axis.tready = begins || state_q == TX_BODY || discard_q || mode != LINE_DATA;
  assign moves = s_axis.tvalid && s_axis.tready;
  assign fc_take = state_q == TX_GAP && mode == LINE_DATA && !skip_due_q && fc_valid;
  assign fc_ready = fc_take;
  assign sent = moves && s_axis.tlast;
  assign ev_underrun = state_q == TX_BODY && !s_axis.tvalid && mode == LINE_DATA;
  assign ev_discard = sent && (discard_q || mode != LINE_DATA);

  function automatic logic [31:0] tail(input logic [7:0] first, input logic [15:0] crc,
                                       input logic bad);
    return {bad ? SYM_EBP : SYM_EGP, bad ? crc : ~crc, first};
  endfunction

  function automatic tx_word_t ordered_set(input logic is_ts, input logic ts2,
                                           input logic [3:0] column);
    tx_word_t w;
    w.k    = '0;
    w.data = {4{ts2 ? SYM_TS2 : SYM_TS1}};
    if (LANES == 4) begin
      if (column == '0) begin
        w.k    = 4'hF;
        w.data = {4{SYM_COM}};
      end else if (!is_ts) begin
        w.k    = 4'hF;
        w.data = {4{SYM_SKP}};
      end else if (column == 4'd1) begin
        w.data = {8'd3, 8'd2, 8'd1, 8'd0};
      end
    end else begin
      if (!is_ts) begin
        w.k    = 4'hF;
        w.data = {{3{SYM_SKP}}, SYM_COM};
      end else if (column == '0) begin
        w.k         = 4'h1;
        w.data[1:0] = {8'd0, SYM_COM};
      end
    end
    return w;
  endfunction

  always_comb begin
    logic [15:0] crc;
    state_d   = state_q;
    step_d    = step_q;
    carry_d   = carry_q;
    crc_d     = crc_q;
    bad_d     = bad_q;
    skip_now  = 1'b0;
    ts_sent   = 1'b0;
    ts_start  = 1'b0;
    word      = '0;  // idle data: zeros
    vcrc_beat = state_q == TX_BODY ? crc_q : VCRC_INIT;
    crc       = vcrc_beat;
    for (int i = 0; i < WORDS; i++) begin
      if (i == 0 || !half) crc = vcrc_step(crc, beat[i]);
    end

    unique case (state_q)
      TX_GAP: begin
        if (mode == LINE_TS1 || mode == LINE_TS2) begin
          ts_start = 1'b1;
        end else if (mode == LINE_DATA && skip_due_q) begin
          skip_now = 1'b1;
        end else if (fc_take) begin
          word[0].k    = 4'h1;
          word[0].data = {fc_pkt[15:8], fc_pkt[23:16], fc_pkt[31:24], SYM_SLP};
        end
      end
      default: ;
    endcase

    // Training and skip sets.
    for (int i = 0; i < WORDS; i++) begin
      if (ts_start || state_q == TX_TS) begin
        word[i] = ordered_set(1'b1, ts_start ? mode == LINE_TS2 : ts2_q, 4'(step_q * WORDS + i));
      end
      if (skip_now || state_q == TX_SKIP) begin
        word[i] = ordered_set(1'b0, 1'b0, 4'(step_q * WORDS + i));
      end
    end
    if (ts_start || state_q == TX_TS) begin
      step_d  = step_q + 1'b1;
      state_d = TX_TS;
      if (step_q == 4'(TS_CYCLES - 1)) begin
        state_d = TX_GAP;
        step_d  = '0;
        ts_sent = 1'b1;
      end
    end
    if (skip_now || state_q == TX_SKIP) begin
      step_d  = step_q == 4'(SKIP_CYCLES - 1) ? '0 : step_q + 1'b1;
      state_d = step_q == 4'(SKIP_CYCLES - 1) ? TX_GAP : TX_SKIP;
    end

    // Link packets: both words in a cycle, or one after the other.
    if (fc_take || state_q == TX_FC) begin
      fc_pkt_t fc;
      logic [15:0] lpcrc;
      fc = state_q == TX_FC ? fc_q : fc_pkt;
      lpcrc = ~vcrc_step(VCRC_INIT, swap32(fc));
      if (WORDS == FC_WORDS || state_q == TX_FC) begin
        word[WORDS-1].k    = 4'h8;
        word[WORDS-1].data = {SYM_EGP, lpcrc, fc[7:0]};
        state_d            = TX_GAP;
      end else begin
        state_d = TX_FC;
      end
    end

    // Packets.
    if (s_axis.tvalid && (begins || state_q == TX_BODY)) begin
      word[0].k    = begins ? 4'h1 : 4'h0;
      word[0].data = {beat[0][23:0], begins ? SYM_SDP : carry_q};
      if (WORDS == 2) begin
        word[WORDS-1].data = {beat[WORDS-1][23:0], beat[0][31:24]};
      end
      carry_d = beat[WORDS-1][31:24];
      crc_d   = crc;
      bad_d   = s_axis.tlast && s_axis.tuser[0];
      state_d = s_axis.tlast ? TX_TAIL : TX_BODY;
      if (half) begin
        word[WORDS-1].k    = 4'h8;
        word[WORDS-1].data = tail(beat[0][31:24], crc, bad_d);
        state_d            = TX_GAP;
      end
    end
    if (state_q == TX_TAIL || ev_underrun) begin
      word[0].k    = 4'h8;
      word[0].data = tail(carry_q, crc_q, bad_q || ev_underrun);
      state_d      = TX_GAP;
    end
    if (state_q == TX_BODY && mode != LINE_DATA) state_d = TX_GAP;
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    step_q  <= step_d;
    carry_q <= carry_d;
    crc_q   <= crc_d;
    bad_q   <= bad_d;
    if (fc_take) fc_q <= fc_pkt;
    if (moves && s_axis.tlast) discard_q <= 1'b0;
    else if (ev_underrun || (moves && mode != LINE_DATA)) discard_q <= 1'b1;
    else if (state_q == TX_BODY && mode != LINE_DATA) discard_q <= 1'b1;
    if (ts_start) ts2_q <= mode == LINE_TS2;

    skip_time_q <= skip_time_q - 1'b1;
    if (skip_time_q == '0) begin
      skip_time_q <= TIME_W'(INTERVAL - 1);
      skip_due_q  <= 1'b1;
    end else if (skip_now) begin
      skip_due_q <= 1'b0;
    end
    m_quiet <= mode == LINE_QUIET;
    for (int w = 0; w < WORDS; w++) begin
      for (int i = 0; i < 4; i++) begin
        m_data[LANES==4?i : 0][LANES==4?w : i] <= word[w].data[i];
        m_k[LANES==4?i : 0][LANES==4?w : i] <= word[w].k[i];
      end
    end
    if (rst) begin
      state_q     <= TX_GAP;
      step_q      <= '0;
      skip_time_q <= TIME_W'(INTERVAL - 1);
      skip_due_q  <= 1'b0;
      discard_q   <= 1'b0;
      m_quiet     <= 1'b1;
    end
  end
endmodule
