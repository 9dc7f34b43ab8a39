// SPDX-License-Identifier: Apache-2.0
//
// Transmit queues and the control queue: segments of their chains to frames on the wire and to
// commands.
//
// s_*, m_used, useless_*: see kumi_nic_queues; queue PAIRS of the set is the control queue.
// features: as accepted. set_mac, live .. table_queue: see kumi_nic_control.
// ar_*, r_*: reads of packets; aw_*, w_*, b_*: answers of commands.
// m_eth: frames without FCS.
// Events: 0 frame accepted for the wire, 1 dropped before it, 2 command answered.
module kumi_nic_tx_side
  import kumi_nic_pkg::*;
#(
    parameter  int DATA_W  = 512,               // bits of the memory port and of the stream: 512
    parameter  int PAIRS   = 1,                 // pairs of queues, 1..64
    parameter  int CLK_MHZ = 250,               // of clk
    localparam int LOOK_W  = $clog2(PAIRS + 1)
) (
    input logic clk,
    input logic rst,
    input logic [63:0] features,
    input logic reset_device,
    input logic [47:0] set_mac,

    // chains
    input logic s_valid,
    output logic s_ready,
    input nic_seg_t s_seg,
    input logic s_fault,
    output logic m_used_valid,
    input logic m_used_ready,
    output nic_used_t m_used,
    output logic useless_valid,
    output logic useless_drop,
    output logic [LOOK_W-1:0] useless_queue,

    // memory
    output logic ar_valid,
    input logic ar_ready,
    output logic [63:0] ar_addr,
    output logic [7:0] ar_len,
    input logic r_valid,
    input logic [DATA_W-1:0] r_data,
    input logic [1:0] r_resp,
    output logic aw_valid,
    input logic aw_ready,
    output logic [63:0] aw_addr,
    output logic [7:0] aw_len,
    output logic w_valid,
    input logic w_ready,
    output logic [DATA_W-1:0] w_data,
    output logic [DATA_W/8-1:0] w_strb,
    output logic w_last,
    input logic b_valid,
    input logic [1:0] b_resp,

    kumi_axis_if.src m_eth,

    // what commands set
    output logic [47:0] mac,
    output nic_guest_t guest,
    input nic_look_t look,
    output logic take,
    input logic [1:0][PAIRS-1:0] live,
    output nic_coal_t [1:0] coal,
    output nic_spread_t spread,
    input logic [6:0] table_index,
    output logic [LOOK_W-1:0] table_queue,
    output logic [2:0] ev,
    output logic busy
);
  // ---- transmit ------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) chains ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) parted[2] ();
  logic ack_valid, ack_ready, tx_used_valid, tx_used_ready, command_valid, command_ready;
  nic_ack_t ack;
  nic_used_t tx_used, command_used;
  logic [7:0] break_queue;
  logic break_valid, command_failed, failed_wait_q;
  logic [1:0] ev_path;
  logic ev_nowhere, path_busy, tx_busy, control_busy;

  kumi_nic_tx #(
      .DATA_W(DATA_W),
      .CTRL  (PAIRS)
  ) u_tx (
      .clk,
      .rst,
      .s_valid,
      .s_ready,
      .s_seg,
      .s_fault,
      .ar_valid,
      .ar_ready,
      .ar_addr,
      .ar_len,
      .r_valid,
      .r_data,
      .r_resp,
      .m_axis(chains),
      .m_used_valid(tx_used_valid),
      .m_used_ready(tx_used_ready),
      .m_used(tx_used),
      .m_ack_valid(ack_valid),
      .m_ack_ready(ack_ready),
      .m_ack(ack),
      .break_valid,
      .break_queue,
      .drop(useless_drop),
      .busy(tx_busy)
  );
  // The control queue breaks also when memory does not take an answer.
  always_ff @(posedge clk)
    failed_wait_q <= !rst && (command_failed || failed_wait_q) && break_valid;
  assign useless_valid = break_valid || command_failed || failed_wait_q;
  assign useless_queue = break_valid ? break_queue[LOOK_W-1:0] : LOOK_W'(PAIRS);

  kumi_axis_demux #(
      .N(2)
  ) u_part (
      .clk,
      .rst,
      .select (chains.tdest == 8'(PAIRS)),
      .s_axis (chains),
      .m_axis (parted),
      .ev_drop(ev_nowhere)
  );

  kumi_nic_tx_path #(
      .DATA_W(DATA_W)
  ) u_tx_path (
      .clk,
      .rst,
      .long_header(features[F_HASH_REPORT]),
      .csum(features[F_CSUM]),
      .tso4(features[F_HOST_TSO4]),
      .tso6(features[F_HOST_TSO6]),
      .s_axis(parted[0]),
      .m_axis(m_eth),
      .ev(ev_path),
      .busy(path_busy)
  );

  // ---- commands ------------------------------------------------------------------------------
  logic poke_valid, poke_ready;
  logic [63:0] poke_addr;
  logic [DATA_W-1:0] poke_data;
  logic [DATA_W/8-1:0] poke_strb;
  logic [1:0] poke_resp;

  kumi_nic_control #(
      .DATA_W (DATA_W),
      .PAIRS  (PAIRS),
      .CLK_MHZ(CLK_MHZ)
  ) u_control (
      .clk,
      .rst,
      .reset_device,
      .set_mac,
      .vlans(features[F_CTRL_VLAN]),
      .reports(features[F_HASH_REPORT]),
      .coal_queues(features[F_VQ_NOTF_COAL]),
      .switches(features[F_CTRL_GUEST_OFFLOADS]),
      .offered(
      '{csum: features[F_GUEST_CSUM], tso4: features[F_GUEST_TSO4], tso6: features[F_GUEST_TSO6]}
      ),
      .live,
      .s_axis(parted[1]),
      .s_ack_valid(ack_valid),
      .s_ack_ready(ack_ready),
      .s_ack(ack),
      .poke_valid,
      .poke_ready,
      .poke_addr,
      .poke_data,
      .poke_strb,
      .poke_resp,
      .failed(command_failed),
      .m_used_valid(command_valid),
      .m_used_ready(command_ready),
      .m_used(command_used),
      .mac,
      .guest,
      .look,
      .take,
      .coal,
      .spread,
      .table_index,
      .table_queue,
      .busy(control_busy)
  );

  kumi_nic_poke #(
      .DATA_W(DATA_W)
  ) u_answer (
      .clk,
      .rst,
      .s_valid(poke_valid),
      .s_ready(poke_ready),
      .s_addr (poke_addr),
      .s_data (poke_data),
      .s_strb (poke_strb),
      .s_resp (poke_resp),
      .aw_valid,
      .aw_ready,
      .aw_addr,
      .aw_len,
      .w_valid,
      .w_ready,
      .w_data,
      .w_strb,
      .w_last,
      .b_valid,
      .b_resp
  );

  assign m_used_valid = command_valid || tx_used_valid;
  assign m_used = command_valid ? command_used : tx_used;
  assign command_ready = m_used_ready;
  assign tx_used_ready = m_used_ready && !command_valid;
  assign ev = {command_valid && command_ready, ev_path};
  assign busy = tx_busy || control_busy || path_busy;

  logic unused;
  assign unused = ^{features, break_queue, ev_nowhere};
endmodule
