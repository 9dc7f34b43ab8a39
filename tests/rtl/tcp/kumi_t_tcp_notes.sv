// SPDX-License-Identifier: Apache-2.0
//
// Test top: coalesced notifications on their way to the applications that share an engine. The owner
//   of a passively opened session is its local port.
module kumi_t_tcp_notes
  import kumi_tcp_pkg::*;
#(
    parameter int SESSIONS = 16,
    parameter int CLIENTS  = 2
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_notify,
    kumi_rec_if.snk s_done,
    kumi_rec_if.src m_notify[CLIENTS],
    kumi_rec_if.src m_done,
    kumi_rec_if.src m_orphan,
    output logic busy
);
  kumi_rec_if #(.W(NOTIFY_W)) note ();
  logic skip, ev_orphan;
  logic [15:0] port;

  kumi_tcp_notify_coalesce #(
      .SESSIONS(SESSIONS)
  ) u_notes (
      .clk,
      .rst,
      .s_notify,
      .m_notify(note),
      .skip,
      .s_done,
      .m_done
  );

  kumi_tcp_app_mux_notify #(
      .CLIENTS (CLIENTS),
      .SESSIONS(SESSIONS)
  ) u_mux (
      .clk,
      .rst,
      .act_valid(1'b0),
      .act_sid('0),
      .act_client('0),
      .look_port(port),
      .look_hit(port < 16'(CLIENTS)),
      .look_client(port[2:0]),
      .s_eng_notify(note),
      .notify_skip(skip),
      .m_notify,
      .m_orphan,
      .ev_orphan,
      .busy
  );
endmodule
