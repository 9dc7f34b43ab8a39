// SPDX-License-Identifier: Apache-2.0
//
// Bring-up of a device: OFF until the link is up, SIGN until its signature has come, PREP while it
// is identified and set up by commands of our own, RUN; SICK with a device that is no ATA disk.
//
// stop: the link is reset. link: it is up. restarted: a software reset was sent. signature: has
//   come, disk: that of an ATA disk. log: the next command of our own reads the error log.
// next: own_cmd is about to be sent; with skip it is none for this device, and the following one is
//   there in the next cycle; at own == OWN_END the device runs from the next cycle on.
// over: own_cmd has ended, ok: without an error. A device may refuse a feature.
// foreign: what IDENTIFY said is no ATA disk with 48-bit addresses. d_*: data of our own commands.
// queued: FPDMA is in use. resize, a pulse at the end of the bring-up: requests may use the slots
//   0..last_slot from now on. status: what the user is told, ident: what IDENTIFY said.
module kumi_sata_dev_init
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
    input logic own_data,
    input logic d_valid,
    input logic [31:0] d_data,
    input logic [11:0] d_index,
    output place_e place,
    output own_e own,
    output blk_cmd_t own_cmd,
    output logic skip,
    output logic foreign,
    output sata_ident_t ident,
    output logic queued,
    output logic resize,
    output logic [4:0] last_slot,
    output sata_status_t status
);
  place_e place_q;
  own_e   own_q;
  logic queued_q, new_queued, unused;
  assign unused = ^cfg;
  logic [4:0] depth_q, new_depth;
  logic [15:0] epoch_q;

  assign place = place_q;
  assign own = own_q;
  assign queued = queued_q;
  assign foreign = !ident.lba48 || ident.sectors == '0;
  assign new_queued = ident.ncq && cfg.queued;
  assign new_depth = ident.depth < cfg.depth ? ident.depth : cfg.depth;

  assign resize = next && own_q == OWN_END;
  assign last_slot = new_queued ? new_depth : 5'd31;

  assign status.present = present;
  assign status.up = up;
  assign status.ready = place_q == RUN;
  assign status.foreign = place_q == SICK;
  assign status.queued = queued_q;
  assign status.depth = queued_q ? {1'b0, depth_q} + 6'd1 : 6'd1;
  assign status.trim = ident.trim;
  assign status.fua = ident.fua;
  assign status.rotating = ident.rotating;
  assign status.sectors = ident.sectors;
  assign status.epoch = epoch_q;

  kumi_sata_identify u_ident (
      .clk,
      .clear(next && own_q == OWN_IDENTIFY),
      .take (own_data && own_q == OWN_IDENTIFY),
      .d_valid,
      .d_data,
      .d_index,
      .ident
  );

  always_comb begin
    own_cmd    = '0;
    own_cmd.op = OP_FEATURES;
    skip       = 1'b0;
    case (own_q)
      OWN_IDENTIFY: own_cmd.op = OP_IDENTIFY;
      OWN_MODE: begin  // the fastest one; a matter of form with serial devices
        own_cmd.feature = 16'h0003;
        own_cmd.sectors = 17'h00046;
      end
      OWN_ACTIVATE: begin
        own_cmd.feature = 16'h0010;
        own_cmd.sectors = 17'h00002;
        skip            = !(ident.activate && cfg.activate);
      end
      OWN_CACHE: begin
        own_cmd.feature = cfg.cache == 2'd2 ? 16'h0082 : 16'h0002;
        skip            = cfg.cache != 2'd1 && cfg.cache != 2'd2;
      end
      default: begin  // LOG
        own_cmd.op      = OP_LOG;
        own_cmd.sectors = 17'd1;
        own_cmd.lba     = 48'h10;
      end
    endcase
  end

  always_ff @(posedge clk) begin
    if (link || restarted) place_q <= SIGN;
    if (signature) begin
      own_q   <= OWN_IDENTIFY;
      place_q <= disk ? PREP : SICK;
    end
    if (log) own_q <= OWN_LOG;
    if (resize) begin
      place_q  <= RUN;
      queued_q <= new_queued;
      depth_q  <= new_depth;
    end else if (next && skip) begin
      own_q <= own_e'(own_q + 3'd1);
    end
    if (over) begin
      case (own_q)
        OWN_LOG: ;
        OWN_IDENTIFY:
        if (ok && foreign) begin
          place_q <= SICK;
        end else if (ok) begin
          epoch_q <= epoch_q + 1'b1;
          own_q   <= OWN_MODE;
        end
        default: own_q <= own_e'(own_q + 3'd1);
      endcase
    end
    if (stop) place_q <= OFF;
    if (rst) begin
      place_q  <= OFF;
      queued_q <= 1'b0;
      epoch_q  <= '0;
    end
  end
endmodule
