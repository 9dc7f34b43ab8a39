// SPDX-License-Identifier: Apache-2.0
//
// Receive: whether a frame is for this device, and for which of its queues.
//
// in_*: beats of frames, one in each cycle with in_valid; there is no back-pressure.
// look_at: of the frame whose first beat came; look_take, 4 cycles later: see kumi_nic_filter.
// spread, table_*: see kumi_nic_rss.
// out_take, out_queue: of the frame whose last beat came LATENCY cycles before. With several pairs
//   the queue is chosen by the Toeplitz hash of addresses and ports of IPv4 and IPv6 (without
//   options and extension headers, and of fragments the addresses alone), so that the frames of a
//   flow stay in order: by the indirection table, or evenly until the driver sets one. Anything
//   else goes to queue 0, or to the one that is set for it.
module kumi_nic_rx_class
  import kumi_nic_pkg::*;
#(
    parameter  int DATA_W  = 512,             // bits of a beat: 512, so that the headers are in one
    parameter  int QUEUES  = 2,               // receive queues, 2..256
    localparam int LOOK_W  = $clog2(QUEUES),
    localparam int LATENCY = 8
) (
    input logic clk,
    input logic rst,
    input logic in_valid,
    input logic in_last,
    input logic [DATA_W-1:0] in_data,
    output nic_look_t look_at,
    input logic look_take,
    input nic_spread_t spread,
    output logic [6:0] table_index,
    input logic [LOOK_W-1:0] table_queue,
    output logic out_take,
    output logic [LOOK_W-1:0] out_queue
);
  if (DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 512: the headers are in one beat (%m)");
  end

  // ---- the first beat of a frame, and what it says, a step a cycle ---------------------------
  localparam int STEPS = LATENCY - 6;  // that the result of the sixth step waits
  logic first_q, begins_q;
  logic [511:0] head_q;
  logic [287:0] flow, flow_q;
  logic [31:0] hash;
  logic v4, v6, whole, tcp, udp, ports, flows;
  logic [7:0] protocol;
  logic [2:0] kinds;  // that are hashed: addresses, TCP, UDP
  logic [3:0] flows_q;
  logic [23:0] spread_q;
  logic take_q[STEPS+1];
  logic [LOOK_W-1:0] queue_q[STEPS+1];

  for (genvar i = 0; i < 6; ++i) begin : gen_to
    assign look_at.to[8*(5-i)+:8] = head_q[8*i+:8];
  end
  assign look_at.has_tag = head_q[111:96] == 16'h0081;
  assign look_at.vlan = {head_q[115:112], head_q[127:120]};
  assign v4 = head_q[111:96] == 16'h0008;
  assign v6 = head_q[111:96] == 16'hdd86;
  assign kinds = v6 ? spread.types[5:3] : spread.types[2:0];
  assign protocol = v6 ? head_q[8*20+:8] : head_q[8*23+:8];
  // Version 4 without options, neither a fragment nor the first of several; or version 6.
  assign whole = v6 || (head_q[119:112] == 8'h45 && {head_q[165:160], head_q[175:168]} == '0);
  assign tcp = whole && protocol == 8'd6 && kinds[1];
  assign udp = whole && protocol == 8'd17 && kinds[2];
  assign ports = tcp || udp;
  assign flows = (v4 || v6) && (ports || kinds[0]);
  for (genvar i = 0; i < 36; ++i) begin : gen_flow
    if (i < 8) begin : gen_addresses
      assign flow[8*(35-i)+:8] = v6 ? head_q[8*(22+i)+:8] : head_q[8*(26+i)+:8];
    end else if (i < 12) begin : gen_ports4
      assign flow[8*(35-i)+:8] = v6 ? head_q[8*(22+i)+:8] : ports ? head_q[8*(26+i)+:8] : '0;
    end else if (i < 32) begin : gen_addresses6
      assign flow[8*(35-i)+:8] = v6 ? head_q[8*(22+i)+:8] : '0;
    end else begin : gen_ports6
      assign flow[8*(35-i)+:8] = v6 && ports ? head_q[8*(22+i)+:8] : '0;
    end
  end

  kumi_nic_toeplitz u_hash (
      .clk,
      .key (spread.key),
      .data(flow_q),
      .hash
  );
  assign table_index = hash[6:0];

  always_ff @(posedge clk) begin
    begins_q <= in_valid && first_q;
    if (in_valid) first_q <= in_last;
    if (in_valid && first_q) head_q <= in_data;
    if (begins_q) begin
      flow_q <= flow;
      flows_q[0] <= flows;
    end
    flows_q[3:1] <= flows_q[2:0];
    // The hash is a number between 0 and 1; so many pairs of that.
    spread_q <= hash[31:16] * spread.pairs;
    take_q[0] <= look_take;
    queue_q[0] <= !flows_q[3] ? spread.unclassified[LOOK_W-1:0] :
        spread.rss ? table_queue : spread_q[16+:LOOK_W];
    for (int i = 1; i <= STEPS; ++i) begin
      take_q[i]  <= take_q[i-1];
      queue_q[i] <= queue_q[i-1];
    end
    if (rst) begin
      first_q  <= 1'b1;
      begins_q <= 1'b0;
    end
  end
  assign out_take  = take_q[STEPS];
  assign out_queue = queue_q[STEPS];

  logic unused;
  assign unused = ^{head_q, spread_q, spread, hash[15:7]};
endmodule
