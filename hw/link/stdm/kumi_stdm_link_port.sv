// SPDX-License-Identifier: Apache-2.0
//
// Link port of a circuit switch: words of a TDM frame to rows of blocks (kumi_link_lanes) and back.
//
// A word is a row of data blocks. Empty words, heads and tails of best-effort packets are rows of
//   control blocks, the same on all lanes except for the CRC of markers (kumi_stdm_pkg). The row
//   before slot 0 is the marker; it carries the number of the TDM frame that starts and, for each
//   lane, the CRC-32 (IEEE 802.3) of the lane's blocks in the frame before. The other rows of the
//   guard are idle, and cc_start places clock compensation there: at most guard - 2 rows.
// out_*: words at stage X, sent in that cycle. in_*: words at stage T (kumi_stdm_frame_align). xoff
//   is sent to the other side in markers and empty words; xoff_seen is the other side's.
// mark, mark_away: one cycle after a marker (kumi_stdm_frame_timer).
// Latency: 0 from out_* to tx_*; 3 + margin from rx_* to in_*. From crossing to crossing a
//   circuit's word takes 3 + margin plus the latency of lanes and cable.
// Bad input: a row that is no word counts as bad_word and its slot stays empty; a wrong CRC counts
//   as bad_crc, after its words have passed (packets on circuits have their own CRC-32); a lost
//   marker costs its TDM frame.
module kumi_stdm_link_port
  import kumi_link_pkg::*;
  import kumi_stdm_pkg::*;
#(
    parameter int LANES = 1  // 1..4
) (
    input logic clk,
    input logic rst,

    input  stdm_time_t                    beat,
    input  stdm_frame_t                   tdm_frame,
    input  stdm_link_cfg_t                cfg,
    output stdm_link_status_t             status,
    output stdm_link_events_t             ev,
    output logic                          mark,
    output logic              [POS_W-1:0] mark_away,

    input  logic [         1:0] out_kind,
    input  logic [64*LANES-1:0] out_data,
    input  logic                be_open,
    input  logic                xoff,
    output logic [         1:0] in_kind,
    output logic [64*LANES-1:0] in_data,
    output logic                xoff_seen,

    input  logic                   up,
    input  logic                   tx_take,
    output logic [LANES-1:0][ 1:0] tx_kind,
    output logic [LANES-1:0][63:0] tx_data,
    output logic                   cc_start,
    input  logic [LANES-1:0][ 1:0] rx_kind,
    input  logic [LANES-1:0][63:0] rx_data
);
  localparam int W = 64 * LANES;

  // ---- Transmit ---------------------------------------------------------------------------------
  logic [7:0] number_q;
  logic [LANES-1:0][31:0] tx_crc;
  logic [LANES-1:0][47:0] tx_body;
  logic [7:0] tx_type;
  logic tx_slot_q, tx_last_q, unsent_q;
  logic [LANES-1:0][63:0] tx_row_q;

  always_comb begin
    tx_type = BT_EMPTY;
    tx_body = '0;
    tx_kind = '0;
    tx_data = '0;
    for (int l = 0; l < LANES; l++) begin
      if (beat.mark_x) begin
        tx_body[l][31:0] = tx_crc[l];
        tx_body[l][MARK_NUMBER+:8] = number_q;
        tx_body[l][MARK_XOFF] = xoff;
      end else if (out_kind == WORD_EMPTY) begin
        tx_body[l][EMPTY_XOFF] = xoff;
        tx_body[l][EMPTY_OPEN] = be_open;
      end else begin
        tx_body[l] = out_data[47:0];
      end
    end
    if (beat.mark_x) tx_type = BT_MARK;
    else if (out_kind == WORD_HEAD) tx_type = BT_HEAD;
    else if (out_kind == WORD_TAIL) tx_type = BT_TAIL;
    for (int l = 0; l < LANES; l++) begin
      if (beat.slot_x && out_kind == WORD_DATA) begin
        tx_kind[l] = KIND_DATA;
        tx_data[l] = out_data[64*l+:64];
      end else if (beat.slot_x || beat.mark_x) begin
        tx_kind[l] = KIND_CTRL;
        tx_data[l] = {tx_type, ctrl_check(tx_body[l]), tx_body[l]};
      end
    end
  end
  assign cc_start = beat.last_x;

  always_ff @(posedge clk) begin
    tx_slot_q <= beat.slot_x && !rst;
    tx_last_q <= beat.last_x;
    tx_row_q  <= tx_data;
    unsent_q  <= beat.slot_x && out_kind != WORD_EMPTY && !tx_take && !rst;
    if (beat.mark_x) number_q <= number_q + 1'b1;
    if (rst) number_q <= '0;
  end

  // ---- Receive ----------------------------------------------------------------------------------
  logic all_data, all_ctrl, good, is_mark, is_empty, is_head, is_tail, word_bad;
  logic [  1:0] word_kind;
  logic [W-1:0] word_data;

  always_comb begin
    all_data = 1'b1;
    all_ctrl = 1'b1;
    good = 1'b1;
    for (int l = 0; l < LANES; l++) begin
      all_data &= rx_kind[l] == KIND_DATA;
      all_ctrl &= rx_kind[l] == KIND_CTRL && rx_data[l][63:56] == rx_data[0][63:56];
      good &= rx_data[l][55:48] == ctrl_check(rx_data[l][47:0]);
    end
    is_mark   = all_ctrl && good && rx_data[0][63:56] == BT_MARK;
    is_empty  = all_ctrl && good && rx_data[0][63:56] == BT_EMPTY;
    is_head   = all_ctrl && good && rx_data[0][63:56] == BT_HEAD;
    is_tail   = all_ctrl && good && rx_data[0][63:56] == BT_TAIL;
    word_bad  = !(all_data || is_empty || is_head || is_tail);
    // Kind and data do not wait for the checks, which come to kumi_stdm_frame_align as word_bad.
    word_kind = WORD_EMPTY;
    if (all_data) word_kind = WORD_DATA;
    else if (all_ctrl && rx_data[0][63:56] == BT_HEAD) word_kind = WORD_HEAD;
    else if (all_ctrl && rx_data[0][63:56] == BT_TAIL) word_kind = WORD_TAIL;
    word_data = rx_data;
  end

  logic counting, last, locked, ev_locked, ev_lost, ev_moved, ev_bad;
  logic [POS_W-1:0] away, offset;

  kumi_stdm_frame_align #(
      .W(W)
  ) u_align (
      .offset_fixed(cfg.fixed),
      .offset_given(cfg.offset),
      .mark(is_mark),
      .*
  );

  logic rx_slot_q, rx_last_q, mark_q, was_q, started_q, xoff_q, skipped_q, bad_crc_q, have_q;
  logic [LANES-1:0][63:0] rx_row_q;
  logic [LANES-1:0][31:0] rx_crc, want_q;
  logic [LANES-1:0] tx_done, rx_done;
  logic [7:0] rx_number_q;
  logic same;

  always_comb begin
    same = have_q;
    for (int l = 0; l < LANES; l++) same &= rx_crc[l] == want_q[l];
  end

  always_ff @(posedge clk) begin
    mark_q    <= is_mark && up && !rst;
    mark_away <= away;
    was_q     <= locked;
    rx_slot_q <= counting && !rst;
    rx_last_q <= last;
    rx_row_q  <= rx_data;
    skipped_q <= 1'b0;
    bad_crc_q <= 1'b0;
    if (is_mark) begin
      for (int l = 0; l < LANES; l++) want_q[l] <= rx_data[l][31:0];
      rx_number_q <= rx_data[0][MARK_NUMBER+:8];
      skipped_q   <= locked && rx_data[0][MARK_NUMBER+:8] != rx_number_q + 8'd1;
    end
    // The TDM frame that this marker ends was counted from its beginning.
    if (mark_q) begin
      bad_crc_q <= started_q && was_q && !same;
      started_q <= 1'b0;
    end
    if (rx_slot_q) started_q <= 1'b1;
    have_q <= (have_q || |rx_done) && !mark_q;
    if (is_mark) xoff_q <= rx_data[0][MARK_XOFF];
    else if (counting && is_empty) xoff_q <= rx_data[0][EMPTY_XOFF];
    if (rst || !locked) begin
      xoff_q    <= 1'b0;
      started_q <= 1'b0;
    end
    if (rst) begin
      skipped_q   <= 1'b0;
      bad_crc_q   <= 1'b0;
      have_q      <= 1'b0;
      rx_number_q <= '0;
    end
  end

  for (genvar l = 0; l < LANES; l++) begin : gen_crc
    kumi_crc32 #(
        .DATA_W(64)
    ) u_tx (
        .clk,
        .rst,
        .in_valid (tx_slot_q),
        .in_last  (tx_last_q),
        .in_data  (tx_row_q[l]),
        .in_keep  ('1),
        .out_valid(tx_done[l]),
        .out_crc  (tx_crc[l])
    );
    kumi_crc32 #(
        .DATA_W(64)
    ) u_rx (
        .clk,
        .rst(rst || mark_q),
        .in_valid(rx_slot_q),
        .in_last(rx_last_q),
        .in_data(rx_row_q[l]),
        .in_keep('1),
        .out_valid(rx_done[l]),
        .out_crc(rx_crc[l])
    );
  end

  assign mark = mark_q;
  assign xoff_seen = xoff_q;
  assign status = '{up: up, locked: locked, offset: offset, number: rx_number_q};
  assign ev = '{
          locked: ev_locked,
          lost: ev_lost,
          bad_crc: bad_crc_q,
          bad_word: ev_bad,
          skipped: skipped_q,
          moved: ev_moved,
          unsent: unsent_q
      };
  logic unused;
  assign unused = ^tx_done;
endmodule
