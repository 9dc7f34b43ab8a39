// SPDX-License-Identifier: Apache-2.0
//
// Chains of descriptors to segments (virtio 1.2, 2.7.5 and 2.8.6): direct, linked, indirect tables.
//
// packed_ring: VIRTIO_F_RING_PACKED was negotiated. s_*: heads of split queues, with the address of
//   their queue's table, in order. s_desc_*: descriptors of packed queues, those of a chain one
//   after the other; s_desc_first: of its chain.
// m_seg: segments in order, chain after chain, each chain with a first and a last one. fault_*: a
//   chain that breaks the rules, at the place of the segment that would come next: the driver is
//   not to be believed any more, and everything of that queue that comes after it is to be thrown
//   away.
// ar_*, r_*: reads of one beat, in order; data is always accepted.
// The first descriptors of up to AHEAD split chains are read ahead of need, and so are indirect
//   tables, up to TABLES beats of them: those cost two cycles per descriptor and one per beat. A
//   linked descriptor of a split queue costs a round trip to memory, and so does each one of a
//   table behind linked ones (2.7.5.3.2); one of a packed queue three cycles.
// The rest of a packed chain that breaks a rule is skipped.
// forgotten: a bit per queue whose chains nobody takes any more (it is to end, or is broken). They
//   are not walked: a fault each, at the first descriptor. Else the heads that are here when a
//   driver goes mad could keep the queue from ending, and all others waiting, for 64 x AHEAD round
//   trips to memory.
// Bad input, a fault each: a chain of more than NIC_CHAIN segments, a length of 0, a link beyond
//   the table, an indirect table that is empty, larger than NIC_CHAIN, no multiple of 16 bytes,
//   linked, within another one, or in a packed ring behind others; memory that does not answer.
module kumi_nic_chain
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port, at least 256
    parameter int QUEUES = 3,
    parameter int LOOK_W = 2,  // bits of a queue's number
    parameter int AHEAD = 128,  // first descriptors that are read ahead, a power of two
    parameter int TABLES = 128,  // beats of indirect tables that are read ahead, a power of two
    localparam int MAX_W = $clog2(NIC_CHAIN)
) (
    input logic clk,
    input logic rst,
    input logic packed_ring,
    input logic [QUEUES-1:0] forgotten,

    // heads, or descriptors
    input logic s_valid,
    output logic s_ready,
    input logic [LOOK_W-1:0] s_queue,
    input logic [15:0] s_head,
    input logic s_fault,
    input logic [63:0] s_table,
    input logic [15:0] s_size,
    input logic s_desc_valid,
    output logic s_desc_ready,
    input logic s_desc_first,
    input logic [LOOK_W-1:0] s_desc_queue,
    input nic_desc_t s_desc,

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
  localparam int BEATS = NIC_CHAIN / PER_BEAT + 1;  // of the largest table
  localparam int BEAT_W = $clog2(BEATS + 1);

  // ---- first descriptors, and tables, ahead --------------------------------------------------
  nic_head_t first_head, item_head, next_head, head_next;
  nic_desc_t first_desc, desc_next;
  logic
      first_valid, first_bad, first_busy, next_ready, chain_valid, chain_pop, tables_busy, item_bad;
  logic table_valid, table_pop, table_resp;
  logic [BEAT_W-1:0] beats_next;
  logic [DATA_W-1:0] table_data;

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
      .m_ready(next_ready),
      .m_head(first_head),
      .m_desc(first_desc),
      .m_bad(first_bad),
      .busy(first_busy)
  );
  assign item_head = '{vq: 8'(s_desc_queue), head: s_desc.next, default: '0};
  assign next_head = packed_ring ? item_head : first_head;
  assign s_desc_ready = packed_ring && next_ready;
  // A table behind other descriptors is not even read.
  assign item_bad = !s_desc_first && s_desc.flags[D_INDIRECT];

  kumi_nic_tables #(
      .DATA_W(DATA_W),
      .TABLES(TABLES)
  ) u_tables (
      .clk,
      .rst,
      .s_valid(packed_ring ? s_desc_valid : first_valid),
      .s_ready(next_ready),
      .s_head(next_head),
      .s_desc(packed_ring ? s_desc : first_desc),
      .s_bad(packed_ring ? item_bad : first_bad),
      .ar_valid(ar_valid[2]),
      .ar_ready(ar_ready[2]),
      .ar_addr(ar_addr[2]),
      .ar_len(ar_len[2]),
      .r_valid(r_valid[2]),
      .r_data,
      .r_resp,
      .m_valid(chain_valid),
      .m_ready(chain_pop),
      .m_head(head_next),
      .m_desc(desc_next),
      .m_beats(beats_next),
      .table_valid,
      .table_ready(table_pop),
      .table_data,
      .table_bad(table_resp),
      .busy(tables_busy)
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
    S_SKIP,
    S_FAULT
  } state_e;
  state_e state_q;

  nic_head_t head_q;
  nic_desc_t desc_q;
  logic inside_q;  // in an indirect table
  logic linked_q;  // in one behind linked descriptors, which was not read ahead
  logic open_q;  // packed: in a chain of which more descriptors come
  logic rest_q;  // packed: the ring has more descriptors of this chain
  logic lost_q;  // nobody takes this chain; a table that was read ahead is still taken
  logic [63:0] table_q;  // of the linked descriptors
  logic [MAX_W:0] count_q, entries_q;  // segments so far; descriptors of the indirect table
  logic [15:0] limit;
  logic linked, indirect, bad_desc, bad_link, bad_table, emit, next_carry_q;
  logic [63:0] next_addr_q;

  assign linked = desc_q.flags[D_NEXT];
  assign indirect = desc_q.flags[D_INDIRECT];
  assign limit = inside_q ? 16'(entries_q) : head_q.size;
  // The next descriptor of a chain in a packed ring is the one behind it.
  assign bad_link = (desc_q.next >= limit && (inside_q || !packed_ring)) ||
      count_q == (MAX_W + 1)'(NIC_CHAIN - 1);
  assign bad_table = nic_bad_table(linked, desc_q.length, desc_q.addr[3:0]);
  assign bad_desc = indirect ? inside_q || bad_table :
      lost_q || desc_q.length == '0 || (linked && bad_link);

  assign chain_pop = state_q == S_FIRST || state_q == S_SKIP;
  assign emit = state_q == S_DESC && !bad_desc && !indirect;

  // ---- the indirect table --------------------------------------------------------------------
  // Its beats as they come; the first descriptor may lie anywhere in the first of them.
  logic [DATA_W-1:0] table_mem  [BEATS];
  logic [DATA_W-1:0] table_beat;
  logic [BEAT_W-1:0] came_q, beats_q;
  logic [SLOT_W-1:0] slot_q;  // of the table's first descriptor
  logic [ MAX_W+1:0] walk;
  logic [MAX_W:0] index_q, index_next;
  logic table_bad_q;
  nic_desc_t walked, walked_next;

  assign walk = (MAX_W + 2)'(index_q) + (MAX_W + 2)'(slot_q);
  assign table_beat = table_mem[walk[MAX_W:SLOT_W]];
  assign table_pop = state_q == S_TABLE && came_q != beats_q && table_valid;

  always_ff @(posedge clk) begin
    if (table_pop) table_mem[came_q] <= table_data;
  end

  // In the table of a packed ring one descriptor follows the other, and of the flags WRITE alone
  // counts (2.8.7).
  assign walked = 128'(table_beat >> {walk[SLOT_W-1:0], 7'd0});
  assign index_next = index_q + 1'b1;
  always_comb begin
    walked_next = walked;
    if (packed_ring) begin
      walked_next.next = 16'(index_next);
      walked_next.flags = '0;
      walked_next.flags[D_NEXT] = index_next != entries_q;
      // The flags are where a split ring has the link.
      walked_next.flags[D_WRITE] = walked.next[D_WRITE];
    end
  end

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_FIRST: begin
        if (!open_q) count_q <= '0;
        inside_q <= 1'b0;
        linked_q <= 1'b0;
        table_q  <= head_next.table_addr;
        head_q   <= head_next;
        desc_q   <= desc_next;
        beats_q  <= beats_next;
        rest_q   <= packed_ring && desc_next.flags[D_NEXT];
        lost_q   <= !open_q && forgotten[head_next.vq[LOOK_W-1:0]];
        if (chain_valid) state_q <= head_next.fault ? S_FAULT : S_DESC;
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
          open_q <= packed_ring && linked && !inside_q;
          state_q <= !linked || (packed_ring && !inside_q) ? S_FIRST :
              inside_q && !linked_q ? S_WALK : S_NEXT_HIGH;
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
      S_NEXT: if (ar_ready[1]) state_q <= S_NEXT_WAIT;
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
        if (came_q == beats_q) state_q <= table_bad_q || lost_q ? S_FAULT : S_WALK;
      end
      S_WALK: begin
        desc_q  <= walked_next;
        state_q <= S_DESC;
      end
      S_SKIP: if (chain_valid && !desc_next.flags[D_NEXT]) state_q <= S_FIRST;
      default: begin
        open_q <= 1'b0;
        if (m_ready) state_q <= rest_q ? S_SKIP : S_FIRST;
      end
    endcase
    if (rst) begin
      state_q <= S_FIRST;
      open_q  <= 1'b0;
    end
  end

  assign ar_valid[1] = state_q == S_NEXT;
  assign ar_addr[1] = {next_addr_q[63:LANE_W], {LANE_W{1'b0}}};
  assign ar_len[1] = '0;

  assign m_valid = emit || state_q == S_FAULT;
  assign m_fault = state_q == S_FAULT;
  assign m_seg = '{
          vq: head_q.vq,
          head: head_q.head,
          descs: inside_q ? '0 : count_q[MAX_W-1:0],
          write: desc_q.flags[D_WRITE],
          first: count_q == '0,
          last: !linked,
          length: desc_q.length,
          addr: desc_q.addr
      };
  assign busy = first_busy || tables_busy || state_q != S_FIRST;

  logic unused;
  assign unused = ^{desc_q.flags[15:3], r_resp[0], walk[MAX_W+1], head_q.fault, head_q.table_addr,
                    next_addr_q[3:0]};
endmodule
