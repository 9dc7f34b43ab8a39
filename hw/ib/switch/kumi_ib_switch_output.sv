// SPDX-License-Identifier: Apache-2.0
//
// Output of a switch port: VL arbitration, choice of the input, and the crossbar's multiplexer.
//
// Vectors with a bit or field per input: waiting, may_ask, ask, got, ans_*, closing, x_*; see
//   kumi_ib_switch_input. x_valid, closing: only those meant for this output.
// data_ok, mgmt_ok: packets of data VLs and of VL15 may be sent; room: blocks that may be sent by
//   VL; more_room: pulse, room of more_ring has changed. take_*: a packet is on its way, charge it.
// m_axis: packets with LRH.VL set, tdest their ring, tid their blocks, tuser the number of the
//   input and in [0] bad (at tlast). A packet does not stall once it has begun.
// A ring whose packet has more blocks than there is room waits for more_room, and the others go on.
// An input that is chosen has a turn of one packet or several small ones, as far as VL arbitration
//   would choose the ring again (ask_share). The next choice is made while the last beats leave.
// Latency: `waiting` to ask 4 cycles, x_* to m_axis 1 cycle.
module kumi_ib_switch_output
  import kumi_ib_pkg::VL_MGMT;
  import kumi_ib_link_pkg::*;
#(
    parameter  int INPUTS   = 9,
    parameter  int WORDS    = 2,
    parameter  int DATA_VLS = 4,
    parameter  int CHOSEN   = 4,             // packets on their way while the next turn is chosen
    parameter  bit TURNS    = 1'b1,          // 0: a turn is one packet
    localparam int RINGS    = DATA_VLS + 1,
    localparam int RING_W   = $clog2(RINGS)
) (
    input logic                                 clk,
    input logic                                 rst,
    input logic          [            7:0]      high_limit,
    input vl_arb_entry_t [ARB_ENTRIES-1:0]      high,
    input vl_arb_entry_t [ARB_ENTRIES-1:0]      low,
    input logic                                 data_ok,
    input logic                                 mgmt_ok,
    input logic          [      RINGS-1:0][6:0] room,
    input logic                                 more_room,
    input logic          [     RING_W-1:0]      more_ring,

    // Matching with inputs.
    input  logic [INPUTS-1:0][RINGS-1:0] waiting,
    input  logic [INPUTS-1:0]            may_ask,
    output logic [INPUTS-1:0]            ask,
    output logic [RING_W-1:0]            ask_ring,
    output logic [       6:0]            ask_room,
    output logic [       3:0]            ask_share,
    input  logic [INPUTS-1:0]            got,
    input  logic [INPUTS-1:0]            ans_go,
    input  logic [INPUTS-1:0]            ans_wait,
    input  logic [INPUTS-1:0]            ans_done,
    input  logic [INPUTS-1:0][      6:0] ans_blocks,
    output logic                         take_valid,
    output logic [RING_W-1:0]            take_ring,
    output logic [       6:0]            take_blocks,

    // Packets.
    input  logic            [INPUTS-1:0]                  closing,
    input  logic            [INPUTS-1:0]                  x_valid,
    output logic            [INPUTS-1:0]                  x_ready,
    input  logic            [INPUTS-1:0][WORDS-1:0][31:0] x_data,
    input  logic            [INPUTS-1:0]                  x_half,
    input  logic            [INPUTS-1:0]                  x_last,
    input  logic            [INPUTS-1:0]                  x_bad,
           kumi_axis_if.src                               m_axis,
    output logic                                          idle,
    output logic                                          ev_wait   // packets wait for room only
);
  // Packets that inputs have accepted and that have not left: CHOSEN and those of a turn, of which
  // an input and what is behind it hold at most 8.
  localparam int SOURCES = 16;

  typedef enum logic [1:0] {
    OUT_IDLE,
    OUT_ASK,
    OUT_ANSWER,
    OUT_BUSY     // more than the last beats of the turn are to come
  } output_state_e;

  output_state_e state_q;
  logic grant_valid, choose, load, insist, insist_q, fresh_q, chosen_ok, space, withdraw;
  logic first_q, open_q, over, ends;  // open_q: the end of a packet has not been announced
  logic [RING_W-1:0] grant_ring;
  logic [6:0] grant_blocks, blocks;
  logic [3:0] grant_share;
  logic [RINGS-1:0] some, able, blocked_q;
  logic [INPUTS-1:0] pick, asked_q, req;
  logic [$clog2(SOURCES):0] source_depth;

  // ---- VL arbitration ---------------------------------------------------------------------------
  always_comb begin
    some   = '0;
    able   = '0;
    blocks = '0;
    req    = '0;
    for (int i = 0; i < INPUTS; i++) begin
      some |= waiting[i];
      if (may_ask[i]) able |= waiting[i];
      if (asked_q[i]) blocks |= ans_blocks[i];
      req[i] = waiting[i][grant_ring];
    end
  end
  assign space  = 32'(source_depth) < CHOSEN;
  assign choose = state_q == OUT_IDLE && !grant_valid && space;

  kumi_ib_vl_arb #(
      .DATA_VLS(DATA_VLS)
  ) u_vl_arb (
      .clk,
      .rst,
      .high_limit,
      .high,
      .low,
      .req(choose && data_ok ? able[DATA_VLS-1:0] & ~blocked_q[DATA_VLS-1:0] : '0),
      .mgmt(choose && mgmt_ok && able[DATA_VLS]),
      .blocks({RINGS{blocks}}),
      .grant_valid,
      .grant_ring,
      .grant_blocks,
      .grant_share,
      .take(take_valid),
      .done(over || withdraw)
  );

  // ---- Choice of the input ----------------------------------------------------------------------
  kumi_ib_xbar_arb #(
      .INPUTS(INPUTS),
      .RINGS (RINGS)
  ) u_xbar_arb (
      .clk,
      .rst,
      .ring(grant_ring),
      .req,
      .open(may_ask),
      .pick,
      .insist,
      .ask(load),
      .served(take_valid && first_q)
  );

  assign load = state_q == OUT_IDLE && grant_valid;
  assign chosen_ok = grant_ring == RING_W'(DATA_VLS) ? mgmt_ok : data_ok;
  assign ask = state_q == OUT_ASK && chosen_ok ? asked_q : '0;
  assign withdraw = state_q == OUT_ASK && got == '0 &&
      ((asked_q & (insist_q ? req : may_ask)) == '0 || !chosen_ok);
  assign take_valid = state_q == OUT_ANSWER && ans_go != '0;
  assign take_ring = grant_ring;
  assign take_blocks = grant_blocks;
  assign over = state_q == OUT_ANSWER && ans_done != '0;
  assign ends = closing != '0;

  always_ff @(posedge clk) begin
    unique case (state_q)
      OUT_ASK: begin
        if (got != '0) state_q <= OUT_ANSWER;
        else if (withdraw) state_q <= OUT_IDLE;
      end
      OUT_ANSWER: begin
        if (take_valid) first_q <= 1'b0;
        if (over) state_q <= take_valid || (open_q && !ends) ? OUT_BUSY : OUT_IDLE;
      end
      OUT_BUSY: if (ends) state_q <= OUT_IDLE;
      default: begin
        asked_q  <= pick;
        insist_q <= insist;
        ask_ring <= grant_ring;
        ask_room <= room[grant_ring];
        first_q  <= 1'b1;
        if (load) state_q <= OUT_ASK;
      end
    endcase
    ask_share <= TURNS ? grant_share : 4'd1;
    if (take_valid) open_q <= 1'b1;
    else if (ends) open_q <= 1'b0;
    fresh_q <= (fresh_q && state_q != OUT_IDLE) || (more_room && more_ring == grant_ring);
    if (ans_wait != '0 && !fresh_q) blocked_q[grant_ring] <= 1'b1;
    if (more_room) blocked_q[more_ring] <= 1'b0;
    if (!data_ok) blocked_q <= '0;
    ev_wait <= data_ok && choose && (some & blocked_q) != '0 && (able & ~blocked_q) == '0;
    if (rst) begin
      state_q   <= OUT_IDLE;
      blocked_q <= '0;
      asked_q   <= '0;
      open_q    <= 1'b0;
      fresh_q   <= 1'b0;
      ev_wait   <= 1'b0;
    end
  end

  // ---- Multiplexer ------------------------------------------------------------------------------
  logic [INPUTS-1:0] source;
  logic source_valid, source_ready, own_valid, own_half, own_last, own_bad, moves, begins_q, ready;
  logic [RING_W-1:0] own_ring, out_ring;
  logic [6:0] own_blocks, out_blocks;
  logic [WORDS-1:0][31:0] own_data, own_beat;
  logic [5:0] own_number, out_number;
  logic out_half, out_bad;
  logic [2:0] depth;

  kumi_fifo_bypass #(
      .W(INPUTS + RING_W + 7),
      .DEPTH(SOURCES)
  ) u_sources (
      .clk,
      .rst,
      .s_data ({asked_q, take_ring, take_blocks}),
      .s_valid(take_valid),
      .s_ready(source_ready),
      .m_data ({source, own_ring, own_blocks}),
      .m_valid(source_valid),
      .m_ready(moves && own_last),
      .depth  (source_depth)
  );

  always_comb begin
    own_valid  = 1'b0;
    own_data   = '0;
    own_half   = 1'b0;
    own_last   = 1'b0;
    own_bad    = 1'b0;
    own_number = '0;
    for (int i = 0; i < INPUTS; i++) begin
      x_ready[i] = source[i] && source_valid && ready;
      if (source[i]) begin
        own_valid |= x_valid[i];
        own_data |= x_data[i];
        own_half |= x_half[i];
        own_last |= x_last[i];
        own_bad |= x_bad[i];
        own_number |= 6'(i);
      end
    end
    own_beat = own_data;
    if (begins_q) own_beat[0][7:4] = own_ring == RING_W'(DATA_VLS) ? VL_MGMT : 4'(own_ring);
  end
  assign moves = source_valid && own_valid && ready;

  always_ff @(posedge clk) begin
    if (moves) begins_q <= own_last;
    if (rst) begins_q <= 1'b1;
  end

  kumi_fifo_bypass #(
      .W(32 * WORDS + 3 + RING_W + 7 + 6),
      .DEPTH(4)
  ) u_fifo (
      .clk,
      .rst,
      .s_data ({own_number, own_blocks, own_ring, own_bad, own_half, own_last, own_beat}),
      .s_valid(source_valid && own_valid),
      .s_ready(ready),
      .m_data ({out_number, out_blocks, out_ring, out_bad, out_half, m_axis.tlast, m_axis.tdata}),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready),
      .depth
  );
  assign m_axis.tkeep = out_half ? (m_axis.KEEP_W)'(4'hF) : '1;
  assign m_axis.tuser = {out_number, out_bad};
  assign m_axis.tid = out_blocks;
  assign m_axis.tdest = out_ring;

  assign idle = !source_valid && !m_axis.tvalid && (state_q == OUT_IDLE || state_q == OUT_ASK);

  logic unused;
  assign unused = ^{source_ready, depth, source_depth};
endmodule
