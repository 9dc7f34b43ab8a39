// SPDX-License-Identifier: Apache-2.0
//
// In place of kumi_array_port_dma where a test builds 128 of them: the same streams, exclude buffers and
// exclude speed. One burst of BEATS beats at a time each way. What its models never do is not
// handled: bad frames, errors of memory, frames that are not whole bursts.
module kumi_array_port_dma
  import kumi_array_pkg::*;
  import kumi_blk_pkg::*;
#(
    parameter int BURST_BYTES = 512
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_io,
    kumi_rec_if.src m_end,
    kumi_rec_if.src cmd,
    kumi_rec_if.snk rsp,
    kumi_rec_if.snk fetch,
    kumi_axis_if.src wr,
    kumi_rec_if.snk segment,
    kumi_axis_if.snk rd,
    kumi_axi_if.mst m_axi
);
  localparam int BYTES = m_axi.DATA_W / 8;
  localparam int BEATS = 64;  // a sector of 64 bits

  typedef enum logic [2:0] {
    IDLE,
    ASK,
    FILL,
    GIVE,
    TAKE,
    SEND,
    SETTLE
  } state_e;
  state_e state_q;
  disk_req_t io;
  blk_fetch_t want;
  blk_segment_t place;
  blk_rsp_t answer;
  mem_addr_t addr_q[16];
  logic [4:0] position_q[16];
  mem_addr_t at_q;
  logic [16:0] left_q;
  logic [m_axi.DATA_W-1:0] burst[BEATS];
  logic [$clog2(BEATS)-1:0] n_q;
  logic last_q, sent_q;

  assign io = s_io.data;
  assign want = fetch.data;
  assign place = segment.data;
  assign answer = rsp.data;

  assign cmd.valid = s_io.valid;
  assign s_io.ready = cmd.ready;
  assign cmd.data = blk_cmd_t'{
          tag: 16'(io.context_),
          op: io.op == DISK_READ ? BLK_READ : io.op == DISK_WRITE ? BLK_WRITE : BLK_FLUSH,
          fua: 1'b0,
          feature: '0,
          sectors: io.sectors,
          lba: io.lba
      };
  // An end waits until what came before it is in memory.
  assign m_end.valid = rsp.valid && state_q == IDLE;
  assign rsp.ready = m_end.ready && state_q == IDLE;
  assign m_end.data = disk_rsp_t'{
          position: position_q[answer.tag[3:0]],
          context_: answer.tag[3:0],
          status: 4'(answer.status)
      };

  assign fetch.ready = state_q == IDLE && !m_end.valid;
  assign segment.ready = state_q == IDLE && !m_end.valid && !fetch.valid && rd.tvalid;
  assign wr.tdata = burst[n_q];
  assign wr.tkeep = '1;
  assign wr.tvalid = state_q == GIVE;
  assign wr.tlast = n_q == '1 && left_q == '0;
  assign wr.tuser = 1'b0;
  assign wr.tid = '0;
  assign wr.tdest = '0;
  assign rd.tready = state_q == TAKE;

  assign m_axi.arid = '0;
  assign m_axi.araddr = at_q;
  assign m_axi.arlen = 8'(BEATS - 1);
  assign m_axi.arsize = 3'($clog2(BYTES));
  assign m_axi.arburst = 2'b01;
  assign m_axi.arvalid = state_q == ASK;
  assign m_axi.rready = 1'b1;
  assign m_axi.awid = '0;
  assign m_axi.awaddr = at_q;
  assign m_axi.awlen = 8'(BEATS - 1);
  assign m_axi.awsize = 3'($clog2(BYTES));
  assign m_axi.awburst = 2'b01;
  assign m_axi.awvalid = state_q == SEND && !sent_q;
  assign m_axi.wdata = burst[n_q];
  assign m_axi.wstrb = '1;
  assign m_axi.wlast = n_q == '1;
  assign m_axi.wvalid = state_q == SEND;
  assign m_axi.bready = 1'b1;

  always_ff @(posedge clk) begin
    if (s_io.valid && s_io.ready) begin
      addr_q[io.context_] <= io.addr;
      position_q[io.context_] <= io.position;
    end
    case (state_q)
      IDLE: begin
        n_q <= '0;
        sent_q <= 1'b0;
        if (fetch.valid && fetch.ready) begin
          at_q <= addr_q[want.tag[3:0]] + mem_addr_t'(want.offset);
          left_q <= 17'(want.bytes);
          state_q <= ASK;
        end else if (segment.valid && segment.ready) begin
          at_q <= addr_q[place.tag[3:0]] + mem_addr_t'(place.offset);
          state_q <= TAKE;
        end
      end
      ASK:
      if (m_axi.arready) begin
        at_q <= at_q + BEATS * BYTES;
        left_q <= left_q - 17'(BEATS * BYTES);
        state_q <= FILL;
      end
      FILL:
      if (m_axi.rvalid) begin
        burst[n_q] <= m_axi.rdata;
        n_q <= n_q + 1'b1;
        if (m_axi.rlast) state_q <= GIVE;
      end
      GIVE:
      if (wr.tready) begin
        n_q <= n_q + 1'b1;
        if (n_q == '1) state_q <= left_q == '0 ? IDLE : ASK;
      end
      TAKE:
      if (rd.tvalid) begin
        burst[n_q] <= rd.tdata;
        n_q <= n_q + 1'b1;
        last_q <= rd.tlast;
        if (n_q == '1) state_q <= SEND;
      end
      SEND: begin
        if (m_axi.awready) sent_q <= 1'b1;
        if (m_axi.wready) begin
          n_q <= n_q + 1'b1;
          if (n_q == '1) state_q <= SETTLE;
        end
      end
      default:
      if (m_axi.bvalid) begin
        at_q <= at_q + BEATS * BYTES;
        sent_q <= 1'b0;
        state_q <= last_q ? IDLE : TAKE;
      end
    endcase
    if (rst) state_q <= IDLE;
  end
endmodule
