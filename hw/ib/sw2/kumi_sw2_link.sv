// SPDX-License-Identifier: Apache-2.0
//
// One end of an SW2 link: four virtual channels of packets over a line of 10 bits at both edges,
// 2.5 Gb/s at 125 MHz, with single-bit errors corrected and nothing lost for lack of space.
//
// s_axis[v]: packets of channel v, 64 bits a beat, all bytes of every beat; head and address first
//   (kumi_sw2_pkg), as many beats as the head says. m_axis[v]: packets received, whole.
// m_data, m_frame, s_data, s_frame: the line (kumi_sw2_phy_tx); s_* are in this clock.
// CABLE: longest delay of the line one way for which no packet is ever lost. Longer ones work until
//   a receiver is full, then ev.overrun counts.
// Latency, last beat of a packet taken to its first beat out, without a cable: 12 cycles.
//   Throughput: a beat in 4 cycles, all channels together.
module kumi_sw2_link
  import kumi_sw2_pkg::*;
#(
    parameter int BEATS = 128,  // of receive buffer per channel, a power of two
    parameter int CABLE = 32    // cycles
) (
    input  logic                         clk,
    input  logic                         rst,
           kumi_axis_if.snk              s_axis [VCS],
           kumi_axis_if.src              m_axis [VCS],
    output logic            [WORD_W-1:0] m_data,
    output logic                         m_frame,
    input  logic            [WORD_W-1:0] s_data,
    input  logic                         s_frame,
    output link_events_t                 ev
);
  localparam int SLACK = 2 + (24 + 2 * CABLE + 3) / 4;
  localparam int HIGH = BEATS - SLACK;

  // A channel that is stopped must hold a whole packet, or it would wait for ever.
  if (HIGH <= MAX_BEATS) begin : gen_check_beats
    $fatal(0, "BEATS must hold the slack of CABLE and a packet (%m)");
  end

  logic slot, rx_valid, rx_good;
  logic [VCS-1:0] go, stop;
  logic [VCS-1:0][$clog2(BEATS):0] depth;
  flit_t tx_flit, rx_flit;

  kumi_sw2_flow #(
      .BEATS(BEATS),
      .HIGH (HIGH)
  ) u_flow (
      .clk,
      .rst,
      .depth,
      .stop,
      .flit_valid(rx_valid),
      .flit_good (rx_good),
      .flit_stop (rx_flit.stop),
      .go
  );

  // ---- transmit --------------------------------------------------------------------------------
  kumi_sw2_link_tx u_tx (
      .clk,
      .rst,
      .s_axis,
      .go,
      .stop,
      .slot,
      .info(tx_flit)
  );
  kumi_sw2_phy_tx u_phy_tx (
      .clk,
      .rst,
      .slot,
      .info(tx_flit),
      .m_data,
      .m_frame
  );

  // ---- receive ---------------------------------------------------------------------------------
  kumi_sw2_phy_rx u_phy_rx (
      .clk,
      .rst,
      .s_data,
      .s_frame,
      .out_valid(rx_valid),
      .out_good(rx_good),
      .out(rx_flit),
      .ev_corrected(ev.corrected),
      .ev_uncorrectable(ev.uncorrectable),
      .ev_framing(ev.framing)
  );
  kumi_sw2_link_rx #(
      .BEATS(BEATS)
  ) u_rx (
      .clk,
      .rst,
      .in_valid(rx_valid && rx_good),
      .in(rx_flit),
      .m_axis,
      .depth,
      .ev_bad(ev.bad_packet),
      .ev_stray(ev.stray),
      .ev_overrun(ev.overrun)
  );
endmodule
