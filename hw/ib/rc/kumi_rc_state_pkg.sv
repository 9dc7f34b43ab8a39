// SPDX-License-Identifier: Apache-2.0
//
// Reliable-connection engine: what its units keep and hand to one another.
package kumi_rc_state_pkg;
  import kumi_rc_pkg::*;

  localparam int RC_READS = 16;  // READs and atomics that a queue pair answers at a time

  // ---- opcodes ---------------------------------------------------------------------------------
  typedef struct packed {
    logic valid;
    logic send;
    logic write;
    logic read;      // request
    logic atomic;    // request
    logic first;     // of a message; with `last` the only one
    logic last;
    logic imm;
    logic response;  // goes to the requester
    logic ud;
  } rc_op_info_t;

  function automatic rc_op_info_t rc_op_info(input logic [7:0] opcode);
    rc_op_info = '0;
    rc_op_info.valid = 1'b1;
    unique case (opcode)
      RC_SEND_FIRST: {rc_op_info.send, rc_op_info.first} = '1;
      RC_SEND_MIDDLE: rc_op_info.send = 1'b1;
      RC_SEND_LAST: {rc_op_info.send, rc_op_info.last} = '1;
      RC_SEND_LAST_IMM: {rc_op_info.send, rc_op_info.last, rc_op_info.imm} = '1;
      RC_SEND_ONLY: {rc_op_info.send, rc_op_info.first, rc_op_info.last} = '1;
      RC_SEND_ONLY_IMM: {rc_op_info.send, rc_op_info.first, rc_op_info.last, rc_op_info.imm} = '1;
      RC_WRITE_FIRST: {rc_op_info.write, rc_op_info.first} = '1;
      RC_WRITE_MIDDLE: rc_op_info.write = 1'b1;
      RC_WRITE_LAST: {rc_op_info.write, rc_op_info.last} = '1;
      RC_WRITE_LAST_IMM: {rc_op_info.write, rc_op_info.last, rc_op_info.imm} = '1;
      RC_WRITE_ONLY: {rc_op_info.write, rc_op_info.first, rc_op_info.last} = '1;
      RC_WRITE_ONLY_IMM: {rc_op_info.write, rc_op_info.first, rc_op_info.last, rc_op_info.imm} = '1;
      RC_READ_REQUEST: {rc_op_info.read, rc_op_info.first, rc_op_info.last} = '1;
      RC_COMPARE_SWAP, RC_FETCH_ADD: {rc_op_info.atomic, rc_op_info.first, rc_op_info.last} = '1;
      RC_READ_RESP_FIRST: {rc_op_info.response, rc_op_info.first} = '1;
      RC_READ_RESP_MIDDLE: rc_op_info.response = 1'b1;
      RC_READ_RESP_LAST: {rc_op_info.response, rc_op_info.last} = '1;
      RC_READ_RESP_ONLY, RC_ACKNOWLEDGE, RC_ATOMIC_ACK:
      {rc_op_info.response, rc_op_info.first, rc_op_info.last} = '1;
      UD_SEND: {rc_op_info.ud, rc_op_info.send, rc_op_info.first, rc_op_info.last} = '1;
      UD_SEND_IMM:
      {rc_op_info.ud, rc_op_info.send, rc_op_info.first, rc_op_info.last, rc_op_info.imm} = '1;
      default: rc_op_info.valid = 1'b0;
    endcase
  endfunction

  // ---- arithmetic ------------------------------------------------------------------------------
  function automatic logic [12:0] rc_mtu_bytes(input logic [2:0] mtu);
    return 13'd128 << mtu;
  endfunction

  // Packets of a message, at least one, in two steps: rounds its length up in the low 12 bits,
  // whose carry stands between them and the upper ones; adds the carry and divides by the MTU.
  function automatic logic [32:0] rc_packets_up(input logic [31:0] length, input logic [2:0] mtu);
    return {length[31:12], 13'(length[11:0]) + 13'(12'hFFF >> (3'd5 - mtu))};
  endfunction

  function automatic logic [23:0] rc_packets_of(input logic [32:0] up, input logic [2:0] mtu);
    logic [23:0] packets;
    packets = 24'({21'(up[32:13]) + 21'(up[12]), up[11:0]} >> (4'd7 + 4'(mtu)));
    return up[32:12] == '0 && up[11:0] >> (4'd7 + 4'(mtu)) == '0 ? 24'd1 : packets;
  endfunction

  // Bytes before packet n of a message.
  function automatic logic [31:0] rc_offset(input logic [23:0] n, input logic [2:0] mtu);
    unique case (mtu)
      3'd1: return {n, 8'd0};
      3'd2: return {n[22:0], 9'd0};
      3'd3: return {n[21:0], 10'd0};
      3'd4: return {n[20:0], 11'd0};
      default: return {n[19:0], 12'd0};
    endcase
  endfunction

  // ---- a queue pair ----------------------------------------------------------------------------
  typedef enum logic [1:0] {
    RC_MSG_NONE  = 2'd0,
    RC_MSG_SEND  = 2'd1,
    RC_MSG_WRITE = 2'd2
  } rc_msg_e;

  // Places in queues are free-running counts.
  typedef struct packed {
    // responder
    logic [23:0] epsn;
    logic [23:0] msn;
    logic        nak_sent;     // for the gap at epsn, or RNR
    rc_msg_e     msg;          // message under way
    logic [63:0] va;           // where its next byte goes
    logic [31:0] left;         // bytes it may still bring
    logic [31:0] count;        // bytes it has brought
    logic [31:0] r_key;
    logic [4:0]  answers;      // READs and atomics accepted
    logic [7:0]  rq_wr;
    logic [7:0]  rq_rd;
    // requester
    logic [23:0] una;          // oldest PSN that is not acknowledged
    logic [23:0] first;        // first PSN of the oldest work request
    logic [7:0]  sq_wr;
    logic [7:0]  sq_rd;        // oldest work request that is not complete
    logic [7:0]  reads_done;
    logic [2:0]  retries;      // left
    logic [2:0]  rnr_retries;
    logic        went_back;    // because of a lost response, without progress since
  } rc_state_t;

  typedef struct packed {
    logic [31:0] id;
    rc_wr_op_e   op;
    logic        signaled;
    logic        solicited;
    logic        fence;
    logic [63:0] local_addr;
    logic [31:0] length;
    logic [63:0] remote_addr;
    logic [31:0] r_key;
    logic [31:0] imm;
    logic [63:0] compare;
    logic [63:0] swap_add;
    logic [23:0] packets;      // PSNs it takes
  } rc_sq_entry_t;

  typedef struct packed {
    logic [31:0] id;
    logic [63:0] addr;
    logic [31:0] length;
  } rc_rq_entry_t;

  function automatic logic rc_is_read(input rc_wr_op_e op);
    return op inside {RC_WR_READ, RC_WR_CMP_SWAP, RC_WR_FETCH_ADD};
  endfunction

  // ---- payload and what follows it -------------------------------------------------------------
  // Payload of one packet to memory, or away; `value` is written instead of payload.
  typedef struct packed {
    logic        discard;
    logic        immediate;
    logic [63:0] value;
    logic [63:0] addr;
    logic [12:0] length;
  } rc_job_t;

  typedef enum logic [2:0] {
    RC_ACT_NONE       = 3'd0,  // only waits for its bursts
    RC_ACT_COMPLETION = 3'd1,
    RC_ACT_ACK        = 3'd2,  // or NAK
    RC_ACT_READ       = 3'd3,
    RC_ACT_ATOMIC     = 3'd4,
    RC_ACT_REPLAY     = 3'd5   // an atomic that was executed before
  } rc_act_e;

  typedef struct packed {
    logic [15:0] qp;
    logic [23:0] psn;
    logic [23:0] msn;
    logic [7:0]  syndrome;
    logic [63:0] va;
    logic [31:0] length;
    logic        swap;
    logic [63:0] compare;
    logic [63:0] swap_add;
  } rc_answer_t;

  localparam int RC_BODY_W = $bits(rc_answer_t);

  // What is due when the payload before it is in memory. body: rc_answer_t, or rc_completion_t in
  // its low bits.
  typedef struct packed {
    rc_act_e              kind;
    logic [RC_BODY_W-1:0] body;
  } rc_action_t;

  // An answer that waits for transmission behind earlier ones of its queue pair.
  typedef struct packed {
    logic        none;
    logic        atomic;
    logic [23:0] psn;
    logic [23:0] msn;
    logic [63:0] va;      // of an atomic: original value
    logic [31:0] length;
  } rc_read_t;

  typedef struct packed {
    logic [7:0]  syndrome;
    logic [23:0] psn;
    logic [23:0] msn;
  } rc_ack_t;

  // What kumi_rc_ctrl works on.
  typedef enum logic [2:0] {
    RC_EV_SETUP  = 3'd0,
    RC_EV_TIMER  = 3'd1,
    RC_EV_SENT   = 3'd2,
    RC_EV_PACKET = 3'd3,
    RC_EV_WR     = 3'd4
  } rc_event_e;

  // What kumi_rc_complete works on.
  typedef enum logic [2:0] {
    RC_CAUSE_RESPONSE = 3'd0,
    RC_CAUSE_SENT     = 3'd1,  // a datagram has left memory: as if acknowledged
    RC_CAUSE_TIMEOUT  = 3'd2,
    RC_CAUSE_RNR_END  = 3'd3,
    RC_CAUSE_FLUSH    = 3'd4
  } rc_cause_e;

  // Transmission of a queue pair.
  typedef struct packed {
    logic [23:0] psn;         // next
    logic [23:0] top;         // one past the highest that was sent
    logic [7:0]  sq;          // work request
    logic [23:0] packet;      // of it
    logic [7:0]  reads_sent;
    logic [23:0] answered;    // packets of the oldest READ to answer
  } rc_tx_state_t;
endpackage
