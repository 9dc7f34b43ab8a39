// SPDX-License-Identifier: Apache-2.0
//
// Which queue of a set is looked at next, and what for: whether its driver has been asked to
// notify, what was notified, and what is known to be available.
//
// notify_*, start_*, stop, want, event_idx: see kumi_nic_fetch. packed_ring: its rings are packed.
// start_hold: a queue may start in this cycle; no done_* then.
// go: queue `look` is looked at, for `op`; not before the user is `idle` again. ring_room: there is
//   room for an access to a ring; event_room: for an event.
// What comes of it: none_*: nothing was asked for after all. judged_*: an answer: bad, empty, found
//   (available chains), or retry (it has to be read again). done_*: all that was found has been
//   handed out; rest: more is known to be available. asked_*: an event was written, or memory did
//   not answer. lost_*: it broke a rule, or memory did not answer.
// working, dry, fault_*: see kumi_nic_fetch.
// Latency: 3 cycles from an event to `go`.
module kumi_nic_fetch_turn
  import kumi_nic_pkg::*;
#(
    parameter int QUEUES = 3,  // 2..256
    localparam int LOOK_W = $clog2(QUEUES)
) (
    input logic clk,
    input logic rst,
    input logic event_idx,
    input logic packed_ring,

    // queues
    input logic notify_valid,
    input logic [LOOK_W-1:0] notify_queue,
    input logic start_valid,
    output logic start_ready,
    output logic start_hold,
    input logic start_take,
    input logic [LOOK_W-1:0] start_queue,
    input logic [QUEUES-1:0] stop,
    input logic [QUEUES-1:0] want,
    output logic [QUEUES-1:0] working,
    output logic [QUEUES-1:0] dry,

    // the one whose turn it is
    input logic idle,
    input logic ring_room,
    input logic event_room,
    output logic go,
    output logic [LOOK_W-1:0] look,
    output nic_fetch_op_e op,

    // what comes of it
    input logic none_valid,
    input logic lost_valid,
    input logic judged_valid,
    input logic [LOOK_W-1:0] judged_queue,
    input nic_judged_e judged,
    input logic done_valid,
    input logic [LOOK_W-1:0] done_queue,
    input logic done_rest,
    input logic asked_valid,
    input logic asked_bad,
    input logic [LOOK_W-1:0] asked_queue,
    input logic back_bad,
    input logic [LOOK_W-1:0] back_queue,
    output logic fault_valid,
    output logic [LOOK_W-1:0] fault_queue
);
  typedef enum logic [1:0] {
    S_PICK,
    S_GRANT,
    S_LOOK
  } state_e;
  state_e state_q;

  function automatic logic [QUEUES-1:0] bit_of(input logic valid, input logic [LOOK_W-1:0] queue);
    return valid ? QUEUES'(1) << queue : '0;
  endfunction

  // pending: notified since it was looked for chains. known: the index is ahead. armed: the driver
  // has been asked to notify. event, look2: that is to be asked, and then to be looked once more;
  // again: what is looked at is that second one.
  logic [QUEUES-1:0] enabled_q, pending_q, known_q, armed_q, working_q, event_q, look2_q, again_q;
  logic [QUEUES-1:0] ready_q, ring_ready, look2_ready, lost;
  logic pick, rested_q, any_ready;
  logic [LOOK_W-1:0] granted;

  kumi_turn #(
      .N(QUEUES)
  ) u_turn (
      .clk,
      .rst,
      .req  (ready_q),
      .some (any_ready),
      .pick,
      .index(granted)
  );


  // What the last access changed is in ready_q a cycle later.
  assign pick = state_q == S_PICK && idle && rested_q && !start_valid;
  assign start_hold = start_valid && state_q == S_PICK && idle;
  assign start_ready = start_hold && !judged_valid;
  // A queue that was picked may have been stopped in the same cycle.
  assign go = state_q == S_LOOK && (working_q[look] || !stop[look]);
  assign op = event_q[look] ? OP_EVENT :
      !packed_ring && (look2_q[look] || !known_q[look]) ? OP_INDEX : OP_RING;

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_PICK:  if (pick && any_ready) state_q <= S_GRANT;
      S_GRANT: begin
        look <= granted;
        state_q <= S_LOOK;
      end
      default: state_q <= S_PICK;
    endcase
    rested_q <= state_q == S_PICK && idle;
    if (rst) state_q <= S_PICK;
  end

  // ---- what is known of each queue -----------------------------------------------------------
  logic found, empty, settled, asks, retries, looks;
  assign found = judged_valid && judged == JUDGED_FOUND;
  assign empty = judged_valid && judged == JUDGED_EMPTY;
  assign settled = empty && (again_q[judged_queue] || !event_idx);
  assign asks = empty && !again_q[judged_queue] && event_idx;
  assign retries = judged_valid && judged == JUDGED_RETRY;
  // A look for chains: in a packed ring at the ring itself.
  assign looks = go && !again_q[look] && op == (packed_ring ? OP_RING : OP_INDEX);

  kumi_nic_lost #(
      .QUEUES(QUEUES)
  ) u_lost (
      .clk,
      .rst,
      .set(bit_of(
          lost_valid, look
      ) | bit_of(
          back_bad, back_queue
      ) | bit_of(
          judged_valid && judged == JUDGED_BAD, judged_queue
      ) | bit_of(
          asked_valid && asked_bad, asked_queue
      )),
      .lost,
      .tell_valid(fault_valid),
      .tell_queue(fault_queue)
  );

  // The second look at a packed ring may hand chains out: it waits until they are wanted.
  assign ring_ready  = enabled_q & ~stop & want & (pending_q | known_q) & ~working_q;
  assign look2_ready = packed_ring ? look2_q & (want | stop) & {QUEUES{ring_room}} : look2_q;

  always_ff @(posedge clk) begin
    ready_q <= (ring_ready & {QUEUES{ring_room}}) | (event_q & {QUEUES{event_room}}) | look2_ready;
    // What comes while the heads of one access are handed out is looked for without a notification.
    pending_q <= (pending_q & ~bit_of(
        looks, look
    )) | bit_of(
        done_valid, done_queue
    ) | bit_of(
        start_take, start_queue
    ) | bit_of(
        notify_valid, notify_queue
    ) | bit_of(
        retries, judged_queue
    ) | bit_of(
        none_valid && packed_ring, look
    );
    known_q <= (known_q & ~bit_of(
        done_valid && !done_rest, done_queue
    ) & ~bit_of(
        start_take, start_queue
    )) | bit_of(
        found && !packed_ring, judged_queue
    );
    armed_q <= (armed_q & ~bit_of(
        looks, look
    ) & ~bit_of(
        found || retries, judged_queue
    ) & ~bit_of(
        start_take, start_queue
    )) | bit_of(
        settled, judged_queue
    );
    working_q <= (working_q | bit_of(
        go, look
    )) & ~bit_of(
        done_valid, done_queue
    ) & ~bit_of(
        (found && !packed_ring) || settled || retries, judged_queue
    ) & ~bit_of(
        none_valid, look
    ) & ~bit_of(
        fault_valid, fault_queue
    );
    event_q <= (event_q & ~bit_of(go, look)) | bit_of(asks, judged_queue);
    look2_q <= (look2_q & ~bit_of(
        go, look
    ) & ~bit_of(
        start_take, start_queue
    )) | bit_of(
        asked_valid && !asked_bad, asked_queue
    );
    again_q <= (again_q & ~bit_of(
        judged_valid, judged_queue
    ) & ~bit_of(
        start_take, start_queue
    )) | bit_of(
        asked_valid && !asked_bad, asked_queue
    );
    enabled_q <= (enabled_q & ~stop & ~lost) | bit_of(start_take, start_queue);
    if (rst) begin
      ready_q   <= '0;
      pending_q <= '0;
      known_q   <= '0;
      armed_q   <= '0;
      working_q <= '0;
      event_q   <= '0;
      look2_q   <= '0;
      again_q   <= '0;
      enabled_q <= '0;
    end
  end

  assign working = working_q;
  assign dry = enabled_q & armed_q & ~pending_q & ~known_q;
endmodule
