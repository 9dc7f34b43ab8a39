// SPDX-License-Identifier: Apache-2.0
//
// Framing, transmit side (Aurora 64B/66B, strict alignment): frames, native flow control and user
// K-blocks to rows of blocks.
//
// s: frames, see kumi_link_if. Data blocks are spread over the first `size` lanes; a separator ends
//   the frame with 0 to 7 bytes: after the data if the row has room, else in the next row (alone:
//   in the last lane). The next frame starts in the next row. A bad frame is announced by user
//   K-block 8 before its end.
// k_*: one user K-block, between any two rows of a frame; nfc_*: one native flow control block, on
//   all lanes. Both precede data, nfc first.
// pause: no data or separators are sent while it is high.
// clear: the link is down: discards everything held and accepts nothing. s must then start a new
//   frame.
// Latency: s to tx_* 1 cycle. Throughput: one row per cycle; each beat of `size` blocks takes one
//   row.
module kumi_link_frame_tx
  import kumi_link_pkg::*;
#(
    parameter int LANES = 1
) (
    input logic clk,
    input logic rst,

    input logic [2:0] size,   // lanes in use, 1..LANES
    input logic       clear,
    input logic       pause,

    kumi_link_if.snk s,

    input  logic        k_valid,
    output logic        k_ready,
    input  logic [ 3:0] k_number,
    input  logic [55:0] k_data,

    input  logic        nfc_valid,
    output logic        nfc_ready,
    input  logic [55:0] nfc_data,

    input  logic                   tx_take,
    output logic [LANES-1:0][ 1:0] tx_kind,
    output logic [LANES-1:0][63:0] tx_data
);
  localparam logic [3:0] K_BAD = 4'd8;

  kumi_link_if #(.LANES(LANES)) whole ();
  kumi_link_if #(.LANES(LANES)) row ();

  assign whole.data  = s.data;
  assign whole.count = s.count;
  assign whole.last  = s.last;
  assign whole.pad   = s.pad;
  assign whole.bad   = s.bad;
  assign whole.valid = s.valid && !clear;
  assign s.ready     = whole.ready && !clear;

  logic row_split;

  kumi_link_repack #(
      .LANES(LANES)
  ) u_pack (
      .clk,
      .rst,
      .clear,
      .size,
      .s(whole),
      .m(row),
      .m_split(row_split)
  );

  // ---- Row selection ----------------------------------------------------------------------------
  typedef enum logic [2:0] {
    ROW_IDLE,
    ROW_NFC,
    ROW_K,
    ROW_BAD,
    ROW_SEP,
    ROW_DATA
  } row_e;

  row_e which;
  logic sep_q;  // the separator of the row before is still to be sent
  logic said_q;  // the frame that ends has been announced as bad

  always_comb begin
    which = ROW_IDLE;
    if (nfc_valid) which = ROW_NFC;
    else if (k_valid) which = ROW_K;
    else if (pause) which = ROW_IDLE;
    else if (sep_q) which = ROW_SEP;
    else if (row.valid) which = row.bad && !said_q ? ROW_BAD : ROW_DATA;
  end

  assign nfc_ready = tx_take && which == ROW_NFC;
  assign k_ready   = tx_take && which == ROW_K;
  assign row.ready = tx_take && which == ROW_DATA;

  always_ff @(posedge clk) begin
    if (tx_take) begin
      if (which == ROW_SEP) sep_q <= 1'b0;
      if (which == ROW_BAD) said_q <= 1'b1;
      if (which == ROW_DATA) begin
        sep_q  <= row.last && row.pad == '0 && row.count == size;
        said_q <= 1'b0;
      end
    end
    if (rst || clear) begin
      sep_q  <= 1'b0;
      said_q <= 1'b0;
    end
  end

  // ---- Its blocks -------------------------------------------------------------------------------
  for (genvar b = 0; b < LANES; b++) begin : gen_block
    logic [63:0] sep;
    logic here;

    assign sep = row.pad == 3'd1 ? {BT_SEP7, row.data[b][63:8]}
                                 : {BT_SEP, 4'h0, 4'd8 - 4'(row.pad), row.data[b][63:16]};
    assign here = 3'(b) < size;

    always_comb begin
      tx_kind[b] = KIND_IDLE;
      tx_data[b] = row.data[b];
      unique case (which)
        ROW_NFC: begin
          if (here) tx_kind[b] = KIND_CTRL;
          tx_data[b] = {BT_NFC, nfc_data};
        end
        ROW_K, ROW_BAD: begin
          if (b == 0) tx_kind[b] = KIND_CTRL;
          tx_data[b] = which == ROW_K ? {BT_USER_K[k_number], k_data} : {BT_USER_K[K_BAD], 56'h0};
        end
        ROW_SEP: begin
          if (3'(b) + 3'd1 == size) tx_kind[b] = KIND_CTRL;
          tx_data[b] = {BT_SEP, 56'h0};
        end
        ROW_DATA: begin
          if (3'(b) < row.count) tx_kind[b] = KIND_DATA;
          if (row.last && row.pad != '0 && 3'(b) + 3'd1 == row.count) begin
            tx_kind[b] = KIND_CTRL;
            tx_data[b] = sep;
          end
          if (row.last && row.pad == '0 && 3'(b) == row.count && here) begin
            tx_kind[b] = KIND_CTRL;
            tx_data[b] = {BT_SEP, 56'h0};
          end
        end
        default: ;
      endcase
    end
  end

  logic unused;
  assign unused = row_split;
endmodule
