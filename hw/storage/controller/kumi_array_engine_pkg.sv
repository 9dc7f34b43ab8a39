// SPDX-License-Identifier: Apache-2.0
//
// Interface between the units of the command engine (kumi_array_engine). One unit is active at a
// time and hands over to the next.
package kumi_array_engine_pkg;
  import kumi_array_pkg::*;
  import kumi_storage_pkg::*;

  localparam logic [7:0] ABSENT = 8'hff;  // device number of an unwritten position

  typedef logic [31:0] chunk_mask_t;  // one bit per position
  typedef logic [21:0] chunk_offset_t;  // bytes in a chunk
  typedef logic [12:0] chunk_piece_t;  // number of a piece of a chunk: 4 MiB in pieces of 512

  // Parameters.
  typedef struct packed {
    logic [4:0]   k;
    logic [1:0]   p;
    logic [4:0]   width;       // k + p
    logic [1:0]   holders;
    chunk_piece_t last_piece;  // pieces of a chunk in the parity engine, minus one
    logic [4:0]   piece;       // log2 of: a piece, a chunk, a device's log buffer, an entry
    logic [4:0]   chunk;
    logic [4:0]   log_room;
    logic [4:0]   stride;
    logic [31:0]  stripes;
    logic [31:0]  physical;
    mem_addr_t    map;         // addresses
    mem_addr_t    list;
    mem_addr_t    stage;
    mem_addr_t    log;
    mem_addr_t    slots;
    mem_addr_t    dirty;
    logic [31:0]  limit;
    logic [31:0]  errors;
    logic [7:0]   depth;
    logic [47:0]  unit;
  } array_cfg_t;

  typedef enum logic [1:0] {
    CTX_FREE,
    CTX_PLACING,  // waiting for queue space
    CTX_BUSY      // ready when no I/O is outstanding
  } context_state_e;
  typedef enum logic [2:0] {
    KIND_WRITE,
    KIND_READ,
    KIND_RECONSTRUCT,
    KIND_VERIFY,
    KIND_REPAIR,
    KIND_COMMIT,  // running in kumi_array_commit, or finished
    KIND_RAW
  } context_kind_e;

  // A command in progress.
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

  // Hand-over targets: next unit and entry state.
  typedef enum logic [4:0] {
    TO_IDLE,
    TO_RESPOND,
    TO_WRITE,  // receive a frame
    TO_DROP,  // discard a frame, then respond
    TO_PLACE,  // place a stripe whose chunks are in memory
    TO_ISSUE,  // issue the writes, places are known
    TO_WRITTEN,  // the writes of a WRITE have completed
    TO_REPAIRED,  // the writes of a REPAIR have completed
    TO_UNDO,  // release the places in `left`
    TO_ABANDON,  // a slot could not be claimed: release the places in `left`; of those in `good`,
                 // which are among them, no slot was claimed
    TO_SUPERSEDE,  // install a new version
    TO_READ,
    TO_RETURN,  // return the chunk in memory to the host
    TO_RECONSTRUCT,
    TO_VERIFY,  // verify the chunks read
    TO_PARITY,  // compute the chunks in `left`
    TO_REPAIR,
    TO_RELOCATE,  // relocate, the good chunks are known
    TO_COMMIT,
    TO_RECLAIM
  } handoff_e;

  typedef struct packed {
    handoff_e      to;
    array_status_e status;     // of the response
    logic [31:0]   detail;
    logic [63:0]   value;
    logic          is_mapped;
    logic          heal;
    chunk_mask_t   left;
    chunk_mask_t   good;
  } handoff_t;

  // The units.
  localparam int ENGINE_UNITS = 9;
  typedef enum logic [3:0] {
    U_WRITE,
    U_MAP_UPDATE,
    U_READ,
    U_RECONSTRUCT,
    U_REPAIR,
    U_RECLAIM,
    U_PASSTHROUGH,
    U_CONFIG,
    U_PARITY
  } engine_unit_e;

  // Step requested by a unit, held until done.
  typedef enum logic [3:0] {
    NO_STEP,
    STEP_LOAD,  // n words from addr to the entry
    STEP_STORE,
    STEP_MOVE,
    STEP_EVENT,
    STEP_SLOT,
    STEP_DIRTY,  // prepare the dirty bit of the context's stripe
    STEP_IO,
    STEP_COEF_REQ,  // request coefficients
    STEP_COEF
  } array_step_e;
  typedef struct packed {
    array_step_e  op;
    mem_addr_t    addr;
    logic [5:0]   n;
    move_req_t    move;
    place_event_t place_ev;
    slot_req_t    slot;
    logic [7:0]   unit;
    disk_req_t    io;
    coef_req_t    stripe;
  } array_step_t;

  // Outputs of a unit besides its step; all zero while it is idle, like step and j: the outputs of
  // all units are ORed.
  typedef struct packed {
    logic place_we;  // write the place of position j
    logic [63:0] place;
    logic entry_we;
    logic [5:0] entry_at;
    logic [63:0] entry;
    logic context_we;
    context_t ctx;
    logic clear;  // clear the errors of the context
    logic ask;  // request a placement, with `one` a single chunk outside `exclude`
    logic one;
    logic [127:0] exclude;
    logic pick;  // accept a pick
    logic leave;
    handoff_t handoff;
  } unit_out_t;

  // Inputs of a unit; here and old are those of position j.
  typedef struct packed {
    logic [3:0]      c;            // number of the context
    context_t        ctx;
    chunk_mask_t     errors;       // failed I/O of the context
    logic            io_pending;   // I/O outstanding
    logic [63:0]     here;         // device, slot, checksum
    mem_addr_t       addr;         // of the chunk in memory
    logic [63:0]     old;          // of the entry
    logic            has_version;  // of the entry: a version exists
    logic            is_mapped;
    logic [2:0][7:0] holders;
    chunk_mask_t     free;
    move_rsp_t       moved;        // of the last step of its kind
    slot_rsp_t       slot_rsp;
    coef_t           coef;
    logic            placer_idle;  // the placer has consumed all events
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
  // Address of the map entry of a logical stripe.
  function automatic mem_addr_t entry_addr(input mem_addr_t map, input logic [4:0] stride,
                                           input logic [31:0] logical);
    return map + (mem_addr_t'(logical) << stride);
  endfunction

  // Device request for the chunk of position j.
  function automatic disk_req_t disk_req(input logic [4:0] chunk, input logic [3:0] c,
                                         input logic [23:0] slot, input mem_addr_t addr,
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
  // Move of one chunk, or of a piece of 2^chunk bytes, in a frame of its own, checked.
  function automatic move_req_t chunk_move(input logic [4:0] chunk, input logic [31:0] crc,
                                           input mem_addr_t addr, input move_src_e from);
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
