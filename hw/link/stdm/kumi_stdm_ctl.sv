// SPDX-License-Identifier: Apache-2.0
//
// Registers of a circuit switch (regs/stdm.rdl): checks and writes tables, requests swaps, reads
// back tables and counters.
//
// s_axil: register access. A window access is answered after 4 cycles, a counter in 2 to 10. After
//   reset all entries of both banks are cleared (1024 cycles); status.ready marks the end.
// Bad input: an illegal entry is not written and an illegal swap not done; `refused` holds the
//   reason, table and entry of the first one until it is cleared. After a refused entry the swap is
//   refused too, so that a broken table never becomes active.
module kumi_stdm_ctl
  import kumi_stdm_pkg::*;
#(
    parameter int P        = 5,    // ports
    parameter int LOCALS   = 1,    // local ports
    parameter int CHANNELS = 4,    // of a local port
    parameter int LANES    = 1,    // of a link
    parameter bit HYBRID   = 1'b1  // best-effort packets are built in
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,

    output logic [7:0] board,

    // kumi_stdm_frame_timer
    output logic                swap,
    output logic [   POS_W-1:0] swap_slots,
    output logic [         4:0] swap_guard,
    output logic [MARGIN_W-1:0] margin,
    output logic                follow,
    output logic [  PORT_W-1:0] follow_port,
    input  logic                pending,
    input  logic                run,
    input  logic                bank,
    input  logic [        31:0] tdm_frames,

    // kumi_stdm_core
    output logic                        sw_wr,
    output logic            [      5:0] sw_table,
    output logic                        sw_all,
    output logic                        sw_bank,
    output logic            [POS_W-1:0] sw_pos,
    output stdm_out_entry_t             sw_out,
    output stdm_in_entry_t              sw_in,
    input  stdm_out_entry_t             rd_out,
    input  stdm_in_entry_t              rd_in,
    output logic            [      5:0] sw_owner,
    input  logic            [     31:0] rd_words,
    input  logic            [     31:0] rd_empties,

    // Routes of best-effort packets; route_rd one cycle after the address.
    output logic              route_wr,
    output logic [PORT_W-1:0] route_in,
    output logic [       7:0] route_dest,
    output logic [PORT_W-1:0] route_out,
    input  logic [PORT_W-1:0] route_rd,

    output stdm_link_cfg_t    [P-LOCALS-1:0]      link_cfg,
    input  stdm_link_status_t [P-LOCALS-1:0]      link_status,
    input  logic              [       P-1:0][7:0] ev
);
  localparam int LINKS = P - LOCALS;
  localparam logic [POS_W:0] CLEARED = '1;

  kumi_stdm_regs_pkg::kumi_stdm_regs__in_t  hwif_in;
  kumi_stdm_regs_pkg::kumi_stdm_regs__out_t hwif_out;

  kumi_stdm_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  // ---- Window -----------------------------------------------------------------------------------
  typedef enum logic [2:0] {
    WIN_AT,
    WIN_DATA,
    WIN_COUNT_AT,
    WIN_WORDS,
    WIN_EMPTIES,
    WIN_ROUTE,
    WIN_ROUTE_AT,
    WIN_LINK
  } window_e;

  // One access at a time: the register block waits for the answer.
  logic [3:0] phase_q;  // a bit moves up: request, memory read, select, answer
  logic write_q, counts_q;
  window_e index_q;
  logic [31:0] data_q, answer;
  logic request;

  logic [5:0] table_q;
  logic active_q;
  logic [POS_W-1:0] entry_q;
  logic [5:0] owner_q;
  logic [PORT_W-1:0] port_q;
  logic [7:0] dest_q;
  stdm_link_cfg_t [LINKS-1:0] link_cfg_q;
  stdm_link_status_t link;
  logic fixed;

  assign request = hwif_out.window.req;

  // ---- Checks -----------------------------------------------------------------------------------
  logic clearing_q;
  logic [POS_W:0] clear_q;
  stdm_refusal_e why, swap_why, why_q;
  logic [5:0] why_table_q;
  logic [POS_W-1:0] why_entry_q;
  logic input_table, try_entry, try_swap;
  logic [PORT_W-1:0] table_port;

  assign input_table = table_q[5];
  assign table_port = table_q[4:0];
  assign try_entry = phase_q[0] && write_q && index_q == WIN_DATA;
  assign try_swap = hwif_out.command.swap.value;

  always_comb begin
    logic is_local;
    is_local = table_port < PORT_W'(LOCALS);
    why = REFUSED_NONE;
    if (clearing_q) why = REFUSED_CLEAR;
    else if (pending) why = REFUSED_PENDING;
    else if (table_port >= PORT_W'(P)) why = REFUSED_TABLE;
    else if (entry_q >= POS_W'(MAX_SLOTS + MAX_GUARD)) why = REFUSED_ENTRY;
    else if (input_table) begin
      if (data_q[1:0] > 2'd1) why = REFUSED_KIND;
      else if (data_q[0] && is_local && data_q[21:16] >= 6'(CHANNELS) && CHANNELS < 64) begin
        why = REFUSED_OWNER;
      end else if (data_q[0] && !is_local && !HYBRID) why = REFUSED_BE;
    end else begin
      if (data_q[1:0] == 2'd3) why = REFUSED_KIND;
      else if (data_q[1:0] == OUT_BE && (is_local || !HYBRID)) why = REFUSED_BE;
      else if (data_q[1:0] == OUT_CIRCUIT) begin
        if (data_q[12:8] >= PORT_W'(P)) why = REFUSED_INPUT;
        else if (is_local && data_q[21:16] >= 6'(CHANNELS) && CHANNELS < 64) why = REFUSED_OWNER;
      end
    end

    swap_why = REFUSED_NONE;
    if (clearing_q) swap_why = REFUSED_CLEAR;
    else if (pending) swap_why = REFUSED_PENDING;
    else if (hwif_out.size.slots.value == '0 || hwif_out.size.slots.value > 10'(MAX_SLOTS)) begin
      swap_why = REFUSED_LENGTH;
    end else if (hwif_out.size.guard.value < 5'(MIN_GUARD)
        || hwif_out.size.guard.value > 5'(MAX_GUARD)) begin
      swap_why = REFUSED_GUARD;
    end else if (why_q != REFUSED_NONE) swap_why = REFUSED_BROKEN;
  end

  logic swap_q, wr_q;
  always_ff @(posedge clk) begin
    swap_q <= try_swap && swap_why == REFUSED_NONE;
    wr_q   <= try_entry && why == REFUSED_NONE;
    if (why_q == REFUSED_NONE) begin
      if (try_entry && why != REFUSED_NONE) begin
        why_q       <= why;
        why_table_q <= table_q;
        why_entry_q <= entry_q;
      end else if (try_swap && swap_why != REFUSED_NONE) begin
        why_q       <= swap_why;
        why_table_q <= '0;
        why_entry_q <= '0;
      end
    end
    if (hwif_out.command.clear.value) why_q <= REFUSED_NONE;
    if (clearing_q) begin
      clear_q    <= clear_q + 1'b1;
      clearing_q <= clear_q != CLEARED;
    end
    if (rst) begin
      why_q      <= REFUSED_NONE;
      swap_q     <= 1'b0;
      wr_q       <= 1'b0;
      clear_q    <= '0;
      clearing_q <= 1'b1;
    end
  end

  always_ff @(posedge clk) begin
    phase_q <= {phase_q[2:0], request};
    if (request) begin
      write_q <= hwif_out.window.req_is_wr;
      index_q <= window_e'(hwif_out.window.addr[4:2]);
      data_q  <= hwif_out.window.wr_data;
    end
    if (phase_q[0] && write_q) begin
      case (index_q)
        WIN_AT: begin
          table_q  <= data_q[5:0];
          active_q <= data_q[8];
          entry_q  <= data_q[16+:POS_W];
        end
        WIN_COUNT_AT: begin
          owner_q <= data_q[5:0];
          port_q  <= data_q[12:8];
        end
        WIN_ROUTE_AT: dest_q <= data_q[7:0];
        WIN_LINK: begin
          for (int l = 0; l < LINKS; l++) begin
            if (port_q == PORT_W'(l + LOCALS)) begin
              link_cfg_q[l] <= '{fixed: data_q[15], offset: data_q[POS_W-1:0]};
            end
          end
        end
        default: ;
      endcase
    end
    if (phase_q[3]) begin
      if (index_q == WIN_DATA) entry_q <= entry_q + 1'b1;
      if (index_q == WIN_ROUTE) dest_q <= dest_q + 1'b1;
    end
    counts_q <= index_q == WIN_WORDS || index_q == WIN_EMPTIES;
    if (rst) begin
      phase_q    <= '0;
      table_q    <= '0;
      active_q   <= 1'b0;
      entry_q    <= '0;
      owner_q    <= '0;
      port_q     <= '0;
      dest_q     <= '0;
      link_cfg_q <= '0;
    end
  end

  always_comb begin
    link  = '0;
    fixed = 1'b0;
    for (int l = 0; l < LINKS; l++) begin
      if (port_q == PORT_W'(l + LOCALS)) begin
        link  = link_status[l];
        fixed = link_cfg_q[l].fixed;
      end
    end
    answer = '0;
    case (index_q)
      WIN_AT: answer = {7'd0, entry_q, 7'd0, active_q, 2'd0, table_q};
      WIN_DATA:
      answer = input_table ? {10'd0, rd_in.channel, 15'd0, rd_in.on}
          : {10'd0, rd_out.owner, 3'd0, rd_out.src, 6'd0, rd_out.kind};
      WIN_COUNT_AT: answer = {19'd0, port_q, 2'd0, owner_q};
      WIN_WORDS: answer = rd_words;
      WIN_EMPTIES: answer = rd_empties;
      WIN_ROUTE: answer = {27'd0, route_rd};
      WIN_ROUTE_AT: answer = {24'd0, dest_q};
      default: answer = {link.number, 6'd0, link.locked, link.up, fixed, 6'd0, link.offset};
    endcase
  end

  logic rd_ack_q, wr_ack_q;
  logic [31:0] rd_data_q;
  always_ff @(posedge clk) begin
    rd_ack_q  <= phase_q[3] && !write_q && !rst;
    wr_ack_q  <= phase_q[3] && write_q && !rst;
    rd_data_q <= answer;
  end
  assign hwif_in.window.rd_ack  = rd_ack_q;
  assign hwif_in.window.rd_data = rd_data_q;
  assign hwif_in.window.wr_ack  = wr_ack_q;

  // Tables: software's writes, and zeros after reset. The active bank is never written.
  always_comb begin
    sw_wr = wr_q || clearing_q;
    sw_all = clearing_q;
    sw_table = counts_q ? {1'b0, port_q} : table_q;
    sw_pos = clearing_q ? clear_q[POS_W-1:0] : entry_q;
    sw_bank = clearing_q ? clear_q[POS_W] : write_q || !active_q ? !bank : bank;
    sw_out = '0;
    sw_in = '0;
    if (!clearing_q) begin
      sw_out = '{kind: stdm_out_e'(data_q[1:0]), src: data_q[12:8], owner: data_q[21:16]};
      sw_in  = '{on: data_q[0], channel: data_q[21:16]};
    end
  end
  assign sw_owner = owner_q;

  logic route_wr_q;
  always_ff @(posedge clk) route_wr_q <= phase_q[0] && write_q && index_q == WIN_ROUTE && !rst;
  assign route_wr   = route_wr_q;
  assign route_in   = port_q;
  assign route_dest = dest_q;
  assign route_out  = data_q[PORT_W-1:0];
  assign link_cfg   = link_cfg_q;

  // ---- Counters of a port -----------------------------------------------------------------------
  logic [P-1:0] ev_rd_ack, ev_wr_ack;
  logic [P-1:0][31:0] ev_data;
  logic [31:0] ev_answer;
  logic no_port, none_q;
  assign no_port = port_q >= PORT_W'(P);
  always_ff @(posedge clk) none_q <= hwif_out.counters.req && no_port && !rst;

  for (genvar p = 0; p < P; p++) begin : gen_ev
    kumi_event_counters #(
        .N(8)
    ) u_counters (
        .clk,
        .rst,
        .ev(ev[p]),
        .req(hwif_out.counters.req && port_q == PORT_W'(p)),
        .req_is_wr(hwif_out.counters.req_is_wr),
        .req_index(6'(hwif_out.counters.addr[4:2])),
        .rd_ack(ev_rd_ack[p]),
        .rd_data(ev_data[p]),
        .wr_ack(ev_wr_ack[p])
    );
  end

  logic none_wr_q;
  always_ff @(posedge clk) none_wr_q <= hwif_out.counters.req_is_wr;
  always_comb begin
    ev_answer = '0;
    for (int p = 0; p < P; p++) if (ev_rd_ack[p]) ev_answer = ev_data[p];
  end
  assign hwif_in.counters.rd_ack = |ev_rd_ack || (none_q && !none_wr_q);
  assign hwif_in.counters.wr_ack = |ev_wr_ack || (none_q && none_wr_q);
  assign hwif_in.counters.rd_data = ev_answer;

  // ---- Plain registers --------------------------------------------------------------------------
  assign hwif_in.info.ports.next = 8'(P);
  assign hwif_in.info.locals.next = 8'(LOCALS);
  assign hwif_in.info.channels.next = 8'(CHANNELS);
  assign hwif_in.info.lanes.next = 4'(LANES);
  assign hwif_in.info.hybrid.next = HYBRID;
  assign hwif_in.status.run.next = run;
  assign hwif_in.status.bank.next = bank;
  assign hwif_in.status.pending.next = pending || swap_q;
  assign hwif_in.status.ready.next = !clearing_q;
  assign hwif_in.refused.reason.next = why_q;
  assign hwif_in.refused.which.next = why_table_q;
  assign hwif_in.refused.entry.next = why_entry_q;
  assign hwif_in.tdm_frames.value.next = tdm_frames;

  assign board = hwif_out.board.id.value;
  assign swap = swap_q;
  assign swap_slots = hwif_out.size.slots.value[POS_W-1:0];
  assign swap_guard = hwif_out.size.guard.value;
  assign margin = hwif_out.timing.margin.value;
  assign follow = hwif_out.timing.follow.value;
  assign follow_port = hwif_out.timing.port.value;

  logic unused;
  assign unused = ^{hwif_out.window.wr_biten, hwif_out.counters.wr_biten, hwif_out.counters.wr_data,
                    data_q, hwif_out.window.addr[1:0], hwif_out.counters.addr[1:0]};
endmodule
