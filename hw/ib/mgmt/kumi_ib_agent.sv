// SPDX-License-Identifier: Apache-2.0
//
// Management agent of an InfiniBand switch, channel adapter or router: subnet management (IBTA
// volume 1, chapter 14; directed and LID-routed) and the counters of performance management
// (chapter 16), as a state machine over an attribute memory.
//
// s_mgmt: packets from LRH to ICRC, 32 or 64 bits; tuser[0] with tlast: bad. tdest: port at which
//   it arrived, or 0x80 with a port's number from the local manager, whose SLID may be 0 (then the
//   port's is put in). One datagram at a time; the next one waits at tready.
// m_mgmt: tdest is the port to leave from, 0xFF the forwarding table of the switch, 0x80 with the
//   port's number the local manager: it gets responses, traps, SMInfo (while is_sm) and what QP1
//   gets but performance management. QP0 leaves on VL15, QP1 on LRH.VL 0 for the SL to decide.
// cfg and status: of the links, see kumi_ib_link_pkg. lft_*, mft_*, s2v_*, sw_cfg: see
//   kumi_ib_agent_cfg; every entry is written once after reset and tables_ready (1 without a
//   switch), then ready is high and datagrams are answered.
// counters: of the links, read and cleared by performance management. lid, lmc: of port 1, of a
//   switch of port 0.
// node_guid, description, is_sm: node_guid and description stable from reset on.
// Latency from the last beat in to the last one out, when m_mgmt is ready: at most 150 cycles for
// a Get, 250 for a Set (tests check both).
module kumi_ib_agent
  import kumi_ib_link_pkg::*, kumi_ib_mgmt_pkg::*;
#(
    parameter int NODE_TYPE    = 2,       // 1 channel adapter, 2 switch, 3 router
    parameter int PORTS        = 4,       // 1 to 126
    parameter int DATA_VLS     = 4,       // of the links: 1, 2, 4, 8 or 15
    parameter int MTU_CAP      = 4,       // of the links, code 1 to 5
    parameter int WIDTH        = 2,       // of the links: 1 1x, 2 4x
    parameter int SPEED        = 1,       // of a lane: 1 2.5, 2 5, 4 10 Gb/s
    parameter int LFT_CAP      = 1024,    // LIDs of the forwarding table, a multiple of 64
    parameter int MFT_CAP      = 128,     // multicast LIDs, a power of two, 32 to 8192
    parameter bit HOST         = 0,       // there is a local manager
    parameter int TICK         = 512,     // cycles of 4.096 us
    parameter int SECOND_TICKS = 244141,  // ticks of a second
    parameter int TRAP_REPEATS = 8        // how often a trap is sent without an answer
) (
    input logic clk,
    input logic rst,
    // node
    input logic [63:0] node_guid,
    input logic [511:0] description,  // first character in [511:504]
    input logic is_sm,
    input logic tables_ready,  // those of the switch may be written
    output logic ready,
    // packets
    kumi_axis_if.snk s_mgmt,
    kumi_axis_if.src m_mgmt,
    // links
    output ib_link_cfg_t [PORTS:1] cfg,
    input ib_link_status_t [PORTS:1] status,
    output logic [PORTS:1][4:0] hoq_life,
    output logic [PORTS:1][2:0] vl_stall,
    output logic [15:0] lid,
    output logic [2:0] lmc,
    // switch
    output ib_switch_cfg_t sw_cfg,
    output logic lft_we,
    output logic [15:0] lft_lid,
    output logic [7:0] lft_port,
    output logic mft_we,
    output logic [15:0] mft_lid,
    output logic [3:0] mft_position,
    output logic [15:0] mft_mask,
    output logic s2v_we,
    output logic [7:0] s2v_in,
    output logic [7:0] s2v_out,
    output logic [63:0] s2v_table,
    // counters
    input port_counters_t [PORTS:1] counters,
    output port_counters_clear_t [PORTS:1] clear,
    output ib_agent_events_t ev
);
  localparam bit SWITCH = NODE_TYPE == NODE_SWITCH;
  localparam int PORT_W = $clog2(PORTS + 1);

  if (NODE_TYPE < 1 || NODE_TYPE > 3) begin : gen_check_type
    $fatal(0, "NODE_TYPE must be 1, 2 or 3 (%m)");
  end
  if (PORTS < 1 || PORTS > 126) begin : gen_check_ports
    $fatal(0, "PORTS must be 1..126 (%m)");
  end
  if (LFT_CAP < 64 || LFT_CAP > 49152 || LFT_CAP % 64 != 0) begin : gen_check_lft
    $fatal(0, "LFT_CAP must be a multiple of 64 up to 49152 (%m)");
  end
  if (MFT_CAP < 32 || MFT_CAP > 8192 || (MFT_CAP & (MFT_CAP - 1)) != 0) begin : gen_check_mft
    $fatal(0, "MFT_CAP must be a power of two, 32..8192 (%m)");
  end

  // ---- Packets in and out -----------------------------------------------------------------------
  logic rx_wr, tx_rd, acc_wr;
  logic [6:0] rx_wr_addr, tx_rd_addr, acc_rd_addr, acc_wr_addr, path_addr, buf_rd_addr;
  logic [31:0] rx_wr_data, acc_wr_data, buf_data;
  mad_req_t req;
  logic req_valid, req_ready, tx_done, tx_start, bad_icrc, bad_packet;
  mad_tx_t tx_record;

  kumi_ib_mad_io #(
      .PRODUCER(NODE_TYPE)
  ) u_io (
      .clk,
      .rst,
      .s_mgmt,
      .m_mgmt,
      .wr_en(rx_wr),
      .wr_addr(rx_wr_addr),
      .wr_data(rx_wr_data),
      .req,
      .req_valid,
      .req_ready,
      .ev_bad_icrc(bad_icrc),
      .ev_bad_packet(bad_packet),
      .tx_record,
      .tx_start,
      .tx_done,
      .rd_en(tx_rd),
      .rd_addr(tx_rd_addr),
      .rd_data(buf_data)
  );

  // ---- Datagram ---------------------------------------------------------------------------------
  logic [5:0] path_at;
  logic [7:0] path_q, decoded;
  smi_route_t route;
  block_e block;
  logic [15:0] index;
  logic [6:0] port, end_index;
  attr_live_t live_q;
  logic acc_start, acc_done, acc_invalid, acc_ready, key_match, key_zero, set_valid, commit;
  access_e acc_op;
  attr_write_t set;
  end_port_t [PORTS:0] ends;
  end_port_t own_q;
  logic [1:0] protect_q;
  logic [15:0] violations_q;
  logic [PORTS:1] commanded_down;
  logic verdict, key_bad, key_good, hide_m_key, repress, path_read, sending;
  logic state_change, clear_change, trap_valid, trap_ready;
  logic [31:0] trap_tid, cnt_data;
  logic [4:0] cnt_word;
  ib_agent_events_t ctrl_ev;

  assign end_index = SWITCH ? '0 : req.port;
  assign ready = acc_ready;
  assign lid = ends[SWITCH?0 : 1].lid;
  assign lmc = ends[SWITCH?0 : 1].lmc;

  // Packet buffer: the receiver writes between datagrams, a pass during one; states take turns to
  // read.
  assign path_addr = 7'(path_at[5:2]) + (req.status[15] ? 7'(RET_PATH_AT) : 7'(INIT_PATH_AT));
  assign buf_rd_addr = sending ? tx_rd_addr : path_read ? path_addr : acc_rd_addr;

  kumi_ram_sdp #(
      .W(32),
      .DEPTH(128)
  ) u_buffer (
      .clk,
      .wr_en  (rx_wr || acc_wr),
      .wr_addr(acc_wr ? acc_wr_addr : rx_wr_addr),
      .wr_data(acc_wr ? acc_wr_data : rx_wr_data),
      .rd_en  (!sending || tx_rd),
      .rd_addr(buf_rd_addr),
      .rd_data(buf_data)
  );

  kumi_ib_agent_ctrl #(
      .NODE_TYPE(NODE_TYPE)
  ) u_ctrl (
      .clk,
      .rst,
      .req,
      .req_valid,
      .req_ready,
      .route,
      .decoded,
      .protect(protect_q),
      .verdict,
      .key_bad,
      .key_good,
      .hide_m_key,
      .repress,
      .acc_start,
      .acc_op,
      .acc_ready,
      .acc_done,
      .acc_invalid,
      .key_match,
      .key_zero,
      .commit,
      .path_read,
      .sending,
      .tx(tx_record),
      .tx_start,
      .tx_done,
      .own(own_q),
      .port_0(ends[0]),
      .trap_valid,
      .trap_ready,
      .trap_tid,
      .ev(ctrl_ev)
  );

  kumi_ib_smi #(
      .NODE_TYPE(NODE_TYPE),
      .PORTS(PORTS),
      .HOST(HOST)
  ) u_smi (
      .clk,
      .req,
      .lid(own_q.lid),
      .lmc(own_q.lmc),
      .is_sm,
      .path_at,
      .path(path_q),
      .result(route)
  );

  kumi_ib_attr_decode #(
      .NODE_TYPE(NODE_TYPE),
      .PORTS(PORTS),
      .LFT_CAP(LFT_CAP),
      .MFT_CAP(MFT_CAP)
  ) u_decode (
      .clk,
      .req,
      .block,
      .index,
      .port,
      .status(decoded)
  );

  kumi_ib_attr_access #(
      .NODE_TYPE(NODE_TYPE),
      .PORTS(PORTS),
      .DATA_VLS(DATA_VLS),
      .MTU_CAP(MTU_CAP),
      .WIDTH(WIDTH),
      .SPEED(SPEED),
      .LFT_CAP(LFT_CAP),
      .MFT_CAP(MFT_CAP)
  ) u_access (
      .clk,
      .rst,
      .node_guid,
      .description,
      .tables_ready,
      .start(acc_start),
      .op(acc_op),
      .block(acc_op == ACCESS_KEY ? BLK_PORT_INFO : block),
      .index(acc_op == ACCESS_KEY ? 16'(end_index) : index),
      .live(live_q),
      .qp1(req.qp1),
      .ready(acc_ready),
      .done(acc_done),
      .invalid(acc_invalid),
      .key_match,
      .key_zero,
      .buf_rd_addr(acc_rd_addr),
      .buf_rd_data(buf_data),
      .buf_wr_en(acc_wr),
      .buf_wr_addr(acc_wr_addr),
      .buf_wr_data(acc_wr_data),
      .cnt_word,
      .cnt_data,
      .set_valid,
      .set
  );

  kumi_ib_agent_cfg #(
      .NODE_TYPE(NODE_TYPE),
      .PORTS(PORTS),
      .MFT_CAP(MFT_CAP)
  ) u_cfg (
      .clk,
      .rst,
      .set_valid,
      .set,
      .commit,
      .cfg,
      .commanded_down,
      .hoq_life,
      .vl_stall,
      .ends,
      .sw_cfg,
      .clear_change,
      .lft_we,
      .lft_lid,
      .lft_port,
      .mft_we,
      .mft_lid,
      .mft_position,
      .mft_mask,
      .s2v_we,
      .s2v_in,
      .s2v_out,
      .s2v_table
  );

  kumi_ib_agent_timed #(
      .NODE_TYPE(NODE_TYPE),
      .PORTS(PORTS),
      .TICK(TICK),
      .SECOND_TICKS(SECOND_TICKS),
      .TRAP_REPEATS(TRAP_REPEATS)
  ) u_timed (
      .clk,
      .rst,
      .set_valid,
      .set,
      .end_index,
      .verdict,
      .key_bad,
      .key_good,
      .protect(protect_q),
      .violations(violations_q),
      .status,
      .commanded_down,
      .clear_change,
      .own(ends[0]),
      .repress,
      .repress_tid(req.tid),
      .state_change,
      .trap_valid,
      .trap_ready,
      .trap_tid
  );

  // What hardware knows of the port that is asked for.
  ib_link_status_t [PORTS:0] states;
  assign states = {status, {PHYS_LINK_UP, PORT_ACTIVE}};

  always_ff @(posedge clk) begin
    path_q <= buf_data[8*(3-int'(path_at[1:0]))+:8];
    own_q <= ends[PORT_W'(end_index)];
    live_q.arrival <= req.port;
    live_q.port_state <= states[PORT_W'(port)].port_state;
    live_q.phys_state <= states[PORT_W'(port)].phys_state;
    live_q.is_sm <= is_sm;
    live_q.state_change <= state_change;
    live_q.hide_m_key <= hide_m_key;
    live_q.protect <= protect_q;
    live_q.violations <= violations_q;
    live_q.guid <= SWITCH ? node_guid : node_guid + 64'(req.port);
  end

  // ---- Counters and events ----------------------------------------------------------------------
  // CounterSelect and CounterSelect2 of a Set: these counters become zero.
  logic [15:0] select_q;
  logic select_2_q, cnt_clear_valid;
  port_counters_clear_t cnt_clear;

  kumi_ib_counter_read #(
      .PORTS(PORTS)
  ) u_counter_read (
      .clk,
      .rst,
      .counters,
      .clear,
      .port,
      .word(cnt_word),
      .data(cnt_data),
      .clear_valid(cnt_clear_valid),
      .clear_mask(cnt_clear)
  );

  always_ff @(posedge clk) begin
    if (set_valid && set.word == 4'd0) select_q <= set.raw[15:0];
    if (set_valid && set.word == 4'd4) select_2_q <= set.raw[8];
    cnt_clear_valid <= commit && req.qp1;
    cnt_clear <= counters_of(block == BLK_COUNTERS_EXT, select_q, select_2_q);
    if (rst) cnt_clear_valid <= 1'b0;
  end

  always_comb begin
    ev = ctrl_ev;
    ev.bad_icrc = bad_icrc;
    ev.bad_packet = bad_packet;
  end
endmodule
