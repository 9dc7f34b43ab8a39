// SPDX-License-Identifier: Apache-2.0
//
// CRC, scrambler and data register of a Serial ATA link, shared by both directions, as a frame goes
// one way at a time.
//
// send: the direction. Sending, load puts tx_data into the register; receiving, it takes rx_data,
//   descrambled, in every cycle. data: the register.
// scr_init, scr_step: scramble belongs to the first word of a frame, to the next one. crc_init,
//   crc_step: crc starts, adds `data`.
module kumi_sata_frame_code (
    input logic clk,
    input logic rst,
    input logic send,
    input logic load,
    input logic [31:0] tx_data,
    input logic [31:0] rx_data,
    output logic [31:0] data,
    input logic scr_init,
    input logic scr_step,
    output logic [31:0] scramble,
    input logic crc_init,
    input logic crc_step,
    output logic [31:0] crc
);
  logic [31:0] data_q;
  assign data = data_q;

  always_ff @(posedge clk) begin
    if (load || !send) data_q <= send ? tx_data : rx_data ^ scramble;
  end

  kumi_sata_scrambler u_scrambler (
      .clk,
      .rst,
      .init(scr_init),
      .en  (scr_step),
      .word(scramble)
  );
  kumi_sata_crc u_crc (
      .clk,
      .rst,
      .init(crc_init),
      .en  (crc_step),
      .data(data_q),
      .crc
  );
endmodule
