// SPDX-License-Identifier: Apache-2.0
//
// Records between the units of the storage controller: parity coefficients, placement, slots, log
// sectors. Terms are those of docs/storage-layout.md.
package kumi_storage_pkg;
  // Coefficient request: the lost chunks. To compute parity, P and Q are the lost ones.
  typedef struct packed {
    logic [1:0] want;   // bit n: compute lost_n
    logic       two;    // two chunks are lost, lost1 is one of them
    logic [4:0] lost1;  // position, greater than lost0
    logic [4:0] lost0;  // position
    logic [1:0] p;      // parity chunks per stripe
    logic [4:0] k;      // data chunks per stripe
  } coef_req_t;

  // Coefficients of one chunk to read, by position.
  typedef struct packed {
    logic       bad;       // the request cannot be met; a single record
    logic       last;      // of this request
    logic [1:0] want;      // that of the request
    logic [4:0] position;
    logic [7:0] b;         // lost1 is the sum of b * chunk
    logic [7:0] a;         // lost0 is the sum of a * chunk
  } coef_t;

  typedef enum logic [3:0] {
    PL_START,    // reset: no usable device, no stripes, zero shares
    PL_CLEAR,    // zero shares: after new rates, and when a device has joined
    PL_USABLE,   // device: value[0]
    PL_ROOM,     // device: value = number of free slots
    PL_RATE,     // device: value = kB/s
    PL_CLAIM,    // device: one free slot fewer
    PL_RELEASE,  // device: one free slot more
    PL_QUEUED,   // device: one more queued (picks count by themselves)
    PL_SERVED,   // device: one fewer queued; it took value cycles, 0: unknown
    PL_OCCUPY,   // one more stripe occupies slots (picks count by themselves)
    PL_VACATE    // one stripe fewer
  } place_op_e;

  typedef struct packed {
    place_op_e   op;
    logic [7:0]  device;
    logic [31:0] value;
  } place_event_t;

  typedef struct packed {
    logic                  one;    // one more chunk for a stripe instead of a whole stripe
    logic [4:0]            least;  // whole stripe: minimum number of devices
    logic [127:0] exclude;         // one: excluded devices
  } place_req_t;

  typedef enum logic [1:0] {
    PICKED,
    QUEUES_FULL,
    NO_SPACE
  } place_outcome_e;

  typedef struct packed {
    place_outcome_e outcome;
    logic           last;      // last record of this request
    logic [4:0]     count;     // number of positions of this stripe
    logic [4:0]     position;
    logic [7:0]     device;
  } place_pick_t;

  typedef enum logic [2:0] {
    SL_CLAIM,    // claim a free slot
    SL_RELEASE,  // release it
    SL_SET,      // mark as taken, from the log
    SL_TEST,     // test whether taken
    SL_SIZE      // set the number of slots, all free
  } slot_op_e;

  typedef struct packed {
    slot_op_e    op;
    logic [7:0]  device;
    logic [24:0] slot;    // SL_SIZE: number of slots
  } slot_req_t;

  typedef struct packed {
    logic        bad;   // memory error; nothing has changed
    logic        ok;
    logic [23:0] slot;
  } slot_rsp_t;

  typedef struct packed {
    logic        head;        // a head sector instead of a commit
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
