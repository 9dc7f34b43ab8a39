// SPDX-License-Identifier: Apache-2.0
//
// A serial link whose ends are channels of kernels: a word written here is read once and in order
// by the kernel at the other board, whatever the line does (kumi_serial_link with link-level
// retry).
//
// s_word, m_word: channels, 64 bits a lane. s_word stalls while the line is down, or while the
//   other kernel does not read. Lanes: see kumi_link_lanes. s_axil: the link's registers
//   (regs/lanes.rdl); command.retrain has no effect here, link-level retry retrains the line by
//   itself.
// state: {restarted, open}. After a restart of the other board words are missing, so both channels
//   stay closed until this one is reset as well (restarted).
// Latency: see docs/blocks/link.md, and kumi_hls_frame_tx. One word per cycle less what the link
//   needs. A partner without link-level retry is not accepted: the link stays closed.
module kumi_node_hls_link
  import kumi_link_pkg::*;
#(
    parameter int LANES = 1  // 1, 2, 4
) (
    input logic clk,
    input logic rst,

    output logic [LANES-1:0][63:0] m_lane_data,
    output logic [LANES-1:0][ 1:0] m_lane_head,
    input  logic [LANES-1:0][63:0] s_lane_data,
    input  logic [LANES-1:0][ 1:0] s_lane_head,
    output logic [LANES-1:0]       s_lane_slip,

    kumi_axil_if.slv s_axil,
    kumi_rec_if.snk s_word,
    kumi_rec_if.src m_word,
    output logic [1:0] state
);
  localparam int W = 64 * LANES;

  if (s_word.W != W || m_word.W != W) begin : gen_check_w
    $fatal(0, "s_word and m_word have 64 bits a lane (%m)");
  end

  kumi_rec_if #(.W(W)) word ();
  kumi_axis_if #(.DATA_W(W)) tx ();
  kumi_axis_if #(.DATA_W(W)) rx ();
  serial_cfg_t cfg;
  serial_status_t status;
  serial_events_t ev;
  lanes_cfg_t lanes_cfg;
  logic retrain, restarted_q;
  logic [15:0] cycle_q;  // the nonce: when this board was ready, of the time since its reset

  // ---- out -----------------------------------------------------------------------------------
  assign word.data = s_word.data;
  assign word.valid = s_word.valid && !restarted_q;
  assign s_word.ready = word.ready && !restarted_q;

  kumi_hls_frame_tx u_frame_tx (
      .clk,
      .rst,
      .s_word(word),
      .m_axis(tx)
  );

  // ---- link ----------------------------------------------------------------------------------
  assign cfg.lanes = lanes_cfg;
  assign cfg.retry = '{enable: 1'b1, plain_ok: 1'b0, nonce: cycle_q};

  kumi_serial_link #(
      .LANES(LANES)
  ) u_link (
      .clk,
      .rst,
      .m_lane_data,
      .m_lane_head,
      .s_lane_data,
      .s_lane_head,
      .s_lane_slip,
      .s_axis(tx),
      .m_axis(rx),
      .cfg,
      .status,
      .ev
  );

  kumi_lanes_ctl #(
      .LANES(LANES)
  ) u_lanes_ctl (
      .clk,
      .rst,
      .s_axil,
      .cfg(lanes_cfg),
      .retrain,
      .status(status.lanes),
      .ev(ev.lanes)
  );

  always_ff @(posedge clk) begin
    cycle_q <= cycle_q + 1'b1;
    if (ev.retry.restart) restarted_q <= 1'b1;
    if (rst) begin
      cycle_q <= '0;
      restarted_q <= 1'b0;
    end
  end

  // ---- in ------------------------------------------------------------------------------------
  assign m_word.data  = rx.tdata;
  assign m_word.valid = rx.tvalid && !restarted_q;
  assign rx.tready    = m_word.ready && !restarted_q;

  assign state = {restarted_q, status.retry.open};

  logic unused;
  assign unused = ^{retrain, rx.tkeep, rx.tlast, rx.tuser, ev.frame, ev.retry, status};
endmodule
