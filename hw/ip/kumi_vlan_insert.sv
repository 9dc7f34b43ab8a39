// SPDX-License-Identifier: Apache-2.0
//
// Inserts an 802.1Q tag (IEEE 802.1Q-2018, 9.6) into frames that request one.
//
// s_*: frames, at least 16 bytes; s_tagged, s_tci and s_side are stable over a frame.
// m_*: frames out, with m_side of their frame. Combinational after a register slice, so s_ready
//   waits for nobody.
// Latency 1 cycle, one beat per cycle; a tag that makes the frame one beat longer costs that beat.
module kumi_vlan_insert #(
    parameter int DATA_W = 64,  // bits of a beat
    parameter int SIDE_W = 1    // side-band bits of a frame
) (
    input  logic                clk,
    input  logic                rst,
    input  logic [  DATA_W-1:0] s_data,
    input  logic [DATA_W/8-1:0] s_keep,
    input  logic                s_valid,
    output logic                s_ready,
    input  logic                s_last,
    input  logic                s_bad,
    input  logic                s_tagged,
    input  logic [        15:0] s_tci,
    input  logic [  SIDE_W-1:0] s_side,
    output logic [  DATA_W-1:0] m_data,
    output logic [DATA_W/8-1:0] m_keep,
    output logic                m_valid,
    input  logic                m_ready,
    output logic                m_last,
    output logic                m_bad,
    output logic [  SIDE_W-1:0] m_side
);
  localparam int B = DATA_W / 8;
  localparam int TAG_BEAT = 12 / B;
  localparam int TAG_LANE = 12 % B;

  logic [B-1:0][7:0] data_q, out;
  logic [B-1:0] keep_q;
  logic [3:0][7:0] rest_q;  // the four bytes moved to the next beat
  logic [3:0] rest_keep_q;
  logic valid_q, last_q, bad_q, tagged_q, flush_q, more;
  logic [15:0] tci_q;
  logic [ 1:0] index_q;  // 0, 1, then 2
  logic ahead, at;

  kumi_slice #(
      .W(DATA_W + B + 3 + 16 + SIDE_W),
      .MODE(2)
  ) u_slice (
      .clk,
      .rst,
      .s_data ({s_data, s_keep, s_last, s_bad, s_tagged, s_tci, s_side}),
      .s_valid,
      .s_ready,
      .m_data ({data_q, keep_q, last_q, bad_q, tagged_q, tci_q, m_side}),
      .m_valid(valid_q),
      .m_ready(m_ready && !more)
  );

  assign ahead = TAG_BEAT == 1 && index_q == '0;
  assign at = index_q == 2'(TAG_BEAT);

  always_comb begin
    out    = data_q;
    m_keep = keep_q;
    if (tagged_q && !ahead) begin
      for (int j = 0; j < B; j++) begin
        if (!(at && j < TAG_LANE)) begin
          out[j]    = j < 4 ? rest_q[j%4] : data_q[(j+B-4)%B];
          m_keep[j] = j < 4 || (at && j < TAG_LANE + 4) ? 1'b1 : keep_q[(j+B-4)%B];
        end
        if (at && j == TAG_LANE) out[j] = 8'h81;
        if (at && j == TAG_LANE + 1) out[j] = 8'h00;
        if (at && j == TAG_LANE + 2) out[j] = tci_q[15:8];
        if (at && j == TAG_LANE + 3) out[j] = tci_q[7:0];
      end
      if (flush_q) m_keep = B'(rest_keep_q);
    end
  end

  // The last beat overflows because of the tag.
  assign more    = tagged_q && !ahead && last_q && keep_q[B-4] && !flush_q;

  assign m_data  = out;
  assign m_valid = valid_q;
  assign m_last  = last_q && !more;
  assign m_bad   = bad_q;

  always_ff @(posedge clk) begin
    if (valid_q && m_ready) begin
      for (int j = 0; j < 4; j++) begin
        rest_q[j]      <= data_q[B-4+j];
        rest_keep_q[j] <= keep_q[B-4+j];
      end
      flush_q <= more;
      if (m_last) index_q <= '0;
      else if (!index_q[1]) index_q <= index_q + 1'b1;
    end
    if (rst) begin
      flush_q <= 1'b0;
      index_q <= '0;
    end
  end
endmodule
