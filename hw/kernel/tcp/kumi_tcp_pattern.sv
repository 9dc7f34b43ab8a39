// SPDX-License-Identifier: Apache-2.0
//
// Bytes of a test stream as a function of the whole offset, so that a lost, duplicated or displaced
// byte is detected, and of the stream's salt, so that exchanged streams are. The first byte of a
// stream is its salt.
//
// Combinational; offset: of byte 0 of the beat.
module kumi_tcp_pattern #(
    parameter int DATA_W = 64  // bits of the beat
) (
    input  logic [      31:0] offset,
    input  logic [       7:0] salt,
    output logic [DATA_W-1:0] data
);
  for (genvar i = 0; i < DATA_W / 8; ++i) begin : gen_byte
    logic [31:0] at;
    assign at = offset + 32'(i);
    assign data[8*i+:8] = at[7:0] ^ at[15:8] ^ at[23:16] ^ at[31:24] ^ salt;
  end
endmodule
