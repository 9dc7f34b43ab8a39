// SPDX-License-Identifier: Apache-2.0
//
// Records of the storage array's controller (kumi_storage): what the host asks for and is told, and
// what its parts tell each other. docs/blocks/storage.md says what each command does.
package kumi_array_pkg;

  typedef enum logic [4:0] {
    DO_SET,  // index, arg: a setting (set_e)
    DO_WRITE,  // index: logical stripe; its k chunks come as one frame
    DO_READ,  // index: logical stripe, unit: position
    DO_UNMAP,  // index: logical stripe
    DO_COMMIT,  // count: failures that the devices have been told of; arg[0]: release nothing
    DO_RELEASE,  // the last commit is safe: slots of earlier versions are free
    DO_HEAL,  // index: logical stripe; arg[0]: read and check all of it
    DO_RAW_READ,  // unit: port, arg: first sector, count: sectors; a frame
    DO_RAW_WRITE,  // the same; a frame comes
    DO_RAW_FLUSH,  // unit: port
    DO_MEM_READ,  // arg: address, count: times 512 bytes; a frame
    DO_MEM_WRITE,  // the same; a frame comes
    // unit: port, index: sectors of a command, count: commands, arg: sector; [63]: write
    DO_MEASURE,
    DO_STATE  // unit: a word of 64 devices, see state_set_e; in `value`
  } do_e;

  typedef struct packed {
    logic [15:0] tag;    // the host's name for it
    logic [2:0]  zero;
    do_e         op;
    logic [7:0]  unit;   // port, position, or which setting
    logic [31:0] index;
    logic [31:0] count;
    logic [63:0] arg;
  } array_cmd_t;

  typedef enum logic [3:0] {
    END_OK,
    END_ZERO,     // READ: not mapped, reads as zeros, no frame
    END_BAD,      // the command makes no sense
    END_SOURCE,   // the frame was marked bad or had another length
    END_NO_ROOM,  // commit, then again
    END_LOST,     // too few good chunks
    END_FAILED,   // RAW, MEASURE: by the port's reason in `detail`; WRITE: too many devices fail
    END_LOG,      // COMMIT: logs are full; STATE_FULL says whose
    END_MEMORY    // memory answered with an error
  } end_e;

  typedef struct packed {
    logic [15:0] failures;  // how often a device has failed since reset, modulo 2^16
    logic [15:0] tag;
    logic [1:0]  frames;    // that were sent for it; the last one is good if the reason is OK
    logic [1:0]  zero;
    end_e        reason;
    logic [7:0]  sent;      // frames for all commands until now, modulo 256: its last is the last
    logic [31:0] detail;
    logic [63:0] value;     // WRITE, UNMAP, HEAL: sequence number; MEASURE: cycles; STATE: a word;
                            // COMMIT: [0] slots are free, [63:32] length of the list of versions
  } array_rsp_t;

  // Which devices DO_STATE tells of: 2 * set, and 1 more for those from 64 on.
  typedef enum logic [1:0] {
    STATE_FAILED,    // since the host last set their state
    STATE_USABLE,    // get new chunks
    STATE_READABLE,  // are read
    STATE_FULL       // their logs had no room in the last COMMIT
  } state_set_e;

  // Requests to a port's mover; position and context come back.
  typedef enum logic [1:0] {
    IO_READ,
    IO_WRITE,
    IO_FLUSH
  } io_e;

  localparam logic [3:0] IO_BROKEN = 4'd15;  // beside the reasons of kumi_sata_cmd_pkg: memory

  typedef struct packed {
    logic [4:0]  position;
    logic [3:0]  context_;
    io_e         op;
    logic [16:0] sectors;
    logic [47:0] lba;
    logic [31:0] addr;      // in memory
  } io_t;

  typedef struct packed {
    logic [4:0] position;
    logic [3:0] context_;
    logic [3:0] reason;    // blk_status_e, 0: done
  } io_end_t;

  // What DO_SET sets.
  typedef enum logic [4:0] {
    SET_SHAPE,     // arg: k (4:0), p (9:8), holders (17:16); logarithms of a chunk (28:24), of a
                   // device's room for log sectors (36:32), of an entry (44:40)
    SET_STRIPES,  // index: logical stripes, arg: that may occupy slots
    SET_MEMORY,  // arg: addresses of the map (31:0) and the list of versions (63:32)
    SET_BUFFERS,  // arg: addresses of the chunks (31:0) and of log sectors (63:32)
    SET_LIMIT,  // index: versions that may wait for a commit
    SET_NUMBER,  // arg: highest sequence number in use
    SET_DATA,  // index: device, arg: first sector of its chunks
    SET_STATE,  // index: device, arg[0] usable, [1] readable, [15:8] its port, 255: none
    SET_OWNER,  // index: device, arg: owner (31:0), generation (63:32) of its log
    SET_HALF,  // index: device (7:0), arg: first sector (47:0); see SET_ROOM
    SET_ROOM,  // index: device, arg: sectors of a half (31:0), next free one (63:32)
    SET_PLACER,  // arg: place_event_t
    SET_SLOT,  // arg: slot_req_t; the answer's slot and ok are in `value`
    SET_DYNAMIC,  // index: chunks in a queue, 0: static; arg: cost of a chunk at 1 kB/s
    SET_ERRORS  // index: read errors after which a device is given up
  } set_e;

  // A move of the data engine.
  typedef enum logic [1:0] {
    FROM_HOST,
    FROM_MEMORY,
    FROM_PARITY
  } from_e;
  typedef struct packed {
    from_e from;
    logic        to_memory;
    logic        to_host;
    logic        to_parity;
    logic        last;       // it ends a frame of the host, either way
    logic        check;      // compare with `crc`; a frame to the host is marked bad if it differs
    logic [31:0] crc;
    logic [31:0] addr;
    logic [25:0] bytes;      // a multiple of 512
  } move_t;

  typedef struct packed {
    logic        bad;      // source bad, too long or short, memory error
    logic        differs;  // checked, another checksum
    logic [31:0] crc;
  } moved_t;
endpackage
