// SPDX-License-Identifier: Apache-2.0
//
// Transmit frame: the words between SOF and EOF, a FIS followed by its CRC-32, all scrambled.
//
// s_axis: 32-bit words of a FIS, all bytes valid. drop: words are consumed and discarded.
// start: a frame starts in the next cycle. word is valid while avail is high and advances with
//   take; crc_word: it is the CRC, the last word of the frame.
// last_moved: the last word of s_axis has been taken (or dropped) since start.
// Combinational from s_axis to word and from take to tready.
module kumi_sata_tx_frame (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    input logic start,
    input logic drop,
    input logic take,
    output logic avail,
    output logic crc_word,
    output logic [31:0] word,
    output logic last_moved
);
  logic [31:0] scramble, crc;
  logic end_q, beat;

  assign avail         = end_q || s_axis.tvalid;
  assign crc_word      = end_q;
  assign word          = (end_q ? crc : s_axis.tdata) ^ scramble;
  assign last_moved    = end_q;
  assign s_axis.tready = drop || (take && !end_q);
  assign beat          = s_axis.tvalid && s_axis.tready;

  kumi_sata_scrambler u_scrambler (
      .clk,
      .rst,
      .init(start),
      .en  (take && avail),
      .word(scramble)
  );
  kumi_sata_crc u_crc (
      .clk,
      .rst,
      .init(start),
      .en  (beat && !drop),
      .data(s_axis.tdata),
      .crc
  );

  always_ff @(posedge clk) begin
    if (start) end_q <= 1'b0;
    else if (beat && s_axis.tlast) end_q <= 1'b1;
    if (rst) end_q <= 1'b0;
  end
endmodule
