// SPDX-License-Identifier: Apache-2.0
//
// Stands for kumi_sata_crc and kumi_sata_scrambler in proofs that are about flow, not content: the
// sum is any, the words are not scrambled, so that the solver need not undo parities.
module kumi_sata_crc (
    input  logic        clk,
    input  logic        rst,
    input  logic        init,
    input  logic        en,
    input  logic [31:0] data,
    output logic [31:0] crc
);
  always_ff @(posedge clk) crc <= data;
  logic unused;
  assign unused = ^{rst, init, en};
endmodule

module kumi_sata_scrambler (
    input  logic        clk,
    input  logic        rst,
    input  logic        init,
    input  logic        en,
    output logic [31:0] word
);
  assign word = '0;
  logic unused;
  assign unused = ^{clk, rst, init, en};
endmodule
