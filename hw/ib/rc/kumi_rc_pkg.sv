// SPDX-License-Identifier: Apache-2.0
//
// Reliable-connection endpoint: the records between the transport engine and its wires.
//
// The engine (hw/ib/rc) knows InfiniBand's transport (IBTA volume 1, clauses 9.2 to 9.8) and no
// wire. A wire (native InfiniBand packets, or RoCEv2, annex A17) turns packets into a record
// {rc_path_t, rc_hdr_t} and a payload stream, and back. Contract, the same in both directions:
//   - one record a packet, valid no later than the first beat of its payload;
//   - a payload of `length` bytes without padding on an AXI stream, byte 0 in tdata[7:0]; a packet
//     with length 0 has no beat;
//   - towards the engine a packet is given on only after its ICRC was found right; whatever is
//     wrong below the transport is dropped and counted by the wire;
//   - towards the wire pad bytes, ICRC and all headers below the BTH are the wire's.
package kumi_rc_pkg;
  localparam int RC_MAX_MTU = 4096;  // bytes

  // Where a packet goes to or came from.
  typedef struct packed {
    logic [31:0] addr;     // RoCEv2: IPv4 address of the peer; InfiniBand: its LID in [15:0]
    logic [15:0] flow;     // RoCEv2: UDP source port; InfiniBand: service level in [3:0]
    logic [7:0]  traffic;  // RoCEv2: type of service; InfiniBand: 0
  } rc_path_t;

  // BTH and every extension header that an opcode may have. Fields that the opcode does not have
  // are ignored towards the wire and 0 from it.
  typedef struct packed {
    logic [7:0]  opcode;
    logic        se;        // solicited event
    logic        ack_req;
    logic [15:0] p_key;
    logic [23:0] dest_qp;
    logic [23:0] psn;
    logic [12:0] length;    // bytes of payload, 0 to 4096
    // DETH
    logic [31:0] q_key;
    logic [23:0] src_qp;
    // RETH, AtomicETH: address and key are at the same place in both
    logic [63:0] va;
    logic [31:0] r_key;
    logic [31:0] dma_len;   // RETH
    logic [63:0] swap_add;  // AtomicETH; AtomicAckETH: original value
    logic [63:0] compare;   // AtomicETH
    // AETH
    logic [7:0]  syndrome;
    logic [23:0] msn;
    logic [31:0] imm;       // ImmDt
  } rc_hdr_t;

  typedef struct packed {
    rc_path_t path;
    rc_hdr_t  hdr;
  } rc_pkt_t;

  localparam int RC_PKT_W = $bits(rc_pkt_t);

  localparam int ROCE_UDP_PORT = 4791;

  // Opcodes of a reliable connection (clause 9.2.1, table 38) and of datagrams.
  typedef enum logic [7:0] {
    RC_SEND_FIRST       = 8'h00,
    RC_SEND_MIDDLE      = 8'h01,
    RC_SEND_LAST        = 8'h02,
    RC_SEND_LAST_IMM    = 8'h03,
    RC_SEND_ONLY        = 8'h04,
    RC_SEND_ONLY_IMM    = 8'h05,
    RC_WRITE_FIRST      = 8'h06,
    RC_WRITE_MIDDLE     = 8'h07,
    RC_WRITE_LAST       = 8'h08,
    RC_WRITE_LAST_IMM   = 8'h09,
    RC_WRITE_ONLY       = 8'h0A,
    RC_WRITE_ONLY_IMM   = 8'h0B,
    RC_READ_REQUEST     = 8'h0C,
    RC_READ_RESP_FIRST  = 8'h0D,
    RC_READ_RESP_MIDDLE = 8'h0E,
    RC_READ_RESP_LAST   = 8'h0F,
    RC_READ_RESP_ONLY   = 8'h10,
    RC_ACKNOWLEDGE      = 8'h11,
    RC_ATOMIC_ACK       = 8'h12,
    RC_COMPARE_SWAP     = 8'h13,
    RC_FETCH_ADD        = 8'h14,
    UD_SEND             = 8'h64,
    UD_SEND_IMM         = 8'h65
  } rc_opcode_e;

  // AETH syndromes (clause 9.7.5.2).
  localparam logic [7:0] RC_SYNDROME_ACK = 8'h1F;  // ACK without a credit count
  localparam logic [2:0] RC_SYNDROME_RNR = 3'b001;  // [7:5]; [4:0] timer
  localparam logic [7:0] RC_NAK_PSN = 8'h60;
  localparam logic [7:0] RC_NAK_INVALID_REQUEST = 8'h61;
  localparam logic [7:0] RC_NAK_REMOTE_ACCESS = 8'h62;
  localparam logic [7:0] RC_NAK_REMOTE_OPERATION = 8'h63;

  // ---- between the engine and its user ---------------------------------------------------------
  // A queue pair's number is its index, 0 to QPS - 1. Addresses of work requests are addresses on
  // the memory port; a region's virtual addresses are these too.

  typedef enum logic [3:0] {
    RC_WR_SEND      = 4'd0,
    RC_WR_SEND_IMM  = 4'd1,
    RC_WR_WRITE     = 4'd2,
    RC_WR_WRITE_IMM = 4'd3,
    RC_WR_READ      = 4'd4,
    RC_WR_CMP_SWAP  = 4'd5,
    RC_WR_FETCH_ADD = 4'd6,
    RC_WR_RECV      = 4'd7
  } rc_wr_op_e;

  // Work request. SEND on a datagram queue pair: remote_addr[23:0] is the destination queue pair,
  // r_key its queue key, compare[55:0] its rc_path_t.
  typedef struct packed {
    logic [15:0] qp;
    logic [31:0] id;           // returned with the completion
    rc_wr_op_e   op;
    logic        signaled;     // completion also on success; receives always have one
    logic        solicited;
    logic        fence;        // waits for the READs and atomics before it
    logic [63:0] local_addr;
    logic [31:0] length;       // up to 2^31; of an atomic 8
    logic [63:0] remote_addr;
    logic [31:0] r_key;
    logic [31:0] imm;
    logic [63:0] compare;      // compare-and-swap
    logic [63:0] swap_add;     // compare-and-swap: new value; fetch-and-add: what is added
  } rc_wr_t;
  localparam int RC_WR_W = $bits(rc_wr_t);

  // Numbers of enum ibv_wc_status.
  typedef enum logic [3:0] {
    RC_WC_SUCCESS         = 4'd0,
    RC_WC_LOC_LEN_ERR     = 4'd1,   // a message longer than its receive buffer
    RC_WC_LOC_QP_OP_ERR   = 4'd2,   // a work request that is illegal or finds its queue full
    RC_WC_LOC_PROT_ERR    = 4'd4,   // memory answered with an error
    RC_WC_WR_FLUSH_ERR    = 4'd5,
    RC_WC_BAD_RESP_ERR    = 4'd7,
    RC_WC_REM_INV_REQ_ERR = 4'd9,
    RC_WC_REM_ACCESS_ERR  = 4'd10,
    RC_WC_REM_OP_ERR      = 4'd11,
    RC_WC_RETRY_EXC_ERR   = 4'd12,
    RC_WC_RNR_RETRY_EXC   = 4'd13
  } rc_wc_status_e;

  typedef struct packed {
    logic [15:0]   qp;
    logic [31:0]   id;
    rc_wr_op_e     op;         // RECV also for a WRITE with immediate
    rc_wc_status_e status;
    logic          imm_valid;
    logic          write;      // RECV: consumed by a WRITE with immediate, nothing in its buffer
    logic          solicited;
    logic [31:0]   length;     // RECV: bytes of the message
    logic [31:0]   imm;
    logic [23:0]   src_qp;     // RECV
    rc_path_t      src_path;   // RECV
  } rc_completion_t;
  localparam int RC_COMPLETION_W = $bits(rc_completion_t);

  // Attributes of a queue pair; the names are those of struct ibv_qp_attr.
  typedef struct packed {
    logic        ud;             // datagrams: RC_UD_OFFSET bytes of each receive buffer stay free
    logic [23:0] dest_qp;
    rc_path_t    path;
    logic [15:0] p_key;
    logic [31:0] q_key;
    logic [2:0]  mtu;            // 1 to 5: 256 to 4096 bytes
    logic [23:0] sq_psn;
    logic [23:0] rq_psn;
    logic [4:0]  timeout;        // 4.096 us * 2^timeout, 0: none
    logic [2:0]  retry_cnt;
    logic [2:0]  rnr_retry;      // 7: without end
    logic [4:0]  min_rnr_timer;  // code in the RNR NAKs that are sent
    logic [4:0]  max_rd_atomic;  // READs and atomics under way as the requester, 0 to 16
    logic        remote_write;
    logic        remote_read;
    logic        remote_atomic;
  } rc_qp_attr_t;

  localparam int RC_UD_OFFSET = 40;  // place of a GRH, as the verbs have it

  // Memory region. Its number is key[31:8]; key[7:0] must be equal too.
  typedef struct packed {
    logic        valid;
    logic [63:0] addr;
    logic [39:0] length;
    logic [31:0] key;
    logic        remote_write;
    logic        remote_read;
    logic        remote_atomic;
  } rc_region_t;
  localparam int RC_REGION_W = $bits(rc_region_t);

  typedef enum logic [1:0] {
    RC_SETUP_QP     = 2'd0,  // a queue pair from reset to ready to send
    RC_SETUP_RESET  = 2'd1,  // back to reset: queues empty, no completions
    RC_SETUP_ERROR  = 2'd2,  // to the error state: all work requests are flushed
    RC_SETUP_REGION = 2'd3   // sets the region `region.key` names
  } rc_setup_op_e;

  typedef struct packed {
    rc_setup_op_e op;
    logic [15:0]  qp;
    rc_qp_attr_t  attr;
    rc_region_t   region;
  } rc_setup_t;
  localparam int RC_SETUP_W = $bits(rc_setup_t);

  // One-cycle pulses for counters.
  typedef struct packed {
    logic         rx_request;   // executed
    logic         rx_response;  // that something waited for
    logic         tx_packet;
    logic         tx_nak;
    logic         tx_rnr_nak;
    logic         rx_nak;
    logic         rx_rnr_nak;
    logic         timed_out;
    logic         go_back;      // transmission goes back to the oldest unacknowledged packet
    logic         qp_error;     // a queue pair went to the error state
    logic         mem_error;    // memory answered with an error
    // packets dropped
    logic         duplicate;    // executed before; answered again
    logic         gap;          // a packet before it is missing
    logic         no_receive;   // RNR NAK, or a datagram without a receive
    logic         invalid;      // NAK invalid request
    logic access;               // NAK remote access error
    logic         stale;        // response that nothing waits for
    logic         bad_qp;       // no such queue pair, not ready, or another peer's
    logic         bad_key;      // P_Key or Q_Key
    logic         busy;         // more READs and atomics than the queue pair can hold
  } rc_events_t;
endpackage
