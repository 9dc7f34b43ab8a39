// SPDX-License-Identifier: Apache-2.0
//
// Records of the storage array controller (kumi_storage): host commands and responses, and the
// requests between its units. docs/blocks/storage.md describes each command.
package kumi_array_pkg;
  localparam int MEM_ADDR_W = 40;  // bits of an address of the controller's memory
  typedef logic [MEM_ADDR_W-1:0] mem_addr_t;

  typedef enum logic [4:0] {
    CMD_SET,  // unit: array_param_e; index, arg: its value
    CMD_WRITE,  // index: logical stripe; one frame with its k chunks
    CMD_READ,  // index: logical stripe, unit: position
    CMD_UNMAP,  // index: logical stripe
    CMD_COMMIT,  // count: device failures recorded in the superblocks; arg[0]: free nothing
    CMD_RECLAIM,  // frees the slots of superseded versions after a commit
    CMD_REPAIR,  // index: logical stripe; arg[0]: read and verify all of it
    CMD_RAW_READ,  // unit: port, arg: first sector, count: sectors; returns a frame
    CMD_RAW_WRITE,  // the same, with a frame
    CMD_RAW_FLUSH,  // unit: port
    CMD_MEM_READ,  // arg: address, count: units of 512 bytes; returns a frame
    CMD_MEM_WRITE,  // the same, with a frame
    // unit: port, index: sectors of a command, count: commands, arg: sector; [63]: write
    CMD_SPEED_TEST,
    CMD_GET_STATE  // unit: a word of 64 devices, see array_query_e; in `value`
  } array_op_e;

  typedef struct packed {
    logic [15:0] tag;    // chosen by the host
    logic [2:0]  zero;
    array_op_e   op;
    logic [7:0]  unit;   // port, position, or parameter
    logic [31:0] index;
    logic [31:0] count;
    logic [63:0] arg;
  } array_cmd_t;

  typedef enum logic [3:0] {
    STATUS_OK,
    STATUS_UNMAPPED,   // READ: not mapped, reads as zeros, no frame
    STATUS_INVALID,    // invalid command or argument
    STATUS_BAD_FRAME,  // the frame was marked bad or of the wrong length
    STATUS_NO_SPACE,   // commit, then retry
    STATUS_DATA_LOST,  // too few good chunks
    STATUS_IO_ERROR,   // RAW, SPEED_TEST: blk_status_e in `detail`; WRITE: too many failures
    STATUS_LOG_FULL,   // COMMIT: a log is full, see QUERY_LOG_FULL
    STATUS_MEM_ERROR   // memory error
  } array_status_e;

  typedef struct packed {
    logic [15:0] failures;  // device failures since reset, modulo 2^16
    logic [15:0] tag;
    logic [1:0] frames;  // sent for this command; the last one is good if status is OK
    logic [1:0] zero;
    array_status_e status;
    logic [7:0] sent;  // frames sent for all commands so far, modulo 256
    logic [31:0] detail;
    logic [63:0] value;  // WRITE, UNMAP, REPAIR: sequence number; SPEED_TEST: cycles;
                         // GET_STATE: a word; COMMIT: [0] slots freed, [63:32] list length
  } array_rsp_t;

  // State vectors of CMD_GET_STATE: unit is 2 * query, plus 1 for devices from 64 on.
  typedef enum logic [1:0] {
    QUERY_FAILED,    // since the host last set their state
    QUERY_USABLE,    // accept new chunks
    QUERY_READABLE,  // are read
    QUERY_LOG_FULL   // lacked log space in the last COMMIT
  } array_query_e;

  // Requests to kumi_array_port_dma; position and context are returned.
  typedef enum logic [1:0] {
    DISK_READ,
    DISK_WRITE,
    DISK_FLUSH
  } disk_op_e;

  localparam logic [3:0] DISK_MEM_ERROR = 4'd15;  // memory error, beside blk_status_e

  typedef struct packed {
    logic [4:0]  position;
    logic [3:0]  context_;
    disk_op_e    op;
    logic [16:0] sectors;
    logic [47:0] lba;
    mem_addr_t   addr;      // in memory
  } disk_req_t;

  typedef struct packed {
    logic [4:0] position;
    logic [3:0] context_;
    logic [3:0] status;    // blk_status_e or DISK_MEM_ERROR
  } disk_rsp_t;

  // Parameters of CMD_SET.
  typedef enum logic [4:0] {
    PARAM_GEOMETRY,  // arg: k (4:0), p (9:8), replicas (17:16); log2 of a chunk (28:24), of a
    // device's log buffer (36:32), of an entry (44:40)
    PARAM_STRIPES,  // index: logical stripes, arg: stripes that may occupy slots
    PARAM_AREA,  // index: array_area_e, arg: its address
    PARAM_DIRTY_LIMIT,  // index: maximum of uncommitted versions
    PARAM_SEQ,  // arg: highest sequence number in use
    PARAM_DEV_DATA,  // index: device, arg: first sector of its chunks
    PARAM_DEV_STATE,  // index: device, arg[0] usable, [1] readable, [15:8] its port, 255: none
    PARAM_LOG_OWNER,  // index: device, arg: owner (31:0), generation (63:32) of its log
    PARAM_LOG_BASE,  // index: device (7:0), arg: first sector (47:0); see PARAM_LOG_SPACE
    PARAM_LOG_SPACE,  // index: device, arg: sectors of a half (31:0), next free one (63:32)
    PARAM_PLACER_EVENT,  // arg: place_event_t
    PARAM_SLOT_OP,  // arg: slot_req_t; its response is in `value`
    PARAM_DYNAMIC,  // index: chunks in a queue, 0: static; arg: cost of a chunk at 1 kB/s
    PARAM_READ_ERRORS  // index: read errors after which a device fails
  } array_param_e;

  // Areas of memory.
  typedef enum logic [2:0] {
    AREA_MAP,
    AREA_LIST,   // superseded versions
    AREA_STAGE,  // chunk buffers
    AREA_LOG,    // log buffers
    AREA_SLOTS,  // slot bitmaps; no device has slots afterwards
    AREA_DIRTY   // dirty bitmap; no stripe is dirty afterwards
  } array_area_e;

  // A move of the data mover.
  typedef enum logic [1:0] {
    MOVE_FROM_HOST,
    MOVE_FROM_MEMORY,
    MOVE_FROM_PARITY
  } move_src_e;
  typedef struct packed {
    move_src_e from;
    logic to_memory;
    logic to_host;
    logic to_parity;
    logic last;  // it ends a host frame, in either direction
    logic check;  // compare with `crc`; a frame to the host is marked bad if it differs
    logic result;  // from parity: number of the result; each has a checksum
    logic resume;  // the checksum continues that of the last move of this result
    logic [31:0] crc;
    mem_addr_t addr;
    logic [25:0] bytes;  // a multiple of 512
  } move_req_t;

  typedef struct packed {
    logic        bad;      // source bad, too long or short, or a memory error
    logic        differs;  // checked, and the checksum differs
    logic [31:0] crc;
  } move_rsp_t;
endpackage
