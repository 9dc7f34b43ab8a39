// SPDX-License-Identifier: Apache-2.0
//
// Records of the storage array's controller (kumi_storage): what the host asks for and is told, and
// what its parts tell each other. docs/blocks/storage.md says what each command does.
package kumi_array_pkg;

  typedef enum logic [4:0] {
    CMD_SET,  // index, arg: a setting (array_param_e)
    CMD_WRITE,  // index: logical stripe; its k chunks come as one frame
    CMD_READ,  // index: logical stripe, unit: position
    CMD_UNMAP,  // index: logical stripe
    CMD_COMMIT,  // count: failures that the devices have been told of; arg[0]: release nothing
    CMD_RECLAIM,  // the last commit is safe: slots of earlier versions are free
    CMD_REPAIR,  // index: logical stripe; arg[0]: read and check all of it
    CMD_RAW_READ,  // unit: port, arg: first sector, count: sectors; a frame
    CMD_RAW_WRITE,  // the same; a frame comes
    CMD_RAW_FLUSH,  // unit: port
    CMD_MEM_READ,  // arg: address, count: times 512 bytes; a frame
    CMD_MEM_WRITE,  // the same; a frame comes
    // unit: port, index: sectors of a command, count: commands, arg: sector; [63]: write
    CMD_SPEED_TEST,
    CMD_GET_STATE  // unit: a word of 64 devices, see array_query_e; in `value`
  } array_op_e;

  typedef struct packed {
    logic [15:0] tag;    // the host's name for it
    logic [2:0]  zero;
    array_op_e   op;
    logic [7:0]  unit;   // port, position, or which setting
    logic [31:0] index;
    logic [31:0] count;
    logic [63:0] arg;
  } array_cmd_t;

  typedef enum logic [3:0] {
    STATUS_OK,
    STATUS_UNMAPPED,  // READ: not mapped, reads as zeros, no frame
    STATUS_INVALID,  // the command makes no sense
    STATUS_BAD_FRAME,  // the frame was marked bad or had another length
    STATUS_NO_SPACE,  // commit, then again
    STATUS_DATA_LOST,  // too few good chunks
    STATUS_IO_ERROR,   // RAW, MEASURE: by the port's reason in `detail`; WRITE: too many devices fail
    STATUS_LOG_FULL,  // COMMIT: logs are full; QUERY_LOG_FULL says whose
    STATUS_MEM_ERROR  // memory answered with an error
  } array_status_e;

  typedef struct packed {
    logic [15:0] failures;  // how often a device has failed since reset, modulo 2^16
    logic [15:0] tag;
    logic [1:0] frames;  // that were sent for it; the last one is good if the reason is OK
    logic [1:0] zero;
    array_status_e status;
    logic [7:0] sent;  // frames for all commands until now, modulo 256: its last is the last
    logic [31:0] detail;
    logic [63:0] value;  // WRITE, UNMAP, HEAL: sequence number; MEASURE: cycles; STATE: a word;
                         // COMMIT: [0] slots are free, [63:32] length of the list of versions
  } array_rsp_t;

  // Which devices CMD_GET_STATE tells of: 2 * set, and 1 more for those from 64 on.
  typedef enum logic [1:0] {
    QUERY_FAILED,    // since the host last set their state
    QUERY_USABLE,    // get new chunks
    QUERY_READABLE,  // are read
    QUERY_LOG_FULL   // their logs had no room in the last COMMIT
  } array_query_e;

  // Requests to a port's mover; position and context come back.
  typedef enum logic [1:0] {
    DISK_READ,
    DISK_WRITE,
    DISK_FLUSH
  } disk_op_e;

  localparam logic [3:0] DISK_MEM_ERROR = 4'd15;  // beside the reasons of kumi_sata_cmd_pkg: memory

  typedef struct packed {
    logic [4:0]  position;
    logic [3:0]  context_;
    disk_op_e    op;
    logic [16:0] sectors;
    logic [47:0] lba;
    logic [31:0] addr;      // in memory
  } disk_req_t;

  typedef struct packed {
    logic [4:0] position;
    logic [3:0] context_;
    logic [3:0] status;    // blk_status_e, 0: done
  } disk_rsp_t;

  // What CMD_SET sets.
  typedef enum logic [4:0] {
    PARAM_GEOMETRY,  // arg: k (4:0), p (9:8), holders (17:16); logarithms of a chunk (28:24), of a
    // device's room for log sectors (36:32), of an entry (44:40)
    PARAM_STRIPES,  // index: logical stripes, arg: that may occupy slots
    PARAM_MAP_ADDR,  // arg: addresses of the map (31:0) and the list of versions (63:32)
    PARAM_BUF_ADDR,  // arg: addresses of the chunks (31:0) and of log sectors (63:32)
    PARAM_DIRTY_LIMIT,  // index: versions that may wait for a commit
    PARAM_SEQ,  // arg: highest sequence number in use
    PARAM_DEV_DATA,  // index: device, arg: first sector of its chunks
    PARAM_DEV_STATE,  // index: device, arg[0] usable, [1] readable, [15:8] its port, 255: none
    PARAM_LOG_OWNER,  // index: device, arg: owner (31:0), generation (63:32) of its log
    PARAM_LOG_BASE,  // index: device (7:0), arg: first sector (47:0); see PARAM_LOG_SPACE
    PARAM_LOG_SPACE,  // index: device, arg: sectors of a half (31:0), next free one (63:32)
    PARAM_PLACER_EVENT,  // arg: place_event_t
    PARAM_SLOT_OP,  // arg: slot_req_t; the answer's slot and ok are in `value`
    PARAM_DYNAMIC,  // index: chunks in a queue, 0: static; arg: cost of a chunk at 1 kB/s
    PARAM_READ_ERRORS  // index: read errors after which a device is given up
  } array_param_e;

  // A move of the data engine.
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
    logic last;  // it ends a frame of the host, either way
    logic check;  // compare with `crc`; a frame to the host is marked bad if it differs
    logic [31:0] crc;
    logic [31:0] addr;
    logic [25:0] bytes;  // a multiple of 512
  } move_req_t;

  typedef struct packed {
    logic        bad;      // source bad, too long or short, memory error
    logic        differs;  // checked, another checksum
    logic [31:0] crc;
  } move_rsp_t;
endpackage
