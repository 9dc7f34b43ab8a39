// SPDX-License-Identifier: Apache-2.0
//
// Checks probe payloads (see kumi_probe_pkg).
//
// s_*: the beats of a payload stream as its owner accepts them (`s_beat`); never refused.
//   res_valid: one pulse per frame with `res`, 3 cycles after its last beat.
// A frame is `wrong` when it is shorter than a header, its mark is not a probe's, or its PRBS does
//   not match; a probe of less than 20 bytes has too little PRBS to reveal a damaged header.
// One beat a cycle.
module kumi_probe_check
  import kumi_probe_pkg::*;
#(
    parameter  int DATA_W = 64,         // bits of a beat
    localparam int BYTES  = DATA_W / 8
) (
    input  logic                    clk,
    input  logic                    rst,
    input  logic       [      63:0] now,
    input  logic                    s_beat,
    input  logic       [DATA_W-1:0] s_data,
    input  logic       [ BYTES-1:0] s_keep,
    input  logic                    s_last,
    input  logic                    s_bad,
    output logic                    res_valid,
    output probe_res_t              res
);
  localparam int HDR_BEATS = (DATA_W > 128) ? 1 : 128 / DATA_W;  // beats with header bytes

  if (DATA_W != 64 && DATA_W != 128 && DATA_W != 256 && DATA_W != 512) begin : gen_check_width
    $fatal(0, "DATA_W must be 64, 128, 256 or 512 (%m)");
  end

  // ---- stage 1: the beat, its place in the frame, and the header so far ----------------------
  logic beat1_q, last1_q, bad1_q, hdr_end1_q, past1_q;
  logic [DATA_W-1:0] data1_q;
  logic [BYTES-1:0] keep1_q;
  logic [127:0] hdr1_q;  // header bytes, complete when hdr_end1_q or past1_q
  logic [31:0] time1_q;
  logic [1:0] place_q;  // header beats seen, saturating at HDR_BEATS
  logic [127:0] hdr_next;

  if (DATA_W >= 128) begin : gen_hdr_whole
    assign hdr_next = s_data[127:0];
  end else begin : gen_hdr_parts
    assign hdr_next = {s_data, hdr1_q[127:DATA_W]};
  end

  always_ff @(posedge clk) begin
    beat1_q <= s_beat;
    if (s_beat) begin
      data1_q <= s_data;
      keep1_q <= s_keep;
      last1_q <= s_last;
      bad1_q <= s_last && s_bad;
      time1_q <= now[31:0];
      hdr_end1_q <= place_q == 2'(HDR_BEATS - 1);
      past1_q <= place_q == 2'(HDR_BEATS);
      if (place_q != 2'(HDR_BEATS)) begin
        hdr1_q  <= hdr_next;
        place_q <= place_q + 1'b1;
      end
      if (s_last) place_q <= '0;
    end
    if (rst) begin
      beat1_q <= 1'b0;
      place_q <= '0;
    end
  end

  // ---- stage 2: the PRBS state of the beat ---------------------------------------------------
  // A beat that follows the header takes the state that the beat before it left.
  probe_hdr_t hdr1;
  logic [30:0] seed1, state1, state_q;
  assign hdr1  = probe_hdr_t'(probe_swap(hdr1_q));
  assign seed1 = probe_seed(hdr1);

  logic beat2_q, last2_q, bad2_q, hdr_end2_q, past2_q;
  logic [DATA_W-1:0] data2_q;
  logic [BYTES-1:0] keep2_q;
  probe_hdr_t hdr2_q;
  logic [31:0] time2_q;
  logic [30:0] seed2_q;

  always_ff @(posedge clk) begin
    beat2_q <= beat1_q;
    if (beat1_q) begin
      data2_q <= data1_q;
      keep2_q <= keep1_q;
      last2_q <= last1_q;
      bad2_q <= bad1_q;
      hdr_end2_q <= hdr_end1_q;
      past2_q <= past1_q;
      time2_q <= time1_q;
      if (hdr_end1_q) begin
        hdr2_q  <= hdr1;
        seed2_q <= seed1;
      end
    end
    if (rst) beat2_q <= 1'b0;
  end

  // ---- stage 3: compare ----------------------------------------------------------------------
  logic [DATA_W-1:0] prbs, expect2, mask2;
  logic [DATA_W+30:0] prbs_next;
  logic [30:0] after2;
  kumi_prbs31 #(
      .W(DATA_W)
  ) u_prbs (
      .state(state1),
      .bits (prbs),
      .next (prbs_next)
  );
  assign state1 = hdr_end2_q ? seed2_q : state_q;

  always_comb begin
    for (int i = 0; i < BYTES; ++i) mask2[8*i+:8] = {8{keep2_q[i]}};
    expect2 = prbs;
    after2  = prbs_next[DATA_W+:31];
    if (hdr_end2_q) begin
      // The part of the beat behind the header, or nothing.
      expect2 = prbs << 128;
      after2 = (DATA_W > 128) ? prbs_next[(DATA_W>128?DATA_W-128 : 0)+:31] : seed2_q;
      mask2[(DATA_W<128?DATA_W : 128)-1:0] = '0;
    end
    if (!hdr_end2_q && !past2_q) mask2 = '0;
  end

  logic differs, differs_q, short2;
  logic [15:0] length_q, length2;
  assign differs = |((data2_q ^ expect2) & mask2);
  // The frame ended before its header did.
  assign short2  = !(past2_q || (hdr_end2_q && keep2_q[(DATA_W<128?BYTES : 16)-1]));
  assign length2 = length_q + 16'($countones(keep2_q));

  always_ff @(posedge clk) begin
    res_valid <= beat2_q && last2_q;
    if (beat2_q) begin
      state_q   <= after2;
      differs_q <= differs_q || differs;
      length_q  <= length2;
      if (last2_q) begin
        differs_q <= 1'b0;
        length_q  <= '0;
      end
      res.hdr <= hdr2_q;
      res.length <= length2;
      res.latency <= time2_q - hdr2_q.stamp[31:0];
      res.bad <= bad2_q;
      res.wrong <= short2 || hdr2_q.mark != PROBE_MARK || differs || differs_q;
    end
    if (rst) begin
      res_valid <= 1'b0;
      differs_q <= 1'b0;
      length_q  <= '0;
    end
  end

  logic unused;
  assign unused = ^{prbs_next, now[63:32]};
endmodule
