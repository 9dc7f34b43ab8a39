// SPDX-License-Identifier: Apache-2.0
//
// Keeps two TCP ports listening (kumi_tcp_listener): one for HTTP, one for raw framing.
//
// enable, port: of each; open, reason: of the first. m_listen, s_listen_rsp: the engine's; one
//   request is outstanding at a time.
module kumi_http_ports
  import kumi_tcp_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic [1:0] enable,
    input logic [1:0][15:0] port,
    kumi_rec_if.src m_listen,
    kumi_rec_if.snk s_listen_rsp,
    output logic open,
    output tcp_reason_e reason
);
  kumi_rec_if #(.W(LISTEN_W)) ask[2] ();
  kumi_rec_if #(.W(LISTEN_RSP_W)) told[2] ();
  logic [1:0] opened;
  tcp_reason_e [1:0] reasons;
  logic busy_q, offered_q, second_q, second;

  for (genvar i = 0; i < 2; i++) begin : gen_port
    kumi_tcp_listener u_listener (
        .clk,
        .rst,
        .enable(enable[i]),
        .port(port[i]),
        .m_listen(ask[i]),
        .s_listen_rsp(told[i]),
        .open(opened[i]),
        .reason(reasons[i])
    );
    assign told[i].data = s_listen_rsp.data;
  end

  // What is on offer stays, also when the first one comes meanwhile.
  assign second = offered_q ? second_q : !ask[0].valid;
  assign m_listen.valid = !busy_q && (ask[0].valid || ask[1].valid);
  assign m_listen.data = second ? ask[1].data : ask[0].data;
  assign ask[0].ready = !busy_q && m_listen.ready && !second;
  assign ask[1].ready = !busy_q && m_listen.ready && second;
  assign told[0].valid = s_listen_rsp.valid && !second_q;
  assign told[1].valid = s_listen_rsp.valid && second_q;
  assign s_listen_rsp.ready = second_q ? told[1].ready : told[0].ready;

  always_ff @(posedge clk) begin
    if (m_listen.valid) begin
      offered_q <= !m_listen.ready;
      busy_q <= m_listen.ready;
      second_q <= second;
    end
    if (s_listen_rsp.valid && s_listen_rsp.ready) busy_q <= 1'b0;
    if (rst) begin
      busy_q <= 1'b0;
      offered_q <= 1'b0;
      second_q <= 1'b0;
    end
  end

  assign open   = opened[0];
  assign reason = reasons[0];

  logic unused;
  assign unused = ^{opened, reasons};
endmodule
