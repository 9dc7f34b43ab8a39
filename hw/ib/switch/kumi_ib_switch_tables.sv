// SPDX-License-Identifier: Apache-2.0
//
// Table writes of a switch and its time: clears the tables of all inputs after reset (LFT all 255,
// MFT empty, SL-to-VL all VL0), then hands on what is written.
//
// lft_*, mft_*, s2v_*: one write of each a cycle, from `ready` on, at least LFT_CAP, MFT_CAP and
//   PORTS + 1 cycles after reset. write: the same one cycle later. now: units of TICK cycles.
module kumi_ib_switch_tables
  import kumi_ib_switch_pkg::*;
#(
    parameter int PORTS   = 8,
    parameter int LFT_CAP = 1024,
    parameter int MFT_CAP = 64,
    parameter int TICK    = 512    // cycles of 4.096 us
) (
    input  logic                         clk,
    input  logic                         rst,
    output logic                         ready,
    input  logic                         lft_we,
    input  logic            [      15:0] lft_lid,
    input  logic            [       7:0] lft_port,
    input  logic                         mft_we,
    input  logic            [      15:0] mft_lid,
    input  logic            [       3:0] mft_position,
    input  logic            [      15:0] mft_mask,
    input  logic                         s2v_we,
    input  logic            [       7:0] s2v_in,
    input  logic            [       7:0] s2v_out,
    input  logic            [      63:0] s2v_table,
    output ib_table_write_t              write,
    output logic            [TIME_W-1:0] now
);
  import kumi_ib_pkg::LID_MCAST;

  localparam int TICK_W = $clog2(TICK);
  localparam int CAP = LFT_CAP > MFT_CAP ? LFT_CAP : MFT_CAP;
  localparam int CLEAR = CAP > PORTS ? CAP : PORTS;  // the last entry that is cleared

  if (LFT_CAP < 2 || LFT_CAP > 49152 || MFT_CAP < 2 || MFT_CAP > 16383) begin : gen_check_tables
    $fatal(0, "LFT_CAP must be 2..49152, MFT_CAP 2..16383 (%m)");
  end

  logic clear_q;
  logic [15:0] clear_lid_q;
  logic [TICK_W-1:0] tick_q;

  always_ff @(posedge clk) begin
    write <= '{
        lft_we: lft_we,
        lft_lid: lft_lid,
        lft_port: lft_port,
        mft_we: mft_we,
        mft_all: 1'b0,
        mft_lid: mft_lid,
        mft_position: mft_position,
        mft_mask: mft_mask,
        s2v_we: s2v_we,
        s2v_all: 1'b0,
        s2v_in: s2v_in,
        s2v_out: s2v_out,
        s2v_table: s2v_table
    };
    if (clear_q) begin
      write <= '0;
      write.lft_we <= 1'b1;
      write.lft_lid <= clear_lid_q;
      write.lft_port <= '1;
      write.mft_we <= 1'b1;
      write.mft_all <= 1'b1;
      write.mft_lid <= LID_MCAST | clear_lid_q;
      write.s2v_we <= 32'(clear_lid_q) <= PORTS;
      write.s2v_all <= 1'b1;
      write.s2v_out <= clear_lid_q[7:0];
      clear_lid_q <= clear_lid_q + 1'b1;
      if (32'(clear_lid_q) == CLEAR) clear_q <= 1'b0;
    end
    ready  <= !clear_q;
    tick_q <= tick_q == '0 ? TICK_W'(TICK - 1) : tick_q - 1'b1;
    if (tick_q == '0) now <= now + 1'b1;
    if (rst) begin
      clear_q     <= 1'b1;
      clear_lid_q <= '0;
      ready       <= 1'b0;
      tick_q      <= '0;
      now         <= '0;
    end
  end
endmodule
