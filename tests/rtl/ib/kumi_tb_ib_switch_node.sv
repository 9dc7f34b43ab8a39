// SPDX-License-Identifier: Apache-2.0
//
// The switch node with its agent: a link whose packets the test makes, ICRC included, at port 1, an
// endpoint node with an agent at port 2. Cables of one cycle.
//
// s_axis, m_axis: packets of the link at port 1 (kumi_ib_link). states_end: its states; set_state:
// command to it. script: port 1 receives the symbols of s_axis_line instead (tuser: K flags, code
// violations above them). s_axil_switch, s_axil_end: registers of the two nodes.
module kumi_tb_ib_switch_node
  import kumi_ib_link_pkg::*;
#(
    localparam int LANES  = 4,
    localparam int DATA_W = 64,
    localparam int BYTES  = DATA_W / 8
) (
    input  logic            clk,
    input  logic            rst,
    input  ib_link_cfg_t    cfg,
    output ib_link_status_t states_end,
    input  logic            script,

    kumi_axis_if.snk s_axis,
    kumi_axis_if.src m_axis,
    kumi_axis_if.snk s_axis_line,
    kumi_axil_if.slv s_axil_switch,
    kumi_axil_if.slv s_axil_end
);
  localparam int SYMBOLS = BYTES / LANES;

  typedef struct packed {
    logic [LANES-1:0][SYMBOLS-1:0][7:0] data;
    logic [LANES-1:0][SYMBOLS-1:0]      k;
    logic                               quiet;
  } line_t;

  line_t [2:1] to_switch, to_switch_q, from_switch, from_switch_q;
  logic [LANES-1:0][SYMBOLS-1:0] line_err;
  ib_link_events_t ev;

  always_ff @(posedge clk) begin
    to_switch_q   <= to_switch;
    from_switch_q <= from_switch;
    if (rst) begin
      for (int p = 1; p <= 2; p++) begin
        to_switch_q[p].quiet   <= 1'b1;
        from_switch_q[p].quiet <= 1'b1;
      end
    end
  end

  // ---- Port 1 -----------------------------------------------------------------------------------
  line_t port_1;
  assign s_axis_line.tready = 1'b1;
  always_comb begin
    port_1   = to_switch_q[1];
    line_err = '0;
    if (script) begin
      port_1.quiet = 1'b0;
      for (int i = 0; i < BYTES; i++) begin
        port_1.data[i%LANES][i/LANES] = s_axis_line.tvalid ? s_axis_line.tdata[8*i+:8] : 8'd0;
        port_1.k[i%LANES][i/LANES] = s_axis_line.tvalid && s_axis_line.tuser[i];
        line_err[i%LANES][i/LANES] = s_axis_line.tvalid && s_axis_line.tuser[BYTES+i];
      end
    end
  end

  kumi_ib_link #(
      .DATA_VLS(1),
      .BLOCKS(64),
      .TRAIN(8192),
      .FC_PERIOD(1024)
  ) u_link (
      .clk,
      .rst,
      .cfg,
      .status(states_end),
      .ev,
      .s_axis,
      .m_axis,
      .rx_ready('1),
      .s_data(from_switch_q[1].data),
      .s_k(from_switch_q[1].k),
      .s_err('0),
      .s_signal({LANES{!from_switch_q[1].quiet}}),
      .m_data(to_switch[1].data),
      .m_k(to_switch[1].k),
      .m_quiet(to_switch[1].quiet)
  );

  // ---- Port 2 -----------------------------------------------------------------------------------
  logic [1:0] busy;
  kumi_node_ib_endpoint_core #(
      .DATA_VLS(1),
      .BLOCKS  (64),
      .RX_BYTES(8192),
      .AGENT   (1'b1)
  ) u_endpoint (
      .clk,
      .rst,
      .m_ib_p1_data(to_switch[2].data),
      .m_ib_p1_k(to_switch[2].k),
      .m_ib_p1_quiet(to_switch[2].quiet),
      .s_ib_p1_data(from_switch_q[2].data),
      .s_ib_p1_k(from_switch_q[2].k),
      .s_ib_p1_err('0),
      .s_ib_p1_signal({LANES{!from_switch_q[2].quiet}}),
      .s_axil(s_axil_end),
      .node_guid(64'h20),
      .node_description({"endpoint", 448'd0}),
      .busy(busy[0])
  );

  // ---- Switch -----------------------------------------------------------------------------------
  logic [8:1][DATA_W-1:0] tx_data, rx_data;
  logic [8:1][BYTES-1:0] tx_k, rx_k, rx_err;
  logic [8:1][LANES-1:0] rx_signal;
  logic [8:1] tx_quiet;

  always_comb begin
    for (int p = 1; p <= 2; p++) begin
      from_switch[p] = {tx_data[p], tx_k[p], tx_quiet[p]};
    end
    rx_data               = '0;
    rx_k                  = '0;
    rx_err                = '0;
    rx_signal             = '0;
    {rx_data[1], rx_k[1]} = {port_1.data, port_1.k};
    {rx_data[2], rx_k[2]} = {to_switch_q[2].data, to_switch_q[2].k};
    rx_err[1]             = line_err;
    rx_signal[1]          = {LANES{!port_1.quiet}};
    rx_signal[2]          = {LANES{!to_switch_q[2].quiet}};
  end

  kumi_node_ib_switch_core #(
      .PORTS(4),
      .DATA_VLS(1),
      .LFT_CAP(64),
      .MFT_CAP(32)
  ) u_switch (
      .clk,
      .rst,
      .m_ib_p_data(tx_data),
      .m_ib_p_k(tx_k),
      .m_ib_p_quiet(tx_quiet),
      .s_ib_p_data(rx_data),
      .s_ib_p_k(rx_k),
      .s_ib_p_err(rx_err),
      .s_ib_p_signal(rx_signal),
      .s_axil(s_axil_switch),
      .node_guid(64'h10),
      .node_description({"switch", 464'd0}),
      .busy(busy[1])
  );

  logic unused;
  assign unused = ^{ev, busy};
endmodule
