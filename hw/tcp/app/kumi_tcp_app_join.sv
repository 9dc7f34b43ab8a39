// SPDX-License-Identifier: Apache-2.0
//
// Connects two application bundles by wires: s_app is the engine's end of one, m_app the
// application's of the other. Latency 0, no logic.
//
// For an element of an array of bundles: Verilator does not pass a stream of an array's element on
// as a port, so a module that does so needs a bundle that is no element.
module kumi_tcp_app_join (
    kumi_tcp_app_if s_app,
    kumi_tcp_app_if m_app
);
  assign m_app.listen.data = s_app.listen.data;
  assign m_app.listen.valid = s_app.listen.valid;
  assign s_app.listen.ready = m_app.listen.ready;
  assign m_app.open.data = s_app.open.data;
  assign m_app.open.valid = s_app.open.valid;
  assign s_app.open.ready = m_app.open.ready;
  assign m_app.close.data = s_app.close.data;
  assign m_app.close.valid = s_app.close.valid;
  assign s_app.close.ready = m_app.close.ready;
  assign m_app.read.data = s_app.read.data;
  assign m_app.read.valid = s_app.read.valid;
  assign s_app.read.ready = m_app.read.ready;
  assign m_app.write.data = s_app.write.data;
  assign m_app.write.valid = s_app.write.valid;
  assign s_app.write.ready = m_app.write.ready;
  assign s_app.listen_rsp.data = m_app.listen_rsp.data;
  assign s_app.listen_rsp.valid = m_app.listen_rsp.valid;
  assign m_app.listen_rsp.ready = s_app.listen_rsp.ready;
  assign s_app.open_rsp.data = m_app.open_rsp.data;
  assign s_app.open_rsp.valid = m_app.open_rsp.valid;
  assign m_app.open_rsp.ready = s_app.open_rsp.ready;
  assign s_app.notify.data = m_app.notify.data;
  assign s_app.notify.valid = m_app.notify.valid;
  assign m_app.notify.ready = s_app.notify.ready;
  assign s_app.read_rsp.data = m_app.read_rsp.data;
  assign s_app.read_rsp.valid = m_app.read_rsp.valid;
  assign m_app.read_rsp.ready = s_app.read_rsp.ready;
  assign s_app.write_rsp.data = m_app.write_rsp.data;
  assign s_app.write_rsp.valid = m_app.write_rsp.valid;
  assign m_app.write_rsp.ready = s_app.write_rsp.ready;
  assign s_app.rx.tdata = m_app.rx.tdata;
  assign s_app.rx.tkeep = m_app.rx.tkeep;
  assign s_app.rx.tvalid = m_app.rx.tvalid;
  assign s_app.rx.tlast = m_app.rx.tlast;
  assign s_app.rx.tuser = m_app.rx.tuser;
  assign s_app.rx.tid = m_app.rx.tid;
  assign s_app.rx.tdest = m_app.rx.tdest;
  assign m_app.rx.tready = s_app.rx.tready;
  assign m_app.tx.tdata = s_app.tx.tdata;
  assign m_app.tx.tkeep = s_app.tx.tkeep;
  assign m_app.tx.tvalid = s_app.tx.tvalid;
  assign m_app.tx.tlast = s_app.tx.tlast;
  assign m_app.tx.tuser = s_app.tx.tuser;
  assign m_app.tx.tid = s_app.tx.tid;
  assign m_app.tx.tdest = s_app.tx.tdest;
  assign s_app.tx.tready = m_app.tx.tready;
endmodule
