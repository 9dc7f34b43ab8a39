// SPDX-License-Identifier: Apache-2.0
//
// InfiniBand switch of PORTS ports with a management port (IBTA volume 1, chapters 7 and 18):
// linear and multicast forwarding, SL to VL, credits and VL arbitration per port, cut-through.
//
// Each port has its own copy of the tables, a packet memory (BLOCKS blocks of 64 bytes per VL, of
// which it gives credit) and a queue per output and VL. A packet begins to leave as soon as its
// output is idle and has credit for all of it; if it then ends bad, it ends with EBP.
// m_mgmt: packets for the agent: DLID own_lid, permissive on VL15, or forwarded to port 0; only
//   whole ones, of the MTU of 256 at most; tdest the port they came from. s_mgmt: packets of the
//   agent, on VL15 or VL0; tdest (stable over the packet) the port to leave by, 0xFF: by the
//   tables. mgmt_bad, mgmt_refused: one for the agent that ended bad, one of the agent with a wrong
//   LVer, PktLen or VL is dropped.
// lft_*, mft_*, s2v_*: writes to the tables, one of each a cycle, not before tables_ready (LFT all
//   255, MFT empty, SL-to-VL all VL0). switch_life, hoq_life: 4.096 us * 2^n, above 19 without
//   limit.
// cfg, status, ev: as kumi_ib_link, [p - 1] is port p; cfg.sl2vl is not used. relay: why packets
//   were not forwarded, [p] is port p, 0 the management port.
// Lanes: as kumi_ib_link, [p - 1] is port p.
// Latency: SDP in to SDP out 22 cycles at 4x and 64 bits.
module kumi_ib_switch
  import kumi_ib_link_pkg::*;
  import kumi_ib_switch_pkg::*;
#(
    parameter  int PORTS        = 8,                  // 4 to 36
    parameter  int LANES        = 4,                  // 1 (DATA_W 32) or 4
    parameter  int DATA_W       = 64,                 // 32 or 64
    parameter  int DATA_VLS     = 4,                  // 1, 2, 4, 8 or 15
    parameter  int BLOCKS       = 64,                 // of 64 bytes per port and VL
    parameter  int MTU_CAP      = 4,                  // largest MTU, code 1 to 5
    parameter  int LFT_CAP      = 1024,               // LIDs of the linear table
    parameter  int MFT_CAP      = 64,                 // LIDs of the multicast table
    parameter  int COPIES       = 32,                 // of multicast packets in queues
    parameter  int TICK         = 512,                // cycles of 4.096 us
    parameter  int SKIP_SYMBOLS = 4608,
    parameter  int FC_PERIOD    = 4096,
    parameter  int TRAIN        = 65536,
    parameter  int WATCHDOG     = 200000,
    localparam int SYMBOLS      = DATA_W / 8 / LANES
) (
    input  logic                         clk,
    input  logic                         rst,
    input  ib_link_cfg_t     [PORTS-1:0] cfg,
    output ib_link_status_t  [PORTS-1:0] status,
    output ib_link_events_t  [PORTS-1:0] ev,
    output ib_relay_events_t [  PORTS:0] relay,

    // Management.
           kumi_axis_if.snk                  s_mgmt,
           kumi_axis_if.src                  m_mgmt,
    output logic                             mgmt_bad,
    output logic                             mgmt_refused,
    input  logic            [     15:0]      own_lid,
    output logic                             tables_ready,
    input  logic                             lft_we,
    input  logic            [     15:0]      lft_lid,
    input  logic            [      7:0]      lft_port,
    input  logic                             mft_we,
    input  logic            [     15:0]      mft_lid,
    input  logic            [      3:0]      mft_position,
    input  logic            [     15:0]      mft_mask,
    input  logic                             s2v_we,
    input  logic            [      7:0]      s2v_in,
    input  logic            [      7:0]      s2v_out,
    input  logic            [     63:0]      s2v_table,
    input  logic            [      4:0]      switch_life,
    input  logic            [PORTS-1:0][4:0] hoq_life,

    // Lanes.
    input  logic [PORTS-1:0][LANES-1:0][SYMBOLS-1:0][7:0] s_data,
    input  logic [PORTS-1:0][LANES-1:0][SYMBOLS-1:0]      s_k,
    input  logic [PORTS-1:0][LANES-1:0][SYMBOLS-1:0]      s_err,
    input  logic [PORTS-1:0][LANES-1:0]                   s_signal,
    output logic [PORTS-1:0][LANES-1:0][SYMBOLS-1:0][7:0] m_data,
    output logic [PORTS-1:0][LANES-1:0][SYMBOLS-1:0]      m_k,
    output logic [PORTS-1:0]                              m_quiet
);
  localparam int ENDS = PORTS + 1;  // with the management port
  localparam int OUT_W = $clog2(ENDS);
  localparam int WORDS = DATA_W / 32;
  localparam int RINGS = DATA_VLS + 1;
  localparam int RING_W = $clog2(RINGS);
  localparam int FREE_W = $clog2(BLOCKS) + 1;

  if (PORTS < 4 || PORTS > 36) begin : gen_check_ports
    $fatal(0, "PORTS must be 4..36 (%m)");
  end
  if (BLOCKS < 32'(blocks_of(kumi_ib_pkg::max_pkt_len(3'(MTU_CAP)))) + 4) begin : gen_check_blocks
    $fatal(0, "BLOCKS must hold a packet of the largest MTU and 4 more (%m)");
  end
  if (s_mgmt.DATA_W != DATA_W || m_mgmt.DATA_W != DATA_W || s_mgmt.DEST_W < 8 ||
      m_mgmt.DEST_W < 8) begin : gen_check_if
    $fatal(0, "s_mgmt and m_mgmt must have DATA_W, and tdest 8 bits (%m)");
  end

  // ---- Tables and time --------------------------------------------------------------------------
  ib_table_write_t write;
  logic [TIME_W-1:0] now;

  kumi_ib_switch_tables #(
      .PORTS(PORTS),
      .LFT_CAP(LFT_CAP),
      .MFT_CAP(MFT_CAP),
      .TICK(TICK)
  ) u_tables (
      .clk,
      .rst,
      .ready(tables_ready),
      .lft_we,
      .lft_lid,
      .lft_port,
      .mft_we,
      .mft_lid,
      .mft_position,
      .mft_mask,
      .s2v_we,
      .s2v_in,
      .s2v_out,
      .s2v_table,
      .write,
      .now
  );

  // ---- Inputs and outputs -----------------------------------------------------------------------
  ib_out_info_t [ENDS-1:0] info;
  logic [ENDS-1:0] ready, in_valid, in_half, in_first, in_last, in_head_good, in_good;
  logic [ENDS-1:0] commit_valid, full, rcvd, no_route, no_vl, loop;
  logic [ENDS-1:0][WORDS-1:0][31:0] in_data;
  logic [ENDS-1:0][RING_W-1:0] in_ring, commit_ring, full_ring;
  logic [ENDS-1:0][6:0] commit_blocks;
  logic [ENDS-1:0][10:0] rcvd_words;
  logic [ENDS-1:0][RINGS-1:0][FREE_W-1:0] free;
  ib_discard_t [ENDS-1:0][2:0] discard;
  logic direct_valid;
  logic [7:0] direct_port;

  // [input][output]
  logic [ENDS-1:0][ENDS-1:0][RINGS-1:0] waiting;
  logic [ENDS-1:0] may_ask, closing, x_valid, x_ready, x_half, x_last, x_bad;
  logic [ENDS-1:0][ENDS-1:0] asks, gots, goes, waits, dones;
  logic [ENDS-1:0][6:0] ans_blocks;
  logic [ENDS-1:0][OUT_W-1:0] closing_out, x_out;
  logic [ENDS-1:0][WORDS-1:0][31:0] x_data;
  // [output]
  logic [ENDS-1:0][RING_W-1:0] ask_ring, more_ring, take_ring;
  logic [ENDS-1:0][6:0] ask_room, take_blocks;
  logic [ENDS-1:0][3:0] ask_share;
  logic [ENDS-1:0] more_room, take_valid, idle, wait_room;
  logic [ENDS-1:0][RINGS-1:0][6:0] room;
  logic [ENDS-1:0][ENDS-1:0] ask_out, ready_out;

  for (genvar i = 0; i < ENDS; i++) begin : gen_in
    kumi_ib_switch_input #(
        .PORTS(PORTS),
        .NUMBER(i),
        .WORDS(WORDS),
        .DATA_VLS(DATA_VLS),
        .BLOCKS(BLOCKS),
        .LFT_CAP(LFT_CAP),
        .MFT_CAP(MFT_CAP),
        .COPIES(COPIES)
    ) u_input (
        .clk,
        .rst,
        .ready(ready[i]),
        .write,
        .own_lid,
        .outs(info),
        .now,
        .switch_life,
        .in_valid(in_valid[i]),
        .in_data(in_data[i]),
        .in_half(in_half[i]),
        .in_first(in_first[i]),
        .in_last(in_last[i]),
        .in_ring(in_ring[i]),
        .in_head_good(in_head_good[i]),
        .in_good(in_good[i]),
        .direct_valid(i == 0 && direct_valid),
        .direct_port(i == 0 ? direct_port : '0),
        .rcvd(rcvd[i]),
        .rcvd_words(rcvd_words[i]),
        .commit_valid(commit_valid[i]),
        .commit_ring(commit_ring[i]),
        .commit_blocks(commit_blocks[i]),
        .full(full[i]),
        .full_ring(full_ring[i]),
        .free(free[i]),
        .waiting(waiting[i]),
        .may_ask(may_ask[i]),
        .ask(asks[i]),
        .ask_ring,
        .ask_room,
        .ask_share,
        .got(gots[i]),
        .ans_go(goes[i]),
        .ans_wait(waits[i]),
        .ans_done(dones[i]),
        .ans_blocks(ans_blocks[i]),
        .closing(closing[i]),
        .closing_out(closing_out[i]),
        .m_valid(x_valid[i]),
        .m_ready(x_ready[i]),
        .m_data(x_data[i]),
        .m_half(x_half[i]),
        .m_last(x_last[i]),
        .m_bad(x_bad[i]),
        .m_out(x_out[i]),
        .no_route(no_route[i]),
        .no_vl(no_vl[i]),
        .loop(loop[i]),
        .discard(discard[i])
    );
  end

  always_comb begin
    x_ready = '0;
    for (int i = 0; i < ENDS; i++) begin
      for (int o = 0; o < ENDS; o++) begin
        asks[i][o] = ask_out[o][i];
        if (x_out[i] == OUT_W'(o) && ready_out[o][i]) x_ready[i] = 1'b1;
      end
    end
  end

  for (genvar o = 0; o < ENDS; o++) begin : gen_out
    logic [ENDS-1:0][RINGS-1:0] own_waiting;
    logic [ENDS-1:0] own_got, own_go, own_wait, own_done, own_closing, own_valid;
    for (genvar i = 0; i < ENDS; i++) begin : gen_column
      assign own_waiting[i] = waiting[i][o];
      assign own_got[i] = gots[i][o];
      assign own_go[i] = goes[i][o];
      assign own_wait[i] = waits[i][o];
      assign own_done[i] = dones[i][o];
      assign own_closing[i] = closing[i] && closing_out[i] == OUT_W'(o);
      assign own_valid[i] = x_valid[i] && x_out[i] == OUT_W'(o);
    end

    kumi_axis_if #(
        .DATA_W(DATA_W),
        .USER_W(7),
        .ID_W  (7),
        .DEST_W(RING_W)
    ) out_axis ();

    ib_link_cfg_t arb_cfg;
    kumi_ib_switch_output #(
        .INPUTS(ENDS),
        .WORDS(WORDS),
        .DATA_VLS(DATA_VLS),
        .CHOSEN(o == 0 ? 1 : 4),  // port 0 has no credits: `space` is of two packets
        .TURNS(o != 0)
    ) u_output (
        .clk,
        .rst,
        .high_limit(arb_cfg.high_limit),
        .high(arb_cfg.arb_high),
        .low(arb_cfg.arb_low),
        .data_ok(o == 0 ? more_room[0] : info[o].data_ok),
        .mgmt_ok(o == 0 ? more_room[0] : info[o].mgmt_ok),
        .room(room[o]),
        .more_room(more_room[o]),
        .more_ring(more_ring[o]),
        .waiting(own_waiting),
        .may_ask,
        .ask(ask_out[o]),
        .ask_ring(ask_ring[o]),
        .ask_room(ask_room[o]),
        .ask_share(ask_share[o]),
        .got(own_got),
        .ans_go(own_go),
        .ans_wait(own_wait),
        .ans_done(own_done),
        .ans_blocks,
        .take_valid(take_valid[o]),
        .take_ring(take_ring[o]),
        .take_blocks(take_blocks[o]),
        .closing(own_closing),
        .x_valid(own_valid),
        .x_ready(ready_out[o]),
        .x_data,
        .x_half,
        .x_last,
        .x_bad,
        .m_axis(out_axis),
        .idle(idle[o]),
        .ev_wait(wait_room[o])
    );

    if (o == 0) begin : gen_mgmt
      always_comb begin
        arb_cfg = '0;
        arb_cfg.arb_low[0].weight = 8'd1;
        info[0] = '{data_ok: 1'b1, mgmt_ok: 1'b1, mtu: 3'd1, oper_vls: 3'd1, hoq_life: '1};
        room[0] = '1;
        more_ring[0] = '0;
      end
      kumi_ib_switch_mgmt #(
          .WORDS(WORDS),
          .DATA_VLS(DATA_VLS),
          .BLOCKS(BLOCKS)
      ) u_mgmt (
          .clk,
          .rst,
          .ready(ready[0] && tables_ready),
          .s_mgmt,
          .m_mgmt,
          .in_valid(in_valid[0]),
          .in_data(in_data[0]),
          .in_half(in_half[0]),
          .in_first(in_first[0]),
          .in_last(in_last[0]),
          .in_ring(in_ring[0]),
          .in_head_good(in_head_good[0]),
          .in_good(in_good[0]),
          .direct_valid,
          .direct_port,
          .free(free[0]),
          .dropped(mgmt_refused),
          .s_axis(out_axis),
          .space(more_room[0]),
          .ev_bad(mgmt_bad)
      );
    end else begin : gen_port
      assign arb_cfg = cfg[o-1];
      kumi_ib_switch_port #(
          .LANES(LANES),
          .WORDS(WORDS),
          .DATA_VLS(DATA_VLS),
          .BLOCKS(BLOCKS),
          .MTU_CAP(MTU_CAP),
          .SKIP_SYMBOLS(SKIP_SYMBOLS),
          .FC_PERIOD(FC_PERIOD),
          .TRAIN(TRAIN),
          .WATCHDOG(WATCHDOG)
      ) u_port (
          .clk,
          .rst,
          .ready(ready[o] && tables_ready),
          .cfg(cfg[o-1]),
          .hoq_life(hoq_life[o-1]),
          .status(status[o-1]),
          .ev(ev[o-1]),
          .info(info[o]),
          .in_valid(in_valid[o]),
          .in_data(in_data[o]),
          .in_half(in_half[o]),
          .in_first(in_first[o]),
          .in_last(in_last[o]),
          .in_ring(in_ring[o]),
          .in_head_good(in_head_good[o]),
          .in_good(in_good[o]),
          .rcvd(rcvd[o]),
          .rcvd_words(rcvd_words[o]),
          .commit_valid(commit_valid[o]),
          .commit_ring(commit_ring[o]),
          .commit_blocks(commit_blocks[o]),
          .full(full[o]),
          .full_ring(full_ring[o]),
          .free(free[o]),
          .s_axis(out_axis),
          .room(room[o]),
          .more_room(more_room[o]),
          .more_ring(more_ring[o]),
          .take_valid(take_valid[o]),
          .take_ring(take_ring[o]),
          .take_blocks(take_blocks[o]),
          .idle(idle[o]),
          .waits(wait_room[o]),
          .s_data(s_data[o-1]),
          .s_k(s_k[o-1]),
          .s_err(s_err[o-1]),
          .s_signal(s_signal[o-1]),
          .m_data(m_data[o-1]),
          .m_k(m_k[o-1]),
          .m_quiet(m_quiet[o-1])
      );
    end
    logic unused;
    assign unused = ^{arb_cfg};
  end

  kumi_ib_switch_events #(
      .PORTS(PORTS)
  ) u_events (
      .clk,
      .rst,
      .no_route,
      .no_vl,
      .loop,
      .discard,
      .relay
  );

  logic unused;
  assign unused = ^{take_valid[0], take_ring[0], take_blocks[0], commit_valid[0], commit_ring[0],
                    commit_blocks[0], full[0], full_ring[0], rcvd[0], rcvd_words[0], idle[0],
                    wait_room[0], waits, more_ring[0]};
endmodule
