// SPDX-License-Identifier: Apache-2.0
//
// Registers of the table of flows (docs/decisions/0006-nic.md, 0x1000), and the commands that they
// give to it. It keeps a copy of all entries, so that lookups go on while it searches.
//
// write: a register is written, not while read.busy. read.data: the register write.field, in the
//   same cycle. Registers, 32 bits each:
//   0 (r) ENTRIES, and in bits 31:16 slots. 1 (w) a command: 1 insert, 2 delete, 3 clear the table,
//   4 find, 5 read a slot. 2 (r) its result: 0 done, 1 unknown command, 2 no such flow or queue, 3
//   no room, 4 the flow is there already, 5 it is not there. 3 (r) entries.
//   4 the flow's IP version in bits 11:8 (4, 6), its protocol in bits 7:0 (6, 17); 5 its queue; 6
//   its ports, source in bits 31:16; 7 slot; 8..11, 12..15 source and destination address, the
//   first bytes in word 8 and 12; one of IPv4 in the last word, behind zeros.
//   Find sets 5 and 7 to what it found, read 4 to 15 but 7, insert 7.
// slot .. shut_all: see kumi_nic_steer_table.
// A command takes up to 60 cycles.
// Bad input: a command that cannot be done changes no entry and no register but its result.
module kumi_nic_steer_ctl
  import kumi_nic_pkg::*;
#(
    parameter  int ENTRIES = 128,                 // flows, a power of two
    parameter  int QUEUES  = 2,                   // receive queues; the last one is not used
    localparam int LOOK_W  = $clog2(QUEUES),
    localparam int SLOT_W  = $clog2(2 * ENTRIES)
) (
    input logic clk,
    input logic rst,
    input nic_steer_write_t write,
    output nic_steer_read_t read,

    output logic [SLOT_W-1:0] slot,
    input logic slot_open,
    output logic put,
    output nic_flow_t put_flow,
    output logic [LOOK_W-1:0] put_queue,
    output logic open,
    output logic shut,
    output logic shut_all
);
  localparam int WAYS = NIC_STEER_WAYS;
  localparam int BUCKET_W = $clog2(ENTRIES / WAYS);
  localparam int FLOW_W = $bits(nic_flow_t);
  localparam int PARTS = FLOW_W / 10;
  localparam int FILL_W = $clog2(ENTRIES + 1);

  localparam logic [31:0] OP_INSERT = 32'd1;
  localparam logic [31:0] OP_DELETE = 32'd2;
  localparam logic [31:0] OP_CLEAR = 32'd3;
  localparam logic [31:0] OP_FIND = 32'd4;
  localparam logic [31:0] OP_READ = 32'd5;
  localparam logic [2:0] DONE = 3'd0;
  localparam logic [2:0] UNKNOWN = 3'd1;
  localparam logic [2:0] BAD_FLOW = 3'd2;
  localparam logic [2:0] FULL = 3'd3;
  localparam logic [2:0] DUPLICATE = 3'd4;
  localparam logic [2:0] ABSENT = 3'd5;

  typedef enum logic [3:0] {
    S_IDLE,
    S_CHECK,
    S_ADDRESS,  // of the slots that may hold the flow, one after the other: read it
    S_COMPARE,
    S_MATCH,
    S_JUDGE,    // what the slots say
    S_PUT,
    S_OPEN,
    S_LOAD,     // a slot that was asked for
    S_TAKE
  } state_e;
  state_e state_q;

  // ---- registers -----------------------------------------------------------------------------
  logic [31:0] op_q, kind_q, queue_q, ports_q, slot_q;
  logic [3:0][31:0] source_q, to_q;
  logic [2:0] result_q;
  logic [FILL_W-1:0] fill_q;
  nic_flow_t flow;

  assign flow = '{
          v6: kind_q[9],
          udp: kind_q[4],
          source: {source_q[0], source_q[1], source_q[2], source_q[3]},
          to: {to_q[0], to_q[1], to_q[2], to_q[3]},
          source_port: ports_q[31:16],
          to_port: ports_q[15:0]
      };

  always_comb begin
    unique case (write.field)
      4'd0: read.data = {16'(2 * ENTRIES), 16'(ENTRIES)};
      4'd2: read.data = 32'(result_q);
      4'd3: read.data = 32'(fill_q);
      4'd4: read.data = kind_q;
      4'd5: read.data = queue_q;
      4'd6: read.data = ports_q;
      4'd7: read.data = slot_q;
      4'd8, 4'd9, 4'd10, 4'd11: read.data = source_q[write.field[1:0]];
      4'd12, 4'd13, 4'd14, 4'd15: read.data = to_q[write.field[1:0]];
      default: read.data = '0;
    endcase
  end
  assign read.busy = state_q != S_IDLE;

  // ---- what is wrong with them ---------------------------------------------------------------
  logic flow_good_q, queue_good_q, slot_good_q, upper_zero;
  assign upper_zero = {source_q[2:0], to_q[2:0]} == '0;
  always_ff @(posedge clk) begin
    flow_good_q <= (kind_q[31:8] == 24'd6 || (kind_q[31:8] == 24'd4 && upper_zero)) &&
        (kind_q[7:0] == 8'd6 || kind_q[7:0] == 8'd17);
    queue_good_q <= queue_q < 32'(QUEUES - 1);
    slot_good_q <= slot_q[31:SLOT_W] == '0;
  end

  // ---- a copy of the entries -----------------------------------------------------------------
  logic [1:0][BUCKET_W-1:0] bucket_q;
  logic [2:0] turn_q;  // half and way of the slot that is looked at
  logic [SLOT_W-1:0] place_q;  // for a new entry, or of the flow
  logic match_q;
  logic [PARTS-1:0] same_q;
  logic [1:0][2:0] free_q;  // slots of a half of this flow
  logic [1:0][1:0] free_way_q;
  nic_flow_t kept_flow;
  logic [LOOK_W-1:0] kept_queue;
  logic free_half;

  kumi_ram_sdp #(
      .W(FLOW_W + LOOK_W),
      .DEPTH(2 * ENTRIES),
      .STYLE(1)
  ) u_copy (
      .clk,
      .wr_en  (put),
      .wr_addr(slot),
      .wr_data({put_flow, put_queue}),
      .rd_en  (1'b1),
      .rd_addr(slot),
      .rd_data({kept_flow, kept_queue})
  );

  always_comb begin
    unique case (state_q)
      S_LOAD: slot = slot_q[SLOT_W-1:0];
      S_ADDRESS, S_COMPARE, S_MATCH: slot = {turn_q[2], bucket_q[turn_q[2]], turn_q[1:0]};
      default: slot = place_q;
    endcase
  end
  assign put = state_q == S_PUT;
  assign put_flow = flow;
  assign put_queue = queue_q[LOOK_W-1:0];
  assign open = state_q == S_OPEN;
  assign shut = state_q == S_JUDGE && op_q == OP_DELETE && match_q;
  assign shut_all = state_q == S_CHECK && op_q == OP_CLEAR;
  // A new entry goes to the bucket that is emptier.
  assign free_half = free_q[1] > free_q[0];

  always_ff @(posedge clk) begin
    if (state_q == S_CHECK) begin
      for (int h = 0; h < 2; ++h) bucket_q[h] <= BUCKET_W'(nic_steer_hash(flow, h));
    end
    if (state_q == S_COMPARE) begin
      for (int p = 0; p < PARTS; ++p) same_q[p] <= kept_flow[10*p+:10] == flow[10*p+:10];
    end

    unique case (state_q)
      S_IDLE:
      if (write.valid) begin
        unique case (write.field)
          4'd1: begin
            op_q <= write.data;
            state_q <= S_CHECK;
          end
          4'd4: kind_q <= write.data;
          4'd5: queue_q <= write.data;
          4'd6: ports_q <= write.data;
          4'd7: slot_q <= write.data;
          4'd8, 4'd9, 4'd10, 4'd11: source_q[write.field[1:0]] <= write.data;
          4'd12, 4'd13, 4'd14, 4'd15: to_q[write.field[1:0]] <= write.data;
          default: ;
        endcase
      end
      S_CHECK: begin
        turn_q  <= '0;
        free_q  <= '0;
        match_q <= 1'b0;
        state_q <= S_IDLE;
        unique case (op_q)
          OP_INSERT: begin
            result_q <= BAD_FLOW;
            if (flow_good_q && queue_good_q) state_q <= S_ADDRESS;
          end
          OP_DELETE, OP_FIND: begin
            result_q <= BAD_FLOW;
            if (flow_good_q) state_q <= S_ADDRESS;
          end
          OP_READ: begin
            result_q <= ABSENT;
            if (slot_good_q) state_q <= S_LOAD;
          end
          OP_CLEAR: begin
            result_q <= DONE;
            fill_q   <= '0;
          end
          default: result_q <= UNKNOWN;
        endcase
      end
      S_ADDRESS: state_q <= S_COMPARE;
      // The copy's word is here, and whether the slot is open.
      S_COMPARE: begin
        if (!slot_open) begin
          free_q[turn_q[2]] <= free_q[turn_q[2]] + 1'b1;
          free_way_q[turn_q[2]] <= turn_q[1:0];
        end
        state_q <= slot_open ? S_MATCH : turn_q == '1 ? S_JUDGE : S_ADDRESS;
        if (!slot_open) turn_q <= turn_q + 1'b1;
      end
      S_MATCH: begin
        turn_q  <= turn_q + 1'b1;
        state_q <= turn_q == '1 ? S_JUDGE : S_ADDRESS;
        if (&same_q) begin
          match_q <= 1'b1;
          place_q <= {turn_q[2], bucket_q[turn_q[2]], turn_q[1:0]};
          state_q <= S_JUDGE;
        end
      end
      S_JUDGE: begin
        state_q  <= S_IDLE;
        result_q <= match_q ? DONE : ABSENT;
        if (op_q == OP_INSERT) begin
          result_q <= match_q ? DUPLICATE : FULL;
          if (!match_q && free_q != '0 && fill_q != FILL_W'(ENTRIES)) begin
            place_q <= {free_half, bucket_q[free_half], free_way_q[free_half]};
            state_q <= S_PUT;
          end
        end else if (match_q) begin
          slot_q <= 32'(place_q);
          if (op_q == OP_FIND) queue_q <= 32'(kept_queue);
          else fill_q <= fill_q - 1'b1;
        end
      end
      S_PUT: state_q <= S_OPEN;
      S_OPEN: begin
        fill_q   <= fill_q + 1'b1;
        slot_q   <= 32'(place_q);
        result_q <= DONE;
        state_q  <= S_IDLE;
      end
      S_LOAD: state_q <= S_TAKE;
      default: begin
        state_q <= S_IDLE;
        if (slot_open) begin
          result_q <= DONE;
          kind_q   <= {20'd0, kept_flow.v6 ? 4'd6 : 4'd4, kept_flow.udp ? 8'd17 : 8'd6};
          queue_q  <= 32'(kept_queue);
          ports_q  <= {kept_flow.source_port, kept_flow.to_port};
          for (int i = 0; i < 4; ++i) begin
            source_q[i] <= kept_flow.source[32*(3-i)+:32];
            to_q[i] <= kept_flow.to[32*(3-i)+:32];
          end
        end
      end
    endcase
    if (rst) begin
      state_q  <= S_IDLE;
      result_q <= DONE;
      fill_q   <= '0;
      kind_q   <= '0;
      queue_q  <= '0;
      ports_q  <= '0;
      slot_q   <= '0;
      source_q <= '0;
      to_q     <= '0;
    end
  end
endmodule
