// SPDX-License-Identifier: Apache-2.0
//
// Route of each packet that a switch port receives (IBTA volume 1, chapter 18): by the linear
// or the multicast forwarding table to a port, and by the SL-to-VL table to a virtual lane.
//
// in_*: packets without back-pressure; in_head_good: VL, LVer, length and port state are right
//   (valid with the beat that has the length); in_good, with in_last: all of it is. direct_*, with
//   in_first: the port, whatever the tables say. out_*: the same beats DELAY cycles later. With
//   out_first: out_take, there is a route (to out_port on out_ring, or with out_mcast to the ports
//   of out_mask), and the packet's length in words and in blocks of 64 bytes.
// DLID own_lid, or permissive on VL15: to port 0, the management port, which has one data VL.
// no_route, no_vl, loop, discard: a good packet without a route, one event each, with its last
//   beat.
// write: tables, one write a cycle. A packet that arrives with it may see the old or the new entry.
module kumi_ib_switch_route
  import kumi_ib_pkg::*;
  import kumi_ib_link_pkg::*;
  import kumi_ib_switch_pkg::*;
#(
    parameter  int PORTS    = 8,
    parameter  int NUMBER   = 1,                    // of this port; 0: the management port
    parameter  int WORDS    = 2,
    parameter  int DATA_VLS = 4,
    parameter  int LFT_CAP  = 1024,                 // LIDs
    parameter  int MFT_CAP  = 64,
    localparam int OUT_W    = $clog2(PORTS + 1),
    localparam int RING_W   = $clog2(DATA_VLS + 1)
) (
    input logic                      clk,
    input logic                      rst,
    input ib_table_write_t           write,
    input logic            [   15:0] own_lid,
    input ib_out_info_t    [PORTS:0] outs,

    // Packets received.
    input logic                    in_valid,
    input logic [ WORDS-1:0][31:0] in_data,
    input logic                    in_half,
    input logic                    in_first,
    input logic                    in_last,
    input logic [RING_W-1:0]       in_ring,
    input logic                    in_head_good,
    input logic                    in_good,
    input logic                    direct_valid,
    input logic [       7:0]       direct_port,

    // Packets with their route.
    output logic                    out_valid,
    output logic [ WORDS-1:0][31:0] out_data,
    output logic                    out_half,
    output logic                    out_first,
    output logic                    out_last,
    output logic                    out_good,
    output logic                    out_take,
    output logic                    out_mcast,
    output logic [ OUT_W-1:0]       out_port,
    output logic [   PORTS:0]       out_mask,
    output logic [       3:0]       out_sl,
    output logic [RING_W-1:0]       out_ring,
    output logic [RING_W-1:0]       out_in_ring,
    output logic [      10:0]       out_len,
    output logic [       6:0]       out_blocks,

    // Events.
    output logic        no_route,
    output logic        no_vl,
    output logic        loop,
    output ib_discard_t discard
);
  localparam int DELAY = route_delay(WORDS);
  localparam int LFT_W = $clog2(LFT_CAP);
  localparam int MFT_W = $clog2(MFT_CAP);
  localparam int POSITIONS = (PORTS + 16) / 16;

  typedef struct packed {
    logic                   valid;
    logic                   half;
    logic                   first;
    logic                   last;
    logic                   good;
    logic [RING_W-1:0]      ring;
    logic [WORDS-1:0][31:0] data;
  } route_beat_t;

  typedef struct packed {
    logic no_route;
    logic no_vl;
    logic loop;
    logic inactive;
    logic too_long;
  } reason_t;

  typedef struct packed {
    logic [7:0]        port;
    logic              mcast;
    logic [PORTS:0]    mask;
    logic [3:0]        sl;
    logic [RING_W-1:0] ring;
    logic [2:0]        mtu;
    reason_t           reason;
  } route_t;

  // ---- Stage 0: kind of DLID --------------------------------------------------------------------
  logic [15:0] dlid;
  logic head, mgmt, at_length;
  logic [10:0] len;

  assign head = in_valid && in_first;
  assign dlid = {in_data[0][23:16], in_data[0][31:24]};
  assign mgmt = in_data[0][7:4] == VL_MGMT;
  if (WORDS == 1) begin : gen_second
    logic second_q;
    always_ff @(posedge clk) begin
      if (in_valid) second_q <= in_first;
      if (rst) second_q <= 1'b0;
    end
    assign at_length = in_valid && second_q;
  end else begin : gen_first
    assign at_length = head;
  end
  assign len = {in_data[WORDS-1][2:0], in_data[WORDS-1][15:8]};

  logic [10:0] len_q;
  logic head_good_q;
  always_ff @(posedge clk) begin
    if (at_length) begin
      len_q <= len;
      head_good_q <= in_head_good;
    end else if (head) begin
      head_good_q <= 1'b0;
    end
  end

  // ---- Stage 1: forwarding tables ---------------------------------------------------------------
  logic own1_q, mcast1_q, unicast1_q, direct1_q, mgmt1_q, valid1;
  logic [7:0] direct_port1_q, lft_port, port1;
  logic [3:0] sl1_q;
  logic [15:0] mcast_index;
  logic [POSITIONS-1:0][15:0] mft_mask;
  logic [PORTS:0] mask1;

  assign mcast_index = dlid - LID_MCAST;

  kumi_ram_sdp #(
      .W(8),
      .DEPTH(LFT_CAP)
  ) u_lft (
      .clk,
      .wr_en  (write.lft_we && 32'(write.lft_lid) < LFT_CAP),
      .wr_addr(write.lft_lid[LFT_W-1:0]),
      .wr_data(write.lft_port),
      .rd_en  (head),
      .rd_addr(dlid[LFT_W-1:0]),
      .rd_data(lft_port)
  );

  logic [15:0] mft_index;
  assign mft_index = write.mft_lid - LID_MCAST;
  for (genvar i = 0; i < POSITIONS; i++) begin : gen_mft
    kumi_ram_sdp #(
        .W(16),
        .DEPTH(MFT_CAP)
    ) u_mft (
        .clk,
        .wr_en(write.mft_we && (write.mft_all || write.mft_position == 4'(i)) &&
               32'(mft_index) < MFT_CAP),
        .wr_addr(mft_index[MFT_W-1:0]),
        .wr_data(write.mft_mask),
        .rd_en(head),
        .rd_addr(mcast_index[MFT_W-1:0]),
        .rd_data(mft_mask[i])
    );
  end
  always_comb begin
    mask1 = (PORTS + 1)'(mft_mask);
    mask1[NUMBER] = 1'b0;
  end

  assign port1  = direct1_q ? direct_port1_q : own1_q ? 8'd0 : lft_port;
  assign valid1 = direct1_q || own1_q || unicast1_q;

  always_ff @(posedge clk) begin
    own1_q <= (dlid == own_lid && dlid != '0) || (dlid == LID_PERMISSIVE && mgmt);
    mcast1_q <= dlid >= LID_MCAST && 32'(mcast_index) < MFT_CAP && dlid != LID_PERMISSIVE &&
        !mgmt && !direct_valid;
    unicast1_q <= dlid != '0 && 32'(dlid) < LFT_CAP && dlid < LID_MCAST;
    direct1_q <= direct_valid;
    direct_port1_q <= direct_port;
    mgmt1_q <= mgmt;
    sl1_q <= in_data[0][15:12];
  end

  // ---- Stage 2: SL to VL, state of the output ---------------------------------------------------
  logic valid2_q, mcast2_q, mgmt2_q, loop2_q;
  logic [7:0] port2_q;
  logic [3:0] sl2_q, vl2;
  logic [PORTS:0] mask2_q;
  logic [63:0] row2;
  ib_out_info_t info2_q;
  route_t route2, late;

  kumi_ram_sdp #(
      .W(64),
      .DEPTH(PORTS + 1)
  ) u_s2v (
      .clk,
      .wr_en(write.s2v_we && (write.s2v_all || write.s2v_in == 8'(NUMBER)) &&
             32'(write.s2v_out) <= PORTS),
      .wr_addr(write.s2v_out[OUT_W-1:0]),
      .wr_data(write.s2v_table),
      .rd_en(1'b1),
      .rd_addr(32'(port1) <= PORTS ? port1[OUT_W-1:0] : '0),
      .rd_data(row2)
  );

  always_ff @(posedge clk) begin
    valid2_q <= valid1 && 32'(port1) <= PORTS;
    mcast2_q <= mcast1_q;
    mgmt2_q  <= mgmt1_q;
    loop2_q  <= port1 == 8'(NUMBER);
    port2_q  <= port1;
    sl2_q    <= sl1_q;
    mask2_q  <= mask1;
    info2_q  <= outs[32'(port1)<=PORTS?port1[OUT_W-1:0] : '0];
  end

  assign vl2 = vl_of(row2, sl2_q);
  always_comb begin
    route2       = '0;
    route2.port  = port2_q;
    route2.mcast = mcast2_q;
    route2.mask  = mask2_q;
    route2.sl    = sl2_q;
    route2.mtu   = info2_q.mtu;
    route2.ring  = mgmt2_q ? RING_W'(DATA_VLS) : port2_q == '0 ? '0 : vl2[RING_W-1:0];
    if (mcast2_q) begin
      route2.reason.no_route = mask2_q == '0;
    end else if (!valid2_q) begin
      route2.reason.no_route = 1'b1;
    end else if (loop2_q) begin
      route2.reason.loop = 1'b1;
    end else if (mgmt2_q ? !info2_q.mgmt_ok : !info2_q.data_ok) begin
      route2.reason.inactive = 1'b1;
    end else if (!mgmt2_q && port2_q != '0 && (vl2 >= vls_of(
            info2_q.oper_vls
        ) || 32'(vl2) >= DATA_VLS)) begin
      route2.reason.no_vl = 1'b1;
    end
  end

  // ---- Stage 3 and later: with the length -------------------------------------------------------
  if (WORDS == 1) begin : gen_wait
    route_t [2:0] wait_q;
    always_ff @(posedge clk) wait_q <= {wait_q[1:0], route2};
    assign late = wait_q[2];
  end else begin : gen_now
    assign late = route2;
  end

  route_beat_t [DELAY-1:0] beat_q;
  route_t route_q;
  reason_t reason, first_reason_q;
  logic take_q, refused;
  logic [5:0] first_port_q;

  always_ff @(posedge clk) begin
    beat_q <= {
      beat_q[DELAY-2:0], {in_valid, in_half, in_first, in_last, in_good, in_ring, in_data}
    };
    route_q <= late;
    route_q.reason.too_long <= late.reason == '0 && !late.mcast && len_q > max_pkt_len(late.mtu);
    take_q <= head_good_q;
    out_len <= len_q;
    out_blocks <= blocks_of(len_q);
    if (rst) begin
      for (int i = 0; i < DELAY; i++) beat_q[i].valid <= 1'b0;
    end
  end

  assign out_valid = beat_q[DELAY-1].valid;
  assign out_data = beat_q[DELAY-1].data;
  assign out_half = beat_q[DELAY-1].half;
  assign out_first = beat_q[DELAY-1].first;
  assign out_last = beat_q[DELAY-1].last;
  assign out_good = beat_q[DELAY-1].good;
  assign out_in_ring = beat_q[DELAY-1].ring;
  assign out_take = take_q && route_q.reason == '0;
  assign out_mcast = route_q.mcast;
  assign out_port = route_q.port[OUT_W-1:0];
  assign out_mask = route_q.mask;
  assign out_sl = route_q.sl;
  assign out_ring = route_q.ring;

  // ---- Events -----------------------------------------------------------------------------------
  assign reason = out_first ? route_q.reason : first_reason_q;
  assign refused = out_valid && out_last && out_good;
  always_ff @(posedge clk) begin
    if (out_valid && out_first) begin
      first_reason_q <= route_q.reason;
      first_port_q   <= route_q.port[5:0];
    end
    no_route <= refused && reason.no_route;
    no_vl <= refused && reason.no_vl;
    loop <= refused && reason.loop;
    discard <= '0;
    discard.valid <= refused && (reason.inactive || reason.too_long);
    discard.port <= out_first ? route_q.port[5:0] : first_port_q;
    discard.inactive <= reason.inactive;
    discard.too_long <= reason.too_long;
    if (rst) begin
      no_route <= 1'b0;
      no_vl    <= 1'b0;
      loop     <= 1'b0;
      discard  <= '0;
    end
  end

  logic unused;
  assign unused = ^{write, mcast_index, mft_index, mft_mask, route_q, info2_q};
endmodule
