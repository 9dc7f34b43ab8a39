// SPDX-License-Identifier: Apache-2.0
//
// Run-length encodes code lengths (RFC 1951, 3.2.7): symbols 0..15 are lengths, 16 repeats the
// last one 3 to 6 times, 17 and 18 are 3 to 10 and 11 to 138 zeros.
//
// start: begins. s_*: lengths, taken in each cycle with s_valid and s_ready high; s_end in place of
//   s_valid says that there are no more and must stay until done.
// item_valid: a symbol and its extra bits, without back-pressure. done: a pulse after the last.
// A length a cycle, and a cycle for each item that ends a run.
module kumi_deflate_runs (
    input  logic       clk,
    input  logic       rst,
    input  logic       start,
    input  logic [3:0] s_bits,
    input  logic       s_valid,
    input  logic       s_end,
    output logic       s_ready,
    output logic       item_valid,
    output logic [4:0] item_sym,
    output logic [6:0] item_extra,
    output logic       done
);
  localparam logic [4:0] NO_VALUE = 5'd31;
  logic [4:0] value_q;
  logic [7:0] run_q;  // of value_q, not sent yet
  logic active_q, zero, ends, full;

  assign zero = value_q == '0;
  assign ends = run_q != '0 && (s_end || (s_valid && {1'b0, s_bits} != value_q));
  assign s_ready = active_q && !ends;
  assign full = run_q == (zero ? 8'd137 : 8'd5);

  always_comb begin
    item_valid = 1'b0;
    item_sym   = {1'b0, s_bits};
    item_extra = '0;
    if (active_q && ends) begin
      item_valid = 1'b1;
      item_sym   = run_q < 8'd3 ? value_q : !zero ? 5'd16 : run_q < 8'd11 ? 5'd17 : 5'd18;
      item_extra = run_q < 8'd3 ? '0 : 7'(run_q - (zero && run_q >= 8'd11 ? 8'd11 : 8'd3));
    end else if (active_q && s_valid) begin
      if ({1'b0, s_bits} != value_q) begin
        item_valid = s_bits != '0;
      end else begin
        item_valid = full;
        item_sym   = zero ? 5'd18 : 5'd16;
        item_extra = zero ? 7'd127 : 7'd3;
      end
    end
  end

  always_ff @(posedge clk) begin
    done <= 1'b0;
    if (active_q) begin
      if (ends) begin
        run_q <= run_q < 8'd3 ? run_q - 1'b1 : '0;
      end else if (s_valid) begin
        value_q <= {1'b0, s_bits};
        if ({1'b0, s_bits} != value_q) run_q <= 8'(s_bits == '0);
        else run_q <= full ? '0 : run_q + 1'b1;
      end else if (s_end) begin
        active_q <= 1'b0;
        done <= 1'b1;
      end
    end
    if (start) begin
      active_q <= 1'b1;
      value_q <= NO_VALUE;
      run_q <= '0;
    end
    if (rst) active_q <= 1'b0;
  end
endmodule
