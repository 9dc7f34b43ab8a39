// SPDX-License-Identifier: Apache-2.0
//
// Records between the units of a storage array. The words are those of docs/storage-layout.md.
package kumi_storage_pkg;
  // Check chunks: what is to be made. To make P and Q, they are the ones that are lost.
  typedef struct packed {
    logic [1:0] want;   // bit n: make lost_n
    logic       two;    // two chunks are lost, lost1 is one of them
    logic [4:0] lost1;  // position, greater than lost0
    logic [4:0] lost0;  // position
    logic [1:0] p;      // check chunks of a stripe
    logic [4:0] k;      // data chunks of a stripe
  } coef_req_t;

  // One chunk that is to be read for it, in the order of positions.
  typedef struct packed {
    logic       bad;       // the request cannot be met; the only record
    logic       last;      // of this request
    logic [1:0] want;      // that of the request
    logic [4:0] position;
    logic [7:0] b;         // lost1 is the sum of b * chunk
    logic [7:0] a;         // lost0 is the sum of a * chunk
  } coef_t;

  typedef enum logic [3:0] {
    PL_START,    // no device is usable, no stripe is there; shares from zero
    PL_CLEAR,    // shares from zero: after new rates, and when a device has joined
    PL_USABLE,   // device: value[0]
    PL_ROOM,     // device: value free slots
    PL_RATE,     // device: value kB/s
    PL_CLAIM,    // device: one free slot less
    PL_RELEASE,  // device: one free slot more
    PL_QUEUED,   // device: one more in its queue (a pick counts by itself)
    PL_SERVED,   // device: one less in its queue; it took value cycles, 0: not known
    PL_OCCUPY,   // one more stripe occupies slots (a picked one counts by itself)
    PL_VACATE    // one less
  } place_op_e;

  typedef struct packed {
    place_op_e   op;
    logic [7:0]  device;
    logic [31:0] value;
  } place_event_t;

  typedef struct packed {
    logic                  one;    // one more chunk for a stripe, and not a whole stripe
    logic [4:0]            least;  // whole stripe: fewest devices
    logic [127:0] exclude;         // one: devices that may not be taken
  } place_req_t;

  typedef enum logic [1:0] {
    PICKED,
    QUEUES_FULL,
    NO_SPACE
  } place_outcome_e;

  typedef struct packed {
    place_outcome_e outcome;
    logic           last;      // record of this request
    logic [4:0]     count;     // positions of this stripe
    logic [4:0]     position;
    logic [7:0]     device;
  } place_pick_t;

  typedef enum logic [2:0] {
    SL_CLAIM,    // give a free slot
    SL_RELEASE,  // take it back
    SL_SET,      // it is taken, as the log says
    SL_TEST,     // is it taken?
    SL_SIZE      // the device has so many slots, all of them free
  } slot_op_e;

  typedef struct packed {
    slot_op_e    op;
    logic [7:0]  device;
    logic [24:0] slot;    // SL_SIZE: how many
  } slot_req_t;

  typedef struct packed {
    logic        ok;
    logic [23:0] slot;
  } slot_rsp_t;

  typedef struct packed {
    logic        head;        // a head sector, and not a commit
    logic [4:0]  w;           // positions of a record
    logic [31:0] owner;
    logic [31:0] generation;
    logic [31:0] index;       // of the commit's first sector
    logic [31:0] count;       // records; head: sectors of the checkpoint
    logic [63:0] seq;         // head: highest sequence number in use
  } log_cmd_t;

  // Records of w positions in a log sector: 60 words of 8 bytes, 2 + w a record.
  typedef logic [31:0][4:0] fit_t;
  function automatic fit_t fits();
    fit_t t;
    t = '0;
    for (int w = 1; w < 32; w++) t[w] = 5'(60 / (2 + w));
    return t;
  endfunction
  localparam fit_t FIT = fits();

  function automatic logic [4:0] records_a_sector(input logic [4:0] w);
    return FIT[w];
  endfunction
endpackage
