// SPDX-License-Identifier: Apache-2.0
//
// ICMPv6 messages into Ethernet frames (RFC 2464, RFC 8200); they are not forwarded by routers if
// they must not be: the hop limit is 255.
//
// s_head, s_axis [2]: echo replies and notes, a record no later than its message; the first has
//   precedence. mac: our own. m_axis: frames. ev_sent: a frame begins.
module kumi_ip6_icmp_tx
  import kumi_ip6_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic [47:0] mac,
    kumi_rec_if.snk s_head[2],
    kumi_axis_if.snk s_axis[2],
    kumi_axis_if.src m_axis,
    output logic ev_sent
);
  logic open_q;  // a message is being sent
  logic which_q;
  icmp6_tx_t head_q;
  kumi_axis_if #(.DATA_W(64)) body ();
  kumi_axis_if #(.DATA_W(64)) frame ();

  assign s_head[0].ready = !open_q;
  assign s_head[1].ready = !open_q && !s_head[0].valid;

  always_ff @(posedge clk) begin
    ev_sent <= 1'b0;
    if (!open_q) begin
      head_q  <= icmp6_tx_t'(s_head[0].valid ? s_head[0].data : s_head[1].data);
      which_q <= !s_head[0].valid;
      open_q  <= s_head[0].valid || s_head[1].valid;
      ev_sent <= s_head[0].valid || s_head[1].valid;
    end else if (body.tvalid && body.tready && body.tlast) begin
      open_q <= 1'b0;
    end
    if (rst) begin
      open_q  <= 1'b0;
      ev_sent <= 1'b0;
    end
  end

  assign body.tvalid = open_q && (which_q ? s_axis[1].tvalid : s_axis[0].tvalid);
  assign body.tdata = which_q ? s_axis[1].tdata : s_axis[0].tdata;
  assign body.tkeep = which_q ? s_axis[1].tkeep : s_axis[0].tkeep;
  assign body.tlast = which_q ? s_axis[1].tlast : s_axis[0].tlast;
  assign body.tuser = which_q ? s_axis[1].tuser : s_axis[0].tuser;
  assign body.tid = '0;
  assign body.tdest = '0;
  assign s_axis[0].tready = open_q && !which_q && body.tready;
  assign s_axis[1].tready = open_q && which_q && body.tready;

  logic [53:0][7:0] headers;
  logic [431:0] wire_order;
  assign wire_order = {
    head_q.mac,
    mac,
    ETHERTYPE_IP6,
    32'h6000_0000,
    head_q.length,
    NEXT_ICMP6,
    8'd255,
    head_q.src,
    head_q.dst
  };
  for (genvar n = 0; n < 54; n++) begin : gen_headers
    assign headers[n] = wire_order[8*(53-n)+:8];
  end

  kumi_axis_prepend #(
      .BYTES(54)
  ) u_headers (
      .clk,
      .rst,
      .head  (headers),
      .s_axis(body),
      .m_axis(frame)
  );

  kumi_axis_width u_widen (
      .clk,
      .rst,
      .s_axis(frame),
      .m_axis
  );
endmodule
