// SPDX-License-Identifier: Apache-2.0
//
// Builds messages (kumi_msg_pkg).
//
// req_*: one message per handshake, 16 bytes or longer. m_rec: its record (msg_rec_t), a cycle
//   before the first beat; a message waits until its record is accepted. m_axis: its frame, tdest
//   on every beat.
// Time stamp: `now` + 2 at the handshake, the cycle in which the first beat is offered unless the
//   previous message, or its record, is still being sent.
// Latency 2 cycles from the request to the first beat; one beat a cycle, also from message to
// message. Bad input: a length below 16 is the caller's error.
module kumi_msg_build
  import kumi_msg_pkg::*;
(
    input logic clk,
    input logic rst,
    input logic [31:0] now,
    input logic req_valid,
    output logic req_ready,
    input msg_rec_t req_rec,
    input logic [15:0] req_source,
    input logic [31:0] req_number,
    kumi_rec_if.src m_rec,
    kumi_axis_if.src m_axis,
    output logic busy  // within a message
);
  localparam int DATA_W = m_axis.DATA_W;
  localparam int BYTES = DATA_W / 8;

  if (DATA_W != 128 && DATA_W != 256 && DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 128, 256 or 512 (%m)");
  end
  if (m_rec.W != $bits(msg_rec_t)) begin : gen_check_rec
    $fatal(0, "m_rec carries a msg_rec_t (%m)");
  end

  // The current message.
  logic active_q, first_q;
  logic [ 31:0] left_q;  // bytes that are still to go
  logic [127:0] hdr_q;
  logic [ 30:0] state_q;
  logic [ 15:0] peer_q;

  logic last, out_free, step, load;
  assign last = left_q <= 32'(BYTES);
  assign out_free = !m_axis.tvalid || m_axis.tready;
  // The first beat is shown when the record has gone or goes.
  assign step = active_q && out_free && !(first_q && m_rec.valid && !m_rec.ready);
  assign req_ready = (!active_q || (step && last)) && (!m_rec.valid || m_rec.ready);
  assign load = req_valid && req_ready;

  msg_hdr_t hdr;
  assign hdr = '{
          mark: MSG_MARK,
          source: req_source,
          number: req_number,
          length: req_rec.length,
          stamp: now + 32'd2
      };

  logic [DATA_W-1:0] prbs, data;
  logic [DATA_W+30:0] prbs_next;
  logic [30:0] state;
  kumi_prbs31 #(
      .W(DATA_W)
  ) u_prbs (
      .state(state_q),
      .bits (prbs),
      .next (prbs_next)
  );

  if (DATA_W > 128) begin : gen_mixed
    assign data = first_q ? {prbs[DATA_W-129:0], hdr_q} : prbs;
  end else begin : gen_apart
    assign data = first_q ? hdr_q : prbs;
  end
  assign state = first_q ? prbs_next[DATA_W-128+:31] : prbs_next[DATA_W+:31];

  always_ff @(posedge clk) begin
    if (m_rec.ready) m_rec.valid <= 1'b0;
    if (out_free) m_axis.tvalid <= step;
    if (step) begin
      m_axis.tdata <= data;
      m_axis.tlast <= last;
      m_axis.tdest <= (m_axis.DEST_W)'(peer_q);
      for (int i = 0; i < BYTES; ++i) m_axis.tkeep[i] <= !last || 32'(i) < left_q;
      left_q  <= left_q - 32'(BYTES);
      state_q <= state;
      first_q <= 1'b0;
      if (last) active_q <= 1'b0;
    end
    if (load) begin
      active_q <= 1'b1;
      first_q <= 1'b1;
      left_q <= req_rec.length;
      hdr_q <= msg_swap(hdr);
      state_q <= msg_seed(hdr);
      peer_q <= req_rec.peer;
      m_rec.valid <= 1'b1;
      m_rec.data <= req_rec;
    end
    if (rst) begin
      active_q <= 1'b0;
      m_axis.tvalid <= 1'b0;
      m_rec.valid <= 1'b0;
    end
  end

  assign busy = active_q || m_axis.tvalid || m_rec.valid;
  assign m_axis.tuser = '0;
  assign m_axis.tid = '0;

  logic unused;
  assign unused = ^{prbs_next, peer_q};
endmodule
