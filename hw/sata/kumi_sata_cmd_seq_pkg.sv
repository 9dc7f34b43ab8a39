// SPDX-License-Identifier: Apache-2.0
//
// What the parts of kumi_sata_cmd_seq tell each other.
package kumi_sata_cmd_seq_pkg;

  // How far the device is.
  typedef enum logic [2:0] {
    OFF,   // no link
    SIGN,  // link up, signature awaited
    PREP,  // being identified and set up
    RUN,
    SICK   // no ATA disk
  } place_e;

  // Commands of our own, in their order after the signature; OWN_LOG after a queued command failed.
  typedef enum logic [2:0] {
    OWN_IDENTIFY,
    OWN_MODE,
    OWN_ACTIVATE,
    OWN_CACHE,
    OWN_END,  // none is left
    OWN_LOG
  } own_e;

  // The data phase that is open.
  typedef enum logic [1:0] {
    NO_PHASE,
    TO_HOST,
    TO_DEVICE,
    SPOILT  // data to the host that no longer have a place
  } phase_e;

  typedef struct packed {
    phase_e      dir;
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
    SLOT_TAKE,      // a new request is in it
    SLOT_GIVE,      // given to the device
    SLOT_OUT,       // no longer in the device
    SLOT_BACK,      // to be given to the device again
    SLOT_FREE,
    SLOT_ALL_BACK,  // as BACK, all that are in the device and not done
    SLOT_ALL_DONE   // all that are in the device
  } slot_op_e;

  // What the sequencer does next, first come first.
  typedef enum logic [3:0] {
    ACT_NONE,
    ACT_STOP,    // begin anew
    ACT_SIGN,    // a link is there
    ACT_SENT,    // see what became of what we sent
    ACT_DROP,    // throw a frame of the user away
    ACT_FLUSHED, // all are thrown away
    ACT_GOT,     // see what has come
    ACT_DONE,    // a queued command is done
    ACT_LATE,    // the device takes too long while it is set up
    ACT_LOG,     // read the error log
    ACT_NEXT,    // a command of our own, which has waited
    ACT_RESEND,  // a command again that the link gave back
    ACT_DATA,    // a Data FIS
    ACT_GONE,    // say that there is no device
    ACT_AGAIN,   // give a request to the device that was there before
    ACT_ACCEPT   // a new request
  } act_e;

  // Steps of an event.
  typedef enum logic [4:0] {
    IDLE,
    SETTLE,    // what depends on the sets of slots becomes right
    SENT,      // a FIS of ours has ended
    GOT,       // a record of the device
    PIECE,     // data: where they belong is told to the user
    ADVANCE,   // bytes have moved
    LOAD,      // the request of a slot
    SETUP,     // DMA Setup
    ACCEPT,    // a new request
    CHECK,
    NEXT,      // of the commands that prepare the device
    ISSUE,
    HOLD_RST,  // SRST is set
    DONE,      // the device says so
    FINISH,    // of a command that ran alone
    JUDGE,     // the error log
    VERDICT,   // an error: again or not
    REPLY,
    STOP,
    DRAIN,
    MARK
  } step_e;

  // What the sequencer remembers between events.
  typedef struct packed {
    logic alone;   // a command that runs alone is in the device
    logic inner;   // it is our own
    logic busy;    // BSY: no command may be sent
    logic error;   // a queued command has failed, the log is to be read
    logic next;    // a command of our own waits until the device is silent
    logic resend;  // a command waits until the device, which was first, has no data phase open
    logic flush;   // frames of the user are to be thrown away
  } memo_t;

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
    logic piece;      // data, which have a place
    logic advance;    // data have come
    logic spoil;      // data have come bad
  } meaning_t;
endpackage
