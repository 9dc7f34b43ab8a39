// SPDX-License-Identifier: Apache-2.0
//
// Receive side of an SW2 network interface: writes the data of packets into the regions that others
// may write, and nowhere else.
//
// s_axis: whole packets of any channel. m_axi: single beats, strobes for the bytes that the packet
//   carries; one id. ev: why a packet was dropped; one of its pulses for each packet, write_error
//   for each beat that memory answered with an error.
// A packet is written if it is for this node, its operation is known, its region is enabled for its
//   process group, and offset and length lie inside the region. Only an AOTF may begin inside a
//   word, and it does not leave it. What comes behind the length in the head is passed over.
// A table entry should change only while no packet for it is under way.
// Latency: first beat of an 8-byte packet to its write 4 cycles. Throughput: a beat in a cycle when
//   memory takes address and data in the same.
module kumi_sw2_remote_write
  import kumi_sw2_pkg::*;
#(
    parameter  int REGIONS = 16,              // 2 to 128
    localparam int REG_W   = $clog2(REGIONS)
) (
    input logic clk,
    input logic rst,
    input table_write_t write,
    input logic [15:0] node,
    kumi_axis_if.snk s_axis,
    kumi_axi_if.mst_wr m_axi,
    output rx_events_t ev
);
  if (s_axis.DATA_W != 64 || m_axi.DATA_W != 64 || m_axi.ADDR_W < 32) begin : gen_check
    $fatal(0, "s_axis and m_axi must have 64 bits, and m_axi 32 of address (%m)");
  end
  if (REGIONS < 2 || REGIONS > 128) begin : gen_check_n
    $fatal(0, "REGIONS must be 2..128 (%m)");
  end

  typedef enum logic [2:0] {
    HEAD,
    PLACE,
    LOOK,
    CHECK,
    DATA,
    DRAIN
  } state_e;

  state_e state_q;
  sw2_head_t head_q;
  sw2_place_t place_q;

  // ---- regions ---------------------------------------------------------------------------------
  logic table_we;
  region_t region;
  logic [REGIONS-1:0] enabled_q;

  assign table_we = write.valid && write.sel == TABLE_REGION && 32'(write.index) < REGIONS;
  kumi_ram_sdp #(
      .W($bits(region_t)),
      .DEPTH(REGIONS)
  ) u_table (
      .clk,
      .wr_en  (table_we),
      .wr_addr(write.index[REG_W-1:0]),
      .wr_data(write.entry[$bits(region_t)-1:0]),
      .rd_en  (1'b1),
      .rd_addr(head_q.region[REG_W-1:0]),
      .rd_data(region)
  );
  always_ff @(posedge clk) begin
    if (table_we) enabled_q[write.index[REG_W-1:0]] <= write.entry[$bits(region_t)-1];
    if (rst) enabled_q <= '0;
  end

  // ---- checks ----------------------------------------------------------------------------------
  logic move, ours, packet_good, allowed, fits, group_q, enable_q, good_q;
  logic [32:0] end_q;  // one past the last byte, in the region
  logic [31:0] addr_q;
  logic [6:0] left_q;  // beats still to be written
  logic first_q;
  logic [2:0] end_lane_q;

  assign move = s_axis.tvalid && s_axis.tready;
  assign ours = head_q.dst == node;
  assign packet_good = len_good(
      head_q.len
  ) && (sw2_op_e'(head_q.op) == OP_BOTF || sw2_op_e'(head_q.op) == OP_RDMA ? place_q.offset[2:0] ==
        '0 : sw2_op_e'(head_q.op) == OP_AOTF && head_q.len + 16'(place_q.offset[2:0]) <= 16'd8);
  assign allowed = enable_q && group_q && region.enable;
  assign fits = end_q <= 33'(region.limit);

  always_ff @(posedge clk) begin
    unique case (state_q)
      HEAD: begin
        head_q <= s_axis.tdata;
        if (move && !s_axis.tlast) state_q <= PLACE;
      end
      PLACE: begin
        place_q <= s_axis.tdata;
        if (move) state_q <= s_axis.tlast ? HEAD : LOOK;
      end
      LOOK: begin
        end_q    <= {1'b0, place_q.offset} + 33'(head_q.len);
        group_q  <= region.pgid == place_q.pgid;
        enable_q <= 32'(head_q.region) < REGIONS && enabled_q[head_q.region[REG_W-1:0]];
        good_q   <= packet_good;
        state_q  <= CHECK;
      end
      CHECK: begin
        addr_q <= region.base + {place_q.offset[31:3], 3'd0};
        left_q <= beats_of(head_q.len) - 7'd2;
        end_lane_q <= end_q[2:0] - 1'b1;
        first_q <= 1'b1;
        state_q <= ours && good_q && allowed && fits ? DATA : DRAIN;
      end
      DATA:
      if (move) begin
        addr_q  <= addr_q + 32'd8;
        left_q  <= left_q - 1'b1;
        first_q <= 1'b0;
        if (s_axis.tlast) state_q <= HEAD;
        else if (left_q == 7'd1) state_q <= DRAIN;
      end
      default: if (move && s_axis.tlast) state_q <= HEAD;
    endcase
    if (rst) state_q <= HEAD;
  end

  // ---- writes: address and data of a beat may be taken in different cycles ---------------------
  logic aw_done_q, w_done_q, offer;
  assign offer = state_q == DATA && s_axis.tvalid;
  assign m_axi.awvalid = offer && !aw_done_q;
  assign m_axi.awaddr = (m_axi.ADDR_W)'(addr_q);
  assign m_axi.awid = '0;
  assign m_axi.awlen = '0;
  assign m_axi.awsize = 3'd3;
  assign m_axi.awburst = 2'b01;
  assign m_axi.wvalid = offer && !w_done_q;
  assign m_axi.wdata = s_axis.tdata;
  assign m_axi.wlast = 1'b1;
  assign m_axi.wstrb = (first_q ? 8'hFF << place_q.offset[2:0] : 8'hFF)
      & (left_q == 7'd1 ? 8'hFF >> (3'd7 - end_lane_q) : 8'hFF);
  assign m_axi.bready = 1'b1;
  assign s_axis.tready = state_q == HEAD || state_q == PLACE || state_q == DRAIN ||
      (state_q == DATA && (aw_done_q || m_axi.awready) && (w_done_q || m_axi.wready));
  always_ff @(posedge clk) begin
    if (move) begin
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
    end else begin
      if (m_axi.awvalid && m_axi.awready) aw_done_q <= 1'b1;
      if (m_axi.wvalid && m_axi.wready) w_done_q <= 1'b1;
    end
    if (rst) begin
      aw_done_q <= 1'b0;
      w_done_q  <= 1'b0;
    end
  end

  // ---- events ----------------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    ev <= '0;
    if (state_q == CHECK) begin
      if (!ours) ev.wrong_node <= 1'b1;
      else if (!good_q) ev.bad_packet <= 1'b1;
      else if (!allowed) ev.bad_region <= 1'b1;
      else if (!fits) ev.out_of_bounds <= 1'b1;
    end
    if (state_q == HEAD && move && s_axis.tlast) ev.bad_packet <= 1'b1;
    if (state_q == PLACE && move && s_axis.tlast) ev.bad_packet <= 1'b1;
    if (state_q == DATA && move && (s_axis.tlast || left_q == 7'd1)) begin
      if (s_axis.tlast && left_q == 7'd1) ev.received <= 1'b1;
      else ev.bad_packet <= 1'b1;
    end
    ev.write_error <= m_axi.bvalid && m_axi.bresp != 2'b00;
    if (rst) ev <= '0;
  end

  logic unused;
  assign unused = ^{m_axi.bid, head_q.rsv, head_q.src, place_q.rsv, end_q, write.entry, write.index,
                    s_axis.tkeep};
endmodule
