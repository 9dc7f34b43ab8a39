// SPDX-License-Identifier: Apache-2.0
//
// State machine of the management agent: one datagram after the other is routed, checked (M_Key,
// attribute, fields), carried out and answered; traps go out in between.
//
// req: until req_ready. route and decoded: of req, once the packet buffer has been read for the
//   byte of the directed route (path_read). acc_*: passes of kumi_ib_attr_access; commit: pulse
//   behind a WRITE. own: the port with a LID at which req arrived; port_0: for traps. verdict: one
//   cycle. sending: the packet buffer belongs to kumi_ib_mad_tx.
// Each state but the passes and ST_WAIT has a fixed number of cycles.
module kumi_ib_agent_ctrl
  import kumi_ib_pkg::*, kumi_ib_mgmt_pkg::*;
#(
    parameter int NODE_TYPE = 2
) (
    input  logic                    clk,
    input  logic                    rst,
    // datagram
    input  mad_req_t                req,
    input  logic                    req_valid,
    output logic                    req_ready,
    input  smi_route_t              route,
    input  logic             [ 7:0] decoded,      // status
    // M_Key
    input  logic             [ 1:0] protect,
    output logic                    verdict,
    output logic                    key_bad,      // with verdict
    output logic                    key_good,     // with verdict: the right one, and not 0
    output logic                    hide_m_key,   // from the verdict on
    output logic                    repress,      // TrapRepress accepted
    // passes
    output logic                    acc_start,
    output access_e                 acc_op,
    input  logic                    acc_ready,
    input  logic                    acc_done,
    input  logic                    acc_invalid,
    input  logic                    key_match,
    input  logic                    key_zero,
    output logic                    commit,
    // packet buffer
    output logic                    path_read,
    output logic                    sending,
    // answer
    output mad_tx_t                 tx,
    output logic                    tx_start,
    input  logic                    tx_done,
    // trap
    input  end_port_t               own,
    input  end_port_t               port_0,
    input  logic                    trap_valid,
    output logic                    trap_ready,
    input  logic             [31:0] trap_tid,
    output ib_agent_events_t        ev            // but for what the receiver drops
);
  localparam bit SWITCH = NODE_TYPE == NODE_SWITCH;

  typedef enum logic [3:0] {
    ST_IDLE,
    ST_PATH,     // byte of the directed route, then route
    ST_ROUTE,
    ST_KEY,
    ST_VERDICT,
    ST_CHECK,
    ST_WRITE,
    ST_SETTLE,   // settings take effect
    ST_READ,
    ST_SEND,
    ST_WAIT,
    ST_DONE
  } state_e;

  state_e state_q, state_d;
  logic [2:0] count_q;
  logic [7:0] status_q;
  logic key_ok, directed, set_method, repress_method;

  assign directed = !req.qp1 && req.mgmt_class == CLASS_SUBN_DR;
  assign set_method = req.method == METHOD_SET;
  assign repress_method = req.method == METHOD_TRAP_REPRESS && !req.qp1;
  assign key_ok = req.qp1 || key_zero || key_match;
  assign key_bad = !key_ok && (req.method != METHOD_GET || protect[1]);
  assign key_good = key_match && !key_zero;
  assign verdict = state_q == ST_VERDICT && !req.qp1;
  assign repress = verdict && !key_bad && repress_method;
  assign req_ready = state_q == ST_DONE;
  assign trap_ready = state_q == ST_IDLE && acc_ready && !req_valid;
  assign path_read = state_q == ST_PATH;
  assign sending = state_q == ST_WAIT;

  // A pass starts in the second cycle of its state.
  assign acc_start = count_q == 3'd1 && state_q inside {ST_KEY, ST_CHECK, ST_WRITE, ST_READ};
  always_comb begin
    unique case (state_q)
      ST_KEY:   acc_op = ACCESS_KEY;
      ST_CHECK: acc_op = ACCESS_CHECK;
      ST_WRITE: acc_op = ACCESS_WRITE;
      default:  acc_op = ACCESS_READ;
    endcase
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      ST_IDLE: begin
        if (acc_ready && req_valid) state_d = ST_PATH;
        else if (acc_ready && trap_valid) state_d = ST_WAIT;
      end
      // Buffer and its byte take a cycle each, the route two.
      ST_PATH: if (count_q == 3'd4) state_d = ST_ROUTE;
      ST_ROUTE: begin
        unique case (route.route)
          ROUTE_DROP: state_d = ST_DONE;
          ROUTE_LOCAL: state_d = req.qp1 ? ST_VERDICT : ST_KEY;
          default: state_d = ST_SEND;
        endcase
      end
      ST_KEY: if (acc_done) state_d = ST_VERDICT;
      ST_VERDICT: begin
        if (key_bad || repress_method) state_d = ST_DONE;
        else if (decoded != STATUS_OK) state_d = ST_SEND;
        else state_d = set_method ? ST_CHECK : ST_READ;
      end
      ST_CHECK: if (acc_done) state_d = acc_invalid ? ST_READ : ST_WRITE;
      ST_WRITE: if (acc_done) state_d = ST_SETTLE;
      ST_SETTLE: if (count_q == '1) state_d = ST_READ;
      ST_READ: if (acc_done) state_d = ST_SEND;
      ST_SEND: state_d = ST_WAIT;
      ST_WAIT: if (tx_done) state_d = tx.trap ? ST_IDLE : ST_DONE;
      default: state_d = ST_IDLE;
    endcase
  end

  // ---- Packet to send ---------------------------------------------------------------------------
  mad_tx_t tx_d;

  always_comb begin
    tx_d = '0;
    tx_d.qp1 = req.qp1;
    tx_d.sl = req.sl;
    tx_d.mgmt_class = req.mgmt_class;
    tx_d.hop_ptr = route.hop_ptr;
    tx_d.hop_cnt = req.hop_cnt;
    tx_d.record = route.record;
    tx_d.record_at = route.record_at;
    tx_d.record_port = {1'b0, req.port};
    tx_d.dest = route.dest;
    tx_d.dlid = route.dlid;
    tx_d.slid = route.slid;
    tx_d.class_ver = req.class_ver;
    tx_d.method = req.method;
    tx_d.status = req.status;
    tx_d.dest_qp = req.src_qp;
    if (route.route == ROUTE_LOCAL) begin
      tx_d.response = 1'b1;
      tx_d.class_ver = 8'd1;
      tx_d.method = METHOD_GET_RESP;
      tx_d.status = {directed, 7'd0, status_q};
      if (route.lid_routed) begin
        tx_d.dest = SWITCH && req.slid != LID_PERMISSIVE ? DEST_LFT : {1'b0, req.port};
        tx_d.dlid = req.slid;
        tx_d.slid = req.dlid == LID_PERMISSIVE ? own.lid : req.dlid;
      end else begin
        // Back to where it came from: C14-13 1, and 3 where the directed part has no hop.
        tx_d.hop_ptr = req.hop_cnt;
        tx_d.dest = {1'b0, req.port};
        if (req.hop_cnt == '0 && req.dr_slid != LID_PERMISSIVE) begin
          tx_d.dest = SWITCH ? DEST_LFT : {1'b0, req.port};
          tx_d.dlid = req.dr_slid;
          tx_d.slid = own.lid;
        end
      end
      if (req.host) tx_d.dest = DEST_HOST | {1'b0, req.port};
    end
    if (state_q == ST_IDLE) begin
      tx_d = '0;
      tx_d.trap = 1'b1;
      tx_d.dest = DEST_LFT;
      tx_d.sl = port_0.sm_sl;
      tx_d.dlid = port_0.sm_lid;
      tx_d.slid = port_0.lid;
      tx_d.lid = port_0.lid;
      tx_d.mgmt_class = CLASS_SUBN;
      tx_d.class_ver = 8'd1;
      tx_d.method = METHOD_TRAP;
      tx_d.tid = trap_tid;
    end
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    count_q <= state_d != state_q ? '0 : count_q == '1 ? count_q : count_q + 1'b1;
    if (state_q == ST_SEND || state_q == ST_IDLE) tx <= tx_d;
    tx_start <= state_q != ST_WAIT && state_d == ST_WAIT;
    commit   <= state_q == ST_WRITE && acc_done;
    if (state_q == ST_VERDICT) begin
      status_q   <= decoded;
      hide_m_key <= !key_ok && protect != '0;
    end
    if (state_q == ST_CHECK && acc_done && acc_invalid) status_q <= STATUS_BAD_FIELD;
    if (rst) begin
      state_q  <= ST_IDLE;
      count_q  <= '0;
      tx_start <= 1'b0;
      commit   <= 1'b0;
    end
  end

  // ---- Events -----------------------------------------------------------------------------------
  always_ff @(posedge clk) begin
    ev.answered <= state_q == ST_SEND && route.route == ROUTE_LOCAL;
    ev.forwarded <= state_q == ST_SEND && route.route == ROUTE_FORWARD;
    ev.delivered <= state_q == ST_SEND && route.route == ROUTE_HOST;
    ev.repressed <= repress;
    ev.bad_route <= state_q == ST_ROUTE && route.route == ROUTE_DROP && !route.no_manager;
    ev.no_manager <= state_q == ST_ROUTE && route.route == ROUTE_DROP && route.no_manager;
    ev.bad_m_key <= verdict && key_bad;
    ev.bad_icrc <= 1'b0;
    ev.bad_packet <= 1'b0;
    ev.trap <= state_q == ST_IDLE && state_d == ST_WAIT;
  end

  logic unused;
  assign unused = ^{req, own, port_0};
endmodule
