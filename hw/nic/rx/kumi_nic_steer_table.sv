// SPDX-License-Identifier: Apache-2.0
//
// Lookups in the table of flows: one a cycle. A flow has a bucket of WAYS slots in each of two
// halves, by two hashes; a slot is {half, bucket, way}.
//
// flow, flow_ok: with flow_go, in any cycle. hit, queue: from 6 cycles later on, until those of the
//   next flow: an open slot holds that flow.
// slot: whose state is changed. slot_open: it is open, a cycle later. put: writes put_flow and
//   put_queue to a slot that is shut; open, a cycle later at the earliest: it takes part from now
//   on; shut, shut_all: no longer.
module kumi_nic_steer_table
  import kumi_nic_pkg::*;
#(
    parameter  int ENTRIES = 128,                 // half as many as slots
    parameter  int LOOK_W  = 1,                   // bits of a queue
    localparam int SLOT_W  = $clog2(2 * ENTRIES)
) (
    input logic clk,
    input logic rst,

    input nic_flow_t flow,
    input logic flow_go,
    input logic flow_ok,
    output logic hit,
    output logic [LOOK_W-1:0] queue,

    input logic [SLOT_W-1:0] slot,
    output logic slot_open,
    input logic put,
    input nic_flow_t put_flow,
    input logic [LOOK_W-1:0] put_queue,
    input logic open,
    input logic shut,
    input logic shut_all
);
  localparam int WAYS = NIC_STEER_WAYS;
  localparam int BUCKETS = ENTRIES / WAYS;
  localparam int BUCKET_W = $clog2(BUCKETS);
  localparam int FLOW_W = $bits(nic_flow_t);
  localparam int PART = 10;  // bits that are compared at once
  localparam int PARTS = FLOW_W / PART;

  if (FLOW_W % PART != 0) begin : gen_check_parts
    $fatal(0, "a flow is no whole number of parts (%m)");
  end

  // ---- 1: the flow; 2: its buckets; 3: what they hold ------------------------------------------
  nic_flow_t flow1_q, flow2_q;
  logic [FLOW_W-1:0] flow3_q;
  logic [1:0][BUCKET_W-1:0] bucket2_q;
  logic [4:0] go_q;  // a flow came, and 2 to 5 cycles ago
  logic ok1_q, ok2_q, ok3_q, ok4_q, ok5_q;

  always_ff @(posedge clk) begin
    go_q <= {go_q[3:0], flow_go};
    if (flow_go) {ok1_q, flow1_q} <= {flow_ok, flow};
    if (go_q[0]) begin
      {ok2_q, flow2_q} <= {ok1_q, flow1_q};
      for (int h = 0; h < 2; ++h) bucket2_q[h] <= BUCKET_W'(nic_steer_hash(flow1_q, h));
    end
    if (go_q[1]) {ok3_q, flow3_q} <= {ok2_q, flow2_q};
    if (go_q[2]) ok4_q <= ok3_q;
    if (go_q[3]) ok5_q <= ok4_q;
    if (rst) go_q <= '0;
  end

  // ---- slots ---------------------------------------------------------------------------------
  logic [BUCKET_W-1:0] put_bucket;
  logic [2*WAYS-1:0] mine, open3_q, hit5_q;
  logic [2*WAYS-1:0][LOOK_W-1:0] queue3, queue4_q, queue5_q;
  logic [2*WAYS-1:0][FLOW_W-1:0] entry3;
  logic [2*WAYS-1:0][PARTS-1:0] same4_q;
  logic [2*WAYS-1:0] open4_q;
  logic [2*WAYS-1:0][BUCKETS-1:0] open_q;

  assign put_bucket = slot[2+:BUCKET_W];
  assign mine = (2 * WAYS)'(1) << {slot[SLOT_W-1], slot[1:0]};

  for (genvar w = 0; w < 2 * WAYS; ++w) begin : gen_way
    kumi_ram_sdp #(
        .W(FLOW_W + LOOK_W),
        .DEPTH(BUCKETS)
    ) u_entries (
        .clk,
        .wr_en  (put && mine[w]),
        .wr_addr(put_bucket),
        .wr_data({put_flow, put_queue}),
        .rd_en  (go_q[1]),
        .rd_addr(bucket2_q[w/WAYS]),
        .rd_data({entry3[w], queue3[w]})
    );

    always_ff @(posedge clk) begin
      if (mine[w] && (open || shut)) open_q[w][put_bucket] <= open;
      if (rst || shut_all) open_q[w] <= '0;
      if (go_q[1]) open3_q[w] <= open_q[w][bucket2_q[w/WAYS]];
      // 4: which parts are the same
      if (go_q[2]) begin
        for (int p = 0; p < PARTS; ++p) begin
          same4_q[w][p] <= entry3[w][PART*p+:PART] == flow3_q[PART*p+:PART];
        end
        open4_q[w]  <= open3_q[w];
        queue4_q[w] <= queue3[w];
      end
      // 5: all of them
      if (go_q[3]) begin
        hit5_q[w]   <= open4_q[w] && &same4_q[w];
        queue5_q[w] <= queue4_q[w];
      end
    end
  end

  // ---- 6: the slot's queue -------------------------------------------------------------------
  logic [LOOK_W-1:0] found;
  logic [2*WAYS-1:0] open_at;
  always_comb begin
    found = '0;
    for (int w = 0; w < 2 * WAYS; ++w) begin
      found |= hit5_q[w] ? queue5_q[w] : '0;
      open_at[w] = open_q[w][put_bucket];
    end
  end
  always_ff @(posedge clk) begin
    if (go_q[4]) begin
      hit   <= |hit5_q && ok5_q;
      queue <= found;
    end
    slot_open <= |(mine & open_at);
  end
endmodule
