// SPDX-License-Identifier: Apache-2.0
//
// Synchronisation of 1000BASE-X (IEEE 802.3 figure 36-9): acquired after three commas in even
// positions, each followed by valid code groups; lost after four invalid code groups that valid
// ones do not outweigh.
//
// Latency: one cycle.
module kumi_pcs_1g_sync (
    input logic clk,
    input logic rst,

    input logic comma,
    input logic data,   // a valid data code group
    input logic bad,    // not a valid code group

    output logic sync,
    output logic even,      // the code group of this cycle is an even one
    output logic lock_lost  // one-cycle pulse
);

  logic [1:0] commas_q;  // seen while not in sync
  logic expect_data_q;  // the code group after a comma must be data
  logic [1:0] level_q;  // bad code groups not yet outweighed
  logic [1:0] good_q;  // good ones since
  logic even_q;
  logic cgbad;

  // A comma defines what is even until one has been seen.
  assign even  = (!sync && commas_q == 2'd0 && comma) || even_q;
  assign cgbad = bad || (comma && !even);

  always_ff @(posedge clk) begin
    even_q        <= !even;
    expect_data_q <= 1'b0;
    lock_lost     <= 1'b0;
    if (!sync) begin
      level_q <= '0;
      good_q  <= '0;
      if (cgbad || (expect_data_q && !data)) begin
        commas_q <= '0;
      end else if (comma) begin
        expect_data_q <= 1'b1;
        if (commas_q != 2'd3) commas_q <= commas_q + 2'd1;
      end else if (expect_data_q && commas_q == 2'd3) begin
        sync <= 1'b1;
      end
    end else if (cgbad) begin
      good_q  <= '0;
      level_q <= level_q + 2'd1;
      if (level_q == 2'd3) begin
        sync      <= 1'b0;
        commas_q  <= '0;
        lock_lost <= 1'b1;
      end
    end else if (level_q != 2'd0) begin
      good_q <= good_q + 2'd1;
      if (good_q == 2'd3) level_q <= level_q - 2'd1;
    end
    if (rst) begin
      sync          <= 1'b0;
      commas_q      <= '0;
      expect_data_q <= 1'b0;
      even_q        <= 1'b0;
      lock_lost     <= 1'b0;
    end
  end

endmodule
