// SPDX-License-Identifier: Apache-2.0
//
// Where a datagram goes: hop pointer rules of directed routes (IBTA volume 1, clause 14.2.2, C14-9
// and C14-13), and destination LIDs of the others.
//
// path: InitialPath[HopPtr + 1] of a datagram on its way out, ReturnPath[HopPtr - 1] on its way
//   back; path_at: the index of this byte. lid, lmc: of the port it arrived at (port 0 of a
//   switch). path_at: combinational; result: latency 2 cycles.
// A channel adapter or router forwards only what its local manager sends, and never from port to
// port.
module kumi_ib_smi
  import kumi_ib_pkg::*, kumi_ib_mgmt_pkg::*;
#(
    parameter int NODE_TYPE = 2,  // 1 channel adapter, 2 switch, 3 router
    parameter int PORTS     = 4,
    parameter bit HOST      = 0   // there is a local manager
) (
    input  logic              clk,
    input  mad_req_t          req,
    input  logic       [15:0] lid,
    input  logic       [ 2:0] lmc,
    input  logic              is_sm,
    output logic       [ 5:0] path_at,
    input  logic       [ 7:0] path,
    output smi_route_t        result
);
  localparam bit SWITCH = NODE_TYPE == NODE_SWITCH;

  logic directed, back, permissive_end, permissive_start, own, for_manager, path_ok, in_range;
  logic at_start, at_end, before_end, past_end, at_first;
  logic [15:0] range;
  smi_route_t r;

  assign path_at = req.status[15] ? req.hop_ptr[5:0] - 1'b1 : req.hop_ptr[5:0] + 1'b1;
  assign range   = 16'hFFFF << lmc;

  always_ff @(posedge clk) begin
    directed <= !req.qp1 && req.mgmt_class == CLASS_SUBN_DR;
    back <= req.status[15];
    permissive_end <= req.dr_dlid == LID_PERMISSIVE;
    permissive_start <= req.dr_slid == LID_PERMISSIVE;
    path_ok <= path != '0 && path <= 8'(PORTS) && (SWITCH || (req.host && path[6:0] == req.port));
    in_range <= req.hop_cnt < 8'd64;
    at_start <= req.hop_ptr == '0;
    at_first <= req.hop_ptr == 8'd1;
    at_end <= req.hop_ptr == req.hop_cnt;
    before_end <= req.hop_ptr < req.hop_cnt;
    past_end <= req.hop_ptr == req.hop_cnt + 8'd1;
    own <= req.dlid == LID_PERMISSIVE || (lid != '0 && ((req.dlid ^ lid) & range) == '0);
    // For a manager or another service of the host: responses, traps, SMInfo, other classes.
    for_manager <= req.method[7] || (req.qp1 ? req.mgmt_class != CLASS_PERF
        : req.method == METHOD_TRAP || (HOST && is_sm && req.attr_id == ATTR_SM_INFO));
  end

  always_comb begin
    r = '0;
    r.hop_ptr = req.hop_ptr;
    r.dlid = LID_PERMISSIVE;
    r.slid = LID_PERMISSIVE;
    r.dest = path;
    r.record_at = req.hop_ptr[5:0];
    r.route = ROUTE_DROP;
    if (!directed) begin
      r.lid_routed = 1'b1;
      r.dlid = req.dlid;
      r.slid = req.host && req.slid == '0 ? lid : req.slid;
      r.dest = SWITCH ? DEST_LFT : {1'b0, req.port};
      if (own) r.route = ROUTE_LOCAL;
      else if (req.host) r.route = ROUTE_FORWARD;
      if (req.mgmt_class != CLASS_SUBN && !req.qp1) r.route = ROUTE_DROP;
    end else if (!in_range) begin
      r.route = ROUTE_DROP;
    end else if (!back) begin
      if (at_start && !at_end && req.host && !permissive_start && !own) begin
        r.dest  = SWITCH ? DEST_LFT : {1'b0, req.port};  // to where the directed part begins
        r.dlid  = req.dlid;
        r.slid  = lid;
        r.route = ROUTE_FORWARD;
      end else if (at_start && !at_end) begin  // C14-9 1: here it begins
        r.hop_ptr = 8'd1;
        if (path_ok && (req.host || !permissive_start)) r.route = ROUTE_FORWARD;
      end else if (at_end) begin  // C14-9 3: here it ends
        r.hop_ptr = req.hop_ptr + 1'b1;
        r.record  = !at_start;
        if (permissive_end) begin
          r.route = ROUTE_LOCAL;
        end else if (SWITCH) begin
          r.route = ROUTE_FORWARD;
          r.dest  = DEST_LFT;
          r.dlid  = req.dr_dlid;
          r.slid  = lid;
        end
      end else if (before_end) begin  // C14-9 2
        r.hop_ptr = req.hop_ptr + 1'b1;
        r.record  = 1'b1;
        if (SWITCH && path_ok) r.route = ROUTE_FORWARD;
      end else if (past_end) begin  // C14-9 4
        r.lid_routed = 1'b1;
        r.dlid = req.dlid;
        r.slid = req.slid;
        if (own) r.route = ROUTE_LOCAL;
      end
    end else begin
      if (at_start) begin  // C14-13 4
        r.route = ROUTE_LOCAL;
      end else if (at_first) begin  // C14-13 3
        r.hop_ptr = 8'd0;
        if (permissive_start) begin
          r.route = ROUTE_LOCAL;
        end else if (SWITCH) begin
          r.route = ROUTE_FORWARD;
          r.dest  = DEST_LFT;
          r.dlid  = req.dr_slid;
          r.slid  = lid;
        end
      end else if (at_end || before_end || past_end) begin  // C14-13 1, 2
        r.hop_ptr = req.hop_ptr - 1'b1;
        if (path_ok) r.route = ROUTE_FORWARD;
      end
    end

    if (r.route == ROUTE_LOCAL && !for_manager && directed && back) r.route = ROUTE_DROP;
    if (r.route == ROUTE_LOCAL && for_manager) begin
      r.route = HOST ? ROUTE_HOST : ROUTE_DROP;
      r.dest = DEST_HOST | {1'b0, req.port};
      r.no_manager = !HOST;
      if (directed) begin
        r.dlid = req.dlid;
        r.slid = req.slid;
      end
    end
  end

  always_ff @(posedge clk) result <= r;

  logic unused;
  assign unused = ^{req};
endmodule
