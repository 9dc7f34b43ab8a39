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
//   A result (VQ_GET) goes behind the byte of the answer where the segment has its 8 bytes, else
//   into the next segment.
// vlans, reports, coal_queues, switches: VIRTIO_NET_F_CTRL_VLAN, VIRTIO_NET_F_HASH_REPORT,
//   VIRTIO_NET_F_VQ_NOTF_COAL, VIRTIO_NET_F_CTRL_GUEST_OFFLOADS was negotiated; offered: what the
//   driver has negotiated of VIRTIO_NET_F_GUEST_*.
// State: mac; guest: what of `offered` is on; the filter (look, take: see kumi_nic_filter), spread
//   and table_* (kumi_nic_rss), and coal (kumi_nic_coal; live: queues that are enabled, of receive
//   (0) and transmit (1)).
// Bad input: a command that is unknown, of a wrong length, or asks for queues that do not exist or
//   are not enabled, for interrupts later than 32,767 us, or for a result that finds no room, is
//   answered with 1 (ERR) and changes nothing; so is one whose packet is bad.
// A command takes a cycle for every two of its bytes, and a write to memory for each byte of its
//   answer; one behind a table of addresses waits 34 cycles, the first one after a reset 4,096.
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
    input logic reports,
    input logic coal_queues,
    input logic switches,
    input nic_guest_t offered,
    input logic [1:0][PAIRS-1:0] live,

    kumi_axis_if.snk s_axis,
    input logic s_ack_valid,
    output logic s_ack_ready,
    input nic_ack_t s_ack,
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
    output nic_guest_t guest,
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
  localparam logic [7:0] OK = 8'd0;
  localparam logic [7:0] ERR = 8'd1;

  typedef enum logic [2:0] {
    S_COMMAND,
    S_CHECK,    // whether its queue is enabled
    S_JUDGE,    // whether it is known, and in order
    S_ACK,
    S_STEP,     // to the result's next byte
    S_ADDRESS,  // its upper half
    S_RESULT,
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
  localparam logic [15:0] CLASS_HASH = 16'h0402;
  localparam logic [15:0] CLASS_OFFLOADS = 16'h0500;
  localparam logic [15:0] CLASS_COAL_TX = 16'h0600;
  localparam logic [15:0] CLASS_COAL_RX = 16'h0601;
  localparam logic [15:0] CLASS_COAL_SET = 16'h0602;  // of a queue
  localparam logic [15:0] CLASS_COAL_GET = 16'h0603;

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
  logic [95:0] data_q;  // byte 2 of the command in bits 7:0
  logic [ 9:0] bytes_q;  // of the command; 1023: that or more
  logic [ 2:0] index_q;  // words so far, up to 7
  logic [ 7:0] answer_q;
  logic [63:0] result_q;  // where the next byte of the result goes
  logic [ 2:0] byte_q;  // its number
  logic step_q, carry_q;
  logic got_q;  // all are written
  logic known, known_q, set, gets, accepted;
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
        index_q <= words.tlast ? '0 : index_q == 3'd7 ? 3'd7 : index_q + 1'b1;
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
          3'd5: data_q[79:64] <= words.tdata;
          3'd6: data_q[95:80] <= words.tdata;
          default: ;
        endcase
        answer_q <= words.tlast && words.tuser[0] ? ERR : OK;
        got_q <= 1'b0;
        byte_q <= '0;
        if (words.tlast) state_q <= S_CHECK;
      end
      S_CHECK: state_q <= S_JUDGE;
      S_JUDGE: begin
        known_q <= known && answer_q == OK;
        state_q <= S_ACK;
      end
      S_ACK: begin
        result_q <= s_ack.behind ? s_ack.seg.addr : s_ack.next;
        step_q   <= s_ack.behind;
        if (broken_off) state_q <= S_COMMAND;
        else if (s_ack_valid && gets && !got_q) state_q <= S_STEP;
        else if (poke_ready) state_q <= S_USED;
      end
      S_STEP: begin
        if (step_q) result_q[31:0] <= result_q[31:0] + 1'b1;
        carry_q <= step_q && result_q[31:0] == '1;
        state_q <= S_ADDRESS;
      end
      S_ADDRESS: begin
        if (carry_q) result_q[63:32] <= result_q[63:32] + 1'b1;
        state_q <= S_RESULT;
      end
      S_RESULT:
      if (poke_ready) begin
        step_q  <= 1'b1;
        byte_q  <= byte_q + 1'b1;
        got_q   <= byte_q == '1;
        state_q <= byte_q == '1 ? S_ACK : S_STEP;
      end
      default: if (m_used_ready) state_q <= S_COMMAND;
    endcase
    if (rst) begin
      state_q <= S_COMMAND;
      index_q <= '0;
    end
  end
  assign word_first = index_q == 3'd1;

  // ---- what it asks for ----------------------------------------------------------------------
  logic queue_live, live_q, vq_known;
  logic [63:0] get, switchable;
  nic_guest_t off_q;
  always_comb begin
    unique case (command_q)
      CLASS_MAC_TABLE: known = filter_good && bytes_q > 2;
      CLASS_MAC_ADDR: known = bytes_q == 8;
      CLASS_VLAN_ADD, CLASS_VLAN_DEL: known = bytes_q == 4 && wanted < 16'd4096;
      CLASS_ANNOUNCE: known = 1'b1;
      CLASS_PAIRS: known = bytes_q == 4 && wanted != '0 && wanted <= 16'(PAIRS);
      CLASS_RSS: known = PAIRS > 1 && rss_good && bytes_q > 10;
      CLASS_HASH: known = reports && rss_good && bytes_q > 10;
      CLASS_OFFLOADS: known = switches && bytes_q == 10 && (data_q[63:0] & ~switchable) == '0;
      CLASS_COAL_TX, CLASS_COAL_RX: known = bytes_q == 10 && data_q[63:47] == '0;
      CLASS_COAL_SET: known = vq_known && bytes_q == 14 && data_q[95:79] == '0;
      CLASS_COAL_GET: known = vq_known && bytes_q == 6;
      default: known = mode && bytes_q == 3;
    endcase
  end
  assign vq_known = coal_queues && live_q;
  always_comb begin
    switchable = '0;
    switchable[F_GUEST_CSUM] = offered.csum;
    switchable[F_GUEST_TSO4] = offered.tso4;
    switchable[F_GUEST_TSO6] = offered.tso6;
  end
  // A result needs a place besides the answer's.
  assign accepted = known_q && (command_q != CLASS_COAL_GET || s_ack.behind || s_ack.beside);
  assign gets = command_q == CLASS_COAL_GET && accepted;
  assign set = state_q == S_ACK && poke_ready && known_q;

  always_ff @(posedge clk) begin
    if (set) begin
      unique case (command_q)
        CLASS_MAC_ADDR: mac <= wire_mac;
        CLASS_PAIRS: spread.pairs <= wanted[7:0];
        CLASS_RSS: spread.pairs <= rss_pairs;
        CLASS_OFFLOADS:
        off_q <= '{
            csum: !data_q[F_GUEST_CSUM],
            tso4: !data_q[F_GUEST_TSO4],
            tso6: !data_q[F_GUEST_TSO6]
        };
        default: ;
      endcase
    end
    if (rst || reset_device) begin
      mac <= set_mac;
      spread.pairs <= 8'd1;
      off_q <= '0;
    end
  end
  assign guest = offered & ~off_q;

  // ---- moderation of interrupts --------------------------------------------------------------
  logic set_one;
  assign set_one = command_q == CLASS_COAL_SET;
  // Whether the queue was enabled when the command was whole.
  always_ff @(posedge clk) if (state_q == S_CHECK) live_q <= queue_live;

  kumi_nic_coal #(
      .PAIRS  (PAIRS),
      .CLK_MHZ(CLK_MHZ)
  ) u_coal (
      .clk,
      .rst,
      .clear(reset_device),
      .live,
      .queue(wanted),
      .queue_live,
      .get_packets(get[31:0]),
      .get_usecs(get[46:32]),
      .set_all({set && command_q == CLASS_COAL_TX, set && command_q == CLASS_COAL_RX}),
      .set_one(set && set_one),
      .packets(set_one ? data_q[63:32] : data_q[31:0]),
      .usecs(set_one ? data_q[78:64] : data_q[46:32]),
      .coal
  );
  assign get[63:47] = '0;

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
      .reports,
      .clear(reset_device),
      .even(set && command_q == CLASS_PAIRS),
      .plain(command_q == CLASS_HASH),
      .word_valid(move && index_q != '0),
      .word_first,
      .word_half(!words.tkeep[1]),
      .word(words.tdata),
      .good(rss_good),
      .commit(set && (command_q == CLASS_RSS || command_q == CLASS_HASH)),
      .pairs(rss_pairs),
      .on(spread.rss),
      .report(spread.report),
      .types(spread.types),
      .key(spread.key),
      .unclassified,
      .table_index,
      .table_queue
  );

  // ---- the answer ----------------------------------------------------------------------------
  logic [7:0] written;
  assign broken_off = state_q == S_ACK && s_ack_valid && !s_ack.seg.write;
  assign poke_valid = state_q == S_RESULT ||
      (state_q == S_ACK && s_ack_valid && s_ack.seg.write && (!gets || got_q));
  always_ff @(posedge clk) failed <= !rst && poke_valid && poke_ready && poke_resp[1];
  assign written = state_q == S_RESULT ? get[8*byte_q+:8] : accepted ? OK : ERR;
  assign poke_addr = state_q == S_RESULT ? result_q : s_ack.seg.addr;
  assign poke_data = DATA_W'(written) << {poke_addr[LANE_W-1:0], 3'd0};
  assign poke_strb = (DATA_W / 8)'(1) << poke_addr[LANE_W-1:0];
  assign m_used_valid = state_q == S_USED;
  assign m_used = '{
          vq: s_ack.seg.vq,
          head: s_ack.seg.head,
          descs: s_ack.seg.descs,
          length: gets ? 32'd9 : 32'd1,
          more: 1'b0
      };
  assign s_ack_ready = broken_off || (m_used_valid && m_used_ready);
  assign busy = state_q != S_COMMAND || words.tvalid || s_ack_valid;

  logic unused;
  assign unused = ^{s_ack, poke_resp[0], words.tid, words.tdest};
endmodule
