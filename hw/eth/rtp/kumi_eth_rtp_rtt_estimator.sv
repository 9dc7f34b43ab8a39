// SPDX-License-Identifier: Apache-2.0
//
// Round-trip time estimator and retransmission time-out (V. Jacobson, "Congestion Avoidance and
// Control", SIGCOMM 1988; RFC 6298).
//
// All times in ticks. srtt is scaled by 8, rttvar by 4 as in the paper. sample: a measured round
//   trip.
// srtt_new, rttvar_new: combinational.
// rto: one cycle later, srtt + 4 * deviation within cfg.rto_min and cfg.rto_max; cfg.rto_init
//   before the first sample. rto_backed_off: two cycles later, doubled `backoff` times, at most
//   rto_max.
module kumi_eth_rtp_rtt_estimator
  import kumi_eth_rtp_pkg::*;
(
    input  logic            clk,
    input  rtp_cfg_t        cfg,
    input  logic     [22:0] srtt,
    input  logic     [21:0] rttvar,
    input  logic            known,
    input  logic     [19:0] sample,
    input  logic     [ 3:0] backoff,
    output logic     [22:0] srtt_new,
    output logic     [21:0] rttvar_new,
    output logic     [19:0] rto,
    output logic     [19:0] rto_backed_off
);
  logic [20:0] error;  // signed: sample - srtt
  logic [19:0] size;
  logic [22:0] sum;
  logic [35:0] wide;
  logic unused;
  assign unused = ^cfg;

  always_comb begin
    error = {1'b0, sample} - {1'b0, srtt[22:3]};
    size  = error[20] ? 20'(-error) : error[19:0];
    if (!known) begin
      srtt_new   = {sample, 3'd0};
      rttvar_new = {1'b0, sample, 1'b0};
    end else begin
      srtt_new   = srtt + {{2{error[20]}}, error};
      rttvar_new = rttvar - {2'b00, rttvar[21:2]} + {2'b00, size};
    end

    sum = 23'(srtt[22:3]) + (rttvar == '0 ? 23'd1 : {1'b0, rttvar});
    if (!known) sum = 23'(cfg.rto_init);
    wide = 36'(rto) << backoff;
  end

  always_ff @(posedge clk) begin
    if (sum < 23'(cfg.rto_min)) rto <= cfg.rto_min;
    else rto <= sum > 23'(cfg.rto_max) ? cfg.rto_max : 20'(sum);
    rto_backed_off <= wide > 36'(cfg.rto_max) ? cfg.rto_max : wide[19:0];
  end
endmodule
