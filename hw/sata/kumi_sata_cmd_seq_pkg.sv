// SPDX-License-Identifier: Apache-2.0
//
// Types shared by the parts of the command sequencer (kumi_sata_cmd_seq).
package kumi_sata_cmd_seq_pkg;

  // Device state.
  typedef enum logic [2:0] {
    DEV_OFF,  // no link
    DEV_SIGNATURE,  // link up, signature awaited
    DEV_INIT,  // being identified and configured
    DEV_READY,
    DEV_UNSUPPORTED  // not an ATA disk
  } dev_state_e;

  // Internal commands in order after the signature; INIT_READ_LOG after a failed queued command.
  typedef enum logic [2:0] {
    INIT_IDENTIFY,
    INIT_XFER_MODE,
    INIT_ACTIVATE,
    INIT_CACHE,
    INIT_DONE,  // all done
    INIT_READ_LOG
  } init_step_e;

  // Direction of the current data phase.
  typedef enum logic [1:0] {
    PHASE_NONE,
    PHASE_TO_HOST,
    PHASE_TO_DEVICE,
    PHASE_DISCARD  // data to the host to be discarded
  } phase_dir_e;

  typedef struct packed {
    phase_dir_e  dir;
    logic [4:0]  slot;
    logic [15:0] tag;
    logic [22:0] offset;     // of the next 32-bit word, within the request's data
    logic [23:0] left;       // words left
    logic        activated;  // the device waits for a Data FIS
    logic        user;       // data to the host belongs to the user, not to an internal command
    logic        trim;       // data to the device is a range list
    logic        pio;
  } data_phase_t;

  // Operations on one slot or all.
  typedef enum logic [2:0] {
    SLOT_KEEP,
    SLOT_ISSUE,        // issued to the device
    SLOT_COMPLETE,     // done
    SLOT_REQUEUE,      // to be issued again
    SLOT_FREE,
    SLOT_REQUEUE_ALL,  // all that are issued and not done
    SLOT_DONE_ALL      // all that are issued
  } sata_slot_op_e;

  // State of a slot. A request that has been accepted and neither issued nor answered is in none:
  // its slot counts as free until the sequencer has decided.
  localparam logic [1:0] SLOT_IS_FREE = 2'b00;
  localparam logic [1:0] SLOT_IS_WAITING = 2'b01;  // to be issued again
  localparam logic [1:0] SLOT_IS_ISSUED = 2'b10;
  localparam logic [1:0] SLOT_IS_DONE = 2'b11;

  // Actions of the sequencer, by descending priority.
  typedef enum logic [3:0] {
    ACT_NONE,
    ACT_RECOVER,    // reset the link and recover
    ACT_LINK_UP,    // the link has come up
    ACT_TX_END,    // a transmission has ended
    ACT_DROP_FRAME,    // discard a frame of the user
    ACT_DROP_END, // all frames are discarded
    ACT_RX_FIS,     // a FIS has been received
    ACT_DONE,    // a queued command has completed
    ACT_TIMEOUT,    // device initialisation timed out
    ACT_READ_LOG,     // read the NCQ error log
    ACT_INIT_STEP,    // a pending internal command
    ACT_RESEND,  // resend a command that the link returned
    ACT_DATA,    // a Data FIS
    ACT_NO_DEVICE,    // fail a request without a device
    ACT_REISSUE,   // issue a waiting request again
    ACT_ACCEPT   // a new request
  } seq_action_e;

  // Steps of handling an event.
  typedef enum logic [4:0] {
    IDLE,
    SETTLE,       // wait for the slot table's registered outputs
    TX_END,       // a transmission has ended
    RX_FIS,       // a FIS record
    SEGMENT,      // announce read data to the user
    ADVANCE,      // account transferred bytes
    LOAD,         // load the request of a slot
    SETUP,        // DMA Setup: check
    SETUP_END,    // result of the check
    ACCEPT,       // a new request
    RANGE_LOW,    // its range is checked
    RANGE_HIGH,
    CHECK,
    INIT_NEXT,    // next internal command
    ISSUE,
    SEND,         // the FIS is built from the request
    HOLD_SRST,    // SRST is asserted
    DONE,         // a request has completed
    FINISH,       // end of an exclusive command
    LOG_RESULT,   // evaluate the NCQ error log
    RETRY_CHECK,  // retry or fail
    REPLY,
    LINK_RESET,
    DRAIN,
    REQUEUE
  } seq_step_e;

  // State kept between events.
  typedef struct packed {
    logic alone;  // an exclusive command is issued
    logic internal;  // it is an internal one
    logic busy;  // BSY: no command may be sent
    logic error;  // a queued command has failed, the error log must be read
    logic next;  // an internal command waits for the device to be silent
    logic resend;  // a command yielded to the device and waits for the end of its data phase
    logic flush;  // frames of the user must be discarded
  } seq_flags_t;

  // Effect of a received FIS.
  typedef struct packed {
    logic stray;      // no effect
    logic protocol;   // illegal in this state
    logic signature;  // device signature
    logic disk;       // of an ATA disk
    logic finish;     // the exclusive command has ended
    logic failed;     // a queued command has failed
    logic unbusy;     // BSY is clear
    logic close;      // the data phase ends
    logic flush;      // frames of the user are left over
    logic activate;   // the device waits for a Data FIS
    logic done;       // queued commands have completed
    logic status;     // PIO Setup: holds the status at the end of the data
    logic segment;    // data to be delivered
    logic advance;    // data received
    logic spoil;      // data received with errors
  } fis_effect_t;
endpackage
