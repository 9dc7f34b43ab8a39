// SPDX-License-Identifier: Apache-2.0
//
// One end of an InfiniBand link whose line is two streams of symbols in the order of the packet's
// bytes: tdata[7:0] is first, tuser has K flags, in the input also code violations above them.
//
// s_axis_line: a beat a cycle; cycles without a beat are idle data. m_axis_line: a beat a cycle
// from reset on, in frames of 64 beats; must always be ready. Words of 4 symbols go to lanes as the
// standard says: 4x one symbol each, 1x one after the other.
module kumi_tb_ib_line
  import kumi_ib_link_pkg::*;
#(
    parameter  int LANES    = 4,
    parameter  int DATA_W   = 64,
    parameter  int DATA_VLS = 4,
    parameter  int BLOCKS   = 64,
    parameter  int MTU_CAP  = 4,
    localparam int BYTES    = DATA_W / 8,
    localparam int SYMBOLS  = BYTES / LANES
) (
    input  logic                   clk,
    input  logic                   rst,
    input  ib_link_cfg_t           cfg,
    output ib_link_status_t        status,
    output ib_link_events_t        ev,
    output port_counters_t         counters,
    input  logic            [15:0] rx_ready,
           kumi_axis_if.snk        s_axis,
           kumi_axis_if.src        m_axis,
           kumi_axis_if.snk        s_axis_line,
           kumi_axis_if.src        m_axis_line
);
  logic [LANES-1:0][SYMBOLS-1:0][7:0] s_data, m_data;
  logic [LANES-1:0][SYMBOLS-1:0] s_k, m_k, s_err;
  logic m_quiet;
  logic [5:0] beat_q;

  assign s_axis_line.tready = 1'b1;
  always_comb begin
    for (int i = 0; i < BYTES; i++) begin
      s_data[i%LANES][i/LANES] = s_axis_line.tvalid ? s_axis_line.tdata[8*i+:8] : 8'd0;
      s_k[i%LANES][i/LANES] = s_axis_line.tvalid && s_axis_line.tuser[i];
      s_err[i%LANES][i/LANES] = s_axis_line.tvalid && s_axis_line.tuser[BYTES+i];
      m_axis_line.tdata[8*i+:8] = m_data[i%LANES][i/LANES];
      m_axis_line.tuser[i] = m_k[i%LANES][i/LANES];
    end
  end
  assign m_axis_line.tkeep  = '1;
  assign m_axis_line.tvalid = !m_quiet;
  assign m_axis_line.tlast  = beat_q == '1;
  assign m_axis_line.tid    = '0;
  assign m_axis_line.tdest  = '0;
  always_ff @(posedge clk) begin
    if (!m_quiet) beat_q <= beat_q + 1'b1;
    if (rst) beat_q <= '0;
  end

  kumi_ib_link #(
      .LANES(LANES),
      .DATA_W(DATA_W),
      .DATA_VLS(DATA_VLS),
      .BLOCKS(BLOCKS),
      .MTU_CAP(MTU_CAP),
      .TRAIN(8192),
      .FC_PERIOD(1024),
      .SKIP_SYMBOLS(1024),
      .WATCHDOG(20000)
  ) u_link (
      .clk,
      .rst,
      .cfg,
      .status,
      .ev,
      .s_axis,
      .m_axis,
      .rx_ready,
      .s_data,
      .s_k,
      .s_err,
      .s_signal('1),
      .m_data,
      .m_k,
      .m_quiet
  );

  kumi_ib_port_counters u_counters (
      .clk,
      .rst,
      .ev,
      .relay_error(1'b0),
      .relay_discard(1'b0),
      .xmit_constraint(1'b0),
      .rcv_constraint(1'b0),
      .clear('0),
      .counters
  );
endmodule
