// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_sw2_remote_write: whatever packets come, of any length and content, and
// whatever the memory's timing: each byte that is written lies in a region that is enabled for the
// process group of its packet, and only a packet for this node is written.
//
// Two regions; the table is written at any time but between the address and the end of a packet.
// Bases are multiples of 8 and regions lie below the end of the address space.
`include "kumi_assert.svh"
module sw2_remote_write_formal
  import kumi_sw2_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic write_valid,
    input logic write_index,
    input region_t write_region,
    input logic [63:0] data,
    input logic valid,
    input logic last,
    input logic awready,
    input logic wready
);
  localparam int REGIONS = 2;
  localparam logic [15:0] NODE = 16'd5;
  localparam logic [2:0] HEAD = 3'd0, PLACE = 3'd1, LOOK = 3'd2, CHECK = 3'd3, DATA = 3'd4;

  kumi_axis_if #(.DATA_W(64)) s ();
  kumi_axi_if #(
      .DATA_W(64),
      .ADDR_W(32)
  ) m ();
  table_write_t write;
  rx_events_t   ev;

  assign s.tdata = data;
  assign s.tvalid = valid;
  assign s.tlast = last;
  assign s.tkeep = '1;
  assign s.tuser = '0;
  assign s.tid = '0;
  assign s.tdest = '0;
  assign m.awready = awready;
  assign m.wready = wready;
  assign m.bvalid = 1'b0;
  assign m.bresp = '0;
  assign m.bid = '0;

  // ---- table, and what is in it ----------------------------------------------------------------
  region_t [REGIONS-1:0] region_q;
  logic idle, started_q = 1'b0;
  assign idle = u_dut.state_q == HEAD;
  assign write = '{
          valid: write_valid && idle,
          sel: TABLE_REGION,
          index: 7'(write_index),
          entry: 96'(write_region)
      };
  always_ff @(posedge clk) begin
    started_q <= 1'b1;
    if (write.valid) region_q[write_index] <= write_region;
    if (rst) begin
      region_q[0].enable <= 1'b0;
      region_q[1].enable <= 1'b0;
    end
  end

  kumi_sw2_remote_write #(
      .REGIONS(REGIONS)
  ) u_dut (
      .clk,
      .rst,
      .write,
      .node  (NODE),
      .s_axis(s),
      .m_axi (m),
      .ev
  );

  always_comb begin
    assume (started_q ? !rst : rst);
    assume (write_region.base[2:0] == '0);
    assume ({1'b0, write_region.base} + 33'(write_region.limit) < 33'h1_0000_0000);
  end
  logic held_q;
  always_ff @(posedge clk) begin
    held_q <= valid && !s.tready && !rst;
    if (started_q && held_q) assume (valid && $stable(data) && $stable(last));
  end

  // ---- where bytes may go ----------------------------------------------------------------------
  logic [7:0] allowed;
  region_t mine;
  assign mine = region_q[u_dut.head_q.region[0]];
  for (genvar i = 0; i < 8; i++) begin : gen_byte
    assign allowed[i] = u_dut.head_q.region < 8'(REGIONS) && mine.enable
        && mine.pgid == u_dut.place_q.pgid && m.awaddr + 32'(i) >= mine.base
        && m.awaddr + 32'(i) - mine.base < mine.limit;
  end

  // Address and data of a beat go with the same register, in the same or in different cycles.
  `KUMI_ASSERT(a_bytes, !m.wvalid || (m.wstrb & ~allowed) == '0)
  `KUMI_ASSERT(a_node, !(m.wvalid || m.awvalid) || u_dut.head_q.dst == NODE)
  `KUMI_ASSERT(a_some, !m.wvalid || m.wstrb != '0)

  // What the unit knows of the packet in each state.
  logic in_check, in_data;
  logic [31:0] offset;  // of the next beat in the region
  assign in_check = u_dut.state_q == CHECK;
  assign in_data  = u_dut.state_q == DATA;
  assign offset   = u_dut.addr_q - mine.base;
  for (genvar r = 0; r < REGIONS; r++) begin : gen_table
    `KUMI_ASSERT(i_enabled, u_dut.enabled_q[r] == region_q[r].enable)
    `KUMI_ASSERT(i_stored, !region_q[r].enable || u_dut.u_table.mem[r] == region_q[r])
    `KUMI_ASSERT(i_aligned,
                 !region_q[r].enable || (region_q[r].base[2:0] == '0 &&
                 {1'b0, region_q[r].base} + 33'(region_q[r].limit) < 33'h1_0000_0000))
  end
  `KUMI_ASSERT(
      i_look,
      !in_check || (u_dut.end_q == {1'b0, u_dut.place_q.offset} + 33'(u_dut.head_q.len) && u_dut.group_q == (u_dut.region.pgid == u_dut.place_q.pgid) && u_dut.good_q == u_dut.packet_good && u_dut.enable_q == (u_dut.head_q.region < 8'(REGIONS) && mine.enable)))
  `KUMI_ASSERT(i_region,
               !(in_check || u_dut.state_q == LOOK) || !mine.enable || u_dut.region == mine)
  `KUMI_ASSERT(i_place, u_dut.state_q != PLACE || !mine.enable || $past(u_dut.state_q == HEAD)
               || u_dut.region == mine)
  `KUMI_ASSERT(
      i_entry,
      !in_data || (mine.enable && u_dut.head_q.region < 8'(REGIONS) && mine.pgid == u_dut.place_q.pgid && u_dut.head_q.dst == NODE))
  `KUMI_ASSERT(i_packet,
               !in_data || (u_dut.packet_good && u_dut.left_q != '0 && u_dut.addr_q[2:0] == '0))
  `KUMI_ASSERT(
      i_limit,
      !in_data || (u_dut.end_q <= 33'(mine.limit) && u_dut.end_q == {1'b0, u_dut.place_q.offset} + 33'(u_dut.head_q.len) && u_dut.end_lane_q == 3'(u_dut.end_q[2:0] - 3'd1)))
  `KUMI_ASSERT(i_first, !in_data || !u_dut.first_q || offset == {u_dut.place_q.offset[31:3], 3'd0})
  `KUMI_ASSERT(i_later, !in_data || u_dut.first_q || u_dut.place_q.offset[2:0] == '0)
  // The last beat ends where the packet does.
  logic [32:0] last_at;
  assign last_at = 33'(offset) + 33'({u_dut.left_q, 3'd0});
  `KUMI_ASSERT(i_end,
               !in_data || last_at == {u_dut.end_q[32:3] + 30'(u_dut.end_q[2:0] != '0), 3'd0})

  `KUMI_COVER(c_write, m.wvalid && wready && m.wstrb == 8'h3C)
  `KUMI_COVER(c_long, $past(in_data && u_dut.move) && in_data && m.wvalid && m.wstrb == 8'h01)
endmodule
