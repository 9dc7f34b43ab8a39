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
// vlans: VIRTIO_NET_F_CTRL_VLAN was negotiated.
// State: mac, the filter (look, take: see kumi_nic_filter), spread and table_* (kumi_nic_rss), and
//   coal, the moderation of the interrupts of receive (0) and transmit queues (1), its
//   microseconds from CLK_MHZ.
// Bad input: a command that is unknown, of a wrong length, or asks for queues that do not exist or
//   for interrupts later than 32,767 us, is answered with 1 (ERR) and changes nothing; so is one
//   whose packet is bad.
// A command takes a cycle for every two of its bytes; one behind a table of addresses waits 34
//   cycles, the first one after a reset 4,096.
module kumi_nic_control
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the stream and of the memory port, at least 256
    parameter int PAIRS = 1,  // pairs of queues
    parameter int CLK_MHZ = 250,  // of clk
    localparam int LOOK_W = $clog2(PAIRS + 1)
) (
    input logic clk,
    input logic rst,
    input logic reset_device,
    input logic [47:0] set_mac,
    input logic vlans,

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

    output logic [47:0] mac,
    input nic_look_t look,
    output logic take,
    output nic_coal_t [1:0] coal,
    output nic_spread_t spread,
    input logic [6:0] table_index,
    output logic [LOOK_W-1:0] table_queue,
    output logic busy
);
  localparam int LANE_W = $clog2(DATA_W / 8);

  if (PAIRS < 1 || PAIRS > 64) begin : gen_check_pairs
    $fatal(0, "PAIRS must be 1..64 (%m)");
  end
  if (CLK_MHZ < 2 || CLK_MHZ > 1023) begin : gen_check_clock
    $fatal(0, "CLK_MHZ must be 2..1023 (%m)");
  end
  localparam logic [7:0] OK = 8'd0;
  localparam logic [7:0] ERR = 8'd1;

  typedef enum logic [1:0] {
    S_COMMAND,
    S_ACK,
    S_USED
  } state_e;
  state_e state_q;

  // ---- the command, two bytes at a time ------------------------------------------------------
  localparam logic [7:0] CLASS_RX = 8'h00;  // commands 0..5: modes
  localparam logic [15:0] CLASS_MAC_TABLE = 16'h0100;
  localparam logic [15:0] CLASS_MAC_ADDR = 16'h0101;
  localparam logic [15:0] CLASS_VLAN_ADD = 16'h0200;
  localparam logic [15:0] CLASS_VLAN_DEL = 16'h0201;
  localparam logic [15:0] CLASS_ANNOUNCE = 16'h0300;
  localparam logic [15:0] CLASS_PAIRS = 16'h0400;
  localparam logic [15:0] CLASS_RSS = 16'h0401;
  localparam logic [15:0] CLASS_COAL_TX = 16'h0600;
  localparam logic [15:0] CLASS_COAL_RX = 16'h0601;

  kumi_axis_if #(
      .DATA_W(16),
      .DEST_W(8)
  ) words ();
  kumi_axis_width u_width (
      .clk,
      .rst,
      .s_axis,
      .m_axis(words)
  );

  logic [15:0] command_q;  // class and command
  logic [63:0] data_q;  // byte 2 of the command in bits 7:0
  logic [ 9:0] bytes_q;  // of the command; 1023: that or more
  logic [ 2:0] index_q;  // words so far, up to 5
  logic [ 7:0] answer_q;
  logic broken_off, move, rss_good, word_first, mode, filter_good, filter_ready;
  logic [47:0] wire_mac;
  logic [15:0] wanted;
  logic [ 7:0] rss_pairs;

  function automatic logic [47:0] swapped(input logic [47:0] a);
    return {a[7:0], a[15:8], a[23:16], a[31:24], a[39:32], a[47:40]};
  endfunction
  assign wire_mac = swapped(data_q[47:0]);
  assign wanted = data_q[15:0];
  assign mode = command_q[15:8] == CLASS_RX && command_q[7:0] < 8'd6;
  assign words.tready = state_q == S_COMMAND && filter_ready;
  assign move = words.tvalid && words.tready;

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_COMMAND:
      if (move) begin
        index_q <= words.tlast ? '0 : index_q == 3'd5 ? 3'd5 : index_q + 1'b1;
        bytes_q <= (index_q == '0 ? '0 : bytes_q) + (words.tkeep[1] ? 10'd2 : 10'd1);
        if (index_q != '0 && bytes_q >= 10'd1020) bytes_q <= '1;
        unique case (index_q)
          3'd0: begin
            command_q <= words.tkeep[1] ? {words.tdata[7:0], words.tdata[15:8]} : '1;
            data_q <= '0;
          end
          3'd1: data_q[15:0] <= words.tdata;
          3'd2: data_q[31:16] <= words.tdata;
          3'd3: data_q[47:32] <= words.tdata;
          3'd4: data_q[63:48] <= words.tdata;
          default: ;
        endcase
        answer_q <= words.tlast && words.tuser[0] ? ERR : OK;
        if (words.tlast) state_q <= S_ACK;
      end
      S_ACK:   if (broken_off) state_q <= S_COMMAND;
 else if (poke_ready) state_q <= S_USED;
      default: if (m_used_ready) state_q <= S_COMMAND;
    endcase
    if (rst) begin
      state_q <= S_COMMAND;
      index_q <= '0;
    end
  end
  assign word_first = index_q == 3'd1;

  // ---- what it asks for ----------------------------------------------------------------------
  logic known, set;
  always_comb begin
    unique case (command_q)
      CLASS_MAC_TABLE: known = filter_good && bytes_q > 2;
      CLASS_MAC_ADDR: known = bytes_q == 8;
      CLASS_VLAN_ADD, CLASS_VLAN_DEL: known = bytes_q == 4 && wanted < 16'd4096;
      CLASS_ANNOUNCE: known = 1'b1;
      CLASS_PAIRS: known = bytes_q == 4 && wanted != '0 && wanted <= 16'(PAIRS);
      CLASS_RSS: known = PAIRS > 1 && rss_good && bytes_q > 10;
      CLASS_COAL_TX, CLASS_COAL_RX: known = bytes_q == 10 && data_q[63:47] == '0;
      default: known = mode && bytes_q == 3;
    endcase
  end
  logic [1:0][31:0] moderation_q;  // microseconds, packets
  logic [31:0] limits;
  // A limit of packets that does not fit is none: time ends the wait.
  assign limits = {data_q[47:32], data_q[31:16] == '0 ? data_q[15:0] : 16'd0};
  assign set = state_q == S_ACK && poke_ready && known && answer_q == OK;

  always_ff @(posedge clk) begin
    if (set) begin
      unique case (command_q)
        CLASS_MAC_ADDR: mac <= wire_mac;
        CLASS_PAIRS: spread.pairs <= wanted[7:0];
        CLASS_RSS: spread.pairs <= rss_pairs;
        CLASS_COAL_TX: moderation_q[1] <= limits;
        CLASS_COAL_RX: moderation_q[0] <= limits;
        default: ;
      endcase
    end
    if (rst || reset_device) begin
      mac <= set_mac;
      spread.pairs <= 8'd1;
      moderation_q <= '0;
    end
  end

  // ---- moderation of interrupts --------------------------------------------------------------
  logic [ 9:0] cycle_q;
  logic [15:0] now_q;

  always_ff @(posedge clk) begin
    cycle_q <= cycle_q == 10'(CLK_MHZ - 1) ? '0 : cycle_q + 1'b1;
    if (cycle_q == 10'(CLK_MHZ - 1)) now_q <= now_q + 1'b1;
    if (rst) {cycle_q, now_q} <= '0;
  end
  assign coal = {{now_q, moderation_q[1]}, {now_q, moderation_q[0]}};

  // ---- the filter ----------------------------------------------------------------------------
  kumi_nic_filter u_filter (
      .clk,
      .rst,
      .clear(reset_device),
      .word_valid(move && index_q != '0),
      .word_first,
      .word_half(!words.tkeep[1]),
      .word(words.tdata),
      .good(filter_good),
      .ready(filter_ready),
      .table_set(set && command_q == CLASS_MAC_TABLE),
      .mode_set(set && mode),
      .mode_number(command_q[2:0]),
      .mode_on(data_q[0]),
      .vlan_set(set && command_q[15:1] == CLASS_VLAN_ADD[15:1]),
      .vlan_id(data_q[11:0]),
      .vlan_on(!command_q[0]),
      .mac,
      .vlans,
      .look,
      .take
  );

  logic [LOOK_W-1:0] unclassified;
  assign spread.unclassified = 8'(unclassified);

  kumi_nic_rss #(
      .PAIRS(PAIRS)
  ) u_rss (
      .clk,
      .rst,
      .clear(reset_device || (set && command_q == CLASS_PAIRS)),
      .word_valid(move && index_q != '0),
      .word_first,
      .word_half(!words.tkeep[1]),
      .word(words.tdata),
      .good(rss_good),
      .commit(set && command_q == CLASS_RSS),
      .pairs(rss_pairs),
      .on(spread.rss),
      .types(spread.types),
      .key(spread.key),
      .unclassified,
      .table_index,
      .table_queue
  );

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
  assign busy = state_q != S_COMMAND || words.tvalid || s_ack_valid;

  logic unused;
  assign unused = ^{s_ack, poke_resp[0], words.tid, words.tdest};
endmodule
