// SPDX-License-Identifier: Apache-2.0
//
// Source and sink of best-effort packets, for measurements (kumi_stdm_probe).
//
// m_axis: while on, frames of `length` words back to back, to the board and local port in `dest`,
//   or, if `boards` is not 0, to that many boards in turn. Words hold {id, frame number, word
//   number}.
// s_axis: always ready; counts frames, words, and words that differ from the expected ones.
module kumi_stdm_probe_be (
    input  logic                   clk,
    input  logic                   rst,
    input  logic            [15:0] id,
    input  logic                   on,
    input  logic            [ 7:0] boards,
    input  logic            [11:0] length,
    input  logic            [11:0] dest,
           kumi_axis_if.src        m_axis,
           kumi_axis_if.snk        s_axis,
    output logic            [31:0] sent,
    output logic            [31:0] frames,
    output logic            [31:0] words,
    output logic            [15:0] errors
);
  logic [15:0] frame_q, want_q;
  logic [11:0] word_q;
  logic [7:0] board_q;
  logic first_q;

  assign m_axis.tvalid = on || word_q != '0;
  assign m_axis.tdata  = {id, frame_q, 20'd0, word_q};
  assign m_axis.tkeep  = '1;
  assign m_axis.tlast  = word_q == length - 1'b1;
  assign m_axis.tuser  = '0;
  assign m_axis.tid    = '0;
  assign m_axis.tdest  = boards != '0 ? 12'(board_q) : dest;
  assign s_axis.tready = 1'b1;

  always_ff @(posedge clk) begin
    if (m_axis.tvalid && m_axis.tready) begin
      word_q <= m_axis.tlast ? '0 : word_q + 1'b1;
      if (m_axis.tlast) begin
        frame_q <= frame_q + 1'b1;
        sent    <= sent + 1'b1;
        board_q <= board_q >= boards - 1'b1 ? '0 : board_q + 1'b1;
      end
    end
    if (s_axis.tvalid) begin
      words   <= words + 1'b1;
      first_q <= s_axis.tlast;
      if (s_axis.tlast) frames <= frames + 1'b1;
      want_q <= s_axis.tlast ? '0 : want_q + 1'b1;
      if (s_axis.tdata[15:0] != want_q || (s_axis.tlast && want_q != 16'(length) - 1'b1)
          || (first_q != (want_q == '0)) || s_axis.tdata[55:48] != s_axis.tid[7:0]) begin
        errors <= errors + 1'b1;
      end
    end
    if (rst) begin
      frame_q <= '0;
      word_q  <= '0;
      board_q <= id[7:0];
      sent    <= '0;
      frames  <= '0;
      words   <= '0;
      errors  <= '0;
      want_q  <= '0;
      first_q <= 1'b1;
    end
  end

  logic unused;
  assign unused = ^{s_axis.tdata, s_axis.tkeep, s_axis.tuser};
endmodule
