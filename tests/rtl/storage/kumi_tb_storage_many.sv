// SPDX-License-Identifier: Apache-2.0
//
// Test top: the array's controller with the streams of all its ports joined, so that one model plays
// all the disks.
//
// m_cmd: {port, blk_cmd_t}. s_rsp, s_fetch, s_segment: {port (8 bits), record}. m_wr: tid is the port.
// s_rd: tdest is the port.
module kumi_tb_storage_many
  import kumi_array_pkg::*;
  import kumi_blk_pkg::*;
#(
    parameter  int PORTS    = 128,
    parameter  int WIDTH    = 8,
    parameter  int CONTEXTS = 4,
    localparam int UNIT_W   = $clog2(PORTS)
) (
    input logic clk,
    input logic rst,
    kumi_rec_if.snk s_cmd,
    kumi_rec_if.src m_rsp,
    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    kumi_rec_if.src m_cmd,
    kumi_rec_if.snk s_rsp,
    kumi_rec_if.snk s_fetch,
    kumi_rec_if.snk s_segment,
    kumi_axis_if.src m_wr,
    kumi_axis_if.snk s_rd,
    kumi_axi_if.mst m_axi,
    output logic busy
);
  localparam int DATA_W = m_axi.DATA_W;
  localparam int CMD_W = $bits(blk_cmd_t);
  localparam int RSP_W = $bits(blk_rsp_t);
  localparam int FETCH_W = $bits(blk_fetch_t);
  localparam int SEGMENT_W = $bits(blk_segment_t);

  kumi_rec_if #(.W(CMD_W)) cmd[PORTS] ();
  kumi_rec_if #(.W(UNIT_W + CMD_W)) any_cmd ();
  kumi_rec_if #(.W(RSP_W)) rsp[PORTS] ();
  kumi_rec_if #(.W(FETCH_W)) fetch[PORTS] ();
  kumi_rec_if #(.W(SEGMENT_W)) segment[PORTS] ();
  kumi_axis_if #(.DATA_W(DATA_W)) wr[PORTS] ();
  kumi_axis_if #(.DATA_W(DATA_W)) rd[PORTS] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .ID_W  (8)
  ) marked[PORTS] ();
  kumi_axis_if #(
      .DATA_W(DATA_W),
      .DEST_W(8)
  ) sent[PORTS] ();

  logic [PORTS-1:0] rsp_ready, fetch_ready, segment_ready;
  for (genvar i = 0; i < PORTS; i++) begin : gen_port
    assign rsp[i].data = s_rsp.data[RSP_W-1:0];
    assign rsp[i].valid = s_rsp.valid && s_rsp.data[RSP_W+:8] == 8'(i);
    assign rsp_ready[i] = rsp[i].ready;
    assign fetch[i].data = s_fetch.data[FETCH_W-1:0];
    assign fetch[i].valid = s_fetch.valid && s_fetch.data[FETCH_W+:8] == 8'(i);
    assign fetch_ready[i] = fetch[i].ready;
    assign segment[i].data = s_segment.data[SEGMENT_W-1:0];
    assign segment[i].valid = s_segment.valid && s_segment.data[SEGMENT_W+:8] == 8'(i);
    assign segment_ready[i] = segment[i].ready;

    assign marked[i].tdata = wr[i].tdata;
    assign marked[i].tkeep = wr[i].tkeep;
    assign marked[i].tvalid = wr[i].tvalid;
    assign marked[i].tlast = wr[i].tlast;
    assign marked[i].tuser = wr[i].tuser;
    assign marked[i].tid = 8'(i);
    assign marked[i].tdest = '0;
    assign wr[i].tready = marked[i].tready;

    assign rd[i].tdata = sent[i].tdata;
    assign rd[i].tkeep = sent[i].tkeep;
    assign rd[i].tvalid = sent[i].tvalid;
    assign rd[i].tlast = sent[i].tlast;
    assign rd[i].tuser = sent[i].tuser;
    assign rd[i].tid = '0;
    assign rd[i].tdest = '0;
    assign sent[i].tready = rd[i].tready;
  end
  assign s_rsp.ready = rsp_ready[UNIT_W'(s_rsp.data[RSP_W+:8])];
  assign s_fetch.ready = fetch_ready[UNIT_W'(s_fetch.data[FETCH_W+:8])];
  assign s_segment.ready = segment_ready[UNIT_W'(s_segment.data[SEGMENT_W+:8])];

  kumi_rec_arb_tree #(
      .N(PORTS)
  ) u_cmd (
      .clk,
      .rst,
      .s_hdr(cmd),
      .m_hdr(any_cmd)
  );
  assign m_cmd.data = {8'(any_cmd.data[CMD_W+:UNIT_W]), any_cmd.data[CMD_W-1:0]};
  assign m_cmd.valid = any_cmd.valid;
  assign any_cmd.ready = m_cmd.ready;

  kumi_axis_mux #(
      .N(PORTS)
  ) u_wr (
      .clk,
      .rst,
      .s_axis(marked),
      .m_axis(m_wr)
  );
  logic drop;
  kumi_axis_demux #(
      .N(PORTS),
      .USE_DEST(1'b1)
  ) u_rd (
      .clk,
      .rst,
      .select ('0),
      .s_axis (s_rd),
      .m_axis (sent),
      .ev_drop(drop)
  );

  logic [PORTS-1:0] usable, readable, failed;
  logic [15:0] failures;
  logic [31:0] occupied;
  logic [ 5:0] ev;
  kumi_storage #(
      .PORTS(PORTS),
      .WIDTH(WIDTH),
      .CONTEXTS(CONTEXTS),
      .CHUNK_BYTES(4096)
  ) u_storage (
      .clk,
      .rst,
      .s_cmd,
      .m_rsp,
      .s_axis,
      .m_axis,
      .cmd,
      .rsp,
      .fetch,
      .wr,
      .segment,
      .rd,
      .m_axi,
      .usable,
      .readable,
      .failed,
      .failures,
      .occupied,
      .ev,
      .busy
  );
  logic unused;
  assign unused = ^{drop, usable, readable, failed, failures, occupied, ev};
endmodule
