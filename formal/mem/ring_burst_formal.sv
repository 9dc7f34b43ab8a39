// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_ring_burst with short bursts in a short ring: for any run of bytes, its bursts
// cover each byte exactly once, in order, around the ring's end, and no more than the beats that
// contain the bytes; none crosses a multiple of the burst size or leaves the ring.
//
// Assumed: a run of one byte or more, no longer than the ring, is offered until it is accepted.
`include "kumi_assert.svh"
module ring_burst_formal #(
    parameter int DIRECT = 0,
    parameter int SUM_W  = 32
) (
    input logic       clk,
    input logic       rst,
    input logic [1:0] s_hi,
    input logic [5:0] s_off,
    input logic [6:0] s_len,
    input logic       s_valid,
    input logic       m_ready
);
  localparam int BYTES = 4;
  localparam int BURST = 16;
  localparam int RING = 64;

  logic s_ready, m_valid;
  logic [7:0] m_addr, m_beats;

  kumi_ring_burst #(
      .DATA_W(8 * BYTES),
      .ADDR_W(8),
      .RING_W(6),
      .LEN_W(7),
      .BURST_BYTES(BURST),
      .DIRECT(DIRECT),
      .SUM_W(SUM_W)
  ) u_dut (
      .*
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  logic held_q;
  logic [14:0] offer_q;
  always_ff @(posedge clk) begin
    held_q  <= !rst && s_valid && !s_ready;
    offer_q <= {s_hi, s_off, s_len};
  end
  always_comb assume (!held_q || (s_valid && offer_q == {s_hi, s_off, s_len}));
  always_comb assume (!s_valid || (s_len != '0 && s_len <= 7'(RING)));

  // ---- before the register: what the run's next burst must be ------------------------------------
  // hi_q, at_q, left_q: what of a run that was taken is still to come.
  logic run_q, cut, ends;
  logic [1:0] hi_q, hi;
  logic [5:0] at_q, at;
  logic [6:0] left_q, left, span;
  assign hi   = run_q ? hi_q : s_hi;
  assign at   = run_q ? at_q : s_off;
  assign left = run_q ? left_q : s_len;
  assign cut  = (run_q || s_valid) && u_dut.room;
  // Bytes from the first one to the end of the burst's last beat.
  assign span = (7'(u_dut.beats) + 7'd1) * 7'(BYTES) - 7'(at[1:0]);
  assign ends = span >= left;

  always_ff @(posedge clk) begin
    if (cut) begin
      run_q  <= !ends;
      hi_q   <= hi;
      at_q   <= at + span[5:0];
      left_q <= left - span;
    end
    if (rst) run_q <= 1'b0;
  end

  `KUMI_ASSERT(a_busy, u_dut.busy_q == run_q)
  `KUMI_ASSERT(a_place, !cut || (u_dut.hi == hi && u_dut.off == at && u_dut.left == left))
  `KUMI_ASSERT(a_exact, !cut || !ends || span - left < 7'(BYTES))
  `KUMI_ASSERT(a_page, !cut || 7'(at[3:0]) + (ends ? left : span) <= 7'(BURST))
  `KUMI_ASSERT(a_full, !cut || ends || 7'(at[3:0]) + span == 7'(BURST))
  `KUMI_ASSERT(a_ready, s_ready == (!run_q && u_dut.room))

  // ---- at the output -----------------------------------------------------------------------------
  `KUMI_ASSERT(a_whole, !m_valid || m_addr[1:0] == '0)
  `KUMI_ASSERT(a_inside, !m_valid || 8'(m_addr[3:2]) + m_beats < 8'(BURST / BYTES))
  if (DIRECT != 0) begin : gen_direct
    `KUMI_ASSERT(a_out, m_valid == (run_q || s_valid))
    `KUMI_ASSERT(a_addr, !m_valid || m_addr == {hi, at[5:2], 2'b00})
  end else begin : gen_slice
    // The register between is proved by itself (stream/slice); its entries keep the rule above.
    `KUMI_ASSERT(i_skid,
                 !u_dut.u_out.gen_skid.skid_valid_q
                 || 8'(u_dut.u_out.gen_skid.skid_q[1:0]) + 8'(u_dut.u_out.gen_skid.skid_q[7:6])
                 < 8'(BURST / BYTES))
  end

  `KUMI_ASSERT(
      i_left,
      !run_q || (left_q != '0 && left_q == u_dut.left_q && hi_q == u_dut.hi_q && at_q == u_dut.off && at_q[3:0] == '0 && left_q < 7'(RING)))

  `KUMI_COVER(c_around, run_q && cut && at == '0 && ends)
  `KUMI_COVER(c_whole_ring, s_valid && s_ready && s_len == 7'(RING) && s_off == 6'd5)
  `KUMI_COVER(c_one, cut && !run_q && s_len == 7'd1 && m_valid)
endmodule
