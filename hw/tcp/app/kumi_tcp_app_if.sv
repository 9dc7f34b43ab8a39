// SPDX-License-Identifier: Apache-2.0
//
// Application interface of the TCP engine: its twelve streams as one bundle.
//
// Requests of the application and responses of the engine; records of kumi_tcp_pkg, valid/ready,
// held. An application has the port m_app, the engine s_app:
//   listen -> listen_rsp, open -> open_rsp, read -> read_rsp and a frame on rx, write -> write_rsp
//   and, if answered TCP_OK, a frame on tx; close has no response; notify comes from the engine.
// Each member is a stream of its own; see kumi_tcp for the rules, kumi_tcp_app_mux for sharing.
interface kumi_tcp_app_if #(
    parameter int DATA_W = 64  // bits of rx and tx
);
  // from the application
  kumi_rec_if #(.W(kumi_tcp_pkg::LISTEN_W)) listen ();
  kumi_rec_if #(.W(kumi_tcp_pkg::OPEN_W)) open ();
  kumi_rec_if #(.W(kumi_tcp_pkg::CLOSE_W)) close ();
  kumi_rec_if #(.W(kumi_tcp_pkg::READ_W)) read ();
  kumi_rec_if #(.W(kumi_tcp_pkg::WRITE_W)) write ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (kumi_tcp_pkg::SID_W)
  ) tx ();
  // from the engine
  kumi_rec_if #(.W(kumi_tcp_pkg::LISTEN_RSP_W)) listen_rsp ();
  kumi_rec_if #(.W(kumi_tcp_pkg::OPEN_RSP_W)) open_rsp ();
  kumi_rec_if #(.W(kumi_tcp_pkg::NOTIFY_W)) notify ();
  kumi_rec_if #(.W(kumi_tcp_pkg::READ_RSP_W)) read_rsp ();
  kumi_rec_if #(.W(kumi_tcp_pkg::WRITE_RSP_W)) write_rsp ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (kumi_tcp_pkg::SID_W)
  ) rx ();
endinterface
