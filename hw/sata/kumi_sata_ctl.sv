// SPDX-License-Identifier: Apache-2.0
//
// Registers of a Serial ATA port (regs/sata.rdl), in the user's clock; the port runs in sata_clk.
//
// s_axil: the register bus. status: from the command layer, in sata_clk; user_status: the same in
//   clk. cfg: settings, in sata_clk. ev: one bit per counter, in sata_clk, in register order.
// The port is disabled until the first settings have crossed.
module kumi_sata_ctl
  import kumi_sata_cmd_pkg::*;
#(
    parameter int TICK_CYCLES = 150_000,  // as of the command layer, shown to software
    parameter int EVENTS      = 32
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    output sata_status_t user_status,
    input logic sata_clk,
    input logic sata_rst,
    output sata_cfg_t cfg,
    input sata_status_t status,
    input logic [EVENTS-1:0] ev
);
  kumi_sata_regs_pkg::kumi_sata_regs__in_t  hwif_in;
  kumi_sata_regs_pkg::kumi_sata_regs__out_t hwif_out;

  kumi_sata_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  // A pulse crosses as a toggle.
  logic restart_q, restart_seen_q, forget_q, forget_seen_q;
  always_ff @(posedge clk) begin
    if (hwif_out.command.comreset.value || hwif_out.command.forget.value) restart_q <= !restart_q;
    if (hwif_out.command.forget.value) forget_q <= !forget_q;
    if (rst) begin
      restart_q <= 1'b0;
      forget_q  <= 1'b0;
    end
  end

  sata_cfg_t user_cfg, sata_cfg;
  assign user_cfg = '{
          enable: hwif_out.ctrl.enable.value,
          restart: restart_q,
          forget: forget_q,
          once: hwif_out.ctrl.once.value,
          queued: hwif_out.ctrl.queued.value,
          activate: hwif_out.ctrl.activate.value,
          cache: hwif_out.ctrl.cache.value,
          depth: hwif_out.ctrl.depth.value,
          retries: hwif_out.ctrl.retries.value,
          limit: hwif_out.limit.ticks.value,
          ready: hwif_out.ready.ticks.value,
          absent: hwif_out.absent.ticks.value
      };

  // Levels cross as words: whenever the last one sent differs, and the handshake is free.
  sata_cfg_t cfg_held;
  sata_status_t status_held;
  logic cfg_ready, cfg_valid, status_ready, status_valid;

  kumi_cdc_handshake #(
      .W($bits(sata_cfg_t))
  ) u_cfg (
      .rst_data('0),
      .s_clk(clk),
      .s_rst(rst),
      .s_data(user_cfg),
      .s_valid(user_cfg != cfg_held),
      .s_ready(cfg_ready),
      .s_held(cfg_held),
      .m_clk(sata_clk),
      .m_rst(sata_rst),
      .m_data(sata_cfg),
      .m_valid(cfg_valid)
  );
  always_ff @(posedge sata_clk) begin
    restart_seen_q <= sata_cfg.restart && !sata_rst;
    forget_seen_q  <= sata_cfg.forget && !sata_rst;
  end
  always_comb begin
    cfg         = sata_cfg;
    cfg.restart = sata_cfg.restart != restart_seen_q;
    cfg.forget  = sata_cfg.forget != forget_seen_q;
  end

  kumi_cdc_handshake #(
      .W($bits(sata_status_t))
  ) u_status (
      .rst_data('0),
      .s_clk(sata_clk),
      .s_rst(sata_rst),
      .s_data(status),
      .s_valid(status != status_held),
      .s_ready(status_ready),
      .s_held(status_held),
      .m_clk(clk),
      .m_rst(rst),
      .m_data(user_status),
      .m_valid(status_valid)
  );

  assign hwif_in.status.present.next     = user_status.present;
  assign hwif_in.status.up.next          = user_status.up;
  assign hwif_in.status.ready.next       = user_status.ready;
  assign hwif_in.status.unsupported.next = user_status.unsupported;
  assign hwif_in.status.stale.next       = user_status.stale;
  assign hwif_in.status.exchanged.next   = user_status.exchanged;
  assign hwif_in.status.queued.next      = user_status.queued;
  assign hwif_in.status.trim.next        = user_status.trim;
  assign hwif_in.status.fua.next         = user_status.fua;
  assign hwif_in.status.rotating.next    = user_status.rotating;
  assign hwif_in.status.depth.next       = user_status.depth;
  assign hwif_in.status.epoch.next       = user_status.epoch;
  assign hwif_in.sectors_lo.value.next   = user_status.sectors[31:0];
  assign hwif_in.sectors_hi.value.next   = {16'd0, user_status.sectors[47:32]};
  assign hwif_in.tick.cycles.next        = 32'(TICK_CYCLES);

  // Counters, in sata_clk.
  logic req, is_wr, rd_ack, wr_ack;
  logic [ 5:0] index;
  logic [31:0] rd_data;

  kumi_cdc_counter_read u_cross (
      .clk,
      .rst,
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(6'(hwif_out.counters.addr[$high(hwif_out.counters.addr):2])),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack),
      .m_clk(sata_clk),
      .m_rst(sata_rst),
      .m_req(req),
      .m_req_is_wr(is_wr),
      .m_req_index(index),
      .m_rd_ack(rd_ack),
      .m_rd_data(rd_data),
      .m_wr_ack(wr_ack)
  );

  kumi_event_counters #(
      .N(EVENTS)
  ) u_counters (
      .clk(sata_clk),
      .rst(sata_rst),
      .ev,
      .req,
      .req_is_wr(is_wr),
      .req_index(index),
      .rd_ack,
      .rd_data,
      .wr_ack
  );

  logic unused;
  assign unused = ^{cfg_ready, cfg_valid, status_ready, status_valid};
endmodule
