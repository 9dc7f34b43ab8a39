// SPDX-License-Identifier: Apache-2.0
//
// Transmit frame: the words between SOF and EOF, a FIS followed by its CRC-32, all scrambled.
//
// s_axis: 32-bit words of a FIS, all bytes valid; they pass through the register of
//   kumi_sata_frame_code: load takes one into it, data, crc and scramble are its outputs. drop:
//   words are consumed and discarded.
// start: no frame is under way. run: a frame is, or starts in the next cycle; its first word is
//   taken into the register. word is valid while avail is high and advances with take; crc_word: it
//   is the CRC, the last word of the frame; bad_word: it is the last of a FIS marked bad. crc_step:
//   the word is part of the CRC.
// last_moved: the last word of s_axis has been taken (or dropped) since start.
// Latency: 1 cycle from s_axis to word.
module kumi_sata_tx_frame (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    input logic start,
    input logic run,
    input logic drop,
    input logic take,
    output logic load,
    input logic [31:0] data,
    input logic [31:0] crc,
    input logic [31:0] scramble,
    output logic crc_step,
    output logic avail,
    output logic crc_word,
    output logic bad_word,
    output logic [31:0] word,
    output logic last_moved
);
  logic have_q, last_q, bad_q, end_q, beat;

  assign avail         = have_q || end_q;
  assign crc_word      = end_q;
  assign bad_word      = have_q && last_q && bad_q;
  assign word          = (end_q ? crc : data) ^ scramble;
  assign last_moved    = last_q;
  assign load          = run && !last_q && (!have_q || take);
  assign crc_step      = have_q && take;
  assign s_axis.tready = drop || load;
  assign beat          = s_axis.tvalid && s_axis.tready;

  always_ff @(posedge clk) begin
    if (take) have_q <= 1'b0;
    if (load && s_axis.tvalid) begin
      have_q <= 1'b1;
      bad_q  <= s_axis.tuser[0];
    end
    if (beat && s_axis.tlast) last_q <= 1'b1;
    if (take && have_q && last_q) end_q <= 1'b1;
    if (start || rst) begin
      have_q <= 1'b0;
      last_q <= 1'b0;
      end_q  <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^s_axis.tdata;
endmodule
