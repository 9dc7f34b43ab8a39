// SPDX-License-Identifier: Apache-2.0
//
// Management datagrams (IBTA volume 1, chapters 13, 14 and 16): classes, methods, attributes, and
// the records between the parts of the management agent.
//
// Words of 32 bits have the first byte on the wire as their most significant one. A packet with a
// datagram is 72 words: LRH 2, BTH 3, DETH 2, datagram 64, ICRC 1.
package kumi_ib_mgmt_pkg;
  import kumi_ib_link_pkg::port_counters_clear_t;

  localparam int PKT_WORDS = 72;  // with ICRC
  localparam int MAD_AT = 7;  // word of a packet at which the datagram begins
  localparam int M_KEY_AT = 13;
  localparam int DATA_AT = 23;  // attribute data of subnet and performance management
  localparam int INIT_PATH_AT = 39;
  localparam int RET_PATH_AT = 55;

  localparam logic [7:0] CLASS_SUBN = 8'h01;  // subnet management, LID-routed
  localparam logic [7:0] CLASS_SUBN_DR = 8'h81;  // subnet management, directed route
  localparam logic [7:0] CLASS_PERF = 8'h04;  // performance management
  localparam logic [31:0] QP1_Q_KEY = 32'h8001_0000;

  localparam logic [7:0] METHOD_GET = 8'h01;
  localparam logic [7:0] METHOD_SET = 8'h02;
  localparam logic [7:0] METHOD_TRAP = 8'h05;
  localparam logic [7:0] METHOD_TRAP_REPRESS = 8'h07;
  localparam logic [7:0] METHOD_GET_RESP = 8'h81;

  localparam logic [15:0] ATTR_CLASS_INFO = 16'h0001;
  localparam logic [15:0] ATTR_NOTICE = 16'h0002;
  localparam logic [15:0] ATTR_NODE_DESC = 16'h0010;
  localparam logic [15:0] ATTR_NODE_INFO = 16'h0011;
  localparam logic [15:0] ATTR_SWITCH_INFO = 16'h0012;
  localparam logic [15:0] ATTR_GUID_INFO = 16'h0014;
  localparam logic [15:0] ATTR_PORT_INFO = 16'h0015;
  localparam logic [15:0] ATTR_P_KEYS = 16'h0016;
  localparam logic [15:0] ATTR_SL2VL = 16'h0017;
  localparam logic [15:0] ATTR_VL_ARB = 16'h0018;
  localparam logic [15:0] ATTR_LFT = 16'h0019;
  localparam logic [15:0] ATTR_MFT = 16'h001B;
  localparam logic [15:0] ATTR_SM_INFO = 16'h0020;
  localparam logic [15:0] ATTR_COUNTERS = 16'h0012;  // of performance management
  localparam logic [15:0] ATTR_COUNTERS_EXT = 16'h001D;

  // Status of a response (clause 13.4.7).
  localparam logic [7:0] STATUS_OK = 8'h00;
  localparam logic [7:0] STATUS_BAD_VERSION = 8'h04;
  localparam logic [7:0] STATUS_BAD_METHOD = 8'h08;
  localparam logic [7:0] STATUS_BAD_ATTRIBUTE = 8'h0C;  // method and attribute do not go together
  localparam logic [7:0] STATUS_BAD_FIELD = 8'h1C;  // attribute modifier or a field of the data

  localparam int NODE_CA = 1;
  localparam int NODE_SWITCH = 2;
  localparam int NODE_ROUTER = 3;

  // tdest of the agent's streams besides a port's number.
  localparam logic [7:0] DEST_HOST = 8'h80;  // the local manager, with the port's number
  localparam logic [7:0] DEST_LFT = 8'hFF;  // by the forwarding table of the switch

  // ---- Attributes -------------------------------------------------------------------------------
  // Blocks of 64 bytes. The first ones lie in the attribute memory, in this order: those of a port,
  // those of the node, then those with an index of their own.
  typedef enum logic [3:0] {
    BLK_PORT_INFO,     // index: port
    BLK_P_KEYS,
    BLK_ARB_LOW,
    BLK_ARB_HIGH,
    BLK_GUIDS,
    BLK_NODE_INFO,     // index: 0
    BLK_NODE_DESC,
    BLK_SWITCH_INFO,
    BLK_SL2VL,         // index: {input port, output port}; 8 bytes are stored
    BLK_LFT,           // index: block of 64 LIDs
    BLK_MFT,           // index: {position, block of 32 LIDs}
    BLK_COUNTERS,      // index: port; the counters themselves
    BLK_COUNTERS_EXT,
    BLK_CLASS_INFO
  } block_e;

  // One word of an attribute that is set. `value` has only what may be set changed, `raw` is the
  // word of the request.
  typedef struct packed {
    block_e      block;
    logic [15:0] index;
    logic [3:0]  word;
    logic [31:0] value;
    logic [31:0] raw;
    logic        init;   // reset value
  } attr_write_t;

  typedef enum logic [1:0] {
    ACCESS_KEY,    // compare the datagram's M_Key with PortInfo's
    ACCESS_CHECK,  // may the datagram's data be set?
    ACCESS_WRITE,
    ACCESS_READ    // into the datagram
  } access_e;

  // What PortInfo sets for a port with a LID.
  typedef struct packed {
    logic [15:0] lid;
    logic [2:0]  lmc;
    logic [15:0] sm_lid;
    logic [3:0]  sm_sl;
    logic [4:0]  timeout;  // SubnetTimeOut: 4.096 us times 2^n between traps
  } end_port_t;

  // What hardware knows of the port and node that a datagram asks for.
  typedef struct packed {
    logic [6:0]  arrival;       // port at which it arrived
    logic [2:0]  port_state;    // of the port it asks for
    logic [3:0]  phys_state;
    logic        is_sm;
    logic        state_change;  // SwitchInfo:PortStateChange
    logic        hide_m_key;
    logic [1:0]  protect;
    logic [15:0] violations;
    logic [63:0] guid;          // of the arrival port
  } attr_live_t;

  // ---- Datagrams --------------------------------------------------------------------------------
  typedef struct packed {
    logic        host;        // from the local manager
    logic [6:0]  port;        // at which it arrived, or the manager's
    logic [3:0]  sl;
    logic [15:0] dlid;
    logic [15:0] slid;
    logic        qp1;
    logic [23:0] src_qp;
    logic [7:0]  mgmt_class;
    logic [7:0]  class_ver;
    logic [7:0]  method;
    logic [15:0] status;      // bit 15 of a directed route: on its way back
    logic [7:0]  hop_ptr;
    logic [7:0]  hop_cnt;
    logic [31:0] tid;         // low half
    logic [15:0] attr_id;
    logic [31:0] attr_mod;
    logic [15:0] dr_slid;
    logic [15:0] dr_dlid;
    logic [31:0] data;        // first word
  } mad_req_t;

  typedef enum logic [1:0] {
    ROUTE_DROP,
    ROUTE_LOCAL,   // this agent
    ROUTE_HOST,    // the local manager
    ROUTE_FORWARD
  } route_e;

  // Where a datagram goes, and its hop pointer there.
  typedef struct packed {
    route_e      route;
    logic        no_manager;  // reason of ROUTE_DROP; else hop pointer or LID
    logic [7:0]  dest;        // tdest
    logic [7:0]  hop_ptr;
    logic        record;      // write the arrival port to ReturnPath[record_at]
    logic [5:0]  record_at;
    logic [15:0] dlid;
    logic [15:0] slid;
    logic        lid_routed;  // the last part of its way, and the first of the response's
  } smi_route_t;

  // Packet to send. What is not named here is sent as it was received.
  typedef struct packed {
    logic        trap;         // trap 128 instead of the datagram received
    logic        response;
    logic        qp1;
    logic [7:0]  dest;
    logic [3:0]  sl;
    logic [15:0] dlid;
    logic [15:0] slid;
    logic [23:0] dest_qp;      // of a response
    logic [7:0]  mgmt_class;
    logic [7:0]  class_ver;
    logic [7:0]  method;
    logic [15:0] status;
    logic [7:0]  hop_ptr;
    logic [7:0]  hop_cnt;
    logic        record;
    logic [5:0]  record_at;
    logic [7:0]  record_port;
    logic [31:0] tid;          // low half of a trap's
    logic [15:0] lid;          // of the switch, in a trap
  } mad_tx_t;

  // ---- Settings and events ----------------------------------------------------------------------
  typedef struct packed {
    logic [15:0] lft_top;            // largest LID with an entry
    logic [4:0]  life_time;          // packet lifetime limit, 4.096 us times 2^n; above 19: none
    logic [7:0]  mcast_primary;      // port for multicast packets without an entry
    logic [7:0]  mcast_not_primary;
  } ib_switch_cfg_t;

  // One-cycle pulses. Each datagram causes one of those above traps.
  typedef struct packed {
    logic answered;
    logic forwarded;   // next hop of a directed route, and from the local manager
    logic delivered;   // to the local manager
    logic repressed;   // TrapRepress
    logic bad_icrc;    // or marked bad
    logic bad_packet;  // length, headers, Q_Key, base version
    logic bad_route;   // hop pointer, path, LID
    logic bad_m_key;
    logic no_manager;
    logic trap;        // sent
  } ib_agent_events_t;

  // Counters that a Set with this CounterSelect, and CounterSelect2 of XmitWait, makes zero.
  function automatic port_counters_clear_t counters_of(
      input logic extended, input logic [15:0] select, input logic xmit_wait);
    port_counters_clear_t c;
    c = '0;
    if (extended) begin
      c.ext_xmit_data = select[0];
      c.ext_rcv_data  = select[1];
      c.ext_xmit_pkts = select[2];
      c.ext_rcv_pkts  = select[3];
    end else begin
      c.symbol_error = select[0];
      c.link_error_recovery = select[1];
      c.link_downed = select[2];
      c.rcv_errors = select[3];
      c.rcv_remote_phys_errors = select[4];
      c.rcv_switch_relay_errors = select[5];
      c.xmit_discards = select[6];
      c.xmit_constraint_errors = select[7];
      c.rcv_constraint_errors = select[8];
      c.link_integrity_errors = select[9];
      c.buffer_overrun_errors = select[10];
      c.vl15_dropped = select[11];
      c.xmit_data = select[12];
      c.rcv_data = select[13];
      c.xmit_pkts = select[14];
      c.rcv_pkts = select[15];
      c.xmit_wait = xmit_wait;
    end
    return c;
  endfunction

endpackage
