// SPDX-License-Identifier: Apache-2.0
//
// Transmit side of MAC control: holds the client while the link partner requests silence, and
// inserts PAUSE and PFC frames between the client's frames (IEEE 802.3 annexes 31B and 31D).
//
// s_axis: client; m_axis: to the MAC; frames without FCS. A frame that has been offered is
//   finished; the next one is held while pause, or pfc_pause of s_class, is high. Control frames
//   are sent despite a pause, at the next frame boundary.
// s_class: priority class of the frame whose first beat is at s_axis.
// xoff, pfc_xoff: levels, high while the client's receive buffer is above its watermark. A rising
//   edge sends a pause of cfg_quanta, refreshed every half of that time while the level stays; a
//   falling edge sends a pause of zero. A PFC frame reports all enabled classes.
// Latency: none for the client's frames.
module kumi_mac_ctrl_tx
  import kumi_mac_ctrl_pkg::*;
#(
    parameter int QUANTUM_CYCLES = 8  // cycles of clk in 512 bit times of the line
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,

    input logic [47:0] cfg_mac,       // own address, first byte on the wire in [47:40]
    input logic        cfg_pause_en,  // send PAUSE on request
    input logic [ 7:0] cfg_pfc_en,    // send PFC on request for these classes
    input logic [15:0] cfg_quanta,    // pause time to request, units of 512 bit times

    input logic       pause,
    input logic [7:0] pfc_pause,
    input logic [2:0] s_class,
    input logic       xoff,
    input logic [7:0] pfc_xoff,

    output logic tx_pause,  // one-cycle pulses, see mac_ctrl_events_t
    output logic tx_pfc
);

  if (s_axis.DATA_W != 64 || m_axis.DATA_W != 64) begin : gen_check_width
    $fatal(0, "both streams must be 64 bits wide (%m)");
  end

  // ---- Last pause state sent to the partner, and its refresh ------------------------------------
  logic told_q;
  logic [7:0] told_pfc_q, want_pfc;
  logic want, due_pause, due_pfc, start_pause, start_pfc;
  logic [ 1:0] again;  // refresh timers: PFC, PAUSE
  logic [15:0] half;

  assign want = xoff && cfg_pause_en;
  assign want_pfc = pfc_xoff & cfg_pfc_en;
  assign half = {1'b0, cfg_quanta[15:1]};
  assign due_pause = (want != told_q) || (told_q && !again[0]);
  assign due_pfc = (want_pfc != told_pfc_q) || ((told_pfc_q != '0) && !again[1]);

  kumi_mac_ctrl_timer #(
      .N(2),
      .QUANTUM_CYCLES(QUANTUM_CYCLES)
  ) refresh (
      .clk,
      .rst,
      .load  ({start_pfc, start_pause}),
      .quanta({half, half}),
      .active(again)
  );

  // ---- Arbitration, while no frame is offered ---------------------------------------------------
  typedef enum logic [1:0] {
    ST_FREE,  // between frames
    ST_CLIENT,  // a client's frame is offered or in progress
    ST_CTRL  // a control frame is in progress
  } mac_ctrl_tx_state_e;

  mac_ctrl_tx_state_e state_q, state_d;
  logic held, pass, last;
  logic [2:0] beat_q;
  logic pfc_q;  // the control frame is PFC
  logic [63:0] word;
  logic [7:0][15:0] times_q;
  logic [15:0] time_q;

  assign held = pause || pfc_pause[s_class];
  assign start_pause = (state_q == ST_FREE) && due_pause;
  assign start_pfc = (state_q == ST_FREE) && due_pfc && !due_pause;
  assign pass = (state_q == ST_CLIENT) || (state_q == ST_FREE && !held && !due_pause && !due_pfc);
  assign last = m_axis.tvalid && m_axis.tready && m_axis.tlast;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      ST_FREE:
      if (start_pause || start_pfc) state_d = ST_CTRL;
      else if (m_axis.tvalid && !last) state_d = ST_CLIENT;
      default: if (last) state_d = ST_FREE;
    endcase
  end

  always_ff @(posedge clk) begin
    state_q <= state_d;
    if (state_q != ST_CTRL) beat_q <= '0;
    else if (m_axis.tready) beat_q <= beat_q + 3'd1;
    if (start_pause) begin
      pfc_q  <= 1'b0;
      told_q <= want;
      time_q <= want ? cfg_quanta : '0;
    end
    if (start_pfc) begin
      pfc_q      <= 1'b1;
      told_pfc_q <= want_pfc;
      for (int i = 0; i < 8; i++) times_q[i] <= want_pfc[i] ? cfg_quanta : '0;
    end
    tx_pause <= start_pause;
    tx_pfc   <= start_pfc;
    if (rst) begin
      state_q    <= ST_FREE;
      told_q     <= 1'b0;
      told_pfc_q <= '0;
      tx_pause   <= 1'b0;
      tx_pfc     <= 1'b0;
    end
  end

  // ---- The frame --------------------------------------------------------------------------------
  function automatic logic [15:0] swap(input logic [15:0] x);
    return {x[7:0], x[15:8]};
  endfunction

  function automatic logic [47:0] wire_order(input logic [47:0] x);
    logic [47:0] y;
    for (int i = 0; i < 6; i++) y[8*i+:8] = x[8*(5-i)+:8];
    return y;
  endfunction

  always_comb begin
    logic [47:0] sa;
    sa = wire_order(cfg_mac);
    unique case (beat_q)
      3'd0: word = {sa[15:0], wire_order(CTRL_MULTICAST)};
      3'd1: word = {swap(pfc_q ? CTRL_OP_PFC : CTRL_OP_PAUSE), swap(CTRL_ETHERTYPE), sa[47:16]};
      3'd2:
      word = pfc_q ? {swap(times_q[2]), swap(times_q[1]), swap(times_q[0]), cfg_pfc_en, 8'h00} :
          {48'h0, swap(time_q)};
      3'd3:
      word = pfc_q ? {swap(times_q[6]), swap(times_q[5]), swap(times_q[4]), swap(times_q[3])} : '0;
      3'd4: word = pfc_q ? {48'h0, swap(times_q[7])} : '0;
      default: word = '0;
    endcase
  end

  always_comb begin
    s_axis.tready = pass && m_axis.tready;
    m_axis.tvalid = pass && s_axis.tvalid;
    m_axis.tdata  = s_axis.tdata;
    m_axis.tkeep  = s_axis.tkeep;
    m_axis.tlast  = s_axis.tlast;
    m_axis.tuser  = s_axis.tuser;
    m_axis.tid    = s_axis.tid;
    m_axis.tdest  = s_axis.tdest;
    if (state_q == ST_CTRL) begin
      m_axis.tvalid = 1'b1;
      m_axis.tdata  = word;
      m_axis.tkeep  = (beat_q == 3'd7) ? 8'h0F : 8'hFF;
      m_axis.tlast  = beat_q == 3'd7;
      m_axis.tuser  = '0;
      m_axis.tid    = '0;
      m_axis.tdest  = '0;
    end
  end

endmodule
