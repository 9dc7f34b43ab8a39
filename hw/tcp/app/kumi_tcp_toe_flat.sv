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
    input logic [LISTEN_RSP_W-1:0] s_hdr_listened_data,
    input logic s_hdr_listened_valid,
    output logic s_hdr_listened_ready,
    output logic [OPEN_W-1:0] m_hdr_open_data,
    output logic m_hdr_open_valid,
    input logic m_hdr_open_ready,
    input logic [OPEN_RSP_W-1:0] s_hdr_opened_data,
    input logic s_hdr_opened_valid,
    output logic s_hdr_opened_ready,
    output logic [CLOSE_W-1:0] m_hdr_close_data,
    output logic m_hdr_close_valid,
    input logic m_hdr_close_ready,
    input logic [NOTIFY_W-1:0] s_hdr_note_data,
    input logic s_hdr_note_valid,
    output logic s_hdr_note_ready,
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

  kumi_axis_if #(.DATA_W(DATA_W)) s_eng ();
  assign s_eng.tdata = s_axis_eng_tdata;
  assign s_eng.tkeep = s_axis_eng_tkeep;
  assign s_eng.tvalid = s_axis_eng_tvalid;
  assign s_eng.tlast = s_axis_eng_tlast;
  assign s_eng.tuser = '0;
  assign s_eng.tid = '0;
  assign s_eng.tdest = '0;
  assign s_axis_eng_tready = s_eng.tready;

  kumi_axis_if #(.DATA_W(DATA_W)) m_eng ();
  assign m_axis_eng_tdata = m_eng.tdata;
  assign m_axis_eng_tkeep = m_eng.tkeep;
  assign m_axis_eng_tvalid = m_eng.tvalid;
  assign m_axis_eng_tlast = m_eng.tlast;
  assign m_eng.tready = m_axis_eng_tready;

  kumi_rec_if #(.W(LISTEN_W)) m_eng_listen ();
  assign m_hdr_listen_data  = m_eng_listen.data;
  assign m_hdr_listen_valid = m_eng_listen.valid;
  assign m_eng_listen.ready = m_hdr_listen_ready;

  kumi_rec_if #(.W(LISTEN_RSP_W)) s_eng_listen_rsp ();
  assign s_eng_listen_rsp.data  = s_hdr_listened_data;
  assign s_eng_listen_rsp.valid = s_hdr_listened_valid;
  assign s_hdr_listened_ready   = s_eng_listen_rsp.ready;

  kumi_rec_if #(.W(OPEN_W)) m_eng_open ();
  assign m_hdr_open_data  = m_eng_open.data;
  assign m_hdr_open_valid = m_eng_open.valid;
  assign m_eng_open.ready = m_hdr_open_ready;

  kumi_rec_if #(.W(OPEN_RSP_W)) s_eng_open_rsp ();
  assign s_eng_open_rsp.data  = s_hdr_opened_data;
  assign s_eng_open_rsp.valid = s_hdr_opened_valid;
  assign s_hdr_opened_ready   = s_eng_open_rsp.ready;

  kumi_rec_if #(.W(CLOSE_W)) m_eng_close ();
  assign m_hdr_close_data  = m_eng_close.data;
  assign m_hdr_close_valid = m_eng_close.valid;
  assign m_eng_close.ready = m_hdr_close_ready;

  kumi_rec_if #(.W(NOTIFY_W)) s_eng_notify ();
  assign s_eng_notify.data  = s_hdr_note_data;
  assign s_eng_notify.valid = s_hdr_note_valid;
  assign s_hdr_note_ready   = s_eng_notify.ready;

  kumi_rec_if #(.W(READ_W)) m_eng_read ();
  assign m_hdr_read_data  = m_eng_read.data;
  assign m_hdr_read_valid = m_eng_read.valid;
  assign m_eng_read.ready = m_hdr_read_ready;

  kumi_rec_if #(.W(READ_RSP_W)) s_eng_read ();
  assign s_eng_read.data  = s_hdr_read_data;
  assign s_eng_read.valid = s_hdr_read_valid;
  assign s_hdr_read_ready = s_eng_read.ready;

  kumi_rec_if #(.W(WRITE_W)) m_eng_write ();
  assign m_hdr_write_data  = m_eng_write.data;
  assign m_hdr_write_valid = m_eng_write.valid;
  assign m_eng_write.ready = m_hdr_write_ready;

  kumi_rec_if #(.W(WRITE_RSP_W)) s_eng_write ();
  assign s_eng_write.data  = s_hdr_write_data;
  assign s_eng_write.valid = s_hdr_write_valid;
  assign s_hdr_write_ready = s_eng_write.ready;

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
      .s_eng_axis(s_eng),
      .m_eng_axis(m_eng),
      .m_eng_listen,
      .s_eng_listen_rsp,
      .m_eng_open,
      .s_eng_open_rsp,
      .m_eng_close,
      .s_eng_notify,
      .m_eng_read,
      .s_eng_read,
      .m_eng_write,
      .s_eng_write,
      .session_count,
      .busy
  );
endmodule
