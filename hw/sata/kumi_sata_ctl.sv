// SPDX-License-Identifier: Apache-2.0
//
// Registers of a Serial ATA port (regs/sata.rdl), in the user's clock; the port runs in sata_clk.
//
// s_axil: the register bus. status: from the command layer, in sata_clk; user_status: the same in
//   clk. cfg: settings, in sata_clk. rsp, rsp_status: a response. ev: one bit per further counter,
//   in sata_clk, in register order.
// The port is disabled until the first settings have crossed.
module kumi_sata_ctl
  import kumi_sata_cmd_pkg::*;
#(
    parameter  int TICK_CYCLES = 150_000,  // as of the command layer, shown to software
    localparam int EVENTS      = 20
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    output sata_status_t user_status,
    input logic sata_clk,
    input logic sata_rst,
    output sata_cfg_t cfg,
    input sata_status_t status,
    input logic rsp,
    input logic [3:0] rsp_status,
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

  // A pulse crosses as a toggle; one more before the last has been sampled is the same.
  logic restart_q, restart_sent_q, restart_seen_q, forget_q, forget_sent_q, forget_seen_q;
  logic [3:0] cfg_taken;
  always_ff @(posedge clk) begin
    if ((hwif_out.command.comreset.value || hwif_out.command.forget.value)
        && restart_q == restart_sent_q)
      restart_q <= !restart_q;
    if (hwif_out.command.forget.value && forget_q == forget_sent_q) forget_q <= !forget_q;
    if (cfg_taken[3]) begin
      restart_sent_q <= restart_q;
      forget_sent_q  <= forget_q;
    end
    if (rst) begin
      restart_q <= 1'b0;
      restart_sent_q <= 1'b0;
      forget_q <= 1'b0;
      forget_sent_q <= 1'b0;
    end
  end

  // Settings and status cross word by word. The settings' last word enables the port, when the
  // time-outs are there.
  sata_cfg_t sata_cfg;
  logic [3:0][15:0] user_words, cfg_words;
  assign user_words[0] = hwif_out.limit.ticks.value;
  assign user_words[1] = hwif_out.ready.ticks.value;
  assign user_words[2] = hwif_out.absent.ticks.value;
  assign user_words[3] = {
    1'b0,
    hwif_out.ctrl.enable.value,
    restart_q,
    forget_q,
    hwif_out.ctrl.once.value,
    hwif_out.ctrl.queued.value,
    hwif_out.ctrl.activate.value,
    hwif_out.ctrl.cache.value,
    hwif_out.ctrl.depth.value,
    hwif_out.ctrl.retries.value
  };

  kumi_cdc_mirror #(
      .WORDS(4),
      .W(16)
  ) u_cfg (
      .s_clk  (clk),
      .s_rst  (rst),
      .s_data (user_words),
      .s_taken(cfg_taken),
      .m_clk  (sata_clk),
      .m_rst  (sata_rst),
      .m_data (cfg_words)
  );
  assign {sata_cfg.enable, sata_cfg.restart, sata_cfg.forget, sata_cfg.once, sata_cfg.queued,
          sata_cfg.activate, sata_cfg.cache, sata_cfg.depth, sata_cfg.retries} = cfg_words[3][14:0];
  assign sata_cfg.limit = cfg_words[0];
  assign sata_cfg.ready = cfg_words[1];
  assign sata_cfg.absent = cfg_words[2];
  always_ff @(posedge sata_clk) begin
    restart_seen_q <= sata_cfg.restart && !sata_rst;
    forget_seen_q  <= sata_cfg.forget && !sata_rst;
  end
  always_comb begin
    cfg         = sata_cfg;
    cfg.restart = sata_cfg.restart != restart_seen_q;
    cfg.forget  = sata_cfg.forget != forget_seen_q;
  end

  // `ready` is shown when the words of a round that began with it have arrived.
  logic ready_q;
  logic [4:0] status_taken;
  logic [4:0][15:0] status_words, shown_words;
  always_ff @(posedge sata_clk) begin
    if (status_taken[0]) ready_q <= status.ready;
    if (sata_rst) ready_q <= 1'b0;
  end
  assign status_words[3:0] = {status.epoch, status.sectors};
  assign status_words[4] = {
    status.present,
    status.up,
    status.ready && ready_q,
    status.unsupported,
    status.stale,
    status.exchanged,
    status.queued,
    status.depth,
    status.trim,
    status.fua,
    status.rotating
  };

  kumi_cdc_mirror #(
      .WORDS(5),
      .W(16)
  ) u_status (
      .s_clk  (sata_clk),
      .s_rst  (sata_rst),
      .s_data (status_words),
      .s_taken(status_taken),
      .m_clk  (clk),
      .m_rst  (rst),
      .m_data (shown_words)
  );
  assign {user_status.epoch, user_status.sectors} = shown_words[3:0];
  assign {user_status.present, user_status.up, user_status.ready, user_status.unsupported,
          user_status.stale, user_status.exchanged, user_status.queued, user_status.depth,
          user_status.trim, user_status.fua, user_status.rotating} = shown_words[4];

  assign hwif_in.status.present.next = user_status.present;
  assign hwif_in.status.up.next = user_status.up;
  assign hwif_in.status.ready.next = user_status.ready;
  assign hwif_in.status.unsupported.next = user_status.unsupported;
  assign hwif_in.status.stale.next = user_status.stale;
  assign hwif_in.status.exchanged.next = user_status.exchanged;
  assign hwif_in.status.queued.next = user_status.queued;
  assign hwif_in.status.trim.next = user_status.trim;
  assign hwif_in.status.fua.next = user_status.fua;
  assign hwif_in.status.rotating.next = user_status.rotating;
  assign hwif_in.status.depth.next = user_status.depth;
  assign hwif_in.status.epoch.next = user_status.epoch;
  assign hwif_in.sectors_lo.value.next = user_status.sectors[31:0];
  assign hwif_in.sectors_hi.value.next = {16'd0, user_status.sectors[47:32]};
  assign hwif_in.tick.cycles.next = 32'(TICK_CYCLES);

  // Counters, in sata_clk. Words and FISes may be bad one after the other.
  localparam logic [EVENTS-1:0] MANY = EVENTS'('b10_0011_1000_0000_0000);
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

  kumi_sata_counters #(
      .N(EVENTS),
      .MANY(MANY)
  ) u_counters (
      .clk(sata_clk),
      .rst(sata_rst),
      .rsp,
      .rsp_status,
      .ev,
      .req,
      .req_is_wr(is_wr),
      .req_index(index[4:0]),
      .rd_ack,
      .rd_data,
      .wr_ack
  );

  logic unused;
  assign unused = ^{cfg_taken, status_taken, cfg_words, index};
endmodule
