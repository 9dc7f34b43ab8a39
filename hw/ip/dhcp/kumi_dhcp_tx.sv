// SPDX-License-Identifier: Apache-2.0
//
// Writes the messages of a DHCP client (RFC 2131 table 5, RFC 2132), a byte a cycle.
//
// message: taken with message_valid and message_ready; stable until then.
// m_axis: the UDP payload, 8 bits wide, DHCP_BYTES a message. Options have fixed places; one that a
//   message does not have is pad bytes.
// Latency 2 cycles, then one byte a cycle.
module kumi_dhcp_tx
  import kumi_dhcp_pkg::*;
(
    input  logic                   clk,
    input  logic                   rst,
    input  logic            [47:0] mac,
    input  dhcp_message_t          message,
    input  logic                   message_valid,
    output logic                   message_ready,
           kumi_axis_if.src        m_axis
);
  if (m_axis.DATA_W != 8) begin : gen_check_w
    $fatal(0, "m_axis must be 8 bits wide (%m)");
  end

  localparam int INDEX_W = $clog2(DHCP_BYTES);
  localparam logic [INDEX_W-1:0] LAST = INDEX_W'(DHCP_BYTES - 1);

  dhcp_message_t now_q;
  logic active_q, asks, move;
  logic [INDEX_W-1:0] index_q;
  logic [7:0] data;

  // Only these say what they want to know and how much they take (RFC 2131, table 5).
  assign asks = now_q.kind == DHCP_DISCOVER || now_q.kind == DHCP_REQUEST;

  always_comb begin
    data = 8'd0;
    case (index_q)
      9'd0: data = 8'd1;  // BOOTREQUEST
      9'd1: data = 8'd1;  // Ethernet
      9'd2: data = 8'd6;
      9'd4: data = now_q.xid[31:24];
      9'd5: data = now_q.xid[23:16];
      9'd6: data = now_q.xid[15:8];
      9'd7: data = now_q.xid[7:0];
      9'd8: data = now_q.secs[15:8];
      9'd9: data = now_q.secs[7:0];
      // Without an address the answer must come as a broadcast.
      9'd10: data = now_q.own == '0 ? 8'h80 : 8'd0;
      9'd12: data = now_q.own[31:24];
      9'd13: data = now_q.own[23:16];
      9'd14: data = now_q.own[15:8];
      9'd15: data = now_q.own[7:0];
      9'd28, 9'd246: data = mac[47:40];
      9'd29, 9'd247: data = mac[39:32];
      9'd30, 9'd248: data = mac[31:24];
      9'd31, 9'd249: data = mac[23:16];
      9'd32, 9'd250: data = mac[15:8];
      9'd33, 9'd251: data = mac[7:0];
      9'd236: data = 8'h63;  // cookie
      9'd237: data = 8'h82;
      9'd238: data = 8'h53;
      9'd239: data = 8'h63;
      9'd240: data = 8'd53;  // message type
      9'd241: data = 8'd1;
      9'd242: data = {4'd0, now_q.kind};
      9'd243: data = 8'd61;  // client identifier: type 1, the MAC address
      9'd244: data = 8'd7;
      9'd245: data = 8'd1;
      9'd252: data = asks ? 8'd57 : 8'd0;  // longest message, 576 bytes
      9'd253: data = asks ? 8'd2 : 8'd0;
      9'd254: data = asks ? 8'h02 : 8'd0;
      9'd255: data = asks ? 8'h40 : 8'd0;
      9'd256: data = asks ? 8'd55 : 8'd0;  // asked for: netmask, routers, lease, T1, T2
      9'd257: data = asks ? 8'd5 : 8'd0;
      9'd258: data = asks ? 8'd1 : 8'd0;
      9'd259: data = asks ? 8'd3 : 8'd0;
      9'd260: data = asks ? 8'd51 : 8'd0;
      9'd261: data = asks ? 8'd58 : 8'd0;
      9'd262: data = asks ? 8'd59 : 8'd0;
      9'd263: data = now_q.wanted != '0 ? 8'd50 : 8'd0;  // requested address
      9'd264: data = now_q.wanted != '0 ? 8'd4 : 8'd0;
      9'd265: data = now_q.wanted[31:24];
      9'd266: data = now_q.wanted[23:16];
      9'd267: data = now_q.wanted[15:8];
      9'd268: data = now_q.wanted[7:0];
      9'd269: data = now_q.server != '0 ? 8'd54 : 8'd0;  // server identifier
      9'd270: data = now_q.server != '0 ? 8'd4 : 8'd0;
      9'd271: data = now_q.server[31:24];
      9'd272: data = now_q.server[23:16];
      9'd273: data = now_q.server[15:8];
      9'd274: data = now_q.server[7:0];
      9'd275: data = 8'd255;  // end
      default: ;
    endcase
  end

  assign message_ready = !active_q;
  assign move = active_q && (!m_axis.tvalid || m_axis.tready);

  always_ff @(posedge clk) begin
    if (m_axis.tready) m_axis.tvalid <= 1'b0;
    if (message_valid && message_ready) begin
      active_q <= 1'b1;
      now_q    <= message;
      index_q  <= '0;
    end
    if (move) begin
      m_axis.tvalid <= 1'b1;
      m_axis.tdata  <= data;
      m_axis.tlast  <= index_q == LAST;
      index_q       <= index_q + 1'b1;
      if (index_q == LAST) active_q <= 1'b0;
    end
    if (rst) begin
      active_q      <= 1'b0;
      m_axis.tvalid <= 1'b0;
    end
  end

  assign m_axis.tkeep = '1;
  assign m_axis.tuser = '0;
  assign m_axis.tid   = '0;
  assign m_axis.tdest = '0;
endmodule
