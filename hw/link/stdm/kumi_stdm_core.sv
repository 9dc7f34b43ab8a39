// SPDX-License-Identifier: Apache-2.0
//
// Circuit switch without its registers: slot tables, crossbar, local ports and counters.
//
// Ports 0 .. LOCALS-1 are local, the others links. At each position of the TDM frame every output
//   takes the word of the one input that its table names, so an output has a single owner by
//   construction and nothing arbitrates: a word that crosses at stage T is at the output at stage X
//   = T + 1.
// in_kind, in_data: words of the links at stage T; out_kind, out_data: at stage X. No handshake.
// s_word, m_word: local words, channel c of local port p at index p * CHANNELS + c. A word waits in
//   a FIFO of IN_DEPTH until the input table pulls its channel, so tready falls when the circuit is
//   slower than the source. Pulled at stage C = T - 1. tlast is ignored in and high out. A word
//   that finds its m_word FIFO (OUT_DEPTH) full is lost and pulses ev_lost of its port.
// be_*: best-effort words. Output o takes be_data[o] at T when be_take[o] is high, which requires
//   be_valid[o]; be_in[i]: the word of link i at T is best effort. be_slot[o]: output o has a free
//   slot at T.
// ev_stray of a link: its word was taken by no output and is not best effort.
// Latency: s_word to crossing 3 cycles and the wait for the slot; crossing to m_word 3 cycles.
// Bad input: illegal entries are ignored: nothing crosses at the elastic position, and no word goes
//   to a link in the guard.
module kumi_stdm_core
  import kumi_stdm_pkg::*;
#(
    parameter int W         = 64,  // bits of a word
    parameter int P         = 5,   // ports, 3..17
    parameter int LOCALS    = 1,   // local ports
    parameter int CHANNELS  = 4,   // of a local port, 1..64
    parameter int IN_DEPTH  = 16,  // input FIFO of a channel in words, a power of two
    parameter int OUT_DEPTH = 16   // output FIFO of a channel in words, a power of two
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_word[LOCALS*CHANNELS],
    kumi_axis_if.src m_word[LOCALS*CHANNELS],

    input  logic [P-LOCALS-1:0][  1:0] in_kind,
    input  logic [P-LOCALS-1:0][W-1:0] in_data,
    output logic [P-LOCALS-1:0][  1:0] out_kind,
    output logic [P-LOCALS-1:0][W-1:0] out_data,

    output logic [P-LOCALS-1:0]        be_slot,
    input  logic [P-LOCALS-1:0]        be_take,
    input  logic [P-LOCALS-1:0][  1:0] be_kind,
    input  logic [P-LOCALS-1:0][W-1:0] be_data,
    output logic [P-LOCALS-1:0]        be_in,

    // Time (kumi_stdm_frame_timer).
    input logic             bank,
    input logic             run_a,
    input logic [POS_W-1:0] pos_a,
    input logic             slot_t,
    input logic             elastic_c,
    input logic             elastic_t,

    // Tables and counters for software. Table t < P belongs to output t, 32 + i to input i.
    input logic sw_wr,
    input logic [5:0] sw_table,
    input logic sw_all,  // write to all tables
    input logic sw_bank,
    input logic [POS_W-1:0] sw_pos,
    input stdm_out_entry_t sw_out,
    input stdm_in_entry_t sw_in,
    output stdm_out_entry_t rd_out,  // two cycles after the address
    output stdm_in_entry_t rd_in,
    input logic [5:0] sw_owner,
    output logic [31:0] rd_words,  // of output sw_table, two cycles after the address
    output logic [31:0] rd_empties,

    output logic [P-1:0] ev_lost,
    output logic [P-1:0] ev_stray,
    output logic         busy
);
  localparam int FIFOS = LOCALS * CHANNELS;
  localparam int CH_W = CHANNELS == 1 ? 1 : $clog2(CHANNELS);

  if (P < 3 || P > MAX_PORTS || LOCALS < 1 || LOCALS >= P) begin : gen_check_ports
    $fatal(0, "P must be 3 to 17, LOCALS 1 to P - 1 (%m)");
  end
  if (CHANNELS < 1 || CHANNELS > MAX_CHANNELS) begin : gen_check_channels
    $fatal(0, "CHANNELS must be 1 to 64 (%m)");
  end

  logic run_b_q, run_c_q, run_t_q;
  always_ff @(posedge clk) begin
    run_b_q <= run_a && !rst;
    run_c_q <= run_b_q && !rst;
    run_t_q <= run_c_q && !rst;
  end

  // ---- Tables -----------------------------------------------------------------------------------
  stdm_out_entry_t [P-1:0] out_c, out_sw;
  stdm_in_entry_t [P-1:0] in_c, in_sw;

  for (genvar p = 0; p < P; p++) begin : gen_table
    kumi_stdm_slot_table #(
        .W($bits(stdm_out_entry_t)),
        .POS_W(POS_W)
    ) u_out (
        .clk,
        .bank,
        .pos(pos_a),
        .entry(out_c[p]),
        .wr(sw_wr && (sw_all || sw_table == 6'(p))),
        .sw_bank,
        .sw_pos,
        .wr_data(sw_out),
        .sw_data(out_sw[p])
    );
    kumi_stdm_slot_table #(
        .W($bits(stdm_in_entry_t)),
        .POS_W(POS_W)
    ) u_in (
        .clk,
        .bank,
        .pos(pos_a),
        .entry(in_c[p]),
        .wr(sw_wr && (sw_all || sw_table == 6'(p + 32))),
        .sw_bank,
        .sw_pos,
        .wr_data(sw_in),
        .sw_data(in_sw[p])
    );
  end

  // ---- Local inputs -----------------------------------------------------------------------------
  logic [FIFOS-1:0] fifo_valid, fifo_take;
  logic [FIFOS-1:0][W-1:0] fifo_data;
  logic [FIFOS-1:0] wait_any;

  for (genvar f = 0; f < FIFOS; f++) begin : gen_in
    logic [$clog2(IN_DEPTH):0] depth;
    if (s_word[f].DATA_W != W || m_word[f].DATA_W != W) begin : gen_check_w
      $fatal(0, "a local port is not W bits wide (%m)");
    end
    kumi_fifo #(
        .W(W),
        .DEPTH(IN_DEPTH)
    ) u_fifo (
        .clk,
        .rst,
        .s_data (s_word[f].tdata),
        .s_valid(s_word[f].tvalid),
        .s_ready(s_word[f].tready),
        .m_data (fifo_data[f]),
        .m_valid(fifo_valid[f]),
        .m_ready(fifo_take[f]),
        .depth
    );
    assign fifo_take[f] = run_c_q && !elastic_c && in_c[f/CHANNELS].on
        && in_c[f/CHANNELS].channel == 6'(f % CHANNELS);
    assign wait_any[f] = fifo_valid[f] || depth != '0;
  end

  logic [LOCALS-1:0] local_valid_q;
  logic [LOCALS-1:0][W-1:0] local_data_q;

  for (genvar p = 0; p < LOCALS; p++) begin : gen_pull
    logic [CHANNELS-1:0][W-1:0] data;
    assign data = fifo_data[p*CHANNELS+:CHANNELS];
    always_ff @(posedge clk) begin
      local_data_q[p] <= data[in_c[p].channel[CH_W-1:0]];
      local_valid_q[p] <= !rst && |(fifo_take[p*CHANNELS+:CHANNELS]
          & fifo_valid[p*CHANNELS+:CHANNELS]);
    end
  end

  // ---- Crossbar ---------------------------------------------------------------------------------
  stdm_out_entry_t [P-1:0] out_t_q, out_x_q;
  logic [P-1:0] in_on_t_q;
  logic [P-1:0][1:0] kind_t, kind_x_q;
  logic [P-1:0][W-1:0] data_t, data_x_q;
  logic [P-1:0] used_t, circuit_x_q;
  logic cross_t;

  for (genvar p = 0; p < P; p++) begin : gen_input
    if (p < LOCALS) begin : gen_local
      assign kind_t[p] = local_valid_q[p] ? WORD_DATA : WORD_EMPTY;
      assign data_t[p] = local_data_q[p];
    end else begin : gen_link
      assign kind_t[p] = in_kind[p-LOCALS];
      assign data_t[p] = in_data[p-LOCALS];
      assign be_in[p-LOCALS] = cross_t && in_on_t_q[p];
    end
  end

  assign cross_t = run_t_q && !elastic_t;

  always_comb begin
    used_t = '0;
    for (int o = 0; o < P; o++) begin
      for (int i = 0; i < P; i++) begin
        if (out_t_q[o].kind == OUT_CIRCUIT && out_t_q[o].src == PORT_W'(i)
            && (o < LOCALS || slot_t)) begin
          used_t[i] = cross_t;
        end
      end
    end
  end

  logic [P-1:0] stray_q;
  logic word_q;

  for (genvar o = 0; o < P; o++) begin : gen_output
    logic open;  // the entry is valid in this cycle
    logic [1:0] kind;
    logic [W-1:0] data;

    assign open = o < LOCALS ? cross_t : cross_t && slot_t;
    always_comb begin
      kind = WORD_EMPTY;
      data = '0;
      for (int i = 0; i < P; i++) begin
        if (out_t_q[o].src == PORT_W'(i)) begin
          kind = kind_t[i] == WORD_DATA ? WORD_DATA : WORD_EMPTY;
          data = data_t[i];
        end
      end
    end

    if (o < LOCALS) begin : gen_local
      always_ff @(posedge clk) begin
        kind_x_q[o] <= open && out_t_q[o].kind == OUT_CIRCUIT ? kind : WORD_EMPTY;
        data_x_q[o] <= data;
        stray_q[o]  <= 1'b0;
      end
    end else begin : gen_link
      localparam int L = o - LOCALS;
      assign be_slot[L] = open && out_t_q[o].kind == OUT_BE;
      always_ff @(posedge clk) begin
        kind_x_q[o] <= be_take[L] ? be_kind[L]
            : open && out_t_q[o].kind == OUT_CIRCUIT ? kind : WORD_EMPTY;
        data_x_q[o] <= be_take[L] ? be_data[L] : data;
        stray_q[o]  <= run_t_q && kind_t[o] != WORD_EMPTY && !be_in[L]
            && !(used_t[o] && kind_t[o] == WORD_DATA);
      end
      assign out_kind[L] = kind_x_q[o];
      assign out_data[L] = data_x_q[o];
    end

    always_ff @(posedge clk) begin
      out_t_q[o] <= out_c[o];
      in_on_t_q[o] <= in_c[o].on;
      out_x_q[o] <= out_t_q[o];
      circuit_x_q[o] <= open && out_t_q[o].kind == OUT_CIRCUIT && !rst;
    end
  end

  // ---- Local outputs ----------------------------------------------------------------------------
  logic [FIFOS-1:0] lost_q;

  for (genvar f = 0; f < FIFOS; f++) begin : gen_out
    localparam int O = f / CHANNELS;
    logic room, push;
    logic [$clog2(OUT_DEPTH):0] depth;
    assign push = circuit_x_q[O] && kind_x_q[O] == WORD_DATA
        && out_x_q[O].owner == 6'(f % CHANNELS);
    kumi_fifo #(
        .W(W),
        .DEPTH(OUT_DEPTH)
    ) u_fifo (
        .clk,
        .rst,
        .s_data (data_x_q[O]),
        .s_valid(push),
        .s_ready(room),
        .m_data (m_word[f].tdata),
        .m_valid(m_word[f].tvalid),
        .m_ready(m_word[f].tready),
        .depth
    );
    assign m_word[f].tkeep = '1;
    assign m_word[f].tlast = 1'b1;
    assign m_word[f].tuser = '0;
    assign m_word[f].tid   = '0;
    assign m_word[f].tdest = '0;
    always_ff @(posedge clk) lost_q[f] <= push && !room && !rst;
    logic unused;
    assign unused = ^depth;
  end

  // ---- Counters ---------------------------------------------------------------------------------
  logic [P-1:0][31:0] words, empties;
  for (genvar o = 0; o < P; o++) begin : gen_count
    kumi_stdm_slot_counters u_count (
        .clk,
        .rst,
        .count(circuit_x_q[o]),
        .full(kind_x_q[o] == WORD_DATA),
        .owner(out_x_q[o].owner),
        .sw_owner,
        .words(words[o]),
        .empties(empties[o])
    );
  end

  always_ff @(posedge clk) begin
    rd_out     <= '0;
    rd_in      <= '0;
    rd_words   <= '0;
    rd_empties <= '0;
    for (int p = 0; p < P; p++) begin
      if (sw_table == 6'(p)) begin
        rd_out     <= out_sw[p];
        rd_words   <= words[p];
        rd_empties <= empties[p];
      end
      if (sw_table == 6'(p + 32)) rd_in <= in_sw[p];
    end
  end

  logic [P-1:0] filled;
  always_comb begin
    for (int o = 0; o < P; o++) filled[o] = kind_x_q[o] != WORD_EMPTY;
  end
  always_ff @(posedge clk) word_q <= |filled;
  for (genvar p = 0; p < P; p++) begin : gen_lost
    if (p < LOCALS) begin : gen_local
      assign ev_lost[p] = |lost_q[p*CHANNELS+:CHANNELS];
    end else begin : gen_link
      assign ev_lost[p] = 1'b0;
    end
  end
  assign ev_stray = stray_q;
  assign busy = word_q || |wait_any;
  logic unused;
  assign unused = ^{used_t, in_on_t_q};
endmodule
