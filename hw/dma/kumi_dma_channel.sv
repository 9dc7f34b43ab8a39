// SPDX-License-Identifier: Apache-2.0
//
// One channel of kumi_dma: registers, a send ring and a receive ring, their completions.
//
// s_axil: register block (regs/dma.rdl). m_axis: packets from memory; s_axis: packets to memory.
// Clients of the bus: ar_* 0 send descriptors, 1 receive descriptors, 2 data; aw_*, w_* 0 data,
//   1 completions. See kumi_dma_read_mux and kumi_dma_write_mux.
// irq: level. busy: work is in progress, or was a moment ago.
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

  // ---- the two paths -------------------------------------------------------------------------
  logic send_active, recv_active, ev_send_packet, ev_send_truncated;
  logic starved, ev_recv_packet, ev_recv_bad, ev_recv_truncated;

  kumi_dma_send #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .BURST_BYTES(BURST_BYTES),
      .READ_BEATS(READ_BEATS)
  ) u_send (
      .clk,
      .rst,
      .rst_ring(ring_rst[0]),
      .reset_source(ring_reset[0]),
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
      .m_axis,
      .done_valid(done_valid[0]),
      .done_ready(done_ready[0]),
      .done(done[0]),
      .waiting(data_waiting[0]),
      .active(send_active),
      .ev_packet(ev_send_packet),
      .ev_truncated(ev_send_truncated)
  );

  kumi_dma_recv #(
      .DATA_W(DATA_W),
      .ADDR_W(ADDR_W),
      .BURST_BYTES(BURST_BYTES),
      .WRITE_BEATS(WRITE_BEATS)
  ) u_recv (
      .clk,
      .rst,
      .rst_ring(ring_rst[1]),
      .run(run[1]),
      .s_axis,
      .desc_valid(desc_valid[1]),
      .desc_ready(desc_ready[1]),
      .desc(desc[1]),
      .desc_count(desc_count[1]),
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
      .waiting(data_waiting[1]),
      .active(recv_active),
      .starved,
      .ev_packet(ev_recv_packet),
      .ev_bad(ev_recv_bad),
      .ev_truncated(ev_recv_truncated)
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
      |desc_valid && run[0] && desc_valid[0] || |ar_valid || |aw_valid || |w_valid || send_active ||
      recv_active || |ev_tail;
  always_ff @(posedge clk) begin
    if (active) idle_q <= '1;
    else if (idle_q != '0) idle_q <= idle_q - 1'b1;
    if (rst) idle_q <= '0;
  end
  assign busy = active || idle_q != '0;

  logic unused;
  assign unused = ^{hwif_out.counters.wr_data, hwif_out.counters.wr_biten,
                    hwif_out.counters.addr[1:0]};
endmodule
