// SPDX-License-Identifier: Apache-2.0
//
// Two channel adapters with a local manager at ports 1 and 2 of a switch with four, agents only:
// packets go from port to port without a link layer, those of the switch by its forwarding table.
//
// s_host0, s_host1, m_host0, m_host1: packets of and for the local managers. plugged: a bit per
// adapter. Every agent has a packet buffer in front, which drops what it has no space for, as VL15
// of a link does.
module kumi_tb_ib_fabric
  import kumi_ib_link_pkg::*, kumi_ib_mgmt_pkg::*;
#(
    parameter int LFT_CAP = 64
) (
    input logic clk,
    input logic rst,
    input logic [1:0] is_sm,
    input logic [1:0] plugged,
    output logic ready,
    output logic [2:0][2:0] states,  // of the adapters' ports, and of the switch's port 1
    kumi_axis_if.snk s_host0,
    kumi_axis_if.snk s_host1,
    kumi_axis_if.src m_host0,
    kumi_axis_if.src m_host1
);
  localparam int PORTS = 4;
  localparam logic [63:0] GUID = 64'h0002_C903_0000_0000;

  logic [2:0] agent_ready;
  logic [2:0][15:0] lid;
  assign ready = &agent_ready;

  // ---- Adapters ---------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) up[2] ();  // to the switch
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) down[2] ();  // from it
  logic [PORTS:1] link_up;
  logic [1:0] enabled;
  logic [PORTS:1] switch_enabled;
  assign link_up = PORTS'(plugged & enabled & switch_enabled[2:1]);

  for (genvar h = 0; h < 2; h++) begin : gen_hca
    kumi_axis_if #(
        .DATA_W(64),
        .DEST_W(8)
    ) in[2] ();
    kumi_axis_if #(
        .DATA_W(64),
        .DEST_W(8)
    ) out[2] ();

    // 0: the wire, 1: the manager
    assign in[0].tdata = down[h].tdata;
    assign in[0].tkeep = down[h].tkeep;
    assign in[0].tvalid = down[h].tvalid;
    assign in[0].tlast = down[h].tlast;
    assign in[0].tuser = down[h].tuser;
    assign in[0].tid = down[h].tid;
    assign in[0].tdest = 8'd1;
    assign down[h].tready = in[0].tready;
    if (h == 0) begin : gen_0
      kumi_tb_ib_tdest #(
          .DEST(8'h81)
      ) u_in (
          .s_axis(s_host0),
          .m_axis(in[1])
      );
      kumi_tb_ib_tdest #(
          .DEST(8'h81)
      ) u_out (
          .s_axis(out[1]),
          .m_axis(m_host0)
      );
    end else begin : gen_1
      kumi_tb_ib_tdest #(
          .DEST(8'h81)
      ) u_in (
          .s_axis(s_host1),
          .m_axis(in[1])
      );
      kumi_tb_ib_tdest #(
          .DEST(8'h81)
      ) u_out (
          .s_axis(out[1]),
          .m_axis(m_host1)
      );
    end
    kumi_tb_ib_tdest #(
        .DEST(8'(h + 1))
    ) u_up (
        .s_axis(out[0]),
        .m_axis(up[h])
    );

    kumi_tb_ib_node #(
        .NODE_TYPE(NODE_CA),
        .PORTS(1),
        .HOST(1),
        .INPUTS(2),
        .OUTPUTS(2),
        .LFT_CAP(LFT_CAP)
    ) u_node (
        .clk,
        .rst,
        .node_guid(GUID + 64'(16 * (h + 1))),
        .description({"adapter ", 8'(8'h41 + h), 440'd0}),
        .is_sm(is_sm[h]),
        .ready(agent_ready[h]),
        .link_up(link_up[h+1]),
        .enabled(enabled[h]),
        .first_state(states[h]),
        .lid(lid[h]),
        .s_axis(in),
        .m_axis(out),
        .lft_at('0),
        .lft_port()
    );
  end

  // ---- Switch -----------------------------------------------------------------------------------
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) sw_in[1] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) sw_out[1] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) bus_in[3] ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) bus ();
  kumi_axis_if #(
      .DATA_W(64),
      .DEST_W(8)
  ) bus_out[3] ();
  logic [15:0] dlid;
  logic [7:0] lft_port, target;
  logic [1:0] select;

  kumi_tb_ib_node #(
      .NODE_TYPE(NODE_SWITCH),
      .PORTS(PORTS),
      .HOST(0),
      .INPUTS(1),
      .OUTPUTS(1),
      .LFT_CAP(LFT_CAP)
  ) u_switch (
      .clk,
      .rst,
      .node_guid(GUID),
      .description({"switch", 464'd0}),
      .is_sm(1'b0),
      .ready(agent_ready[2]),
      .link_up,
      .enabled(switch_enabled),
      .first_state(states[2]),
      .lid(lid[2]),
      .s_axis(sw_in),
      .m_axis(sw_out),
      .lft_at(dlid),
      .lft_port
  );

  // One bus: from the adapters (tdest: port of arrival, tid 0) and the agent (tid 1).
  for (genvar i = 0; i < 3; i++) begin : gen_bus
    if (i < 2) begin : gen_wire
      kumi_tb_ib_tdest #(
          .DEST(8'(i + 1))
      ) u_in (
          .s_axis(up[i]),
          .m_axis(bus_in[i])
      );
      kumi_tb_ib_tdest #(
          .DEST(8'd1)
      ) u_out (
          .s_axis(bus_out[i+1]),
          .m_axis(down[i])
      );
    end else begin : gen_agent
      kumi_tb_ib_tdest #(
          .DEST(8'd0),
          .ID  (1'b1)
      ) u_in (
          .s_axis(sw_out[0]),
          .m_axis(bus_in[2])
      );
      kumi_tb_ib_tdest #(
          .DEST(8'd0)
      ) u_out (
          .s_axis(bus_out[0]),
          .m_axis(sw_in[0])
      );
    end
  end
  kumi_axis_mux #(
      .N(3)
  ) u_mux (
      .clk,
      .rst,
      .s_axis(bus_in),
      .m_axis(bus)
  );

  // Of the first beat: port to leave by, 0 the agent, and the bus's output, 3 for dropped.
  always_comb begin
    dlid   = {bus.tdata[23:16], bus.tdata[31:24]};
    target = lft_port;
    if (bus.tid[0]) begin
      if (bus.tdest != DEST_LFT) target = bus.tdest;
    end else if (dlid == 16'hFFFF || dlid == lid[2]) begin
      target = 8'd0;
    end
    select = 2'd3;
    if (target == 8'd0) select = 2'd0;
    if (target == 8'd1 && plugged[0]) select = 2'd1;
    if (target == 8'd2 && plugged[1]) select = 2'd2;
    if (!bus.tid[0] && !plugged[bus.tdest[1]]) select = 2'd3;
  end
  kumi_axis_demux #(
      .N(3),
      .SELECT_W(2)
  ) u_demux (
      .clk,
      .rst,
      .select,
      .s_axis (bus),
      .m_axis (bus_out),
      .ev_drop()
  );
endmodule
