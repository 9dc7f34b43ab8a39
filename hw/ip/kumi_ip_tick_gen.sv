// SPDX-License-Identifier: Apache-2.0
//
// Tick generator of the IP stack: a pulse per tick, per ARP retry interval and per ARP age step, as
//   set in cfg. Intervals begin when cfg.enable rises.
module kumi_ip_tick_gen
  import kumi_ip_pkg::*;
(
    input  logic    clk,
    input  logic    rst,
    input  ip_cfg_t cfg,
    output logic    tick,
    output logic    tick_retry,
    output logic    tick_age
);
  logic [23:0] cycles_q;
  logic [15:0] retry_q, age_q;
  logic unused;
  assign unused = &cfg;

  // Down counters: a smaller setting takes effect after the current interval.
  always_ff @(posedge clk) begin
    tick       <= 1'b0;
    tick_retry <= 1'b0;
    tick_age   <= 1'b0;
    cycles_q   <= cycles_q - 1'b1;
    if (cycles_q == '0) begin
      cycles_q <= cfg.tick_cycles - 1'b1;
      tick     <= 1'b1;
    end
    if (tick) begin
      retry_q <= retry_q - 1'b1;
      age_q   <= age_q - 1'b1;
      if (retry_q == '0) begin
        retry_q    <= cfg.arp_retry_ticks - 1'b1;
        tick_retry <= 1'b1;
      end
      if (age_q == '0) begin
        age_q    <= cfg.arp_age_ticks - 1'b1;
        tick_age <= 1'b1;
      end
    end
    if (rst || !cfg.enable) begin
      cycles_q <= cfg.tick_cycles - 1'b1;
      retry_q  <= cfg.arp_retry_ticks - 1'b1;
      age_q    <= cfg.arp_age_ticks - 1'b1;
      tick     <= 1'b0;
    end
  end
endmodule
