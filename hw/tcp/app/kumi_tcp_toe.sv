// SPDX-License-Identifier: Apache-2.0
//
// Compatibility profile: the twelve application channels of the EasyNet / fpga-network-stack TCP
//   offload engine on the native interface of this engine. Kernels written for those connect
//   unchanged.
//
// Channels (name there: fields, least significant first; addresses and ports in native order):
//   s_listen_port   port [15:0] -> m_port_status       success [0]
//   s_open          address [31:0], port [47:32]
//     -> m_open_status  session [15:0], success [23:16], address [55:24], port [71:56]
//   s_close         session [15:0], no response
//   m_notification  session [15:0], length [31:16], address [63:32], own port [79:64], closed [80]
//   s_read_package  session [15:0], length [31:16], ignored when 0
//     -> m_rx_metadata  session [15:0], and the bytes on m_rx_data
//   s_tx_metadata   session [15:0], length [31:16]
//     -> m_tx_status    session [15:0], length [31:16], space [61:32], error [63:62]: 0 none,
//        1 no connection, 2 no space (retry); after 0 the bytes on s_tx_data
// KERNEL: 0: widths at the engine (48, 72 and 88 bits for open, its status and notification); 1:
//   those at a Vitis kernel (64, 128, 128), zero-padded.
// Differences: any port can be opened; a write may be 65535 bytes long; requests may follow each
//   other without waiting; closed is reported once per session, and data before it may be read
//   after it.
// A read of data that the engine has discarded returns zeros of the requested length, so a kernel
// waiting for it continues. See kumi_tcp_toe_notify for ends and closes.
// session_count: sessions that have not ended.
// Handshakes: valid/ready, held. Added latency: 1 to 2 cycles for reads, writes and their data, 3
//   for notifications.
module kumi_tcp_toe
  import kumi_tcp_pkg::*;
  import kumi_tcp_app_pkg::*;
#(
    parameter int SESSIONS = 64,   // session numbers of the engine, a power of two
    parameter bit KERNEL   = 1'b0  // 1: widths of a Vitis kernel
) (
    input logic clk,
    input logic rst,
    // application
    kumi_rec_if.snk s_listen_port,
    kumi_rec_if.src m_port_status,
    kumi_rec_if.snk s_open,
    kumi_rec_if.src m_open_status,
    kumi_rec_if.snk s_close,
    kumi_rec_if.src m_notification,
    kumi_rec_if.snk s_read_package,
    kumi_rec_if.src m_rx_metadata,
    kumi_axis_if.src m_rx_data,
    kumi_rec_if.snk s_tx_metadata,
    kumi_rec_if.src m_tx_status,
    kumi_axis_if.snk s_tx_data,
    output logic [15:0] session_count,
    // engine
    kumi_tcp_app_if m_eng,
    output logic busy
);
  localparam int OPEN_BITS = KERNEL ? 64 : 48;
  localparam int STATUS_BITS = KERNEL ? 128 : 72;
  localparam int NOTE_BITS = KERNEL ? 128 : 88;

  if (s_open.W != OPEN_BITS || m_open_status.W != STATUS_BITS || m_notification.W != NOTE_BITS)
  begin : gen_check_w
    $fatal(0, "s_open, m_open_status or m_notification has a wrong width (%m)");
  end

  // ---- ports and connections ------------------------------------------------------------------
  tcp_listen_rsp_t listened;
  tcp_open_rsp_t   opened;
  logic up, entered_q;
  kumi_rec_if #(.W(SID_W)) up_s ();

  assign m_eng.listen.data = {s_listen_port.data[15:0], 1'b0};
  assign m_eng.listen.valid = s_listen_port.valid;
  assign s_listen_port.ready = m_eng.listen.ready;
  assign listened = tcp_listen_rsp_t'(m_eng.listen_rsp.data);
  assign m_port_status.data = {7'd0, listened.reason == TCP_OK};
  assign m_port_status.valid = m_eng.listen_rsp.valid;
  assign m_eng.listen_rsp.ready = m_port_status.ready;

  assign m_eng.open.data = {s_open.data[31:0], s_open.data[47:32]};
  assign m_eng.open.valid = s_open.valid;
  assign s_open.ready = m_eng.open.ready;

  // An opened session is registered before its response passes.
  assign opened = tcp_open_rsp_t'(m_eng.open_rsp.data);
  assign up = opened.reason == TCP_OK;
  assign up_s.data = opened.sid;
  assign up_s.valid = m_eng.open_rsp.valid && up && !entered_q;
  assign m_open_status.data = STATUS_BITS'({opened.port, opened.ip, 7'd0, up, opened.sid});
  assign m_open_status.valid = m_eng.open_rsp.valid && (!up || entered_q);
  always_ff @(posedge clk) begin
    if (up_s.valid && up_s.ready) entered_q <= 1'b1;
    if (m_open_status.valid && m_open_status.ready) entered_q <= 1'b0;
    if (rst) entered_q <= 1'b0;
  end
  assign m_eng.open_rsp.ready = m_open_status.valid && m_open_status.ready;

  kumi_tcp_toe_notify #(
      .SESSIONS(SESSIONS)
  ) u_note (
      .clk,
      .rst,
      .s_notify(m_eng.notify),
      .s_up(up_s),
      .m_notification,
      .s_close,
      .m_close(m_eng.close),
      .count(session_count)
  );

  // ---- reads: the mover pads missing data with zeros ------------------------------------------
  tcp_read_rsp_t read_told;
  kumi_rec_if #(.W(MOVE_W)) move_s ();
  kumi_rec_if #(.W(READ_RSP_W)) read_s ();
  kumi_rec_if #(.W(8 * 4 + 16)) head_s ();
  kumi_rec_if #(.W(SHORT_READ_W)) lost_s ();
  logic [15:0] sunk, asked_sid;
  logic [4:0] asked_depth;
  logic sunk_valid, ev_short, mover_busy, asked_room, some, asked_valid;

  assign some = s_read_package.data[31:16] != '0;
  assign m_eng.read.data = {s_read_package.data[15:0], s_read_package.data[31:16]};
  assign m_eng.read.valid = s_read_package.valid && some && move_s.ready;
  assign move_s.data = {1'b1, 1'b1, 1'b0, 2'd0, s_read_package.data[31:16]};
  assign move_s.valid = m_eng.read.valid && m_eng.read.ready;
  assign s_read_package.ready = !some || (m_eng.read.ready && move_s.ready);
  assign read_told = tcp_read_rsp_t'(m_eng.read_rsp.data);
  assign read_s.data = m_eng.read_rsp.data;
  assign read_s.valid = m_eng.read_rsp.valid && asked_room;
  assign m_eng.read_rsp.ready = read_s.ready && asked_room;
  assign head_s.ready = 1'b1;
  assign lost_s.ready = 1'b1;

  // The session of a read is reported no later than its first data beat.
  kumi_fifo #(
      .W(16),
      .DEPTH(16)
  ) u_asked (
      .clk,
      .rst,
      .s_data (read_told.sid),
      .s_valid(m_eng.read_rsp.valid && m_eng.read_rsp.ready),
      .s_ready(asked_room),
      .m_data (asked_sid),
      .m_valid(asked_valid),
      .m_ready(m_rx_metadata.ready),
      .depth  (asked_depth)
  );
  assign m_rx_metadata.data  = asked_sid;
  assign m_rx_metadata.valid = asked_valid;

  kumi_tcp_app_mover #(
      .DEPTH(8)
  ) u_mover (
      .clk,
      .rst,
      .lines(1'b0),
      .s_move(move_s),
      .s_read(read_s),
      .s_axis(m_eng.rx),
      .m_axis(m_rx_data),
      .m_head(head_s),
      .m_short_read(lost_s),
      .sunk,
      .sunk_valid,
      .ev_short,
      .busy(mover_busy)
  );

  // ---- writes ---------------------------------------------------------------------------------
  tcp_write_rsp_t wrote;
  logic [1:0] error;

  assign m_eng.write.data = {s_tx_metadata.data[15:0], s_tx_metadata.data[31:16]};
  assign m_eng.write.valid = s_tx_metadata.valid;
  assign s_tx_metadata.ready = m_eng.write.ready;
  assign wrote = tcp_write_rsp_t'(m_eng.write_rsp.data);

  always_comb begin
    case (wrote.reason)
      TCP_OK: error = 2'd0;
      TCP_NO_SPACE: error = 2'd2;
      default: error = 2'd1;
    endcase
  end

  assign m_tx_status.data = {error, wrote.space, wrote.length, wrote.sid};
  assign m_tx_status.valid = m_eng.write_rsp.valid;
  assign m_eng.write_rsp.ready = m_tx_status.ready;

  assign m_eng.tx.tdata = s_tx_data.tdata;
  assign m_eng.tx.tkeep = s_tx_data.tkeep;
  assign m_eng.tx.tvalid = s_tx_data.tvalid;
  assign m_eng.tx.tlast = s_tx_data.tlast;
  assign m_eng.tx.tuser = '0;
  assign m_eng.tx.tid = '0;
  assign m_eng.tx.tdest = '0;
  assign s_tx_data.tready = m_eng.tx.tready;

  assign busy = mover_busy || m_notification.valid || m_rx_metadata.valid || asked_depth != '0;

  logic unused;
  assign unused = ^{listened, read_told, sunk, sunk_valid, ev_short, s_open.data, head_s.data,
                    head_s.valid, lost_s.data, lost_s.valid, s_tx_data.tuser, s_tx_data.tid,
                    s_tx_data.tdest};
endmodule
