// SPDX-License-Identifier: Apache-2.0
//
// Decodes the 512 bytes of IDENTIFY DEVICE (ACS, clause 7.12).
//
// clear: resets all fields. d_*: payload words while take is high, as kumi_sata_cmd_rx reports
//   them; a 32-bit word holds two of the standard's. ident is complete after the last one.
// Bad input: a field that the device marks invalid (words 83, 84, 87: bits 15:14 not 01) counts as
// absent.
module kumi_sata_identify
  import kumi_sata_cmd_pkg::*;
(
    input logic clk,
    input logic clear,
    input logic take,
    input logic d_valid,
    input logic [31:0] d_data,
    input logic [6:0] d_index,
    output sata_ident_t ident
);
  sata_ident_t ident_q;
  assign ident = ident_q;

  logic hit;
  assign hit = take && d_valid;

  always_ff @(posedge clk) begin
    if (hit) begin
      case (d_index)
        7'd37:   ident_q.depth <= d_data[20:16];  // word 75
        7'd38:   ident_q.ncq <= d_data[8] && d_data[15:0] != '1;  // word 76
        7'd39:   ident_q.activate <= d_data[2] && d_data[15:0] != '1;  // word 78
        7'd41:   ident_q.lba48 <= d_data[31:30] == 2'b01 && d_data[26];  // word 83
        7'd42:   ident_q.fua <= d_data[15:14] == 2'b01 && d_data[6];  // word 84
        7'd50:   ident_q.sectors[31:0] <= d_data;  // words 100, 101
        7'd51:   ident_q.sectors[47:32] <= d_data[15:0];  // word 102
        7'd84:   ident_q.trim <= d_data[16];  // word 169
        7'd108:  ident_q.rotating <= d_data[31:16] > 16'd1;  // word 217
        default: ;
      endcase
    end
    if (clear) ident_q <= '0;
  end
endmodule
