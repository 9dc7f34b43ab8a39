// SPDX-License-Identifier: Apache-2.0
//
// One channel of kumi_dma: registers, a send ring and a receive ring, their completions.
//
// s_axil: register block (regs/dma.rdl). m_axis: packets from memory; s_axis: packets to memory.
// Clients of the bus: ar_* 0 send descriptors, 1 receive descriptors, 2 data; aw_*, w_* 0 data,
//   1 completions. See kumi_dma_read_mux and kumi_dma_write_mux.
// irq: level. busy: work is or was a moment ago in progress.
module kumi_dma_channel
  import kumi_dma_pkg::*;
#(
    parameter int DATA_W      = 64,    // bits of the bus and of the streams
    parameter int ADDR_W      = 64,    // bits of an address
    parameter int BURST_BYTES = 1024,  // longest burst
    parameter int READ_BEATS  = 512,   // beats that may be on their way from memory
    parameter int WRITE_BEATS = 512    // beats of the buffer toward memory
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    kumi_axis_if.src m_axis,
    kumi_axis_if.snk s_axis,
    output logic [2:0] ar_valid,
    input logic [2:0] ar_ready,
    output logic [2:0][ADDR_W-1:0] ar_addr,
    output logic [2:0][7:0] ar_len,
    input logic [2:0] r_valid,
    input logic [DATA_W-1:0] r_data,
    input logic [1:0] r_resp,
    output logic [1:0] aw_valid,
    input logic [1:0] aw_ready,
    output logic [1:0][ADDR_W-1:0] aw_addr,
    output logic [1:0][7:0] aw_len,
    output logic [1:0] w_valid,
    input logic [1:0] w_ready,
    output logic [1:0][DATA_W-1:0] w_data,
    output logic [1:0][DATA_W/8-1:0] w_strb,
    output logic [1:0] w_last,
    input logic [1:0] b_valid,
    input logic [1:0] b_resp,
    output logic irq,
    output logic busy
);
  localparam int LANE_W = $clog2(DATA_W / 8);
  localparam int EVENTS = 10;

  if (m_axis.DATA_W != DATA_W || s_axis.DATA_W != DATA_W) begin : gen_check_width
    $fatal(0, "the streams must be as wide as the bus (%m)");
  end
  if (m_axis.DEST_W > 8 || s_axis.ID_W > 8) begin : gen_check_side
    $fatal(0, "tdest and tid have 8 bits at most (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_dma_regs_pkg::kumi_dma_regs__in_t  hwif_in;
  kumi_dma_regs_pkg::kumi_dma_regs__out_t hwif_out;

  kumi_dma_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  // ---- the two rings: 0 sends, 1 receives ----------------------------------------------------
  logic [1:0][ADDR_W-1:0] base, head_addr;
  logic [1:0][3:0] log2;
  logic [1:0] write_head, flush;
  logic [1:0][7:0] cfg_count;
  logic [1:0][15:0] cfg_ticks, head, written, tail, desc_count;
  logic [1:0] ring_reset, ring_rst, run, stopping, clear, fetching, done_quiet;
  logic [1:0] ev_fetch, ev_write, ev_tail, ev_report;
  logic [1:0] fetch_error_q, write_error_q, tail_error_q;
  logic [1:0] desc_valid, desc_ready;
  dma_desc_t [1:0] desc;
  logic [1:0] data_waiting;
  logic [1:0] done_valid, done_ready;
  dma_completion_t [1:0] done;

  for (genvar r = 0; r < 2; ++r) begin : gen_ring
    logic [63:0] base_full, head_full;
    logic [15:0] size;
    assign base_full = {
      hwif_out.ring[r].base_hi.value.value, hwif_out.ring[r].base_lo.value.value[31:6], 6'h0
    };
    assign head_full = {
      hwif_out.ring[r].head_addr_hi.value.value,
      hwif_out.ring[r].head_addr_lo.value.value[31:3],
      3'h0
    };
    assign base[r] = base_full[ADDR_W-1:0];
    assign head_addr[r] = head_full[ADDR_W-1:0];
    logic [3:0] cfg_log2;
    assign cfg_log2 = hwif_out.ring[r].size.log2.value;
    assign log2[r] = cfg_log2 < 4'd2 ? 4'd2 : cfg_log2;
    assign size = 16'd1 << log2[r];
    assign write_head[r] = hwif_out.ring[r].ctrl.write_head.value;
    assign cfg_count[r] = hwif_out.ring[r].coalesce.count.value;
    assign cfg_ticks[r] = hwif_out.ring[r].coalesce.ticks.value;

    logic doorbell_q;  // the register shows the new value a cycle after the write
    always_ff @(posedge clk) doorbell_q <= hwif_out.ring[r].tail.count.swmod && !rst;

    kumi_dma_ring_ctrl u_ctl (
        .clk,
        .rst,
        .cfg_run(hwif_out.ring[r].ctrl.run.value),
        .quiet(!fetching[r] && !data_waiting[r] && done_quiet[r]),
        .size,
        .written(written[r]),
        .doorbell(doorbell_q),
        .value(hwif_out.ring[r].tail.count.value),
        .reset(ring_reset[r]),
        .run(run[r]),
        .stopping(stopping[r]),
        .clear(clear[r]),
        .tail(tail[r]),
        .ev_tail_error(ev_tail[r])
    );
    assign ring_rst[r] = ring_reset[r] || rst;
    assign flush[r] = stopping[r];

    kumi_dma_desc_fetch #(
        .DATA_W(DATA_W),
        .ADDR_W(ADDR_W)
    ) u_ring (
        .clk,
        .rst(ring_rst[r]),
        .run(run[r] && !write_error_q[r]),
        .base(base[r]),
        .log2(log2[r]),
        .tail(tail[r]),
        .ar_valid(ar_valid[r]),
        .ar_ready(ar_ready[r]),
        .ar_addr(ar_addr[r]),
        .ar_len(ar_len[r]),
        .r_valid(r_valid[r]),
        .r_data,
        .r_resp,
        .m_valid(desc_valid[r]),
        .m_ready(desc_ready[r]),
        .m_desc(desc[r]),
        .m_count(desc_count[r]),
        .waiting(fetching[r]),
        .ev_error(ev_fetch[r])
    );

    always_ff @(posedge clk) begin
      fetch_error_q[r] <= (fetch_error_q[r] || ev_fetch[r]) && !clear[r] && !rst;
      write_error_q[r] <= (write_error_q[r] || ev_write[r]) && !clear[r] && !rst;
      tail_error_q[r]  <= (tail_error_q[r] || ev_tail[r]) && !clear[r] && !rst;
    end

    assign hwif_in.ring[r].status.idle.next = ring_reset[r];
    assign hwif_in.ring[r].status.running.next = run[r];
    assign hwif_in.ring[r].status.fetch_error.next = fetch_error_q[r];
    assign hwif_in.ring[r].status.write_error.next = write_error_q[r];
    assign hwif_in.ring[r].status.tail_error.next = tail_error_q[r];
    assign hwif_in.ring[r].head.count.next = head[r];

    if (ADDR_W < 64) begin : gen_high
      logic unused_high;
      assign unused_high = ^{base_full[63:ADDR_W], head_full[63:ADDR_W]};
    end
    logic unused_low;
    assign unused_low = ^{hwif_out.ring[r].base_lo.value.value[5:0],
                          hwif_out.ring[r].head_addr_lo.value.value[2:0]};
  end

  // ---- send ----------------------------------------------------------------------------------
  logic ss_valid, ss_ready, ss_start, ss_flush, ss_bad;
  logic [DATA_W-1:0] ss_data, so_data;
  logic [LANE_W-1:0] ss_lo;
  logic [  LANE_W:0] ss_count;
  logic [7:0] ss_dest, so_dest;
  logic [DATA_W/8-1:0] so_keep;
  logic so_valid, so_ready, so_last, so_bad;
  logic ev_send_packet, ev_send_truncated;

  kumi_dma_mm2s #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .BURST_BYTES(BURST_BYTES),
      .BEATS(READ_BEATS)
  ) u_read (
      .clk,
      .rst(ring_rst[0]),
      .run(run[0]),
      .s_valid(desc_valid[0]),
      .s_ready(desc_ready[0]),
      .s_desc(desc[0]),
      .s_count(desc_count[0]),
      .ar_valid(ar_valid[2]),
      .ar_ready(ar_ready[2]),
      .ar_addr(ar_addr[2]),
      .ar_len(ar_len[2]),
      .r_valid(r_valid[2]),
      .r_data,
      .r_resp,
      .seg_valid(ss_valid),
      .seg_ready(ss_ready),
      .seg_data(ss_data),
      .seg_lo(ss_lo),
      .seg_count(ss_count),
      .seg_start(ss_start),
      .seg_flush(ss_flush),
      .seg_bad(ss_bad),
      .seg_dest(ss_dest),
      .done_valid(done_valid[0]),
      .done_ready(done_ready[0]),
      .done(done[0]),
      .waiting(data_waiting[0])
  );

  logic send_first, send_tag;

  kumi_byte_realign #(
      .DATA_W(DATA_W),
      .USER_W(9),
      .PIPE  (1'b1)
  ) u_send_realign (
      .clk,
      .rst(ring_rst[0]),
      .s_data(ss_data),
      .s_lo(ss_lo),
      .s_count(ss_count),
      .s_start(ss_start),
      .s_lane('0),
      .s_tag(1'b0),
      .s_flush(ss_flush),
      .s_user({ss_dest, ss_bad}),
      .s_valid(ss_valid),
      .s_ready(ss_ready),
      .m_data(so_data),
      .m_keep(so_keep),
      .m_first(send_first),
      .m_last(so_last),
      .m_tag(send_tag),
      .m_user({so_dest, so_bad}),
      .m_valid(so_valid),
      .m_ready(so_ready)
  );

  kumi_axis_terminate u_terminate (
      .clk,
      .rst,
      .reset_source(ring_reset[0]),
      .m_axis,
      .s_data(so_data),
      .s_keep(so_keep),
      .s_last(so_last),
      .s_bad(so_bad),
      .s_dest(so_dest),
      .s_valid(so_valid),
      .s_ready(so_ready),
      .ev_packet(ev_send_packet),
      .ev_truncated(ev_send_truncated)
  );

  // ---- receive -------------------------------------------------------------------------------
  logic rs_valid, rs_ready, rs_start, rs_flush;
  logic [DATA_W-1:0] rs_data, ro_data;
  logic [LANE_W-1:0] rs_lo, rs_lane;
  logic [LANE_W:0] rs_count;
  logic [DATA_W/8-1:0] ro_keep;
  logic ro_valid, ro_ready, ro_last, ro_user;
  logic unit_valid, unit_ready, end_valid, end_ready, end_empty;
  logic [ADDR_W-1:LANE_W] unit_addr;
  dma_completion_t end_done;
  logic starved, ev_recv_packet, ev_recv_bad, ev_recv_truncated;

  kumi_dma_s2mm_split #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W)
  ) u_fill (
      .clk,
      .rst,
      .reset_ring(ring_rst[1]),
      .run(run[1]),
      .s_axis,
      .desc_valid(desc_valid[1]),
      .desc_ready(desc_ready[1]),
      .desc(desc[1]),
      .desc_count(desc_count[1]),
      .seg_valid(rs_valid),
      .seg_ready(rs_ready),
      .seg_data(rs_data),
      .seg_lo(rs_lo),
      .seg_count(rs_count),
      .seg_start(rs_start),
      .seg_lane(rs_lane),
      .seg_flush(rs_flush),
      .unit_valid,
      .unit_ready,
      .unit_addr,
      .end_valid,
      .end_ready,
      .end_empty,
      .end_done,
      .starved,
      .ev_packet(ev_recv_packet),
      .ev_bad(ev_recv_bad),
      .ev_truncated(ev_recv_truncated)
  );

  logic recv_first, recv_tag;

  kumi_byte_realign #(
      .DATA_W(DATA_W),
      .PIPE  (1'b1)
  ) u_recv_realign (
      .clk,
      .rst(ring_rst[1]),
      .s_data(rs_data),
      .s_lo(rs_lo),
      .s_count(rs_count),
      .s_start(rs_start),
      .s_lane(rs_lane),
      .s_tag(1'b0),
      .s_flush(rs_flush),
      .s_user(1'b0),
      .s_valid(rs_valid),
      .s_ready(rs_ready),
      .m_data(ro_data),
      .m_keep(ro_keep),
      .m_first(recv_first),
      .m_last(ro_last),
      .m_tag(recv_tag),
      .m_user(ro_user),
      .m_valid(ro_valid),
      .m_ready(ro_ready)
  );

  kumi_dma_s2mm #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .BURST_BYTES(BURST_BYTES),
      .BEATS(WRITE_BEATS)
  ) u_write (
      .clk,
      .rst(ring_rst[1]),
      .run(run[1]),
      .s_valid(ro_valid),
      .s_ready(ro_ready),
      .s_data(ro_data),
      .s_keep(ro_keep),
      .s_last(ro_last),
      .unit_valid,
      .unit_ready,
      .unit_addr,
      .end_valid,
      .end_ready,
      .end_empty,
      .end_done,
      .aw_valid(aw_valid[0]),
      .aw_ready(aw_ready[0]),
      .aw_addr(aw_addr[0]),
      .aw_len(aw_len[0]),
      .w_valid(w_valid[0]),
      .w_ready(w_ready[0]),
      .w_data(w_data[0]),
      .w_strb(w_strb[0]),
      .w_last(w_last[0]),
      .b_valid(b_valid[0]),
      .b_resp,
      .done_valid(done_valid[1]),
      .done_ready(done_ready[1]),
      .done(done[1]),
      .waiting(data_waiting[1])
  );

  // ---- completions ---------------------------------------------------------------------------
  kumi_dma_completion #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W)
  ) u_done (
      .clk,
      .rst,
      .clear,
      .flush,
      .base,
      .log2,
      .write_head,
      .head_addr,
      .cfg_count,
      .cfg_ticks,
      .s_valid(done_valid),
      .s_ready(done_ready),
      .s_done(done),
      .aw_valid(aw_valid[1]),
      .aw_ready(aw_ready[1]),
      .aw_addr(aw_addr[1]),
      .w_valid(w_valid[1]),
      .w_ready(w_ready[1]),
      .w_data(w_data[1]),
      .w_strb(w_strb[1]),
      .b_valid(b_valid[1]),
      .b_resp,
      .head,
      .written,
      .quiet(done_quiet),
      .ev_report,
      .ev_error(ev_write)
  );
  assign aw_len[1] = 8'd0;
  assign w_last[1] = 1'b1;

  // ---- interrupt, counters, busy -------------------------------------------------------------
  assign hwif_in.shape.data_w.next = 16'(DATA_W);
  assign hwif_in.shape.addr_w.next = 8'(ADDR_W);
  assign hwif_in.shape.burst.next = 8'($clog2(BURST_BYTES));
  assign hwif_in.irq_status.send_done.hwset = ev_report[0];
  assign hwif_in.irq_status.recv_done.hwset = ev_report[1];
  assign hwif_in.irq_status.send_error.hwset = ev_fetch[0] || ev_write[0] || ev_tail[0];
  assign hwif_in.irq_status.recv_error.hwset = ev_fetch[1] || ev_write[1] || ev_tail[1];

  logic [EVENTS-1:0] ev_q;
  always_ff @(posedge clk) begin
    irq <= |({hwif_out.irq_status.recv_error.value, hwif_out.irq_status.send_error.value,
              hwif_out.irq_status.recv_done.value, hwif_out.irq_status.send_done.value} &
             hwif_out.irq_enable.mask.value) && !rst;
    ev_q[0] <= done_valid[0] && done_ready[0];
    ev_q[1] <= ev_send_packet;
    ev_q[2] <= done_valid[0] && done_ready[0] && done[0].code != CODE_OK;
    ev_q[3] <= done_valid[1] && done_ready[1];
    ev_q[4] <= ev_recv_packet;
    ev_q[5] <= done_valid[1] && done_ready[1] && done[1].code != CODE_OK;
    ev_q[6] <= ev_recv_bad;
    ev_q[7] <= starved;
    ev_q[8] <= ev_send_truncated;
    ev_q[9] <= ev_recv_truncated;
    if (rst) ev_q <= '0;
  end

  kumi_event_counters #(
      .N(EVENTS)
  ) u_counters (
      .clk,
      .rst,
      .ev(ev_q),
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index({2'b00, hwif_out.counters.addr[5:2]}),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  // What is between two handshakes inside is covered by a little time.
  logic active;
  logic [5:0] idle_q;
  assign active = |stopping || |clear || |fetching || |data_waiting || !(&done_quiet) ||
      |desc_valid && run[0] && desc_valid[0] || |ar_valid || |aw_valid || |w_valid || so_valid ||
      m_axis.tvalid || rs_valid || ro_valid || |ev_tail;
  always_ff @(posedge clk) begin
    if (active) idle_q <= '1;
    else if (idle_q != '0) idle_q <= idle_q - 1'b1;
    if (rst) idle_q <= '0;
  end
  assign busy = active || idle_q != '0;

  logic unused;
  assign unused = ^{ro_user, send_first, send_tag, recv_first, recv_tag, hwif_out.counters.wr_data,
                    hwif_out.counters.wr_biten, hwif_out.counters.addr[1:0]};
endmodule
