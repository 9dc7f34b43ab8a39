// SPDX-License-Identifier: Apache-2.0
//
// Framing, receive side (Aurora 64B/66B): rows of blocks to frames, user K-blocks and native flow
// control.
//
// rx_*: one row per cycle. A row of a frame has data blocks from block 0 on, then optionally a
//   separator (SEP, SEP7); a separator alone may be in any lane.
// m: frames in full beats; m.ready is ignored. A beat that may be the last of its frame waits for
//   the next data or separator.
// k_*, nfc_*: blocks of that kind, one pulse each, one cycle after their row.
// Latency: rx_* to m 2 cycles. Throughput: every row; see a_room.
// Bad input: a block without sync header, data after an idle block, a separator with more than 6
//   bytes, or user K-block 8 marks the current frame bad (`broken` pulses for all but the last of
//   these); so does the link going down inside a frame, which ends it. Unknown control blocks raise
//   `stray`.
`include "kumi_assert.svh"
module kumi_link_frame_rx
  import kumi_link_pkg::*;
#(
    parameter int LANES = 1
) (
    input logic clk,
    input logic rst,

    input logic                   up,       // rows are received
    input logic [LANES-1:0][ 1:0] rx_kind,
    input logic [LANES-1:0][63:0] rx_data,

    kumi_link_if.src m,

    output logic        k_valid,
    output logic [ 3:0] k_number,
    output logic [55:0] k_data,

    output logic        nfc_valid,
    output logic [55:0] nfc_data,

    output logic ev_broken,
    output logic ev_stray
);
  localparam logic [3:0] K_BAD = 4'd8;

  // ---- Row contents -----------------------------------------------------------------------------
  logic [LANES-1:0] is_data, is_sep, is_sep7, is_nfc, is_k, is_wrong, is_other;
  logic [LANES-1:0][3:0] number;

  always_comb begin
    for (int b = 0; b < LANES; b++) begin
      is_data[b] = rx_kind[b] == KIND_DATA;
      is_sep[b]  = rx_kind[b] == KIND_CTRL && rx_data[b][63:56] == BT_SEP;
      is_sep7[b] = rx_kind[b] == KIND_CTRL && rx_data[b][63:56] == BT_SEP7;
      is_nfc[b]  = rx_kind[b] == KIND_CTRL && rx_data[b][63:56] == BT_NFC;
      is_k[b]    = 1'b0;
      number[b]  = '0;
      for (int k = 0; k < 9; k++) begin
        if (rx_kind[b] == KIND_CTRL && rx_data[b][63:56] == BT_USER_K[k]) begin
          is_k[b]   = 1'b1;
          number[b] = 4'(k);
        end
      end
      is_wrong[b] = rx_kind[b] == KIND_ERROR || (is_sep[b] && rx_data[b][55:48] > 8'd6);
      is_other[b] = rx_kind[b] == KIND_CTRL && !(is_sep[b] || is_sep7[b] || is_nfc[b] || is_k[b]);
    end
  end

  // Data from block 0 on without a hole.
  logic [2:0] run;
  logic hole, ends, k_bad;
  logic [63:0] tail;
  logic [ 2:0] tail_bytes;

  always_comb begin
    run  = '0;
    hole = 1'b0;
    for (int b = 0; b < LANES; b++) begin
      if (is_data[b] && run == 3'(b)) run = 3'(b + 1);
      else if (is_data[b]) hole = 1'b1;
    end
    ends       = (is_sep | is_sep7) != '0;
    tail       = '0;
    tail_bytes = '0;
    k_bad      = 1'b0;
    for (int b = LANES - 1; b >= 0; b--) begin
      if (is_sep[b]) begin
        tail       = {rx_data[b][47:0], 16'h0};
        tail_bytes = rx_data[b][50:48];
      end
      if (is_sep7[b]) begin
        tail       = {rx_data[b][55:0], 8'h0};
        tail_bytes = 3'd7;
      end
      if (is_k[b] && number[b] == K_BAD) k_bad = 1'b1;
    end
  end

  logic open_q, bad_q, wrong, up_q;

  assign wrong = hole || is_wrong != '0;

  always_ff @(posedge clk) begin
    up_q <= up;
    if (run != '0) open_q <= 1'b1;
    if (wrong || k_bad) bad_q <= 1'b1;
    if (ends || !up_q) begin
      open_q <= 1'b0;
      bad_q  <= 1'b0;
    end
    ev_broken <= (ends && (wrong || bad_q) && open_q) || (!up_q && open_q);
    ev_stray  <= is_other != '0;
    k_valid   <= is_k != '0 && !k_bad;
    nfc_valid <= is_nfc != '0;
    for (int b = 0; b < LANES; b++) begin
      if (is_k[b]) begin
        k_number <= number[b];
        k_data   <= rx_data[b][55:0];
      end
      if (is_nfc[b]) nfc_data <= rx_data[b][55:0];
    end
    if (rst) begin
      open_q    <= 1'b0;
      bad_q     <= 1'b0;
      up_q      <= 1'b0;
      ev_broken <= 1'b0;
      ev_stray  <= 1'b0;
      k_valid   <= 1'b0;
      nfc_valid <= 1'b0;
    end
  end

  // ---- Beats ------------------------------------------------------------------------------------
  kumi_link_if #(.LANES(LANES)) part ();
  kumi_link_if #(.LANES(LANES)) full ();

  logic [LANES-1:0][63:0] blocks;
  logic [2:0] count, pad;
  logic last, bad, valid, room, full_split;

  always_comb begin
    blocks = rx_data;
    for (int b = 0; b < LANES; b++) if (run == 3'(b)) blocks[b] = tail;
    count = run + 3'(ends && tail_bytes != '0);
    pad   = -tail_bytes;
    last  = ends;
    bad   = bad_q || wrong || k_bad;
    if (!ends) pad = '0;
    if (!up_q) begin
      count = '0;
      pad   = '0;
      last  = 1'b1;
      bad   = 1'b1;
    end
    valid = up_q ? count != '0 || ends : open_q;
  end

  kumi_slice #(
      .W(LANES * 64 + 8)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({bad && last, last, pad, count, blocks}),
      .s_valid(valid),
      .s_ready(room),
      .m_data ({part.bad, part.last, part.pad, part.count, part.data}),
      .m_valid(part.valid),
      .m_ready(part.ready)
  );

  kumi_link_repack #(
      .LANES(LANES),
      .HOLD (1)
  ) u_pack (
      .clk,
      .rst,
      .clear(1'b0),
      .size(3'(LANES)),
      .s(part),
      .m(full),
      .m_split(full_split)
  );

  assign m.data     = full.data;
  assign m.count    = full.count;
  assign m.last     = full.last;
  assign m.pad      = full.pad;
  assign m.bad      = full.bad;
  assign m.valid    = full.valid;
  assign full.ready = 1'b1;

  // A frame's last row may give two beats, but then its first row gave none.
  `KUMI_ASSERT(a_room, room || !valid)

  logic unused;
  assign unused = full_split ^ m.ready ^ room;
endmodule
