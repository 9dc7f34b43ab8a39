// SPDX-License-Identifier: Apache-2.0
//
// Receive: whether a frame is for this device, and for which of its queues.
//
// in_*: beats of frames, one in each cycle with in_valid; there is no back-pressure.
// look_at: of the frame whose first beat came; look_take, 4 cycles later: see kumi_nic_filter.
// spread, table_*: see kumi_nic_rss.
// out_take, out_queue, out_hash: of the frame whose last beat came LATENCY cycles before. With
//   several pairs the queue is chosen by the Toeplitz hash of addresses and ports of IPv4 and IPv6
//   (without options and extension headers, and of fragments the addresses alone), so that the
//   frames of a flow stay in order: by the indirection table, or evenly until the driver sets one.
//   Anything else goes to queue 0, or to the one that is set for it. The hash is told of once the
//   driver has said which ones it wants to know.
// flow, flow_ok: of the frame whose first beat came; steer_hit, steer_queue, 6 cycles later: see
//   kumi_nic_steer. The queue of a flow in that table comes first, if it is in use: live, and with
//   an even spread among its pairs. Else the hash chooses.
// Events: 0 a frame that is received has the queue of its flow, 1 that queue is not in use.
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
    output nic_flow_t flow,
    output logic flow_go,
    output logic flow_ok,
    input logic steer_hit,
    input logic [LOOK_W-1:0] steer_queue,
    input logic [QUEUES-1:0] live,
    output logic out_take,
    output logic [LOOK_W-1:0] out_queue,
    output nic_hash_t out_hash,
    output logic [1:0] ev
);
  if (DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 512: the headers are in one beat (%m)");
  end

  // ---- the first beat of a frame, and what it says, a step a cycle ---------------------------
  localparam int STEPS = LATENCY - 6;  // that the result of the sixth step waits, 2 at least
  logic first_q, begins_q;
  logic [511:0] head_q;
  logic [287:0] hashed, hashed_q;
  logic [31:0] hash;
  logic v4, v6, whole, tcp, udp, ports, flows;
  logic [7:0] protocol;
  logic [2:0] kinds;  // that are hashed: addresses, TCP, UDP
  logic [3:0] flows_q;
  logic [2:0] kind;
  logic [2:0] kind_q[4];
  nic_hash_t hash_q[STEPS+1];
  logic [31:0] value_q;
  logic [23:0] spread_q;
  logic take_q[STEPS+1];
  logic [LOOK_W-1:0] queue_q[STEPS+1];
  logic [QUEUES-1:0] usable_q;  // queues
  logic [5:0] begun_q;  // a frame began, and 2 to 7 cycles ago

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
  assign kind = !flows ? 3'd0 : 3'(tcp ? 3'd2 : udp ? 3'd3 : 3'd1) + (v6 ? 3'd3 : 3'd0);
  for (genvar i = 0; i < 36; ++i) begin : gen_hashed
    if (i < 8) begin : gen_addresses
      assign hashed[8*(35-i)+:8] = v6 ? head_q[8*(22+i)+:8] : head_q[8*(26+i)+:8];
    end else if (i < 12) begin : gen_ports4
      assign hashed[8*(35-i)+:8] = v6 ? head_q[8*(22+i)+:8] : ports ? head_q[8*(26+i)+:8] : '0;
    end else if (i < 32) begin : gen_addresses6
      assign hashed[8*(35-i)+:8] = v6 ? head_q[8*(22+i)+:8] : '0;
    end else begin : gen_ports6
      assign hashed[8*(35-i)+:8] = v6 && ports ? head_q[8*(22+i)+:8] : '0;
    end
  end

  kumi_nic_toeplitz u_hash (
      .clk,
      .key (spread.key),
      .data(hashed_q),
      .hash
  );
  assign table_index = hash[6:0];

  // ---- its flow, whatever is hashed of it ----------------------------------------------------
  function automatic logic [127:0] wire_order(input logic [127:0] bytes);
    for (int i = 0; i < 16; ++i) wire_order[8*(15-i)+:8] = bytes[8*i+:8];
  endfunction
  logic [31:0] ports_raw;
  assign ports_raw = v6 ? head_q[8*54+:32] : head_q[8*34+:32];
  assign flow = '{
          v6: v6,
          udp: protocol[4],
          source: v6 ? wire_order(head_q[8*22+:128]) : wire_order({head_q[8*26+:32], 96'd0}),
          to: v6 ? wire_order(head_q[8*38+:128]) : wire_order({head_q[8*30+:32], 96'd0}),
          source_port: {ports_raw[7:0], ports_raw[15:8]},
          to_port: {ports_raw[23:16], ports_raw[31:24]}
      };
  assign flow_go = begins_q;
  assign flow_ok = (v4 || v6) && whole && (protocol == 8'd6 || protocol == 8'd17);

  always_ff @(posedge clk) begin
    begins_q <= in_valid && first_q;
    if (in_valid) first_q <= in_last;
    if (in_valid && first_q) head_q <= in_data;
    if (begins_q) begin
      hashed_q   <= hashed;
      flows_q[0] <= flows;
      kind_q[0]  <= spread.report ? kind : '0;
    end
    flows_q[3:1] <= flows_q[2:0];
    for (int i = 1; i < 4; ++i) kind_q[i] <= kind_q[i-1];
    value_q <= hash;
    hash_q[0] <= '{kind: kind_q[3], value: kind_q[3] == '0 ? '0 : value_q};
    // The hash is a number between 0 and 1; so many pairs of that.
    spread_q <= hash[31:16] * spread.pairs;
    take_q[0] <= look_take;
    queue_q[0] <= !flows_q[3] ? spread.unclassified[LOOK_W-1:0] :
        spread.rss ? table_queue : spread_q[16+:LOOK_W];
    for (int i = 1; i <= STEPS; ++i) begin
      take_q[i]  <= take_q[i-1];
      queue_q[i] <= queue_q[i-1];
      hash_q[i]  <= hash_q[i-1];
    end
    for (int i = 0; i < QUEUES; ++i) usable_q[i] <= live[i] && (spread.rss || 8'(i) < spread.pairs);
    if (steer_hit && usable_q[steer_queue]) queue_q[2] <= steer_queue;
    begun_q <= {begun_q[4:0], begins_q};
    ev[0]   <= begun_q[5] && take_q[1] && steer_hit && usable_q[steer_queue];
    ev[1]   <= begun_q[5] && take_q[1] && steer_hit && !usable_q[steer_queue];
    if (rst) begin
      first_q  <= 1'b1;
      begins_q <= 1'b0;
      begun_q  <= '0;
    end
  end
  assign out_take  = take_q[STEPS];
  assign out_queue = queue_q[STEPS];
  assign out_hash  = hash_q[STEPS];

  logic unused;
  assign unused = ^{head_q, spread_q, spread, hash[15:7]};
endmodule
