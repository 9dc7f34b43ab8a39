// SPDX-License-Identifier: Apache-2.0
//
// Chains of descriptors to segments (virtio 1.2, 2.7.5): direct, linked, and indirect tables.
//
// s_*: heads, with the address of their queue's table, in order. m_seg: segments in order, chain
//   after chain, each chain with a first and a last one. fault_*: a chain that breaks the rules, at
//   the place of the segment that would come next: the driver is not to be believed any more, and
//   everything of that queue that comes after it is to be thrown away.
// ar_*, r_*: reads of one beat, in order; data is always accepted.
// The first descriptors of up to AHEAD chains are read ahead of need, and so are indirect tables,
//   up to TABLES beats of them: those cost two cycles per descriptor and one per beat. A linked
//   descriptor costs a round trip to memory, and so does each one of a table behind linked ones
//   (2.7.5.3.2).
// Bad input, a fault each: a chain of more than MAX segments, a length of 0, a link beyond the
//   table, an indirect table that is empty, larger than MAX, no multiple of 16 bytes, linked, or
//   within another one; memory that does not answer.
module kumi_nic_chain
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port, at least 256
    parameter int LOOK_W = 2,  // bits of a queue's number
    parameter int AHEAD = 128,  // first descriptors that are read ahead, a power of two
    parameter int MAX = 64,  // segments of a chain, a power of two
    parameter int TABLES = 128,  // beats of indirect tables that are read ahead, a power of two
    localparam int MAX_W = $clog2(MAX)
) (
    input logic clk,
    input logic rst,

    // heads
    input logic s_valid,
    output logic s_ready,
    input logic [LOOK_W-1:0] s_queue,
    input logic [15:0] s_head,
    input logic s_fault,
    input logic [63:0] s_table,
    input logic [15:0] s_size,

    // memory: first descriptors; linked ones; tables
    output logic [2:0] ar_valid,
    input logic [2:0] ar_ready,
    output logic [2:0][63:0] ar_addr,
    output logic [2:0][7:0] ar_len,
    input logic [2:0] r_valid,
    input logic [DATA_W-1:0] r_data,
    input logic [1:0] r_resp,

    // segments
    output logic m_valid,
    input logic m_ready,
    output nic_seg_t m_seg,
    output logic m_fault,
    output logic busy
);
  localparam int LANE_W = $clog2(DATA_W / 8);
  localparam int PER_BEAT = DATA_W / 128;
  localparam int SLOT_W = $clog2(PER_BEAT);  // which descriptor of a beat

  typedef enum logic [2:0] {
    R_TAKE,
    R_JUDGE,
    R_ASK,
    R_LOW,
    R_HIGH,
    R_PUSH
  } read_e;
  read_e read_q;

  // ---- first descriptors, ahead --------------------------------------------------------------
  nic_head_t head_now;
  nic_desc_t first_desc;
  logic first_valid, first_bad, first_busy, pop;

  kumi_nic_first #(
      .DATA_W(DATA_W),
      .LOOK_W(LOOK_W),
      .AHEAD (AHEAD)
  ) u_first (
      .clk,
      .rst,
      .s_valid,
      .s_ready,
      .s_queue,
      .s_head,
      .s_fault,
      .s_table,
      .s_size,
      .ar_valid(ar_valid[0]),
      .ar_ready(ar_ready[0]),
      .ar_addr(ar_addr[0]),
      .ar_len(ar_len[0]),
      .r_valid(r_valid[0]),
      .r_data,
      .r_resp,
      .m_valid(first_valid),
      .m_ready(read_q == R_TAKE),
      .m_head(head_now),
      .m_desc(first_desc),
      .m_bad(first_bad),
      .busy(first_busy)
  );

  // ---- indirect tables, ahead ----------------------------------------------------------------
  function automatic logic bad_table(input logic linked, input logic [31:0] length,
                                     input logic [3:0] offset);
    return linked || length[3:0] != '0 || offset != '0 || length == '0 || length > 32'(16 * MAX);
  endfunction

  localparam int BEATS = MAX / PER_BEAT + 1;  // of the largest table
  localparam int BEAT_W = $clog2(BEATS + 1);
  localparam int ROOM_W = $clog2(TABLES) + 1;

  if (TABLES < BEATS) begin : gen_check_tables
    $fatal(0, "TABLES has no room for a table (%m)");
  end

  typedef struct packed {
    nic_head_t head;
    nic_desc_t desc;
    logic [BEAT_W-1:0] beats;  // of its table
  } chain_t;

  chain_t chain_q, chain;
  logic [$bits(chain_t)-1:0] chain_bits;
  logic chain_room, chain_valid, chain_pop, carry_q, table_valid, table_pop, table_room, more_beats;
  logic [BEAT_W-1:0] asked_q;
  logic [63:0] table_addr_q;
  logic [ROOM_W-1:0] reserved_q, depth_tables;
  logic [3:0] depth_chains;
  logic [MAX_W+1:0] span;
  logic [DATA_W-1:0] table_data;
  logic table_resp;

  assign pop = read_q == R_TAKE && first_valid;
  assign span = (MAX_W + 2)'(chain_q.desc.length[MAX_W+4:4]) +
      (MAX_W + 2)'(chain_q.desc.addr[LANE_W-1:4]) + (MAX_W + 2)'(PER_BEAT - 1);
  assign ar_valid[2] = read_q == R_ASK && reserved_q != ROOM_W'(TABLES);
  assign ar_addr[2] = {table_addr_q[63:LANE_W], {LANE_W{1'b0}}};
  assign ar_len[2] = '0;
  assign more_beats = asked_q + 1'b1 != chain_q.beats;

  logic bad_first;
  assign bad_first = bad_table(
      chain_q.desc.flags[D_NEXT], chain_q.desc.length, chain_q.desc.addr[3:0]
  );

  always_ff @(posedge clk) begin
    unique case (read_q)
      R_TAKE: begin
        chain_q.head <= head_now;
        chain_q.head.fault <= head_now.fault || first_bad;
        chain_q.desc <= first_desc;
        if (pop) read_q <= R_JUDGE;
      end
      R_JUDGE: begin
        chain_q.beats <= BEAT_W'(span >> SLOT_W);
        table_addr_q <= chain_q.desc.addr;
        asked_q <= '0;
        read_q <= R_PUSH;
        if (chain_q.desc.flags[D_INDIRECT] && !bad_first && !chain_q.head.fault) read_q <= R_ASK;
      end
      R_ASK:
      if (ar_valid[2] && ar_ready[2]) begin
        asked_q <= asked_q + 1'b1;
        read_q  <= more_beats ? R_LOW : R_PUSH;
      end
      R_LOW: begin
        {carry_q, table_addr_q[31:0]} <= 33'(table_addr_q[31:0]) + 33'(DATA_W / 8);
        read_q <= R_HIGH;
      end
      R_HIGH: begin
        table_addr_q[63:32] <= table_addr_q[63:32] + 32'(carry_q);
        read_q <= R_ASK;
      end
      default: if (chain_room) read_q <= R_TAKE;
    endcase
    reserved_q <= reserved_q + ROOM_W'(ar_valid[2] && ar_ready[2]) - ROOM_W'(table_pop);
    if (rst) begin
      read_q <= R_TAKE;
      reserved_q <= '0;
    end
  end

  kumi_fifo #(
      .W($bits(chain_t)),
      .DEPTH(8),
      .STYLE(0)
  ) u_chains (
      .clk,
      .rst,
      .s_data (chain_q),
      .s_valid(read_q == R_PUSH),
      .s_ready(chain_room),
      .m_data (chain_bits),
      .m_valid(chain_valid),
      .m_ready(chain_pop),
      .depth  (depth_chains)
  );
  assign chain = chain_bits;

  kumi_fifo #(
      .W(1 + DATA_W),
      .DEPTH(TABLES)
  ) u_tables (
      .clk,
      .rst,
      .s_data ({r_resp[1], r_data}),
      .s_valid(r_valid[2]),
      .s_ready(table_room),
      .m_data ({table_resp, table_data}),
      .m_valid(table_valid),
      .m_ready(table_pop),
      .depth  (depth_tables)
  );

  // ---- one chain after another ---------------------------------------------------------------
  typedef enum logic [3:0] {
    S_FIRST,
    S_DESC,
    S_ENTER,
    S_NEXT_HIGH,
    S_NEXT,
    S_NEXT_WAIT,
    S_TABLE,
    S_WALK,
    S_FAULT
  } state_e;
  state_e state_q;

  nic_head_t head_q;
  nic_desc_t desc_q;
  logic inside_q;  // in an indirect table
  logic linked_q;  // in one behind linked descriptors, which was not read ahead
  logic [63:0] table_q;  // of the linked descriptors
  logic [MAX_W:0] count_q, entries_q;  // segments so far; descriptors of the indirect table
  logic [15:0] limit;
  logic linked, indirect, bad_desc, bad_here, emit, next_carry_q;
  logic [63:0] next_addr_q;

  assign linked = desc_q.flags[D_NEXT];
  assign indirect = desc_q.flags[D_INDIRECT];
  assign limit = inside_q ? 16'(entries_q) : head_q.size;
  assign bad_here = bad_table(linked, desc_q.length, desc_q.addr[3:0]);
  assign bad_desc = indirect ? inside_q || bad_here :
      desc_q.length == '0 || (linked && (desc_q.next >= limit || count_q == (MAX_W + 1)'(MAX - 1)));

  assign chain_pop = state_q == S_FIRST;
  assign emit = state_q == S_DESC && !bad_desc && !indirect;

  // ---- the indirect table --------------------------------------------------------------------
  // Its beats as they come; the first descriptor may lie anywhere in the first of them.
  logic [DATA_W-1:0] table_mem  [BEATS];
  logic [DATA_W-1:0] table_beat;
  logic [BEAT_W-1:0] came_q, beats_q;
  logic [SLOT_W-1:0] slot_q;  // of the table's first descriptor
  logic [MAX_W+1:0] walk;
  logic [MAX_W:0] index_q;
  logic table_bad_q;

  assign walk = (MAX_W + 2)'(index_q) + (MAX_W + 2)'(slot_q);
  assign table_beat = table_mem[walk[MAX_W:SLOT_W]];
  assign table_pop = state_q == S_TABLE && came_q != beats_q && table_valid;

  always_ff @(posedge clk) begin
    if (table_pop) table_mem[came_q] <= table_data;
  end

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_FIRST: begin
        count_q  <= '0;
        inside_q <= 1'b0;
        linked_q <= 1'b0;
        table_q  <= chain.head.table_addr;
        head_q   <= chain.head;
        desc_q   <= chain.desc;
        beats_q  <= chain.beats;
        if (chain_valid) state_q <= chain.head.fault ? S_FAULT : S_DESC;
      end
      S_DESC: begin
        {next_carry_q, next_addr_q[31:0]} <= 33'(table_q[31:0]) + 33'({desc_q.next, 4'd0});
        index_q <= desc_q.next[MAX_W:0];
        if (bad_desc) begin
          state_q <= S_FAULT;
        end else if (indirect) begin
          inside_q <= 1'b1;
          entries_q <= desc_q.length[MAX_W+4:4];
          slot_q <= desc_q.addr[LANE_W-1:4];
          came_q <= '0;
          table_bad_q <= 1'b0;
          index_q <= '0;
          linked_q <= count_q != '0;
          state_q <= count_q == '0 ? S_TABLE : S_ENTER;
        end else if (m_ready) begin
          count_q <= count_q + 1'b1;
          state_q <= !linked ? S_FIRST : inside_q && !linked_q ? S_WALK : S_NEXT_HIGH;
        end
      end
      S_ENTER: begin
        table_q <= desc_q.addr;
        {next_carry_q, next_addr_q[31:0]} <= {1'b0, desc_q.addr[31:0]};
        state_q <= S_NEXT_HIGH;
      end
      S_NEXT_HIGH: begin
        next_addr_q[63:32] <= table_q[63:32] + 32'(next_carry_q);
        state_q <= S_NEXT;
      end
      S_NEXT:  if (ar_ready[1]) state_q <= S_NEXT_WAIT;
      S_NEXT_WAIT:
      if (r_valid[1]) begin
        desc_q  <= 128'(r_data >> {next_addr_q[LANE_W-1:4], 7'd0});
        state_q <= r_resp[1] ? S_FAULT : S_DESC;
      end
      S_TABLE: begin
        if (table_pop) begin
          came_q <= came_q + 1'b1;
          table_bad_q <= table_bad_q || table_resp;
        end
        if (came_q == beats_q) state_q <= table_bad_q ? S_FAULT : S_WALK;
      end
      S_WALK: begin
        desc_q  <= 128'(table_beat >> {walk[SLOT_W-1:0], 7'd0});
        state_q <= S_DESC;
      end
      default: if (m_ready) state_q <= S_FIRST;
    endcase
    if (rst) state_q <= S_FIRST;
  end

  assign ar_valid[1] = state_q == S_NEXT;
  assign ar_addr[1] = {next_addr_q[63:LANE_W], {LANE_W{1'b0}}};
  assign ar_len[1] = '0;

  assign m_valid = emit || state_q == S_FAULT;
  assign m_fault = state_q == S_FAULT;
  assign m_seg = '{
          vq: head_q.vq,
          head: head_q.head,
          write: desc_q.flags[D_WRITE],
          first: count_q == '0,
          last: !linked,
          length: desc_q.length,
          addr: desc_q.addr
      };
  assign busy = first_busy || read_q != R_TAKE || chain_valid || state_q != S_FIRST;

  logic unused;
  assign unused = ^{desc_q.flags[15:3], span[SLOT_W-1:0], r_resp[0], walk[MAX_W+1], head_q.fault,
                    head_q.table_addr, depth_chains, depth_tables, table_room, next_addr_q[3:0]};
endmodule
