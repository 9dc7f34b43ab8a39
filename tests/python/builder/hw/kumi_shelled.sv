// SPDX-License-Identifier: Apache-2.0
//
// Every form of port that a shell knows: arrays of streams, records, a monitor, packed structs,
// enums, unpacked arrays, and two clocks. Streams are wires; the monitor counts beats.
module kumi_shelled
  import kumi_shelled_pkg::*;
#(
    parameter int N = 2  // streams
) (
    input logic s_clk,
    input logic s_rst,
    input logic m_clk,
    input logic m_rst,
    kumi_axis_if.snk s_axis[N],
    kumi_axis_if.src m_axis[N],
    kumi_rec_if.snk s_rec_hdr,
    kumi_rec_if.src m_rec_hdr,
    kumi_axis_if.mon mon,
    input pair_t cfg,
    input kind_e kind,
    input logic name,
    output logic [7:0] count[3],
    output pair_t out
);
  for (genvar i = 0; i < N; i++) begin : gen_wires
    assign m_axis[i].tdata  = s_axis[i].tdata;
    assign m_axis[i].tkeep  = s_axis[i].tkeep;
    assign m_axis[i].tvalid = s_axis[i].tvalid;
    assign m_axis[i].tlast  = s_axis[i].tlast;
    assign m_axis[i].tuser  = s_axis[i].tuser;
    assign m_axis[i].tid    = s_axis[i].tid;
    assign m_axis[i].tdest  = s_axis[i].tdest;
    assign s_axis[i].tready = m_axis[i].tready;
  end
  assign m_rec_hdr.data  = s_rec_hdr.data;
  assign m_rec_hdr.valid = s_rec_hdr.valid;
  assign s_rec_hdr.ready = m_rec_hdr.ready;

  logic [7:0] beats_q;
  always_ff @(posedge s_clk) begin
    if (mon.tvalid && mon.tready) beats_q <= beats_q + 8'd1;
    if (s_rst) beats_q <= '0;
  end
  for (genvar i = 0; i < 3; i++) begin : gen_count
    assign count[i] = beats_q + 8'(i);
  end
  assign out.a = cfg.a;
  assign out.e = kind;

  logic unused;
  assign unused = ^{m_clk, m_rst, name};
endmodule
