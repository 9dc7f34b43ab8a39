// SPDX-License-Identifier: Apache-2.0
//
// Layout of InfiniBand's transport headers (IBTA volume 1, clause 9.2), which RoCEv2 (annex A17)
// has behind UDP and native packets behind the LRH.
package kumi_roce_pkg;

  localparam int BTH_WORDS = 3;
  localparam int MAX_WORDS = 10;  // BTH and AtomicETH
  localparam int MAX_PAYLOAD = 4096;

  // Extension headers of an opcode, in the order in which they follow the BTH (clause 9.2).
  typedef struct packed {
    logic       known;
    logic       payload;     // the opcode may carry payload
    logic       deth;
    logic       reth;
    logic       atomic;      // AtomicETH
    logic       aeth;
    logic       atomic_ack;  // AtomicAckETH behind the AETH
    logic       imm;
    logic [3:0] words;       // of 4 bytes, BTH included
  } roce_layout_t;

  function automatic roce_layout_t roce_layout(input logic [7:0] opcode);
    roce_layout_t l;
    l = '0;
    l.known = 1'b1;
    l.payload = 1'b1;
    unique case (opcode)
      8'h00, 8'h01, 8'h02, 8'h04, 8'h07, 8'h08, 8'h0E: l.words = 4'd3;
      8'h03, 8'h05, 8'h09: begin
        l.imm   = 1'b1;
        l.words = 4'd4;
      end
      8'h06, 8'h0A, 8'h0C: begin
        l.reth = 1'b1;
        l.payload = opcode != 8'h0C;
        l.words = 4'd7;
      end
      8'h0B: begin
        l.reth  = 1'b1;
        l.imm   = 1'b1;
        l.words = 4'd8;
      end
      8'h0D, 8'h0F, 8'h10, 8'h11: begin
        l.aeth = 1'b1;
        l.payload = opcode != 8'h11;
        l.words = 4'd4;
      end
      8'h12: begin
        l.aeth = 1'b1;
        l.atomic_ack = 1'b1;
        l.payload = 1'b0;
        l.words = 4'd6;
      end
      8'h13, 8'h14: begin
        l.atomic  = 1'b1;
        l.payload = 1'b0;
        l.words   = 4'd10;
      end
      8'h64: begin
        l.deth  = 1'b1;
        l.words = 4'd5;
      end
      8'h65: begin
        l.deth  = 1'b1;
        l.imm   = 1'b1;
        l.words = 4'd6;
      end
      default: l = '0;
    endcase
    return l;
  endfunction

  // BTH and extension headers, the first word in [0]. pad: bytes behind the payload; variant: the
  // reserved byte of the BTH, which is ones for the ICRC alone.
  function automatic logic [MAX_WORDS-1:0][31:0] roce_headers(
      input kumi_rc_pkg::rc_hdr_t h, input roce_layout_t layout, input logic [1:0] pad,
      input logic [7:0] variant);
    logic [MAX_WORDS-1:0][31:0] head;
    logic unused;
    unused = ^{h, layout};
    head = '0;
    // MigReq as without automatic path migration
    head[0] = {h.opcode, h.se, 1'b1, pad, 4'h0, h.p_key};
    head[1] = {variant, h.dest_qp};
    head[2] = {h.ack_req, 7'h0, h.psn};
    if (layout.deth) {head[3], head[4]} = {h.q_key, 8'h0, h.src_qp};
    if (layout.reth || layout.atomic) {head[3], head[4], head[5]} = {h.va, h.r_key};
    if (layout.reth) head[6] = h.dma_len;
    if (layout.atomic) {head[6], head[7], head[8], head[9]} = {h.swap_add, h.compare};
    if (layout.aeth) head[3] = {h.syndrome, h.msn};
    if (layout.atomic_ack) {head[4], head[5]} = h.swap_add;
    if (layout.imm) begin
      if (layout.reth) head[7] = h.imm;
      else if (layout.deth) head[5] = h.imm;
      else head[3] = h.imm;
    end
    return head;
  endfunction

  // Events of the receive side: each datagram that the stack delivers has exactly one of rx_packet
  // and the drops. bad_icrc counts frames that are marked before the stack sees them.
  typedef struct packed {
    logic bad_icrc;
    logic rx_packet;
    logic drop_port;     // not UDP port 4791; native: another LID, or no BTH behind the LRH
    logic drop_opcode;   // none of a reliable connection or datagram
    logic drop_version;  // TVer is not 0
    logic drop_length;   // shorter than its headers, a payload that may not be, or over 4096 bytes
  } roce_rx_events_t;
endpackage
