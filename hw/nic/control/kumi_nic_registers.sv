// SPDX-License-Identifier: Apache-2.0
//
// Registers of the NIC: virtio_pci_common_cfg (virtio 1.2, 4.1.4.3), virtio_net_config (5.1.4) and
// notifications, at the offsets of docs/decisions/0006-nic.md.
//
// s_axil: one access at a time; a field of 8 or 16 bits is written by its strobes.
// Queues are numbered as in the standard: receive 2 i, transmit 2 i + 1, and the control queue
//   behind them all, or at 2 without VIRTIO_NET_F_MQ. Outside they are two sets: receive queues i;
//   transmit queues i and the control queue at PAIRS.
// features: what the driver has accepted, while FEATURES_OK is set. It has to accept VERSION_1 and
//   MRG_RXBUF; else FEATURES_OK stays low.
// start_*: queue_enable was written; index 0 (the first place of a packed ring) of queues that the
//   driver did not place elsewhere.
//   stop: queues that are to end, or may not begin; stopped: those that have ended; index: where.
// reset_device: high while a device that was told to (status 0) waits for its queues to end; status
//   reads as before until then. broken: a pulse; the device needs a reset.
// region_*: see kumi_nic_dma_check. steer_*: see kumi_nic_steer_ctl; the write of a command is
//   answered when it is done, one of less than a whole word there changes nothing.
// vector_*: the MSI-X vector of a queue, 0xffff none, in the same cycle.
// Latency: a read or write 2 cycles; a start waits for its set of queues.
module kumi_nic_registers
  import kumi_nic_pkg::*;
#(
    parameter  int PAIRS  = 1,
    parameter  int SIZE   = 256,         // largest ring, a power of two
    parameter  int MTU    = 9000,
    parameter  bit PACKED = 1,           // offer packed rings
    localparam int SET    = PAIRS + 1,   // queues of a set; the last one of receive is not used
    localparam int LOOK_W = $clog2(SET)
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    input logic [47:0] mac,

    output logic [63:0] features,
    output logic driver_ok,
    output logic reset_device,
    input logic broken,
    input logic config_changed,
    output logic config_irq,
    output logic [15:0] config_vector,

    output logic [1:0] start_valid,
    input logic [1:0] start_ready,
    output logic [LOOK_W-1:0] start_queue,
    output logic [15:0] start_index,
    output nic_queue_t start_ring,
    output logic [1:0][SET-1:0] stop,
    input logic [1:0][SET-1:0] stopped,
    output logic [LOOK_W-1:0] index_queue,
    input logic [1:0][15:0] index,
    output logic [1:0] notify_valid,
    output logic [LOOK_W-1:0] notify_queue,
    output logic region_write,
    output logic [3:0] region_index,
    output logic [2:0] region_field,
    output logic [31:0] region_data,
    output nic_steer_write_t steer_write,
    input nic_steer_read_t steer_read,
    input logic [1:0][LOOK_W-1:0] vector_queue,
    output logic [1:0][15:0] vector,

    output logic counter_req,
    output logic [5:0] counter_index,
    input logic counter_ack,
    input logic [31:0] counter_data
);
  localparam int QUEUES = 2 * PAIRS + 1;
  localparam int Q_W = $clog2(QUEUES);
  localparam logic [63:0] OFFERED = 64'(1) << F_VERSION_1 | 64'(1) << F_RING_RESET |
      64'(PACKED) << F_RING_PACKED |
      64'(1) << F_EVENT_IDX | 64'(1) << F_INDIRECT_DESC | 64'(1) << F_CTRL_MAC_ADDR |
      64'(PAIRS > 1 ? 1 : 0) << F_MQ | 64'(PAIRS > 1 ? 1 : 0) << F_RSS |
      64'(1) << F_CTRL_RX | 64'(1) << F_CTRL_VLAN | 64'(1) << F_CTRL_RX_EXTRA |
      64'(1) << F_NOTF_COAL | 64'(1) << F_VQ_NOTF_COAL | 64'(1) << F_CTRL_VQ |
      64'(1) << F_HASH_REPORT | 64'(1) << F_STATUS | 64'(1) << F_MRG_RXBUF | 64'(1) << F_MAC |
      64'(1) << F_MTU | 64'(1) << F_CSUM | 64'(1) << F_GUEST_CSUM | 64'(1) << F_HOST_TSO4 |
      64'(1) << F_HOST_TSO6 | 64'(1) << F_HOST_ECN | 64'(1) << F_GUEST_TSO4 |
      64'(1) << F_GUEST_TSO6 | 64'(1) << F_CTRL_GUEST_OFFLOADS;
  localparam logic [63:0] WANTED = 64'(1) << F_VERSION_1 | 64'(1) << F_MRG_RXBUF;

  // ---- one access at a time ------------------------------------------------------------------
  typedef enum logic [2:0] {
    S_IDLE,
    S_WRITE,
    S_START,
    S_READ,
    S_COUNTER,
    S_B,
    S_R
  } state_e;
  state_e state_q;
  logic [13:0] addr_q;
  logic [31:0] data_q, read;
  logic asked_q;
  logic [3:0] strb_q;

  function automatic logic [31:0] merged(input logic [31:0] old, input logic [31:0] data,
                                         input logic [3:0] strb);
    for (int i = 0; i < 4; ++i) merged[8*i+:8] = strb[i] ? data[8*i+:8] : old[8*i+:8];
  endfunction

  // ---- the queues as the driver has set them up ----------------------------------------------
  logic [63:0] desc_mem[QUEUES], driver_mem[QUEUES], device_mem[QUEUES];
  logic [15:0] size_q[QUEUES], vector_q[QUEUES];
  logic [15:0] base_q[QUEUES], ended_q[QUEUES];  // where a queue begins, and where it ended
  logic [QUEUES-1:0] enabled_q, resetting_q, placed_q;  // placed: base counts
  logic [15:0] select_q, config_vector_q;
  logic [31:0] driver_select_q, device_select_q;
  logic [63:0] driver_features_q;
  logic [ 7:0] status_q;
  logic there, mq, steers, enabled, resetting, placed;
  logic [15:0] size, queue_vector, base, queue_end;
  logic [Q_W-1:0] sel;
  logic [1:0] dir;  // one-hot: receive, transmit
  logic [LOOK_W-1:0] local_queue;

  assign mq = features[F_MQ];

  // What an access needs of the selected queue: accesses are further apart than this is late.
  always_ff @(posedge clk) begin
    there <= select_q < 16'(QUEUES) && (mq || select_q <= 16'd2);
    dir <= nic_set_of(select_q, mq, PAIRS);
    local_queue <= LOOK_W'(nic_place_of(select_q, mq, PAIRS));
    size <= size_q[sel];
    queue_vector <= vector_q[sel];
    base <= base_q[sel];
    queue_end <= ended_q[sel];
    {enabled, resetting, placed} <= {enabled_q[sel], resetting_q[sel], placed_q[sel]};
  end
  assign sel = select_q[Q_W-1:0];

  // ---- reads ---------------------------------------------------------------------------------
  logic [31:0] config_word;
  always_comb begin
    unique case (addr_q[5:2])
      4'd0: config_word = {mac[23:16], mac[31:24], mac[39:32], mac[47:40]};
      4'd1: config_word = {16'd1, mac[7:0], mac[15:8]};  // status: the link is up
      4'd2: config_word = {16'(MTU), 16'(PAIRS)};
      4'd3: config_word = 32'd100_000;  // Mb/s
      4'd4: config_word = {16'd128, 8'd40, 8'd1};  // RSS table and key; full duplex
      4'd5: config_word = NIC_HASH_TYPES;
      default: config_word = '0;
    endcase
  end

  always_comb begin
    read = '0;
    unique case (addr_q[13:8])
      6'h00:
      unique case (addr_q[5:2])
        4'd0: read = device_select_q;
        4'd1:
        read = device_select_q == 0 ? OFFERED[31:0] : device_select_q == 1 ? OFFERED[63:32] : '0;
        4'd2: read = driver_select_q;
        4'd3:
        read = driver_select_q == 0 ? driver_features_q[31:0] :
            driver_select_q == 1 ? driver_features_q[63:32] : '0;
        4'd4: read = {16'(QUEUES), config_vector_q};
        4'd5: read = {select_q, 8'd0, status_q};
        4'd6: if (there) read = {queue_vector, size};
        4'd7: if (there) read = {select_q, 15'd0, enabled};
        4'd8: if (there) read = desc_mem[sel][31:0];
        4'd9: if (there) read = desc_mem[sel][63:32];
        4'd10: if (there) read = driver_mem[sel][31:0];
        4'd11: if (there) read = driver_mem[sel][63:32];
        4'd12: if (there) read = device_mem[sel][31:0];
        4'd13: if (there) read = device_mem[sel][63:32];
        4'd14: if (there) read = {15'd0, resetting, 16'd0};
        default: ;
      endcase
      6'h02: read = config_word;
      6'h03: if (there) read = {queue_end, queue_end};
      6'h10: if (steers) read = steer_read.data;
      default: ;
    endcase
  end

  // ---- accesses ------------------------------------------------------------------------------
  logic write, common, enables;
  assign write = state_q == S_WRITE;
  assign common = write && addr_q[13:6] == '0;
  assign enables = common && addr_q[5:2] == 4'd7 && strb_q[0] && data_q[0] && there &&
      !enabled && !resetting && status_q[3];

  always_ff @(posedge clk) begin
    unique case (state_q)
      S_IDLE: begin
        if (s_axil.awvalid && s_axil.wvalid) begin
          addr_q  <= s_axil.awaddr[13:0];
          data_q  <= s_axil.wdata;
          strb_q  <= s_axil.wstrb;
          state_q <= S_WRITE;
        end else if (s_axil.arvalid) begin
          addr_q  <= s_axil.araddr[13:0];
          state_q <= s_axil.araddr[13:8] == 6'h08 ? S_COUNTER : S_READ;
        end
      end
      S_WRITE: state_q <= enables ? S_START : S_B;
      S_START: if (|(start_valid & start_ready)) state_q <= S_B;
      S_READ: begin
        data_q  <= read;
        state_q <= S_R;
      end
      S_COUNTER:
      if (counter_ack) begin
        data_q  <= counter_data;
        state_q <= S_R;
      end
      S_B: if (s_axil.bready && !steer_read.busy) state_q <= S_IDLE;
      default: if (s_axil.rready) state_q <= S_IDLE;
    endcase
    asked_q <= state_q == S_COUNTER;
    if (rst) state_q <= S_IDLE;
  end
  assign counter_req = state_q == S_COUNTER && !asked_q;
  assign counter_index = addr_q[7:2];

  assign s_axil.awready = state_q == S_IDLE && s_axil.awvalid && s_axil.wvalid;
  assign s_axil.wready = s_axil.awready;
  assign s_axil.arready = state_q == S_IDLE && !(s_axil.awvalid && s_axil.wvalid);
  assign s_axil.bvalid = state_q == S_B && !steer_read.busy;
  assign s_axil.bresp = '0;
  assign s_axil.rvalid = state_q == S_R;
  assign s_axil.rdata = data_q;
  assign s_axil.rresp = '0;

  // ---- addresses of queues -------------------------------------------------------------------
  logic [63:0] merged_desc, merged_driver, merged_device;
  logic high;
  assign high = addr_q[2];
  function automatic logic [63:0] half(input logic [63:0] old, input logic upper,
                                       input logic [31:0] data, input logic [3:0] strb);
    return upper ?
        {merged(old[63:32], data, strb), old[31:0]} : {old[63:32], merged(old[31:0], data, strb)};
  endfunction
  assign merged_desc   = half(desc_mem[sel], high, data_q, strb_q);
  assign merged_driver = half(driver_mem[sel], high, data_q, strb_q);
  assign merged_device = half(device_mem[sel], high, data_q, strb_q);

  always_ff @(posedge clk) begin
    if (common && there && !enabled) begin
      if (addr_q[5:3] == 3'd4) desc_mem[sel] <= merged_desc;
      if (addr_q[5:3] == 3'd5) driver_mem[sel] <= merged_driver;
      if (addr_q[5:3] == 3'd6) device_mem[sel] <= merged_device;
    end
  end

  // ---- state ---------------------------------------------------------------------------------
  logic [31:0] merged_select, merged_vectors, merged_status;
  logic resets_queue, over, all_over_q, ends_device_q;
  logic [QUEUES-1:0] ended;
  logic [Q_W-1:0] over_queue;
  logic [15:0] over_place;

  assign merged_select = merged({config_vector_q, 16'd0}, data_q, strb_q);
  assign merged_vectors = merged({queue_vector, size}, data_q, strb_q);
  assign merged_status = merged({select_q, 8'd0, status_q}, data_q, strb_q);
  assign resets_queue = common && addr_q[5:2] == 4'd14 && strb_q[2] && data_q[16] && there &&
      enabled;

  kumi_nic_endings #(
      .PAIRS(PAIRS)
  ) u_endings (
      .clk,
      .rst(rst || ends_device_q),
      .many(mq),
      .resetting(resetting_q),
      .stopped,
      .ended,
      .index_queue,
      .index,
      .over,
      .number(over_queue),
      .place(over_place)
  );
  always_ff @(posedge clk) begin
    all_over_q <= &(~enabled_q | ended);
    ends_device_q <= reset_device && all_over_q && !ends_device_q && !rst;
  end

  always_ff @(posedge clk) begin
    if (common) begin
      unique case (addr_q[5:2])
        4'd0: device_select_q <= merged(device_select_q, data_q, strb_q);
        4'd2: driver_select_q <= merged(driver_select_q, data_q, strb_q);
        4'd3:
        if (!status_q[3]) begin
          if (driver_select_q == 0) driver_features_q[31:0] <= data_q;
          if (driver_select_q == 1) driver_features_q[63:32] <= data_q;
        end
        4'd4: if (|strb_q[1:0]) config_vector_q <= data_q[15:0];
        4'd5: begin
          select_q <= merged_status[31:16];
          if (strb_q[0]) begin
            if (merged_status[7:0] == '0) begin
              reset_device <= 1'b1;
            end else begin
              status_q <= merged_status[7:0] | status_q;
              if ((driver_features_q & ~OFFERED) != '0 || (WANTED & ~driver_features_q) != '0) begin
                status_q[3] <= status_q[3];
              end
            end
          end
        end
        4'd6:
        if (there && !enabled) begin
          vector_q[sel] <= merged_vectors[31:16];
          if (merged_vectors[15:0] <= 16'(SIZE)) size_q[sel] <= merged_vectors[15:0];
        end
        default: ;
      endcase
    end
    if (write && addr_q[13:8] == 6'h03 && there && !enabled) begin
      base_q[sel]   <= data_q[31:16];
      placed_q[sel] <= 1'b1;
      ended_q[sel]  <= data_q[31:16];
    end
    if (state_q == S_START && |(start_valid & start_ready)) enabled_q[sel] <= 1'b1;
    if (resets_queue) resetting_q[sel] <= 1'b1;
    // A driver that resets a queue begins at 0 (2.6.1), unless it says otherwise.
    if (over) begin
      resetting_q[over_queue] <= 1'b0;
      enabled_q[over_queue] <= 1'b0;
      placed_q[over_queue] <= 1'b0;
      ended_q[over_queue] <= over_place;
    end
    if (broken) status_q[6] <= 1'b1;
    if (rst || ends_device_q) begin
      reset_device <= 1'b0;
      status_q <= '0;
      driver_features_q <= '0;
      enabled_q <= '0;
      resetting_q <= '0;
      placed_q <= '0;
      select_q <= '0;
      config_vector_q <= '1;
      device_select_q <= '0;
      driver_select_q <= '0;
      for (int n = 0; n < QUEUES; ++n) begin
        size_q[n]   <= 16'(SIZE);
        vector_q[n] <= '1;
        ended_q[n]  <= '0;
      end
    end
  end

  assign features = status_q[3] ? driver_features_q : '0;
  assign driver_ok = status_q[2];
  assign config_vector = config_vector_q;
  assign config_irq = config_changed && config_vector_q != '1;

  // ---- toward the queues ---------------------------------------------------------------------
  assign start_valid = state_q == S_START ? dir : '0;
  assign start_queue = local_queue;
  // Wrap counters begin at 1 (2.8.1).
  assign start_index = placed ? base : {features[F_RING_PACKED], 15'd0};
  assign start_ring = '{
          desc: desc_mem[sel],
          driver: driver_mem[sel],
          device: device_mem[sel],
          size: size
      };

  always_comb begin
    stop = '1;
    for (int n = 0; n < QUEUES; ++n) begin
      if (enabled_q[n] && !resetting_q[n] && !reset_device) begin
        stop[nic_set_of(16'(n), mq, PAIRS)==2'b10][LOOK_W'(nic_place_of(16'(n), mq, PAIRS))] = 1'b0;
      end
    end
  end

  logic [15:0] notified;
  assign notified = 16'(addr_q[12:2]);
  always_ff @(posedge clk) begin
    notify_valid <= !rst && write && addr_q[13] && notified < 16'(QUEUES) ? nic_set_of(
        notified, mq, PAIRS
    ) : '0;
    notify_queue <= LOOK_W'(nic_place_of(notified, mq, PAIRS));
  end

  // ---- regions of memory, write only ---------------------------------------------------------
  assign region_write = write && addr_q[13:9] == 5'h02;
  assign region_index = addr_q[8:5];
  assign region_field = addr_q[4:2];
  assign region_data = data_q;
  assign steers = addr_q[13:6] == 8'h40;
  assign steer_write = '{valid: write && steers && &strb_q, field: addr_q[5:2], data: data_q};

  // ---- vectors -------------------------------------------------------------------------------
  logic [Q_W-1:0] rx_number, tx_number;
  assign rx_number = Q_W'({vector_queue[0], 1'b0});
  assign tx_number = vector_queue[1] == LOOK_W'(PAIRS) ? (mq ? Q_W'(2 * PAIRS) : Q_W'(2)) :
      Q_W'({vector_queue[1], 1'b1});
  assign vector[0] = vector_q[rx_number];
  assign vector[1] = vector_q[tx_number];

  logic unused;
  assign unused = ^{merged_select, data_q[0], merged_status[15:8], addr_q[1:0]};
endmodule
