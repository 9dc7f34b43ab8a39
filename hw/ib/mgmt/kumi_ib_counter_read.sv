// SPDX-License-Identifier: Apache-2.0
//
// Counters of all ports as words of PortCounters and PortCountersExtended (IBTA volume 1, clauses
// 16.1.3.5, 16.1.4.10), and their clearing.
//
// word: 0 to 15 of PortCounters, 16 to 31 of the extended ones; data: 2 cycles later, of `port`.
//   The two words of an extended counter belong together if they are read one after the other, high
//   word first. clear_valid: counters of `port` become zero.
module kumi_ib_counter_read
  import kumi_ib_link_pkg::*;
#(
    parameter int PORTS = 4
) (
    input  logic                           clk,
    input  logic                           rst,
    input  port_counters_t       [PORTS:1] counters,
    output port_counters_clear_t [PORTS:1] clear,
    input  logic                 [    6:0] port,
    input  logic                 [    4:0] word,
    output logic                 [   31:0] data,
    input  logic                           clear_valid,
    input  port_counters_clear_t           clear_mask
);
  logic [PORTS:1][63:0] pair_b;
  logic [63:0] pair;
  logic [31:0] low_q;
  logic low_b;

  for (genvar p = 1; p <= PORTS; p++) begin : gen_port
    port_counters_t c;
    assign c = counters[p];
    always_ff @(posedge clk) begin
      unique case (word)
        5'd1: pair_b[p] <= {c.symbol_error, c.link_error_recovery, c.link_downed, 32'd0};
        5'd2: pair_b[p] <= {c.rcv_errors, c.rcv_remote_phys_errors, 32'd0};
        5'd3: pair_b[p] <= {c.rcv_switch_relay_errors, c.xmit_discards, 32'd0};
        5'd4: begin
          pair_b[p] <= {
            c.xmit_constraint_errors,
            c.rcv_constraint_errors,
            8'd0,
            c.link_integrity_errors,
            c.buffer_overrun_errors,
            32'd0
          };
        end
        5'd5: pair_b[p] <= {16'd0, c.vl15_dropped, 32'd0};
        5'd6: pair_b[p] <= {c.xmit_data, 32'd0};
        5'd7: pair_b[p] <= {c.rcv_data, 32'd0};
        5'd8: pair_b[p] <= {c.xmit_pkts, 32'd0};
        5'd9: pair_b[p] <= {c.rcv_pkts, 32'd0};
        5'd10: pair_b[p] <= {c.xmit_wait, 32'd0};
        5'd18: pair_b[p] <= c.ext_xmit_data;
        5'd20: pair_b[p] <= c.ext_rcv_data;
        5'd22: pair_b[p] <= c.ext_xmit_pkts;
        5'd24: pair_b[p] <= c.ext_rcv_pkts;
        default: pair_b[p] <= '0;
      endcase
      clear[p] <= clear_valid && port == 7'(p) && !rst ? clear_mask : '0;
    end
  end

  always_comb begin
    pair = '0;
    for (int p = 1; p <= PORTS; p++) if (port == 7'(p)) pair |= pair_b[p];
  end

  always_ff @(posedge clk) begin
    low_b <= word[4] && word[0];
    data  <= low_b ? low_q : pair[63:32];
    if (!low_b) low_q <= pair[31:0];
  end
endmodule
