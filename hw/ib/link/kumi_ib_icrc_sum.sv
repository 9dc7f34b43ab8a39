// SPDX-License-Identifier: Apache-2.0
//
// First half of an ICRC (IBTA volume 1, clause 7.8.1): what each beat adds to the sum, without the
// sum so far. With the other half, icrc_ahead of kumi_ib_crc_pkg, no register is between an XOR of
// the data and one of the sum.
//
// s_axis, m_axis: packets from the LRH on, multiples of 4 bytes, widths 32 and 64; all side-band
//   kept. sum, words: of the beat at m_axis, how many words the ICRC covers and what they add.
// FOUND: the last word of a packet is its ICRC. It is not covered, and `sum` of the last beat holds
//   its complement too: a packet is right if icrc_ahead(sum so far, words) ^ sum is zero.
// Latency 1 cycle, one beat a cycle; s_axis.tready follows m_axis.tready combinationally.
module kumi_ib_icrc_sum
  import kumi_ib_crc_pkg::*;
#(
    parameter bit FOUND = 1'b0
) (
    input logic clk,
    input logic rst,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    output logic [31:0] sum,
    output logic [1:0] words
);
  localparam int DATA_W = s_axis.DATA_W;
  localparam int WORDS = DATA_W / 32;
  localparam int SIDE_W = s_axis.USER_W + s_axis.ID_W + s_axis.DEST_W;

  if (DATA_W != 32 && DATA_W != 64) begin : gen_check_w
    $fatal(0, "DATA_W must be 32 or 64 (%m)");
  end
  if (s_axis.DATA_W != m_axis.DATA_W || s_axis.USER_W != m_axis.USER_W
      || s_axis.ID_W != m_axis.ID_W || s_axis.DEST_W != m_axis.DEST_W) begin : gen_check_if
    $fatal(0, "s_axis and m_axis differ in a width (%m)");
  end

  logic [WORDS-1:0][31:0] beat, masked, covered;
  logic [31:0] icrc, added;
  logic [1:0] present, count;

  assign beat = s_axis.tdata;

  kumi_ib_icrc_mask #(
      .WORDS(WORDS)
  ) u_mask (
      .clk,
      .rst,
      .move(s_axis.tvalid && s_axis.tready),
      .last(s_axis.tlast),
      .data(beat),
      .masked
  );

  assign present = WORDS == 2 && (!s_axis.tlast || s_axis.tkeep[4*(WORDS-1)]) ? 2'd2 : 2'd1;
  assign count   = FOUND && s_axis.tlast ? present - 2'd1 : present;
  assign icrc    = present == 2'd2 ? beat[WORDS-1] : beat[0];

  always_comb begin
    for (int i = 0; i < WORDS; i++) covered[i] = 2'(i) < count ? masked[i] : '0;
    added = FOUND && s_axis.tlast ? ~icrc : '0;
    for (int r = 0; r < 32; r++) begin
      if (WORDS == 2 && count == 2'd2) begin
        added[r] ^= ^{covered[0] & ICRC_ROWS_BEFORE[r], covered[WORDS-1] & ICRC_ROWS[r]};
      end else begin
        added[r] ^= ^(covered[0] & ICRC_ROWS[r]);
      end
    end
  end

  kumi_slice #(
      .W(SIDE_W + 1 + DATA_W / 8 + DATA_W + 32 + 2),
      .MODE(3)
  ) u_slice (
      .clk,
      .rst,
      .s_data({
        s_axis.tdest,
        s_axis.tid,
        s_axis.tuser,
        s_axis.tlast,
        s_axis.tkeep,
        s_axis.tdata,
        added,
        count
      }),
      .s_valid(s_axis.tvalid),
      .s_ready(s_axis.tready),
      .m_data({
        m_axis.tdest, m_axis.tid, m_axis.tuser, m_axis.tlast, m_axis.tkeep, m_axis.tdata, sum, words
      }),
      .m_valid(m_axis.tvalid),
      .m_ready(m_axis.tready)
  );
endmodule
