// SPDX-License-Identifier: Apache-2.0
//
// Receive side of MAC control: removes PAUSE and PFC frames from the stream and runs the pause
// timers (IEEE 802.3 annexes 31B and 31D).
//
// s_axis, m_axis: frames without FCS. Frames of EtherType 8808 never reach m_axis, whatever their
//   destination, opcode or state. The first beat is held until the second, which has the EtherType.
// pause, pfc_pause: high while the link partner requests silence; the current frame is finished.
// Latency: one cycle; one beat per cycle.
// Bad input: a control frame that is marked bad or shorter than 60 bytes is ignored (rx_bad). One
//   with an unknown opcode, another destination than the multicast address or cfg_mac, or not
//   enabled, is dropped (rx_other).
module kumi_mac_ctrl_rx
  import kumi_mac_ctrl_pkg::*;
#(
    parameter int QUANTUM_CYCLES = 8  // cycles of clk in 512 bit times of the line
) (
    input logic clk,
    input logic rst,

    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,

    input logic [47:0] cfg_mac,       // own address, first byte on the wire in [47:40]
    input logic        cfg_pause_en,  // obey PAUSE
    input logic [ 7:0] cfg_pfc_en,    // obey PFC for these classes

    output logic       pause,
    output logic [7:0] pfc_pause,

    output logic rx_pause,  // one-cycle pulses, see mac_ctrl_events_t
    output logic rx_pfc,
    output logic rx_other,
    output logic rx_bad
);

  if (s_axis.DATA_W != 64 || m_axis.DATA_W != 64) begin : gen_check_width
    $fatal(0, "both streams must be 64 bits wide (%m)");
  end

  // ---- Filter: one register, whose first beat waits for the EtherType ---------------------------
  logic a_valid_q, a_first_q;
  logic drop_q;  // the frame whose beat is in the register is a control frame
  logic is_ctrl, show, go, take;
  logic [2:0] beat_q;  // number of the next beat at s_axis, saturates at 7

  assign is_ctrl = {s_axis.tdata[39:32], s_axis.tdata[47:40]} == CTRL_ETHERTYPE;
  assign show = a_valid_q && !drop_q && (!a_first_q || m_axis.tlast || (s_axis.tvalid && !is_ctrl));
  assign go = a_valid_q
      && (drop_q || (show && m_axis.tready)
          || (a_first_q && s_axis.tvalid && is_ctrl && !m_axis.tlast));
  assign take = s_axis.tvalid && s_axis.tready;
  assign s_axis.tready = !a_valid_q || go;
  assign m_axis.tvalid = show;

  always_ff @(posedge clk) begin
    if (take) begin
      m_axis.tdata <= s_axis.tdata;
      m_axis.tkeep <= s_axis.tkeep;
      m_axis.tlast <= s_axis.tlast;
      m_axis.tuser <= s_axis.tuser;
      m_axis.tid   <= s_axis.tid;
      m_axis.tdest <= s_axis.tdest;
      a_first_q    <= beat_q == 3'd0;
      if (beat_q == 3'd0) drop_q <= 1'b0;
      else if (beat_q == 3'd1) drop_q <= is_ctrl;
      if (s_axis.tlast) beat_q <= '0;
      else if (beat_q != 3'd7) beat_q <= beat_q + 3'd1;
    end
    if (take) a_valid_q <= 1'b1;
    else if (go) a_valid_q <= 1'b0;
    if (rst) begin
      a_valid_q <= 1'b0;
      beat_q    <= '0;
    end
  end

  // ---- Fields -----------------------------------------------------------------------------------
  logic to_us_q, ctrl_q, pause_op_q, pfc_op_q;
  logic [47:0] da;
  logic [7:0] class_q;
  logic [7:0][15:0] time_q;
  logic [15:0] quanta_q;
  logic [3:0][15:0] words;  // 16-bit fields of this beat
  logic done, good;

  always_comb begin
    for (int i = 0; i < 6; i++) da[8*(5-i)+:8] = s_axis.tdata[8*i+:8];
    for (int i = 0; i < 4; i++) words[i] = {s_axis.tdata[16*i+:8], s_axis.tdata[16*i+8+:8]};
  end

  always_ff @(posedge clk) begin
    if (take) begin
      unique case (beat_q)
        3'd0:    to_us_q <= (da == CTRL_MULTICAST) || (da == cfg_mac);
        3'd1: begin
          ctrl_q     <= is_ctrl && !s_axis.tlast;
          pause_op_q <= words[3] == CTRL_OP_PAUSE;
          pfc_op_q   <= words[3] == CTRL_OP_PFC;
        end
        3'd2: begin
          quanta_q <= words[0];
          class_q <= words[0][7:0];
          {time_q[2], time_q[1], time_q[0]} <= words[3:1];
        end
        3'd3:    {time_q[6], time_q[5], time_q[4], time_q[3]} <= words;
        3'd4:    time_q[7] <= words[0];
        default: ;
      endcase
    end
  end

  assign done = take && s_axis.tlast && ((beat_q > 3'd1 && ctrl_q) || (beat_q == 3'd1 && is_ctrl));
  assign good = beat_q == 3'd7 && !s_axis.tuser[0] && s_axis.tkeep[3];

  logic obey_pause, obey_pfc;
  assign obey_pause = done && good && to_us_q && pause_op_q && cfg_pause_en;
  assign obey_pfc   = done && good && to_us_q && pfc_op_q && (cfg_pfc_en != '0);

  always_ff @(posedge clk) begin
    rx_pause <= obey_pause;
    rx_pfc   <= obey_pfc;
    rx_other <= done && good && !obey_pause && !obey_pfc;
    rx_bad   <= done && !good;
    if (rst) begin
      rx_pause <= 1'b0;
      rx_pfc   <= 1'b0;
      rx_other <= 1'b0;
      rx_bad   <= 1'b0;
    end
  end

  // ---- Timers -----------------------------------------------------------------------------------
  kumi_mac_ctrl_timer #(
      .N(9),
      .QUANTUM_CYCLES(QUANTUM_CYCLES)
  ) timer (
      .clk,
      .rst,
      .load  ({{8{obey_pfc}} & class_q & cfg_pfc_en, obey_pause}),
      .quanta({time_q, quanta_q}),
      .active({pfc_pause, pause})
  );

endmodule
