// SPDX-License-Identifier: Apache-2.0
//
// Best-effort packets of a circuit switch: a second, packet-switched network in the free slots of
// the first.
//
// A packet is a head (destination, source), data words and a tail (CRC-32). Each input has a
//   routing table from destination board to output; packets for this board go to the local port in
//   the head. An output serves one packet at a time, inputs round-robin, word by word as slots come
//   (wormhole). Links between switches are flow-controlled (xoff), so no packet is lost between
//   switches; at the destination a packet that does not fit is dropped and counted.
// Deadlock freedom: a word waits only for the next switch on its path, local ports always accept,
//   and routes must keep the wait-for graph of the links acyclic. Routes that go up a spanning
//   tree's order and then down do (kumihimo.link.planner.best_effort makes them); the hardware
//   obeys any.
// out: be_slot[o]: link output o has a free slot in this cycle; be_take[o]: it is used, with
//   be_kind and be_data. be_open: a packet is in progress at that output.
// in: be_in[i] with kind and data of link i.
// s_be, m_be: frames of the local ports (kumi_stdm_be_tx, _rx).
// route_*: software side of the routing tables; an output beyond the last port means no route.
// Bad input: a link that is down discards packets. Events, one pulse per packet, at the input port
//   or the destination's local port: ev_broken, ev_route (no route, or the link is down), ev_full.
module kumi_stdm_be
  import kumi_stdm_pkg::*;
#(
    parameter int W      = 64,  // bits of a word
    parameter int P      = 5,   // ports
    parameter int LOCALS = 1,   // local ports
    parameter int DEPTH  = 512  // words of each buffer, a power of two
) (
    input logic       clk,
    input logic       rst,
    input logic [7:0] board,

    kumi_axis_if.snk s_be[LOCALS],
    kumi_axis_if.src m_be[LOCALS],

    input  stdm_link_status_t [P-LOCALS-1:0]        link_status,
    input  logic              [P-LOCALS-1:0]        be_in,
    input  logic              [P-LOCALS-1:0][  1:0] in_kind,
    input  logic              [P-LOCALS-1:0][W-1:0] in_data,
    output logic              [P-LOCALS-1:0]        xoff,
    input  logic              [P-LOCALS-1:0]        xoff_seen,
    input  logic              [P-LOCALS-1:0]        be_slot,
    output logic              [P-LOCALS-1:0]        be_take,
    output logic              [P-LOCALS-1:0][  1:0] be_kind,
    output logic              [P-LOCALS-1:0][W-1:0] be_data,
    output logic              [P-LOCALS-1:0]        be_open,

    input  logic              route_wr,
    input  logic [PORT_W-1:0] route_in,
    input  logic [       7:0] route_dest,
    input  logic [PORT_W-1:0] route_out,
    output logic [PORT_W-1:0] route_rd,

    output logic [P-1:0] ev_broken,
    output logic [P-1:0] ev_route,
    output logic [P-1:0] ev_full,
    output logic         busy
);
  localparam logic [PORT_W-1:0] NO_ROUTE = '1;

  // ---- Inputs -----------------------------------------------------------------------------------
  logic [P-1:0][1:0] kind, kind_q;
  logic [P-1:0][W-1:0] data, data_q;
  logic [P-1:0] valid, ready, valid_q, take;
  logic [P-1:0] in_broken, in_full, rx_broken, rx_full, no_route, dead;
  logic [P-1:0][PORT_W-1:0] target_q, routes;

  for (genvar p = 0; p < P; p++) begin : gen_in
    if (p < LOCALS) begin : gen_local
      kumi_stdm_be_tx #(
          .W(W),
          .DEPTH(DEPTH)
      ) u_tx (
          .clk,
          .rst,
          .board,
          .s_axis (s_be[p]),
          .m_kind (kind[p]),
          .m_data (data[p]),
          .m_valid(valid[p]),
          .m_ready(ready[p]),
          .ev_drop(in_broken[p])
      );
      assign in_full[p] = 1'b0;
    end else begin : gen_link
      kumi_stdm_be_in #(
          .W(W),
          .DEPTH(DEPTH)
      ) u_in (
          .clk,
          .rst,
          .up(link_status[p-LOCALS].locked),
          .s_valid(be_in[p-LOCALS]),
          .s_kind(in_kind[p-LOCALS]),
          .s_data(in_data[p-LOCALS]),
          .m_kind(kind[p]),
          .m_data(data[p]),
          .m_valid(valid[p]),
          .m_ready(ready[p]),
          .xoff(xoff[p-LOCALS]),
          .broken(in_broken[p]),
          .full(in_full[p])
      );
    end

    // The route is looked up as the head enters the stage before the crossbar.
    (* ram_style = "distributed", no_rw_check *) logic [PORT_W-1:0] route[256];
    logic [PORT_W-1:0] found, head_port;

    always_ff @(posedge clk) begin
      if (route_wr && route_in == PORT_W'(p)) route[route_dest] <= route_out;
      routes[p] <= route[route_dest];
    end

    assign head_port = PORT_W'(data[p][31:28]);
    always_comb begin
      if (data[p][7:0] == board) found = head_port < PORT_W'(LOCALS) ? head_port : NO_ROUTE;
      else found = route[data[p][7:0]] < PORT_W'(P) ? route[data[p][7:0]] : NO_ROUTE;
      // Never back to where it came from: that would close a cycle of waiting links.
      if (p >= LOCALS && found == PORT_W'(p)) found = NO_ROUTE;
    end

    assign ready[p] = !valid_q[p] || take[p];
    always_ff @(posedge clk) begin
      no_route[p] <= 1'b0;
      if (ready[p]) begin
        valid_q[p] <= valid[p];
        kind_q[p]  <= kind[p];
        data_q[p]  <= data[p];
        if (valid[p] && kind[p] == WORD_HEAD) begin
          target_q[p] <= found;
          no_route[p] <= found == NO_ROUTE && !rst;
        end
      end
      if (rst) begin
        valid_q[p]  <= 1'b0;
        target_q[p] <= NO_ROUTE;
      end
    end
  end

  always_comb begin
    route_rd = NO_ROUTE;
    for (int p = 0; p < P; p++) if (route_in == PORT_W'(p)) route_rd = routes[p];
  end

  // ---- Outputs ----------------------------------------------------------------------------------
  logic [P-1:0][P-1:0] want, moved;  // [output][input]
  logic [P-1:0] out_valid, out_ready, out_full;
  logic [P-1:0][  1:0] out_kind;
  logic [P-1:0][W-1:0] out_data;

  for (genvar o = 0; o < P; o++) begin : gen_out
    logic [P-1:0] grant, owner_q;
    logic locked_q, pick, s_ready, s_valid;
    logic [  1:0] s_kind;
    logic [W-1:0] s_data;

    for (genvar i = 0; i < P; i++) begin : gen_want
      assign want[o][i]  = valid_q[i] && kind_q[i] == WORD_HEAD && target_q[i] == PORT_W'(o);
      assign moved[o][i] = locked_q && owner_q[i] && s_ready;
    end

    kumi_arbiter #(
        .N(P)
    ) u_arbiter (
        .clk,
        .rst,
        .req (want[o]),
        .done(pick),
        .grant
    );
    assign pick = !locked_q && |want[o];

    always_comb begin
      s_kind  = '0;
      s_data  = '0;
      s_valid = 1'b0;
      for (int i = 0; i < P; i++) begin
        if (owner_q[i]) begin
          s_kind |= kind_q[i];
          s_data |= data_q[i];
          s_valid |= valid_q[i] && locked_q;
        end
      end
    end

    always_ff @(posedge clk) begin
      if (pick) begin
        locked_q <= 1'b1;
        owner_q  <= grant;
      end else if (s_valid && s_ready && s_kind == WORD_TAIL) begin
        locked_q <= 1'b0;
      end
      if (rst) begin
        locked_q <= 1'b0;
        owner_q  <= '0;
      end
    end

    kumi_slice #(
        .W(W + 2)
    ) u_slice (
        .clk,
        .rst,
        .s_data ({s_kind, s_data}),
        .s_valid,
        .s_ready,
        .m_data ({out_kind[o], out_data[o]}),
        .m_valid(out_valid[o]),
        .m_ready(out_ready[o])
    );
    assign out_full[o] = out_valid[o];

    if (o < LOCALS) begin : gen_local
      kumi_stdm_be_rx #(
          .W(W),
          .DEPTH(DEPTH)
      ) u_rx (
          .clk,
          .rst,
          .s_kind (out_kind[o]),
          .s_data (out_data[o]),
          .s_valid(out_valid[o]),
          .m_axis (m_be[o]),
          .broken (rx_broken[o]),
          .full   (rx_full[o])
      );
      assign out_ready[o] = 1'b1;
      assign dead[o] = 1'b0;
    end else begin : gen_link
      localparam int L = o - LOCALS;
      logic open_q, down_q;
      assign rx_broken[o] = 1'b0;
      assign rx_full[o]   = 1'b0;
      assign be_take[L]   = be_slot[L] && out_valid[o] && !xoff_seen[L] && !down_q;
      assign be_kind[L]   = out_kind[o];
      assign be_data[L]   = out_data[o];
      assign out_ready[o] = down_q || (be_slot[L] && !xoff_seen[L]);
      always_ff @(posedge clk) begin
        down_q  <= !link_status[L].locked;
        dead[o] <= down_q && out_valid[o] && out_kind[o] == WORD_HEAD && !rst;
        // Reported with the word that is at the output in the next cycle.
        if (be_take[L]) open_q <= out_kind[o] != WORD_TAIL;
        if (rst) begin
          open_q <= 1'b0;
          down_q <= 1'b0;
        end
      end
      assign be_open[L] = open_q;
    end
  end

  always_comb begin
    for (int i = 0; i < P; i++) begin
      take[i] = target_q[i] == NO_ROUTE;
      for (int o = 0; o < P; o++) if (moved[o][i]) take[i] = 1'b1;
    end
  end

  assign ev_broken = in_broken | rx_broken;
  assign ev_route = no_route | dead;
  assign ev_full = in_full | rx_full;
  assign busy = |valid || |valid_q || |out_full;
endmodule
