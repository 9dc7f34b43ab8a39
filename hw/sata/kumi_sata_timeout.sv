// SPDX-License-Identifier: Apache-2.0
//
// Device time-outs, in ticks of TICK_CYCLES.
//
// now: tick counter. begins: a timed operation starts. timeout, one cycle later: the signature took
//   cfg.ready ticks or more, or an internal command cfg.limit (also all of DEV_INIT).
// no_device: requests need not wait: no device for cfg.absent ticks, one not ready for cfg.ready,
//   an unsupported one, or the port is disabled. Counted from the end of DEV_READY or from when the
//   port was enabled.
module kumi_sata_timeout
  import kumi_sata_cmd_pkg::*;
  import kumi_sata_cmd_seq_pkg::*;
#(
    parameter int TICK_CYCLES = 150_000
) (
    input logic clk,
    input logic rst,
    input sata_cfg_t cfg,
    input logic present,
    input dev_state_e dev_state,
    input logic internal,
    input logic begins,
    output logic [15:0] now,
    output logic timeout,
    output logic no_device
);
  localparam int TICK_W = $clog2(TICK_CYCLES + 1);

  if (TICK_CYCLES < 1) begin : gen_check
    $fatal(0, "TICK_CYCLES must be positive (%m)");
  end

  logic [TICK_W-1:0] tick_q;
  logic [15:0] now_q, since_q, absent_since_q, waited;
  logic no_device_q, timeout_q, enabled_q, unused;
  assign unused = ^cfg;

  assign now = now_q;
  assign timeout = timeout_q;
  assign no_device = no_device_q;
  assign waited = now_q - since_q;

  always_ff @(posedge clk) begin
    tick_q <= tick_q + 1'b1;
    if (tick_q == TICK_W'(TICK_CYCLES - 1)) begin
      tick_q <= '0;
      now_q  <= now_q + 1'b1;
    end
    if (begins) since_q <= now_q;
    timeout_q <= dev_state == DEV_SIGNATURE ? waited >= cfg.ready : (dev_state == DEV_INIT
        || internal) && waited >= cfg.limit;

    enabled_q <= cfg.enable;
    if (dev_state == DEV_READY || (cfg.enable && !enabled_q)) begin
      no_device_q    <= 1'b0;
      absent_since_q <= now_q;
    end else if (dev_state == DEV_UNSUPPORTED || !cfg.enable
                 || now_q - absent_since_q >= (present ? cfg.ready : cfg.absent)) begin
      no_device_q <= 1'b1;
    end

    if (rst) begin
      tick_q         <= '0;
      now_q          <= '0;
      absent_since_q <= '0;
      timeout_q      <= 1'b0;
      enabled_q      <= 1'b0;
      no_device_q    <= 1'b0;
    end
  end
endmodule
