// SPDX-License-Identifier: Apache-2.0
//
// Test top: kumi_tcp_sockets with its two byte streams as records, one per beat, so that a test
//   sees every beat: {last, user (4), session (16), keep, data}.
module kumi_t_tcp_sockets
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W = 64
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_listen,
    kumi_rec_if.src m_listen_rsp,
    kumi_rec_if.snk s_open,
    kumi_rec_if.src m_open_rsp,
    kumi_rec_if.src m_accept,
    kumi_rec_if.src m_beat,
    kumi_rec_if.snk s_beat,
    output logic [15:0] open_count,
    output logic ev_drop,
    kumi_tcp_app_if m_eng,
    output logic busy
);
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (16),
      .USER_W(4)
  ) rx ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(16)
  ) tx ();
  logic [3:0] user;

  assign m_beat.data = {rx.tlast, rx.tuser, rx.tid, rx.tkeep, rx.tdata};
  assign m_beat.valid = rx.tvalid;
  assign rx.tready = m_beat.ready;
  assign {tx.tlast, user, tx.tdest, tx.tkeep, tx.tdata} = s_beat.data;
  assign tx.tuser = user[0];
  assign tx.tvalid = s_beat.valid;
  assign s_beat.ready = tx.tready;
  assign tx.tid = '0;

  kumi_tcp_sockets #(
      .SESSIONS(16),
      .CHUNK(512),
      .RX_BUFFER(4096)
  ) u_dut (
      .clk,
      .rst,
      .s_listen,
      .m_listen_rsp,
      .s_open,
      .m_open_rsp,
      .m_accept,
      .m_axis(rx),
      .s_axis(tx),
      .open_count,
      .ev_drop,
      .m_eng,
      .busy
  );
endmodule
