// SPDX-License-Identifier: Apache-2.0
//
// What the parts of kumi_sata_cmd_seq tell each other.
package kumi_sata_cmd_seq_pkg;

  // How far the device is.
  typedef enum logic [2:0] {
    DEV_OFF,  // no link
    DEV_SIGNATURE,  // link up, signature awaited
    DEV_INIT,  // being identified and set up
    DEV_READY,
    DEV_UNSUPPORTED  // no ATA disk
  } dev_state_e;

  // Commands of our own, in their order after the signature; INIT_READ_LOG after a queued command failed.
  typedef enum logic [2:0] {
    INIT_IDENTIFY,
    INIT_XFER_MODE,
    INIT_ACTIVATE,
    INIT_CACHE,
    INIT_DONE,  // none is left
    INIT_READ_LOG
  } init_step_e;

  // The data phase that is open.
  typedef enum logic [1:0] {
    PHASE_NONE,
    PHASE_TO_HOST,
    PHASE_TO_DEVICE,
    PHASE_DISCARD  // data to the host that no longer have a place
  } phase_dir_e;

  typedef struct packed {
    phase_dir_e  dir;
    logic [4:0]  slot;
    logic [15:0] tag;
    logic [24:0] offset;     // of the next byte, in the request's data
    logic [25:0] left;       // bytes to come
    logic        activated;  // the device waits for a Data FIS
    logic        user;       // data to the host are the user's, not ours
    logic        trim;       // data to the device are ranges
    logic        pio;
  } data_phase_t;

  // What becomes of a slot, or of all.
  typedef enum logic [2:0] {
    SLOT_KEEP,
    SLOT_ALLOC,        // a new request is in it
    SLOT_ISSUE,        // given to the device
    SLOT_COMPLETE,     // no longer in the device
    SLOT_REQUEUE,      // to be given to the device again
    SLOT_FREE,
    SLOT_REQUEUE_ALL,  // as BACK, all that are in the device and not done
    SLOT_DONE_ALL      // all that are in the device
  } sata_slot_op_e;

  // What the sequencer does next, first come first.
  typedef enum logic [3:0] {
    ACT_NONE,
    ACT_RECOVER,    // begin anew
    ACT_LINK_UP,    // a link is there
    ACT_TX_END,    // see what became of what we sent
    ACT_DROP_FRAME,    // throw a frame of the user away
    ACT_DROP_END, // all are thrown away
    ACT_RX_FIS,     // see what has come
    ACT_DONE,    // a queued command is done
    ACT_TIMEOUT,    // the device takes too long while it is set up
    ACT_READ_LOG,     // read the error log
    ACT_INIT_STEP,    // a command of our own, which has waited
    ACT_RESEND,  // a command again that the link gave back
    ACT_DATA,    // a Data FIS
    ACT_NO_DEVICE,    // say that there is no device
    ACT_REISSUE,   // give a request to the device that was there before
    ACT_ACCEPT   // a new request
  } seq_action_e;

  // Steps of an event.
  typedef enum logic [4:0] {
    IDLE,
    SETTLE,       // what depends on the sets of slots becomes right
    TX_END,       // a FIS of ours has ended
    RX_FIS,       // a record of the device
    SEGMENT,      // data: where they belong is told to the user
    ADVANCE,      // bytes have moved
    LOAD,         // the request of a slot
    SETUP,        // DMA Setup
    ACCEPT,       // a new request
    CHECK,
    INIT_NEXT,    // of the commands that prepare the device
    ISSUE,
    HOLD_SRST,    // SRST is set
    DONE,         // the device says so
    FINISH,       // of a command that ran alone
    LOG_RESULT,   // the error log
    RETRY_CHECK,  // an error: again or not
    REPLY,
    LINK_RESET,
    DRAIN,
    REQUEUE
  } seq_step_e;

  // What the sequencer remembers between events.
  typedef struct packed {
    logic alone;  // a command that runs alone is in the device
    logic internal;  // it is our own
    logic busy;  // BSY: no command may be sent
    logic error;  // a queued command has failed, the log is to be read
    logic next;  // a command of our own waits until the device is silent
    logic resend;  // a command waits until the device, which was first, has no data phase open
    logic flush;  // frames of the user are to be thrown away
  } seq_flags_t;

  // What a FIS means, and what follows from it.
  typedef struct packed {
    logic stray;      // nothing
    logic protocol;   // a breach
    logic signature;  // of a device that has begun
    logic disk;       // and it is an ATA disk
    logic finish;     // the command that runs alone is over
    logic failed;     // a queued command has failed
    logic unbusy;     // BSY is clear
    logic close;      // the data phase is over
    logic flush;      // and frames of the user are left over
    logic activate;   // the device waits for a Data FIS
    logic done;       // queued commands are done
    logic status;     // PIO Setup: the status at the end of its data
    logic segment;    // data, which have a place
    logic advance;    // data have come
    logic spoil;      // data have come bad
  } fis_effect_t;
endpackage
