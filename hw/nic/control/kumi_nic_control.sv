// SPDX-License-Identifier: Apache-2.0
//
// The control queue (virtio 1.2, 5.1.6.5): commands, their answers, and the state that they set.
//
// s_axis: what each command holds, class in byte 0, command in byte 1, data behind; one frame each.
// s_ack: where its answer goes, in the same order; not writable: the command was broken off, and
//   there is none. poke_*: the answer's write, see kumi_nic_poke.
// failed: a pulse: memory did not take an answer.
// m_used: the command's chain, when its answer is in memory.
// set_mac: the reset value of `mac`, taken while reset_device is high.
// State: promiscuous and allmulti (RX mode), mac, others (a table of unicast addresses was set:
//   what is not ours is for the driver to filter), pairs (of queues in use).
// Bad input: a command that is unknown, too short, or asks for more pairs than there are, is
//   answered with 1 (ERR) and changes nothing; so is one whose packet is bad.
module kumi_nic_control
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the stream and of the memory port, at least 256
    parameter int PAIRS  = 1     // pairs of queues
) (
    input logic clk,
    input logic rst,
    input logic reset_device,
    input logic [47:0] set_mac,

    kumi_axis_if.snk s_axis,
    input logic s_ack_valid,
    output logic s_ack_ready,
    input nic_seg_t s_ack,
    output logic poke_valid,
    input logic poke_ready,
    output logic [63:0] poke_addr,
    output logic [DATA_W-1:0] poke_data,
    output logic [DATA_W/8-1:0] poke_strb,
    input logic [1:0] poke_resp,
    output logic failed,
    output logic m_used_valid,
    input logic m_used_ready,
    output nic_used_t m_used,

    output logic promiscuous,
    output logic allmulti,
    output logic others,
    output logic [47:0] mac,
    output logic [7:0] pairs,
    output logic busy
);
  localparam int LANE_W = $clog2(DATA_W / 8);
  localparam logic [7:0] OK = 8'd0;
  localparam logic [7:0] ERR = 8'd1;

  typedef enum logic [1:0] {
    S_COMMAND,
    S_REST,
    S_ACK,
    S_USED
  } state_e;
  state_e state_q;

  // ---- the command ---------------------------------------------------------------------------
  logic [7:0] class_q, command_q, answer_q;
  logic [63:0] data_q;  // byte 2 of the command in bits 7:0
  logic [LANE_W:0] count, bytes_q;  // of the first beat
  logic more_q, whole, broken_off;
  logic [47:0] wire_mac;
  logic [15:0] wanted;

  kumi_keep_to_count #(
      .KEEP_W(DATA_W / 8)
  ) u_count (
      .keep (s_axis.tkeep),
      .count(count)
  );

  function automatic logic [47:0] swapped(input logic [47:0] a);
    return {a[7:0], a[15:8], a[23:16], a[31:24], a[39:32], a[47:40]};
  endfunction
  assign wire_mac = swapped(data_q[47:0]);
  assign wanted = data_q[15:0];
  assign whole = !more_q;

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_COMMAND:
      if (s_axis.tvalid) begin
        class_q <= s_axis.tdata[7:0];
        command_q <= s_axis.tdata[15:8];
        data_q <= s_axis.tdata[79:16];
        bytes_q <= count;
        more_q <= !s_axis.tlast;
        answer_q <= s_axis.tlast && s_axis.tuser[0] ? ERR : OK;
        state_q <= s_axis.tlast ? S_ACK : S_REST;
      end
      S_REST:
      if (s_axis.tvalid && s_axis.tlast) begin
        if (s_axis.tuser[0]) answer_q <= ERR;
        state_q <= S_ACK;
      end
      S_ACK:   if (broken_off) state_q <= S_COMMAND;
 else if (poke_ready) state_q <= S_USED;
      default: if (m_used_ready) state_q <= S_COMMAND;
    endcase
    if (rst) state_q <= S_COMMAND;
  end
  assign s_axis.tready = state_q == S_COMMAND || state_q == S_REST;

  // ---- what it asks for ----------------------------------------------------------------------
  logic known, set;
  always_comb begin
    unique case ({
      class_q, command_q
    })
      16'h0000, 16'h0001: known = whole && bytes_q == 3;
      16'h0100: known = bytes_q >= 10 || more_q;
      16'h0101: known = whole && bytes_q == 8;
      16'h0300: known = 1'b1;
      16'h0400: known = whole && bytes_q == 4 && wanted != '0 && wanted <= 16'(PAIRS);
      default: known = 1'b0;
    endcase
  end
  assign set = state_q == S_ACK && poke_ready && known && answer_q == OK;

  always_ff @(posedge clk) begin
    if (set) begin
      unique case ({
        class_q, command_q
      })
        16'h0000: promiscuous <= data_q[0];
        16'h0001: allmulti <= data_q[0];
        16'h0100: others <= data_q[31:0] != '0;
        16'h0101: mac <= wire_mac;
        16'h0400: pairs <= wanted[7:0];
        default:  ;
      endcase
    end
    if (rst || reset_device) begin
      promiscuous <= 1'b0;
      allmulti <= 1'b0;
      others <= 1'b0;
      mac <= set_mac;
      pairs <= 8'd1;
    end
  end

  // ---- the answer ----------------------------------------------------------------------------
  assign broken_off = state_q == S_ACK && s_ack_valid && !s_ack.write;
  assign poke_valid = state_q == S_ACK && s_ack_valid && s_ack.write;
  always_ff @(posedge clk) failed <= !rst && poke_valid && poke_ready && poke_resp[1];
  assign poke_addr = s_ack.addr;
  assign poke_data = DATA_W'(known && answer_q == OK ? OK : ERR) << {s_ack.addr[LANE_W-1:0], 3'd0};
  assign poke_strb = (DATA_W / 8)'(1) << s_ack.addr[LANE_W-1:0];
  assign m_used_valid = state_q == S_USED;
  assign m_used = '{vq: s_ack.vq, head: s_ack.head, length: 32'd1, more: 1'b0};
  assign s_ack_ready = broken_off || (m_used_valid && m_used_ready);
  assign busy = state_q != S_COMMAND || s_ack_valid;

  logic unused;
  assign unused = ^{s_ack, data_q[63:48], poke_resp[0]};
endmodule
