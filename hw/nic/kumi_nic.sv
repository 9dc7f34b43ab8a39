// SPDX-License-Identifier: Apache-2.0
//
// Virtio network device (virtio 1.2, 5.1): descriptors in a host's memory to Ethernet and back.
//
// s_axil: registers (docs/decisions/0006-nic.md; counters: docs/blocks/nic.md). m_axi_*: DMA; the
//   transaction id is a client's number, answers of different ids may come in any order, rready and
//   bready are always high. m_irq: MSI-X vectors. mac: the address until the driver sets another.
// m_eth, s_eth: frames without FCS, 64..DATA_W bits. s_eth.tready is always high: what finds no
//   room is dropped.
// Virtqueues, split or packed, with indirect tables, event indices, mergeable receive buffers,
//   PAIRS pairs of queues and a control queue. The driver has to accept VERSION_1 and MRG_RXBUF.
// A driver that breaks a rule of the rings gets NEEDS_RESET; the queue stops, the others go on.
module kumi_nic
  import kumi_nic_pkg::*;
#(
    parameter int DATA_W = 512,  // bits of the memory port: 512
    parameter int PAIRS  = 1,    // pairs of queues, 1..64
    parameter int SIZE   = 256,  // largest ring, a power of two up to 32,768
    parameter int MTU    = 9000, // largest, offered to the driver
    parameter int FRAMES = 65536, // bytes of the memory for received frames, a power of two
    parameter int CLK_MHZ = 250, // of clk, for times that the driver sets
    parameter bit PACKED = 1, // offer packed rings
    parameter int FLOWS = 128  // in the steering table, a power of two, 16..1024
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
  localparam int EVENTS = 13;

  if (PAIRS < 1 || PAIRS > 64) begin : gen_check_pairs
    $fatal(0, "PAIRS must be 1..64 (%m)");
  end
  if (SIZE < 2 || SIZE > 32768 || (SIZE & (SIZE - 1)) != 0) begin : gen_check_size
    $fatal(0, "SIZE must be a power of two, 2..32768 (%m)");
  end
  if (MTU < 68 || MTU > 9600) begin : gen_check_mtu
    $fatal(0, "MTU must be 68..9600 (%m)");
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
  logic [5:0] counter_index;
  logic [31:0] counter_data, region_data;
  logic region_write;
  logic [3:0] region_index;
  logic [2:0] region_field;
  nic_steer_write_t steer_write;
  nic_steer_read_t steer_read;

  kumi_nic_registers #(
      .PAIRS(PAIRS),
      .SIZE(SIZE),
      .MTU(MTU),
      .PACKED(PACKED)
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
      .region_write,
      .region_index,
      .region_field,
      .region_data,
      .steer_write,
      .steer_read,
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

  kumi_nic_dma #(
      .DATA_W (DATA_W),
      .READERS(READERS),
      .WRITERS(WRITERS)
  ) u_dma (
      .clk,
      .rst,
      .region_write,
      .region_index,
      .region_field,
      .region_data,
      .ar_valid,
      .ar_ready,
      .ar_addr,
      .ar_len,
      .r_valid,
      .r_data,
      .r_resp,
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
      .m_axi
  );

  // ---- queues: receive (0) and transmit with control (1) ---------------------------------------
  logic [1:0] seg_valid, seg_ready, seg_fault, used_valid, used_ready;
  logic [1:0] drop_valid, irq_valid, irq_ready, taken_valid, useless_valid, useless_drop;
  nic_seg_t  [1:0] seg;
  nic_used_t [1:0] used;
  logic [1:0][LOOK_W-1:0] drop_queue, taken_queue;
  logic [1:0][6:0] budget;
  nic_coal_t [1:0] coal;
  logic [1:0][LOOK_W-1:0] useless_queue;

  for (genvar d = 0; d < 2; ++d) begin : gen_set
    kumi_nic_queues #(
        .DATA_W(DATA_W),
        .QUEUES(SET)
    ) u_queues (
        .clk,
        .rst,
        .packed_ring(PACKED && features[F_RING_PACKED]),
        .event_idx(features[F_EVENT_IDX]),
        .coal(coal[d]),
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
  logic look_take, rx_busy, tx_busy;
  nic_look_t look_at;
  nic_spread_t spread;
  nic_guest_t guest;
  logic [LOOK_W-1:0] table_queue;
  logic [6:0] table_index;
  logic [8:0] rx_ev;

  kumi_nic_rx #(
      .DATA_W(DATA_W),
      .QUEUES(SET),
      .FRAMES(FRAMES),
      .FLOWS (FLOWS)
  ) u_rx (
      .clk,
      .rst,
      .s_axis(s_eth),
      .look_at,
      .look_take,
      .spread,
      .table_index,
      .table_queue,
      .steer_write,
      .steer_read,
      .csum(guest.csum),
      .coalesce({guest.csum && guest.tso6, guest.csum && guest.tso4}),
      .reports(features[F_HASH_REPORT]),
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

  // ---- transmit, and commands ----------------------------------------------------------------
  logic [2:0] ev_tx;

  kumi_nic_tx_side #(
      .DATA_W (DATA_W),
      .PAIRS  (PAIRS),
      .CLK_MHZ(CLK_MHZ)
  ) u_tx (
      .clk,
      .rst,
      .features,
      .reset_device,
      .set_mac(mac),
      .s_valid(seg_valid[1]),
      .s_ready(seg_ready[1]),
      .s_seg(seg[1]),
      .s_fault(seg_fault[1]),
      .m_used_valid(used_valid[1]),
      .m_used_ready(used_ready[1]),
      .m_used(used[1]),
      .useless_valid(useless_valid[1]),
      .useless_drop(useless_drop[1]),
      .useless_queue(useless_queue[1]),
      .ar_valid(ar_valid[10]),
      .ar_ready(ar_ready[10]),
      .ar_addr(ar_addr[10]),
      .ar_len(ar_len[10]),
      .r_valid(r_valid[10]),
      .r_data,
      .r_resp,
      .aw_valid(aw_valid[4]),
      .aw_ready(aw_ready[4]),
      .aw_addr(aw_addr[4]),
      .aw_len(aw_len[4]),
      .w_valid(w_valid[4]),
      .w_ready(w_ready[4]),
      .w_data(w_data[4]),
      .w_strb(w_strb[4]),
      .w_last(w_last[4]),
      .b_valid(b_valid[4]),
      .b_resp,
      .m_eth,
      .mac(own),
      .guest,
      .look(look_at),
      .take(look_take),
      .live({~stop[1][PAIRS-1:0], ~stop[0][PAIRS-1:0]}),
      .coal,
      .spread,
      .table_index,
      .table_queue,
      .ev(ev_tx),
      .busy(tx_busy)
  );
  assign want[1] = '1;
  assign budget[1] = 7'(NIC_CHAIN);
  assign {drop_valid[1], drop_queue[1]} = '0;

  // ---- interrupts, counters, busy ------------------------------------------------------------
  logic config_wait_q, config_taken, irq_busy, wr_ack;
  always_ff @(posedge clk) begin
    config_wait_q <= config_irq || (config_wait_q && !config_taken);
    if (rst) config_wait_q <= 1'b0;
  end

  kumi_nic_irq #(
      .N(3)
  ) u_irq (
      .clk,
      .rst,
      .s_valid ({config_wait_q, irq_valid}),
      .s_ready ({config_taken, irq_ready}),
      .s_vector({config_vector, vector}),
      .m_irq,
      .busy    (irq_busy)
  );
  logic [EVENTS-1:0] ev_q;
  always_ff @(posedge clk) begin
    ev_q <= {rx_ev[8:7], |broken, ev_tx, rx_ev[6:0]};
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

  assign busy = |set_busy || rx_busy || tx_busy || irq_busy;

  logic unused;
  assign unused = ^{features, halted[1], broken_queue, look[1], dry[1], taken_valid[1],
                    taken_queue[1], wr_ack, start_ring};
endmodule
