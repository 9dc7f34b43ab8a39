// SPDX-License-Identifier: Apache-2.0
//
// What the units of the array's command machine (kumi_array_engine) tell each other: one of them is
// at work at a time, and hands over to the next.
package kumi_array_engine_pkg;
  import kumi_array_pkg::*;
  import kumi_storage_pkg::*;

  localparam logic [7:0] ABSENT = 8'hff;  // device of a position that is not written

  typedef logic [31:0] chunk_mask_t;  // a bit a position

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
  } array_cfg_t;

  typedef enum logic [1:0] {
    CTX_FREE,
    CTX_PLACING,  // waits for a queue with room
    CTX_BUSY      // ready when none of its requests is under way
  } context_state_e;
  typedef enum logic [2:0] {
    KIND_WRITE,
    KIND_READ,
    KIND_RECONSTRUCT,
    KIND_VERIFY,
    KIND_REPAIR,
    KIND_COMMIT,  // under way at kumi_array_commit, or over
    KIND_RAW
  } context_kind_e;

  // A command under way.
  typedef struct packed {
    context_state_e  state;
    context_kind_e   kind;
    logic [15:0]     tag;
    logic [31:0]     logical;
    logic [4:0]      position;
    logic            verify;
    logic [1:0]      frames;
    logic [3:0]      tries;
    chunk_mask_t     asked;
    logic [3:0]      recent_count;
    logic [7:0][7:0] recent;
  } context_t;

  // Who is next, and where it begins.
  typedef enum logic [4:0] {
    TO_IDLE,
    TO_RESPOND,
    TO_WRITE,   // a frame comes
    TO_DROP,    // a frame is thrown away, then the answer
    TO_PLACE,   // a stripe whose chunks are in memory
    TO_ISSUE,    // its places are known
    TO_WRITTEN,   // its requests have ended
    TO_REPAIRED,  // those of a heal have
    TO_UNDO,    // `left` is given back
    TO_SUPERSEDE,     // a version becomes the current one
    TO_READ,
    TO_RETURN,    // the chunk is in memory
    TO_RECONSTRUCT,
    TO_VERIFY,  // all chunks that could be read are in memory
    TO_REPAIR,
    TO_RELOCATE,    // it is known which chunks are good
    TO_COMMIT,
    TO_RECLAIM
  } handoff_e;

  typedef struct packed {
    handoff_e      to;
    array_status_e status;     // of the answer
    logic [31:0]   detail;
    logic [63:0]   value;
    logic          is_mapped;
    logic          heal;
    chunk_mask_t   left;
    chunk_mask_t   good;
  } handoff_t;

  // The units.
  typedef enum logic [2:0] {
    U_WRITE,
    U_MAP_UPDATE,
    U_READ,
    U_RECONSTRUCT,
    U_REPAIR,
    U_RECLAIM,
    U_PASSTHROUGH,
    U_CONFIG
  } engine_unit_e;

  // A step that a unit asks for, until it is done.
  typedef enum logic [3:0] {
    NO_STEP,
    STEP_LOAD,  // n words from addr to the entry
    STEP_STORE,
    STEP_MOVE,
    STEP_EVENT,
    STEP_SLOT,
    STEP_IO,
    STEP_COEF_REQ,  // for coefficients
    STEP_COEF
  } array_step_e;
  typedef struct packed {
    array_step_e  op;
    logic [31:0]  addr;
    logic [5:0]   n;
    move_req_t    move;
    place_event_t place_ev;
    slot_req_t    slot;
    logic [7:0]   unit;
    disk_req_t    io;
    coef_req_t    stripe;
  } array_step_t;

  // What a unit does in a cycle beside its step; like that and j all zero while it is not at work,
  // so that those of all are OR-ed.
  typedef struct packed {
    logic                  place_we;    // the place of position j
    logic [63:0]           place;
    logic                  entry_we;
    logic [5:0]            entry_at;
    logic [63:0]           entry;
    logic                  context_we;
    context_t              ctx;
    logic                  clear;       // errors of the context
    logic                  ask;         // a placement, `one` chunk outside `exclude`
    logic                  one;
    logic [127:0] exclude;
    logic                  pick;        // takes a pick
    logic                  leave;
    handoff_t              handoff;
  } unit_out_t;

  // What a unit sees; here and old are those of its position j.
  typedef struct packed {
    logic [3:0]      c;            // number of the context
    context_t        ctx;
    chunk_mask_t     errors;       // requests of the context that failed
    logic            io_pending;   // some are under way
    logic [63:0]     here;         // device, slot, checksum
    logic [31:0]     addr;         // of the chunk in memory
    logic [63:0]     old;          // of the entry
    logic            has_version;  // of the entry: there is a version
    logic            is_mapped;
    logic [2:0][7:0] holders;
    chunk_mask_t     free;
    move_rsp_t       moved;        // of the last step of its kind
    slot_rsp_t       slot_rsp;
    coef_t           coef;
    logic            placer_idle;  // nothing that the placer does not know yet
  } unit_in_t;

  function automatic logic [5:0] ones(input chunk_mask_t v);
    ones = '0;
    for (int i = 0; i < 32; i++) ones += 6'(v[i]);
  endfunction
  function automatic logic [4:0] lowest_set(input chunk_mask_t v);
    lowest_set = '0;
    for (int i = 31; i >= 0; i--) if (v[i]) lowest_set = 5'(i);
  endfunction
  function automatic chunk_mask_t onehot(input logic [4:0] j);
    return 32'd1 << j;
  endfunction
  // The entry of a logical stripe in the map.
  function automatic logic [31:0] entry_addr(input logic [31:0] map, input logic [4:0] stride,
                                             input logic [31:0] logical);
    return map + (logical << stride);
  endfunction

  // A request for the chunk of position j.
  function automatic disk_req_t disk_req(input logic [4:0] chunk, input logic [3:0] c,
                                         input logic [23:0] slot, input logic [31:0] addr,
                                         input disk_op_e op, input logic [4:0] j);
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
  function automatic move_req_t chunk_move(input logic [4:0] chunk, input logic [31:0] crc,
                                           input logic [31:0] addr, input move_src_e from);
    chunk_move = '0;
    chunk_move.from = from;
    chunk_move.last = 1'b1;
    chunk_move.check = 1'b1;
    chunk_move.crc = crc;
    chunk_move.addr = addr;
    chunk_move.bytes = 26'd1 << chunk;
  endfunction
  function automatic handoff_t respond(input array_status_e status, input logic [31:0] detail,
                                       input logic [63:0] value);
    respond = '0;
    respond.to = TO_RESPOND;
    respond.status = status;
    respond.detail = detail;
    respond.value = value;
  endfunction
  function automatic handoff_t handoff_to(input handoff_e to);
    handoff_to = '0;
    handoff_to.to = to;
  endfunction
endpackage
