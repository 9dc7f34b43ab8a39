// SPDX-License-Identifier: Apache-2.0
//
// Writes the used rings of a set of split virtqueues (virtio 1.2, 2.7.8) and interrupts.
//
// s_used: chains that the device has done with, whose data is in memory. `more`: the next one of
//   the same queue belongs to the same packet; the driver sees all of a packet or nothing.
// start_*: a queue begins at that index; taken while no chain of it is here.
// look, ring: as in kumi_nic_fetch. event_idx: VIRTIO_F_EVENT_IDX was negotiated.
// poke_*: writes, see kumi_nic_poke. ar_*, r_*: reads of one beat.
// done_*: a chain is done with here. irq_*: an interrupt. fault_*: memory does not answer.
// Order: entries, then the index, each acknowledged before the next (2.7.13.2), then the driver's
//   wish is read and the interrupt decided (2.7.7.2).
// Chains of one queue that wait here are published together, up to BATCH: three round trips to
//   memory for all of them, and one write for each beat of the ring that they touch.
module kumi_nic_publish
  import kumi_nic_pkg::*;
#(
    parameter  int DATA_W = 512,  // bits of the memory port, at least 256
    parameter  int QUEUES = 3,    // up to 256
    parameter  int BATCH  = 32,   // chains that are published together
    localparam int LOOK_W = $clog2(QUEUES)
) (
    input logic clk,
    input logic rst,
    input logic event_idx,

    // queues
    input logic start_valid,
    output logic start_ready,
    input logic [LOOK_W-1:0] start_queue,
    input logic [15:0] start_index,
    output logic [LOOK_W-1:0] look,
    input nic_queue_t ring,
    input logic [LOOK_W-1:0] next_queue,
    output logic [15:0] next_index,
    output logic busy,
    output logic done_valid,
    output logic [LOOK_W-1:0] done_queue,

    // chains
    input logic s_valid,
    output logic s_ready,
    input nic_used_t s_used,

    // memory
    output logic ar_valid,
    input logic ar_ready,
    output logic [63:0] ar_addr,
    input logic r_valid,
    input logic [DATA_W-1:0] r_data,
    input logic [1:0] r_resp,
    output logic poke_valid,
    input logic poke_ready,
    output logic [63:0] poke_addr,
    output logic [DATA_W-1:0] poke_data,
    output logic [DATA_W/8-1:0] poke_strb,
    input logic [1:0] poke_resp,

    output logic irq_valid,
    input logic irq_ready,
    output logic [LOOK_W-1:0] irq_queue,
    output logic fault_valid,
    output logic [LOOK_W-1:0] fault_queue
);
  localparam int BYTES = DATA_W / 8;
  localparam int LANE_W = $clog2(BYTES);

  typedef enum logic [3:0] {
    S_WAIT,
    S_LOAD,
    S_PLACE,
    S_PUT,
    S_NEXT,
    S_MORE,
    S_FLUSH,
    S_INDEX,
    S_ASK,
    S_ASK_WAIT,
    S_DECIDE,
    S_IRQ,
    S_FAULT
  } state_e;
  state_e state_q;

  // ---- chains that wait ----------------------------------------------------------------------
  nic_used_t used;
  logic [$bits(nic_used_t)-1:0] used_bits;
  logic used_valid, pop;
  logic [$clog2(BATCH):0] depth;

  kumi_fifo #(
      .W($bits(nic_used_t)),
      .DEPTH(BATCH),
      .STYLE(0)
  ) u_waiting (
      .clk,
      .rst,
      .s_data (s_used),
      .s_valid,
      .s_ready,
      .m_data (used_bits),
      .m_valid(used_valid),
      .m_ready(pop),
      .depth
  );
  assign used = used_bits;

  // ---- the indices ---------------------------------------------------------------------------
  logic [15:0] next_mem[QUEUES];  // of the next entry
  logic [15:0] told_mem[QUEUES];  // of the first entry about which no interrupt was decided
  logic [LOOK_W-1:0] look_q;
  logic [15:0] next_q, told_q, event_q;
  logic start, written;

  assign start_ready = state_q == S_WAIT && !used_valid;
  assign start = start_valid && start_ready;
  assign written = state_q == S_INDEX && poke_ready;
  assign next_index = next_mem[next_queue];
  assign look = look_q;

  always_ff @(posedge clk) begin
    if (written) next_mem[look_q] <= next_q;
    if (state_q == S_DECIDE) told_mem[look_q] <= next_q;
    if (start) begin
      next_mem[start_queue] <= start_index;
      told_mem[start_queue] <= start_index;
    end
  end

  // ---- entries -------------------------------------------------------------------------------
  // They are collected in a beat, word by word, as an entry may lie in two of them.
  logic [63:0] at_q, line_addr_q;
  logic [DATA_W-1:0] line_q;
  logic [BYTES-1:0] line_strb_q;
  logic second_q;  // word of the entry: its length
  logic [$clog2(BATCH):0] count_q;
  logic same_line, more_q;
  logic [15:0] place, ahead, since;
  logic [31:0] word;

  assign place = next_q & (ring.size - 1'b1);
  assign word = second_q ? used.length : {16'd0, used.head};
  assign same_line = line_strb_q == '0 || line_addr_q[63:LANE_W] == at_q[63:LANE_W];
  assign pop = state_q == S_NEXT;
  assign ahead = next_q - event_q - 1'b1;
  assign since = next_q - told_q;

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_WAIT: begin
        look_q <= used.vq[LOOK_W-1:0];
        count_q <= '0;
        second_q <= 1'b0;
        line_strb_q <= '0;
        if (used_valid) state_q <= S_LOAD;
      end
      S_LOAD: begin
        next_q  <= next_mem[look_q];
        told_q  <= told_mem[look_q];
        state_q <= S_PLACE;
      end
      S_PLACE: begin
        at_q <= ring.device + {45'd0, place, 3'd0} + (second_q ? 64'd8 : 64'd4);
        state_q <= S_PUT;
      end
      S_PUT:
      if (same_line) begin
        line_addr_q <= at_q;
        line_q <= (line_strb_q == '0 ? '0 : line_q) | DATA_W'(word) << {at_q[LANE_W-1:2], 5'd0};
        line_strb_q <= line_strb_q | BYTES'(15) << {at_q[LANE_W-1:2], 2'd0};
        second_q <= !second_q;
        state_q <= second_q ? S_NEXT : S_PLACE;
      end else if (poke_ready) begin
        line_strb_q <= '0;
        if (poke_resp[1]) state_q <= S_FAULT;
      end
      S_NEXT: begin
        next_q  <= next_q + 1'b1;
        count_q <= count_q + 1'b1;
        more_q  <= used.more;
        state_q <= S_MORE;
      end
      S_MORE:
      if (more_q) begin
        if (used_valid) state_q <= S_PLACE;
      end else if (used_valid && used.vq[LOOK_W-1:0] == look_q && !count_q[$clog2(BATCH)]) begin
        state_q <= S_PLACE;
      end else begin
        state_q <= S_FLUSH;
      end
      S_FLUSH:
      if (poke_ready) begin
        line_addr_q <= ring.device + 64'd2;
        state_q <= poke_resp[1] ? S_FAULT : S_INDEX;
      end
      S_INDEX:
      if (poke_ready) begin
        at_q <= event_idx ? ring.driver + 64'd4 + {47'd0, ring.size, 1'b0} : ring.driver;
        state_q <= poke_resp[1] ? S_FAULT : S_ASK;
      end
      S_ASK: if (ar_ready) state_q <= S_ASK_WAIT;
      S_ASK_WAIT:
      if (r_valid) begin
        event_q <= 16'(r_data >> {at_q[LANE_W-1:1], 4'b0});
        state_q <= r_resp[1] ? S_FAULT : S_DECIDE;
      end
      S_DECIDE: state_q <= (event_idx ? ahead < since : !event_q[0]) ? S_IRQ : S_WAIT;
      S_IRQ: if (irq_ready) state_q <= S_WAIT;
      default: state_q <= S_WAIT;
    endcase
    if (rst) state_q <= S_WAIT;
  end

  assign poke_valid = (state_q == S_PUT && !same_line) || state_q == S_FLUSH || state_q == S_INDEX;
  assign poke_addr = line_addr_q;
  assign poke_data = state_q == S_INDEX ? DATA_W'(next_q) << {line_addr_q[LANE_W-1:1], 4'd0} :
      line_q;
  assign poke_strb = state_q == S_INDEX ? BYTES'(3) << {line_addr_q[LANE_W-1:1], 1'b0} :
      line_strb_q;
  assign ar_valid = state_q == S_ASK;
  assign ar_addr = {at_q[63:LANE_W], {LANE_W{1'b0}}};
  assign irq_valid = state_q == S_IRQ;
  assign irq_queue = look_q;
  assign fault_valid = state_q == S_FAULT;
  assign fault_queue = look_q;
  assign done_valid = pop;
  assign done_queue = look_q;
  assign busy = used_valid || state_q != S_WAIT;

  logic unused;
  assign unused = ^{depth, r_resp[0], poke_resp[0], at_q[1:0], line_addr_q[0], used.vq, ring.desc};
endmodule
