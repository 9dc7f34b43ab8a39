// SPDX-License-Identifier: Apache-2.0
//
// Register FIFO: the slow path between host and streams, word by word through registers.
//
// s_axil: registers (regs/mmio_fifo.rdl). m_axis: packets that the host pushed; tuser[0] with
//   tlast: bad. s_axis: packets for the host to pop; back-pressure when the buffer is full.
// Throughput: 4 bytes per register access. Latency 4 cycles each way besides the access.
// Bad input: a word pushed without space is lost and its packet ends with the bad mark (or vanishes
//   entirely); one entry is reserved for the last word, so a packet that was begun always ends.
//   Popping an empty FIFO reads zero. Both are counted.
module kumi_mmio_fifo #(
    parameter int DATA_W = 64,  // bits of the streams, 32..512, a multiple of 32
    parameter int DEPTH  = 512  // words of 4 bytes of each buffer, a power of two
) (
    input logic clk,
    input logic rst,
    kumi_axil_if.slv s_axil,
    kumi_axis_if.src m_axis,
    kumi_axis_if.snk s_axis
);
  localparam int DEPTH_W = $clog2(DEPTH) + 1;
  localparam int STYLE = DEPTH <= 64 ? 0 : 2;

  if (m_axis.DATA_W != DATA_W || s_axis.DATA_W != DATA_W) begin : gen_check_width
    $fatal(0, "the streams must have DATA_W bits (%m)");
  end
  if (m_axis.DEST_W > 8 || s_axis.ID_W > 8) begin : gen_check_side
    $fatal(0, "tdest and tid have 8 bits at most (%m)");
  end
  if (DEPTH < 4 || DEPTH > 32768) begin : gen_check_depth
    $fatal(0, "DEPTH must be 4..32768 (%m)");
  end

  // ---- registers -----------------------------------------------------------------------------
  kumi_mmio_fifo_regs_pkg::kumi_mmio_fifo_regs__in_t  hwif_in;
  kumi_mmio_fifo_regs_pkg::kumi_mmio_fifo_regs__out_t hwif_out;

  kumi_mmio_fifo_regs u_regs (
      .clk,
      .rst,
      .s_axil,
      .hwif_in,
      .hwif_out
  );

  // ---- push ----------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(32),
      .USER_W(m_axis.USER_W),
      .ID_W  (m_axis.ID_W),
      .DEST_W(m_axis.DEST_W)
  ) push ();
  kumi_axis_if #(
      .DATA_W(32),
      .USER_W(m_axis.USER_W),
      .ID_W  (m_axis.ID_W),
      .DEST_W(m_axis.DEST_W)
  ) pushed ();
  logic [DEPTH_W-1:0] push_depth;
  logic push_q, last_q, lost_q, room, fits, bad;
  logic [2:0] bytes;
  logic [3:0] keep;
  logic [7:0] dest;

  // The register shows the word a cycle after the write.
  always_ff @(posedge clk) begin
    push_q <= hwif_out.push.value.swmod && !rst;
    last_q <= hwif_out.push_last.value.swmod && !rst;
  end

  assign bytes = hwif_out.push_option.bytes.value;
  assign dest  = hwif_out.push_option.dest.value;
  kumi_count_to_keep #(
      .KEEP_W(4)
  ) u_keep (
      .count(bytes == 3'd0 || bytes > 3'd4 ? 3'd4 : bytes),
      .keep
  );

  assign room = push_depth < DEPTH_W'(DEPTH - 1);
  assign fits = last_q ? !push_depth[DEPTH_W-1] : push_q && room && !lost_q;
  assign bad  = hwif_out.push_option.bad.value || lost_q;
  always_ff @(posedge clk) begin
    if (last_q) lost_q <= 1'b0;
    else if (push_q && !fits) lost_q <= 1'b1;
    if (rst) lost_q <= 1'b0;
  end

  assign push.tdata  = last_q ? hwif_out.push_last.value.value : hwif_out.push.value.value;
  assign push.tkeep  = last_q ? keep : '1;
  assign push.tlast  = last_q;
  assign push.tuser  = (m_axis.USER_W)'(last_q && bad);
  assign push.tid    = '0;
  assign push.tdest  = dest[m_axis.DEST_W-1:0];
  assign push.tvalid = fits;

  kumi_axis_fifo #(
      .DEPTH(DEPTH),
      .STYLE(STYLE)
  ) u_push (
      .clk,
      .rst,
      .s_axis(push),
      .m_axis(pushed),
      .depth (push_depth)
  );
  kumi_axis_width u_wide (
      .clk,
      .rst,
      .s_axis(pushed),
      .m_axis
  );

  // ---- pop -----------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(32),
      .USER_W(s_axis.USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  ) narrow ();
  kumi_axis_if #(
      .DATA_W(32),
      .USER_W(s_axis.USER_W),
      .ID_W  (s_axis.ID_W),
      .DEST_W(s_axis.DEST_W)
  ) pop ();
  logic [DEPTH_W-1:0] pop_depth;
  logic [2:0] pop_bytes;

  kumi_axis_width u_narrow (
      .clk,
      .rst,
      .s_axis,
      .m_axis(narrow)
  );
  kumi_axis_fifo #(
      .DEPTH(DEPTH),
      .STYLE(STYLE)
  ) u_pop (
      .clk,
      .rst,
      .s_axis(narrow),
      .m_axis(pop),
      .depth (pop_depth)
  );
  kumi_keep_to_count #(
      .KEEP_W(4)
  ) u_bytes (
      .keep (pop.tkeep),
      .count(pop_bytes)
  );
  assign pop.tready = hwif_out.pop.value.swacc;

  assign hwif_in.status.room.next = room ? 16'(DEPTH - 1) - 16'(push_depth) : '0;
  assign hwif_in.status.fill.next = 16'(pop_depth) + 16'(pop.tvalid);
  assign hwif_in.pop.value.next = pop.tvalid ? pop.tdata : '0;
  assign hwif_in.pop_info.bytes.next = pop.tvalid ? pop_bytes : '0;
  assign hwif_in.pop_info.last.next = pop.tvalid && pop.tlast;
  assign hwif_in.pop_info.bad.next = pop.tvalid && pop.tlast && pop.tuser[0];
  assign hwif_in.pop_info.id.next = pop.tvalid ? 8'(pop.tid) : '0;

  // ---- counters ------------------------------------------------------------------------------
  logic [3:0] ev;
  assign ev[0] = fits;
  assign ev[1] = (push_q || last_q) && !fits;
  assign ev[2] = pop.tready && pop.tvalid;
  assign ev[3] = pop.tready && !pop.tvalid;

  kumi_event_counters #(
      .N(4)
  ) u_counters (
      .clk,
      .rst,
      .ev,
      .req(hwif_out.counters.req),
      .req_is_wr(hwif_out.counters.req_is_wr),
      .req_index({4'h0, hwif_out.counters.addr[3:2]}),
      .rd_ack(hwif_in.counters.rd_ack),
      .rd_data(hwif_in.counters.rd_data),
      .wr_ack(hwif_in.counters.wr_ack)
  );

  logic unused;
  assign unused = ^{dest, hwif_out.counters.addr[1:0], hwif_out.counters.wr_data,
                    hwif_out.counters.wr_biten};
endmodule
