// SPDX-License-Identifier: Apache-2.0
//
// Free list of the retransmission buffer. After reset all SLOTS are free (takes SLOTS cycles).
//
// a_*, b_*: released slots; a has priority, and both wait only for that and after reset.
// m_*: a free slot, valid and ready.
module kumi_eth_rtp_free_list #(
    parameter int SLOTS = 32  // a power of two, 4..256
) (
    input  logic       clk,
    input  logic       rst,
    input  logic [7:0] a_slot,
    input  logic       a_valid,
    output logic       a_ready,
    input  logic [7:0] b_slot,
    input  logic       b_valid,
    output logic       b_ready,
    output logic [7:0] m_slot,
    output logic       m_valid,
    input  logic       m_ready
);
  localparam int SLOT_W = $clog2(SLOTS);

  logic [SLOT_W:0] fill_q;
  logic filling, room;
  logic [SLOT_W-1:0] s_slot, out;
  logic [SLOT_W:0] depth;

  assign filling = !fill_q[SLOT_W];
  assign a_ready = !filling;
  assign b_ready = !filling && !a_valid;
  assign s_slot  = filling ? fill_q[SLOT_W-1:0] : a_valid ? SLOT_W'(a_slot) : SLOT_W'(b_slot);
  assign m_slot  = 8'(out);

  always_ff @(posedge clk) begin
    if (filling) fill_q <= fill_q + 1'b1;
    if (rst) fill_q <= '0;
  end

  // It has room for all slots, so it is never full.
  kumi_fifo #(
      .W(SLOT_W),
      .DEPTH(SLOTS)
  ) u_free (
      .clk,
      .rst,
      .s_data (s_slot),
      .s_valid(filling || a_valid || b_valid),
      .s_ready(room),
      .m_data (out),
      .m_valid,
      .m_ready,
      .depth
  );

  logic unused;
  assign unused = ^{room, depth, a_slot, b_slot};
endmodule
