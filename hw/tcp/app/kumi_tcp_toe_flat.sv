// SPDX-License-Identifier: Apache-2.0
//
// kumi_tcp_toe with flat ports, those of the application named as in EasyNet's tcp_stack: for
// kernels from there, tests, and synthesis of the block alone. Wiring only; s_hdr_*, m_hdr_*,
// s_axis_eng and m_axis_eng are the engine's native streams. tkeep and tlast of single-beat
// channels are all ones as outputs and ignored as inputs.
module kumi_tcp_toe_flat
  import kumi_tcp_pkg::*;
#(
    parameter int DATA_W = 64,  // bits of a beat: 64, 128, 256, 512
    parameter int SESSIONS = 64,  // session numbers of the engine, a power of two
    parameter bit KERNEL = 1'b0,  // 1: widths of a Vitis kernel
    // Derived from KERNEL, do not set.
    parameter int OPEN_BITS = KERNEL ? 64 : 48,
    parameter int STATUS_BITS = KERNEL ? 128 : 72,
    parameter int NOTE_BITS = KERNEL ? 128 : 88
) (
    input logic clk,
    input logic rst,
    input logic [16-1:0] s_axis_listen_port_tdata,
    input logic s_axis_listen_port_tvalid,
    output logic s_axis_listen_port_tready,
    output logic [8-1:0] m_axis_listen_port_status_tdata,
    output logic [8/8-1:0] m_axis_listen_port_status_tkeep,
    output logic m_axis_listen_port_status_tlast,
    output logic m_axis_listen_port_status_tvalid,
    input logic m_axis_listen_port_status_tready,
    input logic [OPEN_BITS-1:0] s_axis_open_connection_tdata,
    input logic s_axis_open_connection_tvalid,
    output logic s_axis_open_connection_tready,
    output logic [STATUS_BITS-1:0] m_axis_open_status_tdata,
    output logic [STATUS_BITS/8-1:0] m_axis_open_status_tkeep,
    output logic m_axis_open_status_tlast,
    output logic m_axis_open_status_tvalid,
    input logic m_axis_open_status_tready,
    input logic [16-1:0] s_axis_close_connection_tdata,
    input logic s_axis_close_connection_tvalid,
    output logic s_axis_close_connection_tready,
    output logic [NOTE_BITS-1:0] m_axis_notifications_tdata,
    output logic [NOTE_BITS/8-1:0] m_axis_notifications_tkeep,
    output logic m_axis_notifications_tlast,
    output logic m_axis_notifications_tvalid,
    input logic m_axis_notifications_tready,
    input logic [32-1:0] s_axis_read_package_tdata,
    input logic s_axis_read_package_tvalid,
    output logic s_axis_read_package_tready,
    output logic [16-1:0] m_axis_rx_metadata_tdata,
    output logic [16/8-1:0] m_axis_rx_metadata_tkeep,
    output logic m_axis_rx_metadata_tlast,
    output logic m_axis_rx_metadata_tvalid,
    input logic m_axis_rx_metadata_tready,
    input logic [32-1:0] s_axis_tx_metadata_tdata,
    input logic s_axis_tx_metadata_tvalid,
    output logic s_axis_tx_metadata_tready,
    output logic [64-1:0] m_axis_tx_status_tdata,
    output logic [64/8-1:0] m_axis_tx_status_tkeep,
    output logic m_axis_tx_status_tlast,
    output logic m_axis_tx_status_tvalid,
    input logic m_axis_tx_status_tready,
    output logic [DATA_W-1:0] m_axis_rx_data_tdata,
    output logic [DATA_W/8-1:0] m_axis_rx_data_tkeep,
    output logic m_axis_rx_data_tvalid,
    input logic m_axis_rx_data_tready,
    output logic m_axis_rx_data_tlast,
    input logic [DATA_W-1:0] s_axis_tx_data_tdata,
    input logic [DATA_W/8-1:0] s_axis_tx_data_tkeep,
    input logic s_axis_tx_data_tvalid,
    output logic s_axis_tx_data_tready,
    input logic s_axis_tx_data_tlast,
    output logic [15:0] session_count,
    output logic [LISTEN_W-1:0] m_hdr_listen_data,
    output logic m_hdr_listen_valid,
    input logic m_hdr_listen_ready,
    input logic [LISTEN_RSP_W-1:0] s_hdr_listen_rsp_data,
    input logic s_hdr_listen_rsp_valid,
    output logic s_hdr_listen_rsp_ready,
    output logic [OPEN_W-1:0] m_hdr_open_data,
    output logic m_hdr_open_valid,
    input logic m_hdr_open_ready,
    input logic [OPEN_RSP_W-1:0] s_hdr_open_rsp_data,
    input logic s_hdr_open_rsp_valid,
    output logic s_hdr_open_rsp_ready,
    output logic [CLOSE_W-1:0] m_hdr_close_data,
    output logic m_hdr_close_valid,
    input logic m_hdr_close_ready,
    input logic [NOTIFY_W-1:0] s_hdr_notify_data,
    input logic s_hdr_notify_valid,
    output logic s_hdr_notify_ready,
    output logic [READ_W-1:0] m_hdr_read_data,
    output logic m_hdr_read_valid,
    input logic m_hdr_read_ready,
    input logic [READ_RSP_W-1:0] s_hdr_read_data,
    input logic s_hdr_read_valid,
    output logic s_hdr_read_ready,
    output logic [WRITE_W-1:0] m_hdr_write_data,
    output logic m_hdr_write_valid,
    input logic m_hdr_write_ready,
    input logic [WRITE_RSP_W-1:0] s_hdr_write_data,
    input logic s_hdr_write_valid,
    output logic s_hdr_write_ready,
    input logic [DATA_W-1:0] s_axis_eng_tdata,
    input logic [DATA_W/8-1:0] s_axis_eng_tkeep,
    input logic s_axis_eng_tvalid,
    output logic s_axis_eng_tready,
    input logic s_axis_eng_tlast,
    output logic [DATA_W-1:0] m_axis_eng_tdata,
    output logic [DATA_W/8-1:0] m_axis_eng_tkeep,
    output logic m_axis_eng_tvalid,
    input logic m_axis_eng_tready,
    output logic m_axis_eng_tlast,
    output logic busy
);
  kumi_rec_if #(.W(16)) s_listen_port ();
  assign s_listen_port.data = s_axis_listen_port_tdata;
  assign s_listen_port.valid = s_axis_listen_port_tvalid;
  assign s_axis_listen_port_tready = s_listen_port.ready;

  kumi_rec_if #(.W(8)) m_listen_port_status ();
  assign m_axis_listen_port_status_tdata = m_listen_port_status.data;
  assign m_axis_listen_port_status_tkeep = '1;
  assign m_axis_listen_port_status_tlast = 1'b1;
  assign m_axis_listen_port_status_tvalid = m_listen_port_status.valid;
  assign m_listen_port_status.ready = m_axis_listen_port_status_tready;

  kumi_rec_if #(.W(OPEN_BITS)) s_open_connection ();
  assign s_open_connection.data = s_axis_open_connection_tdata;
  assign s_open_connection.valid = s_axis_open_connection_tvalid;
  assign s_axis_open_connection_tready = s_open_connection.ready;

  kumi_rec_if #(.W(STATUS_BITS)) m_open_status ();
  assign m_axis_open_status_tdata = m_open_status.data;
  assign m_axis_open_status_tkeep = '1;
  assign m_axis_open_status_tlast = 1'b1;
  assign m_axis_open_status_tvalid = m_open_status.valid;
  assign m_open_status.ready = m_axis_open_status_tready;

  kumi_rec_if #(.W(16)) s_close_connection ();
  assign s_close_connection.data = s_axis_close_connection_tdata;
  assign s_close_connection.valid = s_axis_close_connection_tvalid;
  assign s_axis_close_connection_tready = s_close_connection.ready;

  kumi_rec_if #(.W(NOTE_BITS)) m_notifications ();
  assign m_axis_notifications_tdata = m_notifications.data;
  assign m_axis_notifications_tkeep = '1;
  assign m_axis_notifications_tlast = 1'b1;
  assign m_axis_notifications_tvalid = m_notifications.valid;
  assign m_notifications.ready = m_axis_notifications_tready;

  kumi_rec_if #(.W(32)) s_read_package ();
  assign s_read_package.data = s_axis_read_package_tdata;
  assign s_read_package.valid = s_axis_read_package_tvalid;
  assign s_axis_read_package_tready = s_read_package.ready;

  kumi_rec_if #(.W(16)) m_rx_metadata ();
  assign m_axis_rx_metadata_tdata = m_rx_metadata.data;
  assign m_axis_rx_metadata_tkeep = '1;
  assign m_axis_rx_metadata_tlast = 1'b1;
  assign m_axis_rx_metadata_tvalid = m_rx_metadata.valid;
  assign m_rx_metadata.ready = m_axis_rx_metadata_tready;

  kumi_rec_if #(.W(32)) s_tx_metadata ();
  assign s_tx_metadata.data = s_axis_tx_metadata_tdata;
  assign s_tx_metadata.valid = s_axis_tx_metadata_tvalid;
  assign s_axis_tx_metadata_tready = s_tx_metadata.ready;

  kumi_rec_if #(.W(64)) m_tx_status ();
  assign m_axis_tx_status_tdata = m_tx_status.data;
  assign m_axis_tx_status_tkeep = '1;
  assign m_axis_tx_status_tlast = 1'b1;
  assign m_axis_tx_status_tvalid = m_tx_status.valid;
  assign m_tx_status.ready = m_axis_tx_status_tready;

  kumi_axis_if #(.DATA_W(DATA_W)) m_rx_data ();
  assign m_axis_rx_data_tdata = m_rx_data.tdata;
  assign m_axis_rx_data_tkeep = m_rx_data.tkeep;
  assign m_axis_rx_data_tvalid = m_rx_data.tvalid;
  assign m_axis_rx_data_tlast = m_rx_data.tlast;
  assign m_rx_data.tready = m_axis_rx_data_tready;

  kumi_axis_if #(.DATA_W(DATA_W)) s_tx_data ();
  assign s_tx_data.tdata = s_axis_tx_data_tdata;
  assign s_tx_data.tkeep = s_axis_tx_data_tkeep;
  assign s_tx_data.tvalid = s_axis_tx_data_tvalid;
  assign s_tx_data.tlast = s_axis_tx_data_tlast;
  assign s_tx_data.tuser = '0;
  assign s_tx_data.tid = '0;
  assign s_tx_data.tdest = '0;
  assign s_axis_tx_data_tready = s_tx_data.tready;

  kumi_tcp_app_if #(.DATA_W(DATA_W)) eng ();
  assign eng.rx.tdata = s_axis_eng_tdata;
  assign eng.rx.tkeep = s_axis_eng_tkeep;
  assign eng.rx.tvalid = s_axis_eng_tvalid;
  assign eng.rx.tlast = s_axis_eng_tlast;
  assign eng.rx.tuser = '0;
  assign eng.rx.tid = '0;
  assign eng.rx.tdest = '0;
  assign s_axis_eng_tready = eng.rx.tready;

  assign m_axis_eng_tdata = eng.tx.tdata;
  assign m_axis_eng_tkeep = eng.tx.tkeep;
  assign m_axis_eng_tvalid = eng.tx.tvalid;
  assign m_axis_eng_tlast = eng.tx.tlast;
  assign eng.tx.tready = m_axis_eng_tready;

  assign m_hdr_listen_data = eng.listen.data;
  assign m_hdr_listen_valid = eng.listen.valid;
  assign eng.listen.ready = m_hdr_listen_ready;

  assign eng.listen_rsp.data = s_hdr_listen_rsp_data;
  assign eng.listen_rsp.valid = s_hdr_listen_rsp_valid;
  assign s_hdr_listen_rsp_ready = eng.listen_rsp.ready;

  assign m_hdr_open_data = eng.open.data;
  assign m_hdr_open_valid = eng.open.valid;
  assign eng.open.ready = m_hdr_open_ready;

  assign eng.open_rsp.data = s_hdr_open_rsp_data;
  assign eng.open_rsp.valid = s_hdr_open_rsp_valid;
  assign s_hdr_open_rsp_ready = eng.open_rsp.ready;

  assign m_hdr_close_data = eng.close.data;
  assign m_hdr_close_valid = eng.close.valid;
  assign eng.close.ready = m_hdr_close_ready;

  assign eng.notify.data = s_hdr_notify_data;
  assign eng.notify.valid = s_hdr_notify_valid;
  assign s_hdr_notify_ready = eng.notify.ready;

  assign m_hdr_read_data = eng.read.data;
  assign m_hdr_read_valid = eng.read.valid;
  assign eng.read.ready = m_hdr_read_ready;

  assign eng.read_rsp.data = s_hdr_read_data;
  assign eng.read_rsp.valid = s_hdr_read_valid;
  assign s_hdr_read_ready = eng.read_rsp.ready;

  assign m_hdr_write_data = eng.write.data;
  assign m_hdr_write_valid = eng.write.valid;
  assign eng.write.ready = m_hdr_write_ready;

  assign eng.write_rsp.data = s_hdr_write_data;
  assign eng.write_rsp.valid = s_hdr_write_valid;
  assign s_hdr_write_ready = eng.write_rsp.ready;

  kumi_tcp_toe #(
      .SESSIONS(SESSIONS),
      .KERNEL  (KERNEL)
  ) u_toe (
      .clk,
      .rst,
      .s_listen_port(s_listen_port),
      .m_port_status(m_listen_port_status),
      .s_open(s_open_connection),
      .m_open_status(m_open_status),
      .s_close(s_close_connection),
      .m_notification(m_notifications),
      .s_read_package(s_read_package),
      .m_rx_metadata(m_rx_metadata),
      .s_tx_metadata(s_tx_metadata),
      .m_tx_status(m_tx_status),
      .m_rx_data(m_rx_data),
      .s_tx_data(s_tx_data),
      .m_eng(eng),
      .session_count,
      .busy
  );
endmodule
