// SPDX-License-Identifier: Apache-2.0
//
// ICMPv6 "port unreachable" (RFC 4443, section 3.1) of the IPv4 stack's (kumi_icmp_unreachable),
// which quotes the datagram's IPv4 and UDP headers (RFC 7915, section 4.2).
//
// take: a beat of the message moves, only while `ready`; data, last; bad, with last: it is dropped.
// peer_mac, peer, own: who gets it, and the address that it spoke to. delta: of kumi_ip6_patch.
//   All are stable with the beats.
// m_note: what to write, two cycles after the last beat. One message waits.
module kumi_ip6_unreachable
  import kumi_ip6_pkg::*;
#(
    parameter int DATA_W = 64  // bits of a beat: 64 or more
) (
    input  logic                        clk,
    input  logic                        rst,
    output logic                        ready,
    input  logic                        take,
    input  logic                        last,
    input  logic                        bad,
    input  logic           [DATA_W-1:0] data,
    input  logic           [      47:0] peer_mac,
    input  logic           [     127:0] peer,
    input  logic           [     127:0] own,
    input  logic           [      15:0] delta,
           kumi_rec_if.src              m_note
);
  localparam int B = DATA_W / 8;
  localparam int IP_AT = 8;  // the quoted headers, behind the message's own
  localparam int UDP_AT = IP_AT + 20;

  typedef enum logic [1:0] {
    COLLECT,
    PATCH,
    TELL
  } state_e;

  state_e state_q;
  logic [2:0] index_q;
  logic [UNREACHABLE_BYTES-1:0][7:0] m_q;
  logic [15:0] delta_q;
  icmp6_note_t note_q;

  assign ready = state_q == COLLECT;

  for (genvar n = 0; n < UNREACHABLE_BYTES; n++) begin : gen_byte
    always_ff @(posedge clk) begin
      if (take && index_q == 3'(n / B)) m_q[n] <= data[8*(n%B)+:8];
    end
  end

  // The peer finds its datagram as it sent it, with the checksum over IPv6's addresses.
  logic [63:0] udp;
  logic unused_none;
  kumi_ip6_patch #(
      .DATA_W(64)
  ) u_patch (
      .clk,
      .rst,
      .take(state_q == PATCH),
      .last(1'b1),
      .udp(1'b1),
      .delta(delta_q),
      .in_data(m_q[UDP_AT+:8]),
      .out_data(udp),
      .no_checksum(unused_none)
  );

  always_ff @(posedge clk) begin
    unique case (state_q)
      COLLECT: begin
        delta_q <= delta;
        note_q <= '0;
        note_q.kind <= NOTE_UNREACHABLE;
        note_q.mac <= peer_mac;
        note_q.src <= own;
        note_q.dst <= peer;
        if (take) begin
          index_q <= last ? '0 : index_q + 1'b1;
          if (last && !bad) state_q <= PATCH;
        end
      end
      PATCH: begin
        note_q.length <= {m_q[IP_AT+2], m_q[IP_AT+3]} - 16'd20;
        note_q.hops   <= m_q[IP_AT+8];
        for (int b = 0; b < 8; b++) note_q.udp[8*(7-b)+:8] <= udp[8*b+:8];
        state_q <= TELL;
      end
      default: if (m_note.ready) state_q <= COLLECT;
    endcase
    if (rst) begin
      state_q <= COLLECT;
      index_q <= '0;
    end
  end

  assign m_note.valid = state_q == TELL;
  assign m_note.data  = note_q;

  logic unused;
  assign unused = &{unused_none, m_q, data};
endmodule
