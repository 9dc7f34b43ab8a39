// SPDX-License-Identifier: Apache-2.0
//
// Reads the indirect tables of chains ahead of need (virtio 1.2, 2.7.5.3 and 2.8.7).
//
// s_*: chains with their first descriptor, in order; s_bad: memory did not answer for it.
// m_*: the same, with the number of beats of its table (0: it has none, or one that is wrong), as
//   soon as all of them are requested; head.fault says that something is wrong already.
// table_*: the beats of the tables, in order.
// ar_*, r_*: reads of one beat, in order; data is always accepted. Up to TABLES are under way.
// Throughput: a chain every three cycles, and three for each beat of its table.
module kumi_nic_tables
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port, at least 256
    parameter int TABLES = 128,  // beats that are read ahead, a power of two
    localparam int BEATS = NIC_CHAIN * 128 / DATA_W + 1,  // of the largest table
    localparam int BEAT_W = $clog2(BEATS + 1)
) (
    input logic clk,
    input logic rst,

    // chains
    input logic s_valid,
    output logic s_ready,
    input nic_head_t s_head,
    input nic_desc_t s_desc,
    input logic s_bad,

    // memory
    output logic ar_valid,
    input logic ar_ready,
    output logic [63:0] ar_addr,
    output logic [7:0] ar_len,
    input logic r_valid,
    input logic [DATA_W-1:0] r_data,
    input logic [1:0] r_resp,

    // with their tables
    output logic m_valid,
    input logic m_ready,
    output nic_head_t m_head,
    output nic_desc_t m_desc,
    output logic [BEAT_W-1:0] m_beats,
    output logic table_valid,
    input logic table_ready,
    output logic [DATA_W-1:0] table_data,
    output logic table_bad,
    output logic busy
);
  localparam int LANE_W = $clog2(DATA_W / 8);
  localparam int PER_BEAT = DATA_W / 128;
  localparam int SLOT_W = $clog2(PER_BEAT);  // which descriptor of a beat
  localparam int MAX_W = $clog2(NIC_CHAIN);
  localparam int ROOM_W = $clog2(TABLES) + 1;

  if (TABLES < BEATS) begin : gen_check_tables
    $fatal(0, "TABLES has no room for a table (%m)");
  end

  typedef enum logic [2:0] {
    S_TAKE,
    S_JUDGE,
    S_ASK,
    S_LOW,
    S_HIGH,
    S_PUSH
  } state_e;
  state_e state_q;

  typedef struct packed {
    nic_head_t head;
    nic_desc_t desc;
    logic [BEAT_W-1:0] beats;
  } chain_t;
  chain_t chain_q, chain;
  logic [$bits(chain_t)-1:0] chain_bits;
  logic chain_room, carry_q, table_pop, table_room, more_beats, bad_table;
  logic [BEAT_W-1:0] asked_q;
  logic [63:0] table_addr_q;
  logic [ROOM_W-1:0] reserved_q, depth_tables;
  logic [3:0] depth_chains;
  logic [MAX_W+1:0] span;

  assign s_ready = state_q == S_TAKE;
  assign bad_table = nic_bad_table(
      chain_q.desc.flags[D_NEXT], chain_q.desc.length, chain_q.desc.addr[3:0]
  );
  assign span = (MAX_W + 2)'(chain_q.desc.length[MAX_W+4:4]) +
      (MAX_W + 2)'(chain_q.desc.addr[LANE_W-1:4]) + (MAX_W + 2)'(PER_BEAT - 1);
  assign ar_valid = state_q == S_ASK && reserved_q != ROOM_W'(TABLES);
  assign ar_addr = {table_addr_q[63:LANE_W], {LANE_W{1'b0}}};
  assign ar_len = '0;
  assign more_beats = asked_q + 1'b1 != chain_q.beats;
  assign table_pop = table_valid && table_ready;

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_TAKE: begin
        chain_q.head <= s_head;
        chain_q.head.fault <= s_head.fault || s_bad;
        chain_q.desc <= s_desc;
        if (s_valid) state_q <= S_JUDGE;
      end
      S_JUDGE: begin
        chain_q.beats <= '0;
        table_addr_q <= chain_q.desc.addr;
        asked_q <= '0;
        state_q <= S_PUSH;
        if (chain_q.desc.flags[D_INDIRECT] && !bad_table && !chain_q.head.fault) begin
          chain_q.beats <= BEAT_W'(span >> SLOT_W);
          state_q <= S_ASK;
        end
      end
      S_ASK:
      if (ar_valid && ar_ready) begin
        asked_q <= asked_q + 1'b1;
        state_q <= more_beats ? S_LOW : S_PUSH;
      end
      S_LOW: begin
        {carry_q, table_addr_q[31:0]} <= 33'(table_addr_q[31:0]) + 33'(DATA_W / 8);
        state_q <= S_HIGH;
      end
      S_HIGH: begin
        table_addr_q[63:32] <= table_addr_q[63:32] + 32'(carry_q);
        state_q <= S_ASK;
      end
      default: if (chain_room) state_q <= S_TAKE;
    endcase
    reserved_q <= reserved_q + ROOM_W'(ar_valid && ar_ready) - ROOM_W'(table_pop);
    if (rst) begin
      state_q <= S_TAKE;
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
      .s_valid(state_q == S_PUSH),
      .s_ready(chain_room),
      .m_data (chain_bits),
      .m_valid,
      .m_ready,
      .depth  (depth_chains)
  );
  assign chain   = chain_bits;
  assign m_head  = chain.head;
  assign m_desc  = chain.desc;
  assign m_beats = chain.beats;

  kumi_fifo #(
      .W(1 + DATA_W),
      .DEPTH(TABLES)
  ) u_tables (
      .clk,
      .rst,
      .s_data ({r_resp[1], r_data}),
      .s_valid(r_valid),
      .s_ready(table_room),
      .m_data ({table_bad, table_data}),
      .m_valid(table_valid),
      .m_ready(table_ready),
      .depth  (depth_tables)
  );
  assign busy = state_q != S_TAKE || m_valid;

  logic unused;
  assign unused = ^{span[SLOT_W-1:0], r_resp[0], depth_chains, depth_tables, table_room};
endmodule
