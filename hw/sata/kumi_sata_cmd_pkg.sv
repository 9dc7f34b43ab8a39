// SPDX-License-Identifier: Apache-2.0
//
// Command layer of a Serial ATA host: status, configuration, and the records between its parts.
// Commands follow the ATA command set (ACS), FISes Serial ATA clause 10. The user's records are in
// kumi_blk_pkg.
package kumi_sata_cmd_pkg;
  import kumi_blk_pkg::*;

  typedef struct packed {
    logic        present;
    logic        up;           // link up
    logic        ready;        // identified, serving requests
    logic        unsupported;  // not an ATA disk with 48-bit addressing
    logic        stale;        // identified again with cfg.once: requests get BLK_NO_DEVICE
    logic        exchanged;    // another disk than the one served before: the same
    logic        queued;       // NCQ in use
    logic [5:0]  depth;        // queue depth
    logic        trim;
    logic        fua;          // supported by the device; otherwise a flush follows the write
    logic        rotating;
    logic [47:0] sectors;
    logic [15:0] epoch;        // counts identifications; the device may have been exchanged
  } sata_status_t;

  // Settings. Ticks are TICK_CYCLES of the port's clock.
  typedef struct packed {
    logic        enable;    // low: the link is held in reset, requests get BLK_NO_DEVICE
    logic        restart;   // COMRESET; a pulse
    logic        forget;    // the disk served may be another one from now on; a pulse
    logic        once;      // serve one identification only: later, the device may be another one,
                            // or have lost its write cache
    logic        queued;    // use NCQ if supported
    logic        activate;  // use auto-activate if supported
    logic [1:0]  cache;     // write cache: 1 enable, 2 disable, otherwise unchanged
    logic [4:0]  depth;     // queue depth minus one
    logic [1:0]  retries;   // retries of a request
    logic [15:0] limit;     // command time-out in ticks
    logic [15:0] ready;     // time-out to become ready, in ticks
    logic [15:0] absent;    // time-out to answer COMRESET, in ticks
  } sata_cfg_t;

  // Decoded IDENTIFY data.
  typedef struct packed {
    logic        lba48;
    logic        ncq;
    logic [4:0]  depth;     // minus one
    logic        activate;
    logic        trim;
    logic        fua;
    logic        rotating;
    logic [47:0] sectors;
  } sata_ident_t;

  // Fields of a Register FIS, host to device.
  typedef struct packed {
    logic        c;        // command; otherwise the control register
    logic [7:0]  command;
    logic [15:0] feature;
    logic [47:0] lba;
    logic [15:0] count;
    logic [7:0]  device;
    logic [7:0]  control;
  } sata_reg_t;

  // What the operation decides of it.
  typedef struct packed {
    logic       c;
    logic [7:0] command;
    logic       srst;     // in control
    logic       fua;      // in device
    logic       queued;   // the sector count is in feature, the tag in count
    logic       trim;     // one block of ranges
    logic       feature;  // feature, lba, count of the request are sent
    logic       lba;
    logic       count;
  } sata_opcode_t;

  // Jobs of kumi_sata_cmd_tx.
  typedef enum logic [1:0] {
    JOB_REG,   // Register FIS
    JOB_DATA,  // Data FIS, from a frame of the user
    JOB_TRIM,  // Data FIS with one block of ranges
    JOB_DROP   // discard a frame of the user
  } sata_job_e;

  // FISes, and the end of the payload of a Data FIS, as kumi_sata_cmd_rx reports them.
  typedef enum logic [2:0] {
    FIS_REG,
    FIS_ACTIVATE,
    FIS_SETUP,
    FIS_SDB,
    FIS_PIO,
    FIS_DATA_BEGIN,  // its payload waits for rec_ready and to_user
    FIS_DATA_END
  } sata_fis_kind_e;

  typedef struct packed {
    sata_fis_kind_e kind;
    logic [7:0]     status;
    logic [7:0]     error;
    logic           to_host;   // DMA Setup: D
    logic           activate;  // DMA Setup: A
    logic [31:0]    bits;      // Set Device Bits: tags; DMA Setup: [4:0] tag
    logic [47:0]    lba;       // Register
    logic [24:0]    offset;    // DMA Setup
    logic [25:0]    bytes;     // DMA Setup
    logic [11:0]    words;     // end of data: words received
    logic [7:0]     e_status;  // PIO Setup
    logic           bad;       // end of data: marked bad, or longer than `limit`
  } sata_fis_info_t;

  // Events, one pulse each.
  typedef struct packed {
    logic        rsp;             // a response
    blk_status_e rsp_status;      // its status
    logic        reissue;         // a request is issued again
    logic        ncq_log;         // the NCQ error log was read
    logic        recovery;        // error recovery with COMRESET
    logic        cmd_timeout;     // a command timed out
    logic        protocol_error;  // a FIS that is illegal in this state
    logic        unexpected;      // a FIS without effect in this state, ignored
    logic        data_in;         // Data FIS received without error
    logic        data_out;        // Data FIS accepted by the device
    logic        identified;      // IDENTIFY DEVICE completed
  } sata_cmd_ev_t;

  // Does it run exclusively, with nothing else in the device?
  function automatic logic runs_alone(input blk_op_e op, input logic queued);
    return !(queued && (op == BLK_READ || op == BLK_WRITE));
  endfunction

  // 32-bit words between host and device.
  function automatic logic [23:0] op_words(input blk_op_e op, input logic [16:0] sectors);
    case (op)
      BLK_READ, BLK_WRITE, BLK_READ_LOG: return {sectors, 7'd0};
      BLK_IDENTIFY, BLK_TRIM: return 24'd128;
      default: return '0;
    endcase
  endfunction

  function automatic logic reads(input blk_op_e op);
    return op == BLK_READ || op == BLK_IDENTIFY || op == BLK_READ_LOG;
  endfunction

  function automatic logic writes(input blk_op_e op);
    return op == BLK_WRITE || op == BLK_TRIM;
  endfunction

  // What a Register FIS takes from the operation alone. srst: of a RESET, the value of the bit.
  function automatic sata_opcode_t opcode_of(input blk_op_e op, input logic fua, input logic queued,
                                             input logic can_fua, input logic srst);
    sata_opcode_t o;
    o   = '0;
    o.c = 1'b1;
    case (op)
      BLK_READ: begin
        o.command = queued ? 8'h60 : 8'h25;
        o.queued  = queued;
        o.lba     = 1'b1;
        o.count   = 1'b1;
      end
      BLK_WRITE: begin
        o.command = queued ? 8'h61 : fua && can_fua ? 8'h3d : 8'h35;
        o.queued  = queued;
        o.fua     = queued && fua;
        o.lba     = 1'b1;
        o.count   = 1'b1;
      end
      BLK_TRIM: begin
        o.command = 8'h06;
        o.trim    = 1'b1;
      end
      BLK_IDENTIFY: o.command = 8'hec;
      BLK_FEATURES: begin
        o.command = 8'hef;
        o.feature = 1'b1;
        o.lba     = 1'b1;
        o.count   = 1'b1;
      end
      BLK_READ_LOG: begin
        o.command = 8'h2f;
        o.lba     = 1'b1;
        o.count   = 1'b1;
      end
      BLK_RESET: begin
        o.c    = 1'b0;
        o.srst = srst;
      end
      default:      o.command = 8'hea;  // FLUSH
    endcase
    return o;
  endfunction

  // Register FIS of a request.
  function automatic sata_reg_t register_of(input sata_opcode_t o, input logic [15:0] feature,
                                            input logic [15:0] count, input logic [47:0] lba,
                                            input logic [4:0] slot);
    sata_reg_t r;
    r.c       = o.c;
    r.command = o.command;
    r.control = {5'd0, o.srst, 2'd0};
    r.device  = {o.fua, o.c, 6'd0};
    r.lba     = o.lba ? lba : '0;
    if (o.queued) begin
      r.feature = count;
      r.count   = {8'd0, slot, 3'd0};
    end else begin
      r.feature = o.feature ? feature : {15'd0, o.trim};
      r.count   = o.count ? count : {15'd0, o.trim};
    end
    return r;
  endfunction

  // Status of a command, from its registers.
  function automatic blk_status_e status_of(input logic df, input logic err, input logic icrc,
                                            input logic unc, input logic idnf, input logic abrt);
    if (df) return BLK_DF;
    if (!err) return BLK_OK;
    if (icrc) return BLK_ICRC;
    if (unc) return BLK_UNC;
    if (idnf) return BLK_IDNF;
    if (abrt) return BLK_ABRT;
    return BLK_ERR;
  endfunction
endpackage
