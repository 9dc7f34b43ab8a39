// SPDX-License-Identifier: Apache-2.0
//
// What the units of the array's command machine (kumi_array_engine) tell each other: one of them is
// at work at a time, and hands over to the next.
package kumi_array_engine_pkg;
  import kumi_array_pkg::*;
  import kumi_storage_pkg::*;

  localparam logic [7:0] ABSENT = 8'hff;  // device of a position that is not written

  typedef logic [31:0] chunks_t;  // a bit a position

  // Settings.
  typedef struct packed {
    logic [4:0]  k;
    logic [1:0]  p;
    logic [4:0]  width;     // k + p
    logic [1:0]  holders;
    logic [4:0]  chunk;     // logarithms: of a chunk, a device's room for log sectors, an entry
    logic [4:0]  log_room;
    logic [4:0]  stride;
    logic [31:0] stripes;
    logic [31:0] physical;
    logic [31:0] map;       // addresses
    logic [31:0] list;
    logic [31:0] stage;
    logic [31:0] log;
    logic [31:0] limit;
    logic [31:0] errors;
    logic [7:0]  depth;
    logic [47:0] unit;
  } shape_t;

  typedef enum logic [1:0] {
    FREE,
    PLACING,  // waits for a queue with room
    BUSY      // ready when none of its requests is under way
  } context_e;
  typedef enum logic [2:0] {
    K_WRITE,
    K_READ,
    K_GATHER,
    K_SCAN,
    K_HEAL,
    K_COMMIT,  // under way at kumi_array_commit, or over
    K_RAW
  } kind_e;

  // A command under way.
  typedef struct packed {
    context_e        state;
    kind_e           kind;
    logic [15:0]     tag;
    logic [31:0]     logical;
    logic [4:0]      position;
    logic            verify;
    logic [1:0]      frames;
    logic [3:0]      tries;
    chunks_t         asked;
    logic [3:0]      recents;
    logic [7:0][7:0] recent;
  } context_t;

  // Who is next, and where it begins.
  typedef enum logic [4:0] {
    TO_IDLE,
    TO_REPLY,
    TO_WRITE,   // a frame comes
    TO_DROP,    // a frame is thrown away, then the answer
    TO_PLACE,   // a stripe whose chunks are in memory
    TO_SEND,    // its places are known
    TO_WROTE,   // its requests have ended
    TO_HEALED,  // those of a heal have
    TO_BACK,    // `left` is given back
    TO_OLD,     // a version becomes the current one
    TO_READ,
    TO_HOST,    // the chunk is in memory
    TO_GATHER,
    TO_VERIFY,  // all chunks that could be read are in memory
    TO_HEAL,
    TO_MOVE,    // it is known which chunks are good
    TO_COMMIT,
    TO_RELEASE
  } to_e;

  typedef struct packed {
    to_e         to;
    end_e        reason;  // of the answer
    logic [31:0] detail;
    logic [63:0] value;
    logic        mapped;
    logic        heal;
    chunks_t     left;
    chunks_t     good;
  } hand_t;

  // The units.
  typedef enum logic [2:0] {
    U_WRITE,
    U_ENTER,
    U_READ,
    U_GATHER,
    U_HEAL,
    U_RELEASE,
    U_RAW,
    U_SETTINGS
  } which_e;

  // A step that a unit asks for, until it is done.
  typedef enum logic [3:0] {
    NO_STEP,
    STEP_LOAD,   // n words from addr to the entry
    STEP_STORE,
    STEP_MOVE,
    STEP_EVENT,
    STEP_SLOT,
    STEP_IO,
    STEP_ASK,    // for coefficients
    STEP_COEF
  } step_e;
  typedef struct packed {
    step_e        op;
    logic [31:0]  addr;
    logic [5:0]   n;
    move_t        move;
    place_event_t note;
    slot_req_t    slot;
    logic [7:0]   unit;
    io_t          io;
    stripe_t      stripe;
  } step_t;

  // What a unit does in a cycle beside its step; like that and j all zero while it is not at work,
  // so that those of all are OR-ed.
  typedef struct packed {
    logic         place_we;    // the place of position j
    logic [63:0]  place;
    logic         entry_we;
    logic [5:0]   entry_at;
    logic [63:0]  entry;
    logic         context_we;
    context_t     ctx;
    logic         clear;       // errors of the context
    logic         ask;         // a placement, `one` chunk outside `without`
    logic         one;
    logic [127:0] without;
    logic         pick;        // takes a pick
    logic         leave;
    hand_t        hand;
  } unit_t;

  // What a unit sees; here and old are those of its position j.
  typedef struct packed {
    logic [3:0]      c;        // number of the context
    context_t        ctx;
    chunks_t         errors;   // requests of the context that failed
    logic            waits;    // some are under way
    logic [63:0]     here;     // device, slot, checksum
    logic [31:0]     addr;     // of the chunk in memory
    logic [63:0]     old;      // of the entry
    logic            any;      // of the entry: there is a version
    logic            mapped;
    logic [2:0][7:0] holders;
    chunks_t         free;
    moved_t          moved;    // of the last step of its kind
    slot_rsp_t       got;
    coef_t           coef;
    logic            settled;  // nothing that the placer does not know yet
  } view_t;

  function automatic logic [5:0] ones(input chunks_t v);
    ones = '0;
    for (int i = 0; i < 32; i++) ones += 6'(v[i]);
  endfunction
  function automatic logic [4:0] lowest(input chunks_t v);
    lowest = '0;
    for (int i = 31; i >= 0; i--) if (v[i]) lowest = 5'(i);
  endfunction
  function automatic chunks_t bit_of(input logic [4:0] j);
    return 32'd1 << j;
  endfunction
  // The entry of a logical stripe in the map.
  function automatic logic [31:0] entry_of(input logic [31:0] map, input logic [4:0] stride,
                                           input logic [31:0] logical);
    return map + (logical << stride);
  endfunction

  // A request for the chunk of position j.
  function automatic io_t io_of(input logic [4:0] chunk, input logic [3:0] c,
                                input logic [23:0] slot, input logic [31:0] addr, input io_e op,
                                input logic [4:0] j);
    return
    '{
        position: j,
        context_: c,
        op: op,
        sectors: 17'd1 << (chunk - 5'd9),
        lba: 48'(slot),
        addr: addr
    }
    ;
  endfunction
  // A move of that chunk within one frame of its own, checked.
  function automatic move_t move_of(input logic [4:0] chunk, input logic [31:0] crc,
                                    input logic [31:0] addr, input from_e from);
    move_of = '0;
    move_of.from = from;
    move_of.last = 1'b1;
    move_of.check = 1'b1;
    move_of.crc = crc;
    move_of.addr = addr;
    move_of.bytes = 26'd1 << chunk;
  endfunction
  function automatic hand_t reply(input end_e reason, input logic [31:0] detail,
                                  input logic [63:0] value);
    reply = '0;
    reply.to = TO_REPLY;
    reply.reason = reason;
    reply.detail = detail;
    reply.value = value;
  endfunction
  function automatic hand_t hand_to(input to_e to);
    hand_to = '0;
    hand_to.to = to;
  endfunction
endpackage
