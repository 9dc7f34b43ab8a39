// SPDX-License-Identifier: Apache-2.0
//
// Register block of a node with RDMA (regs/rdma.rdl): work requests, completions, set-up, counters.
//
// s_axil: the block's registers. m_setup, m_wr: records from registers, each held until the engine
//   accepts it. s_completion: completions, up to COMPLETIONS are kept; then the engine waits.
// under_way: a signaled request is not complete. A queue pair that is reset before its requests are
//   leaves it high.
// tick: a pulse every tick.cycles. qp_error: queue pairs in the error state.
// ev, ev_wire, ev_sent: events, each pulse counts one.
// Bad input: a work request posted while one is held is lost and counted (post_lost).
module kumi_node_rdma_regs
  import kumi_rc_pkg::*;
#(
    parameter int QPS         = 64,
    parameter int REGIONS     = 64,
    parameter int SQ          = 16,
    parameter int RQ          = 16,
    parameter int WINDOW      = 128,
    parameter int COMPLETIONS = 512   // a power of two
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    kumi_rec_if.src m_setup,
    kumi_rec_if.src m_wr,
    kumi_rec_if.snk s_completion,
    output logic tick,
    output logic under_way,
    input logic [QPS-1:0] qp_error,
    input rc_events_t ev,
    input kumi_roce_pkg::roce_rx_events_t ev_wire,
    input logic ev_sent
);
  localparam int WIRE_EVENTS = $bits(kumi_roce_pkg::roce_rx_events_t);
  localparam int ENGINE_EVENTS = $bits(rc_events_t);
  localparam int EVENTS = WIRE_EVENTS + 2 + ENGINE_EVENTS;

  if (m_setup.W != RC_SETUP_W || m_wr.W != RC_WR_W || s_completion.W != RC_COMPLETION_W
      ) begin : gen_check_records
    $fatal(0, "the record ports must have the widths of kumi_rc_pkg (%m)");
  end

  kumi_rdma_regs_pkg::kumi_rdma_regs__in_t  hwif_in;
  kumi_rdma_regs_pkg::kumi_rdma_regs__out_t hwif_out;

  kumi_rdma_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  // ---- work request and set-up ------------------------------------------------------------------
  rc_wr_t wr;
  rc_setup_t setup;
  logic wr_valid_q, setup_valid_q, post_lost;

  always_comb begin
    wr.qp = hwif_out.wr_ctrl.qp.value;
    wr.id = hwif_out.wr_id.value.value;
    wr.op = rc_wr_op_e'(hwif_out.wr_ctrl.op.value);
    wr.signaled = hwif_out.wr_ctrl.signaled.value;
    wr.solicited = hwif_out.wr_ctrl.solicited.value;
    wr.fence = hwif_out.wr_ctrl.fence.value;
    wr.local_addr = {hwif_out.wr_local_hi.value.value, hwif_out.wr_local_lo.value.value};
    wr.length = hwif_out.wr_length.value.value;
    wr.remote_addr = {hwif_out.wr_remote_hi.value.value, hwif_out.wr_remote_lo.value.value};
    wr.r_key = hwif_out.wr_rkey.value.value;
    wr.imm = hwif_out.wr_imm.value.value;
    wr.compare = {hwif_out.wr_compare_hi.value.value, hwif_out.wr_compare_lo.value.value};
    wr.swap_add = {hwif_out.wr_swap_add_hi.value.value, hwif_out.wr_swap_add_lo.value.value};

    setup.op = rc_setup_op_e'(hwif_out.setup.op.value);
    setup.qp = hwif_out.setup.qp.value;
    setup.attr.ud = hwif_out.setup.ud.value;
    setup.attr.dest_qp = hwif_out.dest_qp.value.value;
    setup.attr.path.addr = hwif_out.peer_addr.value.value;
    setup.attr.path.flow = hwif_out.path.flow.value;
    setup.attr.path.traffic = hwif_out.path.traffic.value;
    setup.attr.p_key = hwif_out.attr.p_key.value;
    setup.attr.q_key = hwif_out.q_key.value.value;
    setup.attr.mtu = hwif_out.attr.mtu.value;
    setup.attr.sq_psn = hwif_out.sq_psn.value.value;
    setup.attr.rq_psn = hwif_out.rq_psn.value.value;
    setup.attr.timeout = hwif_out.retry.timeout.value;
    setup.attr.retry_cnt = hwif_out.retry.retry_cnt.value;
    setup.attr.rnr_retry = hwif_out.retry.rnr_retry.value;
    setup.attr.min_rnr_timer = hwif_out.retry.min_rnr_timer.value;
    setup.attr.max_rd_atomic = hwif_out.attr.max_rd_atomic.value;
    setup.attr.remote_write = hwif_out.setup.remote_write.value;
    setup.attr.remote_read = hwif_out.setup.remote_read.value;
    setup.attr.remote_atomic = hwif_out.setup.remote_atomic.value;
    setup.region.valid = hwif_out.setup.valid.value;
    setup.region.addr = {hwif_out.region_hi.value.value, hwif_out.region_lo.value.value};
    setup.region.length = {
      hwif_out.region_length_hi.value.value, hwif_out.region_length_lo.value.value
    };
    setup.region.key = hwif_out.region_key.value.value;
    setup.region.remote_write = hwif_out.setup.remote_write.value;
    setup.region.remote_read = hwif_out.setup.remote_read.value;
    setup.region.remote_atomic = hwif_out.setup.remote_atomic.value;
  end

  // What is posted is kept, so that software may write the next one meanwhile.
  logic [RC_WR_W-1:0] wr_q;
  logic [RC_SETUP_W-1:0] setup_q;
  rc_wr_t wr_held;
  assign wr_held = rc_wr_t'(wr_q);
  assign m_wr.data = wr_q;
  assign m_wr.valid = wr_valid_q;
  assign m_setup.data = setup_q;
  assign m_setup.valid = setup_valid_q;
  assign post_lost = hwif_out.command.post.value && wr_valid_q;

  always_ff @(posedge clk) begin
    if (m_wr.ready) wr_valid_q <= 1'b0;
    if (m_setup.ready) setup_valid_q <= 1'b0;
    if (hwif_out.command.post.value && !wr_valid_q) begin
      wr_q <= wr;
      wr_valid_q <= 1'b1;
    end
    if (hwif_out.command.setup.value && !setup_valid_q) begin
      setup_q <= setup;
      setup_valid_q <= 1'b1;
    end
    if (rst) begin
      wr_valid_q <= 1'b0;
      setup_valid_q <= 1'b0;
    end
  end

  // ---- completions ------------------------------------------------------------------------------
  rc_completion_t wc, wc_new;
  logic wc_valid;
  logic [RC_COMPLETION_W-1:0] wc_bits;
  logic [$clog2(COMPLETIONS):0] waiting;

  kumi_fifo #(
      .W(RC_COMPLETION_W),
      .DEPTH(COMPLETIONS),
      .STYLE(1)
  ) u_completions (
      .clk,
      .rst,
      .s_data (s_completion.data),
      .s_valid(s_completion.valid),
      .s_ready(s_completion.ready),
      .m_data (wc_bits),
      .m_valid(wc_valid),
      .m_ready(hwif_out.command.pop.value),
      .depth  (waiting)
  );
  assign wc = rc_completion_t'(wc_bits);
  assign wc_new = rc_completion_t'(s_completion.data);

  logic [23:0] open_q;
  logic opens, closes;
  assign under_way = open_q != '0;
  assign opens = m_wr.valid && m_wr.ready && wr_held.signaled && wr_held.op != RC_WR_RECV;
  assign closes = s_completion.valid && s_completion.ready && wc_new.op != RC_WR_RECV && under_way;
  always_ff @(posedge clk) begin
    if (opens != closes) open_q <= opens ? open_q + 1'b1 : open_q - 1'b1;
    if (rst) open_q <= '0;
  end

  // ---- time -------------------------------------------------------------------------------------
  logic [15:0] cycles_q;
  always_ff @(posedge clk) begin
    tick <= cycles_q == '0;
    cycles_q <= cycles_q == '0 ? hwif_out.tick.cycles.value - 1'b1 : cycles_q - 1'b1;
    if (rst) begin
      tick <= 1'b0;
      cycles_q <= '0;
    end
  end

  // ---- what software reads ----------------------------------------------------------------------
  logic [2047:0] errors;
  logic [  31:0] errors_q;
  assign errors = 2048'(qp_error);
  always_ff @(posedge clk) errors_q <= errors[{hwif_out.error_select.value.value[5:0], 5'd0}+:32];

  assign hwif_in.status.post_ready.next = !wr_valid_q;
  assign hwif_in.status.setup_ready.next = !setup_valid_q;
  assign hwif_in.status.completion.next = wc_valid;
  assign hwif_in.status.completions.next = 16'(waiting);
  assign hwif_in.shape.qps.next = 16'(QPS);
  assign hwif_in.shape.regions.next = 16'(REGIONS);
  assign hwif_in.queues.sq.next = 8'(SQ);
  assign hwif_in.queues.rq.next = 8'(RQ);
  assign hwif_in.queues.window.next = 16'(WINDOW);
  assign hwif_in.wc.qp.next = wc.qp;
  assign hwif_in.wc.op.next = wc.op;
  assign hwif_in.wc.status.next = wc.status;
  assign hwif_in.wc.imm.next = wc.imm_valid;
  assign hwif_in.wc.write.next = wc.write;
  assign hwif_in.wc.solicited.next = wc.solicited;
  assign hwif_in.wc_id.value.next = wc.id;
  assign hwif_in.wc_length.value.next = wc.length;
  assign hwif_in.wc_imm.value.next = wc.imm;
  assign hwif_in.wc_src_qp.value.next = {8'd0, wc.src_qp};
  assign hwif_in.wc_src_addr.value.next = wc.src_path.addr;
  assign hwif_in.wc_src_flow.value.next = {8'd0, wc.src_path.flow, wc.src_path.traffic};
  assign hwif_in.error_state.value.next = errors_q;

  // ---- counters ---------------------------------------------------------------------------------
  // Counter 0 is the first member of roce_rx_events_t, which is its highest bit.
  logic [WIRE_EVENTS-1:0] wire_bits;
  logic [ENGINE_EVENTS-1:0] engine_bits;
  logic [EVENTS-1:0] ev_order;
  assign wire_bits   = ev_wire;
  assign engine_bits = ev;
  for (genvar i = 0; i < WIRE_EVENTS; i++) begin : gen_wire
    assign ev_order[i] = wire_bits[WIRE_EVENTS-1-i];
  end
  assign ev_order[WIRE_EVENTS+:2] = {post_lost, ev_sent};
  for (genvar i = 0; i < ENGINE_EVENTS; i++) begin : gen_engine
    assign ev_order[WIRE_EVENTS+2+i] = engine_bits[ENGINE_EVENTS-1-i];
  end

  logic unused;
  assign unused = ^{wr_held, wc_new};

  kumi_event_counters #(
      .N(EVENTS)
  ) u_counters (
      .clk,
      .rst,
      .ev(ev_order),
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index(6'(hwif_out.counters.addr[6:2])),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );
endmodule
