// SPDX-License-Identifier: Apache-2.0
//
// Device initialisation: DEV_OFF until the link is up, DEV_SIGNATURE until the signature has
// arrived, DEV_INIT while the device is identified and configured by internal commands, DEV_READY;
// DEV_UNSUPPORTED for a device that is not an ATA disk.
//
// stop: the link is reset. link: it is up. restarted: a software reset was sent. signature:
//   received; disk: it is that of an ATA disk. log: the next internal command reads the NCQ error
//   log.
// next: init_cmd is about to be sent; with skip it does not apply to this device, and the next one
//   follows in the next cycle; at INIT_DONE the device is ready from the next cycle on. over:
//   init_cmd has ended, ok: successfully. A device may refuse a feature.
// unsupported: IDENTIFY describes no ATA disk with 48-bit addressing; or another disk than the one
//   served before (status.exchanged, until that one is back or cfg.forget); or with cfg.once a
//   device was served before this identification (status.stale, until cfg.once is cleared and the
//   device is identified again). d_*: data of internal commands.
// queued: NCQ is in use. resize: a pulse at the end, requests may use slots 0..last_slot from now
//   on. status: for the user; ident: decoded IDENTIFY data.
module kumi_sata_dev_init
  import kumi_blk_pkg::*;
  import kumi_sata_cmd_pkg::*;
  import kumi_sata_cmd_seq_pkg::*;
(
    input logic clk,
    input logic rst,
    input sata_cfg_t cfg,
    input logic up,
    input logic present,
    input logic stop,
    input logic link,
    input logic restarted,
    input logic signature,
    input logic disk,
    input logic log,
    input logic next,
    input logic over,
    input logic ok,
    input logic d_valid,
    input logic [31:0] d_data,
    input logic [6:0] d_index,
    output dev_state_e dev_state,
    output init_step_e init_step,
    output blk_cmd_t init_cmd,
    output logic skip,
    output logic unsupported,
    output sata_ident_t ident,
    output logic queued,
    output logic resize,
    output logic [4:0] last_slot,
    output sata_status_t status
);
  dev_state_e dev_state_q;
  init_step_e init_step_q;
  logic queued_q, new_queued, unused;
  assign unused = ^cfg;
  logic no_disk, other, served_q, stale_q, exchanged_q, identifying, identified;
  logic [4:0] depth_q, new_depth;
  logic [15:0] epoch_q;

  assign dev_state = dev_state_q;
  assign init_step = init_step_q;
  assign queued = queued_q;
  assign no_disk = !ident.lba48 || ident.sectors == '0;
  assign unsupported = no_disk || other || served_q;
  assign identifying = next && init_step_q == INIT_IDENTIFY;
  assign identified = over && ok && init_step_q == INIT_IDENTIFY;
  assign new_queued = ident.ncq && cfg.queued;
  assign new_depth = ident.depth < cfg.depth ? ident.depth : cfg.depth;

  assign resize = next && init_step_q == INIT_DONE;
  assign last_slot = new_queued ? new_depth : 5'd31;

  assign status.present = present;
  assign status.up = up;
  assign status.ready = dev_state_q == DEV_READY;
  assign status.unsupported = dev_state_q == DEV_UNSUPPORTED && !stale_q && !exchanged_q;
  assign status.stale = stale_q;
  assign status.exchanged = exchanged_q;
  assign status.queued = queued_q;
  assign status.depth = queued_q ? {1'b0, depth_q} + 6'd1 : 6'd1;
  assign status.trim = ident.trim;
  assign status.fua = ident.fua;
  assign status.rotating = ident.rotating;
  assign status.sectors = ident.sectors;
  assign status.epoch = epoch_q;

  kumi_sata_identify u_ident (
      .clk,
      .clear(identifying),
      .take (init_step_q == INIT_IDENTIFY),
      .d_valid,
      .d_data,
      .d_index,
      .ident
  );
  kumi_sata_same_disk u_same (
      .clk,
      .rst,
      .clear (identifying),
      .take  (init_step_q == INIT_IDENTIFY),
      .d_valid,
      .d_data,
      .d_index,
      .accept(identified && !unsupported),
      .forget(cfg.forget),
      .other
  );

  always_comb begin
    init_cmd    = '0;
    init_cmd.op = BLK_FEATURES;
    skip        = 1'b0;
    case (init_step_q)
      INIT_IDENTIFY: init_cmd.op = BLK_IDENTIFY;
      INIT_XFER_MODE: begin  // the fastest mode; a formality with serial devices
        init_cmd.feature = 16'h0003;
        init_cmd.sectors = 17'h00046;
      end
      INIT_ACTIVATE: begin
        init_cmd.feature = 16'h0010;
        init_cmd.sectors = 17'h00002;
        skip             = !(ident.activate && cfg.activate);
      end
      INIT_CACHE: begin
        init_cmd.feature = cfg.cache == 2'd2 ? 16'h0082 : 16'h0002;
        skip             = cfg.cache != 2'd1 && cfg.cache != 2'd2;
      end
      default: begin  // LOG
        init_cmd.op      = BLK_READ_LOG;
        init_cmd.sectors = 17'd1;
        init_cmd.lba     = 48'h10;
      end
    endcase
  end

  always_ff @(posedge clk) begin
    if (link || restarted) dev_state_q <= DEV_SIGNATURE;
    if (signature) begin
      init_step_q <= INIT_IDENTIFY;
      dev_state_q <= disk ? DEV_INIT : DEV_UNSUPPORTED;
    end
    if (log) init_step_q <= INIT_READ_LOG;
    if (resize) begin
      dev_state_q <= DEV_READY;
      queued_q <= new_queued;
      depth_q <= new_depth;
    end else if (next && skip) begin
      init_step_q <= init_step_e'(init_step_q + 3'd1);
    end
    if (over) begin
      case (init_step_q)
        INIT_READ_LOG: ;
        INIT_IDENTIFY:
        if (ok) begin
          if (!no_disk) epoch_q <= epoch_q + 1'b1;
          if (unsupported) dev_state_q <= DEV_UNSUPPORTED;
          else init_step_q <= INIT_XFER_MODE;
          if (served_q) stale_q <= 1'b1;
          exchanged_q <= other;
        end
        default: init_step_q <= init_step_e'(init_step_q + 3'd1);
      endcase
    end
    if (stop) dev_state_q <= DEV_OFF;
    if (dev_state_q == DEV_READY) served_q <= 1'b1;
    if (!cfg.once) begin
      served_q <= 1'b0;
      stale_q  <= 1'b0;
    end
    if (cfg.forget) exchanged_q <= 1'b0;
    if (rst) begin
      dev_state_q <= DEV_OFF;
      served_q <= 1'b0;
      stale_q <= 1'b0;
      exchanged_q <= 1'b0;
      queued_q <= 1'b0;
      epoch_q <= '0;
    end
  end
endmodule
