// SPDX-License-Identifier: Apache-2.0
//
// Receive buffers at hand: chains of each receive queue, fetched before a frame needs them.
//
// s_seg, s_fault: see kumi_nic_queues. taken_*: a chain was requested; it will come, or be
//   forgotten (then its queue ends). want, look, budget: what kumi_nic_queues may fetch; each chain
//   reserves CHAIN segments.
// pick: the queue in use; first, tail, coming and full follow it a cycle later. Places have a wrap
//   bit. first: its oldest segment. tail: behind its newest one. coming: requested chains have not
//   arrived. full: three quarters of the space are taken, and no chain is requested, so that
//   many are requested at once.
// read_*: a segment of queue `pick`, its oldest one or the one at a place, a cycle later. free_*:
//   the segments of queue `pick` before place free_to are used up.
// clear: a bit per queue whose buffers are discarded, one after another, but those of queue `pick`
//   while `hold` is high; drop_* reports each chain.
// break_*: a chain with a segment that cannot be written, of more than CHAIN, or of 4 MiB or more.
module kumi_nic_buffers
  import kumi_nic_pkg::*;
#(
    parameter int QUEUES = 2,  // 2..256
    parameter int DEPTH = 64,  // segments of a queue, a power of two
    parameter int CHAIN = 4,  // segments of a chain, at most, a power of two
    localparam int LOOK_W = $clog2(QUEUES),
    localparam int PLACE_W = $clog2(DEPTH)
) (
    input logic clk,
    input logic rst,

    // chains come
    input logic s_valid,
    output logic s_ready,
    input nic_seg_t s_seg,
    input logic s_fault,
    input logic taken_valid,
    input logic [LOOK_W-1:0] taken_queue,
    output logic [QUEUES-1:0] want,
    input logic [LOOK_W-1:0] look,
    output logic [6:0] budget,

    // chains are used
    input logic [LOOK_W-1:0] pick,
    output logic [PLACE_W:0] first,
    output logic [PLACE_W:0] tail,
    output logic coming,
    output logic full,
    input logic read_first,
    input logic [PLACE_W-1:0] read_place,
    output nic_buffer_t read_seg,
    input logic free_valid,
    input logic [PLACE_W:0] free_to,

    // chains are discarded
    input logic [QUEUES-1:0] clear,
    input logic hold,
    input logic [QUEUES-1:0] ended,
    output logic drop_valid,
    output logic [LOOK_W-1:0] drop_queue,
    output logic break_valid,
    output logic [LOOK_W-1:0] break_queue,
    output logic break_drop
);
  localparam int IN_W = $clog2(CHAIN);
  localparam int DUE_W = PLACE_W - IN_W + 1;

  if (QUEUES < 2 || QUEUES > 256) begin : gen_check_queues
    $fatal(0, "QUEUES must be 2..256 (%m)");
  end
  if (DEPTH < 4 * CHAIN || (DEPTH & (DEPTH - 1)) != 0 || CHAIN < 2 || (CHAIN & (CHAIN - 1)) != 0)
  begin : gen_check_depth
    $fatal(0, "DEPTH and CHAIN must be powers of two, DEPTH 4 chains at least (%m)");
  end

  // Places count with a wrap bit.
  logic [PLACE_W:0] first_q[QUEUES];  // oldest segment
  logic [PLACE_W:0] tail_q [QUEUES];  // behind the last segment of a whole chain

  // ---- a segment comes: its queue's tail, then its place -------------------------------------
  typedef struct packed {
    logic [LOOK_W-1:0] vq;
    logic bad;  // not for the device to write, or too long
    logic fault;
    logic last;
    nic_buffer_t buffer;
  } nic_arrival_t;

  nic_arrival_t in_q;
  logic in_valid_q, wrong, done_in, whole, useless_q;
  logic [PLACE_W:0] tail_in_q, place;
  logic [  IN_W-1:0] within_q;  // segments of the chain so far
  logic [LOOK_W-1:0] in_queue;

  assign in_queue = s_seg.vq[LOOK_W-1:0];
  assign s_ready  = 1'b1;
  always_ff @(posedge clk) begin
    in_valid_q <= s_valid && !rst;
    in_q <= '{
        vq: in_queue,
        bad: !s_seg.write || s_seg.length[31:22] != '0,
        fault: s_fault,
        last: s_seg.last,
        buffer: '{
            head: s_seg.head,
            descs: s_seg.descs,
            last: s_seg.last,
            length: s_seg.length[21:0],
            addr: s_seg.addr
        }
    };
    // The tail may move in this cycle: of the chain before.
    tail_in_q <= whole && in_q.vq == in_queue ? place + 1'b1 : tail_q[in_queue];
  end

  assign wrong   = in_q.bad || (within_q == '1 && !in_q.last);
  assign done_in = in_valid_q && (in_q.last || in_q.fault);
  assign whole   = in_valid_q && in_q.last && !in_q.fault && !wrong && !useless_q;
  assign place   = tail_in_q + (PLACE_W + 1)'(within_q);

  logic [PLACE_W+LOOK_W-1:0] write_at, read_at;
  assign write_at = {in_q.vq, place[PLACE_W-1:0]};
  assign read_at  = {pick, read_first ? first_q[pick][PLACE_W-1:0] : read_place};

  kumi_ram_sdp #(
      .W(NIC_BUFFER_W),
      .DEPTH(2 ** (PLACE_W + LOOK_W))
  ) u_segments (
      .clk,
      .wr_en  (in_valid_q),
      .wr_addr(write_at),
      .wr_data(in_q.buffer),
      .rd_en  (1'b1),
      .rd_addr(read_at),
      .rd_data(read_seg)
  );

  // ---- a queue is cleared, a segment every five cycles ---------------------------------------
  typedef enum logic [2:0] {
    C_PICK,
    C_TURN,
    C_READ,
    C_LAST,
    C_FREE
  } nic_clear_e;
  nic_clear_e clear_q;
  logic [QUEUES-1:0] filled_q;
  logic [LOOK_W-1:0] turn, clear_queue_q, out_queue;
  logic [PLACE_W:0] clear_first_q, out_first;
  logic clear_last, clears, some;

  kumi_turn #(
      .N(QUEUES)
  ) u_turn (
      .clk,
      .rst,
      .req  (clear & filled_q),
      .some,
      .pick (clear_q == C_PICK),
      .index(turn)
  );

  logic [PLACE_W+LOOK_W-1:0] clear_at;
  assign clear_at = {clear_queue_q, clear_first_q[PLACE_W-1:0]};
  kumi_ram_sdp #(
      .W(1),
      .DEPTH(2 ** (PLACE_W + LOOK_W))
  ) u_lasts (
      .clk,
      .wr_en  (in_valid_q),
      .wr_addr(write_at),
      .wr_data(in_q.last),
      .rd_en  (1'b1),
      .rd_addr(clear_at),
      .rd_data(clear_last)
  );

  // A frame that uses a queue frees its segments first; its queue is not cleared meanwhile.
  assign clears = clear_q == C_FREE && clear[clear_queue_q] && !free_valid &&
      !(hold && pick == clear_queue_q);
  always_ff @(posedge clk) begin
    unique case (clear_q)
      C_PICK:  if (some) clear_q <= C_TURN;
      C_TURN: begin
        clear_queue_q <= turn;
        clear_q <= C_READ;
      end
      C_READ: begin
        clear_first_q <= first_q[clear_queue_q];
        clear_q <= filled_q[clear_queue_q] ? C_LAST : C_PICK;
      end
      C_LAST:  clear_q <= C_FREE;
      default: clear_q <= C_PICK;
    endcase
    drop_valid <= clears && clear_last && !rst;
    drop_queue <= clear_queue_q;
    if (rst) clear_q <= C_PICK;
  end

  assign out_queue = free_valid ? pick : clear_queue_q;
  assign out_first = free_valid ? free_to : clear_first_q + 1'b1;

  always_ff @(posedge clk) begin
    if (whole) tail_q[in_q.vq] <= place + 1'b1;
    if (free_valid || clears) first_q[out_queue] <= out_first;
    for (int i = 0; i < QUEUES; ++i) begin
      filled_q[i] <= tail_q[i] != first_q[i] &&
          !((free_valid || clears) && out_queue == LOOK_W'(i));
    end
    if (rst) begin
      for (int i = 0; i < QUEUES; ++i) begin
        first_q[i] <= '0;
        tail_q[i]  <= '0;
      end
      filled_q <= '0;
    end
  end

  // ---- what breaks a queue -------------------------------------------------------------------
  always_ff @(posedge clk) begin
    break_valid <= 1'b0;
    break_drop  <= 1'b0;
    break_queue <= in_q.vq;
    if (in_valid_q) begin
      within_q <= done_in ? '0 : within_q + 1'b1;
      if (done_in) begin
        useless_q <= 1'b0;
      end else if (wrong) begin
        useless_q <= 1'b1;
        within_q  <= within_q;
      end
      // It counts as gone at its end; where that is a fault, the fault counts.
      if ((wrong || useless_q) && !in_q.fault) begin
        break_valid <= in_q.last || !useless_q;
        break_drop  <= in_q.last;
      end
    end
    if (rst) begin
      within_q <= '0;
      useless_q <= 1'b0;
      break_valid <= 1'b0;
      break_drop <= 1'b0;
    end
  end

  // ---- space ---------------------------------------------------------------------------------
  // A chain reserves CHAIN segments until it is here, and its own ones until they are used.
  logic [QUEUES-1:0][PLACE_W:0] occupied_q;
  logic [QUEUES-1:0][DUE_W-1:0] due_q;  // chains that were requested and are not here
  logic [QUEUES-1:0] full_q;
  logic [LOOK_W-1:0] end_queue_q, out_queue_q, taken_queue_q;
  logic [PLACE_W:0] back_q, freed_q;  // segments that an arrival and a use give back
  logic end_q, taken_q;

  always_ff @(posedge clk) begin
    end_q <= done_in;
    end_queue_q <= in_q.vq;
    back_q <= (PLACE_W + 1)'(CHAIN) - (whole ? (PLACE_W + 1)'(within_q) + 1'b1 : '0);
    freed_q <= free_valid ? free_to - first : clears ? (PLACE_W + 1)'(1) : '0;
    out_queue_q <= out_queue;
    taken_q <= taken_valid;
    taken_queue_q <= taken_queue;
    for (int i = 0; i < QUEUES; ++i) begin
      occupied_q[i] <= occupied_q[i] +
          (taken_q && taken_queue_q == LOOK_W'(i) ? (PLACE_W + 1)'(CHAIN) : '0) -
          ((end_q && end_queue_q == LOOK_W'(i) ? back_q : '0) +
           (out_queue_q == LOOK_W'(i) ? freed_q : '0));
      due_q[i] <= due_q[i] + DUE_W'(taken_q && taken_queue_q == LOOK_W'(i)) -
          DUE_W'(end_q && end_queue_q == LOOK_W'(i));
      if (ended[i]) begin
        occupied_q[i] <= '0;
        due_q[i] <= '0;
      end
      full_q[i] <= occupied_q[i] > (PLACE_W + 1)'(3 * DEPTH / 4);
      want[i]   <= !full_q[i];
    end
    if (rst) begin
      end_q <= 1'b0;
      taken_q <= 1'b0;
      freed_q <= '0;
      occupied_q <= '0;
      due_q <= '0;
      full_q <= '0;
      want <= '0;
    end
  end

  logic [PLACE_W:0] room, chains;
  assign room   = (PLACE_W + 1)'(DEPTH) - occupied_q[look];
  assign chains = room / (PLACE_W + 1)'(CHAIN);
  assign budget = 32'(chains) > 32 ? 7'd32 : 7'(chains);

  // ---- the queue in use ----------------------------------------------------------------------
  always_ff @(posedge clk) begin
    first  <= free_valid ? free_to : first_q[pick];
    tail   <= tail_q[pick];
    coming <= due_q[pick] != '0 || (end_q && end_queue_q == pick);
    full   <= full_q[pick];
  end

  logic unused;
  assign unused = ^s_seg;
endmodule
