// SPDX-License-Identifier: Apache-2.0
//
// Receive buffer (store-and-forward): holds packets until their last byte is verified, then outputs
//   record and payload.
//
// s_*, s_rec*: from kumi_ip_rx; a packet that ends with s_bad is discarded (the receiver counted
//   it). Payloads longer than FIFO_BYTES must not arrive.
// m_rec*, m_*: records and payloads of good packets in order; m_raw with the payload of a raw one.
//   A payload is not offered before its record.
// Latency from the last beat in: 2 cycles to the record, 3 to the payload. One beat per cycle.
//   Full: s_ready is low.
module kumi_ip_rx_buf
  import kumi_ip_pkg::*;
#(
    parameter int DATA_W     = 64,    // bits of a beat
    parameter int FIFO_BYTES = 16384  // payload bytes buffered, a power of two
) (
    input  logic                  clk,
    input  logic                  rst,
    input  logic   [  DATA_W-1:0] s_data,
    input  logic   [DATA_W/8-1:0] s_keep,
    input  logic                  s_valid,
    output logic                  s_ready,
    input  logic                  s_last,
    input  logic                  s_bad,
    input  ip_rx_t                s_rec,
    input  logic                  s_rec_valid,
    output logic                  s_rec_ready,
    output logic   [  DATA_W-1:0] m_data,
    output logic   [DATA_W/8-1:0] m_keep,
    output logic                  m_valid,
    input  logic                  m_ready,
    output logic                  m_last,
    output logic                  m_raw,
    output ip_rx_t                m_rec,
    output logic                  m_rec_valid,
    input  logic                  m_rec_ready,
    output logic                  active
);
  localparam int B = DATA_W / 8;
  localparam int BW = $clog2(B);
  localparam int DEPTH = FIFO_BYTES / B;
  localparam int AW = $clog2(DEPTH);
  localparam int RECORDS = 32;

  logic [AW:0] wr_q, done_q, rd_q;
  logic full, take, commit, empty_rec, rec_room, rd_take;
  logic [BW-1:0] in_last, out_last;
  logic out_valid, first_q, start, rec_out;
  logic [6:0] ahead_q;  // records accepted whose payload has not begun
  logic [$clog2(RECORDS):0] unused_depth;

  // The record of a packet with payload is written with its last beat; it is stable until then.
  assign full = wr_q[AW-1:0] == rd_q[AW-1:0] && wr_q[AW] != rd_q[AW];
  assign s_ready = !full && rec_room;
  assign take = s_valid && s_ready;
  assign commit = take && s_last && !s_bad;
  assign empty_rec = s_rec_valid && s_rec.length == '0;
  assign s_rec_ready = !empty_rec || rec_room;

  kumi_keep_to_last #(
      .KEEP_W(B)
  ) u_in_last (
      .keep(s_keep),
      .last(in_last)
  );

  always_ff @(posedge clk) begin
    if (take) wr_q <= s_last && s_bad ? done_q : wr_q + 1'b1;
    if (commit) done_q <= wr_q + 1'b1;
    if (rd_take) rd_q <= rd_q + 1'b1;
    if (m_valid && m_ready) first_q <= m_last;
    ahead_q <= ahead_q + 7'(rec_out) - 7'(start);
    if (rst) begin
      wr_q    <= '0;
      done_q  <= '0;
      rd_q    <= '0;
      first_q <= 1'b1;
      ahead_q <= '0;
    end
  end

  kumi_fifo #(
      .W($bits(ip_rx_t)),
      .DEPTH(RECORDS),
      .STYLE(0)
  ) u_records (
      .clk,
      .rst,
      .s_data (s_rec),
      .s_valid(commit || empty_rec),
      .s_ready(rec_room),
      .m_data (m_rec),
      .m_valid(m_rec_valid),
      .m_ready(m_rec_ready),
      .depth  (unused_depth)
  );

  kumi_fifo_ram #(
      .W(DATA_W + BW + 2),
      .DEPTH(DEPTH),
      .STYLE(1)
  ) u_mem (
      .wr_clk(clk),
      .wr_en(take),
      .wr_addr(wr_q[AW-1:0]),
      .wr_data({s_rec.kind == KIND_RAW, s_last, in_last, s_data}),
      .clk,
      .rst,
      .rd_avail(rd_q != done_q),
      .rd_addr(rd_q[AW-1:0]),
      .rd_take,
      .m_data({m_raw, m_last, out_last, m_data}),
      .m_valid(out_valid),
      .m_ready(m_ready && m_valid)
  );

  kumi_last_to_keep #(
      .KEEP_W(B)
  ) u_out_keep (
      .last(out_last),
      .keep(m_keep)
  );

  assign rec_out = m_rec_valid && m_rec_ready && m_rec.length != '0;
  assign m_valid = out_valid && (!first_q || ahead_q != '0 || (m_rec_valid && m_rec.length != '0));
  assign start   = m_valid && m_ready && first_q;
  assign active  = rd_q != done_q || m_rec_valid || out_valid;

  logic unused;
  assign unused = &{unused_depth};
endmodule
