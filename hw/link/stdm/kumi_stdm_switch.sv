// SPDX-License-Identifier: Apache-2.0
//
// Circuit switch by static time-division multiplexing (STDM), as in the FiC and M-KUBOS clusters:
// in each slot of a periodic table every output is connected to one input, so a circuit has slots/S
// of a link's bandwidth and a constant latency, whatever the others do.
//
// Ports 0 .. LOCALS-1 are local, the others go to links (kumi_stdm_link_port).
// s_axil: registers (regs/stdm.rdl). s_word, m_word: words of circuits (kumi_stdm_core). s_be,
//   m_be: best-effort packets of a local port (kumi_stdm_be); with HYBRID = 0 s_be stalls and m_be
//   is idle.
// in_*, out_*: words of the links at the times of `beat`; no handshake. link_cfg, tdm_frame, beat:
//   to the link ports; link_status, link_ev, xoff_seen, mark, mark_away: from them; xoff: the
//   best-effort buffer of this link fills up, tell the other side.
// Latency: a word crosses in one cycle. Throughput: one word per cycle at every port.
// Tables, TDM frames, swaps: docs/blocks/stdm.md.
module kumi_stdm_switch
  import kumi_stdm_pkg::*;
#(
    parameter int LANES     = 1,     // bundled in a link; a word has 64 bits of each
    parameter int P         = 5,     // ports, 3..17
    parameter int LOCALS    = 1,     // local ports
    parameter int CHANNELS  = 4,     // circuits that end at a local port, each way, 1..64
    parameter bit HYBRID    = 1'b1,  // best-effort packets in free slots
    parameter int IN_DEPTH  = 16,    // input FIFO of a channel in words, a power of two
    parameter int OUT_DEPTH = 16,    // output FIFO of a channel in words, a power of two
    parameter int BE_DEPTH  = 512    // best-effort buffer of an input in words, a power of two
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    kumi_axis_if.snk s_word[LOCALS*CHANNELS],
    kumi_axis_if.src m_word[LOCALS*CHANNELS],
    kumi_axis_if.snk s_be[LOCALS],
    kumi_axis_if.src m_be[LOCALS],

    input  logic [P-LOCALS-1:0][         1:0] in_kind,
    input  logic [P-LOCALS-1:0][64*LANES-1:0] in_data,
    output logic [P-LOCALS-1:0][         1:0] out_kind,
    output logic [P-LOCALS-1:0][64*LANES-1:0] out_data,

    output stdm_time_t beat,
    output stdm_frame_t tdm_frame,
    output stdm_link_cfg_t [P-LOCALS-1:0] link_cfg,
    input stdm_link_status_t [P-LOCALS-1:0] link_status,
    input stdm_link_events_t [P-LOCALS-1:0] link_ev,
    input logic [P-LOCALS-1:0] mark,
    input logic [P-LOCALS-1:0][POS_W-1:0] mark_away,
    input logic [P-LOCALS-1:0] xoff_seen,
    output logic [P-LOCALS-1:0] xoff,
    output logic [P-LOCALS-1:0] be_open,  // a packet is under way at the output
    output logic busy
);
  localparam int W = 64 * LANES;
  localparam int LINKS = P - LOCALS;

  logic swap, pending, swapped, bank, run_a, follow, slot_t, elastic_c, elastic_t;
  logic [POS_W-1:0] swap_slots, pos_a;
  logic [4:0] swap_guard;
  logic [MARGIN_W-1:0] margin;
  logic [PORT_W-1:0] follow_port;
  logic [31:0] tdm_frames;
  logic [7:0] board;

  logic sw_wr, sw_all, sw_bank;
  logic [5:0] sw_table, sw_owner;
  logic [POS_W-1:0] sw_pos;
  stdm_out_entry_t sw_out, rd_out;
  stdm_in_entry_t sw_in, rd_in;
  logic [31:0] rd_words, rd_empties;
  logic route_wr;
  logic [PORT_W-1:0] route_in, route_out, route_rd;
  logic [7:0] route_dest;

  logic [P-1:0] ev_lost, ev_stray, ev_broken, ev_route, ev_full;
  logic [P-1:0][7:0] ev;
  logic core_busy, best_busy;

  logic [LINKS-1:0] be_slot, be_take, be_in;
  logic [LINKS-1:0][1:0] be_kind;
  logic [LINKS-1:0][W-1:0] be_data;

  stdm_link_cfg_t [LINKS-1:0] link_set;
  kumi_stdm_ctl #(
      .P(P),
      .LOCALS(LOCALS),
      .CHANNELS(CHANNELS),
      .LANES(LANES),
      .HYBRID(HYBRID)
  ) u_ctl (
      .run(run_a),
      .link_cfg(link_set),
      .*
  );

  // ---- The link that is followed ----------------------------------------------------------------
  logic sync_mark, sync_lost;
  logic [POS_W-1:0] sync_away;
  always_comb begin
    sync_mark = 1'b0;
    sync_lost = 1'b0;
    sync_away = '0;
    link_cfg  = link_set;
    for (int l = 0; l < LINKS; l++) begin
      if (follow_port == PORT_W'(l + LOCALS)) begin
        sync_mark = mark[l];
        sync_lost = !link_status[l].up;
        sync_away = mark_away[l];
        // Following means that this link's offset is zero.
        if (follow) link_cfg[l] = '{fixed: 1'b1, offset: '0};
      end
    end
  end

  kumi_stdm_frame_timer u_timer (
      .sync_on(follow),
      .sync_lost,
      .mark(sync_mark),
      .mark_away(sync_away),
      .*
  );

  kumi_stdm_core #(
      .W(W),
      .P(P),
      .LOCALS(LOCALS),
      .CHANNELS(CHANNELS),
      .IN_DEPTH(IN_DEPTH),
      .OUT_DEPTH(OUT_DEPTH)
  ) u_core (
      .s_word(s_word),
      .m_word(m_word),
      .busy  (core_busy),
      .*
  );

  // ---- Best effort ------------------------------------------------------------------------------
  if (HYBRID) begin : gen_be
    kumi_stdm_be #(
        .W(W),
        .P(P),
        .LOCALS(LOCALS),
        .DEPTH(BE_DEPTH)
    ) u_be (
        .s_be(s_be),
        .m_be(m_be),
        .busy(best_busy),
        .*
    );
  end else begin : gen_no_be
    for (genvar p = 0; p < LOCALS; p++) begin : gen_local
      assign s_be[p].tready = 1'b0;
      assign m_be[p].tvalid = 1'b0;
      assign m_be[p].tdata  = '0;
      assign m_be[p].tkeep  = '0;
      assign m_be[p].tlast  = 1'b0;
      assign m_be[p].tuser  = '0;
      assign m_be[p].tid    = '0;
      assign m_be[p].tdest  = '0;
    end
    assign be_take = '0;
    assign be_kind = '0;
    assign be_data = '0;
    assign be_open = '0;
    assign best_busy = 1'b0;
    assign xoff = '0;
    assign ev_broken = '0;
    assign ev_route = '0;
    assign ev_full = '0;
    assign route_rd = '0;
    logic unused_be;
    assign unused_be = ^{be_in, be_slot, xoff_seen, board, route_wr, route_in, route_dest,
                           route_out};
  end

  for (genvar p = 0; p < P; p++) begin : gen_ev
    logic bad_crc, bad_word, slip, unsent;
    if (p < LOCALS) begin : gen_local
      assign bad_crc = 1'b0;
      assign bad_word = 1'b0;
      assign slip = 1'b0;
      assign unsent = 1'b0;
    end else begin : gen_link
      assign bad_crc = link_ev[p-LOCALS].bad_crc;
      assign bad_word = link_ev[p-LOCALS].bad_word;
      assign slip = link_ev[p-LOCALS].lost || link_ev[p-LOCALS].skipped || link_ev[p-LOCALS].moved;
      assign unsent = link_ev[p-LOCALS].unsent;
      logic unused_ev;
      assign unused_ev = link_ev[p-LOCALS].locked;
    end
    assign ev[p] = {
      ev_full[p],
      ev_route[p],
      ev_broken[p],
      slip,
      bad_word,
      bad_crc,
      ev_stray[p],
      ev_lost[p] || unsent
    };
  end

  assign busy = core_busy || best_busy || pending;
  logic unused;
  assign unused = swapped;
endmodule
