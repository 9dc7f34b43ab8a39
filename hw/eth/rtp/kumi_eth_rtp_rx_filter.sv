// SPDX-License-Identifier: Apache-2.0
//
// Receive filter of the RTP port: passes frames of its EtherType that are addressed to this node.
//
// s_frame: from the MAC, tready always high. own: own address, constant while frames arrive.
// w_*: see kumi_eth_async_frame_fifo with DROP = 1; the commit is at w_last. w_bad: marked by the
//   MAC.
// Latency: one cycle from a beat to its word; at 64 bits it also waits for the following beat.
// Bad input: exactly one event in `ev` per frame.
module kumi_eth_rtp_rx_filter
  import kumi_eth_rtp_pkg::*;
(
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_frame,
    input logic [47:0] own,

    output logic                              w_en,
    output logic [        s_frame.DATA_W-1:0] w_data,
    output logic [$clog2(s_frame.KEEP_W)-1:0] w_count,
    output logic                              w_last,
    output logic                              w_bad,
    input  logic                              w_lost,

    output rtp_filter_events_t ev
);
  localparam int KEEP_W = s_frame.KEEP_W;
  localparam int LOG = $clog2(KEEP_W);
  localparam int TYPE = 12;  // first byte of the EtherType
  localparam bit LATE = TYPE / KEEP_W != 0;  // it is in the second beat
  localparam int AT = TYPE % KEEP_W;

  if (KEEP_W < 8 || (KEEP_W & (KEEP_W - 1)) != 0) begin : gen_check_width
    $fatal(0, "the data width must be a power of two, at least 64 (%m)");
  end

  logic valid_q, last_q, bad_q, first_q, start_q;
  logic [s_frame.DATA_W-1:0] data_q;
  logic [15:0] etype;
  logic [LOG:0] bytes;
  logic [LOG-1:0] count_q;
  logic ours, kind, header_beat, ours_q, kind_q, is_ours, is_kind, go;

  kumi_keep_to_count #(
      .KEEP_W(KEEP_W)
  ) u_count (
      .keep (s_frame.tkeep),
      .count(bytes)
  );

  assign s_frame.tready = 1'b1;

  // At 64 bits the EtherType is in the second beat.
  assign etype = LATE ? s_frame.tdata[8*AT+:16] : data_q[8*AT+:16];
  always_comb begin
    ours = 1'b1;
    for (int i = 0; i < 6; i++) if (data_q[8*i+:8] != own[8*(5-i)+:8]) ours = 1'b0;
  end
  assign kind = {etype[7:0], etype[15:8]} == RTP_ETHERTYPE && !(LATE && last_q);
  assign header_beat = first_q;
  assign is_ours = header_beat ? ours : ours_q;
  assign is_kind = header_beat ? kind : kind_q;
  assign go = valid_q && (!LATE || !first_q || last_q || s_frame.tvalid);

  logic unused;
  assign unused = ^bytes;

  assign w_en = go && is_ours && is_kind;
  assign w_data = data_q;
  assign w_count = count_q;
  assign w_last = last_q;
  assign w_bad = bad_q;

  always_ff @(posedge clk) begin
    if (s_frame.tvalid) begin
      data_q  <= s_frame.tdata;
      last_q  <= s_frame.tlast;
      bad_q   <= s_frame.tlast && s_frame.tuser[0];
      count_q <= LOG'(bytes);
      first_q <= start_q;
      start_q <= s_frame.tlast;
    end
    if (go) begin
      ours_q <= is_ours;
      kind_q <= is_kind;
    end
    if (s_frame.tvalid) valid_q <= 1'b1;
    else if (go) valid_q <= 1'b0;
    ev.ok       <= w_en && last_q && !w_lost;
    ev.no_room  <= w_en && last_q && w_lost;
    ev.not_ours <= go && last_q && is_kind && !is_ours;
    ev.foreign  <= go && last_q && !is_kind;
    if (rst) begin
      valid_q <= 1'b0;
      start_q <= 1'b1;
      ev      <= '0;
    end
  end
endmodule
