// SPDX-License-Identifier: Apache-2.0
//
// CRC-32C (Castagnoli, RFC 3720 appendix B.4) of each frame of a stream, the checksum of chunks and
// log sectors of a storage array. "123456789" yields 0xe3069283.
//
// Ports, latency and throughput are those of kumi_crc32: in_* is one beat per cycle with in_valid
// asserted, without back-pressure; out_valid pulses once per frame with out_crc.
module kumi_crc32c #(
    parameter int DATA_W = 64  // bits of data, 8..1024, a multiple of 8
) (
    input  logic                clk,
    input  logic                rst,
    input  logic                in_valid,
    input  logic                in_last,
    input  logic [  DATA_W-1:0] in_data,
    input  logic [DATA_W/8-1:0] in_keep,
    output logic                out_valid,
    output logic [        31:0] out_crc
);
  kumi_crc32 #(
      .DATA_W(DATA_W),
      .POLY  (32'h82f6_3b78)
  ) u_crc (
      .clk,
      .rst,
      .in_valid,
      .in_last,
      .in_data,
      .in_keep,
      .out_valid,
      .out_crc
  );
endmodule
