// SPDX-License-Identifier: Apache-2.0
//
// Round-trip estimate of V. Jacobson ("Congestion Avoidance and Control", SIGCOMM 1988; RFC 6298),
// and the time-out that follows from it.
//
// All in ticks. srtt is scaled by 8, var by 4 as in the paper. sample: a measured round trip.
// srtt_new, var_new: combinational.
// timeout: one cycle later, srtt + 4 * deviation between cfg.rto_min and cfg.rto_max; cfg.rto_init
//   while no round trip is known. backed: two cycles later, the same doubled `back` times, up to
//   rto_max.
module kumi_eth_rtp_rtt_estimator
  import kumi_eth_rtp_pkg::*;
(
    input  logic           clk,
    input  rtp_cfg_t        cfg,
    input  logic    [22:0] srtt,
    input  logic    [21:0] var_,
    input  logic           known,
    input  logic    [19:0] sample,
    input  logic    [ 3:0] back,
    output logic    [22:0] srtt_new,
    output logic    [21:0] var_new,
    output logic    [19:0] timeout,
    output logic    [19:0] backed
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
      srtt_new = {sample, 3'd0};
      var_new  = {1'b0, sample, 1'b0};
    end else begin
      srtt_new = srtt + {{2{error[20]}}, error};
      var_new  = var_ - {2'b00, var_[21:2]} + {2'b00, size};
    end

    sum = 23'(srtt[22:3]) + (var_ == '0 ? 23'd1 : {1'b0, var_});
    if (!known) sum = 23'(cfg.rto_init);
    wide = 36'(timeout) << back;
  end

  always_ff @(posedge clk) begin
    if (sum < 23'(cfg.rto_min)) timeout <= cfg.rto_min;
    else timeout <= sum > 23'(cfg.rto_max) ? cfg.rto_max : 20'(sum);
    backed <= wide > 36'(cfg.rto_max) ? cfg.rto_max : wide[19:0];
  end
endmodule
