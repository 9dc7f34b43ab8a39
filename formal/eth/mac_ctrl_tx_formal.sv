// SPDX-License-Identifier: Apache-2.0
//
// Proof top of kumi_mac_ctrl_tx: every client beat goes out, in the cycle in which it is taken and
// unchanged; frames are never mixed; nothing on offer changes; a client's frame begins only without
// pause.
`include "kumi_assert.svh"
module mac_ctrl_tx_formal (
    input logic        clk,
    input logic        rst,
    input logic [63:0] s_tdata,
    input logic        s_tvalid,
    input logic        s_tlast,
    input logic        s_tuser,
    input logic        m_tready,
    input logic        pause,
    input logic [ 7:0] pfc_pause,
    input logic [ 2:0] s_class,
    input logic        xoff,
    input logic [ 7:0] pfc_xoff
);
  kumi_axis_if s ();
  kumi_axis_if m ();
  logic tx_pause, tx_pfc;

  assign s.tdata  = s_tdata;
  assign s.tkeep  = '1;
  assign s.tvalid = s_tvalid;
  assign s.tlast  = s_tlast;
  assign s.tuser  = s_tuser;
  assign s.tid    = '0;
  assign s.tdest  = '0;
  assign m.tready = m_tready;

  kumi_mac_ctrl_tx #(
      .QUANTUM_CYCLES(2)
  ) dut (
      .clk,
      .rst,
      .s_axis(s),
      .m_axis(m),
      .cfg_mac(48'h0200_0000_000A),
      .cfg_pause_en(1'b1),
      .cfg_pfc_en(8'hFF),
      .cfg_quanta(16'd6),
      .pause,
      .pfc_pause,
      .s_class,
      .xoff,
      .pfc_xoff,
      .tx_pause,
      .tx_pfc
  );

  logic started_q = 1'b0;
  always_ff @(posedge clk) started_q <= 1'b1;
  always_comb assume (started_q || rst);

  // The client keeps what it offers; the class belongs to the beat.
  logic s_wait_q, s_last_q, s_user_q;
  logic [63:0] s_data_q;
  logic [ 2:0] class_q;
  always_ff @(posedge clk) begin
    s_wait_q <= !rst && s.tvalid && !s.tready;
    s_data_q <= s.tdata;
    s_last_q <= s.tlast;
    s_user_q <= s.tuser;
    class_q  <= s_class;
  end
  always_comb begin
    assume (!s_wait_q || (s.tvalid && s.tdata == s_data_q && s.tlast == s_last_q
                          && s.tuser == s_user_q && s_class == class_q));
  end

  // Frames on both sides.
  logic in_s_q, in_m_q, ctrl_q, ctrl;
  logic take, give;
  logic [2:0] beat_q;
  assign take = s.tvalid && s.tready;
  assign give = m.tvalid && m.tready;
  assign ctrl = m.tvalid && !s.tready && dut.state_q == 2'd2;
  always_ff @(posedge clk) begin
    if (take) in_s_q <= !s.tlast;
    if (give) in_m_q <= !m.tlast;
    if (give) ctrl_q <= ctrl;
    if (give) beat_q <= m.tlast ? '0 : beat_q + 3'd1;
    if (rst) begin
      in_s_q <= 1'b0;
      in_m_q <= 1'b0;
      beat_q <= '0;
    end
  end

  `KUMI_ASSERT(a_pass,
               !take || (give && m.tdata == s.tdata && m.tlast == s.tlast && m.tuser == s.tuser))
  `KUMI_ASSERT(a_only, !give || take || ctrl)
  `KUMI_ASSERT(a_whole, !(give && in_m_q) || ctrl == ctrl_q)
  `KUMI_ASSERT(a_ctrl_length, !(give && ctrl) || m.tlast == (beat_q == 3'd7))
  `KUMI_ASSERT(i_in, in_s_q == (in_m_q && !ctrl_q))
  `KUMI_ASSERT(i_state, !in_m_q || dut.state_q == (ctrl_q ? 2'd2 : 2'd1))
  `KUMI_ASSERT(i_beat, dut.state_q != 2'd2 || dut.beat_q == (in_m_q ? beat_q : 3'd0))
  `KUMI_ASSERT(i_zero, in_m_q || beat_q == '0)
  `KUMI_ASSERT(i_legal, dut.state_q != 2'd3)

  logic m_wait_q, m_last_q;
  logic [63:0] m_data_q;
  logic held;
  always_ff @(posedge clk) begin
    m_wait_q <= !rst && m.tvalid && !m.tready;
    m_data_q <= m.tdata;
    m_last_q <= m.tlast;
  end
  `KUMI_ASSERT(i_offer, !m_wait_q || dut.state_q != 2'd0)
  `KUMI_ASSERT(i_client, !(m_wait_q && dut.state_q == 2'd1) || s_wait_q)
  `KUMI_ASSERT(a_stable, !m_wait_q || (m.tvalid && m.tdata == m_data_q && m.tlast == m_last_q))

  // On offer for the first time: neither paused then.
  assign held = pause || pfc_pause[s_class];
  `KUMI_ASSERT(a_held, !(m.tvalid && !ctrl && !in_m_q && !m_wait_q && dut.state_q == 2'd0) || !held)

  `KUMI_COVER(c_ctrl, give && ctrl && m.tlast && s.tvalid)
  `KUMI_COVER(c_client, take && s.tlast && in_s_q && pause)

  logic unused;
  assign unused = tx_pause ^ tx_pfc;
endmodule
