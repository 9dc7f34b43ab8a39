// SPDX-License-Identifier: Apache-2.0
//
// Tells whether the disk just identified is the one served before: serial number and model number
// of IDENTIFY DEVICE (words 10 to 19 and 27 to 46; ACS, clause 7.12) must be equal, bit for bit.
//
// clear: an identification begins. d_*: payload words while take is high, in order, as
//   kumi_sata_cmd_rx reports them; a 32-bit word holds two of the standard's.
// other: they differ; valid from the second cycle after the last word until the next clear.
// accept: the disk just identified is the one served from now on. forget: none is, so any may be
//   the next.
module kumi_sata_same_disk (
    input logic clk,
    input logic rst,
    input logic clear,
    input logic take,
    input logic d_valid,
    input logic [31:0] d_data,
    input logic [6:0] d_index,
    input logic accept,
    input logic forget,
    output logic other
);
  // 16 words each of the disk served and of the disk being identified; accept swaps them.
  (* ram_style = "distributed" *) logic [31:0] mem[32];
  logic served_q, known_q, differs_q, hit, hit_q, equal_q;
  logic [ 3:0] at_q;
  logic [31:0] word;

  assign other = known_q && differs_q;
  // The half beside word 27 is of the firmware's revision, that beside word 46 of no text.
  assign word = {d_index != 7'd23 ? d_data[31:16] : 16'd0, d_index != 7'd13 ? d_data[15:0] : 16'd0};

  assign hit = take && d_valid && d_index inside {[7'd5 : 7'd9], [7'd13 : 7'd23]};

  always_ff @(posedge clk) begin
    if (hit) begin
      at_q <= at_q + 1'b1;
      mem[{!served_q, at_q}] <= word;
    end
    equal_q <= mem[{served_q, at_q}] == word;
    hit_q   <= hit;
    if (hit_q && !equal_q) differs_q <= 1'b1;
    if (clear) begin
      at_q      <= '0;
      differs_q <= 1'b0;
    end
    if (accept) begin
      served_q <= !served_q;
      known_q  <= 1'b1;
    end
    if (forget) known_q <= 1'b0;
    if (rst) begin
      hit_q    <= 1'b0;
      served_q <= 1'b0;
      known_q  <= 1'b0;
    end
  end
endmodule
