// SPDX-License-Identifier: Apache-2.0
//
// Returns every message (kumi_msg_pkg) to its sender: the other side of a ping-pong.
//
// s_axis: frames of messages, tid and tuser = {last, first, bad} as in kumi_msg_check. m_rec,
//   m_axis: record and message to send; the length in the record is that in the message's header.
// One message is returned at a time. While one of several frames is open, frames of other peers are
//   dropped and counted: waiting for one peer would block the other.
// Latency 1 cycle for the record, 2 for the first beat; one beat a cycle, plus a cycle per message.
// Bad input: a frame that begins no message is dropped. A message that is aborted, or is followed
//   by the beginning of another, is returned with the bad mark; so is one whose frames are not
//   whole words, because joining them would take a realigner (a sender of the same width makes
//   whole ones).
module kumi_msg_echo
  import kumi_msg_pkg::*;
(
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    kumi_axis_if.snk s_axis,
    kumi_rec_if.src m_rec,
    kumi_axis_if.src m_axis,
    output logic enable,  // frames are to be brought here
    output logic busy
);
  localparam int EVENTS = 5;
  localparam int DATA_W = s_axis.DATA_W;
  localparam int ID_W = s_axis.ID_W;

  if (DATA_W < 128 || m_axis.DATA_W != DATA_W || s_axis.USER_W != 3) begin : gen_check
    $fatal(0, "both streams have the same width, at least 128, s_axis 3 bits of tuser (%m)");
  end
  if (m_rec.W != $bits(msg_rec_t)) begin : gen_check_rec
    $fatal(0, "m_rec carries a msg_rec_t (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_eth_echo_regs_pkg::kumi_eth_echo_regs__in_t  hwif_in;
  kumi_eth_echo_regs_pkg::kumi_eth_echo_regs__out_t hwif_out;

  kumi_eth_echo_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  logic [EVENTS-1:0] ev;
  kumi_event_counters #(
      .N(EVENTS)
  ) u_counters (
      .clk,
      .rst,
      .ev,
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(6'(hwif_out.counters.addr[4:2])),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  assign enable = hwif_out.ctrl.enable.value;

  // ---- datapath ------------------------------------------------------------------------------
  typedef enum logic [1:0] {
    NEW,   // at the beginning of a frame
    PASS,  // inside a frame that goes back
    SKIP   // inside a frame that is dropped
  } state_e;

  state_e state_q;
  logic open_q;  // a message is not complete
  logic recorded_q;  // the record of the message at the input has been made
  logic [ID_W-1:0] peer_q;
  msg_hdr_t hdr;
  logic first, ours, whole, aborted, begins, record, take, pass, room, beat, ends, bad;

  assign hdr = msg_hdr_t'(msg_swap(s_axis.tdata[127:0]));
  assign first = s_axis.tuser[1];
  assign ours = s_axis.tid == peer_q;
  assign whole = s_axis.tkeep[MSG_HDR_BYTES-1] && hdr.length >= 32'(MSG_HDR_BYTES);
  assign room = !m_axis.tvalid || m_axis.tready;
  // A new message of the same peer: the open one ends first, with a beat of one byte.
  assign aborted = state_q == NEW && s_axis.tvalid && open_q && ours && first;
  assign begins = state_q == NEW && !open_q && first && whole && !(s_axis.tlast && s_axis.tuser[0]);
  assign record = s_axis.tvalid && begins && !recorded_q && (!m_rec.valid || m_rec.ready);
  assign pass = state_q == PASS || (state_q == NEW && (open_q ? ours && !first : begins));
  assign s_axis.tready = !aborted && (pass ? room && (!begins || recorded_q) : 1'b1);
  assign beat = s_axis.tvalid && s_axis.tready;
  assign take = beat && pass;
  assign bad = s_axis.tuser[0] || (!s_axis.tuser[2] && !s_axis.tkeep[DATA_W/8-1]);
  assign ends = s_axis.tlast && (s_axis.tuser[2] || bad);

  always_ff @(posedge clk) begin
    if (m_rec.ready) m_rec.valid <= 1'b0;
    if (room) m_axis.tvalid <= take || aborted;
    if (room && aborted) begin
      m_axis.tkeep <= (DATA_W / 8)'(1);
      m_axis.tlast <= 1'b1;
      m_axis.tuser <= (m_axis.USER_W)'(1);
      open_q <= 1'b0;
    end
    if (record) begin
      m_rec.valid <= 1'b1;
      m_rec.data  <= msg_rec_t'{peer: 16'(s_axis.tid), length: hdr.length};
      recorded_q  <= 1'b1;
    end
    if (take) begin
      m_axis.tdata <= s_axis.tdata;
      m_axis.tkeep <= s_axis.tkeep;
      m_axis.tlast <= ends;
      m_axis.tuser <= (m_axis.USER_W)'(ends && bad);
      m_axis.tdest <= (m_axis.DEST_W)'(s_axis.tid);
      open_q <= !ends;
      peer_q <= s_axis.tid;
      recorded_q <= 1'b0;
    end
    if (beat) state_q <= s_axis.tlast ? NEW : pass ? PASS : SKIP;
    if (rst) begin
      state_q <= NEW;
      open_q <= 1'b0;
      recorded_q <= 1'b0;
      m_axis.tvalid <= 1'b0;
      m_rec.valid <= 1'b0;
    end
  end

  assign m_axis.tid = '0;
  assign busy = open_q || m_axis.tvalid || m_rec.valid;

  // In the order of regs/eth_echo.rdl. A frame that is dropped counts with its first beat.
  logic drop;
  assign drop = beat && state_q == NEW && !pass;
  always_ff @(posedge clk) begin
    ev <= {
      (take && ends && bad) || (aborted && room),  // broken
      drop && !open_q && first && !begins,  // drop_format
      drop && !open_q && !first,  // drop_orphan
      drop && open_q,  // drop_busy
      take && ends && !bad  // messages
    };
    if (rst) ev <= '0;
  end

  logic unused;
  assign unused = ^hdr;
endmodule
