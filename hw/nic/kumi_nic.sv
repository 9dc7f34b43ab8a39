// SPDX-License-Identifier: Apache-2.0
//
// Virtio network device (virtio 1.2, 5.1): descriptors in a host's memory to Ethernet and back.
//
// s_axil: registers (docs/decisions/0006-nic.md), the BAR of a card. m_axi_*: DMA; the transaction
//   id is a client's number, answers of different ids may come in any order, rready and bready are
//   always high. m_irq: MSI-X vectors. mac: the address until the driver sets another.
// m_eth, s_eth: frames without FCS. s_eth.tready is always high: what finds no room is dropped.
// Split virtqueues with indirect tables, event indices, mergeable receive buffers, PAIRS pairs of
//   queues and a control queue. The driver has to accept VERSION_1 and MRG_RXBUF.
// A driver that breaks a rule of the rings gets NEEDS_RESET; the queue stops, the others go on.
// Counters at 0x800: frames received and given to the driver; dropped for a bad FCS, a full frame
//   memory, their length, their address, want of buffers, a queue not in use; frames sent; dropped
//   before the wire; commands; queues broken.
module kumi_nic
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port and of the streams: 512
    parameter int PAIRS  = 1,    // pairs of queues, 1..64
    parameter int SIZE   = 256,  // largest ring, a power of two up to 32,768
    parameter int MTU    = 9000, // that the driver is told
    parameter int FRAMES = 65536 // bytes of the memory for received frames, a power of two
) (
    input logic clk,
    input logic rst,
    input logic [47:0] mac,

    kumi_axil_if.slv s_axil,
    kumi_axi_if.mst m_axi,
    kumi_rec_if.src m_irq,
    kumi_axis_if.snk s_eth,
    kumi_axis_if.src m_eth,
    output logic busy
);
  localparam int SET = PAIRS + 1;
  localparam int LOOK_W = $clog2(SET);
  localparam int READERS = 11;
  localparam int WRITERS = 6;
  localparam int EVENTS = 11;

  if (PAIRS < 1 || PAIRS > 64) begin : gen_check_pairs
    $fatal(0, "PAIRS must be 1..64 (%m)");
  end
  if (m_axi.DATA_W != DATA_W || m_axi.ADDR_W != 64 || m_axi.ID_W != 4) begin : gen_check_axi
    $fatal(0, "m_axi has DATA_W bits, 64 of address and 4 of id (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  logic [63:0] features;
  logic driver_ok, reset_device, config_irq, counter_req, counter_ack;
  logic [1:0] start_valid, start_ready, notify_valid, broken, set_busy;
  logic [LOOK_W-1:0] start_queue, index_queue, notify_queue;
  logic [15:0] start_index;
  nic_queue_t start_ring;
  logic [1:0][SET-1:0] stop, stopped, want, dry, halted;
  logic [1:0][15:0] index, vector;
  logic [15:0] config_vector;
  logic [47:0] own;  // address that is in use
  logic [1:0][LOOK_W-1:0] look, irq_queue, broken_queue;
  logic [ 5:0] counter_index;
  logic [31:0] counter_data;

  kumi_nic_registers #(
      .PAIRS(PAIRS),
      .SIZE (SIZE),
      .MTU  (MTU)
  ) u_registers (
      .clk,
      .rst,
      .s_axil,
      .mac(own),
      .features,
      .driver_ok,
      .reset_device,
      .broken(|broken),
      .config_changed(|broken),
      .config_irq,
      .config_vector,
      .start_valid,
      .start_ready,
      .start_queue,
      .start_index,
      .start_ring,
      .stop,
      .stopped,
      .index_queue,
      .index,
      .notify_valid,
      .notify_queue,
      .vector_queue(irq_queue),
      .vector,
      .counter_req,
      .counter_index,
      .counter_ack,
      .counter_data
  );

  // ---- memory --------------------------------------------------------------------------------
  logic [READERS-1:0] ar_valid, ar_ready, r_valid;
  logic [READERS-1:0][63:0] ar_addr;
  logic [READERS-1:0][7:0] ar_len;
  logic [DATA_W-1:0] r_data;
  logic [1:0] r_resp, b_resp;
  logic [WRITERS-1:0] aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid;
  logic [WRITERS-1:0][63:0] aw_addr;
  logic [WRITERS-1:0][7:0] aw_len;
  logic [WRITERS-1:0][DATA_W-1:0] w_data;
  logic [WRITERS-1:0][DATA_W/8-1:0] w_strb;

  kumi_dma_read_mux #(
      .N(READERS),
      .DATA_W(DATA_W)
  ) u_reads (
      .clk,
      .rst,
      .ar_valid,
      .ar_ready,
      .ar_addr,
      .ar_len,
      .r_valid,
      .r_data,
      .r_resp,
      .m_axi_arid(m_axi.arid),
      .m_axi_araddr(m_axi.araddr),
      .m_axi_arlen(m_axi.arlen),
      .m_axi_arsize(m_axi.arsize),
      .m_axi_arburst(m_axi.arburst),
      .m_axi_arvalid(m_axi.arvalid),
      .m_axi_arready(m_axi.arready),
      .m_axi_rid(m_axi.rid),
      .m_axi_rdata(m_axi.rdata),
      .m_axi_rresp(m_axi.rresp),
      .m_axi_rlast(m_axi.rlast),
      .m_axi_rvalid(m_axi.rvalid),
      .m_axi_rready(m_axi.rready)
  );

  kumi_dma_write_mux #(
      .N(WRITERS),
      .DATA_W(DATA_W)
  ) u_writes (
      .clk,
      .rst,
      .aw_valid,
      .aw_ready,
      .aw_addr,
      .aw_len,
      .w_valid,
      .w_ready,
      .w_data,
      .w_strb,
      .w_last,
      .b_valid,
      .b_resp,
      .m_axi_awid(m_axi.awid),
      .m_axi_awaddr(m_axi.awaddr),
      .m_axi_awlen(m_axi.awlen),
      .m_axi_awsize(m_axi.awsize),
      .m_axi_awburst(m_axi.awburst),
      .m_axi_awvalid(m_axi.awvalid),
      .m_axi_awready(m_axi.awready),
      .m_axi_wdata(m_axi.wdata),
      .m_axi_wstrb(m_axi.wstrb),
      .m_axi_wlast(m_axi.wlast),
      .m_axi_wvalid(m_axi.wvalid),
      .m_axi_wready(m_axi.wready),
      .m_axi_bid(m_axi.bid),
      .m_axi_bresp(m_axi.bresp),
      .m_axi_bvalid(m_axi.bvalid),
      .m_axi_bready(m_axi.bready)
  );

  // ---- queues: receive (0) and transmit with control (1) ---------------------------------------
  logic [1:0]
      seg_valid,
      seg_ready,
      seg_fault,
      used_valid,
      used_ready,
      drop_valid,
      irq_valid,
      irq_ready,
      taken_valid;
  nic_seg_t  [1:0] seg;
  nic_used_t [1:0] used;
  logic [1:0][LOOK_W-1:0] drop_queue, taken_queue;
  logic [1:0][5:0] budget;
  logic [1:0] useless_valid, useless_drop;
  logic [1:0][LOOK_W-1:0] useless_queue;

  for (genvar d = 0; d < 2; ++d) begin : gen_set
    kumi_nic_queues #(
        .DATA_W(DATA_W),
        .QUEUES(SET)
    ) u_queues (
        .clk,
        .rst,
        .event_idx(features[F_EVENT_IDX]),
        .start_valid(start_valid[d]),
        .start_ready(start_ready[d]),
        .start_queue,
        .start_index,
        .start_ring,
        .stop(stop[d]),
        .stopped(stopped[d]),
        .index_queue,
        .index(index[d]),
        .notify_valid(notify_valid[d]),
        .notify_queue,
        .want(want[d] & {SET{driver_ok}}),
        .look(look[d]),
        .budget(budget[d]),
        .dry(dry[d]),
        .taken_valid(taken_valid[d]),
        .taken_queue(taken_queue[d]),
        .broken_valid(broken[d]),
        .broken_queue(broken_queue[d]),
        .halted(halted[d]),
        .busy(set_busy[d]),
        .m_valid(seg_valid[d]),
        .m_ready(seg_ready[d]),
        .m_seg(seg[d]),
        .m_fault(seg_fault[d]),
        .s_used_valid(used_valid[d]),
        .s_used_ready(used_ready[d]),
        .s_used(used[d]),
        .drop_valid(drop_valid[d]),
        .drop_queue(drop_queue[d]),
        .useless_valid(useless_valid[d]),
        .useless_drop(useless_drop[d]),
        .useless_queue(useless_queue[d]),
        .irq_valid(irq_valid[d]),
        .irq_ready(irq_ready[d]),
        .irq_queue(irq_queue[d]),
        .ar_valid(ar_valid[5*d+:5]),
        .ar_ready(ar_ready[5*d+:5]),
        .ar_addr(ar_addr[5*d+:5]),
        .ar_len(ar_len[5*d+:5]),
        .r_valid(r_valid[5*d+:5]),
        .r_data,
        .r_resp,
        .aw_valid(aw_valid[2*d+:2]),
        .aw_ready(aw_ready[2*d+:2]),
        .aw_addr(aw_addr[2*d+:2]),
        .aw_len(aw_len[2*d+:2]),
        .w_valid(w_valid[2*d+:2]),
        .w_ready(w_ready[2*d+:2]),
        .w_data(w_data[2*d+:2]),
        .w_strb(w_strb[2*d+:2]),
        .w_last(w_last[2*d+:2]),
        .b_valid(b_valid[2*d+:2]),
        .b_resp
    );
  end

  // ---- receive -------------------------------------------------------------------------------
  logic promiscuous, allmulti, others, rx_busy, tx_busy, control_busy;
  logic [7:0] pairs;
  logic [6:0] rx_ev;

  kumi_nic_rx #(
      .DATA_W(DATA_W),
      .QUEUES(SET),
      .FRAMES(FRAMES)
  ) u_rx (
      .clk,
      .rst,
      .s_axis(s_eth),
      .mac(own),
      .promiscuous,
      .others,
      .pairs,
      .live(~stop[0] & ~halted[0] & {SET{driver_ok}}),
      .s_seg_valid(seg_valid[0]),
      .s_seg_ready(seg_ready[0]),
      .s_seg(seg[0]),
      .s_fault(seg_fault[0]),
      .taken_valid(taken_valid[0]),
      .taken_queue(taken_queue[0]),
      .want(want[0]),
      .look(look[0]),
      .budget(budget[0]),
      .dry(dry[0]),
      .ended(stopped[0]),
      .drop_valid(drop_valid[0]),
      .drop_queue(drop_queue[0]),
      .break_valid(useless_valid[0]),
      .break_queue(useless_queue[0]),
      .break_drop(useless_drop[0]),
      .aw_valid(aw_valid[5]),
      .aw_ready(aw_ready[5]),
      .aw_addr(aw_addr[5]),
      .aw_len(aw_len[5]),
      .w_valid(w_valid[5]),
      .w_ready(w_ready[5]),
      .w_data(w_data[5]),
      .w_strb(w_strb[5]),
      .w_last(w_last[5]),
      .b_valid(b_valid[5]),
      .b_resp,
      .m_used_valid(used_valid[0]),
      .m_used_ready(used_ready[0]),
      .m_used(used[0]),
      .ev(rx_ev),
      .busy(rx_busy)
  );

  // ---- transmit ------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  )
      chains (), bare (), whole ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) parted[2] ();
  kumi_rec_if #(.W(16)) no_len ();
  logic ack_valid, ack_ready, tx_used_valid, tx_used_ready, command_valid, command_ready;
  nic_seg_t ack;
  nic_used_t tx_used, command_used;
  logic [7:0] break_queue;
  logic break_valid, command_failed, failed_wait_q;
  logic ev_short, ev_good, ev_bad, ev_full, ev_oversize, ev_nowhere;
  logic [$clog2(65536*8/DATA_W):0] whole_beats;

  kumi_nic_tx #(
      .DATA_W(DATA_W),
      .CTRL  (PAIRS)
  ) u_tx (
      .clk,
      .rst,
      .s_valid(seg_valid[1]),
      .s_ready(seg_ready[1]),
      .s_seg(seg[1]),
      .s_fault(seg_fault[1]),
      .ar_valid(ar_valid[10]),
      .ar_ready(ar_ready[10]),
      .ar_addr(ar_addr[10]),
      .ar_len(ar_len[10]),
      .r_valid(r_valid[10]),
      .r_data,
      .r_resp,
      .m_axis(chains),
      .m_used_valid(tx_used_valid),
      .m_used_ready(tx_used_ready),
      .m_used(tx_used),
      .m_ack_valid(ack_valid),
      .m_ack_ready(ack_ready),
      .m_ack(ack),
      .break_valid,
      .break_queue,
      .drop(useless_drop[1]),
      .busy(tx_busy)
  );
  // The control queue breaks also when memory does not take an answer.
  always_ff @(posedge clk)
    failed_wait_q <= !rst && (command_failed || failed_wait_q) && break_valid;
  assign useless_valid[1] = break_valid || command_failed || failed_wait_q;
  assign useless_queue[1] = break_valid ? break_queue[LOOK_W-1:0] : LOOK_W'(PAIRS);
  assign want[1] = '1;
  assign budget[1] = 6'd32;
  assign drop_valid[1] = 1'b0;
  assign drop_queue[1] = '0;

  kumi_axis_demux #(
      .N(2)
  ) u_part (
      .clk,
      .rst,
      .select (chains.tdest == 8'(PAIRS)),
      .s_axis (chains),
      .m_axis (parted),
      .ev_drop(ev_nowhere)
  );

  // A frame leaves when all of it has been read, so that a bad one never reaches the wire.
  kumi_axis_strip #(
      .BYTES(HEADER_BYTES)
  ) u_header (
      .clk,
      .rst,
      .s_axis  (parted[0]),
      .m_axis  (bare),
      .ev_short(ev_short)
  );

  kumi_axis_frame_fifo #(
      .DEPTH(65536 * 8 / DATA_W),
      .DROP_FULL(1'b0)
  ) u_whole (
      .clk,
      .rst,
      .s_axis(bare),
      .m_axis(whole),
      .m_len (no_len),
      .depth (whole_beats),
      .ev_good,
      .ev_bad,
      .ev_full,
      .ev_oversize
  );
  assign no_len.ready = 1'b1;

  kumi_axis_if #(.DATA_W(DATA_W)) unpadded ();
  assign unpadded.tdata = whole.tdata;
  assign unpadded.tkeep = whole.tkeep;
  assign unpadded.tvalid = whole.tvalid;
  assign unpadded.tlast = whole.tlast;
  assign unpadded.tuser = '0;
  assign unpadded.tid = '0;
  assign unpadded.tdest = '0;
  assign whole.tready = unpadded.tready;

  kumi_axis_pad u_pad (
      .clk,
      .rst,
      .s_axis(unpadded),
      .m_axis(m_eth)
  );

  // ---- commands ------------------------------------------------------------------------------
  logic poke_valid, poke_ready;
  logic [63:0] poke_addr;
  logic [DATA_W-1:0] poke_data;
  logic [DATA_W/8-1:0] poke_strb;
  logic [1:0] poke_resp;

  kumi_nic_control #(
      .DATA_W(DATA_W),
      .PAIRS (PAIRS)
  ) u_control (
      .clk,
      .rst,
      .reset_device,
      .set_mac(mac),
      .s_axis(parted[1]),
      .s_ack_valid(ack_valid),
      .s_ack_ready(ack_ready),
      .s_ack(ack),
      .poke_valid,
      .poke_ready,
      .poke_addr,
      .poke_data,
      .poke_strb,
      .poke_resp,
      .failed(command_failed),
      .m_used_valid(command_valid),
      .m_used_ready(command_ready),
      .m_used(command_used),
      .promiscuous,
      .allmulti,
      .others,
      .mac(own),
      .pairs,
      .busy(control_busy)
  );

  kumi_nic_poke #(
      .DATA_W(DATA_W)
  ) u_answer (
      .clk,
      .rst,
      .s_valid (poke_valid),
      .s_ready (poke_ready),
      .s_addr  (poke_addr),
      .s_data  (poke_data),
      .s_strb  (poke_strb),
      .s_resp  (poke_resp),
      .aw_valid(aw_valid[4]),
      .aw_ready(aw_ready[4]),
      .aw_addr (aw_addr[4]),
      .aw_len  (aw_len[4]),
      .w_valid (w_valid[4]),
      .w_ready (w_ready[4]),
      .w_data  (w_data[4]),
      .w_strb  (w_strb[4]),
      .w_last  (w_last[4]),
      .b_valid (b_valid[4]),
      .b_resp
  );

  assign used_valid[1] = command_valid || tx_used_valid;
  assign used[1] = command_valid ? command_used : tx_used;
  assign command_ready = used_ready[1];
  assign tx_used_ready = used_ready[1] && !command_valid;

  // ---- interrupts, counters, busy ------------------------------------------------------------
  logic config_wait_q;
  logic [2:0] sources_ready;
  always_ff @(posedge clk) begin
    config_wait_q <= config_irq || (config_wait_q && !sources_ready[2]);
    if (rst) config_wait_q <= 1'b0;
  end

  kumi_nic_irq #(
      .N(3)
  ) u_irq (
      .clk,
      .rst,
      .s_valid ({config_wait_q, irq_valid}),
      .s_ready (sources_ready),
      .s_vector({config_vector, vector}),
      .m_irq
  );
  assign irq_ready = sources_ready[1:0];

  logic [EVENTS-1:0] ev_q;
  logic wr_ack;
  always_ff @(posedge clk) begin
    ev_q <= {
      |broken, command_valid && command_ready, ev_bad || ev_short || ev_oversize, ev_good, rx_ev
    };
    if (rst) ev_q <= '0;
  end

  kumi_event_counters #(
      .N(EVENTS)
  ) u_counters (
      .clk,
      .rst,
      .ev(ev_q),
      .req(counter_req),
      .req_is_wr(1'b0),
      .req_index(counter_index),
      .rd_ack(counter_ack),
      .rd_data(counter_data),
      .wr_ack
  );

  assign busy = |set_busy || rx_busy || tx_busy || control_busy || whole.tvalid || m_irq.valid;

  logic unused;
  assign unused = ^{features, halted[1], allmulti, broken_queue, look[1], dry[1], taken_valid[1],
                    taken_queue[1], break_queue, ev_full, ev_nowhere, whole_beats, no_len.data,
                    no_len.valid, wr_ack, start_ring};
endmodule
