// SPDX-License-Identifier: Apache-2.0
//
// Reads the answers of DHCP servers (RFC 2131 table 1, RFC 2132), a byte a cycle.
//
// s_axis: UDP payloads, 8 bits wide, always accepted; tuser[0] with tlast: bad.
// mac, xid: what the answer must name. answer: valid for one cycle, two cycles after the last byte.
// ev_other: not for this client. ev_bad: malformed (no answer of BOOTP over Ethernet, wrong cookie,
//   an option that is cut off or has a wrong length, no message type, an OFFER or ACK without
//   server, lease or a host's address).
// Options that are not asked for are skipped; options in the fields `sname` and `file` (option 52)
// are not read.
module kumi_dhcp_rx
  import kumi_dhcp_pkg::*;
(
    input  logic                   clk,
    input  logic                   rst,
    input  logic            [47:0] mac,
    input  logic            [31:0] xid,
           kumi_axis_if.snk        s_axis,
    output dhcp_answer_t           answer,
    output logic                   answer_valid,
    output logic                   ev_other,
    output logic                   ev_bad
);
  if (s_axis.DATA_W != 8) begin : gen_check_w
    $fatal(0, "s_axis must be 8 bits wide (%m)");
  end

  localparam logic [7:0] OPTIONS = 8'd240;  // first byte behind the cookie

  typedef enum logic [1:0] {
    TAG,
    LENGTH,
    DATA,
    FINISHED  // behind option 255
  } place_e;

  assign s_axis.tready = 1'b1;

  // ---- fixed part -----------------------------------------------------------------------------
  logic [7:0] index_q;  // of the byte, stays at OPTIONS
  logic [7:0] expected;
  logic fixed, compared, named;

  assign fixed = index_q != OPTIONS;

  always_comb begin
    compared = 1'b1;
    named = 1'b0;  // tells which client is meant
    expected = 8'd0;
    case (index_q)
      8'd0:   expected = 8'd2;  // BOOTREPLY
      8'd1:   expected = 8'd1;  // Ethernet
      8'd2:   expected = 8'd6;
      8'd236: expected = 8'h63;
      8'd237: expected = 8'h82;
      8'd238: expected = 8'h53;
      8'd239: expected = 8'h63;
      default: begin
        named = 1'b1;
        case (index_q)
          8'd4: expected = xid[31:24];
          8'd5: expected = xid[23:16];
          8'd6: expected = xid[15:8];
          8'd7: expected = xid[7:0];
          8'd28: expected = mac[47:40];
          8'd29: expected = mac[39:32];
          8'd30: expected = mac[31:24];
          8'd31: expected = mac[23:16];
          8'd32: expected = mac[15:8];
          8'd33: expected = mac[7:0];
          default: compared = 1'b0;
        endcase
      end
    endcase
  end

  // ---- options --------------------------------------------------------------------------------
  place_e place_q;
  logic [7:0] tag_q, left_q;
  logic [7:0] length_q;
  logic [2:0] count_q;  // bytes of the option so far, 0 to 4
  logic [31:0] word_q, word;  // its first four
  logic option_end, known, length_ok;
  dhcp_answer_t got_q;
  logic other_q, bad_q, ended_q, cut_q;

  assign word = count_q[2] ? word_q : {word_q[23:0], s_axis.tdata};
  assign option_end = place_q == DATA && left_q == 8'd1;

  always_comb begin
    known = 1'b1;
    length_ok = length_q == 8'd4;
    case (tag_q)
      8'd1, 8'd51, 8'd54, 8'd58, 8'd59: ;
      8'd3: length_ok = length_q[1:0] == 2'd0;  // a list of routers
      8'd53: length_ok = length_q == 8'd1;
      default: known = 1'b0;
    endcase
  end

  always_ff @(posedge clk) begin
    ended_q <= 1'b0;
    if (s_axis.tvalid) begin
      if (fixed) begin
        index_q <= index_q + 1'b1;
        if (compared && s_axis.tdata != expected) begin
          if (named) other_q <= 1'b1;
          else bad_q <= 1'b1;
        end
        if (index_q[7:2] == 6'd4) got_q.ip <= {got_q.ip[23:0], s_axis.tdata};
      end else begin
        case (place_q)
          TAG: begin
            tag_q <= s_axis.tdata;
            if (s_axis.tdata == 8'd255) place_q <= FINISHED;
            else if (s_axis.tdata != 8'd0) place_q <= LENGTH;
          end
          LENGTH: begin
            left_q   <= s_axis.tdata;
            length_q <= s_axis.tdata;
            count_q  <= '0;
            // Without data it is one of those that carry none; those read here carry some.
            place_q  <= s_axis.tdata == 8'd0 ? TAG : DATA;
            if (s_axis.tdata == 8'd0 && known) bad_q <= 1'b1;
          end
          DATA: begin
            left_q <= left_q - 1'b1;
            word_q <= word;
            if (!count_q[2]) count_q <= count_q + 1'b1;
            if (option_end) begin
              place_q <= TAG;
              if (known && !length_ok) bad_q <= 1'b1;
              case (tag_q)
                8'd1: got_q.netmask <= word;
                8'd3: got_q.gateway <= word;
                8'd51: got_q.lease <= word;
                8'd53: got_q.kind <= word[7:4] == '0 ? dhcp_kind_e'(word[3:0]) : DHCP_NONE;
                8'd54: got_q.server <= word;
                8'd58: got_q.t1 <= word;
                8'd59: got_q.t2 <= word;
                default: ;
              endcase
            end
          end
          default: ;
        endcase
      end
      if (s_axis.tlast) begin
        ended_q <= 1'b1;
        cut_q   <= s_axis.tuser[0] || fixed || place_q == LENGTH || (place_q == DATA && !option_end)
            || (place_q == TAG && s_axis.tdata != 8'd255 && s_axis.tdata != 8'd0);
      end
    end
    // The cycle behind the last byte: the verdict.
    if (ended_q) begin
      index_q <= '0;
      place_q <= TAG;
      other_q <= 1'b0;
      bad_q   <= 1'b0;
      got_q   <= '0;
      // A datagram of a single byte may follow at once; it is no answer.
      if (s_axis.tvalid) begin
        index_q <= 8'd1;
        bad_q   <= s_axis.tdata != 8'd2;
      end
    end
    if (rst) begin
      index_q <= '0;
      place_q <= TAG;
      other_q <= 1'b0;
      bad_q   <= 1'b0;
      ended_q <= 1'b0;
      got_q   <= '0;
    end
  end

  // ---- verdict --------------------------------------------------------------------------------
  logic gives, complete;

  // An address that a host can have, and what RFC 2131 demands beside it.
  assign gives = got_q.ip[31:24] != 8'd0 && got_q.ip[31:24] != 8'd127 && got_q.ip[31:29] != 3'b111
      && got_q.server != '0 && got_q.lease != '0;
  assign complete = got_q.kind == DHCP_NAK
      || ((got_q.kind == DHCP_OFFER || got_q.kind == DHCP_ACK) && gives);

  always_ff @(posedge clk) begin
    answer       <= got_q;
    answer_valid <= ended_q && !cut_q && !bad_q && !other_q && complete;
    ev_other     <= ended_q && !cut_q && !bad_q && other_q;
    ev_bad       <= ended_q && (cut_q || bad_q || (!other_q && !complete));
  end

  logic unused;
  assign unused = &{s_axis.tkeep, s_axis.tid, s_axis.tdest};
endmodule
